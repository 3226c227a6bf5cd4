// What a schema costs, from the validator's answer.
import type { SchemaCheck } from '../api/types';

export interface Cost {
  labels: number;
  prompts: number;
  tokens: number | null;
  memoryMb: number | null;
}

const numberAt = (value: unknown, ...keys: string[]): number | null => {
  let at: unknown = value;
  for (const key of keys) {
    if (!at || typeof at !== 'object') return null;
    at = (at as Record<string, unknown>)[key];
  }
  return typeof at === 'number' && Number.isFinite(at) ? at : null;
};

export function costOf(check: SchemaCheck): Cost {
  const levels = Array.isArray(check.levels) ? check.levels : [];
  const tokens = levels.reduce<number | null>((sum, level) => {
    const n = numberAt(level, 'prompt_tokens') ?? numberAt(level, 'tokens');
    return n === null ? sum : (sum ?? 0) + n;
  }, null);
  const kb = numberAt(check, 'memory', 'planner_kb');
  return {
    labels: check.labels,
    prompts: levels.reduce((sum, level) => sum + level.prompts, 0),
    tokens,
    memoryMb: kb === null ? null : kb / 1024,
  };
}
