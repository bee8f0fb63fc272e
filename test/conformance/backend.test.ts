import { BACKENDS } from '../../src/backends/registry.js';
import { NativeBackend } from '../../src/backends/native/native-backend.js';
import { describeIrBackend } from './backend.suite.js';

/** Run below, once for each way in which they evaluate. */
const IN_VARIANTS = ['native'];

for (const { name, input, isSingle, create } of BACKENDS) {
  // Those of single precision have a suite of their own: `single-precision.test.ts`.
  if (input !== 'ir' || isSingle || IN_VARIANTS.includes(name)) continue;
  describeIrBackend(name, () => create({ threads: 1 }));
}
for (const target of ['scalar', 'avx2', 'avx512']) {
  describeIrBackend(`native (${target}, 1 thread)`, () => new NativeBackend({ target, threads: 1, offload: false }));
}
for (const target of ['avx2', 'avx512']) {
  for (const vectors of [1, 2, 4]) {
    describeIrBackend(
      `native code (${target}, ${vectors} vectors)`,
      () => new NativeBackend({ target, tier: 'native-code', vectors, threads: 1, offload: false }),
    );
  }
}
describeIrBackend('native (2 threads)', () => new NativeBackend({ threads: 2, offload: false }));
describeIrBackend('native (off the calling thread)', () => new NativeBackend({ threads: 2, offload: true }));
