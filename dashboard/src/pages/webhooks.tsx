/** Webhooks, and what became of their deliveries. */
import { useState } from 'preact/hooks';
import { get, patch, post, query, remove } from '../api/client.js';
import type { Delivery, IssuedWebhook, Page, Webhook } from '../api/types.js';
import { plural, seconds, time } from '../ui/format.js';
import {
  Action,
  Card,
  Choice,
  Code,
  Confirmed,
  Facts,
  Field,
  Header,
  Pager,
  Secret,
  Shown,
  Status,
  Table,
} from '../ui/parts.js';
import { goTo } from '../ui/route.js';
import { useLoad } from '../ui/use-load.js';

const LIMIT = 20;
const EVERY_MS = 3_000;
const STATES = ['all', 'failed', 'pending', 'delivering', 'succeeded', 'cancelled'] as const;
const EVENTS: readonly Webhook['events'][number][] = [
  ...(['optimization.started', 'optimization.completed', 'optimization.failed', 'optimization.cancelled'] as const),
  ...(['optimization.stagnated', 'optimization.timeout', 'strategy.changed', 'context.updated'] as const),
];

function StateOf({ of: { active, disabled, failing_since } }: { of: Webhook }) {
  if (disabled !== null) return <Status of={`disabled (${disabled.reason})`} />;
  if (!active) return <Status of="off" />;
  return failing_since === null ? <Status of="on" /> : <Status of="failing" />;
}

export function Webhooks() {
  const [offset, setOffset] = useState(0);
  const path = `/v1/webhooks${query({ limit: LIMIT, offset })}`;
  const webhooks = useLoad(path, () => get<Page<Webhook>>(path));
  const [issued, setIssued] = useState<IssuedWebhook | null>(null);
  return (
    <>
      <Header title="Webhooks" />
      {issued?.secret !== undefined && (
        <Secret
          title="Secret of the webhook"
          text={issued.secret}
          close={() => {
            setIssued(null);
            goTo(`#/webhooks/${issued.id}`);
          }}
        />
      )}
      <NewWebhook issue={setIssued} />
      <Card title="Webhooks">
        <Shown of={webhooks}>
          {({ data, total }) => (
            <>
              <Table
                caption="Webhooks"
                columns={[
                  {
                    title: 'URL',
                    cell: ({ id, url }) => (
                      <a href={`#/webhooks/${id}`} class="break">
                        {url}
                      </a>
                    ),
                  },
                  { title: 'State', cell: (webhook) => <StateOf of={webhook} /> },
                  { title: 'Events', cell: ({ events }) => (events.includes('*') ? 'all' : events.join(', ')) },
                  { title: 'Signed', cell: ({ signed }) => (signed ? 'yes' : 'no') },
                  { title: 'Created', cell: ({ created_at }) => time(created_at) },
                ]}
                rows={data}
                keyOf={({ id }) => id}
                empty="No webhook yet: the service can tell an address of yours when a run ends."
              />
              <Pager total={total} limit={LIMIT} offset={offset} go={setOffset} />
            </>
          )}
        </Shown>
      </Card>
    </>
  );
}

function NewWebhook({ issue }: { issue: (webhook: IssuedWebhook) => void }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<ReadonlySet<Webhook['events'][number]>>(new Set());
  const toggle = (event: Webhook['events'][number]): void => {
    const after = new Set(events);
    if (!after.delete(event)) after.add(event);
    setEvents(after);
  };
  return (
    <Card title="New webhook">
      <Field label="URL" hint="https, at a public address">
        <input
          type="url"
          value={url}
          placeholder="https://example.com/hook"
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </Field>
      <fieldset>
        <legend>Events (none: all)</legend>
        <div class="checks">
          {EVENTS.map((event) => (
            <label key={event} class="check">
              <input type="checkbox" checked={events.has(event)} onChange={() => toggle(event)} /> {event}
            </label>
          ))}
        </div>
      </fieldset>
      <Action
        kind="primary"
        disabled={url === ''}
        run={async () => {
          issue(await post<IssuedWebhook>('/v1/webhooks', { url, events: events.size === 0 ? ['*'] : [...events] }));
          setUrl('');
        }}
      >
        Create
      </Action>
    </Card>
  );
}

