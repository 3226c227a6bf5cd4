import { formatCount, formatMb, useWords } from '../i18n/i18n';
import { drawPlan, type PlanBuffer } from '../picture/plan';
import { COLOURS } from '../ui/colours';

const WIDTH = 900;
const HEIGHT = 320;

export function MemoryPlan({ buffers }: { buffers: readonly PlanBuffer[] }) {
  const t = useWords();
  const { boxes, bytes } = drawPlan(buffers, WIDTH, HEIGHT);
  return (
    <figure className="plan">
      <figcaption className="fine">{t.monitor.planHelp}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={t.monitor.planLabel(buffers.length, formatMb(bytes))}
      >
        {boxes.map((box, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two buffers may share name and place
          <g key={i}>
            <title>{`${box.name}: ${formatMb(box.bytes)} MB, ${box.from}–${box.until}`}</title>
            <rect
              x={box.x}
              y={box.y}
              width={box.width}
              height={box.height}
              style={{
                fill: `color-mix(in srgb, var(--c${i % COLOURS}) 30%, var(--surface))`,
                stroke: `var(--c${i % COLOURS})`,
              }}
            />
            {box.width > 70 && box.height > 16 && (
              <text x={box.x + 5} y={box.y + 13} fontSize={11} style={{ fill: 'var(--ink)' }}>
                {box.name.slice(0, Math.floor(box.width / 7))}
              </text>
            )}
          </g>
        ))}
      </svg>
      <details>
        <summary>{t.monitor.planTable}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus */}
        <section className="scroll" tabIndex={0} aria-label={t.monitor.planTable}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t.monitor.buffer}</th>
                <th scope="col">{t.monitor.size} (MB)</th>
                <th scope="col">{t.result.start}</th>
                <th scope="col">{t.monitor.from}</th>
                <th scope="col">{t.monitor.until}</th>
              </tr>
            </thead>
            <tbody>
              {buffers.map((b, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two buffers may share name and place
                <tr key={i}>
                  <td>{b.name}</td>
                  <td className="number">{formatMb(b.bytes)}</td>
                  <td className="number">{formatCount(b.offset)}</td>
                  <td className="number">{b.from}</td>
                  <td className="number">{b.until}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}
