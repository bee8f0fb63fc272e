/// <reference lib="dom" />
/** The dashboard in a real browser: `npm run check:dashboard`. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../scripts/support/chromium.mjs';
import { watch } from '../support/browser.js';
import { SPHERE, startTestService, type TestService } from '../support/service.js';
import { startWebhookWorld, type WebhookWorld } from '../support/webhook-world.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = 390;
const XSS = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\${7*7}"'>`;

let world: WebhookWorld;
let browser: Browser;
let service: TestService;
let context: BrowserContext;
let page: Page;
let seen: ReturnType<typeof watch>;

beforeAll(async () => {
  world = await startWebhookWorld();
  browser = await launchBrowser();
  service = await startTestService({ flags: [...world.flags, '--rate-limit-per-minute', '0'] });
}, 60_000);
afterAll(async () => {
  await browser.close();
  await service.cleanUp();
  await world.close();
});
beforeEach(async () => {
  context = await browser.newContext();
  seen = watch(context, () => service.url);
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
});
afterEach(async () => {
  await context.close();
  expect(seen.faults).toEqual([]);
  expect(seen.strangers).toEqual([]);
});

const open = (hash: string): Promise<unknown> => page.goto(`${service.url}/dashboard#/${hash}`);
/** By the link that a start prints. */
const enter = async (): Promise<void> => {
  await page.goto(service.dashboardLink(service.key));
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
};
const heading = (name: string | RegExp) => page.getByRole('heading', { name });
const visit = async (hash: string, title: string | RegExp): Promise<void> => {
  await page.evaluate((to) => void (location.hash = to), `#/${hash}`);
  await heading(title).first().waitFor();
};

