// Aspects with the opinions on them, and what they sum up to.
import { formatConfidence, useWords } from '../i18n/i18n';
import { type Chain, splitType } from '../tasks/answer';

type Polarity = 'positive' | 'negative' | 'neutral';

export function polarityOf(label: string): Polarity | null {
  if (/正向|正面|积极|好评|满意/.test(label) && !/不满意/.test(label)) return 'positive';
  if (/负向|负面|消极|差评|不满/.test(label)) return 'negative';
  if (/中性|中立/.test(label)) return 'neutral';
  return null;
}

const SIGN: Record<Polarity, string> = { positive: '＋', negative: '－', neutral: '○' };

export function Pairs({ chains }: { chains: readonly Chain[] }) {
  const t = useWords();
  const pairs = chains.map((chain) => ({
    aspect: chain.length > 1 ? chain[0] : null,
    opinion: chain.at(-1),
    // A pair is as sure as both of its halves together.
    confidence: chain.reduce((product, step) => product * step.confidence, 1),
  }));
  const counts = new Map<Polarity, number>();
  for (const { opinion } of pairs) {
    const polarity = opinion && polarityOf(opinion.type);
    if (polarity) counts.set(polarity, (counts.get(polarity) ?? 0) + 1);
  }
  const all = [...counts.values()].reduce((a, b) => a + b, 0);
  return (
    <>
      {all > 0 && (
        <div
          className="summary"
          role="img"
          aria-label={[...counts].map(([p, n]) => `${t.result[p]} ${n}`).join(', ')}
        >
          {(['positive', 'neutral', 'negative'] as const)
            .filter((p) => counts.get(p))
            .map((p) => (
              <span key={p} className={p} style={{ flexGrow: counts.get(p) ?? 0 }}>
                {SIGN[p]} {t.result[p]} {counts.get(p)}
              </span>
            ))}
        </div>
      )}
      <ul className="pairs">
        {pairs.map(({ aspect, opinion, confidence }) => {
          const polarity = opinion ? polarityOf(opinion.type) : null;
          return (
            <li key={`${aspect?.offset} ${opinion?.type} ${opinion?.offset}`}>
              <b>
                <bdi>{aspect?.span ?? t.result.noAspect}</bdi>
              </b>
              <span aria-hidden="true"> → </span>
              <bdi>{opinion?.span}</bdi>
              {polarity ? (
                <span className={`badge ${polarity}`}>
                  {SIGN[polarity]} {t.result[polarity]}
                </span>
              ) : (
                opinion && <span className="badge">{splitType(opinion.type).name}</span>
              )}
              <span className="fine">{formatConfidence(confidence)}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
