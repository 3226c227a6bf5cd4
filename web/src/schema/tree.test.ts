import { describe, expect, it } from 'vitest';
import { compactJson } from './json';
import * as tree from './tree';

const sample = () => tree.treeOf({ 甲: ['一', '二'], 乙: null, 丙: ['三'] });
const idOf = (nodes: readonly tree.LabelNode[], label: string): string => {
  for (const node of nodes) {
    if (node.label === label) return node.id;
    const below = idOf(node.children, label);
    if (below) return below;
  }
  return '';
};
const json = compactJson;

describe('the tree', () => {
  it('is built from the short form', () => {
    expect(json(sample())).toBe('{"甲":{"一":null,"二":null},"乙":null,"丙":{"三":null}}');
    expect(json(tree.treeOf(['人物', { 公司: ['总部'] }]))).toBe(
      '{"人物":null,"公司":{"总部":null}}',
    );
  });

  it('is measured', () => {
    expect(tree.countLabels(sample())).toBe(6);
    expect(tree.depthOf(sample())).toBe(2);
    expect(tree.depthOf([])).toBe(0);
    expect(tree.labelsOf(sample())).toEqual(['甲', '一', '二', '乙', '丙', '三']);
  });

  it('renames, removes and adds', () => {
    const t = sample();
    expect(json(tree.rename(t, idOf(t, '二'), '贰'))).toContain('"贰"');
    expect(json(tree.remove(t, idOf(t, '甲')))).toBe('{"乙":null,"丙":{"三":null}}');
    expect(json(tree.addChild(t, idOf(t, '乙'), tree.newNode('四')))).toContain('"乙":{"四":null}');
    expect(json(tree.addAfter(t, idOf(t, '一'), tree.newNode('一半')))).toContain(
      '"一":null,"一半":null,"二"',
    );
  });

  it('shifts among siblings and stops at the ends', () => {
    const t = sample();
    expect(json(tree.shift(t, idOf(t, '二'), -1))).toContain('{"二":null,"一":null}');
    expect(json(tree.shift(t, idOf(t, '甲'), -1))).toBe(json(t));
    expect(json(tree.shift(t, idOf(t, '甲'), 99))).toBe(
      '{"乙":null,"丙":{"三":null},"甲":{"一":null,"二":null}}',
    );
  });

  it('indents below the upper neighbour and back', () => {
    const t = sample();
    const inside = tree.indent(t, idOf(t, '乙'));
    expect(json(inside)).toBe('{"甲":{"一":null,"二":null,"乙":null},"丙":{"三":null}}');
    expect(json(tree.outdent(inside, idOf(inside, '乙')))).toBe(json(t));
    expect(json(tree.indent(t, idOf(t, '甲')))).toBe(json(t));
    expect(json(tree.outdent(t, idOf(t, '甲')))).toBe(json(t));
  });

  it('moves by drag and drop', () => {
    const t = sample();
    expect(json(tree.move(t, idOf(t, '三'), idOf(t, '甲'), 'before'))).toBe(
      '{"三":null,"甲":{"一":null,"二":null},"乙":null,"丙":null}',
    );
    expect(json(tree.move(t, idOf(t, '丙'), idOf(t, '乙'), 'inside'))).toContain(
      '"乙":{"丙":{"三":null}}',
    );
  });

  it('refuses to move a branch into itself', () => {
    const t = sample();
    expect(json(tree.move(t, idOf(t, '甲'), idOf(t, '一'), 'inside'))).toBe(json(t));
    expect(json(tree.move(t, idOf(t, '甲'), idOf(t, '甲'), 'after'))).toBe(json(t));
  });

  it('leaves the old tree alone', () => {
    const t = sample();
    const before = json(t);
    tree.move(t, idOf(t, '三'), idOf(t, '甲'), 'inside');
    tree.remove(t, idOf(t, '一'));
    expect(json(t)).toBe(before);
  });
});

it('splits pasted labels at every usual mark', () => {
  expect(tree.splitLabels('人物，地点、机构; 时间\n金额\t比分, ')).toEqual([
    '人物',
    '地点',
    '机构',
    '时间',
    '金额',
    '比分',
  ]);
});

it('drops rows that were left empty', () => {
  const t = [tree.newNode('甲', [tree.newNode(' '), tree.newNode('一')]), tree.newNode('')];
  expect(json(tree.withoutEmpty(t))).toBe('{"甲":{"一":null}}');
});
