/** The client that docs/guides/mcp.md prints. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { startTestService } from '../support/service.js';

it('the client of the guide runs as printed', { timeout: 60_000 }, async () => {
  const guide = readFileSync(join(packageRoot(), 'docs/guides/mcp.md'), 'utf8');
  const [, client = ''] = /^```js\n([\s\S]*?)^```/m.exec(guide) ?? [];
  const service = await startTestService({ flags: ['--python', 'off'] });
  try {
    const env = { ...process.env, EXTREMUM_URL: service.url, EXTREMUM_API_KEY: service.key };
    const args = ['--input-type=module', '-e', client];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: packageRoot() });
    const { best_solution: best, best_fitness: value, explanation } = JSON.parse(stdout);
    expect(value).toBeLessThan(0.01);
    expect((best[0] - 1) ** 2 + 10 * (best[1] + 2) ** 2).toBe(value);
    expect(explanation).not.toBe('');
  } finally {
    await service.cleanUp();
  }
});
