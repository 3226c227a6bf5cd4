// Requests, latency, batches and memory, as the server counts them.
import { useMemo, useState } from 'react';
import { formatCount, formatMb, formatMs, formatSpan, useWords } from '../i18n/i18n';
import { readPlan } from '../picture/plan';
import { Pre } from '../results/Code';
import { type Figures, figuresOf, useMonitor } from '../state/monitor';
import { isTask } from '../tasks/tasks';
import { ErrorBox } from '../ui/ErrorBox';
import { MemoryPlan } from './MemoryPlan';

const SPAN = 5;

export default function Monitor() {
  const t = useWords();
  const [running, setRunning] = useState(true);
  const { readings, memory, error } = useMonitor(running);
  const history = useMemo(
    () => readings.map((reading, i) => figuresOf(reading, readings[Math.max(0, i - SPAN)] ?? null)),
    [readings],
  );
  const now = history.at(-1);
  const plan = useMemo(() => readPlan(memory), [memory]);

  return (
    <div>
      <header className="page-head">
        <h1>{t.monitor.title}</h1>
        <p>{t.monitor.about}</p>
      </header>
      <div className="stack">
        <div className="row">
          <button type="button" onClick={() => setRunning(!running)}>
            {running ? t.monitor.pause : t.monitor.resume}
          </button>
          {now?.uptime != null && (
            <span className="fine">
              {t.monitor.uptime} {formatSpan(now.uptime, t)}
            </span>
          )}
        </div>
        {error &&
          (error.status === 404 ? (
            <p className="note">{t.monitor.noMetrics}</p>
          ) : (
            <ErrorBox error={error} />
          ))}
        {!now && !error && <p className="fine">{t.monitor.waiting}</p>}
        {now && <Tiles now={now} history={history} />}
        {now && (
          <div className="packed">
            <Table
              title={t.monitor.byStatus}
              rows={now.byStatus.map(([k, n]) => [k, formatCount(n)])}
            />
            <Table
              title={t.monitor.byTask}
              rows={now.byTask.map(([k, n]) => [
                isTask(k) ? t.task[k].name : k === 'mixed' ? t.all.title : k,
                formatCount(n),
              ])}
            />
            <Table
              title={t.monitor.phases}
              rows={now.phases.map(([k, ms]) => [
                (t.compare.phase as Record<string, string>)[k] ?? k,
                formatMs(ms),
              ])}
            />
            <MemoryBars now={now} />
          </div>
        )}
        <section className="panel" aria-label={t.monitor.plan}>
          <h2>{t.monitor.plan}</h2>
          {plan.length > 0 ? (
            <MemoryPlan buffers={plan} />
          ) : (
            <p className="fine">{t.monitor.noPlan}</p>
          )}
        </section>
        {now && (
          <details>
            <summary>{t.monitor.all}</summary>
            <Pre
              label={t.monitor.all}
              text={(readings.at(-1)?.samples ?? [])
                .map(
                  (s) =>
                    `${s.name}${Object.keys(s.labels).length > 0 ? JSON.stringify(s.labels) : ''} ${s.value}`,
                )
                .join('\n')}
            />
          </details>
        )}
      </div>
    </div>
  );
}

function Tiles({ now, history }: { now: Figures; history: readonly Figures[] }) {
  const t = useWords();
  const ms = (value: number | null) => (value === null ? '–' : formatMs(value));
  const tiles: [string, string, string, (f: Figures) => number | null][] = [
    [
      t.monitor.rate,
      now.rate === null ? '–' : now.rate.toFixed(1),
      `${t.monitor.requests} ${formatCount(now.requests)}`,
      (f) => f.rate,
    ],
    [
      t.monitor.latency,
      ms(now.latency.p50),
      `${t.monitor.p50} · ${t.monitor.p95} ${ms(now.latency.p95)} · ${t.monitor.p99} ${ms(now.latency.p99)}`,
      (f) => f.latency.p50,
    ],
    [
      t.monitor.tokens,
      now.tokenRate === null ? '–' : formatCount(now.tokenRate),
      '',
      (f) => f.tokenRate,
    ],
    [t.monitor.batch, now.batch === null ? '–' : now.batch.toFixed(2), '', (f) => f.batch],
    [
      t.monitor.queue,
      formatCount(now.queue),
      `${t.monitor.inflight} ${formatCount(now.inflight)}`,
      (f) => f.queue,
    ],
    [t.monitor.errors, formatCount(now.failed), '', (f) => f.failed],
  ];
  return (
    <div className="tiles">
      {tiles.map(([name, value, note, series]) => (
        <div key={name} className="tile">
          <span>{name}</span>
          <b className="number">{value}</b>
          <span className="fine">{note}</span>
          <Sparkline
            label={`${name} · ${t.monitor.history}`}
            values={history.map((f) => series(f) ?? 0)}
          />
        </div>
      ))}
    </div>
  );
}

/** A line of the recent values, from zero to their largest. */
function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(...values, 1e-9);
  const step = 200 / Math.max(1, values.length - 1);
  const points = values.map(
    (v, i) => `${(i * step).toFixed(1)},${(38 - (v / most) * 36).toFixed(1)}`,
  );
  return (
    <svg
      className="spark"
      viewBox="0 0 200 40"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.length > 1 && (
        <polyline
          points={points.join(' ')}
          fill="none"
          stroke="var(--accent)"
          strokeWidth={2}
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}

function Table({ title, rows }: { title: string; rows: [string, string][] }) {
  if (rows.length === 0) return null;
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      <table>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="number right">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function MemoryBars({ now }: { now: Figures }) {
  const t = useWords();
  const facts = now.memory;
  const words = t.monitor.pool as Record<string, string>;
  const most = Math.max(1, ...facts.map(([, bytes]) => bytes));
  if (facts.length === 0) return null;
  return (
    <section className="panel" aria-label={t.monitor.memory}>
      <h2>{t.monitor.memory} (MB)</h2>
      <ol className="bars phases">
        {facts.map(([name, bytes]) => (
          <li key={name}>
            <span className="bar-name">{words[name] ?? name}</span>
            <span className="bar">
              <span style={{ width: `${(bytes / most) * 100}%` }} />
            </span>
            <span className="number">{formatMb(bytes)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
