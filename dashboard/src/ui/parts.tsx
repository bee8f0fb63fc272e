/** What pages are made of. Text of users reaches the document as text nodes only. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.js';
import type { Loaded } from './use-load.js';

export function Header({ title, children }: { title: ComponentChildren; children?: ComponentChildren }) {
  return (
    <header class="page-head">
      <h1 tabIndex={-1}>{title}</h1>
      <div class="row">{children}</div>
    </header>
  );
}

export function Card({
  title,
  children,
  actions,
}: {
  title?: string;
  children: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <section class="card" aria-label={title}>
      {title !== undefined && (
        <div class="card-head">
          <h2>{title}</h2>
          {actions !== undefined && <div class="row">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** What was loaded, or that it is not yet, or why not. */
export function Shown<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  return (
    <>
      {of.error !== undefined && of.error.code !== 'away' && <Failure of={of.error} />}
      {of.data !== undefined ? children(of.data) : of.error === undefined && <p class="muted">Loading …</p>}
    </>
  );
}

export function Failure({ of }: { of: Error | null | undefined }) {
  if (of === null || of === undefined) return null;
  const field = of instanceof ApiError ? of.field : undefined;
  return (
    <p class="notice bad" role="alert">
      {field !== undefined && <code>{field}: </code>}
      {of.message}
    </p>
  );
}

export function Status({ of }: { of: string }) {
  return <span class={`status ${of}`}>{of}</span>;
}

/** Does something that may fail, once at a time. */
export function Action({
  run,
  children,
  kind = '',
  disabled = false,
  label,
}: {
  run: () => Promise<unknown> | void;
  children: ComponentChildren;
  kind?: 'primary' | 'danger' | '';
  disabled?: boolean;
  label?: string;
}) {
  const [state, setState] = useState<{ busy: boolean; error: Error | null }>({ busy: false, error: null });
  const isThere = useRef(true);
  useEffect(() => () => void (isThere.current = false), []);
  const act = async (): Promise<void> => {
    setState({ busy: true, error: null });
    try {
      await run();
      if (isThere.current) setState({ busy: false, error: null });
    } catch (error) {
      if (isThere.current) setState({ busy: false, error: error as Error });
    }
  };
  return (
    <span class="action">
      <button
        type="button"
        class={kind}
        disabled={disabled || state.busy}
        aria-label={label}
        onClick={() => void act()}
      >
        {children}
      </button>
      <Failure of={state.error} />
    </span>
  );
}

/** Asks first: for what cannot be taken back. */
export function Confirmed({
  run,
  children,
  question,
  confirm,
  disabled = false,
}: {
  run: () => Promise<unknown>;
  children: ComponentChildren;
  question: string;
  confirm: string;
  disabled?: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="danger quiet" disabled={disabled} onClick={() => setOpen(true)}>
        {children}
      </button>
      {isOpen && (
        <Dialog title={confirm} close={() => setOpen(false)}>
          <p>{question}</p>
          <div class="row">
            <Action
              kind="danger"
              run={async () => {
                await run();
                setOpen(false);
              }}
            >
              {confirm}
            </Action>
            <button type="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

export function Dialog({ title, children, close }: { title: string; children: ComponentChildren; close: () => void }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onCancel={close}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

export function Copy({ text, children = 'Copy' }: { text: string | (() => string); children?: ComponentChildren }) {
  const [told, setTold] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      setTold('Copied');
    } catch {
      setTold('Not allowed by the browser');
    }
    setTimeout(() => setTold(''), 2_000);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      {told === '' ? children : told}
      <span class="sr" role="status">
        {told}
      </span>
    </button>
  );
}

/** A secret that is shown this once. */
export function Secret({ title, text, close }: { title: string; text: string; close: () => void }) {
  return (
    <Dialog title={title} close={close}>
      <p>It is shown only now. Keep it where secrets are kept.</p>
      <pre class="secret" tabIndex={0}>
        {text}
      </pre>
      <div class="row">
        <Copy text={text} />
        <button type="button" class="primary" onClick={close}>
          I have it
        </button>
      </div>
    </Dialog>
  );
}

export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <Copy text={text} />
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </div>
  );
}

export function Field({ label, hint, children }: { label: string; hint?: string; children: ComponentChildren }) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      {hint !== undefined && <small class="muted">{hint}</small>}
    </label>
  );
}

