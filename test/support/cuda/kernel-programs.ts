/** Programs for which CUDA kernels are made in tests, as backends get them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { analyzeUpload, compileObjective } from '../../../src/frontend/compile.js';
import type { IrFunction } from '../../../src/ir/types.js';
import { optimizeIr } from '../../../src/passes/pipeline.js';
import { compiledPrograms } from '../objective-fixtures.js';

export interface KernelProgram {
  readonly name: string;
  readonly fn: IrFunction;
  readonly bounds: readonly (readonly [number, number])[];
}

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));

/** Every objective fixture that compiles, at each of its dimensions, and every example that does. */
export function kernelPrograms(): KernelProgram[] {
  return [...compiledPrograms(), ...compiledExamples()].map(({ name, code, bounds }) => ({
    name,
    bounds,
    fn: compiled(name, code, bounds.length),
  }));
}

function compiledExamples(): { name: string; code: string; bounds: [number, number][] }[] {
  const all = JSON.parse(readFileSync(`${examples}examples.json`, 'utf8')) as {
    readonly file: string;
    readonly bounds: [number, number][];
    readonly compiled: boolean;
  }[];
  return all
    .filter((example) => example.compiled)
    .map(({ file, bounds }) => ({ name: `examples/${file}`, code: readFileSync(examples + file, 'utf8'), bounds }));
}

/** Without its bounds, so that every check stays. */
function compiled(name: string, code: string, dimension: number): IrFunction {
  const { source } = analyzeUpload(code, '');
  const { ir } = compileObjective(source!, { dimension, pythonMinor: 12 });
  if (ir === null) throw new Error(`${name} does not compile`);
  return optimizeIr(ir);
}
