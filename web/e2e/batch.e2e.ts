import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { newPage, withBrowser } from './browser';

withBrowser();

const file = (name: string, text: string) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(text),
});
const input = '.drop input[type=file]';
const SENTENCES = ['周慧敏在武汉工作。', '李明在深圳工作。', '今天天气很好。'];

it('a text file: every line, in order, downloaded as JSONL and CSV', async () => {
  const page = await newPage('#/batch');
  await page.locator(input).setInputFiles(file('a.txt', SENTENCES.join('\n')));
  await page.getByRole('button', { name: '开始处理' }).click();
  await page.getByText(/处理完成/).waitFor();
  expect(await page.getByText('周慧敏').count()).toBeGreaterThan(0);
  await page.locator('summary', { hasText: '下载' }).click();
  const [jsonl] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'JSONL' }).click(),
  ]);
  const lines = readFileSync(await jsonl.path(), 'utf8')
    .trim()
    .split('\n')
    .map((l) => JSON.parse(l));
  expect(lines.map((l) => l.line)).toEqual([1, 2, 3]);
  expect(lines[1].output[0][0].span).toBe('李明');
  const [csv] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV', exact: true }).click(),
  ]);
  expect(readFileSync(await csv.path(), 'utf8')).toContain('rex_json');
});

it('a CSV file: the column is guessed, errors stand at their lines, filters and search work', async () => {
  const page = await newPage('#/batch?lang=zh');
  await page
    .locator(input)
    .setInputFiles(file('a.csv', `编号,文本\n1,${SENTENCES[0]}\n2,""\n3,"李明,在深圳工作。"\n`));
  expect(await page.getByLabel('文本所在的列').inputValue()).toBe('1');
  await page.getByRole('button', { name: '开始处理' }).click();
  await page.getByText(/处理完成/).waitFor();
  expect(await page.locator('.progress').innerText()).toContain('失败 1');
  await page.getByLabel('筛选').selectOption('failed');
  expect(await page.locator('.virtual [role=row]').count()).toBe(2);
  expect(await page.locator('.virtual').innerText()).toContain('这一行没有文本');
  await page.getByLabel('筛选').selectOption('all');
  await page.getByRole('searchbox').fill('李明');
  await page.getByText('1 条', { exact: true }).waitFor();
  await page.getByRole('button', { name: '第 4 行' }).click();
  expect(await page.locator('mark').first().innerText()).toBe('李明');
});

it('JSON lines with a bad line, and a file that is none of these', async () => {
  const page = await newPage('#/batch?lang=en');
  await page.locator(input).setInputFiles(file('a.exe', 'x'));
  expect(await page.getByRole('alert').innerText()).toContain('Not a file of this kind');
  await page
    .locator(input)
    .setInputFiles(
      file('a.jsonl', `{"id":1,"text":"${SENTENCES[0]}"}\n{"text":\n"${SENTENCES[1]}"\n`),
    );
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText(/Finished/).waitFor();
  expect(await page.locator('.virtual').innerText()).toContain('This line is not valid JSON');
});

it('a file can be dropped', async () => {
  const page = await newPage('#/batch');
  const data = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], '评论.txt', { type: 'text/plain' }));
    return transfer;
  }, SENTENCES.join('\n'));
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: data });
  await page.getByText('评论.txt：3 条').waitFor();
});

it('pairs of texts for matching come from two columns', async () => {
  const page = await newPage('#/batch');
  await page.locator(input).setInputFiles(file('a.tsv', '甲\t乙\n怎么开通花呗\t花呗如何开通\n'));
  await page.getByLabel('任务').selectOption('matching');
  await page.getByLabel('文本所在的列').selectOption('0');
  await page.getByLabel('第二段所在的列').selectOption('1');
  await page.getByRole('button', { name: '开始处理' }).click();
  await page.getByText(/处理完成/).waitFor();
  expect(await page.locator('.virtual').innerText()).toContain('相似');
});

it('stops, goes on, and survives a look at another tab', async () => {
  const page = await newPage('#/batch');
  await page
    .getByRole('textbox', { name: /粘贴/ })
    .fill(Array.from({ length: 400 }, (_, i) => `${i}号李明在深圳工作。`).join('\n'));
  await page.getByRole('button', { name: '使用这些文本' }).click();
  await page.getByRole('button', { name: '开始处理' }).click();
  await page.locator('.progress', { hasText: /已处理 [1-9]/ }).waitFor();
  await page.getByRole('button', { name: '停止' }).click();
  await page.getByText(/已停止，可以继续/).waitFor();
  await page.getByRole('link', { name: '历史记录' }).click();
  await page.getByRole('link', { name: '批量处理' }).click();
  await page.getByRole('button', { name: '继续' }).click();
  await page.getByText(/已处理 400 \/ 400/).waitFor();
});

it('waits while the server is busy, and goes on by itself', async () => {
  const page = await newPage('#/batch', { expectErrors: true });
  let busy = 1;
  await page.route('**/api/batch', (route) =>
    busy-- > 0
      ? route.fulfill({
          status: 429,
          headers: { 'Retry-After': '2', 'Content-Type': 'application/json' },
          body: '{"error":"busy","code":"QUEUE_FULL"}',
        })
      : route.continue(),
  );
  await page.locator(input).setInputFiles(file('a.txt', SENTENCES.join('\n')));
  await page.getByRole('button', { name: '开始处理' }).click();
  await page.getByText(/服务繁忙，2 秒后继续/).waitFor();
  await page.getByText(/处理完成/).waitFor();
});

it('10,000 lines scroll and filter without a long pause', async () => {
  const page = await newPage('#/batch');
  // The page is what is measured here, not the model.
  await page.route('**/api/batch', (route) => {
    const { texts } = route.request().postDataJSON() as { texts: { id: string }[] };
    const lines = texts.map((x) =>
      JSON.stringify({
        id: x.id,
        task: 'ner',
        output: [[{ type: '人物', span: '李明', offset: [0, 2], confidence: 0.9 }]],
        result: {},
      }),
    );
    return route.fulfill({
      contentType: 'application/x-ndjson',
      body: `${lines.join('\n')}\n{"done":true}\n`,
    });
  });
  await page
    .locator(input)
    .setInputFiles(
      file('a.txt', Array.from({ length: 10_000 }, (_, i) => `李明${i}在深圳工作。`).join('\n')),
    );
  await page.getByRole('button', { name: '开始处理' }).click();
  await page.getByText(/处理完成/).waitFor();
  expect(await page.locator('.virtual [role=row]').count()).toBeLessThan(60);
  const longest = await page.evaluate(async () => {
    const box = document.querySelector('.virtual') as HTMLElement;
    let worst = 0;
    let last = performance.now();
    for (let i = 0; i < 120; i += 1) {
      box.scrollTop = (i / 120) * box.scrollHeight;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      worst = Math.max(worst, now - last);
      last = now;
    }
    return worst;
  });
  expect(longest).toBeLessThan(200);
  const started = Date.now();
  await page.getByRole('searchbox').fill('李明9999');
  await page.getByText('1 条', { exact: true }).waitFor();
  expect(Date.now() - started).toBeLessThan(2000);
});
