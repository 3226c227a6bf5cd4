// Sizes and smoothness, measured in the browser.
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { newPage, run, textField, withBrowser } from './browser';

withBrowser();

it('the first load takes less than 300 kB of compressed script', async () => {
  const page = await newPage();
  const scripts: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (/\.js(\?|$)/.test(response.url())) scripts.push(response.body());
  });
  await page.reload({ waitUntil: 'networkidle' });
  const bytes = (await Promise.all(scripts)).reduce(
    (sum, body) => sum + gzipSync(body, { level: 9 }).length,
    0,
  );
  console.log(`first load: ${(bytes / 1000).toFixed(1)} kB of compressed script`);
  expect(scripts.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(300_000);
});

it('100,000 characters with 2,000 spans scroll without jank', async () => {
  const page = await newPage();
  const unit =
    '远航芯片有限公司总部位于深圳，董事长周慧敏在武汉出生，公司在二零二零年上市，业务遍及全国各地。';
  const text = unit.repeat(Math.ceil(100_000 / unit.length)).slice(0, 100_000);
  const chains: unknown[] = [];
  for (let i = 0; i < 2000; i += 1) {
    const start = i * 50;
    const nested = i % 3 === 0;
    chains.push([
      {
        type: ['组织机构', '人物', '地理位置'][i % 3],
        span: text.slice(start, start + 8),
        offset: [start, start + 8],
        confidence: 0.9,
      },
    ]);
    if (nested)
      chains.push([
        {
          type: '地理位置',
          span: text.slice(start, start + 2),
          offset: [start, start + 2],
          confidence: 0.8,
        },
      ]);
  }
  await page.route('**/api/ner', (route) =>
    route.fulfill({
      contentType: 'application/json',
      body: JSON.stringify({
        task: 'ner',
        output: chains.slice(0, 2000),
        result: {},
        usage: {},
        warnings: [],
      }),
    }),
  );
  await textField(page).fill(text);
  const started = Date.now();
  await run(page);
  await page.locator('mark').first().waitFor();
  const drawn = Date.now() - started;
  expect(await page.locator('mark').count()).toBeGreaterThanOrEqual(2000);
  const frames = await page.evaluate(async () => {
    const box = document.querySelector('.marked') as HTMLElement;
    const times: number[] = [];
    let last = performance.now();
    for (let i = 0; i < 240; i += 1) {
      box.scrollTop += 120;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    box.scrollTop = box.scrollHeight;
    await new Promise(requestAnimationFrame);
    return { times: times.sort((a, b) => a - b), height: box.scrollHeight, top: box.scrollTop };
  });
  const at = (q: number) => frames.times[Math.floor(q * (frames.times.length - 1))] ?? 0;
  console.log(
    `100,000 characters: drawn in ${drawn} ms; frames p50 ${at(0.5).toFixed(1)}, p95 ${at(0.95).toFixed(1)}, worst ${at(1).toFixed(1)} ms`,
  );
  expect(frames.top).toBeGreaterThan(10_000);
  expect(drawn).toBeLessThan(5000);
  expect(at(0.5)).toBeLessThan(20);
  expect(at(0.95)).toBeLessThan(50);
  const slide = Date.now();
  await page.getByRole('slider').fill('0.85');
  await page.waitForFunction(() => document.querySelectorAll('mark').length < 1800);
  console.log(`slider: ${Date.now() - slide} ms`);
  expect(Date.now() - slide).toBeLessThan(2000);
});
