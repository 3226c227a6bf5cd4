import { describe, expect, it } from 'vitest';
import { chunkText } from './chunks';

const join = (text: string, target: number) =>
  chunkText(text, target)
    .map((c) => text.slice(c.start, c.end))
    .join('');

describe('chunkText', () => {
  it('loses and doubles nothing', () => {
    for (const text of ['', 'a', 'ab\n'.repeat(500), '周。'.repeat(999), 'x'.repeat(5000)]) {
      expect(join(text, 100)).toBe(text);
    }
  });

  it('cuts behind line breaks, else behind sentences', () => {
    const lines = `${'一'.repeat(120)}\n${'二'.repeat(300)}`;
    expect(chunkText(lines, 100)[0]).toEqual({ start: 0, end: 121 });
    const sentences = `${'一'.repeat(120)}。${'二'.repeat(300)}`;
    expect(chunkText(sentences, 100)[0]).toEqual({ start: 0, end: 121 });
  });

  it('never parts a surrogate pair or a letter from its marks', () => {
    const family = '👩‍👩‍👧‍👦';
    for (const unit of ['😀', 'e\u0301', family, '❤️']) {
      const text = unit.repeat(400);
      for (const chunk of chunkText(text, 97)) expect(chunk.start % unit.length).toBe(0);
    }
  });
});
