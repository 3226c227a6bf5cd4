// Schemas that whoever runs the server has put there for everyone.
import { getJson } from '../api/client';
import { isRecord } from '../state/local';
import { isTask, type TaskId } from '../tasks/tasks';
import { parseSchema } from './json';
import type { LabelNode } from './tree';

export interface ServerPreset {
  name: string;
  description: string;
  task: TaskId;
  tree: LabelNode[];
  /** A notation that the tree cannot show. */
  schemaText: string | null;
}

export function readServerPresets(body: unknown): ServerPreset[] {
  if (!isRecord(body) || !Array.isArray(body.presets)) return [];
  return body.presets.filter(isRecord).flatMap((preset) => {
    const task = String(preset.task);
    if (!isTask(task) || preset.schema === undefined) return [];
    const text = JSON.stringify(preset.schema, null, 2);
    const parsed = parseSchema(text);
    return [
      {
        name: String(preset.name ?? ''),
        description: String(preset.description ?? ''),
        task,
        tree: parsed.kind === 'tree' ? parsed.tree : [],
        schemaText: parsed.kind === 'tree' ? null : text,
      },
    ];
  });
}

export async function fetchServerPresets(): Promise<ServerPreset[]> {
  try {
    return readServerPresets(await getJson<unknown>('/api/presets'));
  } catch {
    // Without them the page has its own.
    return [];
  }
}
