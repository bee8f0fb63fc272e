/** From a function to a run. */
import { useMemo, useState } from 'preact/hooks';
import { post } from '../api/client.js';
import type { Run } from '../api/types.js';
import { number, plural } from '../ui/format.js';
import { Action, Card, Choice, Code, Field, Header } from '../ui/parts.js';
import { goTo } from '../ui/route.js';
import { marksOf, useCheck, type Check } from './check.js';
import { Editor } from './editor.js';
import { examples, type Example } from './examples.js';
import { LANGUAGES, snippet, type Language } from './snippets.js';
import { useStrategyNames } from './strategy-names.js';

type Bounds = readonly (readonly [string, string])[];

const PRESETS = ['', 'minimal', 'development', 'production', 'enterprise', 'research'] as const;
const MODES = ['', 'fast', 'balanced', 'accurate'] as const;

const textOf = (bounds: Example['bounds']): Bounds => bounds.map(([low, high]) => [String(low), String(high)]);

/** Numbers in rows, as a spreadsheet copies them. Null: it is something else. */
export function pastedBounds(text: string): Bounds | null {
  const rows = text
    .trim()
    .split(/\r?\n/)
    .map((row) => row.trim().split(/[\t;,\s]+/));
  const isTable = rows.every(
    (row) => row.length === 2 && row.every((cell) => cell !== '' && Number.isFinite(Number(cell))),
  );
  return isTable ? rows.map(([low, high]) => [low, high]) : null;
}

/** What is wrong with a row; null: nothing. */
function complaintOf([low, high]: Bounds[number]): string | null {
  if (low.trim() === '' || high.trim() === '') return 'Both are needed.';
  if (!Number.isFinite(Number(low)) || !Number.isFinite(Number(high))) return 'These must be numbers.';
  return Number(low) < Number(high) ? null : 'Min must be below max.';
}

