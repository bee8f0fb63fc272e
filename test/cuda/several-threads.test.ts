/**
 * `native/cuda/` in several threads at once, under the sanitizers of g++, on stand-in libraries that fail now and then.
 */
import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateKernel } from '../../src/backends/cuda/generate.js';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { StandIns, standInsMissing } from '../support/cuda/stand-ins.js';

const exec = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const missing = standInsMissing();

const FAULTS = ['', 'cuMemAlloc_v2:3:2,cuMemHostAlloc:5:2,kernel:9:719', 'cuLaunchKernel:4:701,copy:20:999'];

describe.skipIf(missing !== '')(`native/cuda/ in several threads${missing && `: ${missing}`}`, () => {
  let standIns: StandIns;
  let kernel: string;

  beforeAll(async () => {
    standIns = await StandIns.build();
    const { source } = analyzeUpload('def objective(x):\n    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]\n', '');
    const { ir } = compileObjective(source!, { dimension: 3, pythonMinor: 12 });
    kernel = join(standIns.libraries, 'kernel.cu');
    writeFileSync(kernel, generateKernel(ir!, { math: 'exact' }).text);
  });
  afterAll(() => standIns.remove());

  it.each(['address,undefined', 'thread'])('satisfies -fsanitize=%s', { timeout: 300_000 }, async (sanitizer) => {
    const program = join(standIns.libraries, `several_threads-${sanitizer}`);
    const sources = readdirSync(join(root, 'native/cuda')).filter((name) => name.endsWith('.cpp'));
    const all = [
      join(root, 'test/support/cuda/several_threads.cpp'),
      ...sources.map((name) => join(root, 'native/cuda', name)),
    ];
    const include = ['-I', join(root, 'native'), '-I', join(root, 'native/include')];
    const flags = ['-std=c++20', '-g1', '-O0', `-fsanitize=${sanitizer}`, '-fno-sanitize-recover=all'];
    await exec('g++', [...flags, ...include, ...all, '-o', program, '-ldl', '-lpthread']);
    for (const faults of FAULTS) {
      const env = { ...standIns.environment(), STAND_IN_DEVICES: '2', STAND_IN_FAULTS: faults };
      // A sanitizer's finding ends the program with another code than 0.
      const { stdout } = await exec(program, [standIns.libraries, kernel], { env });
      const lines = stdout.trim().split('\n');
      expect(lines).toContain('done');
      expect(lines).not.toContain('wrong');
      if (faults === '') expect(lines).toEqual(['done']);
      else expect(lines.length).toBeGreaterThan(1);
    }
  });
});
