/// <reference lib="dom" />
/** `/docs` in a real browser: `npm run check:docs`. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../scripts/support/chromium.mjs';
import { watch } from '../support/browser.js';
import { startTestService, type TestService } from '../support/service.js';

/** Where pictures of the page are put; absent: none are made. */
const PICTURES = process.env['EXTREMUM_DOCS_PICTURES'];

let browser: Browser;
let service: TestService;
let page: Page;
let seen: ReturnType<typeof watch>;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startTestService({ flags: ['--rate-limit-per-minute', '0'] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
  seen = watch(context, () => service.url);
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(`${service.url}/docs`);
  await page.locator('.opblock').first().waitFor();
}, 60_000);
afterAll(async () => {
  await browser.close();
  await service.cleanUp();
});

async function picture(name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
}

async function authorize(key: string): Promise<void> {
  await page.locator('.auth-wrapper .btn.authorize').click();
  await page.locator('.modal-ux input').fill(key);
  await page.locator('.modal-ux .btn.authorize').click();
  await page.locator('.modal-ux .btn-done').click();
}

/** Tries an operation with what the page has filled in. Resolves to the status of the answer. */
async function tryOut(operation: Locator): Promise<string> {
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.try-out__btn').click();
  await operation.locator('.btn.execute').click();
  return operation.locator('.live-responses-table .response-col_status').nth(1).innerText();
}

it('lets the first operation of each group be tried as it stands', async () => {
  await picture('groups');
  await authorize(service.key);
  const groups = page.locator('.opblock-tag-section');
  const names = await groups
    .locator('.opblock-tag')
    .evaluateAll((tags) => tags.map((tag) => tag.getAttribute('data-tag')));
  expect(names.length).toBe(13);
  const answers: Record<string, string> = {};
  for (const [k, name] of names.entries()) {
    answers[name ?? ''] = await tryOut(groups.nth(k).locator('.opblock').first());
    await groups.nth(k).scrollIntoViewIfNeeded();
    await picture(`group-${k + 1}`);
  }
  expect(Object.entries(answers).filter(([, status]) => !/^2\d\d/.test(status))).toEqual([]);
  expect(seen.faults).toEqual([]);
  expect(seen.strangers).toEqual([]);
});

it('writes what was tried as code, without the key', async () => {
  const snippets = page.locator('.opblock').first().locator('.request-snippets');
  for (const [title, words] of [
    ['Python', 'requests.request('],
    ['TypeScript', 'await fetch('],
  ] as const) {
    await snippets.getByText(title, { exact: true }).click();
    const code = await snippets.locator('pre, code').first().innerText();
    expect(code).toContain(words);
    expect(code).toContain(`${service.url}/v1/functions`);
    expect(code).toContain('EXTREMUM_API_KEY');
    expect(code).not.toContain(service.key);
  }
});
