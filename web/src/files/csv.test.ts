import { describe, expect, it } from 'vitest';
import { parseDelimited, writeCsv } from './csv';
import { decodeFile, guessColumn, kindOf, readTable } from './rows';

describe('parseDelimited', () => {
  it.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      '"a,b","c""d"\n"x\ny",z',
      [
        ['a,b', 'c"d'],
        ['x\ny', 'z'],
      ],
    ],
    [
      '\ufeffa,b\n1,',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
    ['a\n\n\nb\n', [['a'], ['b']]],
    ['a,,c', [['a', '', 'c']]],
    ['""\n"a"', [['a']]],
    ['"open,\nto the end', [['open,\nto the end']]],
    ['a,"b" ', [['a', 'b ']]],
    ['', []],
  ])('reads %j', (text, rows) => {
    expect(parseDelimited(text, ',')).toEqual(rows);
  });

  it('reads tabs', () => {
    expect(parseDelimited('a\tb,c\n', '\t')).toEqual([['a', 'b,c']]);
  });

  it('reads back what writeCsv writes', () => {
    const rows = [
      ['文本', 'a"b'],
      ['x,y', 'l1\nl2'],
      ['', '😀'],
    ];
    expect(parseDelimited(writeCsv(rows), ',')).toEqual(rows);
  });

  it('takes ten thousand lines in no time', () => {
    const text = '行,"引, 号"\n'.repeat(10_000);
    const before = performance.now();
    expect(parseDelimited(text, ',')).toHaveLength(10_000);
    expect(performance.now() - before).toBeLessThan(1000);
  });
});

it('disarms formulas, not numbers', () => {
  expect(writeCsv([['=1+1', '@x', '-5', '-a', '+1']])).toBe("\ufeff'=1+1,'@x,-5,'-a,'+1\r\n");
});

describe('readTable', () => {
  it('takes a line of a text file for a text', () => {
    expect(readTable('一\n\n 二 \r\n', 'txt')).toEqual({
      columns: ['text'],
      rows: [
        { line: 1, cells: ['一'] },
        { line: 3, cells: [' 二 '] },
      ],
    });
  });

  it('takes the first line of a table for its head', () => {
    const table = readTable('id,文本\n1,你好\n2,再见', 'csv');
    expect(table.columns).toEqual(['id', '文本']);
    expect(table.rows[1]).toEqual({ line: 3, cells: ['2', '再见'] });
    expect(guessColumn(table)).toBe(1);
  });

  it('reads JSON lines of objects and strings and marks bad ones', () => {
    const table = readTable(
      '{"id":1,"text":"一"}\n"二"\n{"text":\n\n{"text":"四","x":{"y":1}}',
      'jsonl',
    );
    expect(table.columns).toEqual(['id', 'text', 'x']);
    expect(table.rows.map((r) => [r.line, r.cells[1], r.fault])).toEqual([
      [1, '一', undefined],
      [2, '二', undefined],
      [3, undefined, 'json'],
      [5, '四', undefined],
    ]);
    expect(table.rows[3]?.cells[2]).toBe('{"y":1}');
  });

  it('guesses the longest column without a telling name', () => {
    expect(guessColumn(readTable('a,b\n1,一个很长的句子\n2,另一个句子', 'csv'))).toBe(1);
  });
});

it('decodes UTF-8 and the GB family', () => {
  expect(decodeFile(new TextEncoder().encode('你好').buffer as ArrayBuffer)).toBe('你好');
  expect(decodeFile(new Uint8Array([0xc4, 0xe3, 0xba, 0xc3]).buffer)).toBe('你好');
});

it('knows files by their names', () => {
  expect(kindOf('a.b.CSV')).toBe('csv');
  expect(kindOf('a.ndjson')).toBe('jsonl');
  expect(kindOf('a.xlsx')).toBeNull();
});
