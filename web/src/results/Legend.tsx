import { useWords } from '../i18n/i18n';
import type { Span } from '../text/layers';
import type { Palette } from '../ui/colours';

export function Legend(props: {
  labels: readonly string[];
  spans: readonly Span[];
  palette: Palette;
}) {
  const t = useWords();
  const counts = new Map<string, number>();
  for (const label of props.labels) counts.set(label, 0);
  for (const span of props.spans) counts.set(span.label, (counts.get(span.label) ?? 0) + 1);
  return (
    <ul className="legend" aria-label={t.result.legend}>
      {[...counts].map(([label, count]) => (
        <li key={label} className={count === 0 ? 'none' : undefined}>
          <i className="dot" style={{ background: props.palette(label) }} />
          <bdi>{label}</bdi> <span className="fine">{t.result.count(count)}</span>
        </li>
      ))}
    </ul>
  );
}
