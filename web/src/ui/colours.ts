// A colour for each label: by its place in the schema, so that it stays when results are filtered.

export const COLOURS = 10;

export type Palette = (label: string) => string;

export function paletteOf(labels: readonly string[]): Palette {
  const places = new Map<string, number>();
  for (const label of labels) if (!places.has(label)) places.set(label, places.size % COLOURS);
  return (label) => `var(--c${places.get(label) ?? hash(label) % COLOURS})`;
}

function hash(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i += 1) value = (value * 31 + text.charCodeAt(i)) >>> 0;
  return value;
}