export function Choice<T extends string>({
  value,
  among,
  choose,
  label,
}: {
  value: T;
  among: readonly (readonly [T, string])[];
  choose: (value: T) => void;
  label: string;
}) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {among.map(([name, text]) => (
        <button type="button" key={name} aria-pressed={name === value} onClick={() => choose(name)}>
          {text}
        </button>
      ))}
    </div>
  );
}

export type HorizontalAxis = 'evaluations' | 'time';
export type VerticalAxis = 'linear' | 'log';

const HORIZONTAL = [
  ['evaluations', 'Evaluations'],
  ['time', 'Time'],
] as const;
const VERTICAL = [
  ['linear', 'Linear'],
  ['log', 'Log'],
] as const;

/** What the axes of a course show. */
export function AxisChoices({
  horizontal,
  vertical,
  chooseHorizontal,
  chooseVertical,
}: {
  horizontal: HorizontalAxis;
  vertical: VerticalAxis;
  chooseHorizontal: (axis: HorizontalAxis) => void;
  chooseVertical: (axis: VerticalAxis) => void;
}) {
  return (
    <>
      <Choice label="Horizontal axis" value={horizontal} among={HORIZONTAL} choose={chooseHorizontal} />
      <Choice label="Vertical axis" value={vertical} among={VERTICAL} choose={chooseVertical} />
    </>
  );
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
}

export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  empty = 'Nothing yet.',
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row, place: number) => string;
  empty?: ComponentChildren;
}) {
  if (rows.length === 0) return <p class="muted">{empty}</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="sr">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber === true ? 'number' : ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={keyOf(row, place)}>
              {columns.map(({ title, cell, isNumber }) => (
                <td key={title} class={isNumber === true ? 'number' : ''}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Pager({
  total,
  limit,
  offset,
  go,
}: {
  total: number;
  limit: number;
  offset: number;
  go: (offset: number) => void;
}) {
  if (total <= limit && offset === 0) return null;
  return (
    <nav class="row pager" aria-label="Pages">
      <button type="button" disabled={offset === 0} onClick={() => go(Math.max(0, offset - limit))}>
        Previous
      </button>
      <span>
        {Math.min(total, offset + 1).toLocaleString('en')}–{Math.min(total, offset + limit).toLocaleString('en')} of{' '}
        {total.toLocaleString('en')}
      </span>
      <button type="button" disabled={offset + limit >= total} onClick={() => go(offset + limit)}>
        Next
      </button>
    </nav>
  );
}

export function Facts({ of }: { of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A value of any shape, as text. */
export function Value({ of }: { of: unknown }): JSX.Element {
  if (Array.isArray(of) && of.length > 0 && of.every(isRecord)) {
    const names = [...new Set(of.flatMap((row) => Object.keys(row)))];
    return (
      <div class="scroll" tabIndex={0} role="region" aria-label="Rows">
        <table>
          <thead>
            <tr>
              {names.map((name) => (
                <th key={name} scope="col">
                  {words(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {of.map((row, place) => (
              <tr key={place}>
                {names.map((name) => (
                  <td key={name}>
                    <Value of={row[name]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    );
  }
  if (isRecord(of))
    return <Facts of={Object.entries(of).map(([name, value]) => [words(name), <Value of={value} />])} />;
  if (Array.isArray(of)) return <span>{of.map(plain).join(', ')}</span>;
  return <span>{plain(of)}</span>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const words = (name: string): string => name.replaceAll('_', ' ');

const plain = (value: unknown): string =>
  value === null || value === undefined
    ? '–'
    : typeof value === 'number'
      ? String(Number(value.toPrecision(8)))
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);

export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
