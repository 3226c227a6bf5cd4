// Asks the server's own validator a moment after the last change.
import { useEffect, useState } from 'react';
import { postJson } from '../api/client';
import { ApiError } from '../api/errors';
import type { SchemaCheck } from '../api/types';
import type { TaskId } from '../tasks/tasks';

export type Check =
  | { state: 'idle' }
  | { state: 'asking' }
  | { state: 'good'; check: SchemaCheck }
  | { state: 'bad'; error: ApiError }
  | { state: 'unknown' };

export function useCheck(task: TaskId, schema: string | null, delay = 350): Check {
  const [result, setResult] = useState<Check>({ state: 'idle' });
  useEffect(() => {
    if (schema === null) {
      setResult({ state: 'idle' });
      return;
    }
    const controller = new AbortController();
    setResult((old) => (old.state === 'good' || old.state === 'bad' ? old : { state: 'asking' }));
    const timer = setTimeout(async () => {
      try {
        const body = `{"task":${JSON.stringify(task)},"schema":${schema}}`;
        const reply = await postJson<SchemaCheck>('/api/schema/validate', body, controller.signal);
        setResult({ state: 'good', check: reply.body });
      } catch (fault) {
        if (!(fault instanceof ApiError)) throw fault;
        if (fault.kind === 'cancelled') return;
        setResult(
          fault.kind === 'answer' && fault.body.code
            ? { state: 'bad', error: fault }
            : { state: 'unknown' },
        );
      }
    }, delay);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [task, schema, delay]);
  return result;
}

/** Pointers name the request's field first: `/schema/人物` is `/人物` of the schema. */
export function schemaPointer(param: string | undefined): string {
  return (param ?? '').replace(/^\/schema(?=\/|$)/, '');
}
