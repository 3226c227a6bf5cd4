import { expect, it } from 'vitest';
import { newPage, run, withBrowser } from './browser';

withBrowser();

it('debug mode from the address reaches every call, and shows prompts and timings', async () => {
  const page = await newPage('#/ner?mode=debug');
  const [request] = await Promise.all([
    page.waitForRequest((r) => r.url().includes('/api/ner')),
    page.getByRole('button', { name: '开始分析' }).click(),
  ]);
  expect(new URL(request.url()).search).toBe('?mode=debug');
  await page.locator('.result').getByRole('tab', { name: '调试' }).click();
  expect(await page.locator('.prompts code').first().innerText()).toContain('人物');
  expect(await page.locator('.phases li').count()).toBeGreaterThan(1);
  await page.getByRole('button', { name: '退出调试模式' }).click();
  expect(page.url()).not.toContain('debug');
});

it('`?mode=debug` before the hash is understood', async () => {
  const page = await newPage('?task=event&mode=debug&lang=en');
  expect(await page.locator('h1').innerText()).toBe('Events');
  expect(await page.locator('.banner').count()).toBe(1);
});

it('normal and debug mode are compared side by side', async () => {
  const page = await newPage('#/compare');
  await page.getByLabel('任务').selectOption('event');
  await page.getByRole('button', { name: '开始对比' }).click();
  await page.locator('.verdict').waitFor();
  expect(await page.locator('.verdict').innerText()).toContain('结果一致');
  await page.getByRole('region', { name: '普通模式' }).waitFor();
  await page.getByRole('region', { name: '调试模式' }).waitFor();
  expect(await page.locator('.prompts code').count()).toBeGreaterThan(1);
});

it('a task in debug mode shows no fault in any language', async () => {
  for (const lang of ['zh', 'en']) {
    const page = await newPage(`#/hierarchical?mode=debug&lang=${lang}`);
    await run(page);
    expect(await page.locator('.error').count()).toBe(0);
  }
});
