/** The addon's own declarations of CUDA against NVIDIA's headers, where they are. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { missingProgram } from '../support/programs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sdk = process.env['EXTREMUM_CUDA_SDK'] ?? '';
const folders = [join(sdk, 'include'), '/usr/local/cuda/include', '/usr/include'];
const headers = folders.find((folder) => existsSync(join(folder, 'cuda.h')) && existsSync(join(folder, 'nvrtc.h')));
const missing =
  headers === undefined
    ? 'needs cuda.h and nvrtc.h (EXTREMUM_CUDA_SDK: folder of the pip packages nvidia-cuda-runtime and nvidia-cuda-nvrtc)'
    : missingProgram('g++', 'g++');

it.skipIf(missing !== '')(`declares functions and constants as NVIDIA does${missing && `: ${missing}`}`, () => {
  const source = join(root, 'test/support/cuda/check_declarations.cpp');
  const flags = ['-std=c++20', '-fsyntax-only', '-I', join(root, 'native'), '-I', headers!];
  const { status, stderr } = spawnSync('g++', [...flags, source], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
