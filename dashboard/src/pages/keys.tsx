/** API keys of the account. */
import { useState } from 'preact/hooks';
import { get, post, query, remove } from '../api/client.js';
import type { IssuedKey, Key, Page, Session } from '../api/types.js';
import { time } from '../ui/format.js';
import { Action, Card, Confirmed, Field, Header, Pager, Secret, Shown, Table } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';

const SCOPES = [
  ['read', 'read: see everything'],
  ['run', 'run: functions and runs'],
  ['admin', 'admin: everything, and keys'],
] as const;
type Scope = (typeof SCOPES)[number][0];

const LIMIT = 20;
const DAY_MS = 86_400_000;
const ROLL_OVERLAP_SECONDS = 86_400;

export function Keys({ session }: { session: Session }) {
  const [offset, setOffset] = useState(0);
  const path = `/v1/identity/keys${query({ limit: LIMIT, offset })}`;
  const keys = useLoad(path, () => get<Page<Key>>(path));
  const [issued, setIssued] = useState<IssuedKey | null>(null);
  const own = session.identity.key;
  const isAdmin = own.scopes.includes('admin');
  return (
    <>
      <Header title="API keys" />
      {issued !== null && (
        <Secret
          title={`Key “${issued.name}”`}
          text={issued.key}
          close={() => {
            setIssued(null);
            keys.reload();
          }}
        />
      )}
      {!isAdmin ? (
        <p class="notice">
          This session's key, “{own.name}”, has no scope <code>admin</code>: it can neither list nor make keys.
        </p>
      ) : (
        <>
          <NewKey issue={setIssued} />
          <Card title="Keys">
            <Shown of={keys}>
              {({ data, total }) => (
                <>
                  <Table
                    caption="API keys"
                    columns={[
                      {
                        title: 'Name',
                        cell: (key) => (
                          <>
                            {key.name} {key.id === own.id && <span class="status">this session</span>}
                          </>
                        ),
                      },
                      { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
                      { title: 'Last use', cell: ({ last_used_at }) => time(last_used_at) },
                      {
                        title: 'Expires',
                        cell: ({ expires_at }) => (expires_at === null ? 'never' : time(expires_at)),
                      },
                      { title: 'Created', cell: ({ created_at }) => time(created_at) },
                      {
                        title: 'Actions',
                        cell: (key) => (
                          <div class="row">
                            <Action
                              label={`Roll ${key.name}`}
                              run={async () =>
                                setIssued(
                                  await post<IssuedKey>(`/v1/identity/keys/${key.id}/roll`, {
                                    overlap_seconds: ROLL_OVERLAP_SECONDS,
                                  }),
                                )
                              }
                            >
                              Roll
                            </Action>
                            <Confirmed
                              run={async () => {
                                await remove(`/v1/identity/keys/${key.id}`);
                                keys.reload();
                              }}
                              question={
                                key.id === own.id
                                  ? 'It is the key of this session, which ends with it.'
                                  : `Whoever uses “${key.name}” is refused from now on. That cannot be taken back.`
                              }
                              confirm="Revoke the key"
                            >
                              Revoke
                            </Confirmed>
                          </div>
                        ),
                      },
                    ]}
                    rows={data}
                    keyOf={({ id }) => id}
                  />
                  <Pager total={total} limit={LIMIT} offset={offset} go={setOffset} />
                </>
              )}
            </Shown>
            <p class="muted">Rolling makes a successor; the old key works for one more day.</p>
          </Card>
        </>
      )}
    </>
  );
}

function NewKey({ issue }: { issue: (key: IssuedKey) => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(['read', 'run']));
  const [days, setDays] = useState('');
  const toggle = (scope: Scope): void => {
    const after = new Set(scopes);
    if (!after.delete(scope)) after.add(scope);
    setScopes(after);
  };
  const create = async (): Promise<void> => {
    const expires_at = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    issue(await post<IssuedKey>('/v1/identity/keys', { name, scopes: [...scopes], expires_at }));
    setName('');
  };
  return (
    <Card title="New key">
      <div class="columns">
        <Field label="Name">
          <input value={name} maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map(([scope, text]) => (
            <label key={scope} class="check">
              <input type="checkbox" checked={scopes.has(scope)} onChange={() => toggle(scope)} /> {text}
            </label>
          ))}
        </fieldset>
        <Field label="Expires">
          <select value={days} onChange={(event) => setDays(event.currentTarget.value)}>
            <option value="">never</option>
            <option value="1">in a day</option>
            <option value="30">in 30 days</option>
            <option value="365">in a year</option>
          </select>
        </Field>
      </div>
      <Action kind="primary" disabled={name.trim() === '' || scopes.size === 0} run={create}>
        Create
      </Action>
    </Card>
  );
}
