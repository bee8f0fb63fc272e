/** A dialogue that builds a domain problem. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, post } from '../api/client.js';
import type { Conversation, Run } from '../api/types.js';
import { percent, time } from '../ui/format.js';
import { Action, Card, Failure, Header, Shown, Status, Table, Value } from '../ui/parts.js';
import { goTo } from '../ui/route.js';
import { useLoad, type Loaded } from '../ui/use-load.js';

const OPENINGS = [
  'Find routes for 2 vehicles with capacity 100 that serve 5 customers.',
  'Allocate 100000 dollars among 3 stocks with expected returns 8, 12 and 15 percent.',
  'How much should I order? Demand is 1000 units a year, an order costs 50 dollars, holding a unit costs 2 dollars a year.',
];

export function ConversationPage({ id }: { id: string | undefined }) {
  return id === undefined ? <Opening /> : <Dialogue id={id} />;
}

function Opening() {
  const begin = async (description: string): Promise<void> => {
    const made = await post<Conversation>('/v1/domains/conversational/create', { description });
    goTo(`#/chat/${made.conversation_id}`);
  };
  return (
    <>
      <Header title="Conversation" />
      <Card title="What is to be optimized?">
        <p class="muted">Say it in a sentence or two; you are asked for what is missing.</p>
        <Say label="Description" send={begin} />
        <div class="openings">
          {OPENINGS.map((text) => (
            <Action key={text} run={() => begin(text)}>
              {text}
            </Action>
          ))}
        </div>
      </Card>
    </>
  );
}

function Say({ label, send }: { label: string; send: (text: string) => Promise<void> }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (text.trim() === '') return;
    setBusy(true);
    setError(null);
    try {
      await send(text);
      setText('');
    } catch (failure) {
      setError(failure as Error);
    }
    setBusy(false);
  };
  return (
    <form class="say" onSubmit={(event) => void submit(event)}>
      <input aria-label={label} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <button type="submit" class="primary" disabled={isBusy || text.trim() === ''}>
        Send
      </button>
      <Failure of={error} />
    </form>
  );
}

function Dialogue({ id }: { id: string }) {
  const conversation = useLoad(id, () => get<Conversation>(`/v1/domains/conversational/status/${id}`));
  return <Shown of={conversation}>{(found) => <Chat id={id} of={found} conversation={conversation} />}</Shown>;
}

function Chat({ id, of, conversation }: { id: string; of: Conversation; conversation: Loaded<Conversation> }) {
  const end = useRef<HTMLLIElement>(null);
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [of.messages.length]);
  const say = async (response: string): Promise<void> => {
    await post(`/v1/domains/conversational/continue/${id}`, { response });
    conversation.reload();
  };
  const solve = async (): Promise<void> => {
    const run = await post<Run>(`/v1/domains/conversational/complete/${id}`, {}, { Prefer: 'respond-async' });
    goTo(`#/runs/${run.id}`);
  };
  const isOpen = of.status === 'waiting_for_input' || of.status === 'ready_to_optimize';
  const slots = Object.entries(of.collected);
  return (
    <>
      <Header title="Conversation">
        <Status of={of.status.replaceAll('_', ' ')} />
        <a class="button" href="#/chat">
          Begin another
        </a>
      </Header>
      <div class="chat">
        <Card title="Dialogue">
          <ol class="messages" aria-live="polite">
            {of.messages.map(({ role, text, at }, i) => (
              <li key={i} class={role} ref={i === of.messages.length - 1 ? end : undefined}>
                <span class="sr">{role === 'user' ? 'You' : 'Extremum'}: </span>
                <p>{text}</p>
                <small class="muted">{time(at)}</small>
              </li>
            ))}
          </ol>
          {of.question?.choices !== undefined && isOpen && (
            <div class="row">
              {of.question.choices.map((choice) => (
                <Action key={choice} run={() => say(choice)}>
                  {choice}
                </Action>
              ))}
            </div>
          )}
          {isOpen && <Say label={of.question?.text ?? 'An answer, or a correction'} send={say} />}
          {of.question !== null && isOpen && <p class="muted">For example: {of.question.example}</p>}
          {of.status === 'ready_to_optimize' && (
            <Action kind="primary" run={solve}>
              Solve it
            </Action>
          )}
          {of.optimization_id !== null && (
            <p>
              {of.optimization_deleted ? 'Its run was deleted.' : <a href={`#/runs/${of.optimization_id}`}>The run</a>}
            </p>
          )}
        </Card>
        <Card title="What is understood">
          <p>
            {of.problem_type === null
              ? 'Which problem it is is not known yet.'
              : `${of.domain}: ${of.problem_type.replaceAll('_', ' ')}`}
          </p>
          {of.conflicts.map(({ slot, message }, i) => (
            <p key={i} class="notice bad">
              <code>{slot}</code>: {message}
            </p>
          ))}
          <Table
            caption="Slots"
            columns={[
              { title: 'Slot', cell: ([slot]) => <code>{slot}</code> },
              { title: 'Value', cell: ([, { value }]) => <Value of={value} /> },
              {
                title: 'From',
                cell: ([, { source, text }]) => <span class="prose">{source === 'user' ? `“${text}”` : source}</span>,
              },
              { title: 'Sure', cell: ([, { confidence }]) => percent(confidence), isNumber: true },
            ]}
            rows={slots}
            keyOf={([slot]) => slot}
          />
          {of.missing.length > 0 && (
            <>
              <h3>Missing</h3>
              <ul>
                {of.missing.map((slot) => (
                  <li key={slot}>
                    <code>{slot}</code>
                  </li>
                ))}
              </ul>
            </>
          )}
          {of.assumptions.length > 0 && (
            <>
              <h3>Assumed</h3>
              <ul>
                {of.assumptions.map(({ slot, message }) => (
                  <li key={slot}>{message}</li>
                ))}
              </ul>
            </>
          )}
        </Card>
      </div>
    </>
  );
}
