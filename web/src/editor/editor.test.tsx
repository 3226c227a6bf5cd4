import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { compactJson } from '../schema/json';
import { treeOf } from '../schema/tree';
import { emptyInput, type TaskInput } from '../tasks/input';
import type { TaskId } from '../tasks/tasks';
import { renderPage, type Sent, serve } from '../testing/page';
import { SchemaEditor } from './SchemaEditor';

const GOOD = { schema: {}, labels: 2, depth: 1, levels: [{ labels: 2, prompts: 1 }], warnings: [] };

let latest: TaskInput = emptyInput();

function Editor({ task, start }: { task: TaskId; start: TaskInput }) {
  const [input, setInput] = useState(start);
  latest = input;
  return (
    <SchemaEditor
      task={task}
      input={input}
      onChange={(change) => setInput((old) => ({ ...old, ...change }))}
    />
  );
}

const checks = (sent: Sent[]) => sent.filter((s) => s.path === '/api/schema/validate');

function open(
  task: TaskId,
  schema: Parameters<typeof treeOf>[0],
  reply: (sent: Sent) => Response = () => Response.json(GOOD),
) {
  const sent = serve((path, body) => reply({ path, body }));
  renderPage(<Editor task={task} start={{ ...emptyInput(), text: 'x', tree: treeOf(schema) }} />);
  return sent;
}

const labels = () => compactJson(latest.tree);
const entry = () => screen.getByPlaceholderText(/输入标签后按回车/);

describe('chips', () => {
  it('are added by Enter, by a comma, and several at once', () => {
    open('ner', ['人物']);
    fireEvent.change(entry(), { target: { value: '地点' } });
    fireEvent.keyDown(entry(), { key: 'Enter' });
    expect(labels()).toBe('{"人物":null,"地点":null}');
    fireEvent.change(entry(), { target: { value: '时间' } });
    fireEvent.keyDown(entry(), { key: '，' });
    fireEvent.paste(entry(), { clipboardData: { getData: () => '机构、金额，人物' } });
    expect(labels()).toBe('{"人物":null,"地点":null,"时间":null,"机构":null,"金额":null}');
  });

  it('leave the Enter of an input method alone', () => {
    open('ner', ['人物']);
    fireEvent.change(entry(), { target: { value: 'di' } });
    fireEvent.keyDown(entry(), { key: 'Enter', isComposing: true });
    expect(labels()).toBe('{"人物":null}');
  });

  it('are moved and removed with the keyboard', () => {
    open('ner', ['甲', '乙', '丙']);
    fireEvent.keyDown(screen.getByRole('button', { name: '标签 丙' }), {
      key: 'ArrowLeft',
      altKey: true,
    });
    expect(labels()).toBe('{"甲":null,"丙":null,"乙":null}');
    fireEvent.keyDown(screen.getByRole('button', { name: '标签 甲' }), { key: 'Delete' });
    expect(labels()).toBe('{"丙":null,"乙":null}');
  });

  it('are renamed in place', () => {
    open('ner', ['甲']);
    fireEvent.click(screen.getByRole('button', { name: '标签 甲' }));
    const field = screen.getByRole('textbox', { name: '改名' });
    fireEvent.change(field, { target: { value: '人名' } });
    fireEvent.blur(field);
    expect(labels()).toBe('{"人名":null}');
  });

  it('are dropped beside another', () => {
    open('ner', ['甲', '乙', '丙']);
    const chip = (name: string) =>
      screen.getByRole('button', { name: `标签 ${name}` }).closest('li') as HTMLElement;
    const dataTransfer = { setData: () => {}, effectAllowed: '' };
    fireEvent.dragStart(chip('甲'), { dataTransfer });
    fireEvent.dragOver(chip('丙'), { dataTransfer });
    fireEvent.drop(chip('丙'), { dataTransfer });
    expect(labels()).toBe('{"乙":null,"丙":null,"甲":null}');
  });
});

describe('the tree', () => {
  it('grows, nests and shrinks', () => {
    open('relation', { 组织机构: ['董事长(人物)'] });
    fireEvent.click(screen.getByRole('button', { name: '添加主体' }));
    fireEvent.change(screen.getAllByRole('textbox').at(-1) as HTMLElement, {
      target: { value: '人物' },
    });
    expect(labels()).toBe('{"组织机构":{"董事长(人物)":null},"人物":null}');
    fireEvent.keyDown(screen.getByRole('button', { name: '移动 人物' }), {
      key: 'ArrowRight',
      altKey: true,
    });
    expect(labels()).toBe('{"组织机构":{"董事长(人物)":null,"人物":null}}');
    fireEvent.click(screen.getByRole('button', { name: '删除 董事长(人物)' }));
    expect(labels()).toBe('{"组织机构":{"人物":null}}');
  });

  it('gets a neighbour by Enter', () => {
    open('event', { 离职: ['时间'] });
    fireEvent.keyDown(screen.getByDisplayValue('时间'), { key: 'Enter' });
    expect(screen.getAllByRole('textbox')).toHaveLength(3);
  });
});

