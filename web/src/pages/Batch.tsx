// Many texts, one task: progress, errors by line, filter, download.
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { batchCsv, batchJsonl, errorOfItem, errorsCsv, foundOf } from '../files/batch-files';
import type { ItemResult } from '../files/batch-run';
import { download } from '../files/download';
import { type Dictionary, formatCount, formatSpan, useWords } from '../i18n/i18n';
import { AnswerView, viewsOf } from '../results/AnswerView';
import { type BatchView, batch, useBatch } from '../state/batch';
import { useStore } from '../state/store';
import { missing } from '../tasks/request';
import { SHAPES } from '../tasks/tasks';
import { ErrorBox } from '../ui/ErrorBox';
import { VirtualRows } from '../ui/VirtualRows';
import { BatchInput } from './BatchInput';
import { TaskSelect } from './TaskSelect';

export type Filter = 'all' | 'ok' | 'failed' | 'found' | 'empty';
const ROW = 36;

export function passes(filter: Filter, result: ItemResult | undefined): boolean {
  if (filter === 'all') return true;
  if (!result) return false;
  if (filter === 'failed') return 'error' in result;
  if ('error' in result) return false;
  if (filter === 'ok') return true;
  return (foundOf(result) !== '') === (filter === 'found');
}

export function errorWords(result: ItemResult | undefined, t: Dictionary): string {
  if (!result || !('error' in result)) return '';
  if (result.error.error === undefined && result.error.code === 'JSON_INVALID')
    return t.batch.badLine;
  if (result.error.error === undefined && result.error.code === 'TEXT_EMPTY')
    return t.batch.emptyText;
  const zh = t.lang === 'zh-CN' ? result.error.error_zh : undefined;
  return zh ?? errorOfItem(result);
}

export default function Batch() {
  const t = useWords();
  const { state } = useStore();
  const view = useBatch();
  const input = state.inputs[view.task];
  const pair = !SHAPES[view.task].text;
  // The text of the form does not matter here, its labels and questions do.
  const lacking = missing(view.task, { ...input, text: '-', text1: '-', text2: '-' });
  const total = view.table.rows.length;
  const running = view.state === 'running';

  return (
    <div>
      <header className="page-head">
        <h1>{t.batch.title}</h1>
        <p>{t.batch.about}</p>
      </header>
      <div className="stack">
        {view.state === 'empty' ? (
          <BatchInput />
        ) : (
          <section className="panel" aria-label={t.batch.title}>
            <div className="row">
              <strong>
                <bdi>{t.batch.loaded(view.name, formatCount(total))}</bdi>
              </strong>
              <span className="space" />
              <button
                type="button"
                className="small"
                disabled={running}
                onClick={() => batch.clear()}
              >
                {t.batch.clear}
              </button>
            </div>
            {view.table.columns.length > 1 && (
              <div className="row">
                <ColumnSelect
                  label={t.batch.column}
                  view={view}
                  value={view.column}
                  onPick={(column) => batch.choose({ column })}
                />
                {pair && (
                  <ColumnSelect
                    label={t.batch.column2}
                    view={view}
                    value={view.column2}
                    onPick={(column2) => batch.choose({ column2 })}
                  />
                )}
              </div>
            )}
            <TaskSelect
              value={view.task}
              disabled={running}
              note={t.batch.settings}
              onPick={(task) => batch.choose({ task })}
            />
            {lacking && <p className="fault">{t.missing[lacking]}</p>}
            <div className="row">
              {running ? (
                <button type="button" onClick={() => batch.stop()}>
                  {t.batch.stop}
                </button>
              ) : (
                <button
                  type="button"
                  className="primary"
                  disabled={lacking !== null}
                  onClick={() => batch.start(input)}
                >
                  {view.state === 'stopped' ? t.batch.resume : t.batch.start}
                </button>
              )}
              <Progress view={view} />
            </div>
            {view.error && <ErrorBox error={view.error} onRetry={() => batch.start(input)} />}
          </section>
        )}
        {view.state !== 'empty' && <Rows view={view} />}
      </div>
    </div>
  );
}

