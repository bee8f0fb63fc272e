/** Uploads an objective, optimises it, reads the result, and runs a study of an objective that stays here. */
import createClient from 'openapi-fetch';
import type { paths } from './extremum.js';

const service = createClient<paths>({
  baseUrl: process.env['BASE'] ?? 'http://127.0.0.1:8080',
  headers: { Authorization: `Bearer ${process.env['EXTREMUM_API_KEY']}` },
});

/** The answer; an error of the service is thrown with its message. */
async function answer<T>(call: Promise<{ data?: T; error?: { error: { message: string } } }>): Promise<T> {
  const { data, error } = await call;
  if (data === undefined) throw new Error(error?.error.message ?? 'The service gave no answer.');
  return data;
}

const bounds = [
  [-5, 5],
  [-5, 5],
];

// An objective that the service evaluates.
const code = 'def f(x):\n    return (x[0] - 1) ** 2 + 10 * (x[1] + 2) ** 2\n';
const uploaded = await answer(service.POST('/v1/functions', { body: { name: 'valley', language: 'python', code } }));

const begun = await answer(
  service.POST('/v1/optimize', {
    params: { header: { Prefer: 'wait=30' } },
    body: { objective_function_id: uploaded.id, bounds, max_evaluations: 1000, seed: 1 },
  }),
);

const id = { params: { path: { id: begun.id } } };
const run = await answer(service.GET('/v1/optimize/{id}', id));
const history = await answer(service.GET('/v1/optimize/{id}/history', id));
console.log(`${run.status}: f(${run.best_solution?.join(', ')}) = ${run.best_fitness}`);
console.log(`after ${run.evaluations} evaluations, ${history.data.length} points of history`);

// An objective that is evaluated here: ask for candidates, tell their values.
const evaluate = ([a = 0, b = 0]: number[]): number => (a - 1) ** 2 + 10 * (b + 2) ** 2;

const begin = { bounds, max_evaluations: 100, seed: 1 };
let study = await answer(service.POST('/v1/studies', { body: begin }));
const ofStudy = { params: { path: { id: study.id } } };
while (study.status === 'running') {
  const { candidates } = await answer(service.POST('/v1/studies/{id}/ask', { ...ofStudy, body: { count: 4 } }));
  const results = candidates.map((candidate) => ({ id: candidate.id, values: [evaluate(candidate.solution)] }));
  await answer(service.POST('/v1/studies/{id}/tell', { ...ofStudy, body: { results } }));
  study = await answer(service.GET('/v1/studies/{id}', ofStudy));
}
const best = await answer(service.GET('/v1/studies/{id}/best', ofStudy));
console.log(`study ${study.status}: f(${best.best_solution?.join(', ')}) = ${best.best_fitness}`);
