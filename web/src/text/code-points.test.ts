import { describe, expect, it } from 'vitest';
import { countCodePoints, indexText, wellFormed } from './code-points';

const TEXTS = [
  '',
  '周慧敏在武汉',
  '😀周慧敏👩‍💻在武汉',
  '𠮷野家',
  'e\u0301a\u0300 combining',
  'שלום \u202eabc\u202c',
  '<b>&amp;</b>',
  'a\r\nb',
];

describe('indexText', () => {
  it.each(TEXTS)('agrees with the code points of %j', (text) => {
    const index = indexText(text);
    const letters = [...text];
    expect(index.length).toBe(letters.length);
    for (let i = 0; i <= letters.length; i += 1) {
      const unit = letters.slice(0, i).join('').length;
      expect(index.toUtf16(i)).toBe(unit);
      expect(index.toCodePoint(unit)).toBe(i);
    }
  });

  it('cuts out the span that the server means', () => {
    const text = '😀周慧敏👩‍💻在武汉工作';
    const index = indexText(text);
    expect(text.slice(index.toUtf16(1), index.toUtf16(4))).toBe('周慧敏');
    expect(text.slice(index.toUtf16(8), index.toUtf16(10))).toBe('武汉');
  });

  it('gives the pair its own offset inside it', () => {
    expect(indexText('a😀b').toCodePoint(2)).toBe(1);
  });

  it('clamps what lies outside', () => {
    const index = indexText('a😀');
    expect(index.toUtf16(9)).toBe(3);
    expect(index.toUtf16(-1)).toBe(0);
    expect(indexText('ab').toUtf16(9)).toBe(2);
  });

  it('counts a lone surrogate as one', () => {
    expect(indexText('a\ud83d').length).toBe(2);
    expect(countCodePoints('a\ud83d')).toBe(2);
  });
});

it('counts code points', () => {
  expect(countCodePoints('😀周')).toBe(2);
  expect(countCodePoints('周')).toBe(1);
});

it('replaces lone surrogates and keeps every offset', () => {
  expect(wellFormed('a\ud83db\ude00c😀')).toBe('a\ufffdb\ufffdc😀');
  expect(wellFormed('周')).toBe('周');
});
