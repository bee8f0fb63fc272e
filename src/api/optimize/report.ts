/** The report of one run as a file: gathers what it is made of, and hands it to the thread that writes. */
import { typesOf } from '../../domains/configs.js';
import type { EndedRun } from '../../explanation/ended-run.js';
import { drawVisual } from '../../explanation/visuals/visuals.js';
import type { Rows } from '../../exports/document.js';
import { runDocument } from '../../exports/run-report.js';
import type { Caller } from '../../identity/identity-service.js';
import type { Explanation } from '../../model/explanation.js';
import type { FunctionService } from '../../runs/function-service.js';
import type { RunService } from '../../runs/run-service.js';
import type { ApiParts } from '../parts.js';
import type { Download } from '../route.js';
import { visualKinds } from './answer.js';

type RunReportParts = Pick<ApiParts, 'runs' | 'functions' | 'exporter' | 'version'>;

async function* nothing(): Rows {}

export async function runReport(
  run: EndedRun,
  explanation: Explanation,
  account: Caller['account'],
  { runs, functions, exporter, version }: RunReportParts,
): Promise<Download> {
  const [subject, pictures] = await Promise.all([subjectOf(run, functions), picturesOf(run, runs)]);
  const document = runDocument({ run, subject, explanation, pictures, account: account.name, version });
  return exporter.file(account.id, 'pdf', document, nothing());
}

async function subjectOf(
  { accountId, functionId, request: { problem } }: EndedRun,
  functions: FunctionService,
): Promise<string> {
  if (problem !== undefined) {
    const { title } = typesOf(problem.domain).find(({ name }) => name === problem.problemType) ?? {};
    const model = problem.model === null ? '' : `, ${problem.model.replaceAll('_', ' ')}`;
    return (title ?? problem.problemType) + model;
  }
  // It may have been deleted since.
  return (await functions.find(accountId, functionId))?.name ?? functionId;
}

/** Those that the record lists, one after the other: they share the threads for short work with everybody. */
async function picturesOf(run: EndedRun, runs: RunService): Promise<string[]> {
  const kinds = visualKinds(run);
  if (kinds.length === 0) return [];
  const history = (await runs.history(run.accountId, run.id)) ?? [];
  const pictures: string[] = [];
  for (const kind of kinds) {
    const svg = drawVisual(kind, run, history) ?? (await runs.draw(run, kind));
    if (svg !== null) pictures.push(svg);
  }
  return pictures;
}
