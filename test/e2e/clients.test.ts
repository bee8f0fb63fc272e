/** The clients that public generators make of the OpenAPI document, by the commands that the examples print. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { findPython } from '../support/python.js';
import { startTestService, type TestService } from '../support/service.js';

const TIME = 240_000;
const python = findPython();
/** Where `npm run check:clients` has put the generator. */
const generator = process.env['EXTREMUM_PYTHON_CLIENT_GENERATOR'];
const missing = python.command === null ? python.reason : generator === undefined ? 'needs npm run check:clients' : '';

describe('generated clients', () => {
  let service: TestService;
  // Inside node_modules, where the generator and the library of the TypeScript client are found.
  const cache = join(packageRoot(), 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'clients-'));

  beforeAll(async () => {
    service = await startTestService({ flags: ['--python', 'off'] });
  }, TIME);

  afterAll(async () => {
    await service.cleanUp();
    rmSync(folder, { recursive: true, force: true });
  }, TIME);

  /** What the commands of the example's README print, run in a copy of its folder. */
  async function follow(example: string, files: readonly string[], env: Readonly<Record<string, string>>) {
    const source = join(packageRoot(), 'examples', example);
    const place = join(folder, example);
    mkdirSync(place);
    for (const file of files) cpSync(join(source, file), join(place, file));
    const [, commands] = /^```bash\n([\s\S]*?)^```/m.exec(readFileSync(join(source, 'README.md'), 'utf8')) ?? [];
    const script = `set -e\npython3() { command "$TEST_PYTHON" "$@"; }\n${commands}`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      cwd: place,
      env: { ...process.env, BASE: service.url, EXTREMUM_API_KEY: service.key, ...env },
    });
    return stdout;
  }

  it(
    'TypeScript: generates, passes the strict type checker, and does its work',
    async () => {
      const output = await follow('typescript-client', ['example.mts', 'tsconfig.json'], {});
      expect(output).toContain('completed: f(1, -2) = 0\n');
      expect(output).toMatch(/after \d+ evaluations, [1-9]\d* points of history\n/);
      expect(output).toMatch(/study completed: f\(.+, .+\) = \d/);
    },
    TIME,
  );

  it.skipIf(missing !== '')(
    `Python: generates without a warning, and does its work${missing === '' ? '' : ` (${missing})`}`,
    async () => {
      const output = await follow('python-client', ['example.py', 'config.yml'], {
        TEST_PYTHON: python.command!,
        PYTHONPATH: generator!,
        PYTHONDONTWRITEBYTECODE: '1',
      });
      expect(output).toContain('completed: f([1, -2]) = 0\n');
      expect(output).toMatch(/after \d+ evaluations, [1-9]\d* points of history\n/);
      expect(output).toMatch(/study completed: f\(\[.+, .+\]\) = \d/);
    },
    TIME,
  );
});
