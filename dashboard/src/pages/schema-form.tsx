/**
 * A form made from a JSON Schema: objects, arrays, choices, numbers, texts. Whatever else a schema says is edited as
 * JSON. Nothing is checked here: the service does, and says which field is wrong.
 */
import { useEffect, useState } from 'preact/hooks';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

type Change = (value: unknown) => void;

const words = (name: string): string => name.replaceAll('_', ' ');
const isScalar = ({ type, enum: among }: Schema): boolean =>
  among !== undefined || type === 'string' || type === 'number' || type === 'integer' || type === 'boolean';

export function SchemaForm({ schema, value, change }: { schema: Schema; value: unknown; change: Change }) {
  return <ObjectFields schema={schema} value={value} change={change} path="" />;
}

interface Props {
  readonly schema: Schema;
  readonly value: unknown;
  readonly change: Change;
  readonly path: string;
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

function ObjectFields({ schema, value, change, path }: Props) {
  const record = recordOf(value);
  const set = (name: string, next: unknown): void => {
    const { [name]: _old, ...others } = record;
    change(next === undefined ? others : { ...record, [name]: next });
  };
  return (
    <div class="object">
      {Object.entries(schema.properties ?? {}).map(([name, inner]) => (
        <Member
          key={name}
          name={name}
          isRequired={schema.required?.includes(name) === true}
          schema={inner}
          value={record[name]}
          change={(next) => set(name, next)}
          path={path === '' ? name : `${path}.${name}`}
        />
      ))}
    </div>
  );
}

function Member({ name, isRequired, ...props }: Props & { name: string; isRequired: boolean }) {
  const { schema, path } = props;
  const label = `${words(name)}${isRequired ? '' : ' (optional)'}`;
  if (schema.const !== undefined) return null;
  if (isScalar(schema)) {
    return (
      <label class="field">
        <span>{label}</span>
        <Scalar {...props} label={path} />
        {schema.description !== undefined && <small class="muted">{schema.description}</small>}
      </label>
    );
  }
  const isOpen = isRequired || props.value !== undefined;
  return (
    <details class="group" open={isOpen}>
      <summary>{label}</summary>
      {schema.description !== undefined && <p class="muted">{schema.description}</p>}
      <Composite {...props} />
    </details>
  );
}

function Composite(props: Props) {
  const { schema, value, path } = props;
  if (schema.type === 'object' && schema.properties !== undefined) return <ObjectFields {...props} />;
  if (schema.type === 'array' && schema.items !== undefined) {
    const { items } = schema;
    const isRows = items.type === 'object' && Object.values(items.properties ?? {}).every(isScalar);
    const isFlat = Array.isArray(value) || value === undefined;
    if (isFlat && isRows) return <Rows {...props} items={items} />;
  }
  return <JsonField {...props} label={path} />;
}

/** A table with a row for each item. */
function Rows({ items, value, change, path }: Props & { items: Schema }) {
  const rows = (value ?? []) as readonly unknown[];
  const names = Object.keys(items.properties ?? {});
  const set = (place: number, name: string, next: unknown): void =>
    change(
      rows.map((row, i) => {
        if (i !== place) return row;
        const { [name]: _old, ...others } = recordOf(row);
        return next === undefined ? others : { ...recordOf(row), [name]: next };
      }),
    );
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={path}>
        <table>
          <caption class="sr">{path}</caption>
          <thead>
            <tr>
              {names.map((name) => (
                <th key={name} scope="col" title={items.properties?.[name].description}>
                  {words(name)}
                </th>
              ))}
              <th scope="col">
                <span class="sr">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                {names.map((name) => (
                  <td key={name}>
                    <Scalar
                      schema={items.properties?.[name] ?? {}}
                      value={recordOf(row)[name]}
                      change={(next) => set(i, name, next)}
                      path={path}
                      label={`${path}[${i}].${name}`}
                    />
                  </td>
                ))}
                <td>
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Remove ${path}[${i}]`}
                    onClick={() => change(rows.filter((_row, place) => place !== i))}
                  >
                    ×
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <button type="button" class="quiet" onClick={() => change([...rows, recordOf(rows.at(-1))])}>
        Add a row
      </button>
    </>
  );
}

function Scalar({ schema, value, change, label }: Props & { label: string }) {
  if (schema.enum !== undefined) {
    const among = schema.enum.map(String);
    return (
      <select
        aria-label={label}
        value={value === undefined ? '' : String(value)}
        onChange={(event) => change(schema.enum?.[among.indexOf(event.currentTarget.value)])}
      >
        <option value="">–</option>
        {among.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    );
  }
  if (schema.type === 'boolean') {
    return (
      <select
        aria-label={label}
        value={value === undefined ? '' : String(value)}
        onChange={({ currentTarget: { value: chosen } }) => change(chosen === '' ? undefined : chosen === 'true')}
      >
        <option value="">–</option>
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  }
  if (schema.type === 'number' || schema.type === 'integer') {
    return (
      <input
        type="number"
        step="any"
        aria-label={label}
        value={typeof value === 'number' ? value : ''}
        placeholder={schema.default === undefined ? '' : String(schema.default)}
        onInput={({ currentTarget: { valueAsNumber: next } }) => change(Number.isNaN(next) ? undefined : next)}
      />
    );
  }
  return (
    <input
      aria-label={label}
      value={typeof value === 'string' ? value : ''}
      onInput={({ currentTarget: { value: next } }) => change(next === '' ? undefined : next)}
    />
  );
}

function JsonField({ value, change, label }: Props & { label: string }) {
  const written = value === undefined ? '' : writtenJson(value);
  const [text, setText] = useState(written);
  const [isWrong, setWrong] = useState(false);
  useEffect(() => {
    if (!isWrong) setText((before) => (sameJson(before, value) ? before : written));
  }, [written]);
  return (
    <textarea
      aria-label={`${label}, as JSON`}
      aria-invalid={isWrong}
      rows={Math.min(12, Math.max(2, text.split('\n').length))}
      spellcheck={false}
      value={text}
      onInput={(event) => {
        const next = event.currentTarget.value;
        setText(next);
        try {
          change(next.trim() === '' ? undefined : (JSON.parse(next) as unknown));
          setWrong(false);
        } catch {
          setWrong(true);
        }
      }}
    />
  );
}

/** Rows of numbers and texts on a line each. */
function writtenJson(value: unknown): string {
  const isShort = (item: unknown): boolean => typeof item !== 'object' || item === null;
  if (!Array.isArray(value) || value.every(isShort)) return JSON.stringify(value, null, Array.isArray(value) ? 0 : 1);
  return `[\n${value.map((item) => ` ${JSON.stringify(item)}`).join(',\n')}\n]`;
}

function sameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return text.trim() === '' && value === undefined;
  }
}
