import { describe, expect, it } from 'vitest';
import { compactJson, lineOfPointer, nodeAtPointer, parseSchema, prettyJson } from './json';
import { newNode, treeOf } from './tree';

const read = (text: string) => {
  const parsed = parseSchema(text);
  return parsed.kind === 'tree' ? compactJson(parsed.tree) : parsed.kind;
};

describe('parseSchema', () => {
  it.each([
    ['{"人物": null}', '{"人物":null}'],
    ['["人物", "地点"]', '{"人物":null,"地点":null}'],
    ['"人物"', '{"人物":null}'],
    ['{"竞赛": ["主办方", "承办方"]}', '{"竞赛":{"主办方":null,"承办方":null}}'],
    ['{"人物": "", "地点": [], "机构": {}}', '{"人物":null,"地点":null,"机构":null}'],
    ['[{"原告": {"代理人": null}}, "法院"]', '{"原告":{"代理人":null},"法院":null}'],
    ['{"a\\"b": null}', '{"a\\"b":null}'],
  ])('reads %s', (text, canonical) => {
    expect(read(text)).toBe(canonical);
  });

  it('keeps repeated keys and the order of keys like numbers', () => {
    expect(read('{"b": null, "2": null, "1": null, "b": null}')).toBe(
      '{"b":null,"2":null,"1":null,"b":null}',
    );
  });

  it.each([
    '{"人物": 3}',
    '{"人物": true}',
    '[["人物"]]',
    '{"a": {"$ref": "#/$defs/x"}}',
    '{"a": {"b": "类型"}}',
  ])('leaves %s to the server', (text) => {
    expect(read(text)).toBe('other');
  });

  it('names the line of a fault', () => {
    expect(parseSchema('{\n  "人物": null,\n  "地点" null\n}')).toMatchObject({
      kind: 'broken',
      line: 3,
    });
    expect(parseSchema('{"人物": null')).toMatchObject({ kind: 'broken', line: 1 });
    expect(parseSchema('')).toMatchObject({ kind: 'broken' });
    expect(parseSchema('{} x')).toMatchObject({ kind: 'broken' });
    expect(parseSchema('{"a')).toMatchObject({ kind: 'broken' });
  });

  it('is the inverse of the writers', () => {
    const tree = treeOf({ 组织机构: ['董事长(人物)', { 总部: ['城市'] }], 人物: null });
    expect(read(prettyJson(tree))).toBe(compactJson(tree));
    expect(read(compactJson(tree))).toBe(compactJson(tree));
  });
});

describe('places of faults', () => {
  const text = '{\n  "人物": null,\n  "a/b": {\n    "c~d": 3\n  }\n}';

  it('finds the line of a pointer', () => {
    expect(lineOfPointer(text, '/人物')).toBe(2);
    expect(lineOfPointer(text, '/a~1b/c~0d')).toBe(4);
    expect(lineOfPointer(text, '/a~1b/gone')).toBe(3);
    expect(lineOfPointer(text, '')).toBe(1);
  });

  it('finds the node of a pointer, the last of equal ones', () => {
    const twins = [newNode('a'), newNode('a', [newNode('x/y')])];
    expect(nodeAtPointer(twins, '/a')?.id).toBe(twins[1]?.id);
    expect(nodeAtPointer(twins, '/a/x~1y')?.label).toBe('x/y');
    expect(nodeAtPointer(twins, '/a/gone')?.id).toBe(twins[1]?.id);
    expect(nodeAtPointer(twins, '/gone')).toBeNull();
  });
});
