/**
 * Whole runs of the engine on stand-in libraries, each in a process of its own: candidates go to the device by what was
 * measured, and nothing of a run's result or of its checkpoints depends on it, whatever fails on the way. The processor
 * is the interpreter, so that the device is faster by far.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOTHING_ALIVE, StandIns, standInsMissing, type StandInReport } from '../support/cuda/stand-ins.js';

const missing = standInsMissing();

/** A logarithm stops candidates with x[0] <= -4. */
const CODE = `import math

def objective(x):
    total = 10.0 * len(x) + math.log(x[0] + 4.0)
    for v in x:
        total += v * v - 10.0 * math.cos(2.0 * math.pi * v)
    return total
`;
const DIMENSION = 20;
const BOUNDS = Array.from({ length: DIMENSION }, () => [-5, 6]);
const TASK = { bounds: BOUNDS, strategy: 'differential-evolution', maxEvaluations: 3_000 };
const RUN = { code: CODE, dimension: DIMENSION, task: TASK, gpu: true, processor: 'interpreter', isMeasured: true };

/** Populations of more than a tile, and no whole ones. */
const WIDE = { sideBySide: 70, task: { ...TASK, strategy: 'cma-es', maxEvaluations: 3_500 } };

interface Outcome {
  readonly digest: string;
  /** Without the checkpoints. */
  readonly digestOfEnd: string;
  readonly bestFitness: number;
  /** Of the best candidate, in double precision. */
  readonly valueOfBest: number;
  readonly evaluations: number;
  readonly failedEvaluations: number;
  readonly history: readonly number[];
  readonly name: string;
  readonly device: string;
  readonly reason: string;
  readonly tiers: Readonly<Record<string, number>>;
  readonly gpu: { readonly backend: string; readonly evaluations: number; readonly seconds: number } | null;
}

function clean({ alive, mistakes }: StandInReport): void {
  expect(mistakes).toEqual([]);
  expect(alive).toEqual(NOTHING_ALIVE);
}

