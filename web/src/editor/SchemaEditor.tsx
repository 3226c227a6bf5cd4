// What to find: chips or a tree, the JSON beside it in step, checked by the server while editing.
import { useMemo, useState } from 'react';
import { useWords } from '../i18n/i18n';
import { lineOfPointer, nodeAtPointer, parseSchema, prettyJson } from '../schema/json';
import { depthOf, type LabelNode, move, newNode, remove, rename, shift } from '../schema/tree';
import type { TaskInput } from '../tasks/input';
import { schemaJson } from '../tasks/request';
import { SHAPES, type TaskId } from '../tasks/tasks';
import { Tabs } from '../ui/Tabs';
import { Chips } from './Chips';
import { CostLine } from './CostLine';
import { PresetMenu } from './PresetMenu';
import { TreeEditor } from './TreeEditor';
import { schemaPointer, useCheck } from './use-check';

export function SchemaEditor(props: {
  task: TaskId;
  input: TaskInput;
  onChange: (change: Partial<TaskInput>) => void;
}) {
  const t = useWords();
  const { task, input, onChange } = props;
  const [view, setView] = useState<'form' | 'json'>('form');
  // While it does not parse, what is typed lives here and nowhere else.
  const [draft, setDraft] = useState<string | null>(null);
  const shape = SHAPES[task];

  const written = input.schemaText ?? prettyJson(input.tree);
  const parsed = useMemo(() => (draft === null ? null : parseSchema(draft)), [draft]);
  const sent = parsed?.kind === 'broken' ? null : schemaJson(task, input);
  const check = useCheck(task, sent);

  const faults = useMemo(() => {
    const found = new Map<string, string>();
    const note = (param: string | undefined, message: string) => {
      const node = nodeAtPointer(input.tree, schemaPointer(param));
      if (node) found.set(node.id, message);
    };
    if (check.state === 'bad') {
      const { param, error = '', error_zh: zh } = check.error.body;
      note(param, t.lang === 'zh-CN' && zh ? zh : error);
    }
    return found;
  }, [check, input.tree, t]);

  const setTree = (tree: LabelNode[]) => {
    setDraft(null);
    onChange({ tree, schemaText: null });
  };
  const setJson = (text: string) => {
    setDraft(text);
    const result = parseSchema(text);
    if (result.kind === 'tree') onChange({ tree: result.tree, schemaText: null });
    if (result.kind === 'other') onChange({ schemaText: text });
  };

  const faultLine =
    parsed?.kind === 'broken'
      ? parsed.line
      : check.state === 'bad'
        ? lineOfPointer(draft ?? written, schemaPointer(check.error.body.param))
        : null;
  const asTree = shape.editor === 'tree' || depthOf(input.tree) > 1;
  const title = ['classification', 'multi_label', 'hierarchical'].includes(task)
    ? t.schema.titleClass
    : t.schema.title;

  return (
    <section className="schema" aria-label={title}>
      <div className="schema-head">
        <h2>{title}</h2>
        <Tabs
          label={title}
          name="schema"
          current={view}
          onPick={(next) => {
            setView(next);
            setDraft(null);
          }}
          tabs={[
            { id: 'form', name: t.schema.form },
            { id: 'json', name: t.schema.json },
          ]}
        />
        <PresetMenu task={task} input={input} />
      </div>
      <div id="schema-panel" role="tabpanel" aria-labelledby={`schema-${view}`}>
        {view === 'json' ? (
          <textarea
            className="code"
            aria-label={t.schema.jsonLabel}
            aria-invalid={faultLine !== null}
            spellCheck={false}
            rows={Math.min(16, Math.max(6, (draft ?? written).split('\n').length + 1))}
            value={draft ?? written}
            onChange={(event) => setJson(event.target.value)}
          />
        ) : input.schemaText !== null ? (
          <>
            <p className="note">{t.schema.jsonOther}</p>
            <pre className="code">{input.schemaText}</pre>
          </>
        ) : asTree ? (
          <TreeEditor
            task={task}
            tree={input.tree}
            levels={Math.max(shape.levels, depthOf(input.tree))}
            faults={faults}
            onChange={setTree}
          />
        ) : (
          <Chips
            label={title}
            chips={input.tree}
            placeholder={t.schema.chipPlaceholder}
            faults={faults}
            onAdd={(labels) => {
              const known = new Set(input.tree.map((n) => n.label));
              setTree([
                ...input.tree,
                ...labels.filter((l) => !known.has(l)).map((l) => newNode(l)),
              ]);
            }}
            onRename={(id, label) =>
              setTree(label === '' ? remove(input.tree, id) : rename(input.tree, id, label))
            }
            onRemove={(id) => setTree(remove(input.tree, id))}
            onShift={(id, by) => setTree(shift(input.tree, id, by))}
            onDrop={(id, target, place) => setTree(move(input.tree, id, target, place))}
          />
        )}
        {view === 'form' && input.schemaText === null && (
          <p className="fine">{asTree ? t.schema.treeHelp : t.schema.chipHelp}</p>
        )}
        {shape.schemaOptional && input.tree.length === 0 && input.schemaText === null && (
          <p className="fine">{t.schema.optional}</p>
        )}
      </div>
      <CostLine check={check} line={faultLine} broken={parsed?.kind === 'broken'} />
    </section>
  );
}
