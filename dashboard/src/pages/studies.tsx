/** Objectives that the client evaluates itself. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { get, query, remove, SERVICE } from '../api/client.js';
import type { Page, Study, StudyBest, StudyPoint } from '../api/types.js';
import { Chart } from '../ui/chart.js';
import { number, plural, time } from '../ui/format.js';
import { Card, Choice, Code, Confirmed, Copy, Facts, Header, Pager, Shown, Status, Table } from '../ui/parts.js';
import { goTo } from '../ui/route.js';
import { useLoad } from '../ui/use-load.js';
import { Front } from './run.js';

const LIMIT = 20;
const EVERY_MS = 3_000;
/** Variables of a point in its row. */
const MOST_SHOWN = 6;
const PAGE = 100;
/** Points in the drawing, the latest. */
const MOST_DRAWN = 1_000;

export function Studies() {
  const [offset, setOffset] = useState(0);
  const path = `/v1/studies${query({ limit: LIMIT, offset })}`;
  const studies = useLoad(path, () => get<Page<Study>>(path), EVERY_MS);
  return (
    <>
      <Header title="Studies" />
      <Card>
        <Shown of={studies}>
          {({ data, total }) => (
            <>
              <Table
                caption="Studies"
                columns={[
                  { title: 'Study', cell: ({ id }) => <a href={`#/studies/${id}`}>{id}</a> },
                  { title: 'Status', cell: ({ status }) => <Status of={status} /> },
                  { title: 'Best value', cell: ({ best_fitness }) => number(best_fitness), isNumber: true },
                  {
                    title: 'Evaluations',
                    cell: ({ evaluations, max_evaluations }) => `${number(evaluations)} of ${number(max_evaluations)}`,
                    isNumber: true,
                  },
                  { title: 'Open', cell: ({ open }) => number(open), isNumber: true },
                  { title: 'Strategy', cell: ({ strategy }) => strategy },
                  { title: 'Last change', cell: ({ updated_at }) => time(updated_at) },
                ]}
                rows={data}
                keyOf={({ id }) => id}
                empty="No study yet. In a study your own program evaluates: it asks for candidates and tells their values."
              />
              <Pager total={total} limit={LIMIT} offset={offset} go={setOffset} />
            </>
          )}
        </Shown>
      </Card>
      <Card title="Begin one">
        <Code
          label="A study with curl"
          text={`curl -s ${SERVICE}/v1/studies -H "Authorization: Bearer $EXTREMUM_API_KEY" -H 'Content-Type: application/json' \\\n  -d '{"bounds": [[-5, 5], [-5, 5]], "max_evaluations": 200}'\n`}
        />
      </Card>
    </>
  );
}

/** What was asked and told, the latest first. */
function Points({ id, directions, status }: Pick<Study, 'id' | 'directions' | 'status'>) {
  const [offset, setOffset] = useState(0);
  const path = `/v1/studies/${id}/points${query({ limit: LIMIT, offset })}`;
  const every = status === 'running' ? EVERY_MS : undefined;
  const points = useLoad(path, () => get<Page<StudyPoint>>(path), every);
  const shown = (numbers: readonly number[]): string =>
    numbers
      .slice(0, MOST_SHOWN)
      .map((value) => number(value))
      .join(', ') + (numbers.length > MOST_SHOWN ? `, ... (${numbers.length})` : '');
  return (
    <Card title="Points, the latest first">
      <Shown of={points}>
        {({ data, total }) => (
          <>
            <Table
              caption="Points of the study"
              columns={[
                { title: 'Point', cell: (point) => <code>{point.id}</code> },
                { title: 'Status', cell: ({ status, asked }) => `${status}${asked ? '' : ', not asked for'}` },
                ...directions.map((direction, k) => ({
                  title: directions.length === 1 ? 'Value' : `Value ${k + 1} (${direction})`,
                  cell: ({ values }: StudyPoint) => number(values?.[k]),
                  isNumber: true,
                })),
                { title: 'Solution', cell: ({ solution }) => shown(solution) },
                {
                  title: '',
                  cell: (point) => <Copy text={() => JSON.stringify(point)}>Copy JSON</Copy>,
                },
              ]}
              rows={data}
              keyOf={(point) => point.id}
              empty="No point was asked for or told yet."
            />
            <Pager total={total} limit={LIMIT} offset={offset} go={setOffset} />
          </>
        )}
      </Shown>
    </Card>
  );
}

/** A point with its place among all of them, from 1. */
type Placed = StudyPoint & { readonly place: number };

/** The latest points, the earliest first. */
async function latestPoints(id: string): Promise<readonly Placed[]> {
  const found: Placed[] = [];
  for (let offset = 0; offset < MOST_DRAWN; offset += PAGE) {
    const { data, total } = await get<Page<StudyPoint>>(`/v1/studies/${id}/points${query({ limit: PAGE, offset })}`);
    found.push(...data.map((point, i) => ({ ...point, place: total - offset - i })));
    if (offset + PAGE >= total) break;
  }
  return found.sort((a, b) => a.place - b.place);
}

