/** Workers are forked from one template: what that must not let pass between template, workers and runs. */
import fs from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { createOutput, type Kernel } from '../../src/backends/backend.js';
import {
  descendantsOf,
  evaluate,
  hasNumpy,
  hasScipy,
  isRunning,
  makeBackend,
  objective,
  skipWithoutSandbox,
  until,
  withoutNumpy,
  withoutScipy,
} from './support.js';

const backend = makeBackend({ spares: 1 });
afterAll(() => backend.close());

async function valueOf(kernel: Kernel, x = 0): Promise<number> {
  const output = createOutput(1);
  await kernel.evaluate({ candidates: Float64Array.of(x), count: 1, dimension: 1 }, output);
  expect(output.failures).toEqual([]);
  return output.values[0];
}

const PID = 'import os\ndef f(x): return os.getpid()';
const templatesOf = () =>
  descendantsOf(process.pid).filter((pid) => {
    try {
      const [, parent] = /^PPid:\t(\d+)$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(parent) === process.pid && fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('filters');
    } catch {
      return false;
    }
  });

/** What every mapping that writes through to others is of. */
function sharedMappings(pid: number): string[] {
  return fs
    .readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .filter((line) => /^\S+ .w.s /.test(line))
    .map((line) => line.split(/\s+/).slice(3).join(' '));
}

/** What a process has open, without repetition. Seen from outside: stage 2 refuses `fstat` of newer C libraries. */
function descriptorsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return [...new Set(fs.readdirSync(folder).map((fd) => fs.readlinkSync(`${folder}/${fd}`)))].sort();
}

describe('a worker', () => {
  skipWithoutSandbox();

  it('can do nothing to another run or the template', async ({ skip }) => {
    skip(!hasScipy, withoutScipy);
    const victim = await backend.open(objective(PID));
    const pid = await valueOf(victim);
    const attacks = [
      `os.kill(VICTIM, 9)`,
      `os.kill(os.getppid(), 9)`,
      `os.kill(-os.getppid(), 9)`,
      `os.open(f'/proc/{VICTIM}/mem', os.O_RDWR)`,
      `os.open(f'/proc/{os.getppid()}/mem', os.O_RDWR)`,
      `os.listdir(f'/proc/{VICTIM}/fd')`,
      `called('ptrace', 16, VICTIM, 0, 0)`,
      `called('process_vm_writev', VICTIM, 0, 0, 0, 0, 0)`,
      `called('syscall', 434, VICTIM, 0)`, // pidfd_open
      `called('syscall', 438, VICTIM, 0, 0)`, // pidfd_getfd
      `called('prlimit', VICTIM, 0, 0, 0)`,
      `called('sched_setaffinity', VICTIM, 0, 0)`,
      `called('setpriority', 0, VICTIM, 19)`,
      `called('prctl', 1, 0, 0, 0, 0)`, // not to die with the template
      `called('waitpid', VICTIM, 0, 0)`,
      `called('shmget', 0, 4096, 0o1666)`,
    ];
    const code = `import os, sys
import scipy.integrate
ctypes = sys.modules['ctypes']
libc = ctypes.CDLL(None, use_errno=True)
VICTIM = ${pid}
def called(name, *arguments):
    ctypes.set_errno(0)
    if getattr(libc, name)(*(ctypes.c_long(a) for a in arguments)) == -1:
        raise OSError(ctypes.get_errno(), name)
attacks = [${attacks.map((attack) => `lambda: ${attack}`).join(', ')}]
def f(x):
    try:
        attacks[int(x[0])]()
    except OSError as error:
        return error.errno
    return 0`;
    const output = await evaluate(
      backend,
      code,
      attacks.map((_, index) => [index]),
    );
    expect(output.failures).toEqual([]);
    const EPERM = 1;
    expect(attacks.map((attack, index) => [attack, output.values[index]])).toEqual(
      attacks.map((each) => [each, EPERM]),
    );
    expect(await valueOf(victim)).toBe(pid);
    await victim.close();
  });

  it('inherits no descriptor but its own socket, its page and /dev/null', async () => {
    const kernels = [await backend.open(objective(PID)), await backend.open(objective(PID))];
    const held = [];
    for (const kernel of kernels) held.push(descriptorsOf(await valueOf(kernel)));
    for (const targets of held) {
      expect(targets.map((target) => target.replace(/[\d-].*/, ''))).toEqual([
        '/dev/null',
        expect.stringMatching(/extremum$/),
        'socket:[',
      ]);
    }
    const [first, second] = held;
    expect(first.filter((target) => second.includes(target))).toEqual(['/dev/null']);
    await Promise.all(kernels.map((kernel) => kernel.close()));
  });

  it('shares no memory that can be written, but its page with the service', async () => {
    const kernels = [await backend.open(objective(PID)), await backend.open(objective(PID))];
    const pages: string[] = [];
    for (const kernel of kernels) {
      const shared = sharedMappings(await valueOf(kernel));
      expect(shared).toHaveLength(1);
      expect(shared[0]).toMatch(/extremum-\S+ \(deleted\)$/);
      pages.push(...shared);
    }
    expect(new Set(pages).size).toBe(2);
    for (const template of templatesOf()) expect(sharedMappings(template)).toEqual([]);
    await Promise.all(kernels.map((kernel) => kernel.close()));
  });

  it('finds nothing behind its page by growing the mapping', async ({ skip }) => {
    skip(!hasScipy, withoutScipy);
    const code = `import sys
import scipy.integrate
ctypes = sys.modules['ctypes']
libc = ctypes.CDLL(None, use_errno=True)
libc.mremap.restype = ctypes.c_long
def f(x):
    frames = [sys._getframe(depth) for depth in range(5)]
    page = next(v for frame in frames for v in frame.f_locals.values() if type(v) is memoryview and v.format == 'Q')
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    grown = libc.mremap(ctypes.c_long(address), ctypes.c_long(4096), ctypes.c_long(65536), ctypes.c_int(1))
    if grown == -1:
        return -1
    return ctypes.string_at(grown + 4096, 1)[0]`;
    const output = await evaluate(backend, code);
    expect(output.failures).toMatchObject([
      { type: 'ProcessLost', message: expect.stringContaining('SIGBUS') as string },
    ]);
  });

  it('draws other random numbers than the next one, where it sets no seed', async ({ skip }) => {
    skip(!hasNumpy, withoutNumpy);
    for (const draw of ['random.random()', 'numpy.random.rand()', 'numpy.random.default_rng().random()']) {
      const code = `import random, numpy\ndef f(x): return ${draw}`;
      const values = [(await evaluate(backend, code)).values[0], (await evaluate(backend, code)).values[0]];
      expect(values[0]).not.toBe(values[1]);
    }
  });

  it('draws the same random numbers with the same seed', async ({ skip }) => {
    skip(!hasNumpy, withoutNumpy);
    const code = `import random, numpy\nnumpy.random.seed(1)\nrandom.seed(1)\ndef f(x): return random.random() + numpy.random.rand() + hash('text') % 1000`;
    const values = [(await evaluate(backend, code)).values[0], (await evaluate(backend, code)).values[0]];
    expect(values[0]).toBe(values[1]);
  });

  it('sees nothing that an earlier run changed in a module of the template', async () => {
    const code = `import math, os, sys
seen = getattr(math, 'mark', 0) + getattr(sys, 'mark', 0) + len(os.environ.get('MARK', ''))
math.mark = sys.mark = 1
os.environ['MARK'] = 'x'
def f(x): return seen`;
    for (let run = 0; run < 3; run++) expect((await evaluate(backend, code)).values[0]).toBe(0);
  });
});

