import { describe, expect, it } from 'vitest';
import { newPage, run, textField, withBrowser } from './browser';

withBrowser();

// What the first example of each task must show, by the small model.
const SHOWN: Record<string, string[]> = {
  ner: ['北大西洋议会', '巴塞罗那'],
  relation: ['远航芯片有限公司', '周慧敏'],
  event: ['辞职', '6月3日'],
  absa: ['酒店位置', '很方便'],
  sentiment: ['服务态度', '很差'],
  coref: ['王芳是医生，王芳每天很忙。'],
  classification: ['教育'],
  multi_label: ['外观', '物流'],
  hierarchical: ['雨刮、洗涤器故障'],
  matching: ['相似'],
  reading: ['陈宗岳', '1923年'],
};

describe.each(['zh', 'en'])('in %s', (lang) => {
  it.each(Object.entries(SHOWN))('%s answers its first example at once', async (task, shown) => {
    const page = await newPage(`#/${task}?lang=${lang}`);
    await run(page);
    const result = await page.locator('.result .view').innerText();
    for (const part of shown) expect(result.replaceAll('\n', '')).toContain(part);
    expect(await page.locator('html').getAttribute('lang')).toBe(lang === 'zh' ? 'zh-CN' : 'en');
  });
});

it('every example of every task runs without an error', async () => {
  const page = await newPage();
  for (const task of Object.keys(SHOWN)) {
    await page.goto(`${page.url().split('#')[0]}#/${task}`);
    await page.locator('.examples button').first().waitFor();
    const count = await page.locator('.examples button').count();
    expect(count).toBeGreaterThan(1);
    for (let i = 0; i < count; i += 1) {
      await page.locator('.examples button').nth(i).click();
      await run(page);
      expect(await page.locator('.error').count()).toBe(0);
    }
  }
});

it('text, schema and result survive switching tabs, without a reload', async () => {
  const page = await newPage();
  await page.evaluate(() => {
    (window as unknown as { same: boolean }).same = true;
  });
  await textField(page).fill('周慧敏在武汉工作。');
  await run(page);
  await page.getByRole('link', { name: '事件抽取' }).click();
  await page.getByRole('link', { name: '命名实体识别' }).click();
  expect(await textField(page).inputValue()).toBe('周慧敏在武汉工作。');
  expect(await page.locator('mark').allInnerTexts()).toEqual(['周慧敏', '武汉']);
  expect(await page.evaluate(() => (window as unknown as { same?: boolean }).same)).toBe(true);
});

it('inputs survive a reload of the page', async () => {
  const page = await newPage();
  await textField(page).fill('周慧敏在武汉工作。');
  await page.reload();
  expect(await textField(page).inputValue()).toBe('周慧敏在武汉工作。');
});

it('the language is switched at a click and remembered', async () => {
  const page = await newPage();
  await page.getByRole('button', { name: 'English' }).click();
  expect(await page.locator('h1').innerText()).toBe('Named entities');
  await page.goto(page.url().split('#')[0] ?? '');
  await page.reload();
  expect(await page.locator('h1').innerText()).toBe('Named entities');
});

it('Ctrl + Enter runs from the text', async () => {
  const page = await newPage();
  await textField(page).press('Control+Enter');
  await page.locator('.figures').waitFor();
});

it('works at the width of a phone without scrolling sideways', async () => {
  const page = await newPage('#/relation', { viewport: { width: 360, height: 740 } });
  await run(page);
  for (const hash of ['#/relation', '#/ner', '#/hierarchical', '#/batch', '#/monitor', '#/all']) {
    await page.goto(`${page.url().split('#')[0]}${hash}`);
    await page.waitForTimeout(200);
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    expect([hash, wide]).toEqual([hash, 0]);
  }
});