describe('JSON beside the form', () => {
  const json = () => screen.getByRole('textbox', { name: /JSON/ }) as HTMLTextAreaElement;

  it('says the same in both directions', () => {
    open('ner', ['人物']);
    fireEvent.click(screen.getByRole('tab', { name: 'JSON' }));
    expect(json().value).toBe('{\n  "人物": null\n}');
    fireEvent.change(json(), { target: { value: '["地点", "时间"]' } });
    expect(labels()).toBe('{"地点":null,"时间":null}');
    fireEvent.click(screen.getByRole('tab', { name: '表单' }));
    expect(screen.getByRole('button', { name: '标签 时间' })).toBeTruthy();
  });

  it('keeps what was typed while it is broken, and names the line', () => {
    open('ner', ['人物']);
    fireEvent.click(screen.getByRole('tab', { name: 'JSON' }));
    fireEvent.change(json(), { target: { value: '{\n"a" null}' } });
    expect(json().value).toBe('{\n"a" null}');
    expect(screen.getByText(/第 2 行不是合法的 JSON/)).toBeTruthy();
    expect(labels()).toBe('{"人物":null}');
  });

  it('hands notations that the form cannot show to the server', async () => {
    const sent = open('ner', ['人物']);
    fireEvent.click(screen.getByRole('tab', { name: 'JSON' }));
    fireEvent.change(json(), { target: { value: '{"a": {"$ref": "#/$defs/x"}}' } });
    await waitFor(() => expect(checks(sent).at(-1)?.body).toContain('$ref'));
    fireEvent.click(screen.getByRole('tab', { name: '表单' }));
    expect(screen.getByText(/不能用表单显示/)).toBeTruthy();
  });
});

describe('the check by the server', () => {
  it('shows the cost', async () => {
    const sent = open('ner', ['人物', '地点']);
    expect(await screen.findByText(/2 个标签 · 每段文字 1 次计算/)).toBeTruthy();
    expect(checks(sent).at(-1)).toEqual({
      path: '/api/schema/validate',
      body: '{"task":"ner","schema":{"人物":null,"地点":null}}',
    });
  });

  it('shows the tokens of the prompts, counted by the model', async () => {
    const sent = open('ner', ['人物', '地点'], ({ path }) =>
      path === '/api/tokenize'
        ? Response.json({ chars: 5, tokens: [1, 2, 3, 4] })
        : Response.json({
            ...GOOD,
            schema: { 人物: null, 地点: null },
            memory: { planner_kb: 2048 },
          }),
    );
    expect(await screen.findByText(/提示共 9 词元 · 约 2.0 MB 内存/)).toBeTruthy();
    expect(JSON.parse(sent.at(-1)?.body ?? '{}')).toEqual({ text: '人物\n地点' });
  });

  it('shows a fault at its label and in words', async () => {
    open('relation', { 组织机构: ['x'] }, () =>
      Response.json(
        {
          error: 'too long',
          error_zh: '标签过长',
          code: 'LABEL_TOO_LONG',
          param: '/schema/组织机构/x',
        },
        { status: 422 },
      ),
    );
    expect(await screen.findByText('标签过长')).toBeTruthy();
    expect(screen.getByDisplayValue('x').getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByRole('status').textContent).toContain('标签过长');
  });

  it('shows warnings in the language of the page', async () => {
    open('relation', ['组织机构'], () =>
      Response.json({
        ...GOOD,
        warnings: [{ code: 'RELATION_SCHEMA_FLAT', message: 'flat', param: '/schema' }],
      }),
    );
    expect(await screen.findByText(/关系抽取需要两级标签/)).toBeTruthy();
  });

  it('waits for a pause in the typing', async () => {
    const sent = open('ner', ['人物']);
    for (const label of ['a', 'b', 'c']) {
      fireEvent.change(entry(), { target: { value: label } });
      fireEvent.keyDown(entry(), { key: 'Enter' });
    }
    await act(() => new Promise((resolve) => setTimeout(resolve, 600)));
    expect(checks(sent)).toHaveLength(1);
    expect(checks(sent)[0]?.body).toContain('"c"');
  });

  it('says when the server cannot be asked', async () => {
    open('ner', ['人物'], () => Response.json({}, { status: 503 }));
    expect(await screen.findByText('暂时无法检查')).toBeTruthy();
  });
});
