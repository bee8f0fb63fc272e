import { expect, it } from 'vitest';
import { isModeOf, Launch, type Gpu, type Gpujs } from './gpujs.js';

class GLKernel {
  static readonly mode: string = 'gpu';
}
class WebGLKernel extends GLKernel {}
class HeadlessGLKernel extends WebGLKernel {}
class WebAssemblyKernel {
  static readonly mode = 'webasm';
}

function modeOf(kernel: object): string {
  const gpu = { createKernel: () => Object.assign(() => [], { kernel }), destroy: async () => {} };
  const text = { source: '', functions: [], table: new Float32Array(1), turns: 1 };
  return new Launch({} as Gpujs, gpu as unknown as Gpu, text, 64, 1, 1).mode;
}

// gpu.js 2.24.1: src/backend/gl/kernel.js says the mode of all that inherit from it.
it('kernels of OpenGL are told apart, though all say `gpu`', () => {
  expect(modeOf(new HeadlessGLKernel())).toBe('headlessgl');
  expect(modeOf(new WebGLKernel())).toBe('webgl');
  expect(modeOf(new WebAssemblyKernel())).toBe('webasm');
  expect(modeOf(new GLKernel())).toBe('gpu');
});

it('what runs on the processor is no GPU', () => {
  expect(['headlessgl', 'webgl2', 'webgl'].map((ran) => isModeOf('gpu', ran))).toEqual([true, true, true]);
  expect(['webasm', 'cpu', 'gpu'].map((ran) => isModeOf('gpu', ran))).toEqual([false, false, false]);
});
