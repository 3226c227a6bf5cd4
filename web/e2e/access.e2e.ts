// axe on every page, in both languages and both colour schemes; and the keyboard.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newPage, run, withBrowser } from './browser';

withBrowser();

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const axe = (
      window as unknown as {
        axe: {
          run: (o: unknown) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
        };
      }
    ).axe;
    const { violations: found } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return found.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`);
  });
}

const TASKS = [
  'ner',
  'relation',
  'event',
  'absa',
  'sentiment',
  'coref',
  'classification',
  'multi_label',
  'hierarchical',
  'matching',
  'reading',
];

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  it.each(TASKS)('%s, in every view', async (task) => {
    const page = await newPage(`#/${task}?lang=${colorScheme === 'light' ? 'zh' : 'en'}`, {
      colorScheme,
    });
    await run(page);
    const tabs = page.locator('.result').getByRole('tab');
    for (let i = 0; i < (await tabs.count()); i += 1) {
      await tabs.nth(i).click();
      await page.waitForTimeout(50);
      expect(await violations(page)).toEqual([]);
    }
  });

  it.each(['zh', 'en'])('the tools, in %s', async (lang) => {
    const page = await newPage(`#/all?lang=${lang}`, { colorScheme });
    await page.locator('button.primary').click();
    await page.locator('.all-results .panel').first().waitFor();
    expect(await violations(page)).toEqual([]);
    for (const tool of ['batch', 'compare', 'monitor', 'history']) {
      await page.goto(`${page.url().split('#')[0]}#/${tool}`);
      await page.locator('h1').waitFor();
      if (tool === 'batch') {
        await page.locator('.drop input').setInputFiles({
          name: 'a.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from('id,text\n1,周慧敏在武汉工作。\n2,\n'),
        });
        await page.locator('button.primary').click();
        await page.getByText(/处理完成|Finished/).waitFor();
        await page.locator('.virtual button').first().click();
      }
      if (tool === 'compare') {
        await page.locator('button.primary').click();
        await page.locator('.verdict').waitFor();
      }
      if (tool === 'monitor') await page.locator('.tile').first().waitFor();
      expect([tool, await violations(page)]).toEqual([tool, []]);
    }
  });

  it('debug, errors, options and presets', async () => {
    const page = await newPage('#/ner?mode=debug', { colorScheme, expectErrors: true });
    await page.locator('summary', { hasText: '高级选项' }).click();
    await run(page);
    await page.locator('.result').getByRole('tab', { name: '调试' }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: '预设', exact: true }).click();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.route('**/api/ner*', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'Retry-After': '9' },
        body: '{"error":"x","code":"QUEUE_FULL"}',
      }),
    );
    await page.getByRole('button', { name: '开始分析' }).click();
    await page.getByRole('alert').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});

it('everything is reached with the keyboard', async () => {
  const page = await newPage();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('跳到主要内容');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.closest('.examples') !== null)).toBe(
    true,
  );
  const chip = page.getByRole('button', { name: '标签 人物' });
  await chip.focus();
  await page.keyboard.press('Alt+ArrowRight');
  expect(await page.locator('.schema .chip-name').allInnerTexts()).toEqual([
    '地理位置',
    '人物',
    '组织机构',
  ]);
  await page.keyboard.press('Delete');
  expect(await page.locator('.schema .chip-name').allInnerTexts()).toEqual([
    '地理位置',
    '组织机构',
  ]);
  await run(page);
  await page.locator('.marked').focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.locator('mark.lit').first().innerText()).toBe('北大西洋议会');
  await page.getByRole('tab', { name: '标注' }).focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.getByRole('tab', { name: '表格' }).getAttribute('aria-selected')).toBe('true');
});
