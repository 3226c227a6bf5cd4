// The eleven tasks as the page knows them: how the schema is edited, which fields they have, and how
// their answers are drawn. Names and wording are in the dictionaries.

export const TASKS = [
  'ner',
  'relation',
  'event',
  'absa',
  'sentiment',
  'coref',
  'classification',
  'multi_label',
  'hierarchical',
  'matching',
  'reading',
] as const;

export type TaskId = (typeof TASKS)[number];

export const TASK_GROUPS: readonly {
  id: 'extract' | 'opinion' | 'classify' | 'understand';
  tasks: readonly TaskId[];
}[] = [
  { id: 'extract', tasks: ['ner', 'relation', 'event'] },
  { id: 'opinion', tasks: ['absa', 'sentiment'] },
  { id: 'classify', tasks: ['classification', 'multi_label', 'hierarchical'] },
  { id: 'understand', tasks: ['coref', 'matching', 'reading'] },
];

export interface TaskShape {
  /** `chips`: one level; `tree`: nested; `none`: no schema of its own. */
  editor: 'chips' | 'tree' | 'none';
  /** Levels that the editor offers. */
  levels: number;
  /** Threshold of the server when the request names none. */
  threshold: number;
  /** Without labels the server uses its own. */
  schemaOptional: boolean;
  /** One text; `matching` has two instead. */
  text: boolean;
}

export const SHAPES: Record<TaskId, TaskShape> = {
  ner: { editor: 'chips', levels: 1, threshold: 0.5, schemaOptional: false, text: true },
  relation: { editor: 'tree', levels: 3, threshold: 0.5, schemaOptional: false, text: true },
  event: { editor: 'tree', levels: 2, threshold: 0.5, schemaOptional: false, text: true },
  absa: { editor: 'tree', levels: 2, threshold: 0.5, schemaOptional: true, text: true },
  sentiment: { editor: 'tree', levels: 2, threshold: 0.5, schemaOptional: true, text: true },
  coref: { editor: 'none', levels: 1, threshold: 0.5, schemaOptional: true, text: true },
  classification: { editor: 'chips', levels: 1, threshold: 0.5, schemaOptional: false, text: true },
  multi_label: { editor: 'chips', levels: 1, threshold: 0.9, schemaOptional: false, text: true },
  hierarchical: { editor: 'tree', levels: 6, threshold: 0.5, schemaOptional: false, text: true },
  matching: { editor: 'none', levels: 1, threshold: 0.5, schemaOptional: true, text: false },
  reading: { editor: 'none', levels: 1, threshold: 0.5, schemaOptional: true, text: true },
};

export function isTask(name: string): name is TaskId {
  return (TASKS as readonly string[]).includes(name);
}
