/** One run: while it goes, and what came of it. */
import { useMemo, useState } from 'preact/hooks';
import { at, file, get, post, remove } from '../api/client.js';
import type { Explanation, FunctionSummary, HistoryPoint, Page, Run, SimilarRun } from '../api/types.js';
import { Chart } from '../ui/chart.js';
import { number, percent, plural, seconds, time } from '../ui/format.js';
import {
  Action,
  Card,
  AxisChoices,
  Choice,
  Confirmed,
  Copy,
  download,
  Facts,
  Field,
  Header,
  keep,
  Shown,
  Status,
  Table,
  Value,
  type HorizontalAxis,
  type VerticalAxis,
} from '../ui/parts.js';
import { goTo } from '../ui/route.js';
import { useLoad } from '../ui/use-load.js';
import { useCourse, type Course } from './course.js';
import { Monitoring } from './monitoring.js';
import { useStrategyNames } from './strategy-names.js';

const EVERY_MS = 2_000;
export const isOver = ({ status }: Pick<Run, 'status'>): boolean => status === 'completed' || status === 'failed';

export function RunPage({ id }: { id: string }) {
  const [isEnded, setEnded] = useState(false);
  const run = useLoad(
    id,
    async () => {
      const record = await get<Run>(`/v1/optimize/${id}`);
      setEnded(isOver(record));
      return record;
    },
    isEnded ? undefined : EVERY_MS,
  );
  const course = useCourse(id, isEnded, run.reload);
  return (
    <Shown of={run}>
      {(record) => (
        <>
          <Header
            title={
              <>
                {record.problem_type ?? <FunctionName id={record.objective_function_id} />}{' '}
                <small class="muted">{record.id}</small>
              </>
            }
          >
            <Status of={record.status} />
            {!isOver(record) && (
              <Action
                kind="danger"
                run={async () => {
                  await post(`/v1/optimize/${id}/cancel`);
                  run.reload();
                }}
              >
                Stop
              </Action>
            )}
            {isOver(record) && (
              <Confirmed
                run={async () => {
                  await remove(`/v1/optimize/${id}`);
                  goTo('#/runs');
                }}
                question="The run, with history and explanation, will be gone. Analytics keep its sums."
                confirm="Delete the run"
              >
                Delete
              </Confirmed>
            )}
          </Header>
          <Result of={record} course={course} />
          <Convergence points={course.points} isSeveral={record.objectives > 1} run={record} />
          <Strategies of={record} course={course} />
          {isOver(record) && <ExplanationCard id={id} own={record.features_active.explanation_level} />}
          {record.preset === 'enterprise' && <Monitoring id={id} isOver={isOver(record)} />}
          <Answer of={record} />
          <Variables of={record} />
          {record.pareto_front !== null && <Front of={record.pareto_front} />}
          {isOver(record) && <Next of={record} />}
          <Pictures of={record} />
          <Request of={record} />
          {isOver(record) && record.objective_function_id !== null && <Similar id={id} />}
        </>
      )}
    </Shown>
  );
}

/** As it was uploaded, where it still is. */
function FunctionName({ id }: { id: string | null }) {
  const path = `/v1/functions/${id ?? ''}`;
  const found = useLoad(path, () => (id === null ? Promise.resolve(null) : get<FunctionSummary>(path)));
  return <>{found.data?.name ?? 'Run'}</>;
}

