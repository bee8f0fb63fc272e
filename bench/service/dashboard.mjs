/**
 * The dashboard in a real Chromium, on loopback: when each page is painted, and how long a click or a key takes until
 * the next frame, with 200 runs of 10,000 points, with 10,000 runs, and while a run streams. Every page is checked for
 * what it must show. The browser, the service and the search share the machine.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { launchBrowser } from '../../scripts/support/chromium.mjs';
import { root } from '../../scripts/support/paths.mjs';
import { copyRuns } from '../support/copied-runs.mjs';
import { startServer } from '../support/service.mjs';
import { quantile, rounded } from '../support/statistics.mjs';

const scale = Number(process.env['EXTREMUM_BENCH_SCALE'] ?? 1);
const POINTS = 10_000;
const LOADS = Math.max(3, Math.round(7 * scale));
const ROUNDS = Math.max(3, Math.round(10 * scale));
const BEGIN = 1_600_000_000_000;
const SPHERE = 'def f(x):\n    return sum(v * v for v in x)\n';

export async function run() {
  let browser;
  try {
    browser = await launchBrowser();
  } catch (error) {
    return { skipped: error.message };
  }
  try {
    const results = [];
    for (const runs of [200, 10_000]) results.push(...(await measure(browser, runs)));
    results.push(bundle());
    return { name: 'service-dashboard', settings: { points: POINTS, loads: LOADS, rounds: ROUNDS }, results };
  } finally {
    await browser.close();
  }
}

/** What a first visit fetches, compressed as a proxy would. */
function bundle() {
  const folder = path.join(root, 'dist', 'dashboard');
  if (!existsSync(folder)) throw new Error('the dashboard is not built');
  const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(js|css|html|svg)$/.test(name));
  const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(folder, name))).length, 0);
  return { case: 'bundle, gzipped', kilobytes: rounded(bytes / 1_000) };
}

/** Falls by jumps, as searches do; no two runs have the same. */
const courseOf = (n) =>
  Array.from({ length: POINTS }, (_, i) => ({
    evaluations: i + 1,
    bestFitness: 1e3 * Math.exp(-i / (500 + n)) + n,
    elapsedSeconds: (i + 1) * 1e-4,
  }));

async function measure(browser, count) {
  const store = { kind: 'sqlite' };
  const server = await startServer(store);
  try {
    const ids = await copyRuns(store, server, count, (n, history) => ({
      status: 'completed',
      bestFitness: n,
      metadata: { team: `team-${n % 50}` },
      createdAt: BEGIN + n * 1_000,
      history: count === 200 ? courseOf(n) : history,
    }));
    const label = `${count.toLocaleString('en-US')} runs`;
    const rows = [];
    const painted = async (name, hash, ready) => {
      rows.push({ case: `${label}: ${name}`, ...(await paintsOf(browser, server, hash, ready)) });
      console.log('  ' + JSON.stringify(rows.at(-1)));
    };
    const interacted = async (name, hash, act, more) => {
      rows.push({ case: `${label}: ${name}`, ...(await interactionsOf(browser, server, hash, act, more)) });
      console.log('  ' + JSON.stringify(rows.at(-1)));
    };
    await painted('the list', 'runs', async (page) => {
      await page.locator('table.runs tbody tr').nth(19).waitFor();
      await page
        .getByText((count + 1).toLocaleString('en-US'))
        .first()
        .waitFor();
    });
    await interacted('sort, filter and turn the list', 'runs', workOnList);
    if (count !== 200) return rows;
    await painted('a run of 10,000 points', `runs/${ids[7]}`, drawn);
    await painted('eight runs of 10,000 points compared', `compare?ids=${ids.slice(0, 8).join(',')}`, drawn);
    await interacted('zoom and change axes of eight runs', `compare?ids=${ids.slice(0, 8).join(',')}`, workOnChart);
    const streaming = await startEndless(server);
    try {
      await interacted('the page of a run that streams', `runs/${streaming}`, workOnChart);
      await interacted('sort, filter and turn the list while a run streams', 'runs', workOnList);
    } finally {
      await server.call('POST', `/v1/optimize/${streaming}/cancel`);
    }
    return rows;
  } finally {
    await server.close();
  }
}

async function startEndless(server) {
  const objective_function_id = await server.upload('sphere', SPHERE, true);
  const bounds = Array.from({ length: 30 }, () => [-5, 5]);
  const asked = { objective_function_id, bounds, max_evaluations: 900_000_000, black_box: true, seed: 1 };
  const body = { ...asked, strategy: 'particle-swarm', mode: 'accurate' };
  const { id, status } = await server.call('POST', '/v1/optimize', body, { prefer: 'respond-async' });
  if (status === 'completed' || status === 'failed') throw new Error(`the run that should stream has ended: ${status}`);
  return id;
}

