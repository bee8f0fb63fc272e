/** Whether a mode of gpu.js computes as the error analysis assumes, and what it works on. */
import type { LaneFunction } from '../single-precision/lanes.js';
import {
  areQuotientsNear,
  ARITHMETIC_INPUTS,
  argumentsOf,
  arithmeticFacts,
  dividends,
  divisors,
  isNear,
} from '../single-precision/self-test.js';
import { isModeOf, Launch, type Gpu, type Gpujs, type Mode } from './gpujs.js';
import { ALL_THERE, GpujsDialect, INFINITY, literal } from './dialect.js';
import { ownFunctionsIn } from './own-functions.js';
import { TextLanes } from '../single-precision/text-lanes.js';

/** Kernels of one operation. */
export class ModeTest {
  /** The mode that ran. */
  ran = '';
  private readonly gpu: Gpu;

  constructor(
    private readonly gpujs: Gpujs,
    private readonly mode: Mode,
  ) {
    this.gpu = new gpujs.GPU({ mode });
  }

  /**
   * What the mode works on, in the words of its driver; null: on the processor. @throws {Error} where it is not sound.
   */
  async arithmetic(): Promise<string | null> {
    const { mode } = this;
    const lanes = new TextLanes(new GpujsDialect(ALL_THERE));
    const facts = arithmeticFacts(lanes, ['x0', 'x1', 'x2']).map((fact) =>
      typeof fact === 'string' ? fact : literal(fact),
    );
    const { found, launch } = await this.run(
      lanes,
      facts,
      ARITHMETIC_INPUTS.map((input) => Float32Array.of(input)),
    );
    this.ran = launch.mode;
    if (!isModeOf(mode, this.ran)) throw new Error(`it takes the mode ${this.ran} instead`);
    const division = new TextLanes(new GpujsDialect(ALL_THERE));
    const results = [division.binary('div', 'x0', 'x1'), division.unary('sqrt', 'x1')];
    const { found: quotients } = await this.run(division, results, [dividends(), divisors()]);
    const isSound = found.every(([fact]) => fact === 1) && areQuotientsNear(quotients[0], quotients[1]);
    if (!isSound) throw new Error('it does not round as the error bounds assume');
    return deviceOf(launch);
  }

  /** `isOwn`: ours instead of the mode's. */
  async hasFunction(name: LaneFunction, isOwn: boolean): Promise<boolean> {
    const lanes = new TextLanes(new GpujsDialect({ missing: new Set(), own: new Set(isOwn ? [name] : []) }));
    const result = lanes.unary(name, 'x0');
    try {
      const { found } = await this.run(lanes, [result], [argumentsOf(name)]);
      return isNear(name, found[0]);
    } catch {
      // gpu.js throws plain errors: there is no function of that name.
      return false;
    }
  }

  close(): Promise<void> {
    return this.gpu.destroy();
  }

  private async run(
    lanes: TextLanes,
    results: readonly string[],
    inputs: readonly Float32Array[],
  ): Promise<{ readonly found: readonly Float32Array[]; readonly launch: Launch }> {
    const source = [
      'function (points, table) {',
      `const ${INFINITY} = table[0];`,
      ...inputs.map((_, k) => `const x${k} = points[${k}][this.thread.x];`),
      ...lanes.body(...results),
      'let result = 0;',
      ...results.map((result, k) => `if (this.thread.y === ${k}) { result = ${result}; }`),
      'return result;',
      '}',
    ].join('\n');
    const functions = ownFunctionsIn(source);
    const text = { source, functions, table: Float32Array.of(Infinity), turns: 1 };
    const width = inputs[0].length;
    const launch = new Launch(this.gpujs, this.gpu, text, width, inputs.length, results.length);
    inputs.forEach((input, k) => launch.points.set(input, k * width));
    return { found: await launch.run(), launch };
  }
}

interface WebGpuContext {
  readonly adapter: {
    readonly info: { readonly vendor: string; readonly architecture: string; readonly description: string };
  };
}
interface GlContext {
  readonly RENDERER: number;
  getParameter(name: number): unknown;
}

/** A device that does not say what it is counts as software. */
function deviceOf({ mode, context }: Launch): string | null {
  if (mode === 'cpu' || mode === 'webasm') return null;
  if (mode === 'webgpu') {
    const { vendor, architecture, description } = (context as WebGpuContext).adapter.info;
    const words = [description, vendor, architecture].filter((word) => word !== '');
    return words.length === 0 ? 'an unknown device, perhaps software' : words.join(' ');
  }
  const gl = context as GlContext;
  return `${String(gl.getParameter(gl.RENDERER))}, perhaps software`;
}
