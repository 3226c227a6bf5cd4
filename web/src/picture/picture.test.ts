import { describe, expect, it } from 'vitest';
import { graphOf, spansOf } from '../tasks/answer';
import { fixture } from '../testing/fixtures';
import { NODE_HEIGHT, placeGraph } from './layout';
import { barsSvg, escapeXml, markedSvg } from './marked-svg';
import { drawPlan, readPlan } from './plan';

const parse = (svg: string) => new DOMParser().parseFromString(svg, 'image/svg+xml');

describe('pictures', () => {
  it('of marked text are valid and hold every letter', () => {
    const { input, answer } = fixture('ner-2');
    const svg = parse(markedSvg(input.text, spansOf(answer.output, input.text), () => '#123456'));
    expect(svg.querySelector('parsererror')).toBeNull();
    const letters = [...svg.querySelectorAll('text')].map((t) => t.textContent).join('');
    for (const letter of ['😀', '👩‍💻', '𠮷', '敏']) expect(letters).toContain(letter);
  });

  it('survive hostile text', () => {
    const svg = parse(
      markedSvg(
        '<script>"&\u0000\u0001',
        [{ start: 0, end: 3, label: '"><x', confidence: 1 }],
        () => '#000',
      ),
    );
    expect(svg.querySelector('parsererror')).toBeNull();
    expect(svg.querySelector('script, x')).toBeNull();
    expect(escapeXml('a<b>&"\u0007')).toBe('a&lt;b&gt;&amp;&quot;\ufffd');
  });

  it('of scores are valid', () => {
    expect(
      parse(barsSvg([{ name: '<甲>', value: 0.5, chosen: true }])).querySelector('parsererror'),
    ).toBeNull();
  });
});

describe('the graph', () => {
  const { nodes, edges } = graphOf(fixture('event-0').answer.output);

  it('keeps its nodes apart and is the same each time', () => {
    const placed = placeGraph(nodes, edges);
    for (const a of placed) {
      for (const b of placed) {
        if (a.id >= b.id) continue;
        const apart =
          Math.abs(a.x - b.x) >= (a.width + b.width) / 2 - 1 ||
          Math.abs(a.y - b.y) >= NODE_HEIGHT - 1;
        expect(apart).toBe(true);
      }
    }
    expect(placeGraph(nodes, edges).map((n) => [n.x, n.y])).toEqual(placed.map((n) => [n.x, n.y]));
  });
});

describe('the memory plan', () => {
  const plan = [
    { buffer: 'a', offset: 0, bytes: 100, first_use: 0, last_use: 1 },
    { buffer: 'b', offset: 100, bytes: 100, first_use: 1, last_use: 3 },
  ];

  it('is found wherever it stands', () => {
    expect(readPlan({ process: { plan: { buffers: plan } } })).toHaveLength(2);
    expect(readPlan(plan)[1]).toEqual({ name: 'b', offset: 100, bytes: 100, from: 1, until: 3 });
    for (const none of [null, 5, {}, [], { a: [1] }]) expect(readPlan(none)).toEqual([]);
  });

  it('is packed where the server gives no addresses', () => {
    const bare = [
      { buffer: 'a', bytes: 10, first_use: 0, last_use: 1 },
      { buffer: 'b', bytes: 30, first_use: 1, last_use: 2 },
      { buffer: 'c', bytes: 10, first_use: 3, last_use: 3 },
    ];
    expect(readPlan({ buffers: bare }).map((b) => [b.name, b.offset])).toEqual([
      ['b', 0],
      ['a', 30],
      ['c', 0],
    ]);
  });

  it('is drawn in scale, addresses upwards', () => {
    const { boxes, bytes, steps } = drawPlan(readPlan(plan), 400, 200);
    expect([bytes, steps]).toEqual([200, 4]);
    expect(boxes[0]).toMatchObject({ x: 0, y: 100, width: 200, height: 100 });
    expect(boxes[1]).toMatchObject({ x: 100, y: 0, width: 300, height: 100 });
  });
});
