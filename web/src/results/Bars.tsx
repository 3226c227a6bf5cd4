// Scores of classes as bars; the chosen ones are ticked, so that colour alone says nothing.
import { formatConfidence, useWords } from '../i18n/i18n';
import { type Score, scoreName } from '../tasks/answer';

export function Bars(props: {
  scores: readonly Score[];
  chosen: ReadonlySet<string>;
  threshold?: number | null;
}) {
  const t = useWords();
  return (
    <ol className="bars" aria-label={t.result.scores}>
      {props.scores.map((score) => {
        const name = scoreName(score);
        const chosen = props.chosen.has(name);
        return (
          <li key={name} className={chosen ? 'chosen' : undefined}>
            <span className="bar-name">
              {chosen && (
                <span role="img" aria-label={t.result.chosen}>
                  ✓{' '}
                </span>
              )}
              <bdi>{name}</bdi>
            </span>
            <span className="bar">
              <span style={{ width: `${score.confidence * 100}%` }} />
              {props.threshold ? (
                <i
                  style={{ left: `${props.threshold * 100}%` }}
                  title={`${t.form.threshold} ${props.threshold}`}
                />
              ) : null}
            </span>
            <span className="number">{formatConfidence(score.confidence)}</span>
          </li>
        );
      })}
    </ol>
  );
}