/** The value of each point, and with one objective the best so far. */
function CourseOf({ study, points }: { study: Pick<Study, 'directions'>; points: readonly Placed[] }) {
  const [scale, setScale] = useState<'linear' | 'log'>('linear');
  const { directions } = study;
  const lines = useMemo(() => {
    const xs = points.map(({ place }) => place);
    const dots = directions.map((direction, k) => ({
      name: directions.length === 1 ? 'Value' : `Objective ${k + 1} (${direction})`,
      xs,
      ys: points.map(({ values }) => values?.[k] ?? null),
      isDotted: true,
    }));
    if (directions.length > 1 || points[0].place > 1) return dots;
    const better = directions[0] === 'maximize' ? Math.max : Math.min;
    let best: number | null = null;
    const bests = dots[0].ys.map(
      (value) => (best = value === null ? best : best === null ? value : better(best, value)),
    );
    return [...dots, { name: 'Best so far', xs, ys: bests }];
  }, [points, directions.join()]);
  const values = lines.flatMap(({ ys }) => ys.filter((value) => value !== null));
  const hidden = scale === 'log' ? points.filter((point) => point.values?.some((value) => value <= 0)).length : 0;
  return (
    <Card
      title="Values"
      actions={
        <Choice
          label="Vertical axis"
          value={scale}
          among={[
            ['linear', 'Linear'],
            ['log', 'Log'],
          ]}
          choose={setScale}
        />
      }
    >
      {values.length === 0 ? (
        <p class="muted">No result yet.</p>
      ) : (
        <Chart lines={lines} xLabel="point" yLabel="value" isLog={scale === 'log'} />
      )}
      {points[0].place > 1 && <p class="muted">The latest {number(MOST_DRAWN)} points.</p>}
      {hidden > 0 && (
        <p class="muted">
          {plural(hidden, 'point')} with a value of zero or below cannot be drawn on a logarithmic axis.
        </p>
      )}
    </Card>
  );
}

function Course({ of: study }: { of: Study }) {
  const { data: points, reload } = useLoad(`${study.id} course`, () => latestPoints(study.id));
  useEffect(() => {
    if (points !== undefined) reload();
  }, [study.updated_at]);
  return points === undefined || points.length === 0 ? null : <CourseOf study={study} points={points} />;
}

export function StudyPage({ id }: { id: string }) {
  const study = useLoad(id, () => get<Study>(`/v1/studies/${id}`), EVERY_MS);
  const best = useLoad(`${id} best`, () => get<StudyBest>(`/v1/studies/${id}/best`), EVERY_MS);
  return (
    <Shown of={study}>
      {(found) => (
        <>
          <Header title={found.id}>
            <Status of={found.status} />
            <Confirmed
              run={async () => {
                await remove(`/v1/studies/${id}`);
                goTo('#/studies');
              }}
              question="The study and all of its results will be gone."
              confirm="Delete the study"
            >
              Delete
            </Confirmed>
          </Header>
          <Card>
            <Facts
              of={[
                ['Results told', `${number(found.evaluations)} of ${number(found.max_evaluations)}`],
                ['Of these failed', number(found.failed_evaluations)],
                ['Candidates asked, not told yet', number(found.open)],
                ['Strategy', found.strategy],
                ['Directions', found.directions.join(', ')],
                ['Seed', String(found.seed)],
                ['Metadata', JSON.stringify(found.metadata)],
                ['Created', time(found.created_at)],
                ['Last change', time(found.updated_at)],
              ]}
            />
            <progress
              max={found.max_evaluations}
              value={found.evaluations}
              aria-label="Share of the budget that is used"
            />
          </Card>
          <Shown of={best}>
            {({ best_solution, best_fitness, pareto_front }) =>
              pareto_front !== undefined ? (
                <Front of={pareto_front} />
              ) : (
                <Card
                  title={`Best value: ${number(best_fitness, 10)}`}
                  actions={
                    (best_solution ?? null) !== null && (
                      <Copy text={() => JSON.stringify(best_solution)}>Copy JSON</Copy>
                    )
                  }
                >
                  <Table
                    caption="Variables of the best solution"
                    columns={[
                      { title: 'Variable', cell: (i) => <code>x[{i}]</code> },
                      { title: 'Value', cell: (i) => number(best_solution?.[i], 12), isNumber: true },
                      { title: 'Min', cell: (i) => number(found.bounds[i][0]), isNumber: true },
                      { title: 'Max', cell: (i) => number(found.bounds[i][1]), isNumber: true },
                    ]}
                    rows={(best_solution ?? []).slice(0, 200).map((_value, i) => i)}
                    keyOf={(i) => String(i)}
                    empty="No result yet."
                  />
                </Card>
              )
            }
          </Shown>
          <Course of={found} />
          <Points id={id} directions={found.directions} status={found.status} />
        </>
      )}
    </Shown>
  );
}
