// One card an event: the trigger, its roles, and what the text does not say.
import { formatConfidence, useWords } from '../i18n/i18n';
import { type Chain, groupByHead, splitType, type TaskResult } from '../tasks/answer';
import type { Palette } from '../ui/colours';

export function EventCards(props: {
  chains: readonly Chain[];
  result: TaskResult;
  palette: Palette;
}) {
  const t = useWords();
  return (
    <div className="cards">
      {groupByHead(props.chains).map(({ head, rest }) => {
        const missing =
          props.result.events?.find(
            (e) =>
              e.trigger?.start === head.offset?.[0] && e.event_type === splitType(head.type).name,
          )?.missing_roles ?? [];
        return (
          <article key={`${head.type} ${head.offset}`} className="card event">
            <h3>
              <i className="dot" style={{ background: props.palette(head.type) }} />
              <bdi>{splitType(head.type).name}</bdi>
              <span className="fine">
                {t.result.trigger} “<bdi>{head.span}</bdi>” {formatConfidence(head.confidence)}
              </span>
            </h3>
            <dl>
              {rest.map((chain) =>
                chain.map((step) => (
                  <div key={`${step.type} ${step.offset}`}>
                    <dt>
                      <i className="dot" style={{ background: props.palette(step.type) }} />
                      <bdi>{step.type}</bdi>
                    </dt>
                    <dd>
                      <bdi>{step.span}</bdi>{' '}
                      <span className="fine">{formatConfidence(step.confidence)}</span>
                    </dd>
                  </div>
                )),
              )}
            </dl>
            {missing.length > 0 && (
              <p className="fine">
                {t.result.missingRoles}: {missing.join(t.list)}
              </p>
            )}
          </article>
        );
      })}
    </div>
  );
}
