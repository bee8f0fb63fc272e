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

const MOST_VALUES = 2_500;

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));

interface Source {
  readonly name: string;
  readonly code: string;
  readonly bounds: readonly (readonly [number, number])[];
}

/** Every objective fixture that compiles, at each of its dimensions, and every example that does. */
export const kernelPrograms = (): KernelProgram[] => sources().map(compiled);

/** Each of them once, with the fewest dimensions, without those whose kernels take g++ as long as all others. */
export function smallestKernelPrograms(): KernelProgram[] {
  const smallest = new Map<string, Source>();
  for (const source of sources()) {
    const known = smallest.get(source.code);
    if (known === undefined || source.bounds.length < known.bounds.length) smallest.set(source.code, source);
  }
  return [...smallest.values()].map(compiled).filter(({ fn }) => fn.types.length <= MOST_VALUES);
}

const sources = (): Source[] => [...compiledPrograms(), ...compiledExamples()];

function compiledExamples(): Source[] {
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
function compiled({ name, code, bounds }: Source): KernelProgram {
  const { source } = analyzeUpload(code, '');
  const { ir } = compileObjective(source!, { dimension: bounds.length, pythonMinor: 12 });
  if (ir === null) throw new Error(`${name} does not compile`);
  return { name, fn: optimizeIr(ir), bounds };
}
