// The memory plan as rectangles: time to the right, addresses upwards.
import { isRecord } from '../state/local';

export interface PlanBuffer {
  name: string;
  offset: number;
  bytes: number;
  from: number;
  until: number;
}

const numberOf = (record: Record<string, unknown>, ...names: string[]): number | null => {
  for (const name of names) {
    const value = record[name];
    if (typeof value === 'number' && Number.isFinite(value)) return value;
  }
  return null;
};

/** Finds the list of buffers, wherever in the answer it stands. */
export function readPlan(value: unknown, depth = 0): PlanBuffer[] {
  if (Array.isArray(value)) {
    const buffers = value.filter(isRecord).flatMap((record) => {
      const bytes = numberOf(record, 'bytes', 'size');
      if (bytes === null || !('first_use' in record || 'offset' in record)) return [];
      // Without addresses the buffers are packed below.
      const offset = numberOf(record, 'offset') ?? Number.NaN;
      const from = numberOf(record, 'first_use', 'from', 'first', 'begin', 'start') ?? 0;
      const until = numberOf(record, 'last_use', 'until', 'last', 'end') ?? from;
      return [{ name: String(record.buffer ?? record.name ?? ''), offset, bytes, from, until }];
    });
    if (buffers.length > 0) return packed(buffers);
    for (const item of value) {
      const found = depth < 4 ? readPlan(item, depth + 1) : [];
      if (found.length > 0) return found;
    }
    return [];
  }
  if (!isRecord(value) || depth >= 4) return [];
  for (const part of Object.values(value)) {
    const found = readPlan(part, depth + 1);
    if (found.length > 0) return found;
  }
  return [];
}

/**
 * A server may tell sizes and life times only. Then each buffer gets the lowest place that is free while
 * it lives, largest first: the picture shows what is alive together, not real addresses.
 */
function packed(buffers: PlanBuffer[]): PlanBuffer[] {
  if (buffers.every((b) => !Number.isNaN(b.offset))) return buffers;
  const placed: PlanBuffer[] = [];
  for (const buffer of [...buffers].sort((a, b) => b.bytes - a.bytes)) {
    const together = placed
      .filter((p) => p.from <= buffer.until && buffer.from <= p.until)
      .sort((a, b) => a.offset - b.offset);
    let offset = 0;
    for (const other of together) {
      if (offset + buffer.bytes <= other.offset) break;
      offset = Math.max(offset, other.offset + other.bytes);
    }
    placed.push({ ...buffer, offset });
  }
  return placed;
}

export interface Box extends PlanBuffer {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function drawPlan(
  buffers: readonly PlanBuffer[],
  width: number,
  height: number,
): { boxes: Box[]; bytes: number; steps: number } {
  const first = Math.min(...buffers.map((b) => b.from));
  const steps = Math.max(1, Math.max(...buffers.map((b) => b.until)) + 1 - first);
  const bytes = Math.max(1, ...buffers.map((b) => b.offset + b.bytes));
  const boxes = buffers.map((b) => ({
    ...b,
    x: ((b.from - first) / steps) * width,
    width: Math.max(1, ((b.until + 1 - b.from) / steps) * width),
    y: height - ((b.offset + b.bytes) / bytes) * height,
    height: Math.max(1, (b.bytes / bytes) * height),
  }));
  return { boxes, bytes, steps };
}
