// Widths of text without a page to measure it on.

const MOST_LETTERS = 14;

export function shorten(text: string, most = MOST_LETTERS): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text;
}

/** Chinese letters are twice as wide as Latin ones. */
export function widthOf(text: string, size: number): number {
  let width = 0;
  for (const letter of text) width += (letter.codePointAt(0) ?? 0) > 0x2e7f ? size : size * 0.58;
  return width;
}
