/** What `npm run test:kill` runs. */
import { afterEach, expect, it } from 'vitest';
import { killLoop } from '../support/kill-loop.js';
import { describeWithOwnMongod } from '../support/mongodb.js';
import { endAll } from '../support/service-process.js';

const store =
  (['mongodb', 'replicas'] as const).find((name) => name === process.env['EXTREMUM_KILL_STORE']) ?? 'sqlite';
const kills = Number(process.env['EXTREMUM_KILL_COUNT'] ?? 20);
const seed = Number(process.env['EXTREMUM_KILL_SEED'] ?? 1);
/** Of a kill, with the start after it and its part of the final look, on a busy machine. */
const MS_PER_KILL = 40_000;
const MS_AROUND = 300_000;

afterEach(endAll);

const body = (): void =>
  it(
    `${kills} kills on ${store} from seed ${seed} lose nothing and do nothing twice`,
    async () => {
      const { violations, ...figures } = await killLoop({ store, kills, seed, log: (line) => console.log(line) });
      console.log(JSON.stringify(figures, null, 2));
      for (const violation of violations) console.log(violation);
      expect(violations.length, 'violations').toBe(0);
    },
    MS_AROUND + kills * MS_PER_KILL,
  );
if (store === 'sqlite') body();
else describeWithOwnMongod('MongoDB', body);
