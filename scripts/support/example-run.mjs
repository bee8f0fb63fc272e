import { readFileSync } from 'node:fs';
import path from 'node:path';
import { drawCurve, shortNumber } from './curve.mjs';
import { root } from './paths.mjs';

/** The one of examples/examples.json that the first start shows. */
const BUNDLED = 'rosenbrock.py';

export class ExampleError extends Error {}

/**
 * Uploads the bundled example through the HTTP API of the service at `url` and optimises it, as any client would.
 * @param {(line: string) => void} say gets the result and its convergence curve
 * @returns {Promise<{ functionId: string, request: object }>} what to send to run it again
 * @throws {ExampleError}
 */
export async function runExample(url, key, say) {
  const example = JSON.parse(readFileSync(path.join(root, 'examples', 'examples.json'), 'utf8')).find(
    ({ file }) => file === BUNDLED,
  );
  const code = readFileSync(path.join(root, 'examples', BUNDLED), 'utf8');
  const uploaded = await call(url, key, 'POST', '/v1/functions', {
    name: path.basename(BUNDLED, '.py'),
    language: 'python',
    code,
  });
  say(`Example: examples/${BUNDLED} uploaded as ${uploaded.id}; optimising (${example.title}) ...`);
  const request = {
    objective_function_id: uploaded.id,
    bounds: example.bounds,
    max_evaluations: example.max_evaluations,
    seed: example.seed,
  };
  let run = await call(url, key, 'POST', '/v1/optimize', request);
  while (run.status === 'pending' || run.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 500));
    run = await call(url, key, 'GET', `/v1/optimize/${run.id}`);
  }
  if (run.success !== true)
    throw new ExampleError(`run ${run.id} ended as ${run.status}: ${JSON.stringify(run.error)}`);
  const history = await call(url, key, 'GET', `/v1/optimize/${run.id}/history`);
  say('');
  for (const line of drawCurve(history.data, run.evaluations)) say(line);
  say('');
  say(`  best fitness   ${shortNumber(run.best_fitness)} (known optimum ${example.minimum})`);
  say(`  best solution  [${run.best_solution.map(shortNumber).join(', ')}]`);
  say(
    `  ${run.evaluations.toLocaleString('en-US')} evaluations in ${shortNumber(run.duration_seconds)} s ` +
      `with ${run.strategy_used} on ${run.backend.name}; ended by ${run.termination_reason}; ${run.id}`,
  );
  return { functionId: uploaded.id, request };
}

/** A curl command that starts `request`; `key` as it shall stand in the header, so also `$EXTREMUM_API_KEY`. */
export function curlCommand(url, key, request) {
  return [
    `curl -s ${url}/v1/optimize \\`,
    `  -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(request)}'`,
  ];
}

async function call(url, key, method, route, body) {
  const response = await fetch(url + route, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new ExampleError(`${method} ${route} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
