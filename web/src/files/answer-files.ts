// Answers as files.
import { type Answer, chosenOf, isExtraction, scoreName } from '../tasks/answer';
import { writeCsv } from './csv';

export function answerJsonl(answer: Answer, text: string): string {
  return `${answer.output.map((chain) => JSON.stringify({ task: answer.task, text, chain })).join('\n')}\n`;
}

export function answerCsv(answer: Answer): string {
  const { result } = answer;
  if (result.links) {
    return writeCsv([
      ['pronoun', 'start', 'end', 'antecedent', 'confidence', 'accepted'],
      ...result.links.map((l) => [
        l.pronoun.text,
        l.pronoun.start,
        l.pronoun.end,
        l.antecedent?.text ?? '',
        l.confidence,
        String(l.accepted),
      ]),
    ]);
  }
  if (!isExtraction(answer) && result.scores) {
    const chosen = chosenOf(result);
    return writeCsv([
      ['label', 'confidence', 'chosen'],
      ...result.scores.map((s) => [scoreName(s), s.confidence, String(chosen.has(scoreName(s)))]),
    ]);
  }
  const depth = Math.max(1, ...answer.output.map((chain) => chain.length));
  const head = Array.from({ length: depth }, (_, i) =>
    ['label', 'text', 'start', 'end', 'confidence'].map((name) =>
      depth > 1 ? `${name}_${i + 1}` : name,
    ),
  ).flat();
  return writeCsv([
    head,
    ...answer.output.map((chain) =>
      Array.from({ length: depth }, (_, i) => {
        const step = chain[i];
        if (!step) return ['', '', '', '', ''];
        return [
          step.type,
          step.span ?? '',
          step.offset?.[0] ?? '',
          step.offset?.[1] ?? '',
          step.confidence,
        ];
      }).flat(),
    ),
  ]);
}
