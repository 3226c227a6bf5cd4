// Comma- and tab-separated files after RFC 4180, and the writing of them.

export function parseDelimited(text: string, delimiter: ',' | '\t'): string[][] {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < source.length) {
    let cell = '';
    if (source[at] === '"') {
      at += 1;
      for (;;) {
        const end = source.indexOf('"', at);
        if (end < 0) {
          // An open quote reaches to the end of the file.
          cell += source.slice(at);
          at = source.length;
          break;
        }
        cell += source.slice(at, end);
        at = end + 1;
        if (source[at] !== '"') break;
        cell += '"';
        at += 1;
      }
    }
    const start = at;
    while (
      at < source.length &&
      source[at] !== delimiter &&
      source[at] !== '\n' &&
      source[at] !== '\r'
    )
      at += 1;
    cell += source.slice(start, at);
    row.push(cell);
    if (source[at] === delimiter) {
      at += 1;
      // A delimiter at the very end still opens one more, empty cell.
      if (at >= source.length) row.push('');
      else continue;
    }
    if (source[at] === '\r') at += 1;
    if (source[at] === '\n') at += 1;
    rows.push(row);
    row = [];
  }
  return rows.filter((cells) => cells.length > 1 || cells[0] !== '');
}

/** Cells that a spreadsheet would take for a formula get an apostrophe. */
function cellOf(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** With a byte order mark, so that spreadsheets read Chinese as such. */
export function writeCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return `\ufeff${rows.map((row) => row.map((v) => cellOf(v === null ? '' : String(v))).join(',')).join('\r\n')}\r\n`;
}
