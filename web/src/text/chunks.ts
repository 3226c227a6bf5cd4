// A long text is drawn in blocks, so that the browser lays out only those near the window.

export interface Chunk {
  start: number;
  end: number;
}

const SENTENCE_END = /[。！？；!?;…]/;

/**
 * Blocks of about `target` UTF-16 units: after a line break where there is one, otherwise after the
 * end of a sentence, otherwise anywhere that does not part a character from its combining marks.
 */
export function chunkText(text: string, target = 1200): Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  while (start < text.length) {
    const end = text.length - start <= target * 1.5 ? text.length : cutPlace(text, start, target);
    chunks.push({ start, end });
    start = end;
  }
  return chunks;
}

function cutPlace(text: string, start: number, target: number): number {
  const high = Math.min(text.length, start + target * 2);
  const newline = text.indexOf('\n', start + target);
  if (newline >= 0 && newline < high) return newline + 1;
  for (let i = start + target; i < high; i += 1) {
    if (SENTENCE_END.test(text[i] as string)) return afterMarks(text, i + 1);
  }
  return afterMarks(text, start + target);
}

// Combining marks, joiners and variation selectors.
const MARK = /^(?:\p{M}|\u200c|\u200d|\ufe0e|\ufe0f)/u;
const JOINER = '\u200d';

function afterMarks(text: string, place: number): number {
  let i = place;
  while (
    i < text.length &&
    (isLow(text, i) || text[i - 1] === JOINER || MARK.test(text.slice(i, i + 2)))
  )
    i += 1;
  return i;
}

function isLow(text: string, i: number): boolean {
  const code = text.charCodeAt(i);
  return code >= 0xdc00 && code <= 0xdfff;
}
