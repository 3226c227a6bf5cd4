// The schema as the editor holds it: an ordered tree of labels. All changes return a new tree.

export interface LabelNode {
  /** Stable while editing; never sent. */
  id: string;
  label: string;
  children: LabelNode[];
}

let counter = 0;

export function newNode(label = '', children: LabelNode[] = []): LabelNode {
  counter += 1;
  return { id: `n${counter}`, label, children };
}

/** A tree from a short form: `{组织机构: ['董事长(人物)']}`, `['人物']`, or null for no labels. */
export type Short = readonly (string | ShortGroup)[] | ShortGroup | null;
export interface ShortGroup {
  readonly [label: string]: Short;
}

export function treeOf(short: Short): LabelNode[] {
  if (short === null) return [];
  if (Array.isArray(short)) {
    return short.flatMap((item) => (typeof item === 'string' ? [newNode(item)] : treeOf(item)));
  }
  return Object.entries(short as ShortGroup).map(([label, below]) => newNode(label, treeOf(below)));
}

export function countLabels(tree: readonly LabelNode[]): number {
  return tree.reduce((sum, node) => sum + 1 + countLabels(node.children), 0);
}

export function depthOf(tree: readonly LabelNode[]): number {
  return tree.reduce((depth, node) => Math.max(depth, 1 + depthOf(node.children)), 0);
}

/** All labels, parents first. */
export function labelsOf(tree: readonly LabelNode[]): string[] {
  return tree.flatMap((node) => [node.label, ...labelsOf(node.children)]);
}

export function pathOf(tree: readonly LabelNode[], id: string): number[] | null {
  for (let i = 0; i < tree.length; i += 1) {
    const node = tree[i] as LabelNode;
    if (node.id === id) return [i];
    const below = pathOf(node.children, id);
    if (below) return [i, ...below];
  }
  return null;
}

export function findNode(tree: readonly LabelNode[], id: string): LabelNode | null {
  for (const node of tree) {
    const found = node.id === id ? node : findNode(node.children, id);
    if (found) return found;
  }
  return null;
}

/** Applies `change` to the list of siblings that holds the node. */
function editSiblings(
  tree: readonly LabelNode[],
  id: string,
  change: (siblings: readonly LabelNode[], at: number) => LabelNode[],
): LabelNode[] {
  const at = tree.findIndex((node) => node.id === id);
  if (at >= 0) return change(tree, at);
  return tree.map((node) => {
    const children = editSiblings(node.children, id, change);
    return children.some((c, i) => c !== node.children[i]) ||
      children.length !== node.children.length
      ? { ...node, children }
      : node;
  });
}

export function rename(tree: readonly LabelNode[], id: string, label: string): LabelNode[] {
  return editSiblings(tree, id, (siblings) =>
    siblings.map((n) => (n.id === id ? { ...n, label } : n)),
  );
}

export function remove(tree: readonly LabelNode[], id: string): LabelNode[] {
  return editSiblings(tree, id, (siblings) => siblings.filter((n) => n.id !== id));
}

export function addChild(tree: readonly LabelNode[], parent: string, node: LabelNode): LabelNode[] {
  return editSiblings(tree, parent, (siblings) =>
    siblings.map((n) => (n.id === parent ? { ...n, children: [...n.children, node] } : n)),
  );
}

export function addAfter(tree: readonly LabelNode[], id: string, node: LabelNode): LabelNode[] {
  return editSiblings(tree, id, (siblings, at) => siblings.toSpliced(at + 1, 0, node));
}

/** Among its siblings, by `by` places; at the ends nothing happens. */
export function shift(tree: readonly LabelNode[], id: string, by: number): LabelNode[] {
  return editSiblings(tree, id, (siblings, at) => {
    const to = Math.max(0, Math.min(siblings.length - 1, at + by));
    const node = siblings[at] as LabelNode;
    return siblings.toSpliced(at, 1).toSpliced(to, 0, node);
  });
}

/** Below its upper neighbour. */
export function indent(tree: readonly LabelNode[], id: string): LabelNode[] {
  return editSiblings(tree, id, (siblings, at) => {
    if (at === 0) return [...siblings];
    const node = siblings[at] as LabelNode;
    const above = siblings[at - 1] as LabelNode;
    return siblings.toSpliced(at - 1, 2, { ...above, children: [...above.children, node] });
  });
}

/** Behind its parent. */
export function outdent(tree: readonly LabelNode[], id: string): LabelNode[] {
  const path = pathOf(tree, id);
  const node = findNode(tree, id);
  if (!path || path.length < 2 || !node) return [...tree];
  let siblings: readonly LabelNode[] = tree;
  let parent: LabelNode | undefined;
  for (const step of path.slice(0, -1)) {
    parent = siblings[step];
    siblings = parent?.children ?? [];
  }
  return parent ? addAfter(remove(tree, id), parent.id, node) : [...tree];
}

export type Place = 'before' | 'after' | 'inside';

/** Drag and drop. A node dropped on itself or into its own branch stays where it is. */
export function move(
  tree: readonly LabelNode[],
  id: string,
  target: string,
  place: Place,
): LabelNode[] {
  const node = findNode(tree, id);
  if (!node || id === target || findNode(node.children, target)) return [...tree];
  const rest = remove(tree, id);
  if (place === 'inside') return addChild(rest, target, node);
  return editSiblings(rest, target, (siblings, at) =>
    siblings.toSpliced(place === 'before' ? at : at + 1, 0, node),
  );
}

/** Labels typed or pasted as a list: commas, Chinese commas, semicolons, tabs and line breaks part them. */
export function splitLabels(text: string): string[] {
  return text
    .split(/[,，、;；\t\n\r]+/)
    .map((label) => label.trim())
    .filter((label) => label !== '');
}

export function withoutEmpty(tree: readonly LabelNode[]): LabelNode[] {
  return tree
    .filter((node) => node.label.trim() !== '' || node.children.length > 0)
    .map((node) => ({ ...node, children: withoutEmpty(node.children) }));
}
