// Sends many texts in portions, takes the answers as they come, waits when the server is busy.
import { call } from '../api/client';
import { ApiError, type ErrorBody } from '../api/errors';
import { readLines } from '../api/ndjson';
import { isRecord } from '../state/local';
import type { Answer } from '../tasks/answer';
import type { TaskInput } from '../tasks/input';
import { requestFields, schemaJson, withSchema } from '../tasks/request';
import { SHAPES, type TaskId } from '../tasks/tasks';
import { wellFormed } from '../text/code-points';

export interface BatchItem {
  index: number;
  text: string;
  /** The second text of a pair. */
  other?: string;
}

export type ItemResult = { answer: Answer } | { error: ErrorBody };

export interface BatchCalls {
  onResult: (index: number, result: ItemResult) => void;
  /** The server is busy; it goes on in so many seconds. */
  onWait: (seconds: number) => void;
}

const MOST_ITEMS = 32;
const MOST_UNITS = 200_000;

/** Portions that keep well below the server's limits on items and bytes. */
export function portions(items: readonly BatchItem[], mostItems = MOST_ITEMS): BatchItem[][] {
  const all: BatchItem[][] = [];
  let current: BatchItem[] = [];
  let units = 0;
  for (const item of items) {
    const size = item.text.length + (item.other?.length ?? 0);
    if (current.length > 0 && (current.length >= mostItems || units + size > MOST_UNITS)) {
      all.push(current);
      current = [];
      units = 0;
    }
    current.push(item);
    units += size;
  }
  if (current.length > 0) all.push(current);
  return all;
}

export function batchBody(task: TaskId, input: TaskInput, items: readonly BatchItem[]): string {
  const { text: _, text1: _1, text2: _2, ...fields } = requestFields(task, input);
  const texts = items.map((item) =>
    SHAPES[task].text
      ? { id: String(item.index), text: wellFormed(item.text) }
      : {
          id: String(item.index),
          text1: wellFormed(item.text),
          text2: wellFormed(item.other ?? ''),
        },
  );
  return withSchema({ task, ...fields, texts }, schemaJson(task, input));
}

function take(
  value: unknown,
  items: readonly BatchItem[],
  at: number,
  calls: BatchCalls,
): number | null {
  if (!isRecord(value) || value.done === true) return null;
  const byId =
    value.id === undefined
      ? undefined
      : items.find((item) => String(item.index) === String(value.id));
  const item = byId ?? items[typeof value.index === 'number' ? value.index : at];
  if (!item) return null;
  calls.onResult(
    item.index,
    typeof value.error === 'string'
      ? { error: value as ErrorBody }
      : { answer: value as unknown as Answer },
  );
  return item.index;
}

/** Answers of one portion; returns the items that got none. */
async function sendPortion(
  task: TaskId,
  input: TaskInput,
  items: readonly BatchItem[],
  signal: AbortSignal,
  calls: BatchCalls,
): Promise<BatchItem[]> {
  const response = await call('/api/batch', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/x-ndjson, application/json',
    },
    body: batchBody(task, input, items),
    signal,
  });
  const answered = new Set<number>();
  let finished = false;
  const note = (value: unknown, at: number) => {
    const index = take(value, items, at, calls);
    if (index !== null) answered.add(index);
    else if (isRecord(value) && value.done === true) finished = true;
  };
  try {
    if (response.headers.get('Content-Type')?.includes('ndjson') && response.body) {
      let at = 0;
      for await (const value of readLines(response.body)) note(value, at++);
    } else {
      const whole: unknown = await response.json();
      if (isRecord(whole) && Array.isArray(whole.results)) whole.results.forEach(note);
      finished = true;
    }
  } catch {
    throw new ApiError(signal.aborted ? 'cancelled' : 'disconnected', 0, {});
  }
  const rest = items.filter((item) => !answered.has(item.index));
  if (rest.length > 0 && answered.size === 0 && finished)
    throw new ApiError('unreadable', response.status, {});
  return rest;
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Ends when all items have a result, when stopped, or with an ApiError when the server is gone. */
export async function runBatch(
  task: TaskId,
  input: TaskInput,
  items: readonly BatchItem[],
  signal: AbortSignal,
  calls: BatchCalls,
): Promise<void> {
  const queue = portions(items);
  const work = async () => {
    for (let portion = queue.shift(); portion && !signal.aborted; portion = queue.shift()) {
      try {
        const rest = await sendPortion(task, input, portion, signal, calls);
        if (rest.length > 0 && rest.length < portion.length) queue.unshift(rest);
      } catch (fault) {
        if (!(fault instanceof ApiError)) throw fault;
        if (fault.kind === 'cancelled') return;
        if (fault.kind === 'overloaded' || fault.kind === 'unavailable') {
          const seconds = Math.max(1, fault.retryAfterS ?? 2);
          queue.unshift(portion);
          calls.onWait(seconds);
          await sleep(seconds * 1000, signal);
        } else if (fault.kind === 'answer' && portion.length > 1) {
          // The whole portion was refused: halves find the lines at fault.
          const middle = portion.length >> 1;
          queue.unshift(portion.slice(0, middle), portion.slice(middle));
        } else if (fault.kind === 'answer') {
          calls.onResult((portion[0] as BatchItem).index, {
            error: { ...fault.body, error: fault.body.error ?? `HTTP ${fault.status}` },
          });
        } else throw fault;
      }
    }
  };
  // Two at a time: the server computes one portion while the other travels.
  await Promise.all([work(), work()]);
}
