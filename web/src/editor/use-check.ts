// Asks the server's own validator a moment after the last change.
import { useEffect, useState } from 'react';
import { postJson } from '../api/client';
import { ApiError } from '../api/errors';
import type { SchemaCheck } from '../api/types';
import { isRecord } from '../state/local';
import type { TaskId } from '../tasks/tasks';

export type Check =
  | { state: 'idle' }
  | { state: 'asking' }
  | { state: 'good'; check: SchemaCheck; tokens: number | null }
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
        setResult({ state: 'good', check: reply.body, tokens: null });
        const tokens = await labelTokens(reply.body.schema, controller.signal);
        if (!controller.signal.aborted) setResult({ state: 'good', check: reply.body, tokens });
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

/** Tokens of all labels, by the model's own tokeniser; null when the server does not say. */
async function labelTokens(schema: unknown, signal: AbortSignal): Promise<number | null> {
  const labels: string[] = [];
  const collect = (value: unknown) => {
    if (!isRecord(value)) return;
    for (const [label, below] of Object.entries(value)) {
      labels.push(label);
      collect(below);
    }
  };
  collect(schema);
  try {
    // A line break belongs to no token.
    const body = JSON.stringify({ text: labels.join('\n') });
    const reply = await postJson<{ tokens?: unknown[] }>('/api/tokenize', body, signal);
    return Array.isArray(reply.body.tokens) ? reply.body.tokens.length : null;
  } catch {
    return null;
  }
}

/** Pointers name the request's field first: `/schema/人物` is `/人物` of the schema. */
export function schemaPointer(param: string | undefined): string {
  return (param ?? '').replace(/^\/schema(?=\/|$)/, '');
}
