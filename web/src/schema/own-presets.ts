// One's own presets: in this browser, and in files to hand on.

import { freeze, thaw } from '../state/address';
import { isRecord, load, save } from '../state/local';
import { emptyInput, type TaskInput } from '../tasks/input';
import { isTask, type TaskId } from '../tasks/tasks';

export interface OwnPreset {
  name: string;
  task: TaskId;
  input: unknown;
}

const isPreset = (value: unknown): value is OwnPreset =>
  isRecord(value) &&
  typeof value.name === 'string' &&
  isTask(String(value.task)) &&
  isRecord(value.input);

const isPresets = (value: unknown): value is OwnPreset[] =>
  Array.isArray(value) && value.every(isPreset);

export function readOwn(): OwnPreset[] {
  return load('presets', isPresets) ?? [];
}

export function writeOwn(presets: readonly OwnPreset[]): boolean {
  return save('presets', presets);
}

/** The texts stay out: a preset says what to find, not where. */
export function presetOf(name: string, task: TaskId, input: TaskInput): OwnPreset {
  return { name, task, input: freeze({ ...input, text: '', text1: '', text2: '' }) };
}

export function withPreset(presets: readonly OwnPreset[], added: OwnPreset): OwnPreset[] {
  return [...presets.filter((p) => p.name !== added.name || p.task !== added.task), added];
}

/** What is in the form stays where the preset says nothing of it. */
export function applyPreset(preset: OwnPreset, current: TaskInput): TaskInput {
  const { text, text1, text2 } = current;
  return { ...emptyInput(), ...thaw(preset.input), text, text1, text2 };
}

export function exportPresets(presets: readonly OwnPreset[]): string {
  return JSON.stringify({ format: 'rexuninlu-presets', version: 1, presets }, null, 2);
}

export function importPresets(text: string): OwnPreset[] | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || value.format !== 'rexuninlu-presets' || !isPresets(value.presets))
      return null;
    // Only what a form can hold comes in.
    return value.presets.map((p) => ({
      name: p.name.slice(0, 100),
      task: p.task,
      input: freeze(thaw(p.input)),
    }));
  } catch {
    return null;
  }
}
