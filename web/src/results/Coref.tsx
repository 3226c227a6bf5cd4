// Pronouns and what they stand for: marked in the text, one question each, and the text resolved.
import { useMemo } from 'react';
import { formatConfidence, useWords } from '../i18n/i18n';
import type { CorefLink, TaskResult } from '../tasks/answer';
import { indexText } from '../text/code-points';
import { mergeEqual, type Span } from '../text/layers';
import type { Palette } from '../ui/colours';
import { MarkedText } from './MarkedText';

export function corefSpans(
  links: readonly CorefLink[],
  text: string,
  words: { pronoun: string; antecedent: string },
): Span[] {
  const index = indexText(text);
  return mergeEqual(
    links.flatMap((link) => {
      const { pronoun, antecedent } = link;
      const spans: Span[] = [
        {
          start: index.toUtf16(pronoun.start),
          end: index.toUtf16(pronoun.end),
          label: link.accepted && antecedent ? antecedent.text : words.pronoun,
          confidence: link.confidence,
          tag: link.accepted && antecedent ? `→ ${antecedent.text}` : '→ ?',
        },
      ];
      if (link.accepted && antecedent) {
        spans.push({
          start: index.toUtf16(antecedent.start),
          end: index.toUtf16(antecedent.end),
          label: antecedent.text,
          confidence: null,
          tag: words.antecedent,
        });
      }
      return spans;
    }),
  );
}

export function Coref({
  result,
  text,
  palette,
}: {
  result: TaskResult;
  text: string;
  palette: Palette;
}) {
  const t = useWords();
  const links = result.links ?? [];
  const spans = useMemo(
    () =>
      corefSpans(result.links ?? [], text, {
        pronoun: t.result.pronoun,
        antecedent: t.result.antecedent,
      }),
    [result, text, t],
  );
  return (
    <>
      <MarkedText text={text} spans={spans} palette={palette} />
      <div className="cards">
        {links.map((link) => (
          <article key={link.pronoun.start} className="card">
            <h3>
              <bdi>{link.pronoun.text}</bdi> <span aria-hidden="true">→</span>{' '}
              <bdi>{link.antecedent?.text ?? t.result.none}</bdi>{' '}
              {!link.accepted && <span className="badge">{t.result.notAccepted}</span>}
              <span className="fine">
                {t.result.place} {link.pronoun.start}–{link.pronoun.end}
              </span>
            </h3>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t.result.candidates}</th>
                  <th scope="col">{t.result.yes}</th>
                  <th scope="col">{t.result.no}</th>
                </tr>
              </thead>
              <tbody>
                {link.scores.map((score) => (
                  <tr
                    key={`${score.candidate} ${score.start}`}
                    className={score.yes > score.no ? 'chosen' : undefined}
                  >
                    <td>
                      <bdi>{score.candidate}</bdi>
                    </td>
                    <td className="number">{formatConfidence(score.yes)}</td>
                    <td className="number">{formatConfidence(score.no)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </article>
        ))}
      </div>
      {result.resolved_text && (
        <>
          <h3>{t.result.resolved}</h3>
          <p className="resolved">{result.resolved_text}</p>
        </>
      )}
    </>
  );
}
