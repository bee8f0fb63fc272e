/** Limits that a function asks for hold for its processes alone, within the ceilings of the operator. */
import { afterAll, describe, expect, it } from 'vitest';
import { createOutput } from '../../src/backends/backend.js';
import type { EvaluationLimits } from '../../src/model/objective.js';
import { evaluate, makeBackend, objective, skipWithoutSandbox } from './support.js';

const MIB = 1024 ** 2;
const backend = makeBackend({
  evaluationTimeoutMs: 500,
  mostEvaluationMs: 1_500,
  memoryBytes: 512 * MIB,
  mostMemoryBytes: 768 * MIB,
});
afterAll(() => backend.close());

const SLEEPS = 'import time\ndef f(x):\n    time.sleep(x[0])\n    return x[0]';
/** The largest block of memory, in MiB, that fits into the process beside what is there. */
const ROOM = `import mmap
def fits(size):
    try:
        mmap.mmap(-1, size * 2 ** 20).close()
    except (MemoryError, OSError):
        return False
    return True
def f(x):
    least, most = 0, 4096
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(middle) else (least, middle)
    return least
`;

const outcome = async (code: string, x: number, evaluationLimits?: EvaluationLimits): Promise<string | number> => {
  const { values, failures } = await evaluate(backend, code, [[x]], { evaluationLimits });
  return failures[0] === undefined ? values[0] : `${failures[0].type}: ${failures[0].message}`;
};
const stopped = (seconds: number): string => `TimeLimit: the evaluation took longer than ${seconds} s and was stopped`;

describe('limits of a function', () => {
  skipWithoutSandbox();

  it('give an evaluation less time, or more, or as much as the ceiling allows', async () => {
    const limits = [undefined, { seconds: 0.2 }, { seconds: 1.2 }, { seconds: 90 }];
    const outcomes = await Promise.all(limits.map((each) => outcome(SLEEPS, 0.8, each)));
    expect(outcomes).toEqual([stopped(0.5), stopped(0.2), 0.8, 0.8]);
    expect(await outcome(SLEEPS, 30, { seconds: 90 })).toBe(stopped(1.5));
  });

  it('give a process less memory, or more, or as much as the ceiling allows', async () => {
    const wanted = [undefined, 256, 640, 4096].map((mib) => (mib === undefined ? {} : { memoryBytes: mib * MIB }));
    const [usual, ...others] = await Promise.all(wanted.map((each) => outcome(ROOM, 0, each)));
    // What Python and its libraries take is the same in all.
    expect(usual).toBeTypeOf('number');
    expect(others.map((room) => Number(room) - Number(usual))).toEqual([256 - 512, 640 - 512, 768 - 512]);
    expect(await outcome('def f(x): return len(bytearray(2 ** 29))', 0, { memoryBytes: 300 * MIB })).toMatch(
      /^MemoryLimit: /,
    );
  });

  it('hold in every process that takes over', async () => {
    const evaluationLimits = { seconds: 0.4, memoryBytes: 300 * MIB };
    const room = await outcome(ROOM, 0, evaluationLimits);
    const code = `${ROOM}\ndef g(x):\n    while x[0] > 0: pass\n    return f(x)`;
    const kernel = await backend.open(objective(code, { entry: 'g', evaluationLimits }));
    const output = createOutput(2);
    await kernel.evaluate({ candidates: Float64Array.of(1, 0), count: 2, dimension: 1 }, output);
    await kernel.close();
    expect(output.failures.map(({ index, message }) => [index, message])).toEqual([
      [0, 'the evaluation took longer than 0.4 s and was stopped'],
    ]);
    expect(output.values[1]).toBe(room);
  });

  it('are told with those in force', async () => {
    expect(await backend.limits()).toMatchObject({
      evaluationTimeoutMs: 500,
      mostEvaluationMs: 1_500,
      memoryBytes: 512 * MIB,
      mostMemoryBytes: 768 * MIB,
    });
  });
});
