/**
 * Runs whose values CPython confirms with other last bits: those of the host's BLAS library, for the oldest and for the
 * newest processor that it knows and this one can be. test/property/blas.test.ts judges values by all of them.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { missing } from '../sandbox/support.js';
import { BLAS_EXPRESSIONS, blasVariants, type BlasVariant } from '../support/blas.js';
import { startTestService, type Json } from '../support/service.js';

const all = missing === null ? blasVariants() : [];
const variants = all.filter(({ python }, k) => all[k - 1]?.python !== python || all[k + 1]?.python !== python);
const folder = mkdtempSync(path.join(tmpdir(), 'extremum-blas-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * An environment with the NumPy of `python` in which OpenBLAS takes that kernel: workers begin with an empty
 * environment.
 */
function interpreterFor({ python, core }: BlasVariant): string {
  const place = mkdtempSync(path.join(folder, 'python-'));
  execFileSync(python, ['-m', 'venv', '--without-pip', place]);
  const inside = path.join(place, 'bin', 'python3');
  const print = (program: string, by: string): string => execFileSync(by, ['-c', program], { encoding: 'utf8' }).trim();
  const numpy = print('import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))', python);
  const packages = print('import sysconfig; print(sysconfig.get_path("purelib"))', inside);
  const lines = core === null ? [] : [`import os; os.environ["OPENBLAS_CORETYPE"] = ${JSON.stringify(core)}`];
  writeFileSync(path.join(packages, 'numpy.pth'), [...lines, numpy, ''].join('\n'));
  return inside;
}

/** The sums of a few of them each. */
const SOURCES = [0, 5, 10, 15].map(
  (first) => `import numpy as np\ndef f(x):\n    return ${BLAS_EXPRESSIONS.slice(first, first + 5).join(' + ')}\n`,
);

const reason = missing ?? (variants.length === 0 ? 'needs NumPy and SciPy' : null);

describe(`products by BLAS${reason === null ? '' : ` (skipped: ${reason})`}`, () => {
  it.skipIf(reason !== null).each(variants)(
    'are confirmed with $title, and no source is called misread',
    async (variant) => {
      const python = interpreterFor(variant);
      const service = await startTestService({ flags: ['--python', python, '--rate-limit-per-minute', '0'] });
      try {
        const { backends } = (await service.call('GET', '/v1/health')).body;
        expect(backends.find(({ name }: Json) => name === 'cpython').device).toContain('NumPy');
        const asked = await service.upload(
          `import os\ndef f(x):\n    return os.environ.get("OPENBLAS_CORETYPE") == ${variant.core === null ? 'None' : `"${variant.core}"`}\n`,
        );
        const told = await service.call('POST', `/v1/functions/${asked}/evaluate`, { body: { points: [[0]] } });
        expect(told.body.values).toEqual([1]);
        for (const code of SOURCES) {
          const id = await service.upload(code);
          const bounds = Array.from({ length: 4 }, () => [-3, 3]);
          const { body: record } = await service.call('POST', '/v1/optimize', {
            body: { objective_function_id: id, bounds, max_evaluations: 1_000, seed: 7, black_box: true },
          });
          expect(record.status, code).toBe('completed');
          expect(record.verified.by, `${code}: ${JSON.stringify(record.verified)}`).toBe('cpython');
          expect(record.verified.points).toBeGreaterThan(5);
          expect([undefined, 'undecided']).toContain(record.verified.reason);
          const { compilation } = (await service.call('GET', `/v1/functions/${id}`)).body;
          expect(compilation, code).toMatchObject({ compiled: true, misread: null });
        }
      } finally {
        await service.cleanUp();
      }
    },
    60_000,
  );
});
