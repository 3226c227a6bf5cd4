// A pasted text or a dropped file as a list of texts.
import { parseDelimited } from './csv';

export interface Table {
  columns: string[];
  /** One entry for each line that is not blank. */
  rows: { line: number; cells: string[]; fault?: 'json' }[];
}

export function decodeFile(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Chinese files that are not UTF-8 are nearly always of the GB family.
    return new TextDecoder('gb18030').decode(bytes);
  }
}

export type FileKind = 'txt' | 'csv' | 'tsv' | 'jsonl';

export function kindOf(name: string): FileKind | null {
  const match = /\.(txt|csv|tsv|jsonl|ndjson)$/i.exec(name);
  const kind = match?.[1]?.toLowerCase();
  return kind === 'ndjson' ? 'jsonl' : ((kind as FileKind | undefined) ?? null);
}

export function readTable(text: string, kind: FileKind): Table {
  if (kind === 'jsonl') return readJsonLines(text);
  if (kind === 'txt') {
    const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
    return {
      columns: ['text'],
      rows: lines.flatMap((cell, i) =>
        cell.trim() === '' ? [] : [{ line: i + 1, cells: [cell] }],
      ),
    };
  }
  const all = parseDelimited(text, kind === 'tsv' ? '\t' : ',');
  const columns = all[0] ?? [];
  return {
    columns: columns.map((name, i) => (name.trim() === '' ? `#${i + 1}` : name)),
    rows: all.slice(1).map((cells, i) => ({ line: i + 2, cells })),
  };
}

function readJsonLines(text: string): Table {
  const columns: string[] = [];
  const parsed = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .flatMap((raw, i) => (raw.trim() === '' ? [] : [{ line: i + 1, value: tryJson(raw), raw }]));
  for (const { value } of parsed) {
    const keys =
      typeof value === 'string'
        ? ['text']
        : value && typeof value === 'object'
          ? Object.keys(value)
          : [];
    for (const key of keys) if (!columns.includes(key)) columns.push(key);
  }
  return {
    columns,
    rows: parsed.map(({ line, value, raw }) => {
      if (typeof value === 'string')
        return { line, cells: columns.map((c) => (c === 'text' ? value : '')) };
      if (!value || typeof value !== 'object')
        return { line, cells: [raw], fault: 'json' as const };
      const record = value as Record<string, unknown>;
      return { line, cells: columns.map((c) => asText(record[c])) };
    }),
  };
}

function tryJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The column that most likely holds the texts: by name, otherwise the one with the longest cells. */
export function guessColumn(table: Table): number {
  const named = table.columns.findIndex((name) =>
    /^(text|content|review|comment|sentence|input|文本|内容|正文|评论|句子)$/i.test(name.trim()),
  );
  if (named >= 0) return named;
  const lengths = table.columns.map((_, i) =>
    table.rows.slice(0, 50).reduce((sum, row) => sum + (row.cells[i]?.length ?? 0), 0),
  );
  return Math.max(0, lengths.indexOf(Math.max(...lengths)));
}
