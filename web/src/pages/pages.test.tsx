import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { App } from '../App';
import { TASKS } from '../tasks/tasks';
import { fixture } from '../testing/fixtures';
import { renderPage, serve } from '../testing/page';

const CHECK = {
  schema: {},
  labels: 1,
  depth: 1,
  levels: [{ labels: 1, prompts: 1 }],
  warnings: [],
};

/** A server made of the recorded answers. */
function recorded(override: (path: string) => Response | null = () => null) {
  return serve((path) => {
    const special = override(path);
    if (special) return special;
    if (path === '/readyz') return Response.json({ ready: true });
    if (path === '/api/info')
      return Response.json({ name: 'rexuninlu', model: { name: 'mini', device: 'cpu' } });
    if (path === '/api/schema/validate') return Response.json(CHECK);
    const task = path.replace(/^\/api\//, '').replace(/\?.*/, '');
    return Response.json(fixture(`${task}-0`).answer, { headers: { 'X-Total-Time-Ms': '12' } });
  });
}

const run = () => fireEvent.click(screen.getByRole('button', { name: /^(开始分析|Analyse)$/ }));

describe('a task', () => {
  it.each(TASKS)('%s runs its first example at once', async (task) => {
    const sent = recorded();
    renderPage(<App />, `#/${task}`);
    run();
    await waitFor(() => expect(document.querySelector('.figures')).not.toBeNull());
    const call = sent.find((s) => s.path === `/api/${task}`);
    expect(JSON.parse(call?.body ?? '{}')).toEqual(fixture(`${task}-0`).request);
  });

  it('filters by the slider without a call', async () => {
    const sent = recorded();
    renderPage(<App />);
    run();
    await screen.findByText('显示 4 / 4');
    const before = sent.length;
    fireEvent.change(screen.getByRole('slider'), { target: { value: '1' } });
    expect(screen.getByText('显示 3 / 4')).toBeTruthy();
    expect(sent.length).toBe(before);
  });

  it('keeps text and result while another tab is looked at', async () => {
    recorded();
    renderPage(<App />);
    fireEvent.change(screen.getByRole('textbox', { name: /^文本/ }), {
      target: { value: '改过的文本' },
    });
    fireEvent.click(screen.getByRole('link', { name: '事件抽取' }));
    window.location.hash = '#/event';
    await screen.findByRole('heading', { level: 1, name: '事件抽取' });
    window.location.hash = '#/ner';
    await screen.findByRole('heading', { level: 1, name: '命名实体识别' });
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^文本/ }).value).toBe(
      '改过的文本',
    );
  });

  it('says that a result is of an older input', async () => {
    recorded();
    renderPage(<App />);
    run();
    await screen.findByText('显示 4 / 4');
    fireEvent.change(screen.getByRole('textbox', { name: /^文本/ }), { target: { value: '别的' } });
    expect(screen.getByText(/输入已改动/)).toBeTruthy();
  });

  it('asks for what is missing and calls nobody', () => {
    const sent = recorded();
    renderPage(<App />);
    fireEvent.change(screen.getByRole('textbox', { name: /^文本/ }), { target: { value: ' ' } });
    run();
    expect(screen.getByText('请先输入文本。')).toBeTruthy();
    expect(sent.some((s) => s.path === '/api/ner')).toBe(false);
  });

  it('passes debug mode on', async () => {
    const sent = recorded();
    renderPage(<App />, '#/ner?mode=debug');
    run();
    await waitFor(() => expect(sent.some((s) => s.path === '/api/ner?mode=debug')).toBe(true));
    expect(screen.getByText(/调试模式已开启/)).toBeTruthy();
  });

  it('speaks English at a click', () => {
    recorded();
    renderPage(<App />);
    fireEvent.click(screen.getByRole('button', { name: 'English' }));
    expect(screen.getByRole('heading', { level: 1, name: 'Named entities' })).toBeTruthy();
    expect(document.documentElement.lang).toBe('en');
    expect(window.location.hash).toBe('#/ner?lang=en');
  });
});

