/** The walk with curl that docs/guides/federated-learning.md prints. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { bash, hasCurl } from '../support/bash.js';
import { startTestService, type Json } from '../support/service.js';

it.skipIf(!hasCurl)('the walk of the guide works as printed (needs curl)', { timeout: 300_000 }, async () => {
  const guide = readFileSync(join(packageRoot(), 'docs/guides/federated-learning.md'), 'utf8');
  const [, walk = ''] = /^```bash\n([\s\S]*?)^```/m.exec(guide) ?? [];
  const flags = ['--python', 'off', '--rate-limit-per-minute', '0'];
  const [a, b] = await Promise.all([startTestService({ flags }), startTestService({ flags })]);
  try {
    const script = walk
      .replace('http://127.0.0.1:8080 KEY_A=sk_...', `${a.url} KEY_A=${a.key}`)
      .replace('http://127.0.0.1:8081 KEY_B=sk_...', `${b.url} KEY_B=${b.key}`)
      .replaceAll('curl -sS ', "curl -fsS -w '\\n' ");
    const { code, output } = await bash(script, a.dataDir);
    expect(code, output).toBe(0);
    const [merged, model, revoked] = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    expect(merged).toMatchObject({ id: expect.stringMatching(/^fed_[0-9]+$/) as string, version: 1 });
    expect(model).toMatchObject({ version: 1, updates: 1 });
    expect(revoked).toMatchObject({ updates: 0, problem_classes: [] });
    // First, middle and last run of A, then B's with the update and without.
    const evaluations = [...output.matchAll(/^"evaluations": ?([0-9]+)$/gm)].map((match) => Number(match[1]));
    expect(evaluations.length).toBe(5);
    expect(evaluations[2]).toBeLessThan(evaluations[0]);
    const read = (name: string): Json => JSON.parse(readFileSync(join(a.dataDir, name), 'utf8'));
    expect(read('update.json')).toMatchObject({ format: 'extremum-federated-update', epsilon: 2 });
    expect(read('led.json').learned.version).toBe(1);
    expect(read('alone.json').learned.version).toBe(0);
  } finally {
    await Promise.all([a.cleanUp(), b.cleanUp()]);
  }
});
