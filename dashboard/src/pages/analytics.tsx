/** Reports over the runs of the account. */
import { useMemo, useState } from 'preact/hooks';
import { get, query } from '../api/client.js';
import type { Executions, Metrics, Performance } from '../api/types.js';
import { Chart } from '../ui/chart.js';
import { bytes, number, percent, seconds } from '../ui/format.js';
import { Card, Facts, Field, Header, Shown, Table } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';

const DAY_MS = 86_400_000;
const FORMATS = ['csv', 'xlsx', 'pdf'] as const;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

export function Analytics() {
  const [start, setStart] = useState(() => dayOf(Date.now() - 29 * DAY_MS));
  const [end, setEnd] = useState(() => dayOf(Date.now()));
  const period = { start_date: start, end_date: end };
  const metricsPath = `/v1/analytics/metrics${query({ ...period, granularity: 'day' })}`;
  const executionsPath = `/v1/analytics/executions${query(period)}`;
  const metrics = useLoad(metricsPath, () => get<Metrics>(metricsPath));
  const executions = useLoad(executionsPath, () => get<Executions>(executionsPath));
  const performance = useLoad('performance', () => get<Performance>('/v1/analytics/performance'));
  return (
    <>
      <Header title="Analytics">
        <Field label="From">
          <input type="date" value={start} max={end} onChange={(event) => setStart(event.currentTarget.value)} />
        </Field>
        <Field label="To">
          <input type="date" value={end} min={start} onChange={(event) => setEnd(event.currentTarget.value)} />
        </Field>
      </Header>
      <Card title="Results" actions={<Exports path={metricsPath} />}>
        <Shown of={metrics}>
          {({ metrics: of }) => (
            <Facts
              of={[
                ['Runs', number(of.total_optimizations)],
                ['Successful', number(of.successful_optimizations)],
                ['Failed or cancelled', number(of.failed_optimizations)],
                ['Average time', seconds(of.average_optimization_time)],
                ['Evaluations', number(of.total_evaluations)],
                ['Cost', `${number(of.cost.total, 4)} ${of.cost.currency}`],
              ]}
            />
          )}
        </Shown>
      </Card>
      <Card title="Runs by day" actions={<Exports path={executionsPath} />}>
        <Shown of={executions}>{(found) => <Days of={found} />}</Shown>
      </Card>
      <Card title="Performance (all runs)" actions={<Exports path="/v1/analytics/performance?" />}>
        <Shown of={performance}>
          {({ execution_time: took, throughput, error_rate, resource_usage: used, cost_efficiency: cost }) => (
            <>
              <Facts
                of={[
                  ['Time, median', seconds(took.median)],
                  ['Time, average', seconds(took.average)],
                  ['Time, 95 % within', seconds(took.p95)],
                  ['Time, 99 % within', seconds(took.p99)],
                  ['Runs an hour', number(throughput.per_hour, 4)],
                  [
                    'Failed',
                    `${number(error_rate.percentage, 3)} % (${number(error_rate.failed)} of ${number(error_rate.total)})`,
                  ],
                  ['Processor', `${seconds(used.cpu.seconds)}, ${percent(used.cpu.average_utilization)} of a core`],
                  ['Memory, peak', bytes(used.memory.peak_bytes)],
                  ['Memory, average of peaks', bytes(used.memory.average_bytes)],
                  ['Network', `${bytes(used.network.bytes_in)} in, ${bytes(used.network.bytes_out)} out`],
                  ['GPU', seconds(used.gpu.seconds)],
                  ['Checks by CPython', seconds(used.checks.seconds)],
                  ['Cost of a run', `${number(cost.cost_per_execution, 4)} ${cost.currency}`],
                ]}
              />
              {cost.opportunities.length > 0 && (
                <Table
                  caption="What could be saved"
                  columns={[
                    {
                      title: 'Run',
                      cell: ({ optimization_id: id }) => (id === undefined ? 'all' : <a href={`#/runs/${id}`}>{id}</a>),
                    },
                    { title: 'What could be saved', cell: ({ message }) => <span class="prose">{message}</span> },
                    {
                      title: cost.currency,
                      cell: ({ estimated_saving }) => number(estimated_saving, 3),
                      isNumber: true,
                    },
                  ]}
                  rows={cost.opportunities}
                  keyOf={(_opportunity, place) => String(place)}
                />
              )}
            </>
          )}
        </Shown>
      </Card>
    </>
  );
}

const Exports = ({ path }: { path: string }) => (
  <>
    {FORMATS.map((format) => (
      <a key={format} class="button quiet" href={`${path}&format=${format}`} download>
        {format.toUpperCase()}
      </a>
    ))}
  </>
);

function Days({ of: { time_series } }: { of: Executions }) {
  const lines = useMemo(() => {
    const xs = time_series.map(({ date }) => Date.parse(date) / 1000);
    return [
      { name: 'Successful', xs, ys: time_series.map(({ successful }) => successful) },
      { name: 'Failed', xs, ys: time_series.map(({ failed }) => failed) },
    ];
  }, [time_series]);
  return (
    <>
      <Chart lines={lines} xLabel="day (UTC)" yLabel="runs" isTime isStepped={false} />
      <details>
        <summary>As a table</summary>
        <Table
          caption="Runs by day"
          columns={[
            { title: 'Day', cell: ({ date }) => date },
            { title: 'Runs', cell: ({ optimizations }) => number(optimizations), isNumber: true },
            { title: 'Successful', cell: ({ successful }) => number(successful), isNumber: true },
            { title: 'Failed', cell: ({ failed }) => number(failed), isNumber: true },
          ]}
          rows={time_series}
          keyOf={({ date }) => date}
        />
      </details>
    </>
  );
}
