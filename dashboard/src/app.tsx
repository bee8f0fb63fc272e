/** The frame of all pages, and who is in. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, at, connection, get, post, remove, sessionEnded, setCsrfToken } from './api/client.js';
import type { Session } from './api/types.js';
import { Analytics } from './pages/analytics.js';
import { BatchPage, Batches } from './pages/batches.js';
import { Compare } from './pages/compare.js';
import { ConversationPage } from './pages/conversation.js';
import { Domains } from './pages/domains.js';
import { Keys } from './pages/keys.js';
import { LearningPage } from './pages/learning.js';
import { Login } from './pages/login.js';
import { NewRun } from './pages/new-run.js';
import { RunPage } from './pages/run.js';
import { Runs } from './pages/runs.js';
import { Studies, StudyPage } from './pages/studies.js';
import { System } from './pages/system.js';
import { Deliveries, WebhookPage, Webhooks } from './pages/webhooks.js';
import { goTo, place, replaceWith, type Place } from './ui/route.js';
import { useSignal } from './ui/signal.js';
import { switchTheme, theme } from './ui/theme.js';

const NAVIGATION = [
  ['runs', 'Runs'],
  ['new', 'New run'],
  ['domains', 'Domains'],
  ['chat', 'Conversation'],
  ['studies', 'Studies'],
  ['batches', 'Batches'],
  ['analytics', 'Analytics'],
  ['learning', 'Learning'],
  ['webhooks', 'Webhooks'],
  ['keys', 'API keys'],
  ['system', 'System'],
] as const;

function pageAt({ path, query }: Place, session: Session): ComponentChildren {
  const [name = 'runs', id] = path;
  switch (name) {
    case 'runs':
      return id === undefined ? <Runs query={query} /> : <RunPage key={id} id={id} />;
    case 'compare':
      return <Compare ids={(query.get('ids') ?? '').split(',').filter((one) => one !== '')} />;
    case 'new':
      return <NewRun key={query.get('example') ?? ''} example={query.get('example')} />;
    case 'domains':
      return <Domains domain={id} type={path[2]} />;
    case 'chat':
      return <ConversationPage key={id ?? ''} id={id} />;
    case 'studies':
      return id === undefined ? <Studies /> : <StudyPage key={id} id={id} />;
    case 'batches':
      return id === undefined ? <Batches /> : <BatchPage key={id} id={id} />;
    case 'analytics':
      return <Analytics />;
    case 'learning':
      return <LearningPage />;
    case 'webhooks':
      if (id === 'deliveries') return <Deliveries />;
      return id === undefined ? <Webhooks /> : <WebhookPage key={id} id={id} />;
    case 'keys':
      return <Keys session={session} />;
    case 'system':
      return <System />;
    default:
      return (
        <p>
          There is no such page. <a href="#/runs">Runs</a>
        </p>
      );
  }
}

const ENDED = 'The session has ended: its key was revoked, or nobody was here for 12 hours.';

/** Tells other tabs, which share the cookie. */
const tabs = new BroadcastChannel('extremum-session');

type State =
  | { readonly kind: 'asking' }
  | { readonly kind: 'out'; readonly why: string }
  | { readonly kind: 'in'; readonly session: Session };

export function App() {
  const [state, setState] = useState<State>({ kind: 'asking' });
  const enter = (session: Session): void => {
    setCsrfToken(session.csrf_token);
    setState({ kind: 'in', session });
  };
  const here = useSignal(place);
  const link = useSignal(connection);

  const ask = async (): Promise<void> => {
    const [first, ticket] = place.get().path;
    try {
      if (first === 'enter' && ticket !== undefined) {
        // It works once: it must not stay in the address.
        replaceWith('#/runs');
        enter(await post<Session>('/dashboard/session', { token: ticket }));
        tabs.postMessage('in');
      } else enter(await get<Session>('/dashboard/session'));
    } catch (error) {
      const isNew = error instanceof ApiError && error.status === 401 && first !== 'enter';
      setState({ kind: 'out', why: isNew ? '' : (error as Error).message });
    }
  };
  const hasAsked = useRef(false);
  const isLink = here.path[0] === 'enter';
  useEffect(() => {
    // A link may be opened in a tab that shows the dashboard already. To ask takes it out of the address: no reason to
    // ask anew.
    if (isLink || !hasAsked.current) void ask();
    hasAsked.current = true;
  }, [isLink]);

  useEffect(() => {
    const forget = sessionEnded.watch(() =>
      setState((before) => (before.kind === 'in' ? { kind: 'out', why: ENDED } : before)),
    );
    tabs.onmessage = ({ data }) => {
      if (data === 'out') setState({ kind: 'out', why: 'You have logged out in another tab.' });
      // Another tab has replaced the cookie, and the token that belongs to it.
      else void ask();
    };
    return forget;
  }, []);

  if (state.kind === 'asking') return <p class="center muted">Loading …</p>;
  if (state.kind === 'out') {
    return (
      <Login
        why={state.why}
        enter={(session) => {
          tabs.postMessage('in');
          enter(session);
        }}
      />
    );
  }
  const logOut = async (): Promise<void> => {
    await remove('/dashboard/session');
    tabs.postMessage('out');
    setState({ kind: 'out', why: 'You have logged out.' });
  };
  return (
    <Frame session={state.session} here={here.path[0] ?? 'runs'} logOut={() => void logOut()} link={link}>
      {pageAt(here, state.session)}
    </Frame>
  );
}

function Frame({
  session,
  here,
  logOut,
  link,
  children,
}: {
  session: Session;
  here: string;
  logOut: () => void;
  link: 'up' | 'away' | 'back';
  children: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const chosen = useSignal(theme);
  useEffect(() => {
    setOpen(false);
    document.title = `${NAVIGATION.find(([name]) => name === here)?.[1] ?? 'Run'} – Extremum`;
  }, [here]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'n') goTo('#/new');
      else if (event.key === 'r') goTo('#/runs');
      else if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('input[type=search]')?.focus();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        To the content
      </button>
      <div class="frame">
        <div class="side">
          <div class="brand">
            <a href="#/runs">Extremum</a>
            <button
              type="button"
              class="menu quiet"
              aria-expanded={isOpen}
              aria-controls="nav"
              onClick={() => setOpen(!isOpen)}
            >
              Menu
            </button>
          </div>
          <nav id="nav" class={isOpen ? 'open' : ''} aria-label="Pages">
            {NAVIGATION.map(([name, title]) => (
              <a key={name} href={`#/${name}`} aria-current={name === here ? 'page' : undefined}>
                {title}
              </a>
            ))}
            <div class="who">
              <span title={session.identity.account_id}>{session.identity.name}</span>
              <span class="muted">{session.identity.key.name}</span>
              <button type="button" class="quiet" onClick={switchTheme}>
                {chosen === 'dark' ? 'Light colors' : 'Dark colors'}
              </button>
              <a href={at('/docs')}>API documentation</a>
              <button type="button" class="quiet" onClick={logOut}>
                Log out
              </button>
            </div>
          </nav>
        </div>
        <main ref={main} tabIndex={-1}>
          <div aria-live="polite">
            {link === 'away' && <p class="notice warn">The service does not answer. Trying again …</p>}
            {link === 'back' && <p class="notice good">The service answers again; what you see is up to date.</p>}
          </div>
          {children}
        </main>
      </div>
    </>
  );
}
