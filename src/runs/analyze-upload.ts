/** Checks an upload in a worker thread: whether it is an objective, and whether and how it compiles. */
import { analyzeProgram } from '../analysis/analyze-program.js';
import { watched } from '../common/watch.js';
import { noteCompilation, takeMeasures } from '../evaluation/measures.js';
import { analyzeUpload, compileObjective, type UploadAnalysis } from '../frontend/compile.js';
import { notesOnHostProducts } from '../frontend/host-products.js';
import { shapeOf } from '../frontend/syntax/shape.js';
import type { ProgramFindings, ProgramStructure } from '../model/program-structure.js';
import { optimizeIr } from '../passes/pipeline.js';
import { failureOf, type AnalysisJob, type AnalysisResult } from './worker-protocol.js';

const findingsOf = ({ dimension, findings }: ProgramStructure): ProgramFindings => ({ dimension, findings });

/** Longer than any source within the limits of the front end should take: the last resort. */
const CHECK_MS = 10_000;
const TOO_MUCH = 'to compile the function takes too long';

class TooLong extends Error {}

/** A source that takes too long to compile is accepted all the same, for CPython. */
function checked(job: AnalysisJob, startedAt: number): UploadAnalysis {
  const { code, name, vectorized, pythonMinor, interpreter, isTooMuch = false } = job;
  const look = (): void => {
    if (performance.now() - startedAt > CHECK_MS) throw new TooLong();
  };
  try {
    if (!isTooMuch) return watched(look, () => analyzeUpload(code, name, { vectorized, pythonMinor, interpreter }));
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
  }
  return analyzeUpload(code, name, { vectorized, isTooMuch: TOO_MUCH });
}

export async function analyze(job: AnalysisJob): Promise<AnalysisResult> {
  try {
    const startedAt = performance.now();
    const analysis = checked(job, startedAt);
    const [problem] = [...analysis.errors, ...analysis.reasons];
    noteCompilation(startedAt, analysis.compiled ? 'compiled' : (problem?.kind ?? 'objective'));
    const program = readUpload(analysis, job);
    return {
      kind: 'analyzed',
      analysis,
      program: program ?? undefined,
      ...(analysis.source === null ? {} : { shape: shapeOf(job.code), notes: notesOnHostProducts(job.code) }),
      measures: takeMeasures(),
    };
  } catch (error) {
    return failureOf(error);
  }
}

/** Findings in the program of an upload that hold anywhere. */
function readUpload(
  { source, vectorized, dimension, results }: UploadAnalysis,
  { pythonMinor, interpreter }: AnalysisJob,
): ProgramFindings | null {
  if (source === null || dimension === null || results > 1) return null;
  const { ir } = compileObjective(source, { dimension, pythonMinor, interpreter, vectorized });
  return ir === null ? null : findingsOf(analyzeProgram(optimizeIr(ir)).structure);
}
