// The access key, where the server asks for one. It lives as long as the tab.
import { forget, load, save, session } from '../state/local';

export function readKey(): string | null {
  return load('key', (v): v is string => typeof v === 'string', session);
}

export function writeKey(key: string): void {
  if (key === '') forget('key', session);
  else save('key', key, session);
}

export function keyHeader(): Record<string, string> {
  const key = readKey();
  return key ? { Authorization: `Bearer ${key}` } : {};
}
