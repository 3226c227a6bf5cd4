// Relations and events as a graph.
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { formatConfidence, useWords } from '../i18n/i18n';
import { NODE_HEIGHT, type Placed, placeGraph } from '../picture/layout';
import { shorten } from '../picture/measure';
import { type Chain, graphOf } from '../tasks/answer';
import type { Palette } from '../ui/colours';

const MOST = 120;

export default function Graph(props: {
  chains: readonly Chain[];
  palette: Palette;
  colourOf: (label: string) => string;
}) {
  const t = useWords();
  const cut = props.chains.length > MOST;
  const graph = useMemo(() => graphOf(props.chains.slice(0, MOST)), [props.chains]);
  const placed = useMemo(() => placeGraph(graph.nodes, graph.edges), [graph]);
  const [moved, setMoved] = useState<Record<string, { x: number; y: number }>>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: another graph starts with its own places
  useEffect(() => setMoved({}), [placed]);
  const svg = useRef<SVGSVGElement>(null);
  const dragged = useRef<string | null>(null);

  const nodes = placed.map((n) => ({ ...n, ...moved[n.id] }));
  const byId = new Map(nodes.map((n) => [n.id, n]));
  const left = Math.min(...placed.map((n) => n.x - n.width / 2)) - 24;
  const right = Math.max(...placed.map((n) => n.x + n.width / 2)) + 24;
  const top = Math.min(...placed.map((n) => n.y)) - NODE_HEIGHT / 2 - 24;
  const bottom = Math.max(...placed.map((n) => n.y)) + NODE_HEIGHT / 2 + 24;

  const drag = (event: PointerEvent<SVGSVGElement>) => {
    const id = dragged.current;
    const matrix = svg.current?.getScreenCTM();
    if (id === null || !matrix) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    setMoved((old) => ({ ...old, [id]: { x, y } }));
  };

  return (
    <figure className="graph">
      {cut && <p className="note">{t.result.graphBig(MOST)}</p>}
      <svg
        ref={svg}
        role="img"
        aria-label={t.result.graphLabel(graph.nodes.length, graph.edges.length)}
        viewBox={`${left} ${top} ${right - left} ${bottom - top}`}
        style={{ maxHeight: `${Math.max(220, bottom - top)}px` }}
        data-picture="graph"
        onPointerMove={drag}
        onPointerUp={() => {
          dragged.current = null;
        }}
        onPointerLeave={() => {
          dragged.current = null;
        }}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="8"
            markerHeight="8"
            orient="auto"
          >
            <path d="M0 0 L10 5 L0 10 z" fill="currentColor" />
          </marker>
        </defs>
        {graph.edges.map((edge) => {
          const from = byId.get(edge.from);
          const to = byId.get(edge.to);
          if (!from || !to) return null;
          const line = edgeLine(from, to, twins(graph.edges, edge));
          return (
            <g key={`${edge.from} ${edge.to} ${edge.label}`} className="edge">
              <path
                d={line.path}
                fill="none"
                stroke="currentColor"
                strokeWidth={1.4}
                markerEnd="url(#arrow)"
              />
              <text x={line.x} y={line.y} textAnchor="middle" fontSize={12} fill="currentColor">
                <title>{`${edge.label} ${formatConfidence(edge.confidence)}`}</title>
                {shorten(edge.label)}
                <tspan fillOpacity={0.75}> {formatConfidence(edge.confidence)}</tspan>
              </text>
            </g>
          );
        })}
        {nodes.map((node) => (
          <g
            key={node.id}
            className="node"
            transform={`translate(${node.x} ${node.y})`}
            onPointerDown={(event) => {
              dragged.current = node.id;
              event.preventDefault();
            }}
          >
            <title>{`${node.label}: ${node.text}`}</title>
            <rect
              x={-node.width / 2}
              y={-NODE_HEIGHT / 2}
              width={node.width}
              height={NODE_HEIGHT}
              rx={10}
              style={{ fill: 'var(--surface)', stroke: props.colourOf(node.label) }}
              strokeWidth={2}
            />
            <text y={-2} textAnchor="middle" fontSize={15} style={{ fill: 'var(--ink)' }}>
              {shorten(node.text)}
            </text>
            <text y={14} textAnchor="middle" fontSize={11} style={{ fill: 'var(--muted)' }}>
              {shorten(node.label)}
            </text>
          </g>
        ))}
      </svg>
      <figcaption className="fine">{t.result.graphHelp}</figcaption>
    </figure>
  );
}

/** Place of an edge among those between the same two nodes, so that their lines part. */
function twins(
  edges: readonly { from: string; to: string }[],
  edge: { from: string; to: string },
): number {
  const same = edges.filter(
    (e) => (e.from === edge.from && e.to === edge.to) || (e.from === edge.to && e.to === edge.from),
  );
  return same.length === 1 ? 0 : (same.indexOf(edge) - (same.length - 1) / 2) * 46;
}

/** From border to border, bent by `bend`; the label stands at the middle. */
function edgeLine(from: Placed, to: Placed, bend: number) {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = Math.hypot(dx, dy) || 1;
  const mx = (from.x + to.x) / 2 - (dy / length) * bend;
  const my = (from.y + to.y) / 2 + (dx / length) * bend;
  const a = border(from, mx, my);
  const b = border(to, mx, my);
  const x = (a.x + 2 * mx + b.x) / 4;
  const y = (a.y + 2 * my + b.y) / 4;
  return { path: `M${a.x} ${a.y} Q${mx} ${my} ${b.x} ${b.y}`, x, y: y - 5 };
}

function border(node: Placed, x: number, y: number) {
  const dx = x - node.x;
  const dy = y - node.y;
  const scale = Math.min(
    (node.width / 2 + 3) / Math.max(1e-6, Math.abs(dx)),
    (NODE_HEIGHT / 2 + 3) / Math.max(1e-6, Math.abs(dy)),
  );
  return { x: node.x + dx * Math.min(1, scale), y: node.y + dy * Math.min(1, scale) };
}
