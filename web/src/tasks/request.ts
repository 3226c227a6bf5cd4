// From what is filled in to the body of the request, as text: the schema keeps its order and its faults.
import { compactJson } from '../schema/json';
import { withoutEmpty } from '../schema/tree';
import { wellFormed } from '../text/code-points';
import type { TaskInput } from './input';
import { SHAPES, type TaskId } from './tasks';

const filled = (list: readonly string[]) => list.map((s) => s.trim()).filter((s) => s !== '');

/** The schema to send, or null where the server's own is meant. */
export function schemaJson(task: TaskId, input: TaskInput): string | null {
  if (SHAPES[task].editor === 'none') return null;
  if (input.schemaText !== null) return input.schemaText;
  const tree = withoutEmpty(input.tree);
  if (tree.length === 0) return SHAPES[task].schemaOptional ? null : '{}';
  return compactJson(tree);
}

function ownFields(task: TaskId, input: TaskInput): Record<string, unknown> {
  const f: Record<string, unknown> = {};
  if (task === 'matching') {
    f.text1 = wellFormed(input.text1);
    f.text2 = wellFormed(input.text2);
    f.mode = input.mode;
    if (input.mode === 'custom') {
      f.labels = filled(input.labels);
      if (input.prompt.trim() !== '') f.prompt = input.prompt;
    }
    if (input.symmetric) f.symmetric = true;
  }
  if (task === 'reading') {
    const questions = filled(input.questions);
    const choices = filled(input.choices);
    if (choices.length > 0) {
      f.question = questions[0] ?? '';
      f.choices = choices;
    } else f.questions = questions;
  }
  if (task === 'coref') {
    const pronouns = filled(input.pronouns);
    const candidates = filled(input.candidates);
    if (pronouns.length > 0) f.pronoun = pronouns;
    if (candidates.length > 0) f.candidates = candidates;
  }
  if (task === 'sentiment' && input.level === 'sentence') f.level = 'sentence';
  if (task === 'hierarchical') {
    if (input.multi) f.multi = true;
    if (input.stopEarly) f.stop_early = true;
  }
  return f;
}

function optionsOf(task: TaskId, input: TaskInput): Record<string, unknown> {
  const o: Record<string, unknown> = {};
  if (input.threshold !== null) o.threshold = input.threshold;
  if (input.maxSpans !== null) o.max_span_num = input.maxSpans;
  if (input.maxLength !== null) o.max_length = input.maxLength;
  if (input.overlap !== 'all') o.overlap = input.overlap;
  if ((task === 'absa' || task === 'sentiment') && input.implicitAspect) o.implicit_aspect = true;
  return o;
}

/** Fields of a request but the schema, in the order in which they are shown. */
export function requestFields(task: TaskId, input: TaskInput): Record<string, unknown> {
  const options = optionsOf(task, input);
  return {
    ...(SHAPES[task].text ? { text: wellFormed(input.text) } : {}),
    ...ownFields(task, input),
    ...(Object.keys(options).length > 0 ? { options } : {}),
  };
}

/** JSON with the schema spliced in as written. */
export function withSchema(fields: Record<string, unknown>, schema: string | null): string {
  const body = JSON.stringify(fields);
  if (schema === null) return body;
  return `${body.slice(0, -1)}${body.length > 2 ? ',' : ''}"schema":${schema}}`;
}

export function requestBody(task: TaskId, input: TaskInput): string {
  return withSchema(requestFields(task, input), schemaJson(task, input));
}

/** What is missing before a request makes sense; null when nothing is. */
export function missing(
  task: TaskId,
  input: TaskInput,
): 'text' | 'texts' | 'questions' | 'schema' | 'labels' | null {
  if (SHAPES[task].text && input.text.trim() === '') return 'text';
  if (task === 'matching') {
    if (input.text1.trim() === '' || input.text2.trim() === '') return 'texts';
    if (input.mode === 'custom' && filled(input.labels).length < 2) return 'labels';
  }
  if (task === 'reading' && filled(input.questions).length === 0) return 'questions';
  if (!SHAPES[task].schemaOptional && schemaJson(task, input) === '{}') return 'schema';
  return null;
}
