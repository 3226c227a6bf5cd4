// The schema as JSON text and back. Text is written by hand, not by JSON.stringify: an object of
// JavaScript cannot hold a label twice and would move labels that look like numbers to the front.
import { type LabelNode, newNode } from './tree';

const quote = (label: string) => JSON.stringify(label);

/** On one line, for requests. */
export function compactJson(tree: readonly LabelNode[]): string {
  return `{${tree.map((n) => `${quote(n.label)}:${n.children.length ? compactJson(n.children) : 'null'}`).join(',')}}`;
}

/** Indented, for reading. */
export function prettyJson(tree: readonly LabelNode[], indent = ''): string {
  if (tree.length === 0) return '{}';
  const inner = `${indent}  `;
  const lines = tree.map(
    (n) =>
      `${inner}${quote(n.label)}: ${n.children.length ? prettyJson(n.children, inner) : 'null'}`,
  );
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

export type Parsed =
  | { kind: 'tree'; tree: LabelNode[] }
  /** JSON, but of a form that the tree cannot show; the server judges it. */
  | { kind: 'other' }
  | { kind: 'broken'; message: string; line: number };

/** Reads the forms that have a tree: objects, lists of labels, one label. */
export function parseSchema(text: string): Parsed {
  const reader = new Reader(text);
  try {
    const tree = reader.document();
    return tree ? { kind: 'tree', tree } : { kind: 'other' };
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return { kind: 'broken', message: fault.message, line: lineAt(text, fault.at) };
  }
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = 0; i < offset && i < text.length; i += 1) if (text[i] === '\n') line += 1;
  return line;
}

class Fault extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

type Place = { pointer: string; at: number };

// A reader of its own because JSON.parse drops repeated keys and their order, and tells no places.
class Reader {
  private at = 0;
  readonly places: Place[] = [];
  constructor(private readonly text: string) {}

  document(): LabelNode[] | null {
    const value = this.value('');
    this.blanks();
    if (this.at < this.text.length) throw new Fault('unexpected character', this.at);
    return topLevel(value);
  }

  private blanks() {
    while (/\s/.test(this.text[this.at] ?? '')) this.at += 1;
  }

  private take(character: string) {
    this.blanks();
    if (this.text[this.at] !== character) throw new Fault(`expected ${character}`, this.at);
    this.at += 1;
  }

  private next(): string {
    this.blanks();
    return this.text[this.at] ?? '';
  }

  private value(pointer: string): Value {
    const first = this.next();
    this.places.push({ pointer, at: this.at });
    if (first === '{') return this.object(pointer);
    if (first === '[') return this.list(pointer);
    if (first === '"') return this.string();
    for (const word of ['null', 'true', 'false']) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return word === 'null' ? null : { kind: 'other' };
      }
    }
    const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?/.exec(this.text.slice(this.at, this.at + 40));
    if (!number) throw new Fault('expected a value', this.at);
    this.at += number[0].length;
    return { kind: 'other' };
  }

  private object(pointer: string): Value {
    this.take('{');
    const entries: [string, Value][] = [];
    if (this.next() === '}') {
      this.at += 1;
      return { kind: 'object', entries };
    }
    for (;;) {
      this.blanks();
      const key = this.string();
      this.take(':');
      entries.push([key, this.value(`${pointer}/${escapePointer(key)}`)]);
      if (this.next() !== ',') break;
      this.at += 1;
    }
    this.take('}');
    return { kind: 'object', entries };
  }

  private list(pointer: string): Value {
    this.take('[');
    const items: Value[] = [];
    if (this.next() === ']') {
      this.at += 1;
      return { kind: 'list', items };
    }
    for (;;) {
      items.push(this.value(`${pointer}/${items.length}`));
      if (this.next() !== ',') break;
      this.at += 1;
    }
    this.take(']');
    return { kind: 'list', items };
  }

  private string(): string {
    const start = this.at;
    if (this.text[start] !== '"') throw new Fault('expected "', start);
    for (let i = start + 1; i < this.text.length; i += 1) {
      if (this.text[i] === '\\') i += 1;
      else if (this.text[i] === '"') {
        this.at = i + 1;
        try {
          return JSON.parse(this.text.slice(start, i + 1)) as string;
        } catch {
          throw new Fault('bad string', start);
        }
      }
    }
    throw new Fault('string without end', start);
  }
}

type Value =
  | null
  | string
  | { kind: 'object'; entries: [string, Value][] }
  | { kind: 'list'; items: Value[] }
  | { kind: 'other' };

function topLevel(value: Value): LabelNode[] | null {
  if (typeof value === 'string') return /^\s*[{[]/.test(value) ? null : [newNode(value)];
  return children(value);
}

function children(value: Value): LabelNode[] | null {
  if (value === null) return [];
  if (typeof value === 'string') return value === '' ? [] : null;
  if (value.kind === 'object') {
    const nodes: LabelNode[] = [];
    for (const [label, below] of value.entries) {
      // References are a form of their own; the server expands them.
      if (label === '$ref' || label === '$defs') return null;
      const inner = children(below);
      if (!inner) return null;
      nodes.push(newNode(label, inner));
    }
    return nodes;
  }
  if (value.kind === 'list') {
    const nodes: LabelNode[] = [];
    for (const item of value.items) {
      if (typeof item === 'string') nodes.push(newNode(item));
      else if (item !== null && item.kind === 'object') {
        const inner = children(item);
        if (!inner) return null;
        nodes.push(...inner);
      } else return null;
    }
    return nodes;
  }
  return null;
}

export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The line of the value that a JSON pointer names; of its nearest ancestor when it is not there. */
export function lineOfPointer(text: string, pointer: string): number | null {
  const reader = new Reader(text);
  try {
    reader.document();
  } catch {
    // Places read before the fault are still good.
  }
  for (let wanted = pointer; ; wanted = wanted.slice(0, wanted.lastIndexOf('/'))) {
    const place = reader.places.findLast((p) => p.pointer === wanted);
    if (place) return lineAt(text, place.at);
    if (wanted === '') return null;
  }
}

/** The node that a JSON pointer into the tree's own JSON names. */
export function nodeAtPointer(tree: readonly LabelNode[], pointer: string): LabelNode | null {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let siblings = tree;
  let node: LabelNode | null = null;
  for (const step of steps) {
    // The last of equal labels: that is the one that the server complains about.
    const found = siblings.findLast((n) => n.label === step);
    if (!found) return node;
    node = found;
    siblings = found.children;
  }
  return node;
}