function Result({ of: run, course }: { of: Run; course: Course }) {
  const last = course.points.at(-1);
  const evaluations = Math.max(run.evaluations, isOver(run) ? 0 : (last?.evaluations ?? 0));
  const best = isOver(run) ? run.best_fitness : (last?.best_fitness ?? run.progress.best_fitness);
  const { optimality, verified } = run;
  return (
    <Card>
      {run.error !== undefined && (
        <p class="notice bad" role="alert">
          {run.error.message}
        </p>
      )}
      <div class="figures" aria-live="off">
        {run.objectives === 1 ? (
          <Figure name="Best value" value={number(best, 8)} />
        ) : (
          <Figure name="Hypervolume" value={number(isOver(run) ? run.hypervolume : last?.hypervolume)} />
        )}
        <Figure name="Evaluations" value={`${number(evaluations)} of ${number(run.max_evaluations)}`} />
        <Figure name="Time" value={seconds(run.duration_seconds ?? last?.elapsed_seconds)} />
        <Figure
          name={isOver(run) ? 'Ended by' : 'Left, at this pace'}
          value={isOver(run) ? (run.termination_reason ?? '–') : seconds(run.progress.eta_seconds)}
        />
      </div>
      {!isOver(run) && (
        <progress max={run.max_evaluations} value={evaluations} aria-label="Share of the budget that is used" />
      )}
      <Facts
        of={[
          ...(optimality === null
            ? []
            : ([
                [
                  'Certificate',
                  `${optimality.status}${optimality.bound === null ? '' : `; bound ${number(optimality.bound, 8)}`}${
                    optimality.gap === null ? '' : `, gap ${number(optimality.gap, 3)}`
                  }${optimality.proof === null ? '' : `: ${optimality.proof}`}`,
                ],
              ] as const)),
          ...(run.backend === null
            ? []
            : ([
                [
                  'Evaluated by',
                  `${run.backend.name} on ${run.backend.device}${
                    run.backend.evaluations_per_second === null
                      ? ''
                      : `, ${number(run.backend.evaluations_per_second, 3)} a second`
                  }: ${run.backend.reason}`,
                ],
              ] as const)),
          ...(verified === null || run.domain !== null
            ? []
            : ([
                [
                  'Confirmed by CPython',
                  verified.by === null
                    ? `no: ${verified.message ?? reasonOf(verified)}`
                    : `${plural(verified.points, 'value')}${verified.reason === undefined ? '' : `, not all that were chosen: ${reasonOf(verified)}`}`,
                ],
              ] as const)),
          ...(run.failed_evaluations === 0 ? [] : ([['Failed evaluations', number(run.failed_evaluations)]] as const)),
          ['Created', time(run.created_at)],
        ]}
      />
      {run.evaluation_errors.length > 0 && (
        <Table
          caption="First failed evaluations"
          columns={[
            { title: 'Line', cell: ({ line }) => line, isNumber: true },
            { title: 'Error', cell: ({ type, message }) => `${type}: ${message}` },
          ]}
          rows={run.evaluation_errors}
          keyOf={(_error, place) => String(place)}
        />
      )}
    </Card>
  );
}

const reasonOf = ({ reason }: NonNullable<Run['verified']>): string => (reason ?? 'unknown').replaceAll('_', ' ');

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div class="figure">
    <span class="muted">{name}</span>
    <strong>{value}</strong>
  </div>
);

