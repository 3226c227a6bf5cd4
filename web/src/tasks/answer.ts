// The server's answer, and the reading of it that the views share.
import { type CodePointIndex, indexText } from '../text/code-points';
import { mergeEqual, type Span } from '../text/layers';

export interface Step {
  type: string;
  span: string | null;
  offset: [number, number] | null;
  confidence: number;
}
export type Chain = Step[];

export interface Score {
  label?: string;
  path?: string[];
  confidence: number;
}

export interface Warning {
  code: string;
  message: string;
  param?: string;
}

export interface CorefLink {
  pronoun: { text: string; start: number; end: number };
  antecedent: { text: string; start: number; end: number } | null;
  confidence: number;
  accepted: boolean;
  scores: { candidate: string; start?: number; end?: number; yes: number; no: number }[];
}

/** The union of what the tasks put into `result`; each view reads its own part. */
export interface TaskResult {
  label?: string | null;
  labels?: Score[];
  confidence?: number;
  fallback?: boolean;
  abstained?: boolean;
  scores?: Score[];
  polarity?: string | null;
  summary?: Record<string, number>;
  paths?: { path: string[]; confidence: number }[];
  links?: CorefLink[];
  resolved_text?: string;
  choice?: string;
  unanswered?: string[];
  events?: {
    event_type: string;
    trigger: { text: string; start: number; end: number };
    missing_roles?: string[];
  }[];
  [key: string]: unknown;
}

export interface Answer {
  task: string;
  output: Chain[];
  result: TaskResult;
  usage?: Record<string, number | boolean>;
  warnings?: Warning[];
  timing_ms?: Record<string, number>;
  memory?: Record<string, number>;
  model?: { name?: string; version?: string; device?: string; precision?: string };
  request_id?: string;
  debug?: Record<string, unknown>;
}

/** Chains whose every step is at least as sure as the slider says. */
export function filterChains(chains: readonly Chain[], least: number): Chain[] {
  return chains.filter((chain) => chain.every((step) => step.confidence >= least));
}

export function isExtraction(answer: Answer): boolean {
  return answer.output.some((chain) => chain.some((step) => step.offset !== null));
}

/** Spans of all chains, in UTF-16 offsets of the text that was sent. */
export function spansOf(chains: readonly Chain[], text: string): Span[] {
  const index = indexText(text);
  return mergeEqual(
    chains.flatMap((chain) =>
      chain.flatMap((step) => (step.offset ? [toSpan(step, step.offset, index)] : [])),
    ),
  );
}

function toSpan(step: Step, [start, end]: [number, number], index: CodePointIndex): Span {
  return {
    start: index.toUtf16(start),
    end: index.toUtf16(end),
    label: step.type,
    confidence: step.confidence,
  };
}

/** `董事长(人物)` → relation and type of its object. */
export function splitType(label: string): { name: string; type: string | null } {
  const match = /^(.+?)[(（]([^()（）]+)[)）]$/.exec(label);
  return match
    ? { name: match[1] as string, type: match[2] as string }
    : { name: label, type: null };
}

export interface GraphNode {
  id: string;
  text: string;
  label: string;
}
export interface GraphEdge {
  from: string;
  to: string;
  label: string;
  confidence: number;
}

/** Relations and events as a graph: a step is a node, the next step's label names the edge. */
export function graphOf(chains: readonly Chain[]): { nodes: GraphNode[]; edges: GraphEdge[] } {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  const idOf = (step: Step) => `${step.offset?.join('-') ?? ''} ${step.span ?? step.type}`;
  for (const chain of chains) {
    chain.forEach((step, i) => {
      const id = idOf(step);
      const { name, type } = splitType(step.type);
      // A subject's own label says more than the role in which the same words were found.
      if (!nodes.has(id) || i === 0) {
        nodes.set(id, { id, text: step.span ?? step.type, label: i === 0 ? name : (type ?? name) });
      }
      const before = chain[i - 1];
      if (!before) return;
      const from = idOf(before);
      edges.set(`${from}|${id}|${name}`, {
        from,
        to: id,
        label: name,
        confidence: step.confidence,
      });
    });
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

/** Chains grouped by their first step: the pairs, triples and events of one head. */
export function groupByHead(chains: readonly Chain[]): { head: Step; rest: Chain[] }[] {
  const groups = new Map<string, { head: Step; rest: Chain[] }>();
  for (const chain of chains) {
    const head = chain[0];
    if (!head) continue;
    const key = `${head.type}|${head.offset?.join('-')}|${head.span}`;
    const group = groups.get(key) ?? { head, rest: [] };
    if (chain.length > 1) group.rest.push(chain.slice(1));
    groups.set(key, group);
  }
  return [...groups.values()];
}

export function scoreName(score: Score): string {
  return score.label ?? score.path?.join(' › ') ?? '';
}

/** Labels that the answer chose, as names of `scores`. */
export function chosenOf(result: TaskResult): Set<string> {
  if (result.paths) return new Set(result.paths.map((p) => p.path.join(' › ')));
  if (result.labels) return new Set(result.labels.map(scoreName));
  const one = result.label ?? result.choice;
  return new Set(one ? [one] : []);
}
