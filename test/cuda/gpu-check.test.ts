/** `npm run gpu:check` on stand-in libraries: what it finds, what it says, and that it writes no figures of them. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StandIns, standInsMissing } from '../support/cuda/stand-ins.js';

const script = fileURLToPath(new URL('../../scripts/gpu-check.mjs', import.meta.url));
const missing = standInsMissing();

describe.skipIf(missing !== '')(`npm run gpu:check${missing && `: ${missing}`}`, () => {
  let standIns: StandIns;
  let out: string;
  beforeAll(async () => {
    standIns = await StandIns.build();
    out = join(standIns.libraries, 'results');
  });
  afterAll(() => standIns.remove());

  function check(env: Readonly<Record<string, string>> = {}) {
    const small = ['--fixtures', 'np_rastrigin', '--dimensions', '3', '--populations', '200'];
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--carried', '--out', out, ...small], {
      encoding: 'utf8',
      env: { ...standIns.environment(), ...env },
    });
    return { status, stdout, stderr };
  }

  it('finds equal bits, measures, and takes no figures from a stand-in', { timeout: 240_000 }, () => {
    const { status, stdout, stderr } = check();
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^Stand-in A, driver for CUDA 13\.0, NVRTC 13\.0\n[1-9]\d* batches have the bits of the CPU \(\w+\), 0 /,
    );
    expect(stdout).toContain('\n4 of 4 runs that stay there have the bits of the CPU\n');
    expect(stdout).toContain('\nbulk-particle-swarm, 200 x 3: the bits of the CPU after 2 generations\n');
    expect(stdout).toMatch(/^[1-9]\d* batches of single precision keep their bounds, with [5-9]\d % /m);
    expect(stdout).toMatch(/rosenbrock.* 3 .* 200 /);
    expect(stdout).toMatch(/rastrigin.* 3 .* 200 .*bulk-differential-evolution/);
    expect(stdout).toContain('no figures are written');
    expect(existsSync(out)).toBe(false);
  });

  it('finds one wrong bit', () => {
    const { status, stderr } = check({ STAND_IN_FAULTS: 'flip:2:1' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/different: np_rastrigin\.py, n = \d+, 65 candidates: number 0 is .*, on the CPU /);
  });

  it('says why no GPU can be used', () => {
    const { status, stderr } = check({ STAND_IN_DEVICES: '0' });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^no GPU can be used: the NVIDIA driver is there, but sees no GPU/);
  });
});
