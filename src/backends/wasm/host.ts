/** The part of the WebAssembly JavaScript interface that we use; absent where V8 runs without a compiler. */
interface WebAssemblyHost {
  validate(bytes: Uint8Array): boolean;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Readonly<Record<string, unknown>> };
}

interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly run: (first: number, pairs: number) => number;
}

const host = (globalThis as { readonly WebAssembly?: WebAssemblyHost }).WebAssembly;

/** Empty when modules that use SIMD run here; otherwise why not. `sample`: a module that uses it. */
export function missingSupport(sample: () => Uint8Array): string {
  if (host === undefined) return 'this process has no WebAssembly (--jitless)';
  return host.validate(sample()) ? '' : 'WebAssembly has no SIMD on this CPU';
}

/** Compiles and links. @throws {Error} what the engine throws, such as for want of memory. */
export function instantiate(bytes: Uint8Array): KernelExports {
  if (host === undefined) throw new Error('this process has no WebAssembly');
  return new host.Instance(new host.Module(bytes)).exports as unknown as KernelExports;
}
