import { InterpreterBackend } from '../../src/backends/interpreter/interpreter-backend.js';
import { JavaScriptBackend } from '../../src/backends/javascript/javascript-backend.js';
import { NativeBackend } from '../../src/backends/native/native-backend.js';
import { WasmBackend } from '../../src/backends/wasm/wasm-backend.js';
import { describeIrBackend } from './backend.suite.js';

describeIrBackend('interpreter', () => new InterpreterBackend());
describeIrBackend('wasm', () => new WasmBackend());
describeIrBackend('javascript', () => new JavaScriptBackend());
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
