import { beforeEach, describe, expect, it } from 'vitest';
import { emptyInput } from '../tasks/input';
import { missing } from '../tasks/request';
import { SHAPES } from '../tasks/tasks';
import { compactJson } from './json';
import {
  applyPreset,
  exportPresets,
  importPresets,
  presetOf,
  readOwn,
  withPreset,
  writeOwn,
} from './own-presets';
import { PRESETS } from './presets';
import { readServerPresets } from './server-presets';
import { depthOf, treeOf } from './tree';

describe('built-in presets', () => {
  it('cover the six subjects', () => {
    expect(new Set(PRESETS.map((p) => p.topic))).toEqual(
      new Set(['contract', 'review', 'news', 'service', 'medical', 'address']),
    );
  });

  it.each(PRESETS.map((p) => [p.zh, p] as const))('%s can run as it is', (_, preset) => {
    const tree = treeOf(preset.schema);
    expect(missing(preset.task, { ...emptyInput(), text: preset.text, tree })).toBeNull();
    expect(depthOf(tree)).toBeLessThanOrEqual(SHAPES[preset.task].levels);
  });
});

describe('own presets', () => {
  beforeEach(() => localStorage.clear());
  const input = { ...emptyInput(), text: '秘密', tree: treeOf(['人物']), threshold: 0.7 };

  it('hold what to find, not the text', () => {
    const preset = presetOf('我的', 'ner', input);
    expect(JSON.stringify(preset)).not.toContain('秘密');
    const applied = applyPreset(preset, { ...emptyInput(), text: '别的文本' });
    expect(applied.text).toBe('别的文本');
    expect(applied.threshold).toBe(0.7);
    expect(compactJson(applied.tree)).toBe('{"人物":null}');
  });

  it('replace one of the same name and task', () => {
    const one = presetOf('a', 'ner', input);
    expect(withPreset([one], presetOf('a', 'ner', emptyInput()))).toHaveLength(1);
    expect(withPreset([one], presetOf('a', 'event', input))).toHaveLength(2);
  });

  it('survive the browser and a file', () => {
    const list = [presetOf('a', 'ner', input)];
    writeOwn(list);
    expect(readOwn()).toEqual(list);
    expect(importPresets(exportPresets(list))).toEqual(list);
  });

  it('come in from a foreign file only as far as a form can hold them', () => {
    expect(importPresets('nonsense')).toBeNull();
    expect(importPresets('{"presets":[]}')).toBeNull();
    const hostile = {
      format: 'rexuninlu-presets',
      presets: [
        {
          name: 'x',
          task: 'ner',
          input: { tree: '{"人物":null}', threshold: 'high', evil: 1, mode: 'rm' },
        },
      ],
    };
    expect(importPresets(JSON.stringify(hostile))).toEqual([
      { name: 'x', task: 'ner', input: { tree: '{"人物":null}' } },
    ]);
  });
});

describe('presets of the server', () => {
  it('are read as far as the page can use them', () => {
    const presets = readServerPresets({
      presets: [
        { name: '合同', task: 'ner', schema: ['甲方', '乙方'], description: '合同要素' },
        { name: '引用', task: 'relation', schema: { a: { $ref: '#/$defs/x' } } },
        { name: '未知', task: 'nothing', schema: ['a'] },
        5,
      ],
    });
    expect(presets.map((p) => [p.name, compactJson(p.tree), p.schemaText !== null])).toEqual([
      ['合同', '{"甲方":null,"乙方":null}', false],
      ['引用', '{}', true],
    ]);
    for (const none of [null, {}, { presets: 3 }]) expect(readServerPresets(none)).toEqual([]);
  });
});
