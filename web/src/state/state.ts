// The state of the page and all its changes, without React.

import type { ApiError } from '../api/errors';
import type { Lang } from '../i18n/i18n';
import type { Answer } from '../tasks/answer';
import { firstInputs } from '../tasks/examples';
import type { Inputs, TaskInput } from '../tasks/input';
import { TASKS, type TaskId } from '../tasks/tasks';
import { type Address, freeze, type Page, thaw } from './address';

export type Theme = 'auto' | 'light' | 'dark';

export interface Outcome {
  /** Body that was sent; the result is stale once the form says something else. */
  sent: string;
  /** Text whose offsets the answer counts. */
  text: string;
  answer: Answer | null;
  error: ApiError | null;
  elapsed: number;
  headers: Record<string, string>;
}

export interface State {
  page: Page;
  lang: Lang;
  theme: Theme;
  debug: boolean;
  inputs: Inputs;
  outcomes: Partial<Record<TaskId, Outcome>>;
  running: Partial<Record<TaskId, boolean>>;
}

export type Action =
  | { type: 'address'; address: Address }
  | { type: 'lang'; lang: Lang }
  | { type: 'theme'; theme: Theme }
  | { type: 'debug'; on: boolean }
  | { type: 'edit'; task: TaskId; change: Partial<TaskInput> }
  | { type: 'fill'; task: TaskId; input: TaskInput }
  | { type: 'started'; task: TaskId }
  | { type: 'ended'; task: TaskId; outcome: Outcome | null };

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'address':
      return {
        ...state,
        page: action.address.page,
        lang: action.address.lang ?? state.lang,
        debug: action.address.debug,
      };
    case 'lang':
      return { ...state, lang: action.lang };
    case 'theme':
      return { ...state, theme: action.theme };
    case 'debug':
      return { ...state, debug: action.on };
    case 'edit': {
      const input = { ...state.inputs[action.task], ...action.change };
      return { ...state, inputs: { ...state.inputs, [action.task]: input } };
    }
    case 'fill':
      return {
        ...state,
        inputs: { ...state.inputs, [action.task]: action.input },
        outcomes: { ...state.outcomes, [action.task]: undefined },
      };
    case 'started':
      return { ...state, running: { ...state.running, [action.task]: true } };
    case 'ended':
      return {
        ...state,
        running: { ...state.running, [action.task]: false },
        outcomes: action.outcome
          ? { ...state.outcomes, [action.task]: action.outcome }
          : state.outcomes,
      };
  }
}

export function firstState(address: Address, saved: Saved): State {
  const inputs = firstInputs();
  for (const task of TASKS) {
    const kept = saved.inputs?.[task];
    if (kept) inputs[task] = thaw(kept);
  }
  return {
    page: address.page,
    lang: address.lang ?? saved.lang ?? 'zh',
    theme: saved.theme ?? 'auto',
    debug: address.debug,
    inputs,
    outcomes: {},
    running: {},
  };
}

/** Kept in the browser: choices for good, inputs for as long as the tab is open. */
export interface Saved {
  lang?: Lang;
  theme?: Theme;
  inputs?: Partial<Record<TaskId, unknown>>;
}

export function frozenInputs(inputs: Inputs): Record<string, unknown> {
  return Object.fromEntries(TASKS.map((task) => [task, freeze(inputs[task])]));
}
