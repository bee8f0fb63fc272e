/** WebGPU where there is no browser: the package `webgpu`, which gpu.js finds in `navigator.gpu`. */
import { importPackage } from '../single-precision/single-backend.js';

interface WebGpu {
  create(options: readonly string[]): unknown;
  readonly globals: object;
}

let provided: Promise<void> | null = null;

/**
 * Sets `navigator.gpu` and WebGPU's constants. Nobody takes it away again: once the object is collected, the devices
 * that were made from it crash the process.
 */
export function provideWebGpu(): Promise<void> {
  provided ??= provide();
  // Whoever installs the package later need not start anew.
  provided.catch(() => (provided = null));
  return provided;
}

async function provide(): Promise<void> {
  const scope = globalThis as { navigator?: { readonly gpu?: unknown } };
  if (scope.navigator?.gpu !== undefined) return;
  const webgpu = (await importPackage('webgpu')) as WebGpu;
  Object.assign(globalThis, webgpu.globals);
  const gpu = webgpu.create([]);
  if (scope.navigator === undefined) scope.navigator = { gpu };
  else Object.defineProperty(scope.navigator, 'gpu', { value: gpu, configurable: true });
}
