/** All runs of the account. */
import { useEffect, useState } from 'preact/hooks';
import { get, query as queryOf, remove } from '../api/client.js';
import type { FunctionSummary, Page, RunSummary } from '../api/types.js';
import { Sparkline } from '../ui/chart.js';
import { number, seconds, shortTime, time } from '../ui/format.js';
import { Confirmed, Header, Pager, Shown, Status } from '../ui/parts.js';
import { goTo, replaceWith } from '../ui/route.js';
import { useLoad } from '../ui/use-load.js';

const LIMIT = 20;
const EVERY_MS = 2_000;
const MOST_COMPARED = 8;
const STATUSES = ['pending', 'running', 'completed', 'failed'] as const;
const SORTS = {
  best_fitness: 'Best value',
  evaluations: 'Evaluations',
  duration_seconds: 'Duration',
  created_at: 'Created',
} as const;
type SortKey = keyof typeof SORTS;

/** `status:failed strategy:cma-es function:func_1 some words` as parameters of the list. */
export function filterOf(text: string): Record<string, string> {
  const names: Readonly<Record<string, string>> = {
    status: 'status',
    strategy: 'strategy',
    function: 'objective_function_id',
  };
  const filter: Record<string, string> = {};
  const words: string[] = [];
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    const [, name = '', value = ''] = /^(\w+):(.+)$/.exec(word) ?? [];
    if (names[name] !== undefined) filter[names[name]] = value;
    else words.push(word);
  }
  return words.length === 0 ? filter : { ...filter, q: words.join(' ') };
}

const isEnded = (run: RunSummary): boolean => run.status === 'completed' || run.status === 'failed';

export function Runs({ query }: { query: URLSearchParams }) {
  const text = query.get('q') ?? '';
  const sort = query.get('sort') ?? '-created_at';
  const offset = Number(query.get('offset') ?? 0);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => show({ q: typed, offset: 0 }), 250);
    return () => clearTimeout(timer);
  }, [typed]);

  const show = (change: Readonly<Record<string, string | number>>): void =>
    replaceWith(
      `#/runs${queryOf({ q: text, sort: sort === '-created_at' ? '' : sort, offset: offset || '', ...change })}`,
    );
  const path = `/v1/optimize${queryOf({ view: 'summary', limit: LIMIT, offset, sort, ...filterOf(text) })}`;
  const runs = useLoad(path, () => get<Page<RunSummary>>(path), EVERY_MS);
  const functions = useLoad('functions', () => get<Page<FunctionSummary>>('/v1/functions?limit=100'));
  const nameOf = (run: RunSummary): string =>
    run.problem_type ??
    functions.data?.data.find(({ id }) => id === run.objective_function_id)?.name ??
    run.objective_function_id ??
    '–';

  const sortBy = (key: SortKey): void => show({ sort: sort === `-${key}` ? key : `-${key}`, offset: 0 });
  const toggle = (id: string): void =>
    setSelected((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const toggleChip = (chip: string): void => {
    const [name] = chip.split(':');
    const others = text.split(/\s+/).filter((word) => word !== '' && !word.startsWith(`${name}:`));
    show({ q: (text.includes(chip) ? others : [...others, chip]).join(' '), offset: 0 });
  };
  const removeSelected = async (): Promise<void> => {
    try {
      for (const id of selected) await remove(`/v1/optimize/${id}`);
    } finally {
      setSelected(new Set());
      runs.reload();
    }
  };
  const head = (key: SortKey, isNumber = true) => (
    <th
      scope="col"
      class={isNumber ? 'number' : ''}
      aria-sort={sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none'}
    >
      <button type="button" class="sort" onClick={() => sortBy(key)}>
        {SORTS[key]}
        <span aria-hidden="true">{sort === key ? ' ↑' : sort === `-${key}` ? ' ↓' : ''}</span>
      </button>
    </th>
  );

  return (
    <>
      <Header title="Runs">
        <a class="button primary" href="#/new">
          New run
        </a>
      </Header>
      <div class="row filters" role="search">
        <input
          type="search"
          aria-label="Filter: words, status:failed, strategy:cma-es, function:func_1"
          placeholder="Words, status:failed, strategy:cma-es …   ( / )"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        {STATUSES.map((status) => (
          <button
            type="button"
            key={status}
            class="chip"
            aria-pressed={text.split(/\s+/).includes(`status:${status}`)}
            onClick={() => toggleChip(`status:${status}`)}
          >
            {status}
          </button>
        ))}
      </div>
      {selected.size > 0 && (
        <div class="row selection" role="status">
          <span>{selected.size} selected</span>
          <button
            type="button"
            disabled={selected.size < 2 || selected.size > MOST_COMPARED}
            onClick={() => goTo(`#/compare?ids=${[...selected].join(',')}`)}
          >
            Compare{selected.size > MOST_COMPARED ? ` (${MOST_COMPARED} at most)` : ''}
          </button>
          <Confirmed
            run={removeSelected}
            question={`${selected.size === 1 ? 'The run' : `${selected.size} runs`}, with history and explanation, will be gone. Analytics keep the sums.`}
            confirm="Delete"
          >
            Delete
          </Confirmed>
          <button type="button" class="quiet" onClick={() => setSelected(new Set())}>
            Clear
          </button>
        </div>
      )}
      <Shown of={runs}>
        {({ data, total }) =>
          total === 0 && text === '' ? (
            <div class="card empty">
              <h2>No runs yet</h2>
              <p>A run searches for the smallest or largest value of a Python function within bounds.</p>
              <div class="row">
                <a class="button primary" href="#/new?example=rosenbrock.py">
                  Try an example
                </a>
                <a class="button" href="#/new">
                  Paste a function
                </a>
              </div>
            </div>
          ) : data.length === 0 ? (
            <p class="muted">No run matches.</p>
          ) : (
            <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
              <table class="runs">
                <caption class="sr">Runs</caption>
                <thead>
                  <tr>
                    <th scope="col">
                      <span class="sr">Select</span>
                    </th>
                    <th scope="col">Objective</th>
                    <th scope="col">Status</th>
                    {head('best_fitness')}
                    {head('evaluations')}
                    <th scope="col">Course</th>
                    <th scope="col">Strategy</th>
                    {head('duration_seconds')}
                    {head('created_at', false)}
                  </tr>
                </thead>
                <tbody>
                  {data.map((run) => (
                    <tr key={run.id}>
                      <td>
                        <input
                          type="checkbox"
                          aria-label={`Select ${run.id}`}
                          checked={selected.has(run.id)}
                          onChange={() => toggle(run.id)}
                        />
                      </td>
                      <td>
                        <a href={`#/runs/${run.id}`} class="name">
                          {nameOf(run)}
                        </a>
                        <small class="muted id" title={run.id}>
                          {run.id}
                        </small>
                      </td>
                      <td>
                        <Status of={run.status} />
                      </td>
                      <td class="number">{number(run.best_fitness)}</td>
                      <td class="number">
                        {number(run.evaluations)}
                        {!isEnded(run) && <small class="muted"> of {number(run.max_evaluations)}</small>}
                      </td>
                      <td>
                        <Sparkline of={run.curve} label="Best value over the evaluations" />
                      </td>
                      <td class="nowrap">{run.strategy_used ?? '–'}</td>
                      <td class="number">{seconds(run.duration_seconds)}</td>
                      <td class="nowrap" title={time(run.created_at)}>
                        {shortTime(run.created_at)}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
      <Pager total={runs.data?.total ?? 0} limit={LIMIT} offset={offset} go={(next) => show({ offset: next })} />
    </>
  );
}
