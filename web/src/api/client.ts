// Calls to the server that serves this page; no other host is ever asked.
import { ApiError, errorOf } from './errors';
import { keyHeader } from './key';

export interface Reply<T> {
  body: T;
  headers: Headers;
  /** Milliseconds until the answer was read. */
  elapsed: number;
}

// The page lives at `/`; the address is taken from the page so that a path prefix of a proxy works too.
const base = () => new URL('.', window.location.href.split(/[?#]/)[0]).href;

export function urlOf(path: string): string {
  return new URL(path.replace(/^\//, ''), base()).href;
}

export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(urlOf(path), {
      ...init,
      headers: { ...init.headers, ...keyHeader() },
      cache: 'no-store',
    });
  } catch (fault) {
    const cancelled =
      init.signal?.aborted || (fault instanceof DOMException && fault.name === 'AbortError');
    throw new ApiError(cancelled ? 'cancelled' : 'disconnected', 0, {});
  }
  if (!response.ok) {
    const text = await response.text().catch(() => '');
    throw errorOf(response.status, text, response.headers.get('Retry-After'));
  }
  return response;
}

async function readJson<T>(response: Response, signal?: AbortSignal | null): Promise<T> {
  let text: string;
  try {
    text = await response.text();
  } catch {
    throw new ApiError(signal?.aborted ? 'cancelled' : 'disconnected', 0, {});
  }
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new ApiError('unreadable', response.status, {});
  }
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return readJson<T>(await call(path, { signal: signal ?? null }), signal);
}

export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  return (await call(path, { signal: signal ?? null })).text();
}

export async function postJson<T>(
  path: string,
  body: string,
  signal?: AbortSignal,
): Promise<Reply<T>> {
  const started = performance.now();
  const response = await call(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    signal: signal ?? null,
  });
  const parsed = await readJson<T>(response, signal);
  return { body: parsed, headers: response.headers, elapsed: performance.now() - started };
}
