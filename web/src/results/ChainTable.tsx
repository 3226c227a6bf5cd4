// Every answer as a row: what, where, how sure. A click on a heading sorts.
import { useMemo, useState } from 'react';
import { formatConfidence, useWords } from '../i18n/i18n';
import type { Chain } from '../tasks/answer';
import type { Palette } from '../ui/colours';

const PAGE = 200;

type SortKey = 'order' | 'label' | 'text' | 'place' | 'confidence';

function sorted(chains: readonly Chain[], key: SortKey, down: boolean): Chain[] {
  const value = (chain: Chain): string | number => {
    const last = chain.at(-1);
    if (key === 'label') return chain.map((s) => s.type).join('/');
    if (key === 'text') return chain.map((s) => s.span ?? '').join('/');
    if (key === 'place') return last?.offset?.[0] ?? 0;
    return Math.min(...chain.map((s) => s.confidence));
  };
  if (key === 'order') return [...chains];
  const rows = [...chains].sort((a, b) => {
    const x = value(a);
    const y = value(b);
    return typeof x === 'number' && typeof y === 'number'
      ? x - y
      : String(x).localeCompare(String(y), 'zh-CN');
  });
  return down ? rows.reverse() : rows;
}

export function ChainTable({ chains, palette }: { chains: readonly Chain[]; palette: Palette }) {
  const t = useWords();
  const [sort, setSort] = useState<{ key: SortKey; down: boolean }>({ key: 'order', down: false });
  const [limit, setLimit] = useState(PAGE);
  const depth = Math.max(1, ...chains.map((chain) => chain.length));
  const rows = useMemo(() => sorted(chains, sort.key, sort.down), [chains, sort]);
  const steps = Array.from({ length: depth }, (_, i) => i);
  const heading = (key: SortKey, name: string) => (
    <th
      key={`${key}${name}`}
      scope="col"
      aria-sort={sort.key === key ? (sort.down ? 'descending' : 'ascending') : undefined}
    >
      <button
        type="button"
        onClick={() =>
          setSort(
            sort.key === key ? { key, down: !sort.down } : { key, down: key === 'confidence' },
          )
        }
      >
        {name}
        <span aria-hidden="true">{sort.key === key ? (sort.down ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
    <section className="scroll" tabIndex={0} aria-label={t.result.table}>
      <table>
        <thead>
          <tr>
            {steps.map((i) => [
              heading('label', i === 0 ? t.result.label : `${t.result.label} ${i + 1}`),
              heading('text', i === 0 ? t.result.textColumn : `${t.result.textColumn} ${i + 1}`),
            ])}
            {heading('place', t.result.place)}
            {heading('confidence', t.result.confidence)}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, limit).map((chain) => (
            <tr key={chain.map((s) => `${s.type} ${s.offset}`).join('|')}>
              {steps.map((i) => {
                const step = chain[i];
                if (!step) return [<td key={`l${i}`} />, <td key={`t${i}`} />];
                return [
                  <td key={`l${i}`}>
                    <i className="dot" style={{ background: palette(step.type) }} />
                    <bdi>{step.type}</bdi>
                  </td>,
                  <td key={`t${i}`}>
                    <bdi>{step.span ?? '–'}</bdi>
                  </td>,
                ];
              })}
              <td className="number">
                {chain.map((s) => (s.offset ? `${s.offset[0]}–${s.offset[1]}` : '–')).join(', ')}
              </td>
              <td className="number">
                {chain.map((s) => formatConfidence(s.confidence)).join(', ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > limit && (
        <button type="button" className="small" onClick={() => setLimit(limit + 5 * PAGE)}>
          {t.result.shown(limit, rows.length)} +
        </button>
      )}
    </section>
  );
}
