import { useEffect, useState } from 'preact/hooks';
import { at, post } from '../api/client.js';
import type { Session } from '../api/types.js';
import { Failure, Field } from '../ui/parts.js';

export function Login({ why, enter }: { why: string; enter: (session: Session) => void }) {
  const [key, setKey] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => void (document.title = 'Log in – Extremum'), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      enter(await post<Session>('/dashboard/session', { key: key.trim() }));
    } catch (failure) {
      setError(failure as Error);
      setBusy(false);
    }
  };
  return (
    <main class="login">
      <h1>Extremum</h1>
      {why !== '' && (
        <p class="notice" role="status">
          {why}
        </p>
      )}
      <form onSubmit={(event) => void submit(event)}>
        <Field
          label="API key"
          hint="The first one was printed by `npm start`, as was a link that opens this page once without it."
        >
          <input
            type="password"
            autoComplete="off"
            spellcheck={false}
            required
            autoFocus
            value={key}
            placeholder="sk_…"
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </Field>
        <button type="submit" class="primary" disabled={isBusy || key.trim() === ''}>
          Log in
        </button>
        <Failure of={error} />
      </form>
      <p class="muted">
        No key? On the machine of the service:{' '}
        <code>npx --no-install extremum keys create --account default --scopes read,run,admin</code>
      </p>
      <p>
        <a href={at('/docs')}>API documentation</a>
      </p>
    </main>
  );
}
