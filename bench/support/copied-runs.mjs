/**
 * Many ended runs as the service keeps them (summary, history, events): copies of one that it carried out, with other
 * values.
 */
import { idOf, openStoreOf } from './fill.mjs';
import { ROSENBROCK } from './python-sources.mjs';

const AT_ONCE = 250;
/** No longer than that of a service, which takes back leases that lie further ahead. */
const LEASE_MS = 30_000;

/**
 * Puts in `count` runs beside the one of 10-D Rosenbrock that they are copies of, which stays the newest. `copyOf(n,
 * history)`, n from 0: `{status, bestFitness, metadata, createdAt, history}` of the nth. Returns their identifiers in
 * that order.
 * @param store As `startServer` takes it; `server`: what that returned.
 */
export async function copyRuns(store, server, count, copyOf) {
  const objective = await server.upload('rosenbrock', ROSENBROCK, true);
  const bounds = Array.from({ length: 10 }, () => [-5, 10]);
  const body = { objective_function_id: objective, bounds, max_evaluations: 1_000, seed: 1 };
  const { id } = await server.call('POST', '/v1/optimize', body);
  const { account_id: accountId } = await server.call('GET', '/v1/identity');
  const opened = await openStoreOf(store, server);
  try {
    const { request, functionId, ending } = await opened.findRun(accountId, id);
    const { source, history } = await opened.runEnd(accountId, id, Date.now());
    const put = async (n) => {
      const { status, bestFitness, metadata, createdAt, history: own } = copyOf(n, history);
      const run = { id: idOf(n, createdAt), accountId, functionId, source, request, metadata, createdAt };
      await opened.createRun(run, { owner: 'bench', now: 0, leaseUntil: Date.now() + LEASE_MS });
      const evaluations = own.at(-1)?.evaluations ?? ending.evaluations;
      const ended = await opened.finishRun(run.id, 1, {
        status,
        ending: { ...ending, bestFitness, evaluations },
        history: own,
        completedAt: createdAt + 500,
      });
      if (ended?.status !== status)
        throw new Error(`${run.id} is ${ended?.status ?? 'not ended'} instead of ${status}`);
      return run.id;
    };
    const ids = [];
    for (let n = 0; n < count; n += AT_ONCE) {
      ids.push(...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, i) => put(n + i)))));
    }
    return ids;
  } finally {
    await opened.close();
  }
}