function ColumnSelect(props: {
  label: string;
  view: BatchView;
  value: number;
  onPick: (column: number) => void;
}) {
  return (
    <label className="row">
      <span className="field-label">{props.label}</span>
      <select
        value={props.value}
        disabled={props.view.state === 'running'}
        onChange={(event) => props.onPick(Number(event.target.value))}
      >
        {props.view.table.columns.map((name, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns may share a name
          <option key={i} value={i}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Progress({ view }: { view: BatchView }) {
  const t = useWords();
  const [now, setNow] = useState(Date.now());
  const running = view.state === 'running';
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  if (view.state === 'loaded' || view.state === 'empty') return null;
  const total = view.table.rows.length;
  const seconds = (now - view.startedAt) / 1000;
  const speed = (view.done - view.startedDone) / Math.max(seconds, 0.5);
  return (
    <div className="progress">
      <progress
        max={total}
        value={view.done}
        aria-label={t.batch.progress(formatCount(view.done), formatCount(total))}
      />
      <span role="status">
        {t.batch.progress(formatCount(view.done), formatCount(total))}
        {view.failed > 0 && ` · ${t.batch.failed} ${formatCount(view.failed)}`}
        {running &&
          seconds > 1 &&
          speed > 0 &&
          ` · ${t.batch.speed(speed.toFixed(1))} · ${t.batch.left(formatSpan((total - view.done) / speed, t))}`}
        {view.waiting > 0 && ` · ${t.batch.pausedBusy(view.waiting)}`}
        {view.state === 'stopped' && ` · ${t.batch.stopped}`}
        {view.state === 'done' && ` · ${t.batch.done}`}
      </span>
    </div>
  );
}

function Rows({ view }: { view: BatchView }) {
  const t = useWords();
  const { state } = useStore();
  const [filter, setFilter] = useState<Filter>('all');
  const [search, setSearch] = useState('');
  const [picked, setPicked] = useState<number | null>(null);
  const needle = useDeferredValue(search.trim());
  const { table, results, column } = view;

  const shown = useMemo(
    () =>
      table.rows.flatMap((row, i) => {
        if (!passes(filter, results[i])) return [];
        if (
          needle !== '' &&
          !row.cells.some((c) => c.includes(needle)) &&
          !foundOf(results[i]).includes(needle)
        )
          return [];
        return [i];
      }),
    [table, results, filter, needle],
  );

  const name = `rexuninlu-batch-${view.task}`;
  const filters: [Filter, string][] = [
    ['all', t.batch.filterAll],
    ['ok', t.batch.ok],
    ['failed', t.batch.failed],
    ['found', t.batch.filterFound],
    ['empty', t.batch.filterEmpty],
  ];
  const result = picked === null ? undefined : results[picked];
  const row = picked === null ? undefined : table.rows[picked];

  return (
    <section className="panel" aria-label={t.batch.found}>
      <div className="row">
        <label className="row">
          {t.batch.filter}
          <select value={filter} onChange={(event) => setFilter(event.target.value as Filter)}>
            {filters.map(([id, label]) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <input
          type="search"
          aria-label={t.batch.search}
          placeholder={t.batch.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <span className="fine" role="status">
          {t.batch.shown(formatCount(shown.length))}
        </span>
        <span className="space" />
        <details className="menu">
          <summary>{t.batch.download}</summary>
          <div className="menu-items">
            <button
              type="button"
              onClick={() =>
                download(
                  `${name}.jsonl`,
                  batchJsonl(table, column, results),
                  'application/x-ndjson',
                )
              }
            >
              JSONL
            </button>
            <button
              type="button"
              onClick={() => download(`${name}.csv`, batchCsv(table, results), 'text/csv')}
            >
              CSV
            </button>
            <button
              type="button"
              onClick={() => download(`${name}-errors.csv`, errorsCsv(table, results), 'text/csv')}
            >
              {t.batch.errorsOnly}
            </button>
          </div>
        </details>
      </div>
      <VirtualRows
        label={t.batch.found}
        count={shown.length}
        rowHeight={ROW}
        height={420}
        head={
          <div role="row" className="virtual-row">
            <span role="columnheader">{t.batch.line}</span>
            <span role="columnheader">{t.batch.text}</span>
            <span role="columnheader">{t.batch.state}</span>
            <span role="columnheader">{t.batch.found}</span>
          </div>
        }
        row={(at) => {
          const i = shown[at] as number;
          const item = table.rows[i];
          const itemResult = results[i];
          const failed = itemResult && 'error' in itemResult;
          return (
            <div
              key={i}
              role="row"
              aria-rowindex={at + 2}
              className={`virtual-row${picked === i ? ' picked' : ''}`}
              style={{ height: ROW }}
            >
              <span role="cell">
                <button
                  type="button"
                  className="small quiet number"
                  aria-label={t.batch.detail(item?.line ?? 0)}
                  onClick={() => setPicked(i)}
                >
                  {item?.line}
                </button>
              </span>
              <span role="cell" className="cut">
                <bdi>{(item?.cells[column] ?? '').slice(0, 300)}</bdi>
              </span>
              <span role="cell" className={failed ? 'fault' : undefined}>
                {!itemResult ? t.batch.waiting : failed ? `✗ ${t.batch.failed}` : `✓ ${t.batch.ok}`}
              </span>
              <span role="cell" className={failed ? 'cut fault' : 'cut'}>
                <bdi>{failed ? errorWords(itemResult, t) : foundOf(itemResult)}</bdi>
              </span>
            </div>
          );
        }}
      />
      {!row && <p className="fine">{t.batch.select}</p>}
      {row && (
        <div className="stack">
          <h2>{t.batch.detail(row.line)}</h2>
          {result && 'answer' in result ? (
            <AnswerView
              task={view.task}
              answer={result.answer}
              chains={result.answer.output}
              text={row.cells[column] ?? ''}
              tree={state.inputs[view.task].tree}
              view={viewsOf(view.task, result.answer)[0] ?? 'marked'}
              threshold={state.inputs[view.task].threshold}
            />
          ) : (
            <>
              {result && <p className="error">{errorWords(result, t)}</p>}
              <p className="resolved">{row.cells[column]}</p>
            </>
          )}
        </div>
      )}
    </section>
  );
}
