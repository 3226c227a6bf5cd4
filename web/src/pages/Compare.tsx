// One request in normal and in debug mode, side by side.
import { useMemo, useRef, useState } from 'react';
import { formatMs, useWords } from '../i18n/i18n';
import { AnswerView, viewsOf } from '../results/AnswerView';
import { DebugView, Timings, timingsOf } from '../results/DebugView';
import { runTask } from '../state/run';
import type { Outcome } from '../state/state';
import { useStore } from '../state/store';
import type { Chain } from '../tasks/answer';
import { compareAnswers } from '../tasks/compare';
import { missing } from '../tasks/request';
import type { TaskId } from '../tasks/tasks';
import { ErrorBox } from '../ui/ErrorBox';
import { TaskSelect } from './TaskSelect';

interface Kept {
  task: TaskId;
  normal: Outcome | null;
  debug: Outcome | null;
}
const kept: Kept = { task: 'ner', normal: null, debug: null };

export default function Compare() {
  const t = useWords();
  const { state } = useStore();
  const [task, setTask] = useState<TaskId>(kept.task);
  const [normal, setNormal] = useState(kept.normal);
  const [debug, setDebug] = useState(kept.debug);
  const [running, setRunning] = useState(false);
  const controller = useRef<AbortController | null>(null);
  Object.assign(kept, { task, normal, debug });
  const input = state.inputs[task];
  const lacking = missing(task, input);

  const run = async () => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    setRunning(true);
    // One after the other, so that neither waits for the other and the times can be compared.
    const first = await runTask(task, input, false, own.signal);
    const second = first.error ? null : await runTask(task, input, true, own.signal);
    if (controller.current !== own) return;
    setNormal(first.error?.kind === 'cancelled' ? null : first);
    setDebug(second?.error?.kind === 'cancelled' ? null : second);
    setRunning(false);
  };

  const difference = useMemo(
    () => (normal?.answer && debug?.answer ? compareAnswers(normal.answer, debug.answer) : null),
    [normal, debug],
  );
  const times = [normal, debug].map((o) => (o?.answer ? timingsOf(o.answer, o.headers) : []));
  const most = Math.max(0, ...times.flat().map(([, ms]) => ms));

  return (
    <div>
      <header className="page-head">
        <h1>{t.compare.title}</h1>
        <p>{t.compare.about}</p>
      </header>
      <div className="stack">
        <section className="panel" aria-label={t.compare.title}>
          <TaskSelect
            value={task}
            disabled={running}
            note={t.compare.input}
            onPick={(next) => {
              setTask(next);
              setNormal(null);
              setDebug(null);
            }}
          />
          <p className="resolved quote">
            {task === 'matching' ? `${input.text1} ∥ ${input.text2}` : input.text.slice(0, 500)}
          </p>
          {lacking && <p className="fault">{t.missing[lacking]}</p>}
          <div className="row">
            <button
              type="button"
              className="primary"
              disabled={running || lacking !== null}
              onClick={run}
            >
              {t.compare.run}
            </button>
            {running && (
              <button type="button" onClick={() => controller.current?.abort()}>
                {t.form.cancel}
              </button>
            )}
            <span role="status" className="running">
              {running ? t.result.running : ''}
            </span>
          </div>
        </section>
        {difference && (
          <section className="panel" aria-label={t.compare.diff}>
            <p className="verdict">
              {difference.chosen
                ? `≠ ${t.compare.differs(difference.onlyFirst.length + difference.onlySecond.length)}`
                : `✓ ${t.compare.same}`}{' '}
              <span className="fine">{t.compare.largest(difference.largest.toFixed(4))}</span>
            </p>
            <Only title={t.compare.onlyNormal} chains={difference.onlyFirst} />
            <Only title={t.compare.onlyDebug} chains={difference.onlySecond} />
          </section>
        )}
        <div className="columns even">
          {(
            [
              [t.compare.normal, normal, times[0] ?? []],
              [t.compare.debug, debug, times[1] ?? []],
            ] as const
          ).map(([title, outcome, timings]) =>
            outcome ? (
              <section key={title} className="panel" aria-label={title}>
                <div className="panel-head">
                  <h2>{title}</h2>
                  <span className="fine">
                    {[
                      outcome.answer?.model?.precision ?? outcome.headers['x-precision'],
                      outcome.answer && t.result.elapsed(formatMs(outcome.elapsed)),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </div>
                {outcome.error && <ErrorBox error={outcome.error} onRetry={run} />}
                {outcome.answer && (
                  <>
                    <AnswerView
                      task={task}
                      answer={outcome.answer}
                      chains={outcome.answer.output}
                      text={outcome.text}
                      tree={input.tree}
                      view={viewsOf(task, outcome.answer)[0] ?? 'marked'}
                      threshold={input.threshold}
                    />
                    {timings.length > 0 && <h3>{t.compare.timing}</h3>}
                    <Timings timings={timings} most={most} />
                  </>
                )}
              </section>
            ) : null,
          )}
        </div>
        {debug?.answer && (
          <section className="panel" aria-label={t.result.debug}>
            <DebugView answer={{ ...debug.answer, timing_ms: {} }} headers={{}} />
          </section>
        )}
      </div>
    </div>
  );
}

function Only({ title, chains }: { title: string; chains: readonly Chain[] }) {
  if (chains.length === 0) return null;
  return (
    <div>
      <h2>{title}</h2>
      <ul>
        {chains.map((chain) => (
          <li key={chain.map((s) => `${s.type} ${s.offset}`).join('|')}>
            <bdi>
              {chain
                .map((s) => `${s.type}: ${s.span ?? ''} ${s.confidence.toFixed(4)}`)
                .join(' → ')}
            </bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
