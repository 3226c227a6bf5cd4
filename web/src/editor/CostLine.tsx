// One line below the schema: right or wrong, what it costs, and what the validator noted.

import { useWords } from '../i18n/i18n';
import { costOf } from '../schema/cost';
import { errorText } from '../ui/ErrorBox';
import type { Check } from './use-check';

export function CostLine(props: { check: Check; line: number | null; broken: boolean }) {
  const t = useWords();
  const { check, line } = props;
  if (props.broken) {
    return (
      <p className="check bad" role="status">
        ✗ {t.schema.jsonBroken(line ?? 1)}
      </p>
    );
  }
  if (check.state === 'idle') return <p className="check" role="status" />;
  if (check.state === 'asking') {
    return (
      <p className="check" role="status">
        {t.schema.checking}
      </p>
    );
  }
  if (check.state === 'unknown') {
    return (
      <p className="check" role="status">
        {t.schema.noServer}
      </p>
    );
  }
  if (check.state === 'bad') {
    const { detail, hint } = errorText(check.error, t);
    return (
      <p className="check bad" role="status">
        ✗ {detail}
        {line !== null && t.schema.atLine(line)} {hint}
      </p>
    );
  }
  const cost = costOf(check.check, check.tokens);
  const words = t.warning as Record<string, string>;
  return (
    <div className="check good" role="status">
      ✓ {t.schema.valid} · {t.schema.cost(cost.labels, cost.prompts)}
      {cost.tokens !== null && ` · ${t.schema.costTokens(cost.tokens)}`}
      {cost.memoryMb !== null &&
        ` · ${t.schema.costMemory(cost.memoryMb.toFixed(cost.memoryMb < 10 ? 1 : 0))}`}
      {check.check.warnings?.map((w) => (
        <div key={`${w.code} ${w.param}`} className="note">
          {words[w.code] ?? w.message}
          {w.param ? ` (${w.param})` : ''}
        </div>
      ))}
    </div>
  );
}
