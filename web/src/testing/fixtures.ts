// Real answers of the program with models/mini to every example of the page.
import type { Answer } from '../tasks/answer';
import { EXAMPLES, fillFrom } from '../tasks/examples';
import type { TaskInput } from '../tasks/input';
import { TASKS, type TaskId } from '../tasks/tasks';
import recorded from './answers.json';

export interface Fixture {
  task: TaskId;
  input: TaskInput;
  request: Record<string, unknown>;
  answer: Answer;
}

export const FIXTURES: Record<string, Fixture> = Object.fromEntries(
  TASKS.flatMap((task) =>
    EXAMPLES[task].map((example, i) => {
      const name = `${task}-${i}`;
      const { request, answer } = (
        recorded as unknown as Record<string, { request: Record<string, unknown>; answer: Answer }>
      )[name] ?? {
        request: {},
        answer: { task, output: [], result: {} },
      };
      return [name, { task, input: fillFrom(example), request, answer }];
    }),
  ),
);

export function fixture(name: string): Fixture {
  const found = FIXTURES[name];
  if (!found) throw new Error(`no fixture ${name}`);
  return found;
}
