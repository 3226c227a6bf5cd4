import { describe, expect, it } from 'vitest';
import { answerCsv, answerJsonl } from '../files/answer-files';
import { treeOf } from '../schema/tree';
import { FIXTURES, fixture } from '../testing/fixtures';
import {
  chosenOf,
  filterChains,
  graphOf,
  groupByHead,
  isExtraction,
  spansOf,
  splitType,
} from './answer';
import { compareAnswers } from './compare';
import { emptyInput } from './input';
import { missing, requestBody, withSchema } from './request';
import { summarise } from './summary';

const all = Object.entries(FIXTURES);

describe('requests', () => {
  it.each(all)('of example %s are those that were recorded', (_, { task, input, request }) => {
    expect(missing(task, input)).toBeNull();
    expect(JSON.parse(requestBody(task, input))).toEqual(request);
  });

  it('keep the order and the faults of a schema', () => {
    const input = { ...emptyInput(), text: 'x', tree: treeOf(['2', '1']) };
    expect(requestBody('ner', input)).toBe('{"text":"x","schema":{"2":null,"1":null}}');
    expect(requestBody('ner', { ...input, schemaText: '{"a":1,"a":2}' })).toContain(
      '"schema":{"a":1,"a":2}',
    );
    expect(withSchema({}, '["a"]')).toBe('{"schema":["a"]}');
  });

  it('say only what was chosen', () => {
    expect(JSON.parse(requestBody('coref', { ...emptyInput(), text: 'x' }))).toEqual({ text: 'x' });
    const options = {
      threshold: 0.3,
      maxSpans: 2,
      maxLength: 128,
      overlap: 'longest',
      implicitAspect: true,
    } as const;
    expect(JSON.parse(requestBody('absa', { ...emptyInput(), text: 'x', ...options }))).toEqual({
      text: 'x',
      options: {
        threshold: 0.3,
        max_span_num: 2,
        max_length: 128,
        overlap: 'longest',
        implicit_aspect: true,
      },
    });
  });

  it('tell what is missing', () => {
    const empty = emptyInput();
    expect(missing('ner', empty)).toBe('text');
    expect(missing('ner', { ...empty, text: 'x' })).toBe('schema');
    expect(missing('absa', { ...empty, text: 'x' })).toBeNull();
    expect(missing('matching', { ...empty, text1: 'x' })).toBe('texts');
    expect(
      missing('matching', { ...empty, text1: 'x', text2: 'y', mode: 'custom', labels: ['a'] }),
    ).toBe('labels');
    expect(missing('reading', { ...empty, text: 'x', questions: [' '] })).toBe('questions');
  });
});

describe('answers', () => {
  it.each(all)('%s: every span is the text at its place', (_, { input, answer }) => {
    for (const span of spansOf(answer.output, input.text)) {
      const step = answer.output
        .flat()
        .find((s) => s.type === span.label && s.span === input.text.slice(span.start, span.end));
      expect(step).toBeDefined();
    }
  });

  it('are filtered without losing what is sure', () => {
    const { answer } = fixture('ner-0');
    expect(filterChains(answer.output, 0)).toHaveLength(answer.output.length);
    expect(filterChains(answer.output, 0.9).every((c) => c.every((s) => s.confidence >= 0.9))).toBe(
      true,
    );
    expect(filterChains(answer.output, 1.01)).toHaveLength(0);
  });

  it('make a graph', () => {
    const { nodes, edges } = graphOf(fixture('relation-0').answer.output);
    expect(nodes.map((n) => [n.text, n.label])).toEqual([
      ['远航芯片有限公司', '组织机构'],
      ['深圳', '地理位置'],
      ['周慧敏', '人物'],
    ]);
    expect(edges.map((e) => e.label)).toEqual(['总部地点', '董事长']);
  });

  it('are grouped by their head', () => {
    const groups = groupByHead(fixture('event-0').answer.output);
    expect(groups).toHaveLength(1);
    expect(groups[0]?.head.span).toBe('辞职');
    expect(groups[0]?.rest).toHaveLength(3);
  });

  it('know what was chosen', () => {
    expect(chosenOf(fixture('classification-0').answer.result)).toEqual(new Set(['教育']));
    expect(chosenOf(fixture('multi_label-1').answer.result)).toEqual(
      new Set(['历史', '民间故事', '童话']),
    );
    expect(chosenOf(fixture('hierarchical-0').answer.result)).toEqual(
      new Set(['电器-附件 › 雨刮、洗涤器故障']),
    );
    expect(chosenOf(fixture('reading-1').answer.result)).toEqual(new Set(['坐飞机头晕']));
    expect(isExtraction(fixture('classification-0').answer)).toBe(false);
    expect(isExtraction(fixture('ner-0').answer)).toBe(true);
  });

  it('fit into a line', () => {
    expect(summarise(fixture('coref-0').answer)).toBe('他 → 张教授');
    expect(summarise(fixture('classification-0').answer)).toBe('教育');
    expect(summarise(fixture('ner-0').answer)).toContain('组织机构: 北大西洋议会');
    const weak = {
      ...fixture('classification-0').answer,
      warnings: [{ code: 'FALLBACK_CLASS', message: '' }],
    };
    expect(summarise(weak)).toBe('教育？');
    expect(summarise(fixture('ner-0').answer, 1)).toMatch(/…$/);
  });

  it('become files', () => {
    const { answer, input } = fixture('ner-0');
    expect(answerJsonl(answer, input.text).trim().split('\n')).toHaveLength(answer.output.length);
    expect(answerCsv(answer).split('\r\n')[1]).toMatch(/^组织机构,北大西洋议会,0,6,0\.9\d+$/);
    expect(answerCsv(fixture('classification-0').answer)).toContain('教育,');
    expect(answerCsv(fixture('coref-0').answer)).toContain('他,9,10,张教授,');
    expect(answerCsv(fixture('event-0').answer)).toContain('label_2');
  });
});

it('splits a relation from the type of its object', () => {
  expect(splitType('董事长(人物)')).toEqual({ name: '董事长', type: '人物' });
  expect(splitType('总部（地点）')).toEqual({ name: '总部', type: '地点' });
  expect(splitType('人物')).toEqual({ name: '人物', type: null });
  expect(splitType('(人物)')).toEqual({ name: '(人物)', type: null });
});

describe('comparison', () => {
  it('finds no difference where there is none', () => {
    const { answer } = fixture('event-0');
    expect(compareAnswers(answer, answer)).toEqual({
      onlyFirst: [],
      onlySecond: [],
      largest: 0,
      chosen: false,
    });
  });

  it('finds chains of one side and the largest gap', () => {
    const { answer } = fixture('ner-0');
    const changed = structuredClone(answer);
    const dropped = changed.output.pop();
    const step = changed.output[0]?.[0];
    if (step) step.confidence -= 0.25;
    const difference = compareAnswers(answer, changed);
    expect(difference.onlyFirst).toEqual([dropped]);
    expect(difference.largest).toBeCloseTo(0.25);
    expect(difference.chosen).toBe(true);
  });
});
