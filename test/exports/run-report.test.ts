/** The report of one run as a document and as pages, from records of every kind and size. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReportDocument, Table } from '../../src/exports/document.js';
import { MAX_ROWS, tablesOfJson, worded } from '../../src/exports/json-tables.js';
import { pdfWriter } from '../../src/exports/pdf/pdf.js';
import { runDocument, type ReportedRun } from '../../src/exports/run-report.js';
import type { Json, JsonObject, ProblemAnswer } from '../../src/model/problem.js';
import type { RunEnding } from '../../src/model/run-record.js';
import { bytesOf, HOSTILE_TEXTS } from '../support/export-samples.js';
import { missingProgram, run } from '../support/programs.js';

const noPoppler = missingProgram('pdftotext', 'poppler-utils');
const noQpdf = missingProgram('qpdf', 'qpdf');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'extremum-run-report-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENDING: RunEnding = {
  terminationReason: 'budget',
  bestSolution: [1, 2],
  bestFitness: 5,
  evaluations: 100,
  failedEvaluations: 0,
  failures: [],
  durationSeconds: 0.5,
  strategies: [],
  backend: null,
};

const ANSWER: ProblemAnswer = {
  sense: 'minimize',
  decisionVariables: ['a', 'b'],
  result: {},
  optimality: { status: 'feasible', bound: 4, gap: 1, proof: 'branch_and_bound' },
  solver: { method: 'milp', iterations: 1, nodes: 1, seconds: 1 },
  constraints: [],
  warnings: [],
  assumptions: [],
  statements: [],
  pictures: [],
};

function report(ending: Partial<RunEnding>, more: Partial<Omit<ReportedRun, 'run'>> = {}): ReportedRun {
  const whole = { ...ENDING, ...ending };
  const bounds = (whole.bestSolution ?? [0]).map((): [number, number] => [-3, 3]);
  return {
    run: {
      id: 'opt_17',
      accountId: 'acct',
      functionId: 'func_1',
      status: whole.bestSolution === null ? 'failed' : 'completed',
      request: {
        task: { bounds, maxEvaluations: 100, seed: 7, direction: 'minimize', mode: 'balanced' },
        preset: 'development',
        intelligence: {
          agentic: true,
          interpretable: true,
          adaptive: false,
          domainExtension: false,
          explanationLevel: 1,
          gpuAcceleration: false,
          visual: true,
        },
        blackBox: false,
        pythonMinor: 12,
      },
      metadata: {},
      createdAt: Date.UTC(2026, 9, 1),
      startedAt: Date.UTC(2026, 9, 1),
      completedAt: Date.UTC(2026, 9, 2, 3, 4, 5),
      attempt: 1,
      losses: 0,
      strikes: 0,
      cancelRequested: false,
      progress: null,
      ending: whole,
    },
    subject: 'Rosenbrock',
    explanation: { level: 1, statements: [{ level: 1, topic: 'result', text: 'It is 5.', evidence: {} }], notes: [] },
    pictures: [],
    account: 'ACME',
    version: '1.2.3',
    ...more,
  };
}

const solved = (result: JsonObject, more: Partial<ProblemAnswer> = {}): ReportedRun =>
  report({ answer: { ...ANSWER, result, ...more }, optimality: ANSWER.optimality });

const tablesIn = ({ sections }: ReportDocument): Table[] => sections.filter((section) => section.kind === 'table');
const proseIn = ({ sections }: ReportDocument): string =>
  sections.flatMap((section) => (section.kind === 'prose' ? section.paragraphs : [])).join('\n');
const titles = (tables: readonly Table[]): string[] => tables.map(({ title }) => title);

async function fileOf(made: ReportedRun): Promise<string> {
  const file = join(folder, 'report.pdf');
  writeFileSync(file, await bytesOf(pdfWriter(), runDocument(made)));
  return file;
}
const textOf = async (made: ReportedRun): Promise<string> => run('pdftotext', ['-layout', await fileOf(made), '-']);

describe('the report of a run as a document', () => {
  it('says how sure the answer is, with bound, gap and proof', () => {
    expect(proseIn(runDocument(solved({})))).toContain(
      'No solution is better than 4. The answer is within 1 of that, 20 percent of the value.',
    );
    expect(proseIn(runDocument(solved({})))).toContain('How that was shown: all solutions were divided into parts');
    const optimal = { status: 'optimal', bound: 5, gap: 0, proof: 'interval arithmetic over the whole box' } as const;
    expect(proseIn(runDocument(report({ optimality: optimal })))).toContain(
      'How that was shown: interval arithmetic over the whole box.',
    );
    expect(proseIn(runDocument(report({})))).toContain('Nothing is proven: a better solution may exist.');
  });

  it('has the error and the conflict of a run without an answer, and claims nothing of it', () => {
    const error = { message: 'No weights do.', code: 'infeasible', conflict: ['min_weight', 'net_exposure'] } as const;
    const failed = report({ terminationReason: 'error', bestSolution: null, bestFitness: null, error });
    const document = runDocument(failed);
    expect(proseIn(document)).toContain('No weights do.');
    expect(proseIn(document)).not.toContain('a better solution may exist');
    const [conflict] = tablesIn(document);
    expect(conflict).toMatchObject({
      title: 'Limits that cannot hold together',
      rows: [['min_weight'], ['net_exposure']],
    });
  });

  it('caps 10,000 variables, and says so', () => {
    const x = Array.from({ length: 10_000 }, (_, i) => i / 7);
    const [solution] = tablesIn(runDocument(report({ bestSolution: x })));
    expect(solution.title).toBe(`Solution: the first ${MAX_ROWS} of 10,000; all are in best_solution`);
    expect(solution.rows).toHaveLength(MAX_ROWS);
    expect(solution.rows[1]).toEqual(['x[1]', 1 / 7, -3, 3]);
  });

  it('spreads the points of a front, its ends and its knee among them', () => {
    const points = Array.from({ length: 500 }, (_, i) => ({ solution: [i], values: [i, 499 - i] }));
    const front = { points, knee: 201, hypervolume: 1, reference: [500, 500] };
    const table = tablesIn(runDocument(report({ bestFitness: null, front }))).find(
      ({ name }) => name === 'pareto_front',
    );
    expect(table!.rows.length).toBeLessThanOrEqual(41);
    expect(table!.rows[0]).toEqual(['1', 0, 499, 0]);
    expect(table!.rows.at(-1)).toEqual(['500', 499, 0, 499]);
    expect(table!.rows).toContainEqual(['202, the knee', 201, 298, 201]);
  });
});

describe('JSON as tables', () => {
  it('has single values, named values, lists side by side, and objects with the lists in them', () => {
    const tables = tablesOfJson(
      {
        total_cost: 12,
        dose_per_day_mg: 1.5,
        is_open: true,
        weights: { 'World equity': 0.25, Gold: 0.75 },
        doses: [1, 2, 3],
        toxicity: [4, 5, 6],
        routes: [{ vehicle: 'van', load: 3, stops: [{ id: 'school', at: 9 }] }],
        nothing: null,
        unassigned: [],
      },
      'The answer',
      'result',
    );
    expect(tables.map(({ title, rows }) => [title, rows])).toEqual([
      [
        'The answer',
        [
          ['Total cost', '12'],
          ['Dose per day (mg)', 1.5],
          ['Is open', 'yes'],
          ['Nothing', null],
          ['Unassigned', 'none'],
        ],
      ],
      [
        'Lists, place by place',
        [
          [1, 1, 4],
          [2, 2, 5],
          [3, 3, 6],
        ],
      ],
      [
        'Weights',
        [
          ['World equity', 0.25],
          ['Gold', 0.75],
        ],
      ],
      ['Routes', [['van', 3]]],
      ['Routes 1: Stops', [['school', 9]]],
    ]);
  });

  it('keeps names of things as they are', () => {
    const [table] = tablesOfJson({ positions: { call_3m: 1, spot_price_mg: 2 } }, 'T', 'result');
    expect(table.rows.map(([name]) => name)).toEqual(['call_3m', 'spot_price_mg']);
  });

  it.each([
    ['r1', 'r1'],
    ['id', 'Id'],
    ['expected_return', 'Expected return'],
    ['steady_state_peak_mg_l', 'Steady state peak (mg/l)'],
    ['mg', 'mg'],
    ['', ''],
  ])('words %s as %s', (name, words) => expect(worded(name)).toBe(words));

  it('is bounded, and names what it leaves out', () => {
    const long = Array.from({ length: 5_000 }, (_, i) => ({ id: `n${i}`, stops: [{ at: i }] }));
    let deep: Json = 1;
    for (let i = 0; i < 40; i++) deep = { d: deep };
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`name ${i}`, i]));
    const matrix = Array.from({ length: 500 }, () => Array.from({ length: 500 }, (_, i) => i));
    const tables = tablesOfJson({ long, deep, wide, matrix }, 'T', 'result');
    expect(tables.length).toBeLessThan(70);
    expect(Math.max(...tables.map(({ rows }) => rows.length))).toBe(MAX_ROWS);
    expect(titles(tables)).toContain(`Long: the first ${MAX_ROWS} of 5,000; all are in result.long`);
    const left = tables.at(-1)!;
    expect(left.title).toBe('Too long, wide or deep for this report');
    expect(left.rows.map(([path]) => path)).toContain('result.matrix');
  });

  it('has nothing where there is no number', () => {
    const [table] = tablesOfJson({ a: NaN, b: Infinity, c: [NaN, 1] }, 'T', 'result');
    expect(table.rows[2]).toEqual(['c', '–, 1']);
  });
});

describe.skipIf(noPoppler !== '')(`the report of a run, as text ${noPoppler}`, () => {
  it('has every part of a solved problem, numbers without a value as a dash', async () => {
    const constraints = [
      { name: 'budget', value: 3, limit: 4, slack: 1, binding: false, shadowPrice: 0.125 },
      { name: 'load', value: 4, limit: 4, slack: 0, binding: true },
    ];
    const text = await textOf(
      solved(
        { weights: { a: 1, b: 2 }, worst: NaN },
        {
          constraints,
          assumptions: [{ code: 'c', field: 'config.speed', message: 'Speed is 1.' }],
          warnings: [{ code: 'w', message: 'Look twice.' }],
          alternatives: [{ a: 2, cost: 7 }],
        },
      ),
    );
    for (const expected of [
      'Report: Rosenbrock',
      'Optimization opt_17, completed 2026-10-02 03:04 UTC',
      /Worst +–/,
      /budget +3 +4 +1 +no +0\.125/,
      /load +4 +4 +0 +yes +–/,
      /Speed is 1\. +config\.speed/,
      'Look twice.',
      'Alternatives',
      'Explanation, level 1: the result',
      /Seed +7/,
      'Extremum 1.2.3',
    ]) {
      expect(text).toMatch(expected);
    }
  });

  it('shows a name of 5,000 letters without a blank within the page, over several lines', async () => {
    const text = await textOf(report({}, { explanation: { level: 1, statements: [], notes: ['x'.repeat(3_000)] } }));
    expect(text.match(/x/g)!.length).toBeGreaterThanOrEqual(3_000);
    for (const line of text.split('\n')) expect(line.trim().length).toBeLessThan(220);
  });

  it('goes on with a row that is longer than a page', async () => {
    const words = Array.from({ length: 4_000 / 8 }, (_, i) => `w${String(i).padStart(6, '0')}`);
    const statements = Array.from(
      { length: 3 },
      () => ({ level: 1, topic: 'result', text: words.join(' '), evidence: {} }) as const,
    );
    const text = await textOf(report({}, { explanation: { level: 1, statements, notes: [] } }));
    expect(text.match(/w000499/g)).toHaveLength(3);
  });

  it('shows markup as text, and other letters than Latin', async () => {
    const subject = '<script>alert(1)</script> Ελλάδα Россия';
    const text = await textOf(report({}, { subject }));
    expect(text).toContain(`Report: ${subject}`);
  });
});

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="76" height="52" viewBox="0 0 76 52"><rect width="76" height="52" fill="#fff"/>' +
  '<circle cx="38" cy="26" r="20" fill="#0072b2" fill-opacity="0.5"/></svg>';

describe('the report of a run, as a file', () => {
  it.skipIf(noQpdf !== '')(`is sound, whatever it holds ${noQpdf}`, async () => {
    const hostile = HOSTILE_TEXTS.filter((text) => text !== '');
    const result: JsonObject = {
      ...Object.fromEntries(hostile.map((text) => [text, text])),
      rows: hostile.map((text) => ({ [text]: text, text })),
    };
    const made = solved(result, {
      decisionVariables: hostile,
      constraints: hostile.map((name) => ({ name, value: NaN, limit: Infinity, slack: -0, binding: true })),
      warnings: hostile.map((message) => ({ code: 'c', message })),
    });
    const file = await fileOf({
      ...made,
      subject: hostile.join(' '),
      account: hostile.join(' '),
      pictures: [SVG, SVG],
    });
    expect(run('qpdf', ['--check', file])).toContain('No syntax or stream encoding errors found');
  });

  it('has its pictures at three times their size, and the same bytes each time', async () => {
    const document = runDocument(report({}, { pictures: [SVG] }));
    const bytes = await bytesOf(pdfWriter(), document);
    const text = bytes.toString('latin1');
    expect(text.match(/\/Subtype \/Image/g)).toHaveLength(1);
    expect([/\/Width 228\b/.test(text), /\/Height 156\b/.test(text)]).toEqual([true, true]);
    expect(text).toContain('(D:20261002030405Z)');
    expect((await bytesOf(pdfWriter(), document)).equals(bytes)).toBe(true);
  });
});
