/** The monitoring trace of a run: small charts over the time, and the same numbers in a table. */
import { useMemo } from 'preact/hooks';
import { get } from '../api/client.js';
import type { MonitoringRow, Page } from '../api/types.js';
import { Chart, type Line } from '../ui/chart.js';
import { number, plural, time } from '../ui/format.js';
import { Card, download, Shown, Table } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';

/** A trace may have 2,000 rows. */
const EVERY_MS = 5_000;
const SHOWN_ROWS = 200;
const MEBIBYTE = 1024 ** 2;

const rate = (sum: number | null, { seconds }: MonitoringRow): number | null => (sum === null ? null : sum / seconds);
const mebibytes = (bytes: number | null): number | null => (bytes === null ? null : bytes / MEBIBYTE);

interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly lines: readonly (readonly [string, (row: MonitoringRow) => number | null])[];
}

const MEASURES: readonly Measure[] = [
  { name: 'Evaluations', unit: 'a second', lines: [['This run', (row) => row.evaluations_per_second]] },
  {
    name: 'Processor',
    unit: 'cores',
    lines: [
      ["This run's thread", (row) => rate(row.thread_cpu_seconds, row)],
      ['Whole service', (row) => rate(row.service_cpu_seconds, row)],
    ],
  },
  {
    name: 'Memory',
    unit: 'MiB',
    lines: [
      ["This run's thread", (row) => mebibytes(row.thread_memory_bytes)],
      ['Whole service', (row) => mebibytes(row.service_memory_bytes)],
    ],
  },
  {
    name: 'Waiting for CPython',
    unit: 'share of the time',
    lines: [['This run', (row) => rate(row.python_wait_seconds, row)]],
  },
  { name: 'Checks by CPython', unit: 'values a second', lines: [['This run', (row) => rate(row.checks, row)]] },
];

export function Monitoring({ id, isOver }: { id: string; isOver: boolean }) {
  // The last rows come with the end.
  const trace = useLoad(
    `${id} ${isOver}`,
    () => get<Page<MonitoringRow>>(`/v1/optimize/${id}/monitoring`),
    isOver ? undefined : EVERY_MS,
  );
  return (
    <Card title="Monitoring">
      <Shown of={trace}>{({ data }) => <Trace id={id} rows={data} />}</Shown>
    </Card>
  );
}

function Trace({ id, rows }: { id: string; rows: readonly MonitoringRow[] }) {
  const charts = useMemo(() => {
    // A clock that was set back must not bend the axis.
    let latest = -Infinity;
    const xs = rows.map(({ at }) => (latest = Math.max(latest, Date.parse(at) / 1_000)));
    return MEASURES.flatMap(({ name, unit, lines }) => {
      const drawn: Line[] = lines.map(([line, value]) => ({ name: line, xs, ys: rows.map(value) }));
      const isKnown = drawn.some(({ ys }) => ys.some((y) => y !== null));
      return isKnown ? [{ name, unit, lines: drawn }] : [];
    });
  }, [rows]);
  if (rows.length === 0) return <p class="muted">No second has been measured yet.</p>;
  const queued = rows[0].queued_seconds;
  const step = Math.ceil(rows.length / SHOWN_ROWS);
  const csv = (): string => {
    const columns = Object.keys(rows[0]).filter((name) => name !== 'tiers') as (keyof Omit<MonitoringRow, 'tiers'>)[];
    return (
      [columns.join(','), ...rows.map((row) => columns.map((name) => row[name] ?? '').join(','))].join('\n') + '\n'
    );
  };
  return (
    <>
      <p>
        {queued > 0 ? `The run waited ${number(queued, 3)} s in the queue. ` : ''}
        Figures of the whole service contain everything else that it did in that time.
      </p>
      <div class="monitoring">
        {charts.map(({ name, unit, lines }) => (
          <section key={name} aria-label={name}>
            <h3>{name}</h3>
            <Chart lines={lines} xLabel="time" yLabel={unit} isTime isStepped={false} height={170} />
          </section>
        ))}
      </div>
      <details>
        <summary>As a table ({plural(rows.length, 'row')})</summary>
        <div class="row">
          <button type="button" class="quiet" onClick={() => download(`${id}-monitoring.csv`, 'text/csv', csv())}>
            Download CSV
          </button>
        </div>
        <Table
          caption="Monitoring"
          columns={[
            { title: 'Until', cell: ({ at }) => time(at) },
            { title: 'Seconds', cell: ({ seconds }) => number(seconds, 3), isNumber: true },
            { title: 'Attempt', cell: ({ attempt }) => number(attempt), isNumber: true },
            { title: 'Place', cell: ({ place }) => place ?? '–' },
            ...MEASURES.flatMap(({ name, unit, lines }) =>
              lines.map(([line, value]) => ({
                title: lines.length === 1 ? `${name} (${unit})` : `${name}: ${line} (${unit})`,
                cell: (row: MonitoringRow) => number(value(row), 3),
                isNumber: true,
              })),
            ),
          ]}
          rows={rows.filter((_row, i) => i % step === 0 || i === rows.length - 1)}
          keyOf={({ at }, place) => `${at} ${place}`}
        />
        {step > 1 && <p class="muted">One row in {step}; the file has all.</p>}
      </details>
    </>
  );
}
