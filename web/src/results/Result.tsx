// The right half of a task's page: views, slider, warnings, figures, exports.
import { useMemo, useRef, useState } from 'react';
import { formatConfidence, formatCount, formatMs, useWords } from '../i18n/i18n';
import { taskPath } from '../state/run';
import type { Outcome } from '../state/state';
import { filterChains, isExtraction } from '../tasks/answer';
import type { TaskInput } from '../tasks/input';
import { requestBody } from '../tasks/request';
import type { TaskId } from '../tasks/tasks';
import { paletteOf } from '../ui/colours';
import { ErrorBox } from '../ui/ErrorBox';
import { Tabs } from '../ui/Tabs';
import { AnswerView, labelOrder, type ViewId, viewsOf } from './AnswerView';
import { CodeView, JsonViewer } from './Code';
import { DebugView } from './DebugView';
import { ExportMenu } from './ExportMenu';

type Panel = ViewId | 'json' | 'code' | 'debug';

export function Result(props: {
  task: TaskId;
  input: TaskInput;
  outcome: Outcome | undefined;
  running: boolean;
  debug: boolean;
  onRun: () => void;
}) {
  const t = useWords();
  const { task, input, outcome } = props;
  const [picked, setPicked] = useState<Panel | null>(null);
  const [least, setLeast] = useState(0);
  const panel = useRef<HTMLDivElement>(null);
  const answer = outcome?.answer ?? null;
  const body = requestBody(task, input);
  const chains = useMemo(() => (answer ? filterChains(answer.output, least) : []), [answer, least]);

  const views: Panel[] = [
    ...(answer ? viewsOf(task, answer) : []),
    ...(answer ? (['json'] as const) : []),
    'code',
    ...(answer && (answer.debug || props.debug) ? (['debug'] as const) : []),
  ];
  const view: Panel = picked && views.includes(picked) ? picked : (views[0] as Panel);
  const names: Record<Panel, string> = t.result;
  const colour = (label: string) => {
    const variable = paletteOf(labelOrder(input.tree, answer?.output ?? []))(label);
    return (
      getComputedStyle(document.documentElement).getPropertyValue(variable.slice(4, -1)).trim() ||
      '#2456c8'
    );
  };
  const slider =
    answer !== null &&
    isExtraction(answer) &&
    view !== 'json' &&
    view !== 'code' &&
    view !== 'debug';

  return (
    <section className="panel result" aria-label={t.result.title} aria-busy={props.running}>
      <div className="panel-head">
        <h2>{t.result.title}</h2>
        {answer && outcome && (
          <ExportMenu
            answer={{ ...answer, output: chains }}
            text={outcome.text}
            panel={panel}
            colour={colour}
          />
        )}
      </div>
      <Tabs
        label={t.result.views}
        name="view"
        current={view}
        onPick={setPicked}
        tabs={views.map((id) => ({ id, name: names[id] }))}
      />
      <div aria-live="polite" className="live">
        {props.running && <p className="running">{t.result.running}</p>}
      </div>
      {outcome?.error && <ErrorBox error={outcome.error} onRetry={props.onRun} />}
      {answer && outcome && outcome.sent !== body && <p className="note">{t.result.stale}</p>}
      {slider && (
        <label className="slider">
          <span>{t.result.least}</span>
          <input
            type="range"
            min={0}
            max={1}
            step={0.01}
            value={least}
            onChange={(event) => setLeast(Number(event.target.value))}
          />
          <output>{formatConfidence(least)}</output>
          <span className="fine">{t.result.shown(chains.length, answer.output.length)}</span>
        </label>
      )}
      <div
        id="view-panel"
        role="tabpanel"
        aria-labelledby={`view-${view}`}
        ref={panel}
        className="view"
      >
        {view === 'code' ? (
          <>
            {!answer && !outcome?.error && !props.running && (
              <p className="empty">{t.result.empty}</p>
            )}
            <CodeView path={taskPath(task, props.debug)} body={body} />
          </>
        ) : !answer || !outcome ? null : view === 'json' ? (
          <JsonViewer value={answer} />
        ) : view === 'debug' ? (
          <DebugView answer={answer} headers={outcome.headers} />
        ) : (
          <AnswerView
            task={task}
            answer={answer}
            chains={chains}
            text={outcome.text}
            tree={input.tree}
            view={view}
            threshold={input.threshold}
          />
        )}
      </div>
      {answer && <Warnings warnings={answer.warnings ?? []} />}
      {answer && outcome && <Figures outcome={outcome} />}
    </section>
  );
}

export function Warnings({
  warnings,
}: {
  warnings: { code: string; message: string; param?: string }[];
}) {
  const t = useWords();
  // An empty result says so itself.
  const shown = warnings.filter((w) => w.code !== 'RESULT_EMPTY');
  if (shown.length === 0) return null;
  const words = t.warning as Record<string, string>;
  return (
    <aside className="note" aria-label={t.warning.title}>
      <ul>
        {shown.map((w) => (
          <li key={`${w.code} ${w.param}`}>
            {words[w.code] ?? w.message} <code>{w.code}</code> {w.param && <code>{w.param}</code>}
          </li>
        ))}
      </ul>
    </aside>
  );
}

/** The last line: what it took. */
function Figures({ outcome }: { outcome: Outcome }) {
  const t = useWords();
  const { answer, headers } = outcome;
  const usage = answer?.usage ?? {};
  const number = (name: string) => Number(usage[name] ?? 0);
  const parts = [
    t.result.usage(
      formatCount(number('chars')),
      formatCount(number('tokens')),
      number('prompts'),
      number('windows'),
    ),
    t.result.elapsed(
      formatMs(Number(answer?.timing_ms?.total ?? headers['x-total-time-ms'] ?? outcome.elapsed)),
    ),
    headers['x-batch-size'] && Number(headers['x-batch-size']) > 1
      ? t.result.batchOf(headers['x-batch-size'])
      : '',
    headers['x-memory-peak-mb'] ? t.result.peak(headers['x-memory-peak-mb']) : '',
    [
      answer?.model?.device ?? headers['x-device'],
      answer?.model?.precision ?? headers['x-precision'],
    ]
      .filter(Boolean)
      .join(' '),
    headers['x-gpu-optimized'] === 'true' ? t.result.optimised : '',
  ];
  return <p className="figures fine">{parts.filter(Boolean).join(' · ')}</p>;
}
