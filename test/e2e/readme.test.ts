import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig, SETTING_NAMES } from '../../src/config.js';
import { startService } from '../../src/main.js';
import { strategies } from '../../src/planner/all-strategies.js';
import { bash, hasCurl } from '../support/bash.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const readme = textOf('README.md');

describe('the README', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'extremum-readme-'));
  let service: Awaited<ReturnType<typeof startService>>;

  beforeAll(async () => {
    const flags = ['--port', '0', '--data-dir', path.join(folder, 'data'), '--log-level', 'silent', '--python', 'off'];
    service = await startService(parseConfig({}, flags));
  });

  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.skipIf(!hasCurl)(`its walk with curl works as printed${hasCurl ? '' : ' (skipped: needs curl)'}`, async () => {
    const blocks = [...readme.matchAll(/^```bash\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '');
    expect(blocks.length).toBeGreaterThan(0);
    const script = blocks
      .join('\n')
      .replaceAll('http://127.0.0.1:8080', service.url)
      .replaceAll('sk_...', String(service.bootstrapKey))
      // `-f`: an HTTP error ends the script. A line feed after each answer keeps them apart.
      .replaceAll('curl -s ', "curl -fsS -w '\\n' ");
    const { code, output } = await bash(script, folder);
    expect(output).not.toContain('"error":{"code"');
    expect(code, output).toBe(0);
    const answers = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const [uploaded, run, again, history, list] = answers;
    expect(uploaded).toMatchObject({ name: 'paraboloid', compilation: { compiled: true } });
    expect(run).toMatchObject({ status: 'completed', success: true, objective_function_id: uploaded?.['id'] });
    expect(run?.['best_fitness']).toBeLessThan(1e-6);
    const [, printed = ''] = /^```json\n([\s\S]*?)^```/m.exec(readme) ?? [];
    // The service runs without Python here: nothing is confirmed, and `sum()` is that of another version than the
    // README's.
    const { verified, evaluations, strategy_used, optimality, ...answer } = JSON.parse(printed) as Record<
      string,
      never
    >;
    const { bound: _bound, gap: _gap, ...proof } = optimality as Record<string, unknown>;
    expect(run).toMatchObject({ ...answer, optimality: proof });
    expect(run?.['evaluations']).toBeCloseTo(evaluations, -1);
    expect((run?.['optimality'] as { gap: number }).gap).toBeLessThan(1e-9);
    expect([verified, strategy_used]).toEqual([expect.anything(), expect.any(String)]);
    expect(again).toEqual(run);
    expect((history?.['data'] as unknown[]).length).toBeGreaterThan(2);
    expect(list).toMatchObject({ total: 1, limit: 5, offset: 0 });
  });

  test.skipIf(!hasCurl)(
    `the walk of the guide to conversations works as printed${hasCurl ? '' : ' (skipped: needs curl)'}`,
    async () => {
      const [, walk = ''] = /^```bash\n([\s\S]*?)^```/m.exec(textOf('docs/guides/conversation.md')) ?? [];
      const known = `EXTREMUM_API_KEY=${service.bootstrapKey}\nBASE=${service.url}\n`;
      const { code, output } = await bash(known + walk.replaceAll('curl -s ', "curl -fsS -w '\\n' "), folder);
      expect(code, output).toBe(0);
      const answers = output
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(answers).toMatchObject([
        { status: 'waiting_for_input', missing: ['demand_rate'] },
        { status: 'ready_to_optimize' },
        { status: 'completed', problem_type: 'inventory' },
        { status: 'completed' },
      ]);
    },
  );

  test('the table of settings in the guide for operators names exactly the settings there are', () => {
    const guide = textOf('docs/guides/operating.md');
    const table = guide.slice(guide.indexOf('## Settings'), guide.indexOf('## Keys'));
    const named = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap((row) =>
      [...(row[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map((match) => match[1]),
    );
    expect(named.sort()).toEqual([...SETTING_NAMES].sort());
  });

  test('the guide to strategies names exactly the strategies there are', () => {
    const guide = textOf('docs/guides/strategies.md');
    const table = guide.slice(0, guide.indexOf('\n## '));
    const named = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map((match) => match[1]);
    expect(named.sort()).toEqual(strategies.map(({ name }) => name).sort());
  });

  test('the files that it and the guides point to exist', () => {
    const guides = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.posix.join('docs', name));
    const wrong: string[] = [];
    let links = 0;
    for (const name of ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', ...guides]) {
      const text = textOf(name).replaceAll(/^```[\s\S]*?^```/gm, '');
      const linked = [...text.matchAll(/\]\(([^)#\s]+)[^)\s]*\)/g)]
        .map((match) => match[1] ?? '')
        .filter((target) => !/^\w+:/.test(target));
      links += linked.length;
      const targets = linked.map((target) => path.posix.join(path.posix.dirname(name), target));
      const named = [...text.matchAll(/`((?:docs|examples|bench)\/[\w./-]*\.\w+|[A-Z]+\.md)`/g)].map(
        (match) => match[1] ?? '',
      );
      for (const target of [...targets, ...named]) {
        if (!existsSync(path.join(root, target))) wrong.push(`${name}: ${target}`);
      }
    }
    expect(links).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });
});
