/**
 * Schemas as generators of clients read them. `z.toJSONSchema` writes what means the same to a validator, but makes
 * them drop types, round numbers or fail; each rule here rewrites one such form, wherever it stands.
 */

type Json = Record<string, unknown>;
type Rule = (schema: Json) => Json;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. All others hold data. */
const OF_ONE = ['items', 'additionalProperties', 'propertyNames', 'unevaluatedProperties', 'not'];
const OF_LIST = ['prefixItems', 'anyOf', 'oneOf', 'allOf'];
const OF_NAMES = ['properties', '$defs'];

/** A closed object inside a closed one loses which of its fields may be null. */
const closed: Rule = (schema) => {
  const { additionalProperties: others, ...rest } = schema;
  return others === false ? { ...rest, unevaluatedProperties: false } : schema;
};

/** A choice inside a choice is no type. */
const flat: Rule = (schema) => {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const choices = (anyOf as Json[]).flatMap(choicesOf);
  const texts = choices.map((choice) => JSON.stringify(choice));
  return { ...rest, anyOf: choices.filter((_, i) => texts.indexOf(texts[i] ?? '') === i) };
};

const choicesOf = (schema: Json): Json[] =>
  Object.keys(schema).join() === 'anyOf' ? (schema['anyOf'] as Json[]).flatMap(choicesOf) : [schema];

/** In Go and Java an array and something else are no type together. What it can be stays to be read. */
const open: Rule = (schema) => {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const types = (anyOf as Json[]).map(({ type }) => type).filter((type) => type !== 'null');
  return types.length > 1 && types.includes('array') ? { ...rest, 'x-schema': { anyOf } } : schema;
};

/** The code that generators write for a time with a pattern does not compile. */
const plainTime: Rule = (schema) => {
  const { pattern: _pattern, ...rest } = schema;
  return schema['format'] === 'date-time' ? rest : schema;
};

/** A number cannot be the only value of a type. */
const range: Rule = (schema) => {
  const { const: value, ...rest } = schema;
  return typeof value === 'number' ? { ...rest, minimum: value, maximum: value } : schema;
};

/** Without a format, numbers are read as float32 and int32. */
const sized: Rule = (schema) => {
  const types = [schema['type']].flat();
  if (types.includes('number')) return { format: 'double', ...schema };
  return types.includes('integer') ? { format: 'int64', ...schema } : schema;
};

/** `a-b` and `a_b` become one name in a language, and one too few in a list of names. */
const distinct: Rule = (schema) => {
  const { enum: values, ...rest } = schema;
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) return schema;
  const names = new Set(values.map((value) => value.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')));
  if (names.size === values.length) return schema;
  const texts = values.map((value) => value.replaceAll(/[^\w-]/g, '\\$&'));
  return { ...rest, pattern: `^(${texts.join('|')})$` };
};

const RULES: readonly Rule[] = [closed, open, plainTime, range, sized, distinct];

/** The same schema, with every part of it as generators read it. */
export function clientSchema(schema: Json): Json {
  const parts = Object.entries(flat(schema)).map(([keyword, value]) => [keyword, rewritten(keyword, value)] as const);
  return RULES.reduce((part, rule) => rule(part), Object.fromEntries(parts));
}

function rewritten(keyword: string, value: unknown): unknown {
  if (OF_LIST.includes(keyword)) return (value as unknown[]).map(schemaOf);
  if (OF_ONE.includes(keyword)) return schemaOf(value);
  if (!OF_NAMES.includes(keyword)) return value;
  return Object.fromEntries(Object.entries(value as Json).map(([name, part]) => [name, schemaOf(part)]));
}

/** `true` and `false` are schemas too. */
const schemaOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? clientSchema(value as Json) : value;