describe.skipIf(missing !== '')(`runs on stand-in libraries${missing && `: ${missing}`}`, () => {
  let standIns: StandIns;
  /** The same run on the processor alone. */
  let alone: Outcome;

  const carryOut = (more: object = {}, env: Readonly<Record<string, string>> = {}) =>
    standIns.runScript<Outcome>('run-on-device.mjs', { ...RUN, ...more }, env);

  beforeAll(async () => {
    standIns = await StandIns.build();
    const { outcome, report } = await carryOut({ gpu: false, isMeasured: false });
    expect(report.isOpened).toBe(false);
    expect(outcome).toMatchObject({ gpu: null, name: 'interpreter', evaluations: TASK.maxEvaluations });
    expect(outcome.failedEvaluations).toBeGreaterThan(5);
    alone = outcome;
  });
  afterAll(() => standIns.remove());

  it('value candidates on the device, and come to the same bits', async () => {
    const { outcome, report } = await carryOut();
    expect(outcome.digest).toBe(alone.digest);
    const { gpu, tiers, reason, evaluations } = outcome;
    expect(gpu!.evaluations).toBeGreaterThan(0);
    expect(tiers).toEqual({ interpreter: evaluations - gpu!.evaluations, cuda: gpu!.evaluations });
    expect(reason).toMatch(
      /^the source compiles, and interpreter is the fastest backend of the processor that takes it; [\d,]+ of 3,000 evaluations went to cuda: for \d+ candidates it takes [\d.]+ [µm]s, interpreter [\d.]+ [µm]?s$/,
    );
    // The stand-in's clock says half a millisecond for each launch.
    const launches = gpu!.seconds / 0.5e-3;
    expect(launches).toBeCloseTo(Math.round(launches), 6);
    expect(gpu!.seconds).toBeGreaterThan(0);
    expect(report.launches).toBeGreaterThan(0);
    clean(report);
  });

  it('value tiles on the device, and come to the same bits', async () => {
    const [own, { outcome, report }] = [
      await carryOut({ ...WIDE, gpu: false, isMeasured: false }),
      await carryOut(WIDE),
    ];
    expect(own.outcome.gpu).toBeNull();
    expect(outcome.digest).toBe(own.outcome.digest);
    expect(outcome.gpu!.evaluations).toBeGreaterThan(0);
    clean(report);
  });

  it('leave a device that is slower', async () => {
    const { outcome, report } = await carryOut({ slowMs: 100 });
    expect(outcome.digest).toBe(alone.digest);
    expect(outcome.name).toBe('interpreter');
    expect(outcome.gpu!.evaluations).toBeLessThan(outcome.evaluations / 2);
    clean(report);
  });

  // 78 launches are for measuring the device.
  it.each([
    ['when the device is lost while it is measured', 'kernel:5:719', /cuda is not used: GPU 0 \(Stand-in A\) was lost/],
    [
      'when the device is lost',
      'kernel:90:719',
      /cuda was left after [\d,]+ evaluations: GPU 0 \(Stand-in A\) was lost/,
    ],
    ['when there is no memory for the kernel', 'cuMemAlloc_v2:13:2', /evaluations went to cuda|cuda was not tried/],
    [
      'when NVRTC does not compile it',
      'nvrtcCompileProgram:4:6,nvrtcCompileProgram:5:6,nvrtcCompileProgram:6:6',
      /cuda is not used: NVRTC does not compile the kernel/,
    ],
  ])('go on to the same bits %s', async (_, fault, reason) => {
    const { outcome, report } = await carryOut({}, { STAND_IN_FAULTS: fault });
    expect(outcome.digest).toBe(alone.digest);
    expect(outcome.reason).toMatch(reason);
    clean(report);
  });

  it.each([['an old driver', { STAND_IN_DRIVER: '11040' }, /; cuda is not used: the NVIDIA driver is too old/]])(
    'go on to the same bits with %s, and say so',
    async (_, env, reason) => {
      const { outcome, report } = await carryOut({}, env);
      expect(outcome.digest).toBe(alone.digest);
      expect(outcome.reason).toMatch(reason);
      expect(outcome.tiers).toEqual({ interpreter: outcome.evaluations });
      clean(report);
    },
  );

  it('say nothing of a GPU where there is no driver', async ({ skip }) => {
    const { outcome } = await carryOut({}, { EXTREMUM_CUDA_LIBRARY_PATH: standIns.folderWith({}) });
    skip(!/that takes it$/.test(outcome.reason), 'this machine has a driver');
    expect(outcome.digest).toBe(alone.digest);
  });

  it('open nothing where they are short', async () => {
    const { outcome, report } = await carryOut({
      processor: 'native',
      isMeasured: false,
      task: { ...TASK, maxEvaluations: 1_000 },
    });
    expect(report.isOpened).toBe(false);
    expect(outcome.gpu).toBeNull();
  });

  describe.each<{
    readonly of: string;
    readonly lost: string;
    /** Launches of a generation: their count, and from which one on they fail. */
    readonly from: number;
    readonly count: number;
    /** Copies of it. */
    readonly copied: number;
    readonly n?: number;
    readonly size?: number;
    readonly maxEvaluations?: number;
    /** A run that is carried out for each fault ends after so many generations without a better value. */
    readonly patience?: number;
  }>([
    { of: 'bulk-particle-swarm', lost: 'kernel:90', from: 70, count: 12, copied: 16 },
    { of: 'bulk-differential-evolution', lost: 'copy:90', from: 70, count: 12, copied: 16 },
    { of: 'bulk-cma-es', lost: 'kernel:400', from: 300, count: 26, copied: 8 },
    {
      of: 'bulk-cma-es, with limited memory',
      lost: 'kernel:1150',
      // All of its 16 directions are in use.
      from: 1_000,
      count: 50,
      copied: 8,
      n: 69,
      size: 30,
      maxEvaluations: 12_000,
    },
    {
      of: 'bulk-cma-es, with a diagonal',
      lost: 'kernel:500',
      from: 250,
      count: 24,
      copied: 8,
      // In fewer dimensions the covariance is full.
      n: 128,
      size: 129,
      maxEvaluations: 51_600,
      patience: 3,
    },
    { of: 'bulk-l-bfgs', lost: 'kernel:90', from: 70, count: 9, copied: 6, maxEvaluations: 14_000 },
  ])('of $of', ({ of, lost: lostAt, from, count, copied, ...more }) => {
    const { n: dimension = 4, size = 70, maxEvaluations = 28_000, patience = 10 } = more;
    const [strategy] = of.split(',');
    // Of a population some are stopped in every generation.
    const bounds = [[-5, dimension > 4 ? -3 : 6], ...Array.from({ length: dimension - 1 }, () => [-5, 6])];
    const task = { bounds, strategy, maxEvaluations, seed: 11, mode: 'accurate' };
    const isRead = strategy === 'bulk-l-bfgs';
    const bulk = { ...RUN, task, dimension, hasFallback: true, isCounted: true, isRead };
    /** It ends after some 40 generations, and is stored only then. */
    const short = { ...bulk, task: { ...task, stagnationEvaluations: 10 * size }, checkpointIntervalMs: 1e9 };
    /** All faults come in its first half. */
    const shorter = { ...short, task: { ...short.task, stagnationEvaluations: patience * size } };
    const here = { gpu: false, isMeasured: false };
    const ofGenerations = /; [\d,]+ generations stayed there$/;
    /** Each launch of a generation, and each copy of one after which the state comes back. */
    const launches = Array.from({ length: count }, (_, k) => ({ STAND_IN_FAULTS: `cuLaunchKernel:${from + k}:701` }));
    const copies = Array.from({ length: copied }, (_, k) => ({ STAND_IN_FAULTS: `cuMemcpyDtoHAsync_v2:${90 + k}:1` }));
    const noMemory = { STAND_IN_FREE: `${6 * 2 ** 20}` };

    const jobs = {
      here: { ...bulk, ...here },
      there: bulk,
      shortHere: { ...short, ...here },
      withoutMemory: { ...short, settings: noMemory },
      cancelled: { ...short, cancelAt: 20 * size },
      shorterHere: { ...shorter, ...here },
      storedHere: { ...shorter, ...here, checkpointIntervalMs: 0 },
    };
    let outcomes: Readonly<Record<keyof typeof jobs, Outcome>>;
    let notLaunched: readonly Outcome[];
    let notStored: readonly Outcome[];
    let lost: Outcome;
    let report: StandInReport;

    beforeAll(async () => {
      const all = [
        ...Object.values(jobs),
        ...launches.map((settings) => ({ ...shorter, settings })),
        ...copies.map((settings) => ({ ...shorter, checkpointIntervalMs: 0, settings })),
        // The last one: the process has no device any more.
        { ...short, settings: { STAND_IN_FAULTS: `${lostAt}:719` } },
      ];
      const { outcome: list, report: found } = await standIns.runScript<Outcome[]>('run-on-device.mjs', all);
      const named = Object.keys(jobs);
      outcomes = Object.fromEntries(named.map((name, k) => [name, list[k]])) as typeof outcomes;
      notLaunched = list.slice(named.length, named.length + launches.length);
      notStored = list.slice(named.length + launches.length, -1);
      lost = list.at(-1)!;
      report = found;
    }, 180_000);

    it('leave generations on the device, and come to the same bits', () => {
      const { here: alone, there } = outcomes;
      expect(alone).toMatchObject({ gpu: null, evaluations: maxEvaluations });
      expect(alone.failedEvaluations).toBeGreaterThan(5);
      expect(there.digest).toBe(alone.digest);
      expect(there.reason).toMatch(ofGenerations);
      // Half of the evaluations are gradients, where they are read.
      expect(there.gpu!.evaluations).toBeGreaterThan((isRead ? 0.4 : 0.7) * maxEvaluations);
      expect(there.tiers['cuda']).toBe(there.gpu!.evaluations);
    });

    it('go on to the same bits whenever the device does not launch a kernel, or give the state back', () => {
      for (const [wanted, list] of [
        [outcomes.shorterHere, notLaunched],
        [outcomes.storedHere, notStored],
      ] as const) {
        for (const { digest, reason, gpu } of list) {
          expect(digest).toBe(wanted.digest);
          expect(reason).toMatch(/cuda was left after [\d,]+ evaluations: /);
          expect(gpu!.evaluations).toBeGreaterThan(isRead ? 150 : 4 * size);
        }
      }
      expect(report.faults).toBe(launches.length + copies.length + 1);
    });

    it('go on to the same bits where there is no memory for a population', () => {
      expect(outcomes.withoutMemory.digest).toBe(outcomes.shortHere.digest);
      expect(outcomes.withoutMemory.reason).not.toMatch(ofGenerations);
    });

    it('are cancelled there, and go on elsewhere to the same bits', () => {
      expect(outcomes.cancelled.digestOfEnd).toBe(outcomes.shortHere.digestOfEnd);
      expect(outcomes.cancelled.reason).toMatch(ofGenerations);
    });

    it('give everything back', () => clean(report));

    it('go on to the same bits when the device is lost in the middle', () => {
      expect(lost.digest).toBe(outcomes.shortHere.digest);
      expect(lost.reason).toMatch(/cuda was left after [\d,]+ evaluations: GPU 0 \(Stand-in A\) was lost/);
      expect(lost.gpu!.evaluations).toBeGreaterThan(4 * size);
    });
  });

  it.each([
    // Rows are gathered in two, 70 statistics combined in two.
    { strategy: 'bulk-differential-evolution', functions: 6, launches: 8 },
    { strategy: 'bulk-cma-es', functions: 7, launches: 8 + 3 + 15 },
    // With limited memory.
    { strategy: 'bulk-cma-es', dimension: 100, functions: 7, launches: 8 + 3 + 12 },
    // With a diagonal.
    { strategy: 'bulk-cma-es', dimension: 128, budget: 51_600, functions: 7, launches: 8 + 3 + 13 },
    { strategy: 'bulk-l-bfgs', budget: 14_000, functions: 7, launches: 9, buffers: 13 },
  ])('hear of every call for a population that fails: $strategy', async ({ strategy, functions, launches, ...own }) => {
    const { budget = 28_000, buffers = 11, dimension = 4 } = own;
    const [outOfMemory, refused] = [2, 1];
    const job = {
      ...{ code: CODE, dimension, strategy, budget },
      calls: {
        ...{ cuMemAlloc_v2: outOfMemory, cuMemHostAlloc: outOfMemory, cuMemGetInfo_v2: outOfMemory },
        ...{ cuModuleLoadDataEx: outOfMemory, cuModuleGetFunction: 500, cuFuncGetAttribute: refused },
        ...{ cuStreamCreate: outOfMemory, cuEventCreate: outOfMemory, cuEventRecord: refused },
        ...{ cuLaunchKernel: 701, cuEventSynchronize: refused, cuEventElapsedTime: refused },
        ...{ cuMemcpyHtoDAsync_v2: refused, cuMemcpyDtoHAsync_v2: refused },
      },
    };
    interface Found {
      readonly errors: Readonly<Record<string, readonly { code: string; message: string; retryable: boolean }[]>>;
      readonly different: number;
    }
    const { outcome, report } = await standIns.runScript<Found>('population-with-faults.mjs', job);
    const { errors } = outcome;
    for (const [name, result] of Object.entries(job.calls)) {
      expect(errors[name].length, name).toBeGreaterThan(0);
      for (const { code, message, retryable } of errors[name]) {
        expect(message, name).toMatch(/^GPU 0 \(Stand-in A\)/);
        if (result === outOfMemory) expect([code, retryable], name).toEqual(['backend_unavailable', true]);
        else expect(code, name).toMatch(/^backend_(lost|unavailable)$/);
      }
    }
    expect(errors['cuMemAlloc_v2']).toHaveLength(buffers);
    expect(errors['cuModuleGetFunction']).toHaveLength(functions);
    expect(errors['cuLaunchKernel']).toHaveLength(launches);
    expect(outcome.different).toBe(0);
    clean(report);
  });

  describe('in single precision', () => {
    // Its batches have 32 candidates, whatever their values are.
    const task = { ...TASK, strategy: 'random-search', maxEvaluations: 1_600 };
    const SINGLE = { precision: 'f32', processor: 'native', isMeasured: false, task };
    let double: Outcome;
    beforeAll(async () => {
      ({ outcome: double } = await carryOut({ ...SINGLE, precision: 'f64', gpu: false }));
    });

    it('value candidates on the device, and the best ones again in double', async () => {
      const { outcome, report } = await carryOut(SINGLE);
      expect(outcome.bestFitness).toBe(outcome.valueOfBest);
      expect([outcome.history, outcome.failedEvaluations]).toEqual([double.history, double.failedEvaluations]);
      expect(outcome.gpu!.evaluations).toBeGreaterThan(1_000);
      expect(outcome.tiers).toMatchObject({ cuda: outcome.gpu!.evaluations });
      expect(outcome.device).toMatch(/^Stand-in A \(GPU 0\), f32/);
      expect(outcome.reason).toMatch(/; single precision was asked for: cuda valued [\d,]+ of 1,600 evaluations; /);
      clean(report);
    });

    it('value tiles on the device, and the best of them again in double', async () => {
      const { outcome, report } = await carryOut({ ...SINGLE, ...WIDE, isMeasured: false });
      expect(outcome.bestFitness).toBe(outcome.valueOfBest);
      expect(outcome.history.at(-1)).toBe(outcome.bestFitness);
      expect(outcome.gpu!.evaluations).toBeGreaterThan(WIDE.task.maxEvaluations / 2);
      clean(report);
    });

    it('go on in double precision when the device is lost', async () => {
      const { outcome, report } = await carryOut(SINGLE, { STAND_IN_FAULTS: 'kernel:10:719' });
      expect(outcome.history).toEqual(double.history);
      expect(outcome.evaluations).toBe(1_600);
      expect(outcome.reason).toMatch(
        /cuda was left after .* was lost .*; from there on values are in double precision$/,
      );
      clean(report);
    });

    it.each([
      ['GPUs are switched off', { gpu: false }, {}, /because GPU acceleration is switched off$/],
      ['there is no device', {}, { STAND_IN_DEVICES: '0' }, /because the NVIDIA driver is there, but sees no GPU/],
    ])('are in double precision where %s, and say so', async (_, more, env, why) => {
      const { outcome } = await carryOut({ ...SINGLE, ...more }, env);
      expect(outcome.digest).toBe(double.digest);
      expect(outcome.reason).toMatch(/; values are in double precision instead of single, because /);
      expect(outcome.reason).toMatch(why);
    });
  });
});
