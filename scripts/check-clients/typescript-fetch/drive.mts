/** The steps of a client, with what openapi-generator makes for fetch. Prints a line for each: its name and what was read. */
import { Configuration, DefaultApi, ErrorResponseFromJSON, ResponseError } from './client/index.js';
import type { StudyCandidatesCandidatesInner } from './client/index.js';

const { BASE = '', EXTREMUM_API_KEY = '', WRONG_KEY = '', CODE = '', SEED = '' } = process.env;
const seed = Number(SEED);
const bounds = [
  [-5, 5],
  [-5, 5],
];

const client = (key: string): DefaultApi => new DefaultApi(new Configuration({ basePath: BASE, accessToken: key }));

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

const service = client(EXTREMUM_API_KEY);
const made = { functionId: '', run: '', study: '' };
let candidates: StudyCandidatesCandidatesInner[] = [];

await step('upload', async () => {
  const uploaded = await service.uploadFunction({
    uploadFunctionRequest: { name: 'valley', code: CODE, language: 'python' },
  });
  made.functionId = uploaded.id;
  return uploaded.id;
});
await step('optimize', async () => {
  const optimizeRequest = { objectiveFunctionId: made.functionId, bounds, maxEvaluations: 300, seed };
  const run = await service.optimize({ optimizeRequest, prefer: 'wait=60' });
  made.run = run.id;
  return `${run.id} ${run.seed}`;
});
await step('read', async () => {
  const { bestFitness, bestSolution } = await service.getOptimization({ id: made.run });
  if (bestFitness === null || bestSolution === null) throw new Error('no solution');
  return bits(bestFitness, ...bestSolution);
});
await step('list', async () => {
  const { total, data } = await service.listOptimizations({ limit: 1 });
  return `${total} ${data[0]?.id}`;
});
await step('study', async () => {
  const study = await service.createStudy({ createStudyRequest: { bounds, maxEvaluations: 50, seed } });
  made.study = study.id;
  return `${study.id} ${study.seed}`;
});
await step('ask', async () => {
  ({ candidates } = await service.askStudy({ id: made.study, askStudyRequest: { count: 3 } }));
  return String(candidates.length);
});
await step('tell', async () => {
  const results = candidates.map(({ id, solution }) => ({
    id,
    values: [solution.reduce((sum, value) => sum + value * value, 0)],
  }));
  const told = await service.tellStudy({ id: made.study, tellStudyRequest: { results } });
  return String(told.accepted);
});
await step('best', async () => {
  const { bestFitness, bestSolution } = await service.getStudyBest({ id: made.study });
  if (bestFitness == null || bestSolution == null) throw new Error('no solution');
  return bits(bestFitness, ...bestSolution);
});
await step('webhook', () =>
  refusal(service.createWebhook({ createWebhookRequest: { url: 'http://example.com/hook', events: ['*'] } })),
);
await step('key', () => refusal(client(WRONG_KEY).listOptimizations()));