export function NewRun({ example }: { example: string | null }) {
  const start = examples.find(({ file }) => file === example);
  const [name, setName] = useState(start?.file.replace(/\.py$/, '') ?? 'objective');
  const [code, setCode] = useState(start?.code ?? '');
  const [bounds, setBounds] = useState<Bounds>(
    textOf(
      start?.bounds ?? [
        [-5, 5],
        [-5, 5],
      ],
    ),
  );
  const [budget, setBudget] = useState(start === undefined ? '10000' : String(start.maxEvaluations));
  const [direction, setDirection] = useState<'minimize' | 'maximize'>('minimize');
  const [preset, setPreset] = useState<(typeof PRESETS)[number]>('');
  const [mode, setMode] = useState<(typeof MODES)[number]>('');
  const [strategy, setStrategy] = useState('');
  const [seed, setSeed] = useState('');
  const [objectives, setObjectives] = useState('1');
  const strategies = useStrategyNames();
  const { check, keep } = useCheck(name, code);
  const marks = useMemo(() => marksOf(check), [check]);

  const request = {
    bounds: bounds.map(([low, high]) => [Number(low), Number(high)]),
    max_evaluations: Number(budget),
    ...(direction === 'minimize' ? {} : { direction }),
    ...(preset === '' ? {} : { preset }),
    ...(mode === '' ? {} : { mode }),
    ...(strategy === '' ? {} : { strategy }),
    ...(seed === '' ? {} : { seed: Number(seed) }),
    ...(objectives === '1' ? {} : { objectives: Number(objectives) }),
  };
  const isReady = check.kind === 'good' && bounds.every((pair) => complaintOf(pair) === null) && Number(budget) >= 1;
  const begin = async (): Promise<void> => {
    const run = await post<Run>(
      '/v1/optimize',
      { objective_function_id: await keep(), ...request },
      { Prefer: 'respond-async' },
    );
    goTo(`#/runs/${run.id}`);
  };

  return (
    <>
      <Header title="New run" />
      <Card title="Examples">
        <div class="row">
          {examples.map(({ file, title }) => (
            <a
              class="chip"
              key={file}
              href={`#/new?example=${file}`}
              aria-current={file === example ? 'true' : undefined}
            >
              {title}
            </a>
          ))}
        </div>
      </Card>
      <Card title="Function">
        <Field label="Name">
          <input value={name} maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <p class="label">Python: paste it, or drop a file</p>
        <Editor label="Python source" text={code} change={setCode} marks={marks} />
        <CheckResult of={check} />
      </Card>
      <BoundsCard bounds={bounds} change={setBounds} />
      <Card title="Search">
        <div class="columns">
          <Field label="Evaluations at most">
            <input type="number" min={1} value={budget} onInput={(event) => setBudget(event.currentTarget.value)} />
          </Field>
          <Field label="Direction">
            <select value={direction} onChange={(event) => setDirection(event.currentTarget.value as typeof direction)}>
              <option>minimize</option>
              <option>maximize</option>
            </select>
          </Field>
          <Field label="Preset">
            <select value={preset} onChange={(event) => setPreset(event.currentTarget.value as typeof preset)}>
              {PRESETS.map((one) => (
                <option key={one} value={one}>
                  {one === '' ? "the account's" : one}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Mode">
            <select value={mode} onChange={(event) => setMode(event.currentTarget.value as typeof mode)}>
              {MODES.map((one) => (
                <option key={one} value={one}>
                  {one === '' ? "the account's" : one}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Strategy">
            <select value={strategy} onChange={(event) => setStrategy(event.currentTarget.value)}>
              <option value="">the planner chooses</option>
              {strategies.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </Field>
          <Field label="Seed" hint="Empty: drawn, and reported.">
            <input type="number" value={seed} onInput={(event) => setSeed(event.currentTarget.value)} />
          </Field>
          <Field label="Objectives">
            <select value={objectives} onChange={(event) => setObjectives(event.currentTarget.value)}>
              {['1', '2', '3', '4'].map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </Field>
        </div>
        <Action kind="primary" disabled={!isReady} run={begin}>
          Start
        </Action>
      </Card>
      <RequestCard wish={{ name, code, request }} />
    </>
  );
}

function CheckResult({ of: check }: { of: Check }) {
  return (
    <div aria-live="polite">
      {check.kind === 'none' && (
        <p class="muted">The last function of the source is the objective; it takes one argument, x.</p>
      )}
      {check.kind === 'checking' && <p class="muted">Checking …</p>}
      {check.kind === 'bad' && <pre class="notice bad">{check.message}</pre>}
      {check.kind === 'good' &&
        (check.found.compilation.compiled ? (
          <p class="notice good">
            It is compiled{check.found.vectorized ? '; it takes whole populations' : ''}
            {(check.found.objectives ?? 1) > 1 ? `; it returns ${check.found.objectives} numbers` : ''}.
          </p>
        ) : (
          <div class="notice warn">
            <p>It runs in CPython, which is slower:</p>
            <ul>
              {check.found.compilation.reasons.map(({ message, line }, i) => (
                <li key={i}>
                  Line {line}: {message}
                </li>
              ))}
            </ul>
          </div>
        ))}
      {check.kind === 'good' && check.found.compilation.notes.map(({ message }, i) => <p key={i}>{message}</p>)}
    </div>
  );
}

const SHOWN_ROWS = 100;

function BoundsCard({ bounds, change }: { bounds: Bounds; change: (bounds: Bounds) => void }) {
  const set = (place: number, side: 0 | 1, text: string): void =>
    change(bounds.map((pair, i) => (i === place ? (side === 0 ? [text, pair[1]] : [pair[0], text]) : pair)));
  const setCount = (text: string): void => {
    const count = Math.floor(Number(text));
    if (!(count >= 1 && count <= 10_000)) return;
    const last = bounds.at(-1) ?? ['-5', '5'];
    change(Array.from({ length: count }, (_none, i) => bounds[i] ?? last));
  };
  const paste = (event: ClipboardEvent): void => {
    const pasted = pastedBounds(event.clipboardData?.getData('text') ?? '');
    if (pasted === null) return;
    event.preventDefault();
    change(pasted);
  };
  const wrong = bounds.filter((pair) => complaintOf(pair) !== null).length;
  return (
    <Card
      title={`Bounds (${plural(bounds.length, 'variable')})`}
      actions={
        <label class="inline">
          Variables{' '}
          <input
            type="number"
            min={1}
            max={10_000}
            value={bounds.length}
            onChange={(event) => setCount(event.currentTarget.value)}
          />
        </label>
      }
    >
      <p class="muted">Paste two columns of a spreadsheet into any cell to fill the table.</p>
      <div class="scroll bounds" onPaste={paste}>
        <table>
          <caption class="sr">Bounds</caption>
          <thead>
            <tr>
              <th scope="col">Variable</th>
              <th scope="col">Min</th>
              <th scope="col">Max</th>
              <th scope="col">
                <span class="sr">What is wrong</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {bounds.slice(0, SHOWN_ROWS).map((pair, i) => (
              <tr key={i}>
                <th scope="row">
                  <code>x[{i}]</code>
                </th>
                {([0, 1] as const).map((side) => (
                  <td key={side}>
                    <input
                      inputMode="decimal"
                      aria-label={`${side === 0 ? 'Min' : 'Max'} of x[${i}]`}
                      aria-invalid={complaintOf(pair) !== null}
                      value={pair[side]}
                      onInput={(event) => set(i, side, event.currentTarget.value)}
                    />
                  </td>
                ))}
                <td class="bad-text">{complaintOf(pair)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {bounds.length > SHOWN_ROWS && (
        <p class="muted">
          The first {SHOWN_ROWS} of {number(bounds.length)}.
        </p>
      )}
      {wrong > 0 && <p class="notice bad">{plural(wrong, 'row')} cannot be used.</p>}
      <div class="row">
        <button type="button" class="quiet" onClick={() => change(bounds.map(() => bounds[0]))}>
          The first row for all
        </button>
      </div>
    </Card>
  );
}

function RequestCard({ wish }: { wish: Parameters<typeof snippet>[1] }) {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <Card
      title="The same as a program"
      actions={
        <Choice
          label="Language"
          value={language}
          among={LANGUAGES.map((one) => [one, one] as const)}
          choose={setLanguage}
        />
      }
    >
      <Code label={`The request in ${language}`} text={snippet(language, wish, location.origin)} />
    </Card>
  );
}
