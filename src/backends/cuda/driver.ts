/**
 * Types of the addon's CUDA functions (`native/addon/cuda.cpp`). libcuda and libnvrtc are opened by the first call of
 * `cudaFacts`, for the whole process.
 */
import type { GenerationStatistics } from '../../model/resident-population.js';
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

/** A population on a device. Opaque. */
export type PopulationHandle = { readonly __cudaPopulation: unique symbol };

export interface PopulationShape {
  readonly dimension: number;
  readonly size: number;
  /** Of the program's state. */
  readonly vectors: number;
  readonly scalars: number;
  /** Numbers that the individuals share, and of the steps' work. */
  readonly shared: number;
  readonly work: number;
  readonly constants: number;
  /** The seed. */
  readonly keyLow: number;
  readonly keyHigh: number;
  readonly readsGradients: boolean;
}

export interface KernelShape {
  readonly dimension: number;
  readonly results: number;
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
  /**
   * `box`: lower bounds, upper bounds, widths, constants. `image`: of the objective's kernel and those of
   * native/cuda/strategies/.
   */
  cudaPopulation(
    image: Uint8Array,
    device: number,
    shape: PopulationShape,
    box: Float64Array,
  ): Promise<PopulationHandle>;
  /** `part`: a vector, behind the vectors a scalar, behind the scalars what is shared. */
  cudaPopulationPut(population: PopulationHandle, part: number, numbers: Float64Array): void;
  cudaPopulationGet(population: PopulationHandle, part: number, numbers: Float64Array): void;
  /** `before`, and `after` of `cudaPopulationAccept`: step, threads and turn of each launch. */
  cudaPopulationMove(population: PopulationHandle, run: number, generation: number, before: Uint32Array): void;
  /** `first`: begins a tile. */
  cudaPopulationEvaluate(population: PopulationHandle, first: number, count: number): void;
  /** Of a population that reads them. */
  cudaPopulationEvaluateGradients(population: PopulationHandle, first: number, count: number): void;
  cudaPopulationOdd(population: PopulationHandle): number;
  cudaPopulationGetResults(population: PopulationHandle, values: Float64Array, status: Uint8Array): void;
  cudaPopulationPutResults(population: PopulationHandle, values: Float64Array, status: Uint8Array): void;
  cudaPopulationRows(
    population: PopulationHandle,
    rows: Uint32Array,
    candidates: Float64Array,
    values: Float64Array,
  ): void;
  cudaPopulationAccept(population: PopulationHandle, sign: 1 | -1, after: Uint32Array): GenerationStatistics;
  cudaPopulationState(population: PopulationHandle): {
    /** Candidates that are best evaluated at once. */
    readonly chunkRows: number;
    readonly deviceBytes: number;
    /** All that it did, by the device's clock. */
    readonly deviceSeconds: number;
  };
  cudaPopulationClose(population: PopulationHandle): void;
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
  if (!('cudaPopulationEvaluateGradients' in result.addon)) {
    return { addon: null, reason: 'the native addon was built from other sources (node scripts/build-native.mjs)' };
  }
  return { addon: result.addon as typeof result.addon & CudaAddon };
}