function Convergence({ points, isSeveral, run }: { points: readonly HistoryPoint[]; isSeveral: boolean; run: Run }) {
  const [axis, setAxis] = useState<HorizontalAxis>('evaluations');
  const [chosen, setScale] = useState<VerticalAxis | null>(null);
  const valueOf = (point: HistoryPoint): number | null =>
    isSeveral ? (point.hypervolume ?? null) : point.best_fitness;
  const lines = useMemo(
    () => [
      {
        name: isSeveral ? 'Hypervolume' : 'Best value',
        xs: points.map(({ evaluations, elapsed_seconds }) => (axis === 'time' ? elapsed_seconds : evaluations)),
        ys: points.map(valueOf),
      },
    ],
    [points, axis, isSeveral],
  );
  const scale = chosen ?? (spansDecades(lines[0].ys) ? 'log' : 'linear');
  const hidden = scale === 'log' ? points.filter((point) => (valueOf(point) ?? 1) <= 0).length : 0;
  const csv = (): string =>
    [
      'evaluations,elapsed_seconds,value',
      ...points.map((p) => [p.evaluations, p.elapsed_seconds, valueOf(p) ?? ''].join(',')),
    ].join('\n') + '\n';
  return (
    <Card
      title="Convergence"
      actions={<AxisChoices horizontal={axis} vertical={scale} chooseHorizontal={setAxis} chooseVertical={setScale} />}
    >
      {points.length === 0 ? (
        <p class="muted">{isOver(run) ? 'There is no history.' : 'Waiting for the first value …'}</p>
      ) : (
        <>
          <Chart
            lines={lines}
            xLabel={axis === 'time' ? 'seconds' : 'evaluations'}
            yLabel={isSeveral ? 'hypervolume' : 'best value'}
            isLog={scale === 'log'}
          />
          {hidden > 0 && (
            <p class="muted">{plural(hidden, 'value')} of zero or below cannot be drawn on a logarithmic axis.</p>
          )}
          <details>
            <summary>As a table ({plural(points.length, 'point')})</summary>
            <div class="row">
              <button type="button" class="quiet" onClick={() => download(`${run.id}-history.csv`, 'text/csv', csv())}>
                Download CSV
              </button>
            </div>
            <Table
              caption="Convergence"
              columns={[
                { title: 'Evaluations', cell: (point) => number(point.evaluations), isNumber: true },
                { title: 'Seconds', cell: (point) => number(point.elapsed_seconds, 4), isNumber: true },
                {
                  title: isSeveral ? 'Hypervolume' : 'Best value',
                  cell: (point) => number(valueOf(point), 10),
                  isNumber: true,
                },
              ]}
              rows={
                points.length > 200
                  ? points.filter((_point, i) => i % Math.ceil(points.length / 200) === 0 || i === points.length - 1)
                  : points
              }
              keyOf={(point) => `${point.evaluations} ${point.elapsed_seconds}`}
            />
            {points.length > 200 && <p class="muted">About 200 of the points; the file has all.</p>}
          </details>
        </>
      )}
    </Card>
  );
}

/** Whether what happens late would lie on the axis. */
function spansDecades(values: readonly (number | null)[]): boolean {
  const known = values.filter((value) => value !== null);
  return known.length > 1 && known.every((value) => value > 0) && known[0] > 1_000 * known[known.length - 1];
}

function Strategies({ of: run, course }: { of: Run; course: Course }) {
  const changes = course.happenings.filter(({ type }) => type === 'strategy.changed' || type === 'backend.changed');
  if (run.strategies.length === 0 && changes.length === 0) return null;
  const total = Math.max(1, run.strategies.at(-1)?.to_evaluation ?? run.evaluations);
  const names = [...new Set(run.strategies.map(({ name }) => name))];
  return (
    <Card title="Strategies">
      {run.strategies.length > 0 && (
        <>
          <div class="timeline" aria-hidden="true">
            {run.strategies.map(({ name, from_evaluation, to_evaluation }, i) => (
              <span
                key={i}
                class={`line-${(names.indexOf(name) % 8) + 1}`}
                style={{ flexGrow: Math.max(to_evaluation - from_evaluation, total / 200) }}
                title={`${name}: ${from_evaluation}–${to_evaluation}`}
              >
                {(to_evaluation - from_evaluation) / total > 0.12 ? name : ''}
              </span>
            ))}
          </div>
          <Table
            caption="Strategies in the order of the run"
            columns={[
              { title: 'Strategy', cell: ({ name }) => name },
              { title: 'From', cell: (span) => number(span.from_evaluation), isNumber: true },
              { title: 'To', cell: (span) => number(span.to_evaluation), isNumber: true },
              {
                title: 'Share',
                cell: (span) => percent((span.to_evaluation - span.from_evaluation) / total),
                isNumber: true,
              },
              { title: 'Best value', cell: (span) => number(span.best_fitness), isNumber: true },
              { title: 'Why', cell: ({ reason }) => <span class="prose">{reason}</span> },
            ]}
            rows={run.strategies}
            keyOf={(_span, place) => String(place)}
          />
        </>
      )}
      {changes.length > 0 && run.strategies.length === 0 && (
        <Table
          caption="Changes while it runs"
          columns={[
            { title: 'When', cell: ({ at }) => time(at) },
            {
              title: 'What',
              cell: ({ type, data }) =>
                type === 'backend.changed' ? 'goes on in CPython' : `${String(data['from'])} → ${String(data['to'])}`,
            },
            { title: 'Why', cell: ({ data }) => <span class="prose">{String(data['reason'] ?? '')}</span> },
          ]}
          rows={changes}
          keyOf={({ id }) => id}
        />
      )}
    </Card>
  );
}

