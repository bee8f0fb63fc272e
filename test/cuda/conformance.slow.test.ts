/**
 * The suite of all backends on the CUDA backend, on stand-in libraries. g++ compiles some hundred kernels for it, one
 * after the other, which takes minutes.
 */
import { afterAll } from 'vitest';
import { CudaBackend } from '../../src/backends/cuda/cuda-backend.js';
import { KernelCache } from '../../src/backends/cuda/kernel-cache.js';
import { describeIrBackend } from '../conformance/backend.suite.js';
import { StandIns, standInsMissing } from '../support/cuda/stand-ins.js';

if (standInsMissing() === '') {
  const standIns = await StandIns.build();
  // The libraries are opened by the first call, with what stands in the environment then.
  Object.assign(process.env, standIns.environment());
  afterAll(() => standIns.remove());
}
describeIrBackend('cuda (stand-in)', () => new CudaBackend({ offload: false, cache: new KernelCache(null) }));