async function seriousFindings(): Promise<string[]> {
  // As an argument of the protocol, not as a script of the page, whose policy would refuse it.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>('axe.run(document, { resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

describe('first visit', () => {
  it('asks for a key, refuses a wrong one, and leads from nothing to a run in two clicks', async () => {
    await open('');
    await page.getByLabel('API key').fill('sk_wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The API key is not valid.').waitFor();
    await page.getByLabel('API key').fill(service.key);
    await page.getByRole('button', { name: 'Log in' }).click();
    await heading('No runs yet').waitFor();
    await page.getByRole('link', { name: 'Try an example' }).click();
    const start = page.getByRole('button', { name: 'Start', exact: true });
    await start.click();
    await page.getByRole('heading', { name: / opt_/ }).waitFor();
    await page.locator('.status.completed').waitFor();
    await page.getByRole('heading', { name: 'Explanation' }).waitFor();
    expect(await page.locator('.statements li').count()).toBeGreaterThan(2);
    await page.getByRole('group', { name: 'Level' }).getByRole('button', { name: '1', exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll('.statements li').length === 1);
    expect(await page.locator('.u-over').count()).toBe(1);
    expect(await page.getByRole('table', { name: 'Variables of the best solution' }).getByRole('row').count()).toBe(11);
    const cookies = await context.cookies();
    expect(cookies).toMatchObject([{ name: 'extremum_session', httpOnly: true, sameSite: 'Strict' }]);
    expect(await page.evaluate(() => document.cookie)).toBe('');
  });

  it('opens by the printed link, which works once and does not stay in the address', async () => {
    const link = service.dashboardLink(service.key);
    await page.goto(link);
    await heading('Runs').waitFor();
    expect(page.url()).not.toContain('enter');
    const other = await browser.newContext();
    const second = await other.newPage();
    await second.goto(link);
    await second.getByText('The link was used before').waitFor();
    await other.close();
  });
});

describe('a run', () => {
  it('is pasted, checked with line marks, watched live with its zoom kept, and stopped', async () => {
    await enter();
    await visit('new', 'New run');
    await page.getByLabel('Name').fill('noisy sphere');
    await page.getByLabel('Python source').fill('def f(x):\n    return (\n');
    await page.locator('.gutter .bad').first().waitFor();
    await page.getByLabel('Python source').fill(SPHERE);
    await page.getByText('It is compiled').waitFor();
    expect(await page.locator('.gutter .bad').count()).toBe(0);
    await page.getByLabel('Min of x[0]').focus();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData('text', Array.from({ length: 30 }, () => '-5\t5').join('\n'));
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );
    });
    await heading('Bounds (30 variables)').waitFor();
    await page.getByLabel('Evaluations at most').fill('900000000');
    await page.getByLabel('Mode').selectOption('accurate');
    await page.getByLabel('Strategy').selectOption('particle-swarm');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('.status.running').waitFor();
    const evaluations = page.locator('.figure', { hasText: 'Evaluations' }).locator('strong');
    const count = async (): Promise<number> =>
      Number((await evaluations.innerText()).split(' ')[0]?.replaceAll(',', ''));
    await page.locator('.u-over').waitFor();
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(0);
    const early = await count();
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(early);
    const box = (await page.locator('.u-over').boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.2, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 50, { steps: 4 });
    await page.mouse.up();
    const shown = () => page.locator('.chart > div').getAttribute('data-shown');
    const zoomed = await shown();
    const [from, to] = zoomed!.split(' ').map(Number) as [number, number];
    expect(from).toBeGreaterThan(0);
    expect(to).toBeGreaterThan(from);
    const now = await count();
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(now);
    expect(await shown()).toBe(zoomed);
    await page.locator('.u-over').dblclick();
    await expect.poll(async () => Number((await shown())!.split(' ')[1]), { timeout: 20_000 }).toBeGreaterThan(to);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.status.failed, .status.completed').first().waitFor();
    await page.getByText('cancelled').first().waitFor();
  });

  it('is filtered, sorted, compared and deleted from the list', async () => {
    await enter();
    const rows = page.locator('table.runs tbody tr');
    await page.getByRole('searchbox').fill('noisy');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('searchbox').fill('strategy:particle-swarm dimensions=30 evaluations<900000000');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('searchbox').fill('dimensions<30');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('searchbox').fill('evaluations>999999999');
    await page.getByText('No run matches.').waitFor();
    await page.getByRole('searchbox').fill('evalutions>5');
    await page.getByRole('alert').getByText('Did you mean `evaluations`?').waitFor();
    await page.getByRole('searchbox').fill('');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole('button', { name: 'Evaluations' }).click();
    await page.locator('th[aria-sort=descending]', { hasText: 'Evaluations' }).waitFor();
    for (const box of await page.getByRole('checkbox').all()) await box.check();
    await page.getByRole('button', { name: 'Compare' }).click();
    await heading('What differs in the requests').waitFor();
    await page.getByRole('cell', { name: 'max_evaluations' }).waitFor();
    await page.goBack();
    await page.getByRole('searchbox').fill('noisy');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No run matches.').waitFor();
  });
});

describe('pictures', () => {
  it('are those that the record lists, drawn without an evaluation, to be kept as SVG and PNG', async () => {
    const run = await service.call('POST', '/v1/optimize', {
      body: {
        objective_function_id: await service.upload(SPHERE, 'pictured'),
        bounds: Array.from({ length: 3 }, () => [-2, 3]),
        max_evaluations: 3_000,
        strategy: 'differential-evolution',
        preset: 'research',
      },
    });
    const kinds = (run.body.visuals as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds).toEqual(['convergence', 'importance', 'slice', 'contour', 'parallel']);
    await enter();
    await visit(`runs/${run.body.id}`, /opt_/);
    const pictures = page.locator('.pictures img');
    await expect.poll(() => pictures.count()).toBe(kinds.length);
    for (const picture of await pictures.all()) {
      await picture.scrollIntoViewIfNeeded();
      await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(760);
    }
    const saved = page.waitForEvent('download');
    await page.locator('.pictures figure').nth(3).getByRole('button', { name: 'PNG' }).click();
    expect((await saved).suggestedFilename()).toBe(`${run.body.id}-contour.png`);
    const after = await service.call('GET', `/v1/optimize/${run.body.id}`);
    expect(after.body.evaluations).toBe(run.body.evaluations);
  });
});

