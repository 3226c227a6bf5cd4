import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { errorOf } from './errors';
import { byLabel, histogramOf, parseMetrics, quantile, since, sumOf } from './metrics';
import { readLines } from './ndjson';
import { curlSnippet, javascriptSnippet, pythonSnippet } from './snippets';

const BODY = JSON.stringify({
  text: `it's "quoted" \\ $HOME \`x\` 😀\n周`,
  schema: { 人物: null },
});

describe('snippets', () => {
  it('give the shell exactly the body', () => {
    const command = curlSnippet('http://127.0.0.1:1/api/ner', BODY).replace(
      'curl -sS',
      'printf "%s\\n"',
    );
    const words = execFileSync('bash', ['-c', command], { encoding: 'utf8' }).split('\n');
    expect(words.slice(4).join('\n').trimEnd()).toBe(BODY);
  });

  it('give JavaScript exactly the body', async () => {
    const sent: unknown[] = [];
    const fake = async (url: string, init: RequestInit) => {
      sent.push(url, init.body);
      return { ok: true, json: async () => ({ result: 1 }) };
    };
    const source = javascriptSnippet('http://h/api/ner', BODY);
    const run = new Function('fetch', 'console', `return (async () => { ${source} })()`);
    await run(fake, { log: () => {} });
    expect(sent).toEqual(['http://h/api/ner', BODY]);
  });

  it('give Python exactly the body', () => {
    const source = pythonSnippet('http://h/api/ner', BODY);
    const probe = `${source.split('request =')[0]}\nimport sys\nsys.stdout.buffer.write(body.encode("utf-8"))`;
    let out: string;
    try {
      out = execFileSync('python3', ['-c', probe], { encoding: 'utf8' });
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw fault;
    }
    expect(out).toBe(BODY);
  });
});

describe('errorOf', () => {
  it('tells busy from unavailable from refused', () => {
    expect(errorOf(429, '{}', '2')).toMatchObject({ kind: 'overloaded', retryAfterS: 2 });
    expect(errorOf(503, '{"error":"GPU memory exhausted"}', null)).toMatchObject({
      kind: 'unavailable',
      retryAfterS: null,
    });
    expect(errorOf(422, '{"error":"x","code":"SCHEMA_EMPTY"}', null)).toMatchObject({
      kind: 'answer',
      body: { code: 'SCHEMA_EMPTY' },
    });
  });

  it('lives with a body that is no JSON', () => {
    expect(errorOf(502, '<html>', 'soon')).toMatchObject({
      kind: 'unavailable',
      body: {},
      retryAfterS: null,
    });
  });
});

const METRICS = `# HELP rex_requests_total requests
# TYPE rex_requests_total counter
rex_requests_total{route="/api/ner",task="ner",status="200"} 8
rex_requests_total{route="/api/ner",task="ner",status="422"} 2
odd{a="x\\"y\\\\z\\n"} 1
rex_d_bucket{le="0.01"} 5
rex_d_bucket{le="0.1"} 9
rex_d_bucket{le="+Inf"} 10
rex_d_sum 0.5
rex_d_count 10
not a metric
`;

describe('metrics', () => {
  const samples = parseMetrics(METRICS);

  it('are read with their labels', () => {
    expect(sumOf(samples, 'rex_requests_total')).toBe(10);
    expect(sumOf(samples, 'rex_requests_total', { status: '422' })).toBe(2);
    expect(byLabel(samples, 'rex_requests_total', 'status')).toEqual([
      ['200', 8],
      ['422', 2],
    ]);
    expect(samples.find((s) => s.name === 'odd')?.labels.a).toBe('x"y\\z\n');
  });

  it('give quantiles', () => {
    const histogram = histogramOf(samples, 'rex_d');
    expect(quantile(histogram, 0.5)).toBeCloseTo(0.01);
    expect(quantile(histogram, 0.7)).toBeCloseTo(0.055);
    expect(quantile(histogram, 0.99)).toBeCloseTo(0.1);
    expect(quantile({ buckets: [], count: 0, sum: 0 }, 0.5)).toBeNull();
  });

  it('are compared between readings, also over a restart', () => {
    const now = histogramOf(samples, 'rex_d');
    expect(since(now, now)).toMatchObject({ count: 0, sum: 0 });
    expect(since(now, { buckets: [], count: 99, sum: 1 })).toBe(now);
  });
});

it('reads JSON lines across pieces that part letters', async () => {
  const bytes = new TextEncoder().encode('{"a":"周"}\n\n{"b":2}');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  const values = [];
  for await (const value of readLines(body)) values.push(value);
  expect(values).toEqual([{ a: '周' }, { b: 2 }]);
});
