// A page in a fresh browser profile that lets no request leave the host and no error pass unseen.
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

let browser: Browser;
const open: { page: Page; faults: string[] }[] = [];

export async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

export function withBrowser() {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
  });
  afterEach(async () => {
    const faults = open.flatMap((o) => o.faults);
    await Promise.all(open.map((o) => o.page.context().close()));
    open.length = 0;
    expect(faults).toEqual([]);
  });
}

/** `expectErrors`: failing calls are logged by the browser; in tests of failures that is no fault. */
export async function newPage(
  hash = '#/ner',
  options: BrowserContextOptions & { expectErrors?: boolean } = {},
): Promise<Page> {
  const { expectErrors, ...context } = options;
  const page = await (
    await browser.newContext({
      viewport: { width: 1360, height: 860 },
      acceptDownloads: true,
      ...context,
    })
  ).newPage();
  // Generous: the machine may be busy with other work.
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  const host = new URL(inject('url')).host;
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.host !== host) faults.push(`foreign request ${url}`);
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // Schemas on the way to a right one are refused with 422, and the browser logs that.
    if (expectErrors || /status of 4\d\d/.test(message.text())) return;
    faults.push(message.text());
  });
  open.push({ page, faults });
  await page.goto(`${inject('url')}/${hash}`);
  await page.locator('h1').waitFor();
  return page;
}

export async function run(page: Page) {
  await page.getByRole('button', { name: /^(开始分析|Analyse)$/ }).click();
  await page.locator('.figures, .error').first().waitFor();
}

export const textField = (page: Page) => page.getByRole('textbox', { name: /^(文本|Text) / });
