/** What is used of the package `gpu.js`, whose own types come with it and are not here without it. */
import type { GeneratedKernel } from './generate.js';

export interface Gpujs {
  readonly GPU: new (settings: { readonly mode: string }) => Gpu;
  /** An array of `size`, fastest first. */
  input(values: Float32Array, size: readonly number[]): unknown;
}

export interface Gpu {
  createKernel(source: string, settings: object): GpuKernel;
  destroy(): Promise<void>;
}

interface GpuKernel {
  (points: unknown, table: unknown): readonly Float32Array[] | Promise<readonly Float32Array[]>;
  /** What runs it: another one than was asked for where that did not do. */
  readonly kernel: {
    readonly constructor: { readonly mode: string; readonly name: string };
    readonly context?: unknown;
  };
}

/** Kernels of OpenGL all say that their mode is `gpu`, and differ in their class. */
const GL_KERNELS: Readonly<Record<string, string>> = {
  HeadlessGLKernel: 'headlessgl',
  WebGL2Kernel: 'webgl2',
  WebGLKernel: 'webgl',
};

/**
 * What `EXTREMUM_GPUJS` may say, and which modes of gpu.js may be what then runs: never one on the processor for a GPU.
 */
export const MODES = {
  cpu: ['cpu'],
  webasm: ['webasm'],
  headlessgl: ['headlessgl'],
  webgpu: ['webgpu'],
  gpu: ['headlessgl', 'webgl2', 'webgl'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type Mode = keyof typeof MODES;

/** Whether `ran`, a mode of gpu.js, is what `mode` asks for. */
export const isModeOf = (mode: Mode, ran: string): boolean => (MODES[mode] as readonly string[]).includes(ran);

/** A kernel over `width` threads, which is compiled when it is called first. */
export class Launch {
  private readonly kernel: GpuKernel;
  /** [rows, width], to be filled before `run`. */
  readonly points: Float32Array;

  constructor(
    private readonly gpujs: Gpujs,
    gpu: Gpu,
    private readonly text: GeneratedKernel,
    readonly width: number,
    private readonly rows: number,
    results: number,
  ) {
    this.points = new Float32Array(rows * width);
    this.kernel = gpu.createKernel(text.source, {
      output: [width, results],
      functions: text.functions.map(({ name, parameters, source }) => ({
        name,
        source,
        argumentTypes: parameters.map(() => 'Number'),
        returnType: 'Number',
      })),
      precision: 'single',
      tactic: 'precision',
      // gpu.js leaves a loop after 1,000 turns without a word.
      loopMaxIterations: text.turns + 1,
    });
  }

  /** [results][width] */
  async run(): Promise<readonly Float32Array[]> {
    const { gpujs, text, points, width, rows } = this;
    return this.kernel(gpujs.input(points, [width, rows]), gpujs.input(text.table, [text.table.length]));
  }

  /** Which mode of gpu.js ran it. */
  get mode(): string {
    const { mode, name } = this.kernel.kernel.constructor;
    return mode === 'gpu' ? (GL_KERNELS[name] ?? mode) : mode;
  }

  get context(): unknown {
    return this.kernel.kernel.context;
  }
}
