import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newPage, run, textField, withBrowser } from './browser';

withBrowser();

const tab = (page: Page, name: string) =>
  page.locator('.result').getByRole('tab', { name, exact: true }).click();

async function download(page: Page, item: string): Promise<string> {
  await page.locator('.result summary', { hasText: /导出/ }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: item, exact: true }).click(),
  ]);
  await page.locator('.result summary', { hasText: /导出/ }).click();
  return file.path();
}

it('the slider hides answers without a call', async () => {
  const page = await newPage();
  await run(page);
  const before = await page.locator('mark').count();
  let calls = 0;
  page.on('request', (r) => {
    if (r.url().includes('/api/ner')) calls += 1;
  });
  await page.getByRole('slider').fill('1');
  expect(await page.locator('mark').count()).toBeLessThan(before);
  expect(calls).toBe(0);
});

it('hovering a mark shows its confidence and place', async () => {
  const page = await newPage();
  await run(page);
  await page.locator('mark').first().hover();
  expect(await page.locator('.tip').innerText()).toMatch(
    /组织机构.*北大西洋议会.*可信度 1\.00 · 0–6/s,
  );
});

it('relations are a graph whose nodes can be dragged', async () => {
  const page = await newPage('#/relation');
  await run(page);
  await tab(page, '图');
  const node = page.locator('.graph .node').first();
  const before = await node.boundingBox();
  if (!before) throw new Error('no node');
  await page.mouse.move(before.x + before.width / 2, before.y + before.height / 2);
  await page.mouse.down();
  await page.mouse.move(before.x + 60, before.y + 90, { steps: 4 });
  await page.mouse.up();
  const after = await node.boundingBox();
  expect(Math.abs((after?.y ?? 0) - before.y)).toBeGreaterThan(20);
});

describe('exports', () => {
  it('JSON, JSONL and CSV hold what is shown', async () => {
    const page = await newPage();
    await run(page);
    const json = JSON.parse(readFileSync(await download(page, 'JSON'), 'utf8'));
    const lines = readFileSync(await download(page, 'JSONL'), 'utf8')
      .trim()
      .split('\n');
    const csv = readFileSync(await download(page, 'CSV 表格'), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines).toHaveLength(json.output.length);
    expect(csv).toHaveLength(json.output.length + 1);
  });

  it('pictures are pictures: of text, graph and bars', async () => {
    for (const [hash, view] of [
      ['#/ner', '标注'],
      ['#/relation', '图'],
      ['#/classification', '得分'],
    ] as const) {
      const page = await newPage(hash);
      await run(page);
      await tab(page, view);
      await page.waitForTimeout(300);
      const svg = readFileSync(await download(page, 'SVG 图片'), 'utf8');
      expect(svg).toMatch(/^<svg[^>]* xmlns="http:\/\/www.w3.org\/2000\/svg"/);
      expect(svg).not.toContain('var(--c');
      const png = readFileSync(await download(page, 'PNG 图片'));
      expect(png.subarray(1, 4).toString()).toBe('PNG');
      expect(png.length).toBeGreaterThan(2000);
    }
  });
});

it('the curl and Python snippets give the answer of the page', async () => {
  const page = await newPage('#/classification');
  await run(page);
  await tab(page, '代码');
  const curl = await page.locator('#code-panel pre').innerText();
  const { stdout } = await promisify(execFile)('bash', ['-c', curl]);
  expect(JSON.parse(stdout).result.label).toBe('教育');
  await page.getByRole('tab', { name: 'Python' }).click();
  const python = await page.locator('#code-panel pre').innerText();
  const answer = await promisify(execFile)('python3', ['-c', python]).catch((fault) => {
    if (fault.code === 'ENOENT') return null;
    throw fault;
  });
  if (answer) expect(JSON.parse(answer.stdout).label).toBe('教育');
});

it('a shared link opens the same page, filled in, and sends nothing of it to the server', async () => {
  const page = await newPage('#/relation?mode=debug&lang=en');
  await textField(page).fill('😀远航芯片有限公司总部位于深圳。');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Share link' }).click();
  await page.getByText(/Link copied/).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await newPage(link.slice(link.indexOf('#')));
  await other.waitForFunction(() => document.querySelector('textarea')?.value.startsWith('😀'));
  expect(await textField(other).inputValue()).toBe('😀远航芯片有限公司总部位于深圳。');
  expect(await other.locator('h1').innerText()).toBe('Relations');
  expect(await other.locator('.banner').count()).toBe(1);
});

describe('hostile text', () => {
  it.each([
    [
      'markup',
      '<img src=x onerror="document.title=1"><script>alert(1)</script>周慧敏在武汉工作。',
      ['周慧敏', '武汉'],
    ],
    ['emoji', '😀周慧敏👩‍👩‍👧‍👦🏙️在武汉工作。', ['周慧敏', '武汉']],
    ['rare characters', '𠮷𡘙周慧敏在武汉工作。', ['周慧敏', '武汉']],
    ['combining marks', 'e\u0301\u0300a\u030a 周慧敏在武汉工作。', ['周慧敏', '武汉']],
    ['direction marks', '\u202eabc\u202c\u200fשלום 周慧敏在武汉工作。', ['周慧敏', '武汉']],
    ['lines', '第一行\r\n\r\n周慧敏在武汉工作。\n', ['周慧敏', '武汉']],
  ])('%s: shown as text, marks in the right place', async (_, text, marked) => {
    const page = await newPage();
    await textField(page).fill(text);
    await run(page);
    const marks = await page.locator('mark').allTextContents();
    for (const word of marked) expect(marks).toContain(word);
    expect(await page.locator('.marked img, .marked script').count()).toBe(0);
    const shown = await page.locator('.marked').evaluate((box) => {
      const copy = box.cloneNode(true) as HTMLElement;
      for (const tag of copy.querySelectorAll('.tag')) tag.remove();
      return copy.textContent;
    });
    // A textarea turns every line end into one line feed.
    expect(shown).toBe(text.replaceAll('\r\n', '\n'));
    expect(await page.title()).toContain('RexUniNLU');
  });
});

it('all tasks answer on one text in one call', async () => {
  const page = await newPage('#/all');
  await page.getByRole('button', { name: '全部分析' }).click();
  await page.locator('.all-results .panel').nth(3).waitFor();
  expect(await page.locator('.all-results .error').count()).toBe(0);
});

it('the history opens an earlier input', async () => {
  const page = await newPage();
  await textField(page).fill('周慧敏在武汉工作。');
  await run(page);
  await page.locator('.examples button').first().click();
  await page.getByRole('link', { name: '历史记录' }).click();
  await page.getByRole('link', { name: '打开' }).first().click();
  expect(await textField(page).inputValue()).toBe('周慧敏在武汉工作。');
});

it('the monitor shows requests and the memory plan', async () => {
  const page = await newPage();
  await run(page);
  await page.getByRole('link', { name: '运行监控' }).click();
  await page.locator('.tile').first().waitFor();
  await page.waitForTimeout(4500);
  expect(await page.locator('.tile').count()).toBe(6);
  expect(await page.locator('.plan rect').count()).toBeGreaterThan(1);
});
