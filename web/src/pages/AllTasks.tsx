// Several tasks on one text, in one call.
import { useRef, useState } from 'react';
import { postJson } from '../api/client';
import { ApiError, type ErrorBody } from '../api/errors';
import { useWords } from '../i18n/i18n';
import { AnswerView, viewsOf } from '../results/AnswerView';
import { Warnings } from '../results/Result';
import { writeAddress } from '../state/address';
import { useStore } from '../state/store';
import type { Answer } from '../tasks/answer';
import type { Inputs } from '../tasks/input';
import { missing, requestFields, schemaJson, withSchema } from '../tasks/request';
import { TASKS, type TaskId } from '../tasks/tasks';
import { wellFormed } from '../text/code-points';
import { ErrorBox } from '../ui/ErrorBox';
import { TextField } from './TaskPage';

const DEFAULT_TEXT = '6月3日，远航芯片有限公司宣布董事长周慧敏辞职，公司总部位于深圳。';
// Two texts are compared on their own page.
const OFFERED = TASKS.filter((task) => task !== 'matching');
const DEFAULT_PICK: readonly TaskId[] = ['ner', 'relation', 'event', 'classification'];

/** The tasks' own requests without their texts, in one body. */
export function analyzeBody(text: string, tasks: readonly TaskId[], inputs: Inputs): string {
  const parts = tasks.map((task) => {
    const { text: _, ...fields } = requestFields(task, inputs[task]);
    return withSchema({ task, ...fields }, schemaJson(task, inputs[task]));
  });
  return `{"text":${JSON.stringify(wellFormed(text))},"tasks":[${parts.join(',')}]}`;
}

type Results = Partial<Record<TaskId, Answer | ErrorBody>>;

// Outlives the page, so that switching tabs loses nothing.
const kept: { text: string; picked: readonly TaskId[]; results: Results; sent: string } = {
  text: DEFAULT_TEXT,
  picked: DEFAULT_PICK,
  results: {},
  sent: '',
};

export default function AllTasks() {
  const t = useWords();
  const { state } = useStore();
  const [text, setText] = useState(kept.text);
  const [picked, setPicked] = useState<readonly TaskId[]>(kept.picked);
  const [results, setResults] = useState<Results>(kept.results);
  const [sent, setSent] = useState(kept.sent);
  const [error, setError] = useState<ApiError | null>(null);
  const [running, setRunning] = useState(false);
  const controller = useRef<AbortController | null>(null);
  Object.assign(kept, { text, picked, results, sent });

  const able = (task: TaskId) => missing(task, { ...state.inputs[task], text: '-' }) === null;
  const run = async () => {
    const tasks = TASKS.filter((task) => picked.includes(task) && able(task));
    if (text.trim() === '' || tasks.length === 0) return;
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    setRunning(true);
    setError(null);
    try {
      const path = `/api/analyze${state.debug ? '?mode=debug' : ''}`;
      const reply = await postJson<{ results: Results }>(
        path,
        analyzeBody(text, tasks, state.inputs),
        own.signal,
      );
      setResults(reply.body.results);
      setSent(wellFormed(text));
    } catch (fault) {
      if (!(fault instanceof ApiError)) throw fault;
      if (fault.kind !== 'cancelled') setError(fault);
    }
    setRunning(false);
  };

  return (
    <div>
      <header className="page-head">
        <h1>{t.all.title}</h1>
        <p>{t.all.about}</p>
      </header>
      <div className="stack">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: Ctrl + Enter runs from any field of the form */}
        <div
          className="panel"
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run();
          }}
        >
          <TextField label={t.form.text} value={text} rows={4} onChange={setText} />
          <fieldset className="choice">
            <legend>{t.all.pick}</legend>
            {OFFERED.map((task) => (
              <label key={task} className="tick">
                <input
                  type="checkbox"
                  checked={picked.includes(task) && able(task)}
                  disabled={!able(task)}
                  onChange={(event) =>
                    setPicked(
                      event.target.checked ? [...picked, task] : picked.filter((p) => p !== task),
                    )
                  }
                />
                {t.task[task].name}
                {!able(task) && <span className="fine">({t.all.noSchema})</span>}
              </label>
            ))}
            <button type="button" className="small quiet" onClick={() => setPicked(OFFERED)}>
              {t.all.selectAll}
            </button>
            <button type="button" className="small quiet" onClick={() => setPicked([])}>
              {t.all.selectNone}
            </button>
          </fieldset>
          <div className="row">
            <button
              type="button"
              className="primary"
              disabled={running || text.trim() === '' || picked.length === 0}
              onClick={run}
            >
              {t.all.run}
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
          {error && <ErrorBox error={error} onRetry={run} />}
        </div>
        <div className="all-results">
          {TASKS.filter((task) => results[task]).map((task) => {
            const result = results[task] as Answer | ErrorBody;
            return (
              <section key={task} className="panel" aria-label={t.task[task].name}>
                <div className="panel-head">
                  <h2>{t.task[task].name}</h2>
                  <a
                    className="fine"
                    aria-label={t.all.open(t.task[task].name)}
                    href={writeAddress({ page: task, lang: state.lang, debug: state.debug })}
                  >
                    ↗
                  </a>
                </div>
                {'error' in result ? (
                  <ErrorBox error={new ApiError('answer', result.status ?? 0, result)} />
                ) : (
                  <>
                    <AnswerView
                      task={task}
                      answer={result as Answer}
                      chains={(result as Answer).output}
                      text={sent}
                      tree={state.inputs[task].tree}
                      view={viewsOf(task, result as Answer)[0] ?? 'marked'}
                      threshold={state.inputs[task].threshold}
                    />
                    <Warnings warnings={(result as Answer).warnings ?? []} />
                  </>
                )}
              </section>
            );
          })}
        </div>
      </div>
    </div>
  );
}
