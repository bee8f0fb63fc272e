/** Up to eight runs over one another, and what differs in what was asked. */
import { useMemo, useState } from 'preact/hooks';
import { get } from '../api/client.js';
import type { HistoryPoint, Run } from '../api/types.js';
import { Chart } from '../ui/chart.js';
import { number, seconds } from '../ui/format.js';
import {
  AxisChoices,
  Card,
  Header,
  Shown,
  Status,
  Table,
  type HorizontalAxis,
  type VerticalAxis,
} from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';
import { historyOf } from './course.js';
import { isOver } from './run.js';

interface Compared {
  readonly run: Run;
  readonly points: readonly HistoryPoint[];
}

const EVERY_MS = 3_000;
const MOST = 8;

const ASKED = [
  ...([
    'objective_function_id',
    'bounds',
    'domain',
    'problem_type',
    'direction',
    'max_evaluations',
    'mode',
    'preset',
  ] as const),
  ...(['seed', 'math', 'objectives', 'intelligence_config', 'learned', 'metadata'] as const),
];

export function Compare({ ids }: { ids: readonly string[] }) {
  const [axis, setAxis] = useState<HorizontalAxis>('evaluations');
  const [scale, setScale] = useState<VerticalAxis>('linear');
  const [isLive, setLive] = useState(true);
  const compared = useLoad(
    ids.join(),
    async () => {
      const found: Compared[] = await Promise.all(
        ids.slice(0, MOST).map(async (id) => {
          const [run, { data }] = await Promise.all([get<Run>(`/v1/optimize/${id}`), historyOf(id)]);
          return { run, points: data };
        }),
      );
      setLive(!found.every(({ run }) => isOver(run)));
      return found;
    },
    isLive ? EVERY_MS : undefined,
  );
  return (
    <>
      <Header title="Compare runs">
        <AxisChoices horizontal={axis} vertical={scale} chooseHorizontal={setAxis} chooseVertical={setScale} />
      </Header>
      <Shown of={compared}>{(all) => <Comparison all={all} axis={axis} isLog={scale === 'log'} />}</Shown>
    </>
  );
}

function Comparison({ all, axis, isLog }: { all: readonly Compared[]; axis: 'evaluations' | 'time'; isLog: boolean }) {
  const lines = useMemo(
    () =>
      all.map(({ run, points }) => ({
        name: `${run.id} ${run.strategy_used ?? ''}`,
        xs: points.map(({ evaluations, elapsed_seconds }) => (axis === 'time' ? elapsed_seconds : evaluations)),
        ys: points.map(({ best_fitness, hypervolume }) => best_fitness ?? hypervolume ?? null),
      })),
    [all, axis],
  );
  const differing = ASKED.filter((field) => new Set(all.map(({ run }) => JSON.stringify(run[field]))).size > 1);
  return (
    <>
      <Card title="Convergence">
        <Chart lines={lines} xLabel={axis === 'time' ? 'seconds' : 'evaluations'} yLabel="best value" isLog={isLog} />
      </Card>
      <Card title="Results">
        <Table
          caption="Results"
          columns={[
            { title: 'Run', cell: ({ run }) => <a href={`#/runs/${run.id}`}>{run.id}</a> },
            { title: 'Status', cell: ({ run }) => <Status of={run.status} /> },
            { title: 'Best value', cell: ({ run }) => number(run.best_fitness ?? run.hypervolume, 8), isNumber: true },
            { title: 'Evaluations', cell: ({ run }) => number(run.evaluations), isNumber: true },
            { title: 'Time', cell: ({ run }) => seconds(run.duration_seconds), isNumber: true },
            { title: 'Strategy', cell: ({ run }) => run.strategy_used ?? '–' },
            { title: 'Ended by', cell: ({ run }) => run.termination_reason ?? '–' },
          ]}
          rows={all}
          keyOf={({ run }) => run.id}
        />
      </Card>
      <Card title="What differs in the requests">
        <Table
          caption="What differs in the requests"
          columns={[
            { title: 'Field', cell: (field: (typeof ASKED)[number]) => <code>{field}</code> },
            ...all.map(({ run }) => ({
              title: run.id,
              cell: (field: (typeof ASKED)[number]) => <span class="prose">{JSON.stringify(run[field])}</span>,
            })),
          ]}
          rows={differing}
          keyOf={(field) => field}
          empty="Nothing: they asked for the same."
        />
      </Card>
    </>
  );
}
