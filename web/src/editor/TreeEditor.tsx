// Labels in a tree: subjects with relations, events with roles, classes with subclasses.
import { type DragEvent, type KeyboardEvent, useRef, useState } from 'react';
import { useWords } from '../i18n/i18n';
import {
  addAfter,
  addChild,
  indent,
  type LabelNode,
  move,
  newNode,
  outdent,
  type Place,
  remove,
  rename,
  shift,
} from '../schema/tree';
import type { TaskId } from '../tasks/tasks';

type Wording = 'relation' | 'event' | 'hierarchical' | 'other';

export function wordingOf(task: TaskId): Wording {
  return task === 'relation' || task === 'event' || task === 'hierarchical' ? task : 'other';
}

export function TreeEditor(props: {
  task: TaskId;
  tree: readonly LabelNode[];
  levels: number;
  faults: ReadonlyMap<string, string>;
  onChange: (tree: LabelNode[]) => void;
}) {
  const t = useWords();
  const { tree, levels, faults, onChange } = props;
  const words = wordingOf(props.task);
  const root = useRef<HTMLDivElement>(null);
  const dragged = useRef<string | null>(null);
  const [over, setOver] = useState<{ id: string; place: Place } | null>(null);

  const focusNode = (id: string, part: 'input' | '.handle') =>
    setTimeout(() =>
      root.current?.querySelector<HTMLElement>(`[data-node="${id}"] ${part}`)?.focus(),
    );

  const add = (parent: string | null) => {
    const node = newNode();
    onChange(parent ? addChild(tree, parent, node) : [...tree, node]);
    focusNode(node.id, 'input');
  };

  const handleKeys = (event: KeyboardEvent, id: string) => {
    if (!event.altKey) return;
    const changed =
      event.key === 'ArrowUp'
        ? shift(tree, id, -1)
        : event.key === 'ArrowDown'
          ? shift(tree, id, 1)
          : event.key === 'ArrowRight'
            ? indent(tree, id)
            : event.key === 'ArrowLeft'
              ? outdent(tree, id)
              : null;
    if (!changed) return;
    event.preventDefault();
    const part = event.target instanceof HTMLInputElement ? 'input' : '.handle';
    onChange(changed);
    focusNode(id, part);
  };

  const placeOf = (event: DragEvent<HTMLElement>, depth: number): Place => {
    const box = event.currentTarget.getBoundingClientRect();
    const y = (event.clientY - box.top) / box.height;
    if (depth < levels && y > 0.3 && y < 0.7) return 'inside';
    return y < 0.5 ? 'before' : 'after';
  };

  const rows = (nodes: readonly LabelNode[], depth: number) => (
    <ul className="tree">
      {nodes.map((node) => {
        const fault = faults.get(node.id);
        return (
          <li key={node.id}>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: a drop target; the keyboard moves rows with Alt and arrows */}
            <div
              className={`tree-row${fault ? ' bad' : ''}${over?.id === node.id ? ` drop-${over.place}` : ''}`}
              data-node={node.id}
              onDragOver={(event) => {
                if (dragged.current === null) return;
                event.preventDefault();
                setOver({ id: node.id, place: placeOf(event, depth) });
              }}
              onDragLeave={() => setOver(null)}
              onDrop={(event) => {
                event.preventDefault();
                if (dragged.current !== null)
                  onChange(move(tree, dragged.current, node.id, placeOf(event, depth)));
                dragged.current = null;
                setOver(null);
              }}
            >
              <button
                type="button"
                className="handle"
                draggable
                aria-label={t.schema.drag(node.label)}
                onKeyDown={(event) => handleKeys(event, node.id)}
                onDragStart={(event) => {
                  dragged.current = node.id;
                  event.dataTransfer.setData('text/plain', node.label);
                  event.dataTransfer.effectAllowed = 'move';
                }}
                onDragEnd={() => {
                  dragged.current = null;
                  setOver(null);
                }}
              >
                ⠿
              </button>
              <input
                value={node.label}
                aria-label={
                  depth === 1 ? t.schema.rootPlaceholder[words] : t.schema.childPlaceholder[words]
                }
                aria-invalid={fault !== undefined}
                placeholder={
                  depth === 1 ? t.schema.rootPlaceholder[words] : t.schema.childPlaceholder[words]
                }
                onChange={(event) => onChange(rename(tree, node.id, event.target.value))}
                onKeyDown={(event) => {
                  handleKeys(event, node.id);
                  if (
                    event.key !== 'Enter' ||
                    event.nativeEvent.isComposing ||
                    event.ctrlKey ||
                    event.metaKey
                  )
                    return;
                  event.preventDefault();
                  const next = newNode();
                  onChange(addAfter(tree, node.id, next));
                  focusNode(next.id, 'input');
                }}
              />
              {depth < levels && (
                <button
                  type="button"
                  className="small quiet"
                  onClick={() => add(node.id)}
                  title={t.schema.addChild[words]}
                  aria-label={t.schema.addChild[words]}
                >
                  <span aria-hidden="true">+ </span>
                  <span className="wide-only">{t.schema.addChild[words]}</span>
                </button>
              )}
              <button
                type="button"
                className="chip-x"
                aria-label={t.schema.remove(node.label)}
                onClick={() => onChange(remove(tree, node.id))}
              >
                ×
              </button>
            </div>
            {fault && <p className="fault">{fault}</p>}
            {node.children.length > 0 && rows(node.children, depth + 1)}
          </li>
        );
      })}
    </ul>
  );

  return (
    <div ref={root}>
      {rows(tree, 1)}
      <button type="button" className="small" onClick={() => add(null)}>
        <span aria-hidden="true">+ </span>
        {t.schema.addRoot[words]}
      </button>
    </div>
  );
}
