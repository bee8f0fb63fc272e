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
