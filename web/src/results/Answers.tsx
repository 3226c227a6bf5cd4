// Questions with their answers; the passage itself is marked above.
import { formatConfidence, useWords } from '../i18n/i18n';
import { type Chain, groupByHead, type TaskResult } from '../tasks/answer';
import type { Palette } from '../ui/colours';

export function Answers(props: { chains: readonly Chain[]; result: TaskResult; palette: Palette }) {
  const t = useWords();
  const byQuestion = new Map<string, Chain[]>();
  for (const { head } of groupByHead(props.chains)) {
    byQuestion.set(head.type, [...(byQuestion.get(head.type) ?? []), [head]]);
  }
  return (
    <dl className="answers">
      {[...byQuestion].map(([question, answers]) => {
        const [best, ...others] = answers
          .map((chain) => chain[0])
          .filter((step) => step !== undefined)
          .sort((a, b) => b.confidence - a.confidence);
        return (
          <div key={question}>
            <dt>
              <i className="dot" style={{ background: props.palette(question) }} />
              <bdi>{question}</bdi>
            </dt>
            <dd>
              <b>
                <bdi>{best?.span}</bdi>
              </b>{' '}
              <span className="fine">{formatConfidence(best?.confidence)}</span>
              {others.length > 0 && (
                <p className="fine">
                  {t.result.alternatives}:{' '}
                  {others.map((s) => `${s.span} ${formatConfidence(s.confidence)}`).join(t.list)}
                </p>
              )}
            </dd>
          </div>
        );
      })}
      {props.result.unanswered?.map((question) => (
        <div key={question}>
          <dt>
            <bdi>{question}</bdi>
          </dt>
          <dd className="fine">{t.result.unanswered}</dd>
        </div>
      ))}
    </dl>
  );
}
