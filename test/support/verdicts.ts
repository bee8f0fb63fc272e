/** Programs judged against CPython at points: how often each verdict is given, and the misreadings. */
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { interpret } from '../../src/ir/interpreter.js';
import type { IrFunction } from '../../src/ir/types.js';
import type { ObjectiveSource } from '../../src/model/objective.js';
import { judgePoint, type Verdict } from '../../src/verification/judge.js';
import { askOracle } from './cpython-oracle.js';

export interface JudgedProgram {
  readonly name: string;
  readonly code: string;
  readonly dimension: number;
  readonly points: readonly (readonly number[])[];
}

export interface Verdicts {
  readonly counts: Record<Verdict['kind'], number>;
  /** Each with the program, the point and what was said. */
  readonly misread: readonly string[];
  readonly open: readonly string[];
  /** Programs that do not compile in the form for judging, though they compile. */
  readonly notJudged: readonly string[];
}

/** The program's compiled form, and the one for judging. */
export function judgedForms(
  source: ObjectiveSource,
  dimension: number,
  pythonMinor: number,
): { readonly run: IrFunction; readonly judging: IrFunction | null; readonly reason: string } | null {
  const { ir } = compileObjective(source, { dimension, pythonMinor });
  if (ir === null) return null;
  const judging = compileObjective(source, { dimension, pythonMinor, judging: true });
  return { run: ir, judging: judging.ir, reason: judging.reasons[0]?.message ?? '' };
}

export function judgeAll(
  python: string,
  programs: readonly JudgedProgram[],
  env: NodeJS.ProcessEnv = process.env,
): Verdicts {
  const counts = { equal: 0, within: 0, open: 0, misread: 0 };
  const misread: string[] = [];
  const open: string[] = [];
  const notJudged: string[] = [];
  const cases = programs.flatMap((program) => {
    const { source } = analyzeUpload(program.code, 'f');
    return source === null ? [] : [{ program, source }];
  });
  const { pythonMinor, results } = askOracle(
    python,
    cases.map(({ program, source }) => ({ source, points: program.points })),
    env,
  );
  for (const [c, { program, source }] of cases.entries()) {
    const forms = judgedForms(source, program.dimension, pythonMinor);
    if (forms === null) continue;
    if (forms.judging === null) notJudged.push(`${program.name}: ${forms.reason}`);
    for (const [k, point] of program.points.entries()) {
      const lane = interpret(forms.run, point);
      if (lane.status !== 0 || Number.isNaN(lane.value)) continue;
      const answer = results[c][k];
      const python =
        answer.kind === 'value'
          ? { values: [answer.value] }
          : { failure: { type: answer.type, message: answer.message, line: 0 } };
      const verdict = judgePoint(forms.judging ?? forms.run, Float64Array.from(point), [lane.value], python);
      counts[verdict.kind]++;
      const where = `${program.name} at [${point.join(', ')}]`;
      if (verdict.kind === 'misread') misread.push(`${where}: ${verdict.message}`);
      if (verdict.kind === 'open') open.push(`${where}: ${verdict.reason}`);
    }
  }
  return { counts, misread, open, notJudged };
}