describe('webhooks and keys', () => {
  it('shows failed deliveries with their answers, and sends them again', async () => {
    world.receiver.respond = (_received, response) => void response.writeHead(410).end(XSS);
    await enter();
    await visit('webhooks', 'Webhooks');
    await page.getByLabel('URL').fill(world.receiver.url);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByText('whsec_').waitFor();
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.locator('.deliveries .status.failed').waitFor();
    await page.locator('.deliveries summary').first().click();
    await page.locator('.excerpt', { hasText: '<script>' }).waitFor();
    await visit('webhooks/deliveries', 'Deliveries');
    await page.locator('.deliveries .status.failed').waitFor();
    await page.getByRole('button', { name: 'Redeliver all failed' }).click();
    await page.getByText('Nothing has failed at a webhook that is switched on.').waitFor();
    await page.getByRole('link', { name: world.receiver.url }).click();
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    world.receiver.respond = (_received, response) => void response.writeHead(204).end();
    // 410: it wants no more, so the service has switched it off.
    await page.getByText('disabled (gone)').waitFor();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();
    await page
      .getByRole('button', { name: /^Redeliver dlv_/ })
      .first()
      .click();
    await page.locator('.deliveries .status.succeeded').waitFor();
    expect(await page.title()).not.toBe('owned');
  });

  it('makes a key that is shown once; a session ends with the revocation of its key', async () => {
    await enter();
    await visit('keys', 'API keys');
    await page.getByLabel('Name').fill('for the browser');
    await page.getByRole('button', { name: 'Create' }).click();
    const key = await page.locator('pre.secret').innerText();
    expect(key).toMatch(/^sk_/);
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('cell', { name: 'for the browser', exact: true }).waitFor();
    expect(await page.content()).not.toContain(key);
    const other = await browser.newContext();
    const second = await other.newPage();
    await second.goto(`${service.url}/dashboard`);
    await second.getByLabel('API key').fill(key);
    await second.getByRole('button', { name: 'Log in' }).click();
    await second.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await page
      .getByRole('row', { name: /for the browser/ })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await second.getByText('The session has ended').waitFor();
    await other.close();
  });

  it('logs out in both tabs', async () => {
    await enter();
    const second = await context.newPage();
    await second.goto(`${service.url}/dashboard#/system`);
    await second.getByRole('heading', { name: 'System' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('You have logged out.').waitFor();
    await second.getByText('You have logged out in another tab.').waitFor();
    await second.reload();
    await second.getByLabel('API key').waitFor();
  });
});

describe('a run of the preset enterprise', () => {
  it('shows its monitoring trace in charts, and the numbers in a table; others have no such section', async () => {
    const functionId = await service.upload(SPHERE, 'watched');
    const make = async (preset: string): Promise<string> => {
      const body = { objective_function_id: functionId, bounds: [[-1, 1]], max_evaluations: 200, preset };
      return (await service.call('POST', '/v1/optimize', { body })).body.id as string;
    };
    const [watched, other] = [await make('enterprise'), await make('production')];
    await enter();
    await open(`runs/${watched}`);
    await page.getByRole('heading', { name: 'Monitoring' }).waitFor();
    await expect.poll(() => page.locator('.monitoring canvas').count()).toBe(5);
    await page.getByText(/^As a table \(\d+ rows?\)$/).click();
    const table = page.getByRole('table', { name: 'Monitoring' });
    await table
      .getByRole('cell', { name: /^(native|wasm|javascript|interpreter)/ })
      .first()
      .waitFor();
    await open(`runs/${other}`);
    await page.getByRole('heading', { name: 'Convergence' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Monitoring' }).count()).toBe(0);
  });
});

describe('every page', () => {
  it('shows hostile text as text, and has no serious finding of axe', async () => {
    const functionId = await service.upload(SPHERE, XSS);
    const run = await service.call('POST', '/v1/optimize', {
      body: {
        objective_function_id: functionId,
        bounds: [[-1, 1]],
        max_evaluations: 200,
        metadata: { [XSS]: XSS },
        preset: 'enterprise',
      },
    });
    const failing = await service.upload(`def f(x):\n    raise ValueError(${JSON.stringify(XSS)} + str(x[0]))\n`, XSS);
    const failed = await service.call('POST', '/v1/optimize', {
      body: { objective_function_id: failing, bounds: [[-1, 1]], max_evaluations: 60 },
    });
    await service.call('POST', '/v1/identity/keys', { body: { name: XSS, scopes: ['read'] } });
    const study = await service.call('POST', '/v1/studies', {
      body: { bounds: [[0, 1]], max_evaluations: 9, metadata: { a: XSS } },
    });
    const batch = await service.call('POST', '/v1/batch', {
      body: { requests: [{ objective_function_id: functionId, bounds: [[-1, 1]], max_evaluations: 100 }] },
    });
    const said = await service.call('POST', '/v1/domains/conversational/create', { body: { description: XSS } });
    const pages: [string, string | RegExp][] = [
      ['runs', 'Runs'],
      [`runs/${run.body.id}`, / opt_/],
      [`runs/${failed.body.id}`, / opt_/],
      [`compare?ids=${run.body.id},${failed.body.id}`, 'Compare runs'],
      ['new?example=kepler_orbit.py', 'New run'],
      ['domains', 'Domains'],
      ['chat', 'Conversation'],
      [`chat/${said.body.conversation_id}`, 'Conversation'],
      ['studies', 'Studies'],
      [`studies/${study.body.id}`, /^study_/],
      ['batches', 'Batches'],
      [`batches/${batch.body.id}`, /^batch_/],
      ['analytics', 'Analytics'],
      ['learning', 'Learning'],
      ['webhooks', 'Webhooks'],
      ['webhooks/deliveries', 'Deliveries'],
      ['keys', 'API keys'],
      ['system', 'System'],
    ];
    await enter();
    for (const [hash, title] of pages) {
      await visit(hash, title);
      await page.waitForFunction(() => !document.body.innerText.includes('Loading …'));
      expect([hash, await page.title()]).not.toEqual([hash, 'owned']);
      expect([hash, await page.locator('img[src=x]').count()]).toEqual([hash, 0]);
      expect([hash, await seriousFindings()]).toEqual([hash, []]);
    }
    await page.getByRole('button', { name: /colors/ }).click();
    for (const [hash, title] of pages.slice(0, 5)) {
      await visit(hash, title);
      expect([`${hash}, other colors`, await seriousFindings()]).toEqual([`${hash}, other colors`, []]);
    }
  });

  it('fits the width of a phone', async () => {
    await enter();
    await page.setViewportSize({ width: PHONE, height: 844 });
    for (const [hash, title] of [
      ['runs', 'Runs'],
      ['new', 'New run'],
      ['system', 'System'],
      ['keys', 'API keys'],
    ] as const) {
      await visit(hash, title);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([hash, width]).toEqual([hash, PHONE]);
    }
  });

  it('solves the example of a domain from its form, and talks', async () => {
    await enter();
    await visit('domains', 'Domains');
    await page.locator('.tiles a').first().click();
    await page.getByRole('button', { name: 'Solve' }).click();
    await page.locator('.status.completed').waitFor();
    await page.getByRole('heading', { name: 'Answer' }).waitFor();
    await visit('chat', 'Conversation');
    await page.getByLabel('Description').fill('I want to plan routes for 2 vehicles');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.messages .agent').first().waitFor();
  });
});

describe('a service that restarts under an open page', () => {
  it('is missed, and found again with its session', async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'extremum-dashboard-'));
    const first = await startTestService({ dataDir });
    const port = new URL(first.url).port;
    const ownContext = await browser.newContext();
    const own = await ownContext.newPage();
    await own.goto(first.dashboardLink(first.key));
    await own.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await first.stop();
    await own.getByText('The service does not answer.').waitFor();
    // It is told for some seconds only, which may be over before the start is.
    const told = own.getByText('The service answers again').waitFor({ timeout: 90_000 });
    const [second] = await Promise.all([startTestService({ dataDir, key: first.key, flags: ['--port', port] }), told]);
    // The session outlives the process.
    await own.getByRole('link', { name: 'System' }).click();
    await own.getByRole('heading', { name: 'System' }).waitFor();
    await own.reload();
    await own.getByRole('heading', { name: 'System' }).waitFor();
    await own.getByRole('button', { name: 'Log out' }).click();
    await own.getByText('You have logged out.').waitFor();
    await ownContext.close();
    await second.cleanUp();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
