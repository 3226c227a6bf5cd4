// Spans may nest and overlap. Each gets a layer, so that the underlines of spans that share
// characters lie below each other; the text is cut into segments in which the set of spans is constant.

/** Offsets are UTF-16, end exclusive. */
export interface Span {
  start: number;
  end: number;
  label: string;
  confidence: number | null;
  /** Shown behind the span in place of the label. */
  tag?: string;
}

export interface LayeredSpan extends Span {
  id: number;
  layer: number;
}

export interface Segment {
  start: number;
  end: number;
  /** Spans that cover the segment, longest first: the last one is the innermost. */
  spans: LayeredSpan[];
  /** Spans whose last character is in this segment: their tags follow it. */
  ending: LayeredSpan[];
}

export function layerSpans(spans: readonly Span[], length: number): LayeredSpan[] {
  const sorted = spans
    .filter((s) => s.start < s.end && s.start >= 0 && s.end <= length)
    .sort((a, b) => a.start - b.start || b.end - a.end || (a.label < b.label ? -1 : 1));
  const ends: number[] = [];
  return sorted.map((span, id) => {
    let layer = ends.findIndex((end) => end <= span.start);
    if (layer < 0) layer = ends.length;
    ends[layer] = span.end;
    return { ...span, id, layer };
  });
}

/** Segments of [from, to); `spans` must come from layerSpans. */
export function cutSegments(spans: readonly LayeredSpan[], from: number, to: number): Segment[] {
  const inside = spans.filter((s) => s.start < to && s.end > from);
  const cuts = new Set([from, to]);
  for (const span of inside) {
    cuts.add(Math.max(from, span.start));
    cuts.add(Math.min(to, span.end));
  }
  const places = [...cuts].sort((a, b) => a - b);
  const segments: Segment[] = [];
  let next = 0;
  let open: LayeredSpan[] = [];
  for (let i = 0; i + 1 < places.length; i += 1) {
    const start = places[i] as number;
    const end = places[i + 1] as number;
    open = open.filter((s) => s.end > start);
    while (next < inside.length && (inside[next] as LayeredSpan).start <= start) {
      const span = inside[next] as LayeredSpan;
      if (span.end > start) open.push(span);
      next += 1;
    }
    const covering = [...open].sort((a, b) => b.end - b.start - (a.end - a.start) || a.id - b.id);
    segments.push({
      start,
      end,
      spans: covering,
      ending: covering.filter((s) => s.end === end).reverse(),
    });
  }
  return segments;
}

/** One span for each (start, end, label); the best confidence stays. */
export function mergeEqual(spans: readonly Span[]): Span[] {
  const seen = new Map<string, Span>();
  for (const span of spans) {
    const key = `${span.start}:${span.end}:${span.label}`;
    const old = seen.get(key);
    if (!old || (span.confidence ?? 0) > (old.confidence ?? 0)) seen.set(key, span);
  }
  return [...seen.values()];
}
