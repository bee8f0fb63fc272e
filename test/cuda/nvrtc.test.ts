/**
 * Kernels in the machine code of sm_90, made by NVIDIA's own compiler on a machine without a GPU: nothing is
 * contracted, and the search for contraction finds it where it is asked for. Some fixtures; `npm run check:nvrtc` takes
 * them all.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { countable, executedByKernels } from '../../scripts/support/generation-counts.mjs';
import { contractions, executedOf, instructionsOf } from '../../scripts/support/machine-code.mjs';
import { missingProgram } from '../support/programs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const missing =
  process.env['EXTREMUM_CUDA_SDK'] === undefined
    ? 'needs EXTREMUM_CUDA_SDK (node scripts/nvrtc.mjs prints it)'
    : missingProgram('g++', 'g++');

/** Divisions, square roots, sines, and the tables of fir_lowpass, one of which had a name that ptxas does not take. */
const FIXTURES = [
  ...['booth_unpack', 'np_sphere', 'beale', 'easom', 'griewank_product', 'branin'],
  ...['np_rastrigin', 'himmelblau', 'fir_lowpass', 'bulk_particle_swarm', 'bulk_differential_evolution', 'bulk_cma_es'],
  'bulk_l_bfgs',
];

describe.skipIf(missing !== '')(`NVRTC${missing && `: ${missing}`}`, () => {
  it('contracts nothing, unless it is told to', { timeout: 300_000 }, () => {
    const command = [join(root, 'scripts/check-nvrtc.mjs'), '--fixtures', FIXTURES.join(',')];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^f64: \d+ kernels; at most \d+ registers/);
    expect(stdout).toMatch(/^f32: \d+ kernels; at most \d+ registers, 0 spill/m);
    expect(stdout).toMatch(/^generations: 4 kernels; at most \d+ registers, 0 spill/m);
    expect(stdout).toMatch(/NVRTC 13\.0: 0 kernels are contracted; with --fmad=true [1-9]\d* of \d+ f64, [1-9]\d* of /);
    expect(status).toBe(0);
  });

  it.each(['sphere_generator', 'step_floor'])(
    'leaves the products of %s alone, since checks read them, and fuses them without checks',
    { timeout: 120_000 },
    (fixture) => {
      const command = [join(root, 'scripts/check-nvrtc.mjs'), '--fixtures', fixture];
      const { status, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' });
      expect(stdout).toMatch(/0 kernels are contracted; with --fmad=true 1 of 1 f64 \(1 without checks\), 1 of 1 f32 /);
      expect(status).toBe(0);
    },
  );
});

describe('the reading of machine code', () => {
  const text = [
    'static __device__ __forceinline__ double divide(double a, double b) { return a / b; }',
    'static __device__ __forceinline__ Flag lane(const double *__restrict__ X, double *__restrict__ Y) {',
    '#pragma unroll 1',
    'for (int v1 = 0, c1 = 5; v1 < c1; v1++) {',
    'for (int v2 = 0, c2 = v1 + 2; v2 < c2; v2++) {',
    'const double v3 = v0 * v0 + v4;',
    '}',
    'const double v5 = divide(v3, v0);',
    '}',
    '}',
  ].join('\n');
  const at = (...lines: number[]): string =>
    lines.map((line) => `\t//## File "/tmp/kernel.cu", line ${line} inlined at "/tmp/kernel.cu", line 9`).join('\n');
  const code = (op: string): string => `        /*0040*/              @!P0 ${op} R2, R4, R6 ;`;

  it('blames a fused operation on the line that has no division', () => {
    const fused = [
      'evaluate:',
      at(1, 8),
      code('DFMA'),
      at(6),
      code('DFMA'),
      code('DMUL'),
      code('HFMA2.MMA'),
      '$__internal_0_$__cuda_sm20_div_rn_f64_full:',
      code('DFMA'),
    ].join('\n');
    expect(contractions(text, instructionsOf(fused))).toEqual(['DFMA for line 6: const double v3 = v0 * v0 + v4;']);
  });

  it('counts what a candidate executes: 5 turns, and 2 to 6 turns within them', () => {
    const loops = ['evaluate:', at(6), code('DADD'), at(1, 8), code('DFMA'), at(10), code('LDG.E.64')].join('\n');
    expect(executedOf(text, instructionsOf(loops))).toEqual({
      double: 20 + 5,
      single: 0,
      special: 0,
      memory: 1,
      integer: 0,
      double_fused: 5,
      is_lower_bound: false,
    });
  });

  it('counts what an individual of a population executes, by dimension', () => {
    const program = [
      'static __device__ void move_one(const Population &p, unsigned k) {',
      'for (unsigned i = 0; i < p.n; ++i) {',
      'if (i % 2 == 0) words = draw(p, k, i >> 1, kCoordinates);',
      'positions[at(p.n, k, i)] = 0.5 * words.word[0];',
      '}',
      '}',
      'static __device__ void accept_one(const Population &p, unsigned k, double value) {',
      'if (!(value <= fitness[k])) return;',
      'for (int j = 0; j < 3; ++j) fitness[k] = value;',
      '}',
    ].join('\n');
    const counted = countable(program).split('\n');
    expect(counted[1]).toBe('#pragma unroll 1');
    expect(counted[9]).toBe('#pragma unroll');
    const machine = [
      'move:',
      at(5),
      code('IMAD'),
      '.L_x_1:',
      at(1, 4),
      code('DADD'),
      at(5),
      code('DMUL'),
      code('STG.E.64'),
      '        /*0050*/              @P0 BRA `(.L_x_1) ;',
      'accept:',
      at(9),
      code('DSETP'),
      at(11),
      ...['STG.E.64', 'STG.E.64', 'STG.E.64'].map(code),
    ].join('\n');
    const executed = executedByKernels(counted.join('\n'), instructionsOf(machine));
    const nothing = { double: 0, single: 0, special: 0, memory: 0, integer: 0 };
    // The address before the loop counts once, a block of random words for two coordinates.
    expect(executed.move[30]).toEqual({ ...nothing, double: 15 + 30, memory: 30, integer: 1 + 30 });
    expect(executed.move[100]).toMatchObject({ double: 50 + 100, memory: 100 });
    expect(executed.accept.better[30]).toMatchObject({ double: 1, memory: 3 });
    expect(executed.accept.not[30]).toMatchObject({ double: 1, memory: 0 });
  });
});
