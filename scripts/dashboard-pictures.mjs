/**
 * `npm run pictures:dashboard`: a picture of every page of the dashboard, light, dark and at the width of a phone, into
 * docs/images/dashboard/. Starts a service of its own, fills it with runs, and needs a Chromium (see CONTRIBUTING.md).
 */
import './support/require-node.mjs';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from './build.mjs';
import { launchBrowser } from './support/chromium.mjs';
import { root } from './support/paths.mjs';

const FOLDER = path.join(root, 'docs', 'images', 'dashboard');
const LOOKS = [
  { name: 'light', viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { name: 'dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  { name: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
];
/** Nothing listens there, so deliveries fail. */
const CLOSED = 'https://127.0.0.1:1025/hook';
const only = process.argv.slice(2);

await build();
const { parseConfig } = await import('../dist/config.js');
const { startService } = await import('../dist/main.js');
const dataDir = mkdtempSync(path.join(tmpdir(), 'extremum-pictures-'));
const settings = {
  port: 0,
  'data-dir': dataDir,
  'log-level': 'silent',
  'rate-limit-per-minute': 0,
  'webhook-allow-networks': '127.0.0.0/8',
};
const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
const service = await startService(parseConfig(process.env, flags));
const browser = await launchBrowser();
try {
  const pages = await fill();
  mkdirSync(FOLDER, { recursive: true });
  for (const { name, ...look } of LOOKS) {
    const context = await browser.newContext(look);
    const page = await context.newPage();
    await picture(page, `login-${name}`, `${service.url}/dashboard`);
    await page.goto(service.dashboardLink(service.bootstrapKey));
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    for (const [title, hash] of pages) await picture(page, `${title}-${name}`, `${service.url}/dashboard#/${hash}`);
    await context.close();
  }
} finally {
  await browser.close();
  await service.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function picture(page, name, address) {
  if (only.length > 0 && !only.some((part) => name.includes(part))) return;
  await page.goto(address);
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(
    () => !document.body.innerText.includes('Loading …') && !document.body.innerText.includes('Checking …'),
  );
  // What is drawn after the data came.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const { width } = page.viewportSize();
  const isWide = await page.evaluate((most) => document.documentElement.scrollWidth > most, width);
  if (isWide) console.error(`${name}: wider than the window`);
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
  console.log(name);
}

async function call(method, target, body) {
  const response = await fetch(service.url + target, {
    method,
    headers: { authorization: `Bearer ${service.bootstrapKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${target}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** Runs of all kinds. Returns pages by name. */
async function fill() {
  const examples = JSON.parse(readFileSync(path.join(root, 'examples', 'examples.json'), 'utf8'));
  const runs = [];
  const functions = {};
  const start = async (file, more = {}) => {
    const { bounds, max_evaluations } = examples.find((example) => example.file === file);
    const code = readFileSync(path.join(root, 'examples', file), 'utf8');
    const upload = { name: file.replace('.py', ''), code, language: 'python' };
    functions[file] ??= (await call('POST', '/v1/functions', upload)).id;
    const id = functions[file];
    const request = { objective_function_id: id, bounds, max_evaluations, seed: 1, preset: 'enterprise', ...more };
    runs.push(await call('POST', '/v1/optimize', request));
    return runs.at(-1);
  };
  await start('rosenbrock.py', { strategy: 'cma-es' });
  await start('rosenbrock.py', { strategy: 'differential-evolution' });
  await start('griewank.py');
  await start('schwefel.py', { max_evaluations: 4_000 });
  await start('rastrigin.py', { black_box: true, max_evaluations: 20_000 });
  const broken = await call('POST', '/v1/functions', {
    name: 'broken',
    code: 'def f(x):\n    return {}[x[0]]\n',
    language: 'python',
  });
  await call('POST', '/v1/optimize', { objective_function_id: broken.id, bounds: [[0, 1]], max_evaluations: 100 });
  const front = await call('POST', '/v1/functions', {
    name: 'two goals',
    code: 'def f(x):\n    return x[0] ** 2 + x[1] ** 2, (x[0] - 1) ** 2 + x[1] ** 2\n',
    language: 'python',
  });
  const two = await call('POST', '/v1/optimize', {
    ...{
      objective_function_id: front.id,
      bounds: [
        [-2, 2],
        [-2, 2],
      ],
      objectives: 2,
      max_evaluations: 3_000,
      seed: 1,
    },
  });
  const { data: domains } = await call('GET', '/v1/domains');
  const [{ domain, problem_types: types }] = domains;
  const problem = await call('POST', `/v1/domains/${domain}/optimize`, {
    problem_type: types[0].problem_type,
    config: types[0].models[0].example,
  });
  const study = await call('POST', '/v1/studies', {
    bounds: [
      [-5, 5],
      [-5, 5],
    ],
    max_evaluations: 60,
    seed: 1,
  });
  for (let i = 0; i < 4; i++) {
    const { candidates } = await call('POST', `/v1/studies/${study.id}/ask`, { count: 6 });
    const results = candidates.map(({ id, solution: [a, b] }) => ({ id, values: [a * a + (b - 1) ** 2] }));
    await call('POST', `/v1/studies/${study.id}/tell`, { results });
  }
  const batch = await call('POST', '/v1/batch', {
    requests: [1, 2, 3].map((seed) => ({
      ...{ objective_function_id: runs[2].objective_function_id, bounds: runs[2].bounds, max_evaluations: 2_000, seed },
    })),
  });
  const webhook = await call('POST', '/v1/webhooks', { url: CLOSED, events: ['*'] });
  await call('POST', `/v1/webhooks/${webhook.id}/test`);
  await call('POST', '/v1/identity/keys', { name: 'ci', scopes: ['read', 'run'] });
  const said = await call('POST', '/v1/domains/conversational/create', {
    description: 'I want to plan routes for 2 vehicles with capacity 100.',
  });
  const [first, second] = runs;
  return [
    ...[
      ['runs', 'runs'],
      ['run', `runs/${runs[0].id}`],
      ['front', `runs/${two.id}`],
      ['answer', `runs/${problem.id}`],
    ],
    ...[
      ['compare', `compare?ids=${first.id},${second.id}`],
      ['new', 'new?example=kepler_orbit.py'],
      ['domains', 'domains'],
    ],
    ...[
      ['problem', `domains/${domain}/${types[0].problem_type}`],
      ['conversation', `chat/${said.conversation_id}`],
    ],
    ...[
      ['studies', 'studies'],
      ['study', `studies/${study.id}`],
      ['batches', 'batches'],
      ['batch', `batches/${batch.id}`],
    ],
    ...[
      ['analytics', 'analytics'],
      ['learning', 'learning'],
      ['webhooks', 'webhooks'],
      ['keys', 'keys'],
      ['system', 'system'],
    ],
    ['webhook', `webhooks/${webhook.id}`],
  ];
}
