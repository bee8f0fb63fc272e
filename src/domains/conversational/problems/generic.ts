/** Problems that are given as tables: their slots are the fields that the config must have. */
import { z } from 'zod';
import type { Json, JsonObject } from '../../../model/problem.js';
import type { AnyModel, ProblemType } from '../../problem-type.js';
import { fieldsOf, type Problem } from '../problem.js';
import type { Finding, Slot } from '../slots.js';
import { pastedJson, pastedTable } from '../tables.js';

interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: { readonly type?: string; readonly properties?: Readonly<Record<string, unknown>> };
}

const words = (name: string): string => name.replaceAll('_', ' ');

const slotOf = (name: string, field: FieldSchema, isRequired: boolean, example: Json | undefined): Slot => {
  const isNumber = field.type === 'number' || field.type === 'integer';
  const isShare = isNumber && field.maximum === 1 && (field.minimum === undefined || field.minimum >= 0);
  return {
    name,
    kind: isShare ? 'share' : isNumber ? (/cost|budget|price|margin|value/.test(name) ? 'money' : 'amount') : null,
    cues: words(name),
    ...(field.enum === undefined ? {} : { choices: field.enum.map((value) => ({ value, name: words(String(value)), cues: '' })), isAskedOnly: true }), // prettier-ignore
    required: isRequired,
    isList: field.type === 'array',
    question: `Please give ${words(name)}${field.description === undefined ? '' : ` (${field.description})`}${isNumber || field.enum !== undefined ? '.' : ', as JSON or as a table with a line of column names.'}`, // prettier-ignore
    example:
      example === undefined
        ? words(name)
        : typeof example === 'string'
          ? example
          : JSON.stringify(example).slice(0, 300),
  };
};

const isFieldName = (properties: Readonly<Record<string, FieldSchema>>, key: string): boolean =>
  Object.hasOwn(properties, key);

const made = new WeakMap<AnyModel, Problem>();

export function genericProblem(type: ProblemType, model: AnyModel): Problem {
  const before = made.get(model);
  if (before !== undefined) return before;
  const { properties = {}, required = [] } = z.toJSONSchema(model.fields, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, FieldSchema>;
    required?: string[];
  };
  const names = Object.keys(properties).filter((name) => name !== 'model');
  // Some fields are required only together, which the schema cannot say: the example shows one whole set.
  const needed = required.length > 0 ? required : names.filter((name) => isFieldName(model.example as never, name));
  const slots = names.map((name) => slotOf(name, properties[name], needed.includes(name), model.example[name]));
  const problem: Problem = {
    domain: type.domain,
    type: type.name,
    model: model.name,
    slots,
    read(message, { asked }) {
      const own = asked !== null && isFieldName(properties, asked) ? asked : null;
      const all = message.quantities.map((_, i) => i);
      const json = pastedJson(message.text);
      if (
        json !== null &&
        own !== null &&
        (Array.isArray(json) || !Object.keys(json).some((key) => isFieldName(properties, key)))
      ) {
        return [{ slot: own, value: json, text: 'pasted JSON', confidence: 0.95, used: all }];
      }
      const table = pastedTable(message.text);
      if (table === null) return [];
      const fits = (name: string): boolean => {
        const fields = properties[name]?.items?.properties;
        return fields !== undefined && table.columns.every((column) => Object.hasOwn(fields, column));
      };
      const target = own !== null && properties[own]?.type === 'array' ? own : names.find(fits);
      if (target === undefined) return [];
      const value: Json = fits(target)
        ? table.rows.map((row): JsonObject => Object.fromEntries(table.columns.flatMap((column, i) => (row[i] === '' ? [] : [[column, column === 'id' ? String(row[i]) : row[i]]])))) // prettier-ignore
        : table.rows.map((row) => row.filter((cell) => typeof cell === 'number'));
      const found: Finding = {
        slot: target,
        value,
        text: `a table of ${table.rows.length} rows`,
        confidence: 0.9,
        used: all,
      };
      return [found];
    },
    build: (known) => ({ ...(model.name === null ? {} : { model: model.name }), ...fieldsOf(known, names) }),
  };
  made.set(model, problem);
  return problem;
}