const drawn = (page) => page.locator('.u-over').waitFor();

/** A browser without a cache, logged in. */
async function enter(browser, { url, key }) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  await page.goto(`${url}/dashboard`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  // What it says of the visit without a session.
  faults.length = 0;
  return { context, page, faults };
}

/** From the navigation on: the first paint, the largest, and when `ready` found what the page is for. */
async function paintsOf(browser, server, hash, ready) {
  const first = [];
  const largest = [];
  const complete = [];
  for (let i = 0; i < LOADS; i++) {
    const { context, page, faults } = await enter(browser, server);
    const fresh = await context.newPage();
    fresh.on('pageerror', (error) => faults.push(String(error)));
    await page.close();
    const client = await context.newCDPSession(fresh);
    await client.send('Network.setCacheDisabled', { cacheDisabled: true });
    const began = performance.now();
    await fresh.goto(`${server.url}/dashboard#/${hash}`);
    await ready(fresh);
    complete.push(performance.now() - began);
    const paints = await fresh.evaluate(
      () =>
        new Promise((resolve) => {
          new PerformanceObserver((list) => {
            const first = performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
            resolve([first, list.getEntries().at(-1).startTime]);
          }).observe({ type: 'largest-contentful-paint', buffered: true });
        }),
    );
    first.push(paints[0]);
    largest.push(paints[1]);
    if (faults.length > 0) throw new Error(`${hash}: ${faults.join('; ')}`);
    await context.close();
  }
  const middle = (values) => rounded(quantile(values, 0.5));
  return {
    first_paint_ms: middle(first),
    largest_paint_ms: middle(largest),
    complete_ms: middle(complete),
    complete_most_ms: rounded(Math.max(...complete)),
  };
}

/**
 * From a click or key to the frame that shows it, as Event Timing measures it (in steps of 8 ms), over `ROUNDS` of
 * `act`.
 */
async function interactionsOf(browser, server, hash, act) {
  const { context, page, faults } = await enter(browser, server);
  await page.evaluate((to) => void (location.hash = to), `#/${hash}`);
  await page.locator(hash.startsWith('runs?') || hash === 'runs' ? 'table.runs' : '.u-over').waitFor();
  await page.evaluate(() => {
    globalThis.measured = new Map();
    globalThis.blocked = [];
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries()) {
        if (interactionId === 0) continue;
        globalThis.measured.set(interactionId, Math.max(duration, globalThis.measured.get(interactionId) ?? 0));
      }
    }).observe({ type: 'event', durationThreshold: 16 });
    new PerformanceObserver((list) => {
      globalThis.blocked.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: 'longtask' });
  });
  let interactions = 0;
  for (let i = 0; i < ROUNDS; i++) interactions += await act(page);
  await page.waitForTimeout(500);
  const { slow, blocked } = await page.evaluate(() => ({
    slow: [...globalThis.measured.values()],
    blocked: globalThis.blocked,
  }));
  if (faults.length > 0) throw new Error(`${hash}: ${faults.join('; ')}`);
  await context.close();
  // What took less than 16 ms is not told.
  const times = [...slow, ...Array.from({ length: Math.max(0, interactions - slow.length) }, () => 0)];
  const within = (share) => rounded(Math.max(16, quantile(times, share)));
  return {
    interactions,
    p50_at_most_ms: within(0.5),
    p98_at_most_ms: within(0.98),
    slowest_ms: within(1),
    longest_task_ms: rounded(Math.max(0, ...blocked)),
  };
}

async function workOnChart(page) {
  await page.getByRole('button', { name: 'Time', exact: true }).click();
  await page.getByRole('button', { name: 'Evaluations', exact: true }).first().click();
  await page.getByRole('button', { name: 'Log', exact: true }).first().click();
  await page.getByRole('button', { name: 'Linear', exact: true }).first().click();
  // The axes are drawn anew.
  await page.waitForTimeout(100);
  const box = await page.locator('.u-over').boundingBox();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 50, { steps: 4 });
  await page.mouse.up();
  await page.locator('.u-over').dblclick();
  return 7;
}

async function workOnList(page) {
  const rows = page.locator('table.runs tbody tr');
  await page.getByRole('button', { name: 'Evaluations' }).click();
  await page.getByRole('button', { name: 'Best value' }).click();
  await page.getByRole('checkbox').first().click();
  await page.getByRole('button', { name: 'Clear' }).click();
  const search = page.getByRole('searchbox');
  await search.pressSequentially('team-7', { delay: 30 });
  await page.waitForTimeout(350);
  await rows.first().waitFor();
  await search.fill('');
  await page.getByRole('button', { name: 'Created' }).click();
  await page.waitForTimeout(350);
  await rows.nth(19).waitFor();
  return 11;
}