const LEVELS = ['0', '1', '2', '3', '4', '5'] as const;

function ExplanationCard({ id, own }: { id: string; own: number }) {
  const [level, setLevel] = useState<(typeof LEVELS)[number]>(LEVELS[Math.max(1, Math.min(5, own))]);
  const path = `/v1/optimize/${id}/explanation?level=${level}`;
  const explanation = useLoad(path, () => get<Explanation>(path));
  return (
    <Card
      title="Explanation"
      actions={
        <>
          <Choice label="Level" value={level} among={LEVELS.map((one) => [one, one] as const)} choose={setLevel} />
          <a class="button quiet" href={at(`${path}&format=pdf`)} download>
            PDF
          </a>
        </>
      }
    >
      <Shown of={explanation}>
        {({ statements, notes }) => (
          <>
            {statements.length === 0 && <p class="muted">Level {level} says nothing.</p>}
            <ul class="statements">
              {statements.map(({ topic, text, evidence }, i) => (
                <li key={i}>
                  <span class="topic">{topic.replaceAll('_', ' ')}</span>
                  <p>{text}</p>
                  {Object.keys(evidence).length > 0 && (
                    <details>
                      <summary>Evidence</summary>
                      <Facts
                        of={Object.entries(evidence).map(([name, value]) => [
                          name,
                          value === null ? 'not finite' : String(value),
                        ])}
                      />
                    </details>
                  )}
                </li>
              ))}
            </ul>
            {notes.map((note) => (
              <p class="muted" key={note}>
                {note}
              </p>
            ))}
          </>
        )}
      </Shown>
    </Card>
  );
}

