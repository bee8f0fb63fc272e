/** Runs that were asked for together. */
import { useState } from 'preact/hooks';
import { get, post, query } from '../api/client.js';
import type { Batch, Page } from '../api/types.js';
import { number, time } from '../ui/format.js';
import { Action, Card, Facts, Header, Pager, Shown, Status, Table } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';

const LIMIT = 20;
const EVERY_MS = 3_000;
const SHOWN_RUNS = 100;

const isOver = ({ status }: Batch): boolean => status === 'completed' || status === 'failed';

export function Batches() {
  const [offset, setOffset] = useState(0);
  const path = `/v1/batch${query({ limit: LIMIT, offset })}`;
  const batches = useLoad(path, () => get<Page<Batch>>(path), EVERY_MS);
  return (
    <>
      <Header title="Batches" />
      <Card>
        <Shown of={batches}>
          {({ data, total }) => (
            <>
              <Table
                caption="Batches"
                columns={[
                  { title: 'Batch', cell: ({ id }) => <a href={`#/batches/${id}`}>{id}</a> },
                  { title: 'Status', cell: ({ status }) => <Status of={status} /> },
                  { title: 'Runs', cell: (batch) => number(batch.total), isNumber: true },
                  { title: 'Completed', cell: ({ completed }) => number(completed), isNumber: true },
                  { title: 'Failed', cell: ({ failed }) => number(failed), isNumber: true },
                  { title: 'Created', cell: ({ created_at }) => time(created_at) },
                  { title: 'Ended', cell: ({ completed_at }) => time(completed_at) },
                ]}
                rows={data}
                keyOf={({ id }) => id}
                empty="No batch yet. POST /v1/batch starts up to 1,000 runs together."
              />
              <Pager total={total} limit={LIMIT} offset={offset} go={setOffset} />
            </>
          )}
        </Shown>
      </Card>
    </>
  );
}

export function BatchPage({ id }: { id: string }) {
  const batch = useLoad(id, () => get<Batch>(`/v1/batch/${id}`), EVERY_MS);
  return (
    <Shown of={batch}>
      {(found) => (
        <>
          <Header title={found.id}>
            <Status of={found.status} />
            {!isOver(found) && (
              <Action
                kind="danger"
                run={async () => {
                  await post(`/v1/batch/${id}/cancel`);
                  batch.reload();
                }}
              >
                Stop all
              </Action>
            )}
          </Header>
          <Card>
            <Facts
              of={[
                ['Runs', number(found.total)],
                ['Completed', number(found.completed)],
                ['Failed', number(found.failed)],
                ['Deleted', number(found.deleted)],
                ['Created', time(found.created_at)],
                ['Ended', time(found.completed_at)],
              ]}
            />
            <progress max={found.total} value={found.completed + found.failed} aria-label="Runs that have ended" />
          </Card>
          <Card title="Runs">
            <Table
              caption="Runs of the batch"
              columns={[
                { title: 'Request', cell: ({ place }) => place, isNumber: true },
                {
                  title: 'Run',
                  cell: ({ run }) =>
                    found.deleted_optimization_ids.includes(run) ? (
                      `${run} (deleted)`
                    ) : (
                      <a href={`#/runs/${run}`}>{run}</a>
                    ),
                },
              ]}
              rows={found.optimization_ids.slice(0, SHOWN_RUNS).map((run, place) => ({ run, place }))}
              keyOf={({ run }) => run}
            />
            {found.total > SHOWN_RUNS && <p class="muted">The first {SHOWN_RUNS}.</p>}
          </Card>
        </>
      )}
    </Shown>
  );
}