export function WebhookPage({ id }: { id: string }) {
  const [state, setState] = useState<(typeof STATES)[number]>('all');
  const [offset, setOffset] = useState(0);
  const [secret, setSecret] = useState<string | null>(null);
  const webhook = useLoad(id, () => get<Webhook>(`/v1/webhooks/${id}`), EVERY_MS);
  const path = `/v1/webhooks/${id}/deliveries${query({ limit: LIMIT, offset, state: state === 'all' ? '' : state })}`;
  const deliveries = useLoad(path, () => get<Page<Delivery>>(path), EVERY_MS);
  return (
    <Shown of={webhook}>
      {(hook) => (
        <>
          <Header title={<span class="break">{hook.url}</span>}>
            <StateOf of={hook} />
            <Action
              run={async () => {
                await post(`/v1/webhooks/${id}/test`);
                deliveries.reload();
              }}
            >
              Send a test
            </Action>
            <Action
              run={async () => {
                await patch(`/v1/webhooks/${id}`, { active: !hook.active });
                webhook.reload();
              }}
            >
              {hook.active ? 'Switch off' : 'Switch on'}
            </Action>
            <Confirmed
              run={async () => {
                setSecret(
                  (await post<IssuedWebhook>(`/v1/webhooks/${id}/rotate-secret`, { overlap_seconds: 86_400 })).secret ??
                    null,
                );
              }}
              question="A new secret signs at once; the old one signs, too, for one more day."
              confirm="Rotate the secret"
            >
              Rotate secret
            </Confirmed>
            <Confirmed
              run={async () => {
                await remove(`/v1/webhooks/${id}`);
                goTo('#/webhooks');
              }}
              question="What waits for it is cancelled."
              confirm="Delete the webhook"
            >
              Delete
            </Confirmed>
          </Header>
          {secret !== null && <Secret title="New secret" text={secret} close={() => setSecret(null)} />}
          <Card>
            <Facts
              of={[
                ['Events', hook.events.includes('*') ? 'all' : hook.events.join(', ')],
                ['Failing since', time(hook.failing_since)],
                [
                  'Switched off by the service',
                  hook.disabled === null ? 'no' : `${hook.disabled.reason}, ${time(hook.disabled.at)}`,
                ],
                ['Created', time(hook.created_at)],
              ]}
            />
          </Card>
          <Card
            title="Deliveries"
            actions={
              <>
                <Choice
                  label="State"
                  value={state}
                  among={STATES.map((one) => [one, one] as const)}
                  choose={(next) => {
                    setState(next);
                    setOffset(0);
                  }}
                />
                <Action
                  run={async () => {
                    await post(`/v1/webhooks/${id}/redeliver-failed`, { since: hook.created_at });
                    deliveries.reload();
                  }}
                >
                  Redeliver all failed
                </Action>
              </>
            }
          >
            <Shown of={deliveries}>
              {({ data, total }) => (
                <>
                  {data.length === 0 && (
                    <p class="muted">{state === 'all' ? 'Nothing was sent yet.' : 'There is none.'}</p>
                  )}
                  <ul class="deliveries">
                    {data.map((delivery) => (
                      <DeliveryItem key={delivery.id} of={delivery} reload={deliveries.reload} />
                    ))}
                  </ul>
                  <Pager total={total} limit={LIMIT} offset={offset} go={setOffset} />
                </>
              )}
            </Shown>
          </Card>
          {hook.signed && (
            <Card title="Verify a signature">
              <p class="muted">Over the bytes of the body, before they are parsed.</p>
              <Code
                label="Verification in Python"
                text={`import hashlib, hmac\n\ndef is_genuine(secret: str, body: bytes, headers) -> bool:\n    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()\n    return hmac.compare_digest(expected, headers.get("X-Service-Signature", ""))\n`}
              />
            </Card>
          )}
        </>
      )}
    </Shown>
  );
}

function DeliveryItem({ of: delivery, reload }: { of: Delivery; reload: () => void }) {
  const last = delivery.attempts.at(-1);
  return (
    <li>
      <div class="row spread">
        <span>
          <Status of={delivery.state} /> <strong>{delivery.event_type}</strong>{' '}
          <span class="muted">{time(delivery.created_at)}</span>
        </span>
        <Action
          label={`Redeliver ${delivery.id}`}
          disabled={delivery.state === 'delivering'}
          run={async () => {
            await post(`/v1/webhooks/deliveries/${delivery.id}/redeliver`);
            reload();
          }}
        >
          Redeliver
        </Action>
      </div>
      <p class="muted">
        {last === undefined ? 'not sent yet' : (last.error?.replace(/\.$/, '') ?? `answered ${last.status}`)}
        {delivery.next_attempt_at !== null && `; next attempt ${time(delivery.next_attempt_at)}`}
      </p>
      {delivery.attempts.length > 0 && (
        <details>
          <summary>
            {plural(delivery.attempts.length, 'attempt')} <span class="sr">of {delivery.id}</span>
          </summary>
          <Table
            caption={`Attempts of ${delivery.id}`}
            columns={[
              { title: 'When', cell: ({ at }) => time(at) },
              { title: 'Status', cell: ({ status }) => status ?? '–', isNumber: true },
              { title: 'Took', cell: ({ duration_seconds }) => seconds(duration_seconds), isNumber: true },
              { title: 'Error', cell: ({ error }) => error ?? '–' },
              { title: 'Answer', cell: ({ response_excerpt }) => <pre class="excerpt">{response_excerpt ?? '–'}</pre> },
            ]}
            rows={delivery.attempts}
            keyOf={({ at }, place) => `${at} ${place}`}
          />
        </details>
      )}
    </li>
  );
}
