/** The client that docs/guides/studies.md prints. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { findPython } from '../support/python.js';
import { startTestService } from '../support/service.js';

const { command } = findPython();

it.skipIf(command === null)(
  'the client of the guide runs as printed (needs Python)',
  async () => {
    const guide = readFileSync(join(packageRoot(), 'docs/guides/studies.md'), 'utf8');
    const [, client] = /^```python\n([\s\S]*?)^```/m.exec(guide) ?? [];
    const service = await startTestService({ flags: ['--python', 'off'] });
    try {
      const env = { EXTREMUM_URL: service.url, EXTREMUM_API_KEY: service.key };
      const { stdout } = await promisify(execFile)(command!, ['-c', client], { env });
      const { best_solution, best_fitness } = JSON.parse(stdout);
      expect(best_fitness).toBeLessThan(0.01);
      expect((best_solution[0] - 1) ** 2 + 10 * (best_solution[1] + 2) ** 2).toBe(best_fitness);
    } finally {
      await service.cleanUp();
    }
  },
  120_000,
);
