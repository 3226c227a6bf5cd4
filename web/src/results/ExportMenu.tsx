import type { RefObject } from 'react';
import { answerCsv, answerJsonl } from '../files/answer-files';
import { download } from '../files/download';
import { useWords } from '../i18n/i18n';
import { elementSvg, pngOf } from '../picture/element-svg';
import { barsSvg, markedSvg } from '../picture/marked-svg';
import { type Answer, chosenOf, scoreName, spansOf } from '../tasks/answer';
import { corefSpans } from './Coref';

/** The drawing on show, otherwise a picture made for the purpose. */
export function pictureOf(
  answer: Answer,
  text: string,
  panel: HTMLElement | null,
  colour: (label: string) => string,
): string {
  const drawn = panel?.querySelector<SVGSVGElement>('svg[data-picture]');
  if (drawn) return elementSvg(drawn);
  if (answer.result.links) {
    return markedSvg(
      text,
      corefSpans(answer.result.links, text, { pronoun: '代词', antecedent: '指代对象' }),
      colour,
    );
  }
  const spans = spansOf(answer.output, text);
  if (spans.length > 0) return markedSvg(text, spans, colour);
  const chosen = chosenOf(answer.result);
  return barsSvg(
    (answer.result.scores ?? []).map((s) => ({
      name: scoreName(s),
      value: s.confidence,
      chosen: chosen.has(scoreName(s)),
    })),
  );
}

export function ExportMenu(props: {
  answer: Answer;
  text: string;
  panel: RefObject<HTMLElement | null>;
  colour: (label: string) => string;
}) {
  const t = useWords();
  const { answer, text } = props;
  const name = `rexuninlu-${answer.task}`;
  const picture = () => pictureOf(answer, text, props.panel.current, props.colour);
  return (
    <details className="menu">
      <summary>{t.export.label}</summary>
      <div className="menu-items">
        <button
          type="button"
          onClick={() =>
            download(`${name}.json`, JSON.stringify(answer, null, 2), 'application/json')
          }
        >
          {t.export.json}
        </button>
        <button
          type="button"
          onClick={() =>
            download(`${name}.jsonl`, answerJsonl(answer, text), 'application/x-ndjson')
          }
        >
          {t.export.jsonl}
        </button>
        <button
          type="button"
          onClick={() => download(`${name}.csv`, answerCsv(answer), 'text/csv')}
        >
          {t.export.csv}
        </button>
        <button type="button" onClick={() => download(`${name}.svg`, picture(), 'image/svg+xml')}>
          {t.export.svg}
        </button>
        <button type="button" onClick={async () => download(`${name}.png`, await pngOf(picture()))}>
          {t.export.png}
        </button>
      </div>
    </details>
  );
}
