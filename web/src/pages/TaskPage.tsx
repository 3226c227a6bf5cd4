// One task: fill in on the left, look at the result on the right.
import { type KeyboardEvent, useMemo, useState } from 'react';
import { SchemaEditor } from '../editor/SchemaEditor';
import { formatCount, useWords } from '../i18n/i18n';
import { Result } from '../results/Result';
import { packInput, writeAddress } from '../state/address';
import { useRun } from '../state/run';
import { useStore } from '../state/store';
import { EXAMPLES, fillFrom } from '../tasks/examples';
import type { TaskInput } from '../tasks/input';
import { missing } from '../tasks/request';
import { SHAPES, type TaskId } from '../tasks/tasks';
import { countCodePoints } from '../text/code-points';
import { copyText } from '../ui/CopyButton';
import { Options, TaskFields } from './Options';

export function TextField(props: {
  label: string;
  value: string;
  rows: number;
  onChange: (text: string) => void;
}) {
  const t = useWords();
  const count = useMemo(() => countCodePoints(props.value), [props.value]);
  return (
    <label className="field">
      <span className="field-label">
        {props.label} <span className="fine count">{t.form.chars(formatCount(count))}</span>
      </span>
      <textarea
        rows={props.rows}
        value={props.value}
        placeholder={t.form.textPlaceholder}
        // Checking the spelling of a large text would freeze the field.
        spellCheck={false}
        dir="auto"
        onChange={(event) => props.onChange(event.target.value)}
      />
      {count > 50_000 && <span className="fine">{t.form.bigText}</span>}
    </label>
  );
}

export function TaskPage({ task }: { task: TaskId }) {
  const t = useWords();
  const { state, dispatch } = useStore();
  const { run, cancel } = useRun(task);
  const [asked, setAsked] = useState(false);
  const [shared, setShared] = useState('');
  const input = state.inputs[task];
  const running = state.running[task] ?? false;
  const change = (part: Partial<TaskInput>) => dispatch({ type: 'edit', task, change: part });
  const lacking = missing(task, input);
  const zh = t.lang === 'zh-CN';

  const start = () => {
    setAsked(true);
    if (!lacking) run();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      start();
    }
  };
  const share = async () => {
    const packed = await packInput(input);
    const address = writeAddress({
      page: task,
      lang: state.lang,
      debug: state.debug,
      shared: packed,
    });
    await copyText(window.location.href.split('#')[0] + address);
    setShared(packed.length > 8000 ? `${t.shareDone} ${t.shareLong}` : t.shareDone);
    setTimeout(() => setShared(''), 6000);
  };

  return (
    <div className="task-page">
      <header className="page-head">
        <h1>{t.task[task].name}</h1>
        <p>{t.task[task].about}</p>
      </header>
      <div className="columns">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: Ctrl + Enter runs from any field of the form */}
        <div className="panel form" onKeyDown={keys}>
          <div className="row examples">
            <span className="fine">{t.form.examples}</span>
            {EXAMPLES[task].map((example) => (
              <button
                key={example.zh}
                type="button"
                className="small pill"
                onClick={() => dispatch({ type: 'fill', task, input: fillFrom(example) })}
              >
                {zh ? example.zh : example.en}
              </button>
            ))}
          </div>
          {SHAPES[task].text ? (
            <TextField
              label={t.form.text}
              value={input.text}
              rows={6}
              onChange={(text) => change({ text })}
            />
          ) : (
            <>
              <TextField
                label={t.form.text1}
                value={input.text1}
                rows={3}
                onChange={(text1) => change({ text1 })}
              />
              <TextField
                label={t.form.text2}
                value={input.text2}
                rows={3}
                onChange={(text2) => change({ text2 })}
              />
            </>
          )}
          <TaskFields task={task} input={input} onChange={change} />
          {SHAPES[task].editor !== 'none' && (
            <SchemaEditor key={task} task={task} input={input} onChange={change} />
          )}
          <Options task={task} input={input} onChange={change} />
          <div className="row run-row">
            <button type="button" className="primary" onClick={start} disabled={running}>
              {t.form.run}
            </button>
            {running && (
              <button type="button" onClick={cancel}>
                {t.form.cancel}
              </button>
            )}
            <span className="fine keys">{t.form.runHint}</span>
            <span className="space" />
            <button type="button" className="quiet" onClick={share}>
              {t.share}
            </button>
          </div>
          <p role="status" className="fine live">
            {asked && lacking ? <span className="fault">{t.missing[lacking]}</span> : shared}
          </p>
        </div>
        <Result
          key={task}
          task={task}
          input={input}
          outcome={state.outcomes[task]}
          running={running}
          debug={state.debug}
          onRun={run}
        />
      </div>
    </div>
  );
}
