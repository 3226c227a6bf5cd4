// The batch at work. It lives outside the pages, so that it goes on while another tab is looked at.
import { useSyncExternalStore } from 'react';
import { ApiError } from '../api/errors';
import { type ItemResult, runBatch } from '../files/batch-run';
import { guessColumn, type Table } from '../files/rows';
import type { TaskInput } from '../tasks/input';
import type { TaskId } from '../tasks/tasks';

export type BatchState = 'empty' | 'loaded' | 'running' | 'stopped' | 'done';

export interface BatchView {
  state: BatchState;
  name: string;
  table: Table;
  column: number;
  column2: number;
  task: TaskId;
  results: readonly (ItemResult | undefined)[];
  done: number;
  failed: number;
  /** Of the run at work. */
  startedAt: number;
  startedDone: number;
  waiting: number;
  error: ApiError | null;
}

const EMPTY: BatchView = {
  state: 'empty',
  name: '',
  table: { columns: [], rows: [] },
  column: 0,
  column2: 0,
  task: 'ner',
  results: [],
  done: 0,
  failed: 0,
  startedAt: 0,
  startedDone: 0,
  waiting: 0,
  error: null,
};

let view: BatchView = EMPTY;
let controller: AbortController | null = null;
const listeners = new Set<() => void>();

function set(change: Partial<BatchView>) {
  view = { ...view, ...change };
  for (const listener of listeners) listener();
}

export function useBatch(): BatchView {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => view,
  );
}

export const batch = {
  load(name: string, table: Table) {
    controller?.abort();
    const column = guessColumn(table);
    const column2 = Math.min(table.columns.length - 1, column + 1);
    set({ ...EMPTY, task: view.task, state: 'loaded', name, table, column, column2 });
  },
  clear() {
    controller?.abort();
    set({ ...EMPTY, task: view.task });
  },
  choose(change: { task?: TaskId; column?: number; column2?: number }) {
    // Results of another task or column would not belong to what is shown.
    set({
      ...change,
      results: [],
      done: 0,
      failed: 0,
      state: view.table.rows.length > 0 ? 'loaded' : 'empty',
      error: null,
    });
  },
  stop() {
    controller?.abort();
  },
  async start(input: TaskInput) {
    const { table, column, column2, task } = view;
    const fresh = view.state !== 'stopped';
    const results: (ItemResult | undefined)[] = fresh
      ? new Array(table.rows.length)
      : [...view.results];
    let done = 0;
    let failed = 0;
    const count = (result: ItemResult) => {
      done += 1;
      if ('error' in result) failed += 1;
    };
    table.rows.forEach((row, i) => {
      const text = row.cells[column] ?? '';
      if (row.fault) results[i] = { error: { code: 'JSON_INVALID' } };
      else if (text.trim() === '') results[i] = { error: { code: 'TEXT_EMPTY' } };
      const known = results[i];
      if (known) count(known);
    });
    const items = table.rows.flatMap((row, index) =>
      results[index]
        ? []
        : [{ index, text: row.cells[column] ?? '', other: row.cells[column2] ?? '' }],
    );
    const own = new AbortController();
    controller = own;
    set({
      state: 'running',
      results,
      done,
      failed,
      startedAt: Date.now(),
      startedDone: done,
      waiting: 0,
      error: null,
    });
    // Ten redraws a second are enough, however fast the answers come.
    let due = false;
    const publish = () => {
      if (due) return;
      due = true;
      setTimeout(() => {
        due = false;
        if (controller === own) set({ results: [...results], done, failed });
      }, 100);
    };
    let error: ApiError | null = null;
    try {
      await runBatch(task, input, items, own.signal, {
        onResult: (index, result) => {
          if (!results[index]) count(result);
          results[index] = result;
          if (view.waiting > 0) set({ waiting: 0 });
          publish();
        },
        onWait: (seconds) => set({ waiting: seconds }),
      });
    } catch (fault) {
      if (!(fault instanceof ApiError)) throw fault;
      error = fault;
      own.abort();
    }
    if (controller !== own) return;
    controller = null;
    const all = done >= table.rows.length;
    set({
      state: all ? 'done' : 'stopped',
      results: [...results],
      done,
      failed,
      waiting: 0,
      error,
    });
  },
};
