/** Latency of a warm `POST /v1/optimize` over loopback: 1,000 evaluations, n = 10, compiled; and once through CPython. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseConfig } from '../../dist/config.js';
import { startService } from '../../dist/main.js';
import { root } from '../../scripts/support/paths.mjs';

const EVALUATIONS = 1_000;
const WARM_UP = 15;
const REPETITIONS = 100;

/** Different seeds, so that no answer could be remembered. */
const CASES = [
  { name: 'compiled', file: 'rastrigin.py', bound: 5.12, repetitions: REPETITIONS, compiled: true },
  {
    name: 'cpython',
    bound: 5.12,
    repetitions: 30,
    compiled: false,
    // Text of x at run time is outside the compiled subset, and costs little.
    code: 'def f(x):\n    return 0.0 * len(str(x[0])) + sum(v * v for v in x)\n',
  },
];

export async function run() {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'extremum-latency-'));
  const settings = ['--port', '0', '--data-dir', dataDir, '--log-level', 'silent', '--rate-limit-per-minute', '0'];
  const service = await startService(parseConfig(process.env, settings));
  try {
    const results = [];
    for (const one of CASES) results.push(await measure(service, one));
    return { name: 'optimize-latency', settings: { evaluations: EVALUATIONS, dimension: 10 }, results };
  } finally {
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(service, { name, file, code, bound, repetitions, compiled }) {
  const call = async (route, body) => {
    const response = await fetch(service.url + route, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.bootstrapKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${route}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const uploaded = await call('/v1/functions', {
    name,
    language: 'python',
    code: code ?? readFileSync(path.join(root, 'examples', file), 'utf8'),
  });
  if (uploaded.compilation.compiled !== compiled)
    throw new Error(`${name}: compiled is ${uploaded.compilation.compiled}`);
  const times = [];
  let backend = '';
  for (let i = -WARM_UP; i < repetitions; i++) {
    const started = performance.now();
    const record = await call('/v1/optimize', {
      objective_function_id: uploaded.id,
      bounds: Array.from({ length: 10 }, () => [-bound, bound]),
      max_evaluations: EVALUATIONS,
      seed: i + WARM_UP,
    });
    if (i >= 0) times.push(performance.now() - started);
    if (record.status !== 'completed' || record.evaluations > EVALUATIONS) throw new Error(JSON.stringify(record));
    backend = record.backend.name;
  }
  times.sort((a, b) => a - b);
  const quantile = (share) => Number(times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(2));
  return {
    case: name,
    backend,
    requests: repetitions,
    p50_ms: quantile(0.5),
    p95_ms: quantile(0.95),
    max_ms: quantile(1),
  };
}
