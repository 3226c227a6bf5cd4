// The answer of one task in the view that was picked. Everything here works on the answer at hand: the
// slider, the views and the exports make no call.
import { lazy, Suspense, useMemo } from 'react';
import { useWords } from '../i18n/i18n';
import { type LabelNode, labelsOf } from '../schema/tree';
import {
  type Answer,
  type Chain,
  chosenOf,
  isExtraction,
  spansOf,
  splitType,
} from '../tasks/answer';
import { SHAPES, type TaskId } from '../tasks/tasks';
import { type Palette, paletteOf } from '../ui/colours';
import { Answers } from './Answers';
import { Bars } from './Bars';
import { ChainTable } from './ChainTable';
import { ClassTree } from './ClassTree';
import { Coref } from './Coref';
import { EventCards } from './EventCards';
import { Legend } from './Legend';
import { MarkedText } from './MarkedText';
import { Pairs } from './Pairs';

const Graph = lazy(() => import('./Graph'));

export type ViewId = 'marked' | 'graph' | 'cards' | 'table' | 'scores' | 'tree';

export function viewsOf(task: TaskId, answer: Answer): ViewId[] {
  if (answer.result.links) return ['marked'];
  if (!isExtraction(answer)) {
    if (answer.result.scores) return task === 'hierarchical' ? ['tree', 'scores'] : ['scores'];
    return ['marked', 'table'];
  }
  if (task === 'relation') return ['marked', 'graph', 'table'];
  if (task === 'event') return ['marked', 'cards', 'graph', 'table'];
  return ['marked', 'table'];
}

/** Labels in the order of the schema, then those that only the answer has. */
export function labelOrder(tree: readonly LabelNode[], chains: readonly Chain[]): string[] {
  const asked = labelsOf(tree);
  const found = chains.flatMap((chain) => chain.map((step) => step.type));
  // The server asks events with a suffix; colours follow the label as it comes back.
  const known = asked.map(
    (label) => found.find((f) => f === label || splitType(f).name === label) ?? label,
  );
  return [...new Set([...known, ...found])];
}

export function AnswerView(props: {
  task: TaskId;
  answer: Answer;
  chains: readonly Chain[];
  text: string;
  tree: readonly LabelNode[];
  view: ViewId;
  threshold: number | null;
}) {
  const t = useWords();
  const { task, answer, chains, text, tree, view } = props;
  const { result } = answer;
  const labels = useMemo(
    () =>
      result.links
        ? result.links.map((l) => l.antecedent?.text ?? '')
        : labelOrder(tree, answer.output),
    [tree, answer, result],
  );
  const palette = useMemo(() => paletteOf(labels), [labels]);
  const spans = useMemo(() => spansOf(chains, text), [chains, text]);

  if (result.links) return <Coref result={result} text={text} palette={palette} />;
  if (view === 'tree') return <ClassTree tree={tree} result={result} />;
  if (view === 'scores') {
    const single = result.labels === undefined && result.paths === undefined;
    return (
      <>
        {result.fallback && <p className="note">{t.result.fallback}</p>}
        {result.abstained && <p className="note">{t.result.abstained}</p>}
        <Headline result={[...chosenOf(result)]} />
        <Bars
          scores={result.scores ?? []}
          chosen={chosenOf(result)}
          threshold={single ? null : (props.threshold ?? SHAPES[task].threshold)}
        />
      </>
    );
  }
  if (answer.output.length === 0) {
    return (
      <>
        <p className="note">{t.result.nothing}</p>
        <p className="resolved">{text}</p>
      </>
    );
  }
  if (view === 'graph') {
    return (
      <Suspense fallback={<p className="fine">…</p>}>
        <Graph chains={chains} palette={palette} colourOf={nodeColours(answer.output, palette)} />
      </Suspense>
    );
  }
  if (view === 'cards') return <EventCards chains={chains} result={result} palette={palette} />;
  if (view === 'table') return <ChainTable chains={chains} palette={palette} />;
  return (
    <>
      <Legend labels={labels} spans={spans} palette={palette} />
      {chains.length === 0 && <p className="note">{t.result.filteredOut}</p>}
      <MarkedText text={text} spans={spans} palette={palette} />
      {(task === 'absa' || task === 'sentiment') && <Pairs chains={chains} />}
      {task === 'reading' && <Answers chains={chains} result={result} palette={palette} />}
      {(task === 'relation' || task === 'event') && <Triples chains={chains} palette={palette} />}
    </>
  );
}

function Headline({ result }: { result: string[] }) {
  const t = useWords();
  return (
    <p className="headline">
      {result.length === 0 ? t.result.none : result.map((name) => <bdi key={name}>{name}</bdi>)}
    </p>
  );
}

/** The relations in words, below the text. */
function Triples({ chains, palette }: { chains: readonly Chain[]; palette: Palette }) {
  return (
    <ul className="pairs">
      {chains
        .filter((chain) => chain.length > 1)
        .slice(0, 200)
        .map((chain) => (
          <li key={chain.map((s) => `${s.type} ${s.offset}`).join('|')}>
            {chain.map((step, i) => (
              <span key={`${step.type} ${step.offset}`}>
                {i > 0 && (
                  <span className="edge-name">
                    <i className="dot" style={{ background: palette(step.type) }} />
                    {splitType(step.type).name}
                    <span aria-hidden="true"> → </span>
                  </span>
                )}
                <b>
                  <bdi>{step.span}</bdi>
                </b>
              </span>
            ))}
          </li>
        ))}
    </ul>
  );
}

/** A node is coloured as its words are in the text. */
function nodeColours(chains: readonly Chain[], palette: Palette): (label: string) => string {
  const labels = new Map<string, string>();
  for (const chain of chains) {
    chain.forEach((step, i) => {
      const { name, type } = splitType(step.type);
      const shown = i === 0 ? name : (type ?? name);
      if (!labels.has(shown)) labels.set(shown, step.type);
    });
  }
  return (label) => palette(labels.get(label) ?? label);
}
