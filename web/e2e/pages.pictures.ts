// Pictures of every tab for the documents. REX_PICTURES names another folder and takes every tab in
// both languages and both colour schemes, to look at.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { it } from 'vitest';
import { newPage, run, withBrowser } from './browser';

withBrowser();

const folder =
  process.env.REX_PICTURES ?? fileURLToPath(new URL('../../docs/images/web', import.meta.url));
mkdirSync(folder, { recursive: true });

// Pictures of the documents stay small.
const MOST_HEIGHT = 880;

type Lang = 'zh' | 'en';
type Scheme = 'light' | 'dark';
interface Shot {
  name: string;
  hash: string;
  prepare: (page: Page) => Promise<void>;
  width?: number;
}

const view = (pick: number) => async (page: Page) => {
  await run(page);
  await page.locator('.result').getByRole('tab').nth(pick).click();
};
const start = (ready: string) => async (page: Page) => {
  await page.locator('button.primary').click();
  await page.locator(ready).first().waitFor();
};

const BATCH = [
  '编号,评论',
  '1,酒店位置很方便，房间也干净。',
  '2,服务态度很差，再也不来了。',
  '3,',
  '4,早餐丰富，价格合理。',
  '5,隔音太差，一夜没睡好。',
  '6,前台很热情，下次还来。',
].join('\n');

const SHOTS: Shot[] = [
  {
    name: 'ner',
    hash: 'ner',
    prepare: async (page) => {
      await run(page);
      await page.locator('mark').first().hover();
    },
  },
  { name: 'relation', hash: 'relation', prepare: view(1) },
  { name: 'event', hash: 'event', prepare: view(1) },
  { name: 'absa', hash: 'absa', prepare: view(0) },
  { name: 'sentiment', hash: 'sentiment', prepare: view(0) },
  { name: 'coref', hash: 'coref', prepare: view(0) },
  { name: 'classification', hash: 'classification', prepare: view(0) },
  { name: 'multi_label', hash: 'multi_label', prepare: view(0) },
  { name: 'hierarchical', hash: 'hierarchical', prepare: view(0) },
  { name: 'matching', hash: 'matching', prepare: view(0) },
  { name: 'reading', hash: 'reading', prepare: view(0) },
  { name: 'code', hash: 'ner', prepare: view(3) },
  {
    name: 'presets',
    hash: 'ner',
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(预设|Presets)$/ }).click();
    },
  },
  {
    name: 'error',
    hash: 'classification',
    prepare: async (page) => {
      await page.getByRole('tab', { name: 'JSON' }).first().click();
      await page.getByRole('textbox', { name: /JSON/ }).fill('{\n  "体育": null,\n  "财经": 3\n}');
      await page.locator('.check.bad').waitFor();
      await run(page);
    },
  },
  { name: 'all', hash: 'all', prepare: start('.all-results .panel') },
  {
    name: 'batch',
    hash: 'batch',
    prepare: async (page) => {
      await page
        .locator('.drop input')
        .setInputFiles({ name: '评论.csv', mimeType: 'text/csv', buffer: Buffer.from(BATCH) });
      await page
        .locator('select')
        .nth(-2)
        .selectOption('sentiment')
        .catch(() => {});
      await page.getByLabel(/^(任务|Task)/).selectOption('multi_label');
      await page.locator('button.primary').click();
      await page.getByText(/处理完成|Finished/).waitFor();
      await page.locator('.virtual button').nth(1).click();
    },
  },
  { name: 'compare', hash: 'compare', prepare: start('.verdict') },
  {
    name: 'monitor',
    hash: 'monitor',
    prepare: async (page) => {
      await page.locator('.tile').first().waitFor();
      const address = page.url().split('#')[0];
      for (let i = 0; i < 30; i += 1) {
        await page.request.post(`${address}api/ner`, {
          data: { text: `周慧敏在武汉工作${i}。`, labels: ['人物', '地理位置'] },
        });
        await page.waitForTimeout(150);
      }
      await page.waitForTimeout(2500);
    },
  },
  {
    name: 'history',
    hash: 'ner',
    prepare: async (page) => {
      for (const i of [0, 1]) {
        await page.locator('.examples button').nth(i).click();
        await run(page);
      }
      await page.getByRole('link', { name: /历史记录|History/ }).click();
      await page.locator('.history li').first().waitFor();
    },
  },
  {
    name: 'debug',
    hash: 'relation?mode=debug',
    width: 1100,
    prepare: async (page) => {
      await run(page);
      await page.locator('.result').getByRole('tab').last().click();
    },
  },
  { name: 'phone', hash: 'event', prepare: view(1), width: 390 },
];

async function take(shot: Shot, lang: Lang, colorScheme: Scheme, name: string) {
  const hash = `#/${shot.hash}${shot.hash.includes('?') ? '&' : '?'}lang=${lang}`;
  const width = shot.width ?? 1280;
  const page = await newPage(hash, {
    viewport: { width, height: 860 },
    colorScheme,
    expectErrors: true,
  });
  await shot.prepare(page);
  await page.waitForTimeout(400);
  // As tall as the page, so that what sticks to the window's edge stands where it belongs.
  const height = await page.evaluate(
    () => Math.max(document.querySelector('main')?.scrollHeight ?? 0, 400) + 60,
  );
  await page.setViewportSize({
    width,
    height: Math.max(600, Math.min(process.env.REX_PICTURES ? 1500 : MOST_HEIGHT, height)),
  });
  await page.waitForTimeout(200);
  await page.screenshot({ path: `${folder}/${name}.png` });
}

if (process.env.REX_PICTURES) {
  for (const lang of ['zh', 'en'] as const) {
    for (const scheme of ['light', 'dark'] as const) {
      it.each(SHOTS)(`$name ${lang} ${scheme}`, (shot) =>
        take(shot, lang, scheme, `${shot.name}-${lang}-${scheme}`),
      );
    }
  }
} else {
  it.each(SHOTS)('$name', (shot) => take(shot, 'zh', 'light', shot.name));
  it.each(SHOTS.filter((s) => ['ner', 'relation', 'monitor'].includes(s.name)))(
    '$name, dark, in English',
    (shot) => take(shot, 'en', 'dark', `${shot.name}-en-dark`),
  );
}
