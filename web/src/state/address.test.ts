import { describe, expect, it } from 'vitest';
import { compactJson } from '../schema/json';
import { treeOf } from '../schema/tree';
import { EXAMPLES, fillFrom } from '../tasks/examples';
import { emptyInput } from '../tasks/input';
import { TASKS } from '../tasks/tasks';
import { freeze, packInput, readAddress, thaw, unpackInput, writeAddress } from './address';

describe('the address', () => {
  it('is read and written', () => {
    const address = { page: 'event', lang: 'en', debug: true, shared: null } as const;
    expect(writeAddress(address)).toBe('#/event?lang=en&mode=debug');
    expect(readAddress(writeAddress(address))).toEqual(address);
    expect(writeAddress({ page: 'ner', lang: 'zh', debug: false })).toBe('#/ner');
  });

  it('understands the query before the hash', () => {
    expect(readAddress('', '?task=event&mode=debug&lang=en')).toEqual({
      page: 'event',
      lang: 'en',
      debug: true,
      shared: null,
    });
  });

  it('falls back to the first page', () => {
    for (const hash of ['', '#', '#/', '#/nonsense', '#/<script>'])
      expect(readAddress(hash).page).toBe('ner');
  });
});

describe('a shared input', () => {
  it.each(TASKS)('of %s comes back whole', async (task) => {
    for (const example of EXAMPLES[task]) {
      const input = fillFrom(example);
      const packed = await packInput(input);
      expect(packed).toMatch(/^[A-Za-z0-9_-]*$/);
      const back = await unpackInput(packed);
      expect(back && { ...back, tree: compactJson(back.tree) }).toEqual({
        ...input,
        tree: compactJson(input.tree),
      });
    }
  });

  it('survives the address itself', async () => {
    const input = { ...emptyInput(), text: '😀 a&b=c#d?e 周\n', tree: treeOf(['人物']) };
    const shared = await packInput(input);
    const read = readAddress(writeAddress({ page: 'ner', lang: 'zh', debug: false, shared }));
    expect((await unpackInput(read.shared ?? ''))?.text).toBe(input.text);
  });

  it('is refused when broken', async () => {
    for (const bad of ['', '!!!', 'AAAA', 'x'.repeat(50)])
      expect(await unpackInput(bad)).toBeNull();
  });
});

describe('thaw', () => {
  it('takes only what a form can hold', () => {
    const input = thaw({
      text: 5,
      questions: ['a', 3],
      threshold: 'x',
      mode: 'evil',
      overlap: 'score',
      multi: true,
      other: 1,
    });
    expect(input).toEqual({ ...emptyInput(), overlap: 'score', multi: true });
    expect(thaw(null)).toEqual(emptyInput());
    expect(thaw({ tree: '{"a": 3}' }).tree).toEqual([]);
  });

  it('keeps a schema that only JSON can say', () => {
    const input = { ...emptyInput(), schemaText: '{"a": {"b": "类型"}}' };
    expect(thaw(freeze(input)).schemaText).toBe(input.schemaText);
  });
});
