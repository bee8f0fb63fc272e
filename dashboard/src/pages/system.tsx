/** The state of the service. */
import { get } from '../api/client.js';
import type { Health } from '../api/types.js';
import { bytes, number, seconds } from '../ui/format.js';
import { Card, Facts, Header, Shown, Status, Table } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';

const EVERY_MS = 3_000;

export function System() {
  const health = useLoad('health', () => get<Health>('/v1/health'), EVERY_MS);
  return (
    <>
      <Header title="System">{health.data !== undefined && <Status of={health.data.status} />}</Header>
      <Shown of={health}>
        {({ version, uptime_seconds, store, scheduler, workers, backends, misread }) => (
          <>
            <Card>
              <Facts
                of={[
                  ['Version', version],
                  ['Running for', seconds(uptime_seconds)],
                  [
                    'Database',
                    `${store.kind}${store.latency_seconds === null ? ', does not answer' : `, answers in ${seconds(store.latency_seconds)}`}`,
                  ],
                  ['Workers', `${workers.busy} of ${workers.total} busy`],
                  ['Queue', `${scheduler.queued} waiting, ${scheduler.running} running (${scheduler.kind})`],
                  ['Functions that compiled code misread', number(misread.functions)],
                ]}
              />
            </Card>
            <Card title="Backends">
              <Table
                caption="Backends"
                columns={[
                  { title: 'Name', cell: ({ name }) => name },
                  { title: 'State', cell: ({ available }) => <Status of={available ? 'on' : 'off'} /> },
                  {
                    title: 'Device, or why it is off',
                    cell: ({ device, reason, notice }) => (
                      <span class="prose">
                        {device ?? reason}
                        {notice !== undefined && <small class="muted"> {notice}</small>}
                      </span>
                    ),
                  },
                  {
                    title: 'Evaluations a second',
                    cell: ({ evaluations_per_second }) => number(evaluations_per_second, 3),
                    isNumber: true,
                  },
                  {
                    title: 'Limits of a run',
                    cell: ({ limits }) =>
                      limits === undefined
                        ? '–'
                        : `${bytes(limits.memory_bytes)}, ${seconds(limits.cpu_seconds)} of processor, ${seconds(limits.evaluation_seconds)} an evaluation`,
                  },
                ]}
                rows={backends}
                keyOf={({ name }) => name}
              />
            </Card>
          </>
        )}
      </Shown>
    </>
  );
}