describe('errors', () => {
  const failing = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    recorded((path) => (path === '/api/ner' ? Response.json(body, { status, headers }) : null));

  it('429 says how long to wait', async () => {
    failing(429, { error: 'queue full', code: 'QUEUE_FULL' }, { 'Retry-After': '2' });
    renderPage(<App />);
    run();
    expect((await screen.findByRole('alert')).textContent).toContain('服务繁忙');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: '2 秒后可重试' }).disabled).toBe(
      true,
    );
    await waitFor(() => expect(screen.getByRole('button', { name: '重试' })).toBeTruthy(), {
      timeout: 3000,
    });
  });

  it('503 names its reason', async () => {
    failing(503, { error: 'GPU memory exhausted', code: 'GPU_MEMORY_EXHAUSTED' });
    renderPage(<App />);
    run();
    expect((await screen.findByRole('alert')).textContent).toContain('GPU memory exhausted');
  });

  it('422 names code and place', async () => {
    failing(422, {
      error: 'bad',
      error_zh: '不对',
      code: 'SCHEMA_BAD_VALUE',
      param: '/schema/人物',
      hint_zh: '请改',
    });
    renderPage(<App />);
    run();
    const alert = await screen.findByRole('alert');
    for (const part of ['不对', 'SCHEMA_BAD_VALUE', '/schema/人物', '请改'])
      expect(alert.textContent).toContain(part);
    expect(screen.queryByRole('button', { name: '重试' })).toBeNull();
  });

  it('401 asks for the key and sends it', async () => {
    const keys: (string | null)[] = [];
    vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
      const key = new Headers(init.headers).get('Authorization');
      if (!url.endsWith('/api/ner')) return Response.json(CHECK);
      keys.push(key);
      return key
        ? Response.json(fixture('ner-0').answer)
        : Response.json({ error: 'no key', code: 'KEY_MISSING' }, { status: 401 });
    });
    renderPage(<App />);
    run();
    fireEvent.change(await screen.findByLabelText('访问密钥'), { target: { value: 'abc' } });
    fireEvent.click(screen.getByRole('button', { name: '使用密钥' }));
    await screen.findByText('显示 4 / 4');
    expect(keys).toEqual([null, 'Bearer abc']);
    expect(localStorage.getItem('rexuninlu.key')).toBeNull();
  });

  it('a lost connection loses no input', async () => {
    recorded((path) => {
      if (path === '/api/ner') throw new TypeError('failed');
      return null;
    });
    renderPage(<App />);
    run();
    expect((await screen.findByRole('alert')).textContent).toContain('连接不上服务');
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^文本/ }).value).toBe(
      fixture('ner-0').input.text,
    );
  });
});

describe('the other pages', () => {
  it.each([
    ['all', '综合分析'],
    ['batch', '批量处理'],
    ['compare', '对比调试'],
    ['monitor', '运行监控'],
    ['history', '历史记录'],
  ])('%s opens', async (page, title) => {
    recorded((path) =>
      path === '/metrics' ? new Response('rex_requests_total{status="200"} 3\n') : null,
    );
    renderPage(<App />, `#/${page}`);
    expect(await screen.findByRole('heading', { level: 1, name: title })).toBeTruthy();
  });

  it('all tasks go in one call', async () => {
    const sent = recorded((path) =>
      path === '/api/analyze'
        ? Response.json({
            results: {
              ner: fixture('ner-0').answer,
              classification: { error: 'bad', code: 'SCHEMA_EMPTY', status: 422 },
            },
          })
        : null,
    );
    renderPage(<App />, '#/all');
    fireEvent.click(await screen.findByRole('button', { name: '全部分析' }));
    expect(await screen.findByRole('region', { name: '命名实体识别' })).toBeTruthy();
    expect((await screen.findByRole('alert')).textContent).toContain('SCHEMA_EMPTY');
    const body = JSON.parse(sent.find((s) => s.path === '/api/analyze')?.body ?? '{}');
    expect(body.tasks.map((x: { task: string }) => x.task)).toEqual([
      'ner',
      'relation',
      'event',
      'classification',
    ]);
    expect(body.tasks[0].schema).toEqual({ 人物: null, 地理位置: null, 组织机构: null });
    expect(body.tasks[0].text).toBeUndefined();
  });

  it('the history opens and deletes', async () => {
    recorded();
    renderPage(<App />);
    run();
    await screen.findByText('显示 4 / 4');
    window.location.hash = '#/history';
    expect(await screen.findByText(/组织机构: 北大西洋议会/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: '全部删除' }));
    fireEvent.click(screen.getByRole('button', { name: '再点一次确认删除' }));
    expect(screen.getByText('还没有历史记录。')).toBeTruthy();
  });
});
