// What debug mode adds to an answer: prompts, windows, timings. Fields that a server leaves out are
// left out here too; the whole of it stands below as JSON.
import { formatMs, useWords } from '../i18n/i18n';
import { isRecord } from '../state/local';
import type { Answer } from '../tasks/answer';
import { Pre } from './Code';

const PHASES = ['queue', 'tokenize', 'schedule', 'infer', 'decode'] as const;
type Phase = (typeof PHASES)[number];

export function timingsOf(
  answer: Answer,
  headers: Record<string, string> = {},
): [Phase | 'other', number][] {
  const timing = answer.timing_ms ?? {};
  const header: Partial<Record<Phase, string | undefined>> = {
    queue: headers['x-queue-time-ms'],
    tokenize: headers['x-tokenization-time-ms'],
    infer: headers['x-inference-time-ms'],
  };
  const found: [Phase | 'other', number][] = PHASES.flatMap((phase) => {
    const value =
      timing[phase] ?? (header[phase] === undefined ? undefined : Number(header[phase]));
    return value === undefined || Number.isNaN(value) ? [] : [[phase, value] as [Phase, number]];
  });
  const total = timing.total ?? Number(headers['x-total-time-ms'] ?? Number.NaN);
  const rest = total - found.reduce((sum, [, ms]) => sum + ms, 0);
  if (found.length > 0 && rest > 0.005) found.push(['other', rest]);
  return found;
}

export function Timings({ timings, most }: { timings: [Phase | 'other', number][]; most: number }) {
  const t = useWords();
  return (
    <ol className="bars phases" aria-label={t.compare.timing}>
      {timings.map(([phase, ms]) => (
        <li key={phase}>
          <span className="bar-name">{t.compare.phase[phase]}</span>
          <span className="bar">
            <span style={{ width: `${(ms / Math.max(most, 0.001)) * 100}%` }} />
          </span>
          <span className="number">{formatMs(ms)}</span>
        </li>
      ))}
    </ol>
  );
}

const asList = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

export function DebugView({
  answer,
  headers,
}: {
  answer: Answer;
  headers: Record<string, string>;
}) {
  const t = useWords();
  const { debug } = answer;
  const timings = timingsOf(answer, headers);
  const prompts = asList(debug?.prompts);
  const windows = asList(debug?.windows);
  const diff = debug?.diff ?? debug?.diff_fp16;
  return (
    <div className="debug">
      {timings.length > 0 && (
        <>
          <h4>{t.compare.timing}</h4>
          <Timings timings={timings} most={Math.max(...timings.map(([, ms]) => ms))} />
        </>
      )}
      {!debug && <p className="note">{t.compare.noDebug}</p>}
      {prompts.length > 0 && (
        <>
          <h4>{t.compare.prompts}</h4>
          <ol className="prompts">
            {prompts.map((prompt, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order
              <li key={i}>
                <code>{String(prompt.prompt ?? prompt.text ?? JSON.stringify(prompt))}</code>
                <span className="fine">
                  {prompt.level !== undefined && ` ${t.compare.level} ${String(prompt.level)}`}
                  {typeof prompt.tokens === 'number' && ` · ${t.compare.tokens(prompt.tokens)}`}
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
      {windows.length > 0 && (
        <>
          <h4>{t.compare.windows}</h4>
          <ol className="prompts">
            {windows.map((window, i) => (
              <li key={`${window.start} ${window.end}`}>
                {t.compare.window(i + 1, String(window.start), String(window.end))}
              </li>
            ))}
          </ol>
        </>
      )}
      {isRecord(diff) && (
        <>
          <h4>{t.compare.diff}</h4>
          <dl className="facts">
            {Object.entries(diff).map(([key, value]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {debug && (
        <details>
          <summary>{t.compare.raw}</summary>
          <Pre text={JSON.stringify(debug, null, 2)} label={t.compare.raw} />
        </details>
      )}
    </div>
  );
}
