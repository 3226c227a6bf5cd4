// What was analysed, in this browser only.

import type { TaskInput } from '../tasks/input';
import { isTask, type TaskId } from '../tasks/tasks';
import { freeze } from './address';
import { forget, isRecord, load, save } from './local';

export interface Entry {
  id: string;
  time: number;
  task: TaskId;
  text: string;
  found: string;
  input: unknown;
}

const MOST = 100;
const MOST_TEXT = 20_000;

function isEntries(value: unknown): value is Entry[] {
  return (
    Array.isArray(value) &&
    value.every(
      (e) =>
        isRecord(e) &&
        typeof e.id === 'string' &&
        typeof e.time === 'number' &&
        isTask(String(e.task)),
    )
  );
}

export function isKept(): boolean {
  return load('history.off', (v): v is boolean => typeof v === 'boolean') !== true;
}

export function setKept(on: boolean): void {
  if (on) forget('history.off');
  else save('history.off', true);
}

export function readHistory(): Entry[] {
  return load('history', isEntries) ?? [];
}

export function writeHistory(entries: readonly Entry[]): void {
  // Rather a shorter history than none when the store is full.
  for (let n = entries.length; n > 0; n = Math.floor(n / 2))
    if (save('history', entries.slice(0, n))) return;
  forget('history');
}

export function remember(task: TaskId, input: TaskInput, found: string, now = Date.now()): void {
  const text = task === 'matching' ? `${input.text1} ∥ ${input.text2}` : input.text;
  if (!isKept() || text.length > MOST_TEXT) return;
  const frozen = freeze(input);
  const same = JSON.stringify(frozen);
  const rest = readHistory().filter((e) => e.task !== task || JSON.stringify(e.input) !== same);
  const entry: Entry = {
    id: `${now}-${rest.length}`,
    time: now,
    task,
    text: text.slice(0, 200),
    found,
    input: frozen,
  };
  writeHistory([entry, ...rest].slice(0, MOST));
}
