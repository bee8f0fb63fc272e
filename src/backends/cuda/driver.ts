/**
 * Types of the addon's CUDA functions (`native/addon/cuda.cpp`). libcuda and libnvrtc are opened by the first call of
 * `cudaFacts`, for the whole process.
 */
import { loadAddon } from '../native/addon.js';

/** A kernel on a device. Opaque. */
export type KernelHandle = { readonly __cudaKernel: unique symbol };

export interface DeviceFacts {
  readonly name: string;
  /** Compute capability. */
  readonly major: number;
  readonly minor: number;
  readonly memoryBytes: number;
  readonly multiprocessors: number;
  readonly threadsPerMultiprocessor: number;
  /** Was lost: it worked before. */
  readonly isLost: boolean;
  /** Why it is not used; null: it is. */
  readonly problem: string | null;
}

export interface CudaFacts {
  /** The CUDA version that the driver supports. */
  readonly driverMajor: number;
  readonly driverMinor: number;
  /** Of NVRTC. */
  readonly compilerMajor: number;
  readonly compilerMinor: number;
  /** Folder of libnvrtc. */
  readonly compilerPath: string;
  readonly devices: readonly DeviceFacts[];
}

export interface KernelShape {
  readonly dimension: number;
  readonly results: number;
  readonly singlePrecision: boolean;
  readonly blockThreads: number;
  /** Candidates that go to the device at once; 0: as suits it. */
  readonly chunkRows: number;
}

export interface KernelState {
  readonly device: number;
  /** Per thread, as the compiler made it. */
  readonly localBytes: number;
  readonly registers: number;
  readonly chunkRows: number;
  /** Buffers. */
  readonly deviceBytes: number;
  readonly pinnedBytes: number;
  /** Kernels and copies of all evaluations, by the device's clock. */
  readonly deviceSeconds: number;
}

type Evaluate<R> = (
  kernel: KernelHandle,
  candidates: Float64Array,
  count: number,
  values: Float64Array,
  status: Uint8Array,
  lines: Int32Array | null,
  isTiled: boolean,
  cancel: Int32Array | null,
) => R;

export interface CudaAddon {
  /** Rejects with the reason why CUDA cannot be used here. All devices may have a problem by now. */
  cudaFacts(folders: readonly string[]): Promise<CudaFacts>;
  /** The usable device with the fewest kernels. */
  cudaDevice(): number;
  /** Machine code. */
  cudaCompile(text: string, options: readonly string[]): Promise<Uint8Array>;
  cudaLoad(image: Uint8Array, name: string, device: number, shape: KernelShape): Promise<KernelHandle>;
  /** An `OUTCOME` of the native backend's addon. */
  cudaEvaluate: Evaluate<number>;
  cudaEvaluateAsync: Evaluate<Promise<number>>;
  cudaState(kernel: KernelHandle): KernelState;
  cudaClose(kernel: KernelHandle): void;
}

/**
 * What a failure concerns. `absent`: there is no driver. `image`: machine code that the driver does not take. `failed`:
 * the kernel, which is of no more use. `lost`: the device, until the process ends. After `out-of-memory` the kernel can
 * be called again.
 */
export type FailureKind = 'absent' | 'unavailable' | 'compile' | 'image' | 'out-of-memory' | 'failed' | 'lost';

/** An error of the addon. Its message is a complete sentence. */
export interface CudaFailure extends Error {
  readonly kind: FailureKind;
  /** CUDA's name, such as `CUDA_ERROR_OUT_OF_MEMORY`; absent where no call failed. */
  readonly cudaError?: string;
}

export const isCudaFailure = (error: unknown): error is CudaFailure => error instanceof Error && 'kind' in error;

type CudaAddonResult = { readonly addon: CudaAddon } | { readonly addon: null; readonly reason: string };

/** Never throws, and opens no library of CUDA yet. */
export function loadCudaAddon(): CudaAddonResult {
  const result = loadAddon();
  if (result.addon === null) return result;
  if (!('cudaFacts' in result.addon)) {
    return { addon: null, reason: 'the native addon was built from other sources (node scripts/build-native.mjs)' };
  }
  return { addon: result.addon as typeof result.addon & CudaAddon };
}
