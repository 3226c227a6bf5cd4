// The tree of classes with the scores that were asked; the chosen path stands out.
import { formatConfidence, useWords } from '../i18n/i18n';
import type { LabelNode } from '../schema/tree';
import type { TaskResult } from '../tasks/answer';

export function ClassTree({ tree, result }: { tree: readonly LabelNode[]; result: TaskResult }) {
  const t = useWords();
  const scores = new Map(
    result.scores?.map((s) => [(s.path ?? [s.label]).join('\u0000'), s.confidence]),
  );
  const chosen = new Set(
    (result.paths ?? []).flatMap((p) =>
      p.path.map((_, i) => p.path.slice(0, i + 1).join('\u0000')),
    ),
  );
  const level = (nodes: readonly LabelNode[], above: string[]) => (
    <ul className="class-tree">
      {nodes.map((node) => {
        const path = [...above, node.label];
        const key = path.join('\u0000');
        const score = scores.get(key);
        return (
          <li key={node.id}>
            <div
              className={chosen.has(key) ? 'chosen' : score === undefined ? 'unasked' : undefined}
            >
              {chosen.has(key) && (
                <span role="img" aria-label={t.result.chosen}>
                  ✓
                </span>
              )}
              <bdi>{node.label}</bdi>
              {score !== undefined && (
                <>
                  <span className="bar mini">
                    <span style={{ width: `${score * 100}%` }} />
                  </span>
                  <span className="number">{formatConfidence(score)}</span>
                </>
              )}
            </div>
            {node.children.length > 0 && level(node.children, path)}
          </li>
        );
      })}
    </ul>
  );
  return level(tree, []);
}
