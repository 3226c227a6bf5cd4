import { afterEach, describe, expect, it, vi } from 'vitest';
import { treeOf } from '../schema/tree';
import { emptyInput } from '../tasks/input';
import { type BatchItem, batchBody, type ItemResult, portions, runBatch } from './batch-run';

const input = { ...emptyInput(), text: '表单里的文本', tree: treeOf(['人物']), threshold: 0.6 };
const items = (n: number): BatchItem[] =>
  Array.from({ length: n }, (_, index) => ({ index, text: `第${index}条` }));
const answer = (id: string) => ({ id, task: 'ner', output: [], result: {} });

function stub(reply: (texts: { id: string; text: string }[]) => Response) {
  const calls: number[] = [];
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    const { texts } = JSON.parse(init.body as string);
    calls.push(texts.length);
    if (init.signal?.aborted) throw new DOMException('', 'AbortError');
    return reply(texts);
  });
  return calls;
}

const lines = (values: unknown[], extra: unknown[] = [{ done: true }]) =>
  new Response(`${[...values, ...extra].map((v) => JSON.stringify(v)).join('\n')}\n`, {
    headers: { 'Content-Type': 'application/x-ndjson' },
  });

async function run(n: number, signal = new AbortController().signal) {
  const results: ItemResult[] = [];
  const waits: number[] = [];
  await runBatch('ner', input, items(n), signal, {
    onResult: (i, r) => {
      results[i] = r;
    },
    onWait: (s) => waits.push(s),
  });
  return { results, waits };
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('portions', () => {
  it('are bounded in items and size', () => {
    expect(portions(items(70)).map((p) => p.length)).toEqual([32, 32, 6]);
    const large = [0, 1, 2].map((index) => ({ index, text: 'x'.repeat(150_000) }));
    expect(portions(large).map((p) => p.length)).toEqual([1, 1, 1]);
    expect(portions([])).toEqual([]);
  });
});

describe('batchBody', () => {
  it('has the labels of the form, not its text', () => {
    expect(JSON.parse(batchBody('ner', input, items(1)))).toEqual({
      task: 'ner',
      options: { threshold: 0.6 },
      texts: [{ id: '0', text: '第0条' }],
      schema: { 人物: null },
    });
  });

  it('sends pairs for matching', () => {
    const body = JSON.parse(batchBody('matching', input, [{ index: 3, text: 'a', other: 'b' }]));
    expect(body.texts).toEqual([{ id: '3', text1: 'a', text2: 'b' }]);
    expect(body.text1).toBeUndefined();
  });
});

describe('runBatch', () => {
  it('takes streamed answers in any order', async () => {
    stub((texts) => lines(texts.map((x) => answer(x.id)).reverse()));
    const { results } = await run(70);
    expect(results.filter(Boolean)).toHaveLength(70);
    expect(results.every((r) => 'answer' in r)).toBe(true);
  });

  it('takes one object with all answers', async () => {
    stub((texts) => Response.json({ results: texts.map((x) => answer(x.id)), summary: {} }));
    expect((await run(3)).results).toHaveLength(3);
  });

  it('gives each line its own error', async () => {
    stub((texts) =>
      lines(
        texts.map((x) =>
          x.id === '1' ? { id: '1', error: 'too long', code: 'TEXT_TOO_LONG' } : answer(x.id),
        ),
      ),
    );
    const { results } = await run(3);
    expect(results[1]).toMatchObject({ error: { code: 'TEXT_TOO_LONG' } });
    expect(results[2]).toHaveProperty('answer');
  });

  it('asks again for lines that a cut stream left out', async () => {
    let first = true;
    const calls = stub((texts) => {
      const cut = first ? texts.slice(0, 2) : texts;
      first = false;
      return lines(
        cut.map((x) => answer(x.id)),
        [],
      );
    });
    expect((await run(5)).results.filter(Boolean)).toHaveLength(5);
    expect(calls).toEqual([5, 3]);
  });

  it('halves a portion that was refused whole', async () => {
    stub((texts) =>
      texts.some((x) => x.id === '2') && texts.length > 0
        ? Response.json({ error: 'bad', code: 'TEXT_TOO_LONG' }, { status: 413 })
        : lines(texts.map((x) => answer(x.id))),
    );
    const { results } = await run(4);
    expect(results.map((r) => 'error' in r)).toEqual([false, false, true, false]);
  });

  it('waits when the server is busy and goes on', async () => {
    vi.useFakeTimers();
    let busy = 1;
    stub((texts) =>
      busy-- > 0
        ? Response.json(
            { error: 'busy', code: 'QUEUE_FULL' },
            { status: 429, headers: { 'Retry-After': '3' } },
          )
        : lines(texts.map((x) => answer(x.id))),
    );
    const running = run(2);
    await vi.advanceTimersByTimeAsync(3100);
    const { results, waits } = await running;
    expect(waits).toEqual([3]);
    expect(results).toHaveLength(2);
  });

  it('ends with an error when the server is gone', async () => {
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('failed to fetch');
    });
    await expect(run(2)).rejects.toMatchObject({ kind: 'disconnected' });
  });

  it('ends quietly when stopped', async () => {
    const controller = new AbortController();
    stub((texts) => {
      controller.abort();
      return lines(texts.map((x) => answer(x.id)));
    });
    const { results } = await run(200, controller.signal);
    expect(results.filter(Boolean).length).toBeLessThanOrEqual(64);
  });
});
