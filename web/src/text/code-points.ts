// The server counts code points, a JavaScript string counts UTF-16 units: one emoji is one code point
// and two units. Every offset of an answer passes through here before it touches a string.

export interface CodePointIndex {
  /** Number of code points of the text. */
  readonly length: number;
  /** UTF-16 offset of a code point offset; values outside the text are clamped. */
  toUtf16(codePoint: number): number;
  /** Code point offset of a UTF-16 offset; inside a surrogate pair the pair's own offset. */
  toCodePoint(utf16: number): number;
}

const SURROGATE = /[\ud800-\udfff]/;

const clamp = (value: number, high: number) => Math.max(0, Math.min(high, value));

export function indexText(text: string): CodePointIndex {
  if (!SURROGATE.test(text)) {
    const same = (n: number) => clamp(n, text.length);
    return { length: text.length, toUtf16: same, toCodePoint: same };
  }
  const starts = new Uint32Array(text.length + 1);
  let count = 0;
  for (let unit = 0; unit < text.length; count += 1) {
    starts[count] = unit;
    // A lone surrogate is one unit and one (ill-formed) code point.
    unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  }
  starts[count] = text.length;
  return {
    length: count,
    toUtf16: (n) => starts[clamp(n, count)] ?? text.length,
    toCodePoint: (unit) => {
      let low = 0;
      let high = count;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) <= unit) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}

export function countCodePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Lone surrogates cannot be sent as UTF-8; they become U+FFFD, which keeps every offset. */
export function wellFormed(text: string): string {
  if (!SURROGATE.test(text)) return text;
  return text.replace(
    /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    '\ufffd',
  );
}
