// What a user has filled in for one task.
import type { LabelNode } from '../schema/tree';
import { treeOf } from '../schema/tree';
import type { TaskId } from './tasks';

export interface TaskInput {
  text: string;
  tree: LabelNode[];
  /** JSON that the tree cannot show; while it stands, it is what is sent. */
  schemaText: string | null;
  /** matching */
  text1: string;
  text2: string;
  mode: 'similar' | 'nli' | 'custom';
  prompt: string;
  symmetric: boolean;
  labels: string[];
  /** reading */
  questions: string[];
  choices: string[];
  /** coref */
  pronouns: string[];
  candidates: string[];
  /** sentiment */
  level: 'aspect' | 'sentence';
  /** absa, sentiment */
  implicitAspect: boolean;
  /** hierarchical */
  multi: boolean;
  stopEarly: boolean;
  /** Options; null: the server's default. */
  threshold: number | null;
  maxSpans: number | null;
  maxLength: number | null;
  overlap: 'all' | 'longest' | 'score';
}

export function emptyInput(): TaskInput {
  return {
    text: '',
    tree: treeOf(null),
    schemaText: null,
    text1: '',
    text2: '',
    mode: 'similar',
    prompt: '',
    symmetric: false,
    labels: [],
    questions: [],
    choices: [],
    pronouns: [],
    candidates: [],
    level: 'aspect',
    implicitAspect: false,
    multi: false,
    stopEarly: false,
    threshold: null,
    maxSpans: null,
    maxLength: null,
    overlap: 'all',
  };
}

export type Inputs = Record<TaskId, TaskInput>;