describe('a template', () => {
  skipWithoutSandbox();

  it('that dies takes its workers with it, and their runs go on in those of another', async () => {
    const own = makeBackend({ spares: 1 });
    const before = new Set(templatesOf());
    const code = 'import os, time\ndef f(x):\n    if x[0] == 1: time.sleep(0.3)\n    return os.getpid()';
    const kernel = await own.open(objective(code));
    const first = await valueOf(kernel);
    const [template] = templatesOf().filter((pid) => !before.has(pid));
    const output = createOutput(3);
    const evaluating = kernel.evaluate({ candidates: Float64Array.of(0, 1, 0), count: 3, dimension: 1 }, output);
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.kill(template, 'SIGKILL');
    await evaluating;
    expect(output.failures).toMatchObject([{ index: 1, type: 'ProcessLost' }]);
    expect(output.values[2]).toBeGreaterThan(1);
    expect(output.values[2]).not.toBe(first);
    expect(isRunning(first)).toBe(false);
    await kernel.close();
    await own.close();
  });

  it('may die at any moment: whoever waits for a process gets one or an error', async () => {
    const own = makeBackend({ spares: 2 });
    const before = new Set(templatesOf());
    await own.probe();
    let running = 60;
    const run = async (): Promise<void> => {
      while (running-- > 0) {
        try {
          const { values, failures } = await evaluate(own, 'def f(x): return x[0] + 1', [[1], [2]]);
          for (const { type } of failures) expect(type).toBe('ProcessLost');
          if (failures.length === 0) expect(Array.from(values)).toEqual([2, 3]);
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(/^backend_(lost|unavailable)$/);
        }
      }
    };
    const runs = Promise.all([run(), run(), run()]);
    while (running > 0) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const pid of templatesOf().filter((each) => !before.has(each))) process.kill(pid, 'SIGKILL');
    }
    await runs;
    expect((await evaluate(own, 'def f(x): return x[0] + 1', [[1]])).values[0]).toBe(2);
    await own.close();
  });

  it('ends with the last of its workers when its seats are used up', async () => {
    const own = makeBackend({ spares: 0 });
    const before = new Set(templatesOf());
    const templates = () => templatesOf().filter((pid) => !before.has(pid));
    await own.probe();
    const [first] = templates();
    for (let run = 0; run < 40; run++) await evaluate(own, PID);
    expect(await until(() => !isRunning(first))).toBe(true);
    expect(templates()).toHaveLength(1);
    await own.close();
    expect(templates()).toEqual([]);
  });
});
