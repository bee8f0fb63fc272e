/**
 * One run as a document, for people who hand its answer on: what came out and how sure that is, what it rests on, why,
 * its pictures, and how to get it again. Made of the record alone, so that the same record gives the same document.
 */
import type { Explanation, Statement } from '../model/explanation.js';
import type { Front } from '../model/front.js';
import type { JsonObject, ProblemAnswer, Proof, Remark } from '../model/problem.js';
import type { RunEnding, RunRecord } from '../model/run-record.js';
import type { Optimality } from '../model/certificate.js';
import type { TerminationReason } from '../model/run-task.js';
import type { Cell, Column, Facts, Prose, ReportDocument, Section, Table } from './document.js';
import { MAX_ROWS, tableOf, tablesOfJson, tablesOfList, textCell, type Field } from './json-tables.js';
import { cutTo } from './text.js';

export interface ReportedRun {
  readonly run: RunRecord & { readonly ending: RunEnding };
  /** The problem type, or the name of the function, as people call it. */
  readonly subject: string;
  readonly explanation: Explanation;
  /** As SVG. */
  readonly pictures: readonly string[];
  /** Name of the account. */
  readonly account: string;
  /** Version of the service that writes. */
  readonly version: string;
}

export function runDocument({ run, subject, explanation, pictures, account, version }: ReportedRun): ReportDocument {
  const { ending, request } = run;
  const { answer } = ending;
  // A run that has ended says when; for one that does not, there is but its beginning.
  const endedAt = run.completedAt ?? run.createdAt;
  const sections: Section[] = [
    summary(run),
    ...failure(ending),
    ...certainty(ending, request.task.objectives ?? 1),
    ...(answer === undefined ? solution(run) : answered(run, answer)),
    ...remarks('Assumptions', answer?.assumptions ?? []),
    ...remarks('Warnings', answer?.warnings ?? []),
    ...pictures.map((svg): Section => ({ kind: 'picture', svg })),
    ...explained(explanation),
    ...reproduction(run, version),
  ];
  return {
    name: `report-${run.id}`,
    title: cutTo(`Report: ${subject}`, 200),
    account,
    period: null,
    subject: `Optimization ${run.id}, ${run.status} ${new Date(endedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    filters: [],
    createdAt: endedAt,
    // There is no money of ours in it.
    currency: '',
    sections,
    listing: null,
  };
}

const fact = (name: string, label: string, kind: Column['kind'], value: Cell): Facts['facts'][number] => ({
  column: { name, label, kind },
  value,
});

const prose = (title: string, paragraphs: readonly string[]): Prose[] =>
  paragraphs.length === 0 ? [] : [{ kind: 'prose', title, paragraphs: paragraphs.map((one) => cutTo(one, MAX_PROSE)) }];

const MAX_PROSE = 4_000;

/** Two columns of names and values, without what there is none of. */
const quantities = (name: string, title: string, all: readonly (readonly [string, Cell | undefined])[]): Table => {
  const there = all.filter((one): one is readonly [string, Cell] => one[1] !== undefined && one[1] !== null);
  const fields = [
    { label: 'Quantity', values: there.map(([label]) => label) },
    { label: 'Value', values: there.map(([, value]) => (typeof value === 'number' ? textCell(value) : value)) },
  ];
  return tableOf(name, title, fields, there.length, 'the record');
};

const STATUS = { optimal: 'Proven best', feasible: 'Feasible, bounded', heuristic: 'Not proven' } as const;

const ENDS: Readonly<Record<TerminationReason, string>> = {
  budget: 'its budget',
  target: 'its target',
  optimal: 'a proof',
  converged: 'convergence',
  stagnated: 'stagnation',
  timeout: 'its time limit',
  cancelled: 'cancellation',
  error: 'an error',
};

function summary({ status, ending, request }: ReportedRun['run']): Facts {
  const { optimality, front, evaluations, durationSeconds, bestFitness, terminationReason } = ending;
  const sense = ending.answer?.sense ?? request.task.direction;
  const best =
    front === undefined
      ? [fact('best_fitness', `Best value (${sense}d)`, 'number', bestFitness)]
      : [
          fact('points', 'Compromises found', 'integer', front.points.length),
          fact('hypervolume', 'Hypervolume', 'number', front.hypervolume),
        ];
  const proof =
    optimality === undefined
      ? []
      : [
          fact('optimality', 'Certainty', 'text', STATUS[optimality.status]),
          fact('bound', 'No value is better than', 'number', optimality.bound),
          fact('gap', 'Gap to that bound', 'number', optimality.gap),
        ];
  return {
    kind: 'facts',
    name: 'summary',
    title: 'Summary',
    facts: [
      fact('status', 'Status', 'text', status),
      ...best,
      ...proof,
      fact('termination_reason', 'It ended by', 'text', ENDS[terminationReason]),
      fact('evaluations', 'Evaluations', 'integer', evaluations),
      fact('duration_seconds', 'Time', 'seconds', durationSeconds),
    ],
  };
}

function failure({ error, failures, failedEvaluations }: RunEnding): Section[] {
  const said = error === undefined ? [] : [error.message];
  const limits = error?.conflict ?? [];
  const sections: Section[] = [...prose('Why there is no answer', said)];
  if (limits.length > 0) {
    const fields = [{ label: 'Limit', values: limits.map((name) => cutTo(name, MAX_PROSE)) }];
    sections.push(tableOf('conflict', 'Limits that cannot hold together', fields, limits.length, 'error.conflict'));
  }
  if (failures.length > 0) {
    const fields = [
      { label: 'Error', values: failures.map(({ type }) => type) },
      { label: 'Message', values: failures.map(({ message }) => cutTo(message, 1_000)) },
      { label: 'Line', values: failures.map(({ line }) => (line === 0 ? null : line)) },
    ];
    const title = `Evaluations that failed: ${failedEvaluations}, of which the first are`;
    sections.push(tableOf('failures', title, fields, failures.length, 'evaluation_errors'));
  }
  return sections;
}

/** Meaning of the proofs of domain problems, for people. */
const PROOFS: Readonly<Record<Proof, string>> = {
  closed_form: 'a formula of the model gives the best solution',
  convex_kkt:
    'the problem is convex, and the solution satisfies the conditions that hold only at its best one (Karush, Kuhn, Tucker)',
  branch_and_bound: 'all solutions were divided into parts, and a bound on each part left none that is better',
  dynamic_programming: 'stage by stage, every way to go on was valued',
  exhaustive: 'every solution was valued',
};

const isProof = (proof: string): proof is Proof => Object.hasOwn(PROOFS, proof);

/** How good the value is, in sentences. */
function certainty({ optimality, bestSolution, bestFitness, front }: RunEnding, objectives: number): Section[] {
  if (bestSolution === null) return [];
  const title = 'How sure the answer is';
  if (objectives > 1 || front !== undefined) {
    const sentence =
      'These are the compromises that the search found: none is beaten by another one of them in every objective.';
    return prose(title, [`${sentence} Nothing is proven of those that it did not find.`]);
  }
  if (optimality === undefined) return prose(title, ['Nothing is proven: a better solution may exist.']);
  return prose(title, [...judged(optimality, bestFitness), ...shownBy(optimality.proof)]);
}

function judged({ status, bound, gap }: Optimality, value: number | null): string[] {
  switch (status) {
    case 'optimal':
      return ['The answer is proven: no solution within the limits is better, but for rounding.'];
    case 'feasible': {
      const size = Math.abs(value ?? NaN);
      const share = gap !== null && size > 0 ? `, ${digits((gap / size) * 100)} percent of the value` : '';
      const far = gap === null ? '' : ` The answer is within ${digits(gap)} of that${share}.`;
      const limit = bound === null ? 'No bound is known.' : `No solution is better than ${digits(bound)}.`;
      return [`The answer keeps all limits; that it is the best one is not proven. ${limit}${far}`];
    }
    case 'heuristic':
      return ['The answer keeps all limits; how far it is from the best one is not known, and a better one may exist.'];
  }
}

const shownBy = (proof: string | null): string[] =>
  proof === null ? [] : [`How that was shown: ${isProof(proof) ? PROOFS[proof] : proof}.`.replace(/\.\.$/, '.')];

const digits = (value: number): string => String(Number(value.toPrecision(6)));

// --- domain problems

function answered({ ending }: ReportedRun['run'], answer: ProblemAnswer): Section[] {
  const { result, constraints, alternatives = [], decisionVariables } = answer;
  const { bestSolution } = ending;
  const sections: Section[] = [...tablesOfJson(result, 'The answer', 'result')];
  if (bestSolution !== null && !names(result, decisionVariables)) {
    const fields = [
      { label: 'Variable', values: decisionVariables.slice(0, MAX_ROWS).map((name) => cutTo(name, 600)) },
      { label: 'Value', values: bestSolution.slice(0, MAX_ROWS) },
    ];
    sections.push(tableOf('variables', 'Decision variables', fields, decisionVariables.length, 'decision_variables'));
  }
  if (constraints.length > 0) {
    const some = constraints.slice(0, MAX_ROWS);
    const prices = some.some(({ shadowPrice }) => shadowPrice !== undefined)
      ? [{ label: 'Shadow price', values: some.map(({ shadowPrice }) => shadowPrice ?? null) }]
      : [];
    const fields: Field[] = [
      { label: 'Name', values: some.map(({ name }) => cutTo(name, 600)) },
      { label: 'Value', values: some.map(({ value }) => value) },
      { label: 'Limit', values: some.map(({ limit }) => limit) },
      { label: 'Room left', values: some.map(({ slack }) => slack) },
      { label: 'Binding', values: some.map(({ binding }) => (binding ? 'yes' : 'no')) },
      ...prices,
    ];
    sections.push(tableOf('constraints', 'Limits at the answer', fields, constraints.length, 'constraints'));
  }
  return [...sections, ...tablesOfList(alternatives, 'Alternatives', 'alternatives')];
}

/** Whether a member of the result has the value of every variable by its name. */
function names(result: JsonObject, variables: readonly string[]): boolean {
  return Object.values(result).some(
    (value) =>
      value !== null &&
      typeof value === 'object' &&
      variables.length > 0 &&
      variables.length <= MAX_ROWS &&
      variables.every((name) => Object.hasOwn(value, name)),
  );
}

function remarks(title: string, all: readonly Remark[]): Section[] {
  if (all.length === 0) return [];
  const some = all.slice(0, MAX_ROWS);
  const fields = [
    { label: 'What', values: some.map(({ message }) => cutTo(message, 2_000)) },
    { label: 'Field of the request', values: some.map(({ field }) => field ?? null) },
  ];
  return [tableOf(title.toLowerCase(), title, fields, all.length, title.toLowerCase())];
}

// --- functions

function solution({ ending, request }: ReportedRun['run']): Section[] {
  const { bestSolution, front } = ending;
  const { bounds } = request.task;
  if (bestSolution === null) return [];
  const some = bestSolution.slice(0, MAX_ROWS);
  const fields: Field[] = [
    { label: 'Variable', values: some.map((_, index) => `x[${index}]`) },
    { label: 'Value', values: some },
    { label: 'Lower bound', values: some.map((_, index) => bounds[index]?.[0] ?? null) },
    { label: 'Upper bound', values: some.map((_, index) => bounds[index]?.[1] ?? null) },
  ];
  const title = front === undefined ? 'Solution' : 'The best compromise (knee of the front)';
  return [
    ...(front === undefined ? [] : [compromise(front)]),
    tableOf('best_solution', title, fields, bestSolution.length, 'best_solution'),
    ...(front === undefined ? [] : [frontTable(front)]),
  ];
}

function compromise({ points, knee, reference }: Front): Table {
  const values = points[knee]?.values ?? [];
  const fields = [
    { label: 'Objective', values: values.map((_, index) => index + 1) },
    { label: 'At the best compromise', values },
    { label: 'Least on the front', values: values.map((_, index) => extreme(points, index, Math.min)) },
    { label: 'Most on the front', values: values.map((_, index) => extreme(points, index, Math.max)) },
    { label: 'Reference point', values: reference },
  ];
  return tableOf('objectives', 'Objectives', fields, values.length, 'pareto_front');
}

const extreme = (points: Front['points'], index: number, of: (a: number, b: number) => number): number =>
  points.map(({ values }) => values[index] ?? NaN).reduce((a, b) => of(a, b));

/** Points of a front, evenly spaced with both ends: a picture has all. */
const MAX_POINTS = 40;
/** Variables of a point that fit beside its values. */
const MAX_VARIABLES = 5;

function frontTable({ points, knee }: Front): Table {
  const count = Math.min(points.length, MAX_POINTS);
  const spread = Array.from({ length: count }, (_, i) =>
    Math.round((i * (points.length - 1)) / Math.max(1, count - 1)),
  );
  const places = [...new Set([...spread, knee])].sort((a, b) => a - b);
  const some = places.flatMap((place) => points[place] ?? []);
  const objectives = points[0]?.values.length ?? 0;
  const dimension = points[0]?.solution.length ?? 0;
  const column = (label: string, value: (point: Front['points'][number]) => number | undefined): Field => ({
    label,
    values: some.map((point) => value(point) ?? null),
  });
  const fields: Field[] = [
    { label: 'Point', values: places.map((place) => (place === knee ? `${place + 1}, the knee` : String(place + 1))) },
    ...Array.from({ length: objectives }, (_, i) => column(`Objective ${i + 1}`, ({ values }) => values[i])),
    ...Array.from({ length: Math.min(dimension, MAX_VARIABLES) }, (_, i) =>
      column(`x[${i}]`, ({ solution: x }) => x[i]),
    ),
  ];
  const part = some.length < points.length ? `: ${some.length} of ${points.length} points, evenly spaced` : '';
  const more = dimension > MAX_VARIABLES ? `, with the first ${MAX_VARIABLES} of ${dimension} variables` : '';
  return tableOf(
    'pareto_front',
    `Front${part}${more}${part + more === '' ? '' : '; all are in pareto_front'}`,
    fields,
    some.length,
    '',
  );
}

// --- why

const LEVELS = [
  '',
  'the result',
  'why this way',
  'how it went, and what it rests on',
  'what matters around the answer',
  'decisions, alternatives, reproduction',
] as const;

function explained({ level, statements, notes }: Explanation): Section[] {
  const tables = LEVELS.flatMap((title, at): Section[] => {
    const own = statements.filter((statement) => statement.level === at);
    return own.length === 0 ? [] : [levelTable(at, title, own)];
  });
  const none = level === 0 ? ['Level 0 was asked for, which explains nothing.'] : [];
  return [...tables, ...prose('Notes on the explanation', [...none, ...notes])];
}

function levelTable(level: number, title: string, statements: readonly Statement[]): Table {
  const columns: Column[] = [
    { name: 'topic', label: 'Topic', kind: 'text', weight: 1 },
    { name: 'statement', label: 'Statement', kind: 'text', weight: 6 },
  ];
  return {
    kind: 'table',
    name: `level_${level}`,
    title: `Explanation, level ${level}: ${title}`,
    empty: '',
    columns,
    // A topic stands at its first statement.
    rows: statements.map(({ topic, text }, index) => [
      statements[index - 1]?.topic === topic ? '' : topic.replaceAll('_', ' '),
      cutTo(text, MAX_PROSE),
    ]),
  };
}

// --- once more

function reproduction({ id, ending, request, functionId, createdAt }: ReportedRun['run'], version: string): Section[] {
  const { task, problem, learned, math = 'exact', precision = 'f64', extension } = request;
  const { backend, answer, strategies } = ending;
  const model = problem?.model ?? null;
  const [own, by] = [strategies.at(-1)?.name, ending.terminationReason];
  const table = quantities('reproduction', 'How to get the same answer again', [
    ['Problem', problem === undefined ? undefined : `${problem.domain} / ${problem.problemType}`],
    ['Model', model],
    ['Function', functionId === '' ? undefined : functionId],
    ['Variables', problem === undefined ? task.bounds.length : answer?.decisionVariables.length],
    ['Direction', answer?.sense ?? task.direction],
    ['Seed', String(task.seed)],
    ['Budget (evaluations)', task.maxEvaluations],
    ['Mode', task.mode],
    ['Preset', request.preset],
    ['Time limit (s)', task.timeoutSeconds],
    ['Target', task.targetFitness],
    ['Ended without improvement after', task.stagnationEvaluations],
    ['Strategy asked for', task.strategy],
    ['Method or strategy at the end', own],
    ['Learned version', learned?.version ?? 0],
    ['Mathematics', problem === undefined ? math : undefined],
    ['Precision asked for', precision === 'f64' ? undefined : precision],
    ['Solver library', answer?.solver.library],
    ['Iterations of the solver', answer?.solver.iterations],
    ['Nodes of the solver', answer?.solver.nodes],
    ['Backend', backend === null ? undefined : `${backend.name}: ${backend.reason}`],
    ['Python semantics', problem === undefined ? `3.${request.pythonMinor}` : undefined],
    ['Goes on from', extension?.of],
    ['Repeats', request.replayOf],
    ['Asked for at', `${new Date(createdAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`],
    ['This report was written by', `Extremum ${version}`],
  ]);
  const same =
    math === 'fast' || precision === 'f32'
      ? `With ${math === 'fast' ? 'fast mathematics' : 'single precision'} the same request may give other values on another machine.`
      : by === 'timeout' || by === 'cancelled'
        ? 'The run was ended from outside: the same request, seed and learned version repeat it up to there.'
        : 'The same request with this seed, budget and learned version gives the same answer in every bit.';
  const path = `GET /v1/optimize/${id}`;
  return [
    table,
    ...prose('About the numbers', [
      same,
      `Numbers of this report are rounded to six significant digits. ${path} has all of them, and everything that is named here by its path.`,
    ]),
  ];
}
