// The results of a batch as files: JSON lines, or a table with the columns of the input first.

import { summarise } from '../tasks/summary';
import type { ItemResult } from './batch-run';
import { writeCsv } from './csv';
import type { Table } from './rows';

export function foundOf(result: ItemResult | undefined): string {
  return result && 'answer' in result ? summarise(result.answer, 20) : '';
}

export function errorOfItem(result: ItemResult | undefined): string {
  return result && 'error' in result ? (result.error.error ?? result.error.code ?? 'error') : '';
}

export function batchJsonl(
  table: Table,
  column: number,
  results: readonly (ItemResult | undefined)[],
): string {
  const lines = table.rows.flatMap((row, i) => {
    const result = results[i];
    if (!result) return [];
    const head = { line: row.line, text: row.cells[column] ?? '' };
    return [
      JSON.stringify(
        'answer' in result ? { ...head, ...result.answer } : { ...head, ...result.error },
      ),
    ];
  });
  return lines.length > 0 ? `${lines.join('\n')}\n` : '';
}

export function batchCsv(table: Table, results: readonly (ItemResult | undefined)[]): string {
  const rows = table.rows.flatMap((row, i) => {
    const result = results[i];
    if (!result) return [];
    const cells = table.columns.map((_, c) => row.cells[c] ?? '');
    const json = 'answer' in result ? JSON.stringify(result.answer.output) : '';
    return [[row.line, ...cells, foundOf(result), errorOfItem(result), json]];
  });
  return writeCsv([['line', ...table.columns, 'rex_result', 'rex_error', 'rex_json'], ...rows]);
}

export function errorsCsv(table: Table, results: readonly (ItemResult | undefined)[]): string {
  const rows = table.rows.flatMap((row, i) => {
    const result = results[i];
    if (!result || !('error' in result)) return [];
    return [
      [
        row.line,
        ...table.columns.map((_, c) => row.cells[c] ?? ''),
        result.error.code ?? '',
        errorOfItem(result),
      ],
    ];
  });
  return writeCsv([['line', ...table.columns, 'code', 'error'], ...rows]);
}
