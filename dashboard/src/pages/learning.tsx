/** What runs have taught the account. */
import { get, remove } from '../api/client.js';
import type { Learning } from '../api/types.js';
import { number, percent, plural } from '../ui/format.js';
import { Card, Confirmed, Facts, Header, Shown, Table } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';

function dimensionsOf({ features: { dimensions } }: Learning['problem_classes'][number]): string {
  if (dimensions === null) return 'any number of variables';
  const { least, most } = dimensions;
  return least === most ? plural(least, 'variable') : `${least} to ${most} variables`;
}

export function LearningPage() {
  const learning = useLoad('learning', () => get<Learning>('/v1/learning'));
  return (
    <>
      <Header title="Learning">
        <Confirmed
          run={async () => {
            await remove('/v1/learning');
            learning.reload();
          }}
          question="New runs begin as if there had been none before, and runs that pin a version of what was learned are refused."
          confirm="Forget everything"
        >
          Forget
        </Confirmed>
      </Header>
      <Shown of={learning}>
        {({ version, runs, problem_classes }) => (
          <>
            <Card>
              <Facts
                of={[
                  ['Version', version === 0 ? 'nothing was learned yet' : number(version)],
                  ['Runs that taught something', number(runs)],
                ]}
              />
            </Card>
            {problem_classes.map((one) => (
              <Card key={one.name} title={one.name}>
                <p class="muted">
                  {one.features.kind}, {dimensionsOf(one)}; {plural(one.runs, 'run')}
                </p>
                <Table
                  caption={`Strategies for ${one.name}`}
                  columns={[
                    { title: 'Strategy', cell: ({ name }) => name },
                    { title: 'Runs', cell: (strategy) => number(strategy.runs), isNumber: true },
                    { title: 'As good as the best', cell: ({ win_rate }) => percent(win_rate), isNumber: true },
                    { title: 'Decades gained a run', cell: ({ mean_gain }) => number(mean_gain, 3), isNumber: true },
                  ]}
                  rows={one.strategies}
                  keyOf={({ name }) => name}
                />
              </Card>
            ))}
          </>
        )}
      </Shown>
    </>
  );
}