function Answer({ of: run }: { of: Run }) {
  if (run.result === null) return null;
  return (
    <Card title="Answer">
      {run.warnings?.map(({ code, message }) => (
        <p class="notice warn" key={code + message}>
          {message}
        </p>
      ))}
      <Value of={run.result} />
      {run.constraints !== null && run.constraints.length > 0 && (
        <>
          <h3>Limits</h3>
          <Table
            caption="Limits"
            columns={[
              { title: 'Limit', cell: ({ name }) => name },
              { title: 'Value', cell: ({ value }) => number(value), isNumber: true },
              { title: 'At most', cell: ({ limit }) => number(limit), isNumber: true },
              { title: 'Slack', cell: ({ slack }) => number(slack), isNumber: true },
              { title: 'Binding', cell: ({ binding }) => (binding ? 'yes' : 'no') },
              { title: 'Price of one unit', cell: (limit) => number(limit.shadow_price), isNumber: true },
            ]}
            rows={run.constraints}
            keyOf={({ name }, place) => `${name} ${place}`}
          />
        </>
      )}
      {run.assumptions !== null && run.assumptions.length > 0 && (
        <details>
          <summary>{plural(run.assumptions.length, 'assumption')}</summary>
          <ul>
            {run.assumptions.map(({ message }, i) => (
              <li key={i}>{message}</li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

const SHOWN_VARIABLES = 200;

function Variables({ of: run }: { of: Run }) {
  const { best_solution: solution, bounds, decision_variables: names } = run;
  if (solution === null) return null;
  const nameOf = (i: number): string => names?.[i] ?? `x[${i}]`;
  const csv = (): string =>
    [
      'variable,value,min,max',
      ...solution.map((value, i) =>
        [`"${nameOf(i).replaceAll('"', '""')}"`, value, bounds?.[i][0] ?? '', bounds?.[i][1] ?? ''].join(','),
      ),
    ].join('\n') + '\n';
  const binding = (i: number): string => {
    const [low, high] = bounds?.[i] ?? [NaN, NaN];
    return solution[i] === low ? 'at the lower bound' : solution[i] === high ? 'at the upper bound' : '';
  };
  return (
    <Card
      title={`Variables (${solution.length})`}
      actions={
        <>
          <Copy text={() => JSON.stringify(solution)}>Copy JSON</Copy>
          <Copy text={csv}>Copy CSV</Copy>
          <Copy text={() => `x = [${solution.join(', ')}]\n`}>Copy Python</Copy>
        </>
      }
    >
      <Table
        caption="Variables of the best solution"
        columns={[
          { title: 'Variable', cell: (i) => <code>{nameOf(i)}</code> },
          { title: 'Value', cell: (i) => number(solution[i], 12), isNumber: true },
          { title: 'Min', cell: (i) => number(bounds?.[i][0]), isNumber: true },
          { title: 'Max', cell: (i) => number(bounds?.[i][1]), isNumber: true },
          { title: 'Bound', cell: binding },
        ]}
        rows={solution.slice(0, SHOWN_VARIABLES).map((_value, i) => i)}
        keyOf={(i) => String(i)}
      />
      {solution.length > SHOWN_VARIABLES && <p class="muted">The first {SHOWN_VARIABLES}; a copy has all.</p>}
    </Card>
  );
}

export function Front({ of: front }: { of: NonNullable<Run['pareto_front']> }) {
  const lines = useMemo(() => {
    const sorted = [...front].sort((a, b) => a.values[0] - b.values[0]);
    const [xs, ys] = [0, 1].map((k) => sorted.map(({ values }) => values[k]));
    return [{ name: 'Front', xs, ys, isDotted: true }];
  }, [front]);
  const count = front[0]?.values.length ?? 0;
  return (
    <Card title={`Pareto front (${plural(front.length, 'point')})`}>
      {count >= 2 && <Chart lines={lines} xLabel="objective 1" yLabel="objective 2" />}
      <Table
        caption="Points of the front"
        columns={[
          ...Array.from({ length: count }, (_none, i) => ({
            title: `Objective ${i + 1}`,
            cell: (point: (typeof front)[number]) => number(point.values[i]),
            isNumber: true,
          })),
          { title: 'Solution', cell: ({ solution }) => solution.map((value) => number(value, 4)).join(', ') },
        ]}
        rows={front.slice(0, 100)}
        keyOf={(_point, place) => String(place)}
      />
      {front.length > 100 && <p class="muted">The first 100 points.</p>}
    </Card>
  );
}

function Next({ of: run }: { of: Run }) {
  const names = useStrategyNames();
  const [strategy, setStrategy] = useState('');
  const [budget, setBudget] = useState(run.max_evaluations * 2);
  const begin = async (path: string, body: object): Promise<void> => {
    const made = await post<Run>(`/v1/optimize/${run.id}/${path}`, body, { Prefer: 'respond-async' });
    goTo(`#/runs/${made.id}`);
  };
  return (
    <Card title="Go on from here">
      <div class="columns">
        <div>
          <Field label="Replay with another strategy" hint="Same objective, seed and budget.">
            <select value={strategy} onChange={(event) => setStrategy(event.currentTarget.value)}>
              <option value="">Choose …</option>
              {(run.domain === null ? names : [run.strategy_used ?? '']).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </Field>
          <Action disabled={strategy === ''} run={() => begin('replay', { strategy })}>
            Replay
          </Action>
        </div>
        {run.termination_reason === 'budget' && (
          <div>
            <Field label="Extend to evaluations">
              <input
                type="number"
                min={run.evaluations + 1}
                value={budget}
                onInput={(event) => setBudget(event.currentTarget.valueAsNumber)}
              />
            </Field>
            <Action disabled={!(budget > run.evaluations)} run={() => begin('extend', { max_evaluations: budget })}>
              Extend
            </Action>
          </div>
        )}
        <div>
          <span class="label">Downloads</span>
          <div class="row">
            <button
              type="button"
              onClick={() => download(`${run.id}.json`, 'application/json', JSON.stringify(run, null, 2))}
            >
              Record (JSON)
            </button>
            <a class="button" href={at(`/v1/optimize/${run.id}/explanation?format=pdf`)} download>
              Report (PDF)
            </a>
            <a
              class="button"
              href={at(`/v1/optimize/${run.id}/visuals/convergence`)}
              download={`${run.id}-convergence.svg`}
            >
              Curve (SVG)
            </a>
          </div>
        </div>
      </div>
      {(run.replay_of !== null || run.extension_of !== null) && (
        <p>
          {run.replay_of !== null ? 'Replay of ' : 'Extension of '}
          <a href={`#/runs/${run.replay_of ?? run.extension_of}`}>{run.replay_of ?? run.extension_of}</a>
          {run.comparison !== null &&
            ` – ${run.comparison.better ? 'better' : 'not better'} by ${number(run.comparison.best_fitness_difference)}${
              run.comparison.evaluations_to_match === null
                ? ''
                : `; as good after ${plural(run.comparison.evaluations_to_match, 'evaluation')}`
            }`}
        </p>
      )}
    </Card>
  );
}

const PICTURES: Readonly<Record<string, string>> = {
  convergence: 'Convergence',
  pareto: 'Pareto front',
  strategies: 'Strategies over the evaluations',
  importance: 'Importance of the variables',
  slice: 'Slices through the best point',
  contour: 'Contour around the best point',
  parallel: 'Parallel coordinates',
};

function Pictures({ of: run }: { of: Run }) {
  const { visuals, id } = run;
  if (visuals.length === 0) {
    if (!isOver(run) || run.intelligence_config.use_visual_intelligence) return null;
    return (
      <Card title="Pictures">
        <p class="muted">
          None were asked for: the presets <code>enterprise</code> and <code>research</code> make them, and{' '}
          <code>use_visual_intelligence</code> does.
        </p>
      </Card>
    );
  }
  return (
    <Card title="Pictures">
      <div class="pictures">
        {visuals.map(({ kind, url }) => (
          <figure key={kind}>
            <img src={url} alt={`${PICTURES[kind] ?? kind} of ${id}`} loading="lazy" />
            <figcaption>
              {PICTURES[kind] ?? kind.replaceAll('_', ' ')}{' '}
              <a href={url} download={`${id}-${kind}.svg`}>
                SVG
              </a>{' '}
              <Action
                kind="quiet"
                run={async () =>
                  keep(`${id}-${kind}.png`, await file(`/v1/optimize/${id}/visuals/${kind}`, 'image/png'))
                }
              >
                PNG
              </Action>
            </figcaption>
          </figure>
        ))}
      </div>
    </Card>
  );
}

function Request({ of: run }: { of: Run }) {
  return (
    <Card title="Request">
      <Facts
        of={[
          ['Function', run.objective_function_id ?? '–'],
          ['Direction', run.direction],
          ['Mode', run.mode],
          ['Preset', run.preset],
          ['Seed', String(run.seed)],
          ['Mathematics', run.math],
          ['Learned version', String(run.learned.version)],
          ['Metadata', JSON.stringify(run.metadata)],
        ]}
      />
      {run.analysis !== null && run.analysis.findings.length > 0 && (
        <>
          <h3>Read in the program</h3>
          <ul>
            {run.analysis.findings.map(({ text }, i) => (
              <li key={i}>{text}</li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

function Similar({ id }: { id: string }) {
  const similar = useLoad(id, () => get<Page<SimilarRun>>(`/v1/learning/similar/${id}?limit=5`));
  if (similar.data === undefined || similar.data.data.length === 0) return null;
  return (
    <Card title="Similar runs">
      <Table
        caption="Similar runs"
        columns={[
          { title: 'Run', cell: (run) => <a href={`#/runs/${run.optimization_id}`}>{run.optimization_id}</a> },
          { title: 'Distance', cell: ({ distance }) => number(distance, 3), isNumber: true },
          { title: 'Strategy', cell: ({ strategy_used }) => strategy_used },
          { title: 'Best value', cell: ({ best_fitness }) => number(best_fitness), isNumber: true },
        ]}
        rows={similar.data.data}
        keyOf={({ optimization_id }) => optimization_id}
      />
    </Card>
  );
}
