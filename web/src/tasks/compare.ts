// Two answers to one request, chain by chain and score by score.
import { type Answer, type Chain, scoreName } from './answer';

export interface Difference {
  onlyFirst: Chain[];
  onlySecond: Chain[];
  /** Largest difference of a confidence that both have. */
  largest: number;
  /** Class tasks: the chosen labels differ. */
  chosen: boolean;
}

const keyOf = (chain: Chain) =>
  chain.map((s) => `${s.type}\u0000${s.offset?.join('-') ?? ''}`).join('\u0001');

export function compareAnswers(first: Answer, second: Answer): Difference {
  const a = new Map(first.output.map((chain) => [keyOf(chain), chain]));
  const b = new Map(second.output.map((chain) => [keyOf(chain), chain]));
  let largest = 0;
  for (const [key, chain] of a) {
    b.get(key)?.forEach((step, i) => {
      largest = Math.max(
        largest,
        Math.abs(step.confidence - (chain[i]?.confidence ?? step.confidence)),
      );
    });
  }
  const scores = new Map(second.result.scores?.map((s) => [scoreName(s), s.confidence]));
  for (const score of first.result.scores ?? []) {
    const other = scores.get(scoreName(score));
    if (other !== undefined) largest = Math.max(largest, Math.abs(other - score.confidence));
  }
  const onlyFirst = [...a].filter(([key]) => !b.has(key)).map(([, chain]) => chain);
  const onlySecond = [...b].filter(([key]) => !a.has(key)).map(([, chain]) => chain);
  return { onlyFirst, onlySecond, largest, chosen: onlyFirst.length + onlySecond.length > 0 };
}
