import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config.js';
import { startService } from '../../src/main.js';
import { findPython } from '../support/python.js';

interface Example {
  readonly file: string;
  readonly title: string;
  readonly bounds: readonly [number, number][];
  readonly minimum: number;
  readonly tolerance: number;
  readonly max_evaluations: number;
  readonly seed: number;
  readonly compiled: boolean;
  readonly requires: readonly ('numpy' | 'scipy')[];
}

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));
const examples = JSON.parse(readFileSync(path.join(folder, 'examples.json'), 'utf8')) as Example[];

describe('every example reaches its known optimum over HTTP', () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'extremum-examples-'));
  let service: Awaited<ReturnType<typeof startService>>;

  beforeAll(async () => {
    const python = findPython('numpy', 'scipy').command ?? findPython().command ?? 'off';
    const flags = ['--port', '0', '--data-dir', dataDir, '--log-level', 'silent', '--python', python];
    service = await startService(parseConfig({}, flags));
  });

  afterAll(async () => {
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function post(route: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(service.url + route, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.bootstrapKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  test.each(examples)('$title', async (example) => {
    const { file, bounds, minimum, tolerance, compiled } = example;
    const code = readFileSync(path.join(folder, file), 'utf8');
    const uploaded = await post('/v1/functions', { name: path.basename(file, '.py'), language: 'python', code });
    expect(uploaded.body).toMatchObject({ compilation: { compiled } });
    expect(uploaded.status).toBe(201);

    const run = await post('/v1/optimize', {
      objective_function_id: uploaded.body['id'],
      bounds,
      max_evaluations: example.max_evaluations,
      seed: example.seed,
    });
    expect(run.body).toMatchObject({ status: 'completed', success: true });
    expect(run.status).toBe(200);
    expect(Math.abs((run.body['best_fitness'] as number) - minimum)).toBeLessThanOrEqual(tolerance);
    expect(run.body['evaluations']).toBeLessThanOrEqual(example.max_evaluations);
    const solution = run.body['best_solution'] as number[];
    expect(solution).toHaveLength(bounds.length);
    solution.forEach((value, index) => {
      expect(value).toBeGreaterThanOrEqual(bounds[index][0]);
      expect(value).toBeLessThanOrEqual(bounds[index][1]);
    });
  });

  test('the list is what is in the folder', () => {
    const inFolder = readdirSync(folder).filter((file) => file.endsWith('.py'));
    expect(examples.map((example) => example.file).sort()).toEqual(inFolder.sort());
  });
});
