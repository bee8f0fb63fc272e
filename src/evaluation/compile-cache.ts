/**
 * Programs of objectives, made once by a thread that sees the same few objectives again and again: the one that runs,
 * the form by which values are judged, and the one that says which branches a candidate takes.
 */
import { compileObjective, type CompileOptions, type CompileResult } from '../frontend/compile.js';
import type { IrFunction } from '../ir/types.js';
import { resultsIn, type ObjectiveSource } from '../model/objective.js';
import { outcomeProgram } from '../passes/outcomes/outcome-program.js';
import { optimizeIr } from '../passes/pipeline.js';
import { noteCompilation } from './measures.js';

const CACHED_COMPILATIONS = 32;
/** Newest last. */
const compilations = new Map<string, CompileResult>();

let alter: (ir: IrFunction) => IrFunction = (ir) => ir;

/** For tests of wrong compiled code: from now on this thread runs `altered` programs. */
export function alterPrograms(altered: (ir: IrFunction) => IrFunction): void {
  alter = altered;
}

/** The program that runs, optimised. The same request gives the same object, as long as the cache has it. */
export function compile(source: ObjectiveSource, options: CompileOptions): CompileResult {
  const { dimension, pythonMinor, interpreter = null, bounds } = options;
  const box = bounds === undefined ? null : [[...bounds.lower], [...bounds.upper]];
  const { code, entry, argument, vectorized = false } = source;
  const key = JSON.stringify([
    dimension,
    pythonMinor,
    interpreter?.key,
    box,
    entry,
    argument,
    vectorized,
    resultsIn(source),
    code,
  ]);
  let result = compilations.get(key);
  compilations.delete(key);
  if (result === undefined) {
    const startedAt = performance.now();
    result = compileObjective(source, { ...options, vectorized });
    if (result.ir !== null) result = { ir: alter(optimizeIr(result.ir)), reasons: [] };
    noteCompilation(startedAt, result.ir === null ? result.reasons[0].kind : 'compiled');
  }
  compilations.set(key, result);
  if (compilations.size > CACHED_COMPILATIONS) compilations.delete(compilations.keys().next().value ?? '');
  return result;
}

/** By the program that runs. */
const judgedForms = new WeakMap<IrFunction, IrFunction>();

/**
 * The form of `ir` by which its values are judged. It is not optimised and says of library functions how far results
 * may differ. Where there is none, `ir` itself. `source` and `options`: as `ir` was compiled.
 */
export function judgedForm(ir: IrFunction, source: ObjectiveSource, options: CompileOptions): IrFunction {
  let judged = judgedForms.get(ir);
  if (judged === undefined) {
    const { vectorized = false } = source;
    judged = compileObjective(source, { ...options, vectorized, judging: true }).ir ?? ir;
    judgedForms.set(ir, judged);
  }
  return judged;
}

/** To make the program of patterns of a larger one takes longer than a short run. */
const MAX_OUTCOME_VALUES = 200_000;

/** By the program whose branches they look at; null: it has none. */
const outcomePrograms = new WeakMap<IrFunction, IrFunction | null>();

/** The program that says which branches of `ir` a candidate takes; null: it has none, or is too large. */
export function outcomesOf(ir: IrFunction): IrFunction | null {
  let program = outcomePrograms.get(ir);
  if (program === undefined) {
    const derived = ir.types.length > MAX_OUTCOME_VALUES ? null : outcomeProgram(ir);
    program = derived === null ? null : optimizeIr(derived);
    outcomePrograms.set(ir, program);
  }
  return program;
}
