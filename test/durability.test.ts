/** Snapshots of whole runs: killed processes, extended budgets. The format: docs/snapshot-format.md. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NativeBackend } from '../src/backends/native/native-backend.js';
import { runOptimization } from '../src/engine/run-optimization.js';
import type { RunSnapshot } from '../src/engine/snapshot.js';
import { compileObjective } from '../src/frontend/compile.js';
import { optimizeIr } from '../src/passes/pipeline.js';
import { ObjectiveKernel } from '../src/benchmarks/objective-kernel.js';
import { SUITES } from '../src/benchmarks/suites.js';
import type { RunOutcome } from '../src/model/run-task.js';
import { strategies } from '../src/planner/all-strategies.js';

const program = fileURLToPath(new URL('support/durable-run.mjs', import.meta.url));

describe('a process that is killed in the middle of a run', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'extremum-durability-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const finish = async (options: object): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(options)]);
    return JSON.parse(stdout) as unknown;
  };

  async function killAfter(evaluations: number, options: { checkpoint: string }): Promise<void> {
    const child = spawn(process.execPath, [program, JSON.stringify({ ...options, pauseMs: 5 })], { stdio: 'ignore' });
    const exit = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    const done = (): number =>
      existsSync(options.checkpoint)
        ? (JSON.parse(readFileSync(options.checkpoint, 'utf8')) as RunSnapshot).evaluations
        : 0;
    while (done() < evaluations && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    expect(await exit).toBe('SIGKILL');
  }

  // Smooth and ill-conditioned; rough everywhere: other members of the portfolio are at work.
  it.each([10, 16])('leaves a checkpoint from which another ends with the same bits (f%i)', async (functionId) => {
    const options = { strategy: 'planner', functionId, budget: 500, seed: 4 };
    const undisturbed = await finish({ ...options, checkpoint: join(folder, 'whole') });
    const checkpoint = join(folder, 'killed');
    await killAfter(120, { ...options, checkpoint });
    await killAfter(300, { ...options, checkpoint });
    expect(await finish({ ...options, checkpoint })).toEqual(undisturbed);
  });
});

describe('threads', () => {
  const source = {
    code: 'import math\ndef f(x):\n    return sum((v - 0.3) ** 2 + 2 * math.sin(9 * v) * x[0] for v in x)\n',
    entry: 'f',
    argument: 'list' as const,
  };

  it('do not change a bit of a planned run', async ({ skip }) => {
    if (!(await new NativeBackend({ threads: 1, offload: false }).probe()).available) skip('no native addon');
    const { ir } = compileObjective(source, { dimension: 4, pythonMinor: 12, vectorized: false });
    const outcomes: RunOutcome[] = [];
    for (const threads of [1, 2]) {
      const kernel = await new NativeBackend({ threads, offload: false }).open({
        source,
        dimension: 4,
        ir: optimizeIr(ir!),
      });
      const outcome = await runOptimization(
        {
          bounds: [
            [-2, 3],
            [-2, 3],
            [-2, 3],
            [-2, 3],
          ],
          maxEvaluations: 3000,
          seed: 5,
          direction: 'minimize',
          mode: 'accurate',
        },
        { strategies, primary: kernel, fallback: null, now: () => 0, isCancelled: () => false, backendReason: 'test' },
      );
      outcomes.push({ ...outcome, backend: { ...outcome.backend, device: '' } });
      await kernel.close();
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0].evaluations).toBe(3000);
  });
});

describe('a run that has ended', () => {
  const problem = SUITES.bbob.create(8, 4, 1);

  async function run(strategy: string, maxEvaluations: number, from?: RunSnapshot): Promise<[RunOutcome, RunSnapshot]> {
    const { lower, upper } = problem.bounds;
    let last: RunSnapshot | undefined;
    const task = {
      bounds: Array.from(lower, (low, i) => [low, upper[i]] as const),
      maxEvaluations,
      seed: 1,
      direction: 'minimize' as const,
      mode: 'balanced' as const,
      strategy,
    };
    const ports = {
      strategies,
      primary: new ObjectiveKernel(problem, { level: 0, seed: 1 }),
      fallback: null,
      now: () => 0,
      isCancelled: () => false,
      backendReason: 'test',
      checkpoint: (snapshot: RunSnapshot) => (last = JSON.parse(JSON.stringify(snapshot)) as RunSnapshot),
    };
    const outcome = await runOptimization(task, ports, from);
    return [outcome, last!];
  }

  it('extends to the bits of one longer run where the strategy does not depend on the budget', async () => {
    const independent = strategies.filter(({ capabilities }) => !capabilities.dependsOnBudget);
    expect(independent.length).toBeGreaterThan(0);
    for (const { name } of independent) {
      const [, ended] = await run(name, 333);
      const [extended] = await run(name, 700, ended);
      const [whole] = await run(name, 700);
      expect({ ...extended, backend: null }).toEqual({ ...whole, backend: null });
    }
  });

  it('extends from where it was, always in the same way, where the strategy depends on the budget', async () => {
    const [short, ended] = await run('planner', 120);
    const [extended] = await run('planner', 700, ended);
    expect(extended.evaluations).toBe(700);
    expect(extended.bestFitness!).toBeLessThan(short.bestFitness!);
    expect(extended.history.slice(0, short.history.length)).toEqual(short.history);
    expect((await run('planner', 700, ended))[0]).toEqual(extended);
  });
});
