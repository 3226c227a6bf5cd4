import { beforeEach, describe, expect, it, vi } from 'vitest';
import { emptyInput } from '../tasks/input';
import { thaw } from './address';
import { isKept, readHistory, remember, setKept, writeHistory } from './history';

const input = (text: string) => ({ ...emptyInput(), text });

describe('the history', () => {
  beforeEach(() => localStorage.clear());

  it('has the newest first, each input once', () => {
    remember('ner', input('一'), 'a', 1);
    remember('ner', input('二'), 'b', 2);
    remember('ner', input('一'), 'c', 3);
    expect(readHistory().map((e) => [e.text, e.found])).toEqual([
      ['一', 'c'],
      ['二', 'b'],
    ]);
    expect(thaw(readHistory()[0]?.input).text).toBe('一');
  });

  it('holds a hundred', () => {
    for (let i = 0; i < 120; i += 1) remember('ner', input(String(i)), '', i);
    expect(readHistory()).toHaveLength(100);
    expect(readHistory()[0]?.text).toBe('119');
  });

  it('can be switched off and deleted', () => {
    setKept(false);
    remember('ner', input('一'), '', 1);
    expect(readHistory()).toEqual([]);
    setKept(true);
    expect(isKept()).toBe(true);
    remember('ner', input('一'), '', 1);
    writeHistory([]);
    expect(readHistory()).toEqual([]);
  });

  it('gets shorter rather than lost when the store is full', () => {
    const entries = Array.from({ length: 8 }, (_, i) => ({
      id: String(i),
      time: i,
      task: 'ner' as const,
      text: '',
      found: '',
      input: {},
    }));
    const original = Storage.prototype.setItem;
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(function (this: Storage, key, value) {
      if (value.length > 300) throw new DOMException('full', 'QuotaExceededError');
      original.call(this, key, value);
    });
    writeHistory(entries);
    vi.restoreAllMocks();
    expect(readHistory().length).toBeGreaterThan(0);
    expect(readHistory().length).toBeLessThan(8);
  });

  it('ignores what someone else stored', () => {
    localStorage.setItem('rexuninlu.history', '[{"id":1}]');
    expect(readHistory()).toEqual([]);
    localStorage.setItem('rexuninlu.history', 'not json');
    expect(readHistory()).toEqual([]);
  });
});
