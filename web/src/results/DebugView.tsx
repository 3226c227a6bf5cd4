// What debug mode adds to an answer: prompts, windows, timings. Fields that a server leaves out are
// left out here too; the whole of it stands below as JSON.
import { useMemo } from 'react';
import { formatMs, useWords } from '../i18n/i18n';
import { MemoryPlan } from '../pages/MemoryPlan';
import { readPlan } from '../picture/plan';
import { isRecord } from '../state/local';
import type { Answer } from '../tasks/answer';
import { Pre } from './Code';

const MOST_PASSES = 100;
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

const LINKS = ['head_tail', 'head_type', 'type_tail'] as const;

/** One pass of the model: its prompt, the part of the text that it read, how many links it found. */
function Pass({ pass, at }: { pass: Record<string, unknown>; at: number }) {
  const t = useWords();
  const tokens = pass.prompt_tokens ?? pass.tokens;
  const window = Array.isArray(pass.window) ? pass.window : null;
  const links = isRecord(pass.links) ? pass.links : {};
  const counts = LINKS.flatMap((kind) => {
    const list = links[kind];
    return Array.isArray(list) ? [`${t.compare.link[kind]} ${list.length}`] : [];
  });
  const facts = [
    typeof pass.level === 'number' ? `${t.compare.level} ${pass.level + 1}` : '',
    typeof tokens === 'number' ? t.compare.tokens(tokens) : '',
    window ? t.compare.window(String(window[0]), String(window[1])) : '',
    counts.length > 0 ? `${t.compare.links}: ${counts.join(t.list)}` : '',
  ];
  return (
    <li>
      <span className="fine">
        {at}. {facts.filter(Boolean).join(' · ')}
      </span>
      <code>
        <bdi>{String(pass.prompt ?? JSON.stringify(pass))}</bdi>
      </code>
    </li>
  );
}

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
  const passes = asList(debug?.passes ?? debug?.prompts);
  const difference = debug?.difference ?? debug?.diff_fp16;
  const plan = useMemo(() => readPlan(debug?.memory_plan), [debug]);
  return (
    <div className="debug">
      {timings.length > 0 && (
        <>
          <h3>{t.compare.timing}</h3>
          <Timings timings={timings} most={Math.max(...timings.map(([, ms]) => ms))} />
        </>
      )}
      {!debug && <p className="note">{t.compare.noDebug}</p>}
      {passes.length > 0 && (
        <>
          <h3>{t.compare.prompts}</h3>
          <ol className="prompts">
            {passes.slice(0, MOST_PASSES).map((pass, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order
              <Pass key={i} pass={pass} at={i + 1} />
            ))}
          </ol>
        </>
      )}
      {isRecord(difference) && (
        <>
          <h3>{t.compare.diff}</h3>
          <dl className="facts">
            {Object.entries(difference).map(([key, value]) => (
              <div key={key}>
                <dt>{(t.compare.differ as Record<string, string>)[key] ?? key}</dt>
                <dd>
                  {value === true ? t.result.yes : value === false ? t.result.no : String(value)}
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {plan.length > 0 && (
        <>
          <h3>{t.compare.plan}</h3>
          <MemoryPlan buffers={plan} />
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
