// What a schema costs, from the validator's answer.
import type { SchemaCheck } from '../api/types';

export interface Cost {
  labels: number;
  /** Passes of the model for a text of one window with one answer above each group. */
  prompts: number;
  /** Tokens of all prompts together. */
  tokens: number | null;
  memoryMb: number | null;
}

// [CLS] and [PREFIX] before the labels, [SEP] behind, and [TYPE] before each label.
const AROUND_PROMPT = 3;
const BEFORE_LABEL = 1;

export function costOf(check: SchemaCheck, labelTokens: number | null): Cost {
  const levels = Array.isArray(check.levels) ? check.levels : [];
  const prompts = levels.reduce((sum, level) => sum + level.prompts, 0);
  const kb = check.memory?.planner_kb;
  return {
    labels: check.labels,
    prompts,
    tokens:
      labelTokens === null
        ? null
        : labelTokens + check.labels * BEFORE_LABEL + prompts * AROUND_PROMPT,
    memoryMb: typeof kb === 'number' ? kb / 1024 : null,
  };
}
