import { afterAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/cli/keys.js';
import { parseConfig } from '../../src/config.js';
import { ApiContract } from './api-contract.js';
import { ApiFuzz, FUZZ_FLAGS } from './api-fuzz.js';
import { startTestService, type Json } from './service.js';

export function fuzzSuite(cases: number, seed = 1): void {
  describe(`${cases} random requests`, async () => {
    const service = await startTestService({ flags: FUZZ_FLAGS });
    const document = (await service.call('GET', '/v1/openapi.json')).body as Json;
    const contract = new ApiContract(document);
    const keyOf = (account: string): Promise<string> =>
      createKey(['--account', account, '--scopes', 'read,run,admin', '--data-dir', service.dataDir], parseConfig);
    const fuzz = new ApiFuzz({ service, contract, document, keys: [await keyOf('one'), await keyOf('two')] });
    await fuzz.prepare();
    afterAll(async () => {
      fuzz.close();
      await service.cleanUp();
    });

    // What makes things first, so that there is something to ask for; what removes them last.
    const order = ['POST', 'GET', 'PATCH', 'PUT', 'DELETE'];
    const operations = contract.operations.sort(
      (a, b) => order.indexOf(a.method) - order.indexOf(b.method) || a.path.length - b.path.length,
    );
    it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
      '%s',
      async (_, operation) => {
        const statuses = await fuzz.run(operation, cases, seed);
        const some = [...statuses.keys()];
        // A fuzzer that reaches nothing finds nothing. What was made may have ended before it is cancelled.
        const reached = some.filter((status) => (status >= 200 && status < 300) || status === 409);
        expect(reached, JSON.stringify([...statuses])).not.toEqual([]);
        expect(some).toContain(401);
      },
      600_000,
    );
  });
}
