// Running the task of a page: one request at a time for each task, stoppable.
import { useCallback } from 'react';
import { postJson } from '../api/client';
import { ApiError } from '../api/errors';
import type { Answer } from '../tasks/answer';
import type { TaskInput } from '../tasks/input';
import { requestBody } from '../tasks/request';
import { summarise } from '../tasks/summary';
import type { TaskId } from '../tasks/tasks';
import { wellFormed } from '../text/code-points';
import { remember } from './history';
import type { Outcome } from './state';
import { useStore } from './store';

export function taskPath(task: TaskId, debug: boolean): string {
  return `/api/${task}${debug ? '?mode=debug' : ''}`;
}

export async function runTask(
  task: TaskId,
  input: TaskInput,
  debug: boolean,
  signal: AbortSignal,
): Promise<Outcome> {
  const sent = requestBody(task, input);
  const text = wellFormed(input.text);
  try {
    const reply = await postJson<Answer>(taskPath(task, debug), sent, signal);
    return {
      sent,
      text,
      answer: reply.body,
      error: null,
      elapsed: reply.elapsed,
      headers: Object.fromEntries([...reply.headers].filter(([name]) => name.startsWith('x-'))),
    };
  } catch (fault) {
    if (!(fault instanceof ApiError)) throw fault;
    return { sent, text, answer: null, error: fault, elapsed: 0, headers: {} };
  }
}

// Beside the pages, so that a request can be stopped after a look at another one.
const controllers = new Map<TaskId, AbortController>();

export function useRun(task: TaskId) {
  const { state, dispatch } = useStore();
  const input = state.inputs[task];
  const { debug } = state;
  const run = useCallback(async () => {
    controllers.get(task)?.abort();
    const controller = new AbortController();
    controllers.set(task, controller);
    dispatch({ type: 'started', task });
    const outcome = await runTask(task, input, debug, controller.signal);
    if (controllers.get(task) !== controller) return;
    controllers.delete(task);
    dispatch({
      type: 'ended',
      task,
      outcome: outcome.error?.kind === 'cancelled' ? null : outcome,
    });
    if (outcome.answer) remember(task, input, summarise(outcome.answer));
  }, [task, input, debug, dispatch]);
  const cancel = useCallback(() => controllers.get(task)?.abort(), [task]);
  return { run, cancel };
}
