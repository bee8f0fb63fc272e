/**
 * The steps of a client, with what openapi-generator makes for fetch. Prints a line for each: its name and what was
 * read.
 */
import {
  AdvancedApi,
  Configuration,
  ErrorResponseFromJSON,
  FunctionsApi,
  OptimizationApi,
  ResponseError,
  WebhooksApi,
} from './client/index.js';
import type { StudyCandidatesCandidatesInner } from './client/index.js';

const { BASE = '', EXTREMUM_API_KEY = '', WRONG_KEY = '', CODE = '', SEED = '' } = process.env;
const seed = Number(SEED);
const bounds = [
  [-5, 5],
  [-5, 5],
];

const configured = (key: string): Configuration => new Configuration({ basePath: BASE, accessToken: key });

function bits(...numbers: readonly number[]): string {
  return numbers
    .map((number) => {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleBE(number);
      return bytes.toString('hex');
    })
    .join(' ');
}

async function step(name: string, work: () => Promise<string>): Promise<void> {
  try {
    console.log(name, await work());
  } catch (error) {
    console.log(name, 'failed:', String(error).replaceAll(/\s+/g, ' ').slice(0, 500));
  }
}

async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const { error: told } = ErrorResponseFromJSON(await error.response.json());
    return `${error.response.status} ${told.code} ${told.field ?? '-'}`;
  }
  return 'accepted';
}

const known = configured(EXTREMUM_API_KEY);
const runs = new OptimizationApi(known);
const studies = new AdvancedApi(known);
const made = { functionId: '', run: '', study: '' };
let candidates: StudyCandidatesCandidatesInner[] = [];

await step('upload', async () => {
  const uploaded = await new FunctionsApi(known).uploadFunction({
    uploadFunctionRequest: { name: 'valley', code: CODE, language: 'python' },
  });
  made.functionId = uploaded.id;
  return uploaded.id;
});
await step('optimize', async () => {
  const optimizeRequest = { objectiveFunctionId: made.functionId, bounds, maxEvaluations: 300, seed };
  const run = await runs.optimize({ optimizeRequest, prefer: 'wait=60' });
  made.run = run.id;
  return `${run.id} ${run.seed}`;
});
await step('read', async () => {
  const { bestFitness, bestSolution } = await runs.getOptimization({ id: made.run });
  if (bestFitness === null || bestSolution === null) throw new Error('no solution');
  return bits(bestFitness, ...bestSolution);
});
await step('list', async () => {
  const { total, data } = await runs.listOptimizations({ limit: 1 });
  return `${total} ${data[0]?.id}`;
});
await step('study', async () => {
  const study = await studies.createStudy({ createStudyRequest: { bounds, maxEvaluations: 50, seed } });
  made.study = study.id;
  return `${study.id} ${study.seed}`;
});
await step('ask', async () => {
  ({ candidates } = await studies.askStudy({ id: made.study, askStudyRequest: { count: 3 } }));
  return String(candidates.length);
});
await step('tell', async () => {
  const results = candidates.map(({ id, solution }) => ({
    id,
    values: [solution.reduce((sum, value) => sum + value * value, 0)],
  }));
  const told = await studies.tellStudy({ id: made.study, tellStudyRequest: { results } });
  return String(told.accepted);
});
await step('best', async () => {
  const { bestFitness, bestSolution } = await studies.getStudyBest({ id: made.study });
  if (bestFitness == null || bestSolution == null) throw new Error('no solution');
  return bits(bestFitness, ...bestSolution);
});
await step('webhook', () =>
  refusal(
    new WebhooksApi(known).createWebhook({ createWebhookRequest: { url: 'http://example.com/hook', events: ['*'] } }),
  ),
);
await step('key', () => refusal(new OptimizationApi(configured(WRONG_KEY)).listOptimizations()));
