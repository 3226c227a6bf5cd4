import { describe, expect, it } from 'vitest';
import { cutSegments, layerSpans, mergeEqual, type Span } from './layers';

const span = (start: number, end: number, label = 'a', confidence = 0.9): Span => ({
  start,
  end,
  label,
  confidence,
});

describe('layerSpans', () => {
  it('lets spans that do not meet share a layer', () => {
    expect(layerSpans([span(0, 2), span(2, 4)], 10).map((s) => s.layer)).toEqual([0, 0]);
  });

  it('puts nested and crossing spans below each other', () => {
    const layers = layerSpans([span(0, 6), span(0, 2), span(1, 4), span(6, 8)], 10);
    expect(layers.map((s) => [s.start, s.end, s.layer])).toEqual([
      [0, 6, 0],
      [0, 2, 1],
      [1, 4, 2],
      [6, 8, 0],
    ]);
  });

  it('never lets two spans of one layer overlap', () => {
    const spans = Array.from({ length: 200 }, (_, i) =>
      span((i * 37) % 90, ((i * 37) % 90) + 1 + (i % 9)),
    );
    const layers = layerSpans(spans, 100);
    for (const a of layers) {
      for (const b of layers) {
        if (a.id < b.id && a.layer === b.layer)
          expect(a.end <= b.start || b.end <= a.start).toBe(true);
      }
    }
  });

  it('drops spans outside the text and empty ones', () => {
    expect(layerSpans([span(-1, 2), span(3, 3), span(8, 11)], 10)).toEqual([]);
  });
});

describe('cutSegments', () => {
  it('covers the text without gaps, in order', () => {
    const spans = layerSpans([span(1, 5), span(3, 8, 'b'), span(4, 5, 'c')], 10);
    const segments = cutSegments(spans, 0, 10);
    expect(segments[0]?.start).toBe(0);
    expect(segments.at(-1)?.end).toBe(10);
    segments.slice(1).forEach((s, i) => {
      expect(s.start).toBe(segments[i]?.end);
    });
  });

  it('names the spans of each segment, innermost last', () => {
    const spans = layerSpans([span(0, 6, 'outer'), span(2, 4, 'inner')], 6);
    expect(cutSegments(spans, 0, 6).map((s) => s.spans.map((x) => x.label))).toEqual([
      ['outer'],
      ['outer', 'inner'],
      ['outer'],
    ]);
  });

  it('ends each span once, also across pieces of the text', () => {
    const spans = layerSpans([span(1, 8)], 10);
    const pieces = [...cutSegments(spans, 0, 5), ...cutSegments(spans, 5, 10)];
    expect(pieces.filter((s) => s.spans.length > 0).map((s) => [s.start, s.end])).toEqual([
      [1, 5],
      [5, 8],
    ]);
    expect(pieces.flatMap((s) => s.ending)).toHaveLength(1);
  });
});

it('merges equal spans, the surest stays', () => {
  const merged = mergeEqual([span(0, 2, 'a', 0.6), span(0, 2, 'a', 0.8), span(0, 2, 'b', 0.5)]);
  expect(merged.map((s) => [s.label, s.confidence])).toEqual([
    ['a', 0.8],
    ['b', 0.5],
  ]);
});
