import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { distEntry } from '../../src/common/dist-entry.js';

it('pools can be closed at any moment of their start', () => {
  // In a process of its own: what it guards against ends the process from inside V8.
  const script = `
    const { WorkerPools } = await import(${JSON.stringify(pathToFileURL(distEntry('runs/worker-pools')).href)});
    const silent = { debug() {}, info() {}, warn() {}, error() {} };
    for (let i = 0; i < 25; i++) {
      const pools = new WorkerPools(2, silent);
      pools.probe().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 20 + i * 7));
      await pools.close();
    }
    console.log('closed');`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(output).toBe('closed\n');
});

it('short jobs of one account keep no other account waiting', () => {
  const code = 'def f(x):\n    s = 0.0\n    for i in range(20000):\n        s += (s + x[0]) % 3.0\n    return s\n';
  const script = `
    const { WorkerPools } = await import(${JSON.stringify(pathToFileURL(distEntry('runs/worker-pools')).href)});
    const silent = { debug() {}, info() {}, warn() {}, error() {} };
    const pools = new WorkerPools(0, silent);
    const source = { code: ${JSON.stringify(code)}, entry: 'f' };
    const job = { source, dimension: 1, candidates: new Float64Array(100), count: 100, pythonMinor: 11, python: { port: null, reason: 'off' }, interpreter: null, unchecked: 'setting', misread: null };
    let left = 40;
    const all = Array.from({ length: 40 }, () => pools.evaluate('much', job).then((result) => {
      if (result.kind === 'failed') throw new Error(result.error.message);
      left--;
    }));
    await pools.analyze('little', { code: 'def f(x):\\n    return x[0]\\n', name: 'f', pythonMinor: 11, interpreter: null });
    // In one queue it would wait for all but those that the other threads have.
    console.log(left > 4 ? 'first' : 'last');
    await Promise.all(all);
    await pools.close();`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(output).toBe('first\n');
});
