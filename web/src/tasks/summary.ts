// An answer in one line, for lists.
import { type Answer, chosenOf, isExtraction } from './answer';

export function summarise(answer: Answer, most = 6): string {
  const { result } = answer;
  if (result.links) {
    return result.links
      .filter((link) => link.accepted && link.antecedent)
      .map((link) => `${link.pronoun.text} → ${link.antecedent?.text}`)
      .join('；');
  }
  // A label that reached no threshold is an offer, not an answer.
  const doubt = answer.warnings?.some((w) => ['FALLBACK_CLASS', 'LOW_CONFIDENCE'].includes(w.code));
  if (!isExtraction(answer)) {
    return [...chosenOf(result)].map((label) => (doubt ? `${label}？` : label)).join('、');
  }
  const parts = answer.output
    .slice(0, most)
    .map((chain) => chain.map((step) => `${step.type}: ${step.span ?? ''}`).join(' → '));
  return parts.join('；') + (answer.output.length > most ? '…' : '');
}
