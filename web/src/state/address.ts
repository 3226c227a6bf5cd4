// The address: `#/ner?lang=en&mode=debug&s=…`. Everything stands behind the `#`, which browsers do not
// send, so a shared text reaches nobody but the one who opens the link. `?task=…&mode=…&lang=…` before
// the `#` is understood too.
import type { Lang } from '../i18n/i18n';
import { compactJson, parseSchema } from '../schema/json';
import { emptyInput, type TaskInput } from '../tasks/input';
import { isTask, type TaskId } from '../tasks/tasks';

export const TOOLS = ['all', 'batch', 'compare', 'monitor', 'history'] as const;
export type Tool = (typeof TOOLS)[number];
export type Page = TaskId | Tool;

export interface Address {
  page: Page;
  lang: Lang | null;
  debug: boolean;
  /** A packed input, to be unpacked once. */
  shared: string | null;
}

export function isPage(name: string): name is Page {
  return isTask(name) || (TOOLS as readonly string[]).includes(name);
}

export function readAddress(hash: string, search = ''): Address {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const inside = new URLSearchParams(query);
  const outside = new URLSearchParams(search);
  const get = (name: string) => inside.get(name) ?? outside.get(name);
  const page = [path, get('task') ?? ''].find(isPage) ?? 'ner';
  const lang = get('lang');
  return {
    page,
    lang: lang === 'zh' || lang === 'en' ? lang : null,
    debug: get('mode') === 'debug',
    shared: inside.get('s'),
  };
}

export function writeAddress(
  address: Omit<Address, 'shared'> & { shared?: string | null },
): string {
  const query = new URLSearchParams();
  if (address.lang === 'en') query.set('lang', 'en');
  if (address.debug) query.set('mode', 'debug');
  if (address.shared) query.set('s', address.shared);
  const text = query.toString();
  return `#/${address.page}${text ? `?${text}` : ''}`;
}

/** Only what differs from an empty form is packed; `tree` as its JSON. */
function slim(input: TaskInput): Record<string, unknown> {
  const empty = emptyInput();
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(empty) as (keyof TaskInput)[]) {
    if (key === 'tree') continue;
    if (JSON.stringify(input[key]) !== JSON.stringify(empty[key])) kept[key] = input[key];
  }
  if (input.tree.length > 0) kept.tree = compactJson(input.tree);
  return kept;
}

/** Takes only fields that a form has, each of the right type: a link may come from anyone. */
export function thaw(value: unknown): TaskInput {
  const input = emptyInput();
  if (!value || typeof value !== 'object') return input;
  const given = value as Record<string, unknown>;
  const set = input as unknown as Record<string, unknown>;
  for (const [key, usual] of Object.entries(emptyInput())) {
    const found = given[key];
    if (key === 'tree' || found === undefined) continue;
    if (
      key === 'mode'
        ? ['similar', 'nli', 'custom'].includes(found as string)
        : key === 'level'
          ? ['aspect', 'sentence'].includes(found as string)
          : key === 'overlap'
            ? ['all', 'longest', 'score'].includes(found as string)
            : key === 'schemaText'
              ? typeof found === 'string'
              : usual === null
                ? typeof found === 'number' && Number.isFinite(found)
                : Array.isArray(usual)
                  ? Array.isArray(found) && found.every((x) => typeof x === 'string')
                  : typeof found === typeof usual
    )
      set[key] = found;
  }
  if (typeof given.tree === 'string') {
    const parsed = parseSchema(given.tree);
    if (parsed.kind === 'tree') input.tree = parsed.tree;
  }
  return input;
}

export function freeze(input: TaskInput): unknown {
  return slim(input);
}

// A link may come from anyone: what it unpacks to must not fill the memory.
const MOST_BYTES = 8 * 1024 * 1024;

async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const body = new Response(bytes as Uint8Array<ArrayBuffer>).body as ReadableStream<BufferSource>;
  const reader = body.pipeThrough(stream as TransformStream<BufferSource, Uint8Array>).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const part = value as Uint8Array;
    parts.push(part);
    length += part.length;
    if (length > MOST_BYTES) throw new Error('too large');
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export async function packInput(input: TaskInput): Promise<string> {
  const plain = new TextEncoder().encode(JSON.stringify(slim(input)));
  const packed = await through(plain, new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export async function unpackInput(packed: string): Promise<TaskInput | null> {
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const plain = await through(bytes, new DecompressionStream('deflate-raw'));
    return thaw(JSON.parse(new TextDecoder().decode(plain)));
  } catch {
    return null;
  }
}
