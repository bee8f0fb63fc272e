import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { distEntry } from '../../common/dist-entry.js';
import { workerExecArgv } from '../../common/worker-threads.js';

it('is found as an ES module where threads of runs look for it, and made once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'extremum-webgpu-'));
  try {
    const own = join(folder, 'webgpu');
    mkdirSync(own);
    writeFileSync(join(own, 'package.json'), JSON.stringify({ name: 'webgpu', type: 'module', main: 'index.js' }));
    writeFileSync(
      join(own, 'index.js'),
      'export const globals = { GPUThing: 7 };\nlet made = 0;\nexport const create = () => ({ made: ++made });\n',
    );
    const program = `
      const { provideWebGpu } = await import(${JSON.stringify(distEntry('backends/gpujs/web-gpu'))});
      await Promise.all([provideWebGpu(), provideWebGpu()]);
      await provideWebGpu();
      console.log(JSON.stringify([navigator.gpu.made, GPUThing]));
    `;
    const flags = [...workerExecArgv(), '--input-type=module', '--eval', program];
    const { stdout, stderr } = spawnSync(process.execPath, flags, {
      encoding: 'utf8',
      env: { ...process.env, NODE_PATH: folder },
    });
    expect([stdout, stderr]).toEqual(['[1,7]\n', '']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
