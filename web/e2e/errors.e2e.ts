import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newPage, run, textField, withBrowser } from './browser';

withBrowser();

const failing = async (page: Page, path: string, reply: (route: Route) => Promise<void>) =>
  page.route((url) => url.pathname === path, reply);

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({
      status,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

describe('a task', () => {
  it('429: says so, counts down, and runs again', async () => {
    const page = await newPage('#/ner', { expectErrors: true });
    let busy = true;
    await failing(page, '/api/ner', (route) =>
      busy
        ? json(
            429,
            { error: 'queue full', code: 'QUEUE_FULL', status: 429 },
            { 'Retry-After': '2' },
          )(route)
        : route.continue(),
    );
    await run(page);
    expect(await page.getByRole('alert').innerText()).toContain('服务繁忙');
    expect(await page.getByRole('button', { name: /秒后可重试/ }).isDisabled()).toBe(true);
    busy = false;
    await page.getByRole('button', { name: '重试', exact: true }).click();
    await page.locator('mark').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('503: names the reason in both languages', async () => {
    for (const [lang, words] of [
      ['zh', '服务暂时不可用'],
      ['en', 'The service is not available now'],
    ]) {
      const page = await newPage(`#/ner?lang=${lang}`, { expectErrors: true });
      await failing(
        page,
        '/api/ner',
        json(503, { error: 'GPU memory exhausted', code: 'GPU_MEMORY_EXHAUSTED', status: 503 }),
      );
      await run(page);
      const alert = await page.getByRole('alert').innerText();
      expect(alert).toContain(words);
      expect(alert).toContain('GPU memory exhausted');
    }
  });

  it('disconnected: keeps the input', async () => {
    const page = await newPage('#/ner', { expectErrors: true });
    await textField(page).fill('周慧敏在武汉工作。');
    await page.context().setOffline(true);
    await run(page);
    expect(await page.getByRole('alert').innerText()).toContain('连接不上服务');
    expect(await textField(page).inputValue()).toBe('周慧敏在武汉工作。');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: '重试' }).click();
    await page.locator('mark').first().waitFor();
  });

  it('a page of a proxy in place of JSON is not shown', async () => {
    const page = await newPage('#/ner', { expectErrors: true });
    await failing(page, '/api/ner', (route) =>
      route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>proxy</h1>' }),
    );
    await run(page);
    expect(await page.getByRole('alert').innerText()).toContain('无法读取');
  });

  it('a refused schema names code and place, from the real server', async () => {
    const page = await newPage('#/classification', { expectErrors: true });
    await page.getByRole('tab', { name: 'JSON' }).first().click();
    await page.getByRole('textbox', { name: /JSON/ }).fill('{"体育": 3}');
    await run(page);
    const alert = await page.getByRole('alert').innerText();
    expect(alert).toContain('SCHEMA_BAD_VALUE');
    expect(alert).toContain('体育');
  });

  it('is stopped at a click', async () => {
    const page = await newPage('#/ner', { expectErrors: true });
    await failing(page, '/api/ner', () => new Promise(() => {}));
    await page.getByRole('button', { name: '开始分析' }).click();
    await page.getByRole('button', { name: '停止' }).click();
    expect(await page.getByRole('button', { name: '开始分析' }).isEnabled()).toBe(true);
  });
});

it('a service that is not ready is told at the top, and then that it is', async () => {
  const page = await newPage('#/ner', { expectErrors: true });
  await page.locator('.server.ready').waitFor();
  let ready = false;
  await failing(page, '/readyz', (route) =>
    ready ? route.continue() : json(503, { ready: false })(route),
  );
  await page.reload();
  await page.locator('.server.loading', { hasText: '加载中' }).waitFor();
  ready = true;
  await page.locator('.server.ready').waitFor();
});

describe('a text of 1 MB', () => {
  const text = '周慧敏在武汉工作，远航芯片有限公司总部位于深圳。'.repeat(14_600);

  it('is typed into, counted and sent without the page standing still', async () => {
    expect(new TextEncoder().encode(text).length).toBeGreaterThan(1_000_000);
    const page = await newPage('#/ner', { expectErrors: true });
    await textField(page).fill(text);
    await page.getByText(/350,400 字/).waitFor();
    const started = Date.now();
    await textField(page).press('End');
    await page.keyboard.type('好');
    await page.getByText(/350,401 字/).waitFor();
    expect(Date.now() - started).toBeLessThan(3000);
    await page.getByRole('button', { name: '开始分析' }).click();
    // Longer than the server's limit: an error in words. A server with a higher limit answers.
    await page.locator('.error, .figures').first().waitFor({ timeout: 50_000 });
    if ((await page.locator('.error').count()) > 0) {
      expect(await page.getByRole('alert').innerText()).toMatch(/TEXT_TOO_LONG|BODY_TOO_LARGE/);
    }
    // The page still works.
    await textField(page).fill('周慧敏在武汉工作。');
    await page.getByRole('button', { name: '开始分析' }).click();
    await page.locator('mark').first().waitFor();
  });
});
