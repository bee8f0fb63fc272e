import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig, SETTING_NAMES } from '../../src/config.js';
import { startService } from '../../src/main.js';
import { strategies } from '../../src/planner/registry.js';
import { bash, hasCurl } from '../support/bash.js';

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

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
    expect(again).toEqual(run);
    expect((history?.['data'] as unknown[]).length).toBeGreaterThan(2);
    expect(list).toMatchObject({ total: 1, limit: 5, offset: 0 });
  });

  test('its table of settings names exactly the settings there are', () => {
    const table = readme.slice(readme.indexOf('## Settings'), readme.indexOf('More keys:'));
    const named = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap((row) =>
      [...(row[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map((match) => match[1]),
    );
    expect(named.sort()).toEqual([...SETTING_NAMES].sort());
  });

  test('it and the guide name exactly the strategies there are', () => {
    const names = strategies.map(({ name }) => name).sort();
    const sentence = /forces one instead: ([^;]*);/.exec(readme)?.[1] ?? '';
    expect([...sentence.matchAll(/`([\w-]+)`/g)].map((match) => match[1]).sort()).toEqual(names);
    const guide = readFileSync(fileURLToPath(new URL('../../docs/guides/strategies.md', import.meta.url)), 'utf8');
    const table = guide.slice(0, guide.indexOf('\n## '));
    expect([...table.matchAll(/^\| `([\w-]+)` \|/gm)].map((match) => match[1]).sort()).toEqual(names);
  });

  test('the files that it points to exist', () => {
    const mentioned = [...readme.matchAll(/`((?:docs|examples|bench)\/[\w./-]*|[A-Z]+\.md)`/g)].map(
      (match) => match[1],
    );
    for (const file of mentioned) {
      const target = fileURLToPath(new URL(`../../${file ?? ''}`, import.meta.url));
      expect(existsSync(target), file).toBe(true);
    }
  });
});
