import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { newPage, run, withBrowser } from './browser';

withBrowser();

const chips = '.schema .chip-name';

it('labels are added, dragged, removed, and the JSON follows', async () => {
  const page = await newPage();
  await page.getByPlaceholder(/输入标签后按回车/).fill('时间');
  await page.keyboard.press('Enter');
  expect(await page.locator(chips).allInnerTexts()).toEqual([
    '人物',
    '地理位置',
    '组织机构',
    '时间',
  ]);
  await page
    .locator('.chip', { hasText: '时间' })
    .dragTo(page.locator('.chip', { hasText: '人物' }), {
      targetPosition: { x: 3, y: 8 },
    });
  expect(await page.locator(chips).allInnerTexts()).toEqual([
    '时间',
    '人物',
    '地理位置',
    '组织机构',
  ]);
  await page.getByRole('button', { name: '删除：组织机构' }).click();
  await page.getByRole('tab', { name: 'JSON' }).first().click();
  expect(JSON.parse(await page.getByRole('textbox', { name: /JSON/ }).inputValue())).toEqual({
    时间: null,
    人物: null,
    地理位置: null,
  });
});

it('a tree is dragged into another shape', async () => {
  const page = await newPage('#/relation');
  const handle = page.getByRole('button', { name: '移动 总部地点(地理位置)' });
  const target = page.locator('.tree-row', { has: page.locator('input[value="人物"]') });
  const box = await target.boundingBox();
  await handle.dragTo(target, { targetPosition: { x: 120, y: (box?.height ?? 30) / 2 } });
  await page.getByRole('tab', { name: 'JSON' }).first().click();
  expect(JSON.parse(await page.getByRole('textbox', { name: /JSON/ }).inputValue())).toEqual({
    组织机构: { '董事长(人物)': null },
    人物: { '出生地(地理位置)': null, '总部地点(地理位置)': null },
  });
});

it('the server checks while one types: cost, then a fault at its label', async () => {
  const page = await newPage('#/relation');
  await page.locator('.check.good').waitFor();
  expect(await page.locator('.check').innerText()).toMatch(/5 个标签 · 每段文字 \d+ 次计算/);
  await page.locator('.tree-row input').nth(1).fill('很长'.repeat(300));
  await page.locator('.check.bad').waitFor();
  expect(await page.locator('.tree-row.bad').count()).toBe(1);
  await page.locator('.tree-row input').nth(1).fill('董事长(人物)');
  await page.locator('.check.good').waitFor();
});

it('a label named twice is shown in place', async () => {
  const page = await newPage('#/event');
  await page.locator('.check.good').waitFor();
  await page.locator('.tree-row input').nth(2).fill('时间');
  await page.locator('.check.bad').waitFor();
  expect(await page.locator('.tree-row.bad').count()).toBe(1);
});

it('wrong JSON names its line, wrong values theirs', async () => {
  const page = await newPage();
  await page.getByRole('tab', { name: 'JSON' }).first().click();
  const json = page.getByRole('textbox', { name: /JSON/ });
  await json.fill('{\n  "人物": null,\n  "地点" null\n}');
  expect(await page.locator('.check.bad').innerText()).toContain('第 3 行');
  await json.fill('{\n  "人物": null,\n  "地点": 3\n}');
  await page.getByText('（第 3 行）').waitFor();
});

it('a preset of another task opens that task and runs', async () => {
  const page = await newPage();
  await page.getByRole('button', { name: '预设', exact: true }).click();
  await page.getByRole('button', { name: /来信类型/ }).click();
  expect(await page.locator('h1').innerText()).toBe('文本分类');
  await run(page);
  expect(await page.locator('.headline').innerText()).toBe('投诉');
});

it("one's own preset is saved, exported, deleted, imported, used", async () => {
  const page = await newPage();
  await page.getByPlaceholder(/输入标签后按回车/).fill('时间');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: '预设', exact: true }).click();
  await page.getByRole('textbox', { name: '预设名称' }).fill('我的标签');
  await page.getByRole('button', { name: '保存为预设' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: '导出' }).last().click(),
  ]);
  const path = await file.path();
  expect(JSON.parse(readFileSync(path, 'utf8')).presets[0].name).toBe('我的标签');
  await page.getByRole('button', { name: '删除：我的标签' }).click();
  expect(await page.getByRole('button', { name: '使用预设 我的标签' }).count()).toBe(0);
  await page.locator('dialog input[type=file]').setInputFiles(path);
  await page.getByText('已导入 1 个预设').waitFor();
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('button', { name: '删除：时间' }).click();
  await page.getByRole('button', { name: '预设', exact: true }).click();
  await page.getByRole('button', { name: '使用预设 我的标签' }).click();
  expect(await page.locator(chips).allInnerTexts()).toContain('时间');
});
