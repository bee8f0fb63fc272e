/**
 * Values that a JSON Schema of the OpenAPI document allows, for fast-check. Knows the keywords that the document uses.
 */
import fc from 'fast-check';
import type { Json } from './service.js';

/** @throws for a keyword that it does not know: values would be drawn that the schema forbids. */
const KNOWN = new Set([
  ...['type', 'enum', 'const', 'anyOf', 'oneOf', '$ref', 'not', 'minimum', 'maximum', 'exclusiveMinimum'],
  ...[
    'exclusiveMaximum',
    'minLength',
    'maxLength',
    'pattern',
    'format',
    'items',
    'minItems',
    'maxItems',
    'prefixItems',
  ],
  ...['properties', 'required', 'additionalProperties', 'unevaluatedProperties', 'propertyNames', 'uniqueItems'],
  ...['title', 'description', 'default', 'examples', 'id', '$schema'],
]);

/** Numbers that careless code gets wrong. */
const AWKWARD = [0, -0, 1, -1, 1e308, -1e308, 5e-324, 2 ** 53 - 1, -(2 ** 53 - 1), 0.1, 1e-7];
const TEXTS = ['', ' ', 'a', 'ü😀', '__proto__', '<b>', "';--", '\u0000', '\ud800', 'a\nb', '../..', '%00', 'null'];

export const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 40 }));

/** Any JSON at all. */
export const anything = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(null, true, false, '', 0, -1, 1.5, [], {}, [[]], [null], { a: 1 }) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(...TEXTS, ...AWKWARD) },
);

const within = (from: number, to: number): number[] => AWKWARD.filter((value) => value >= from && value <= to);

function number(schema: Json, isInteger: boolean): fc.Arbitrary<number> {
  const from = Math.max(schema.minimum ?? -Infinity, schema.exclusiveMinimum ?? -Infinity, -1e308);
  const to = Math.min(schema.maximum ?? Infinity, schema.exclusiveMaximum ?? Infinity, 1e308);
  const edges = within(from, to).filter(
    (value) =>
      value !== schema.exclusiveMinimum &&
      value !== schema.exclusiveMaximum &&
      (!isInteger || Number.isSafeInteger(value)),
  );
  if (isInteger) {
    const [least, most] = [Math.max(from, -(2 ** 53 - 1)), Math.min(to, 2 ** 53 - 1)];
    const drawn = fc.oneof(
      fc.integer({ min: Math.max(least, Math.min(most, -1000)), max: Math.min(most, Math.max(least, 1000)) }),
      fc.constantFrom(least, most),
    );
    return edges.length === 0 ? drawn : fc.oneof(drawn, fc.constantFrom(...edges));
  }
  const drawn = fc.double({
    min: from,
    max: to,
    minExcluded: schema.exclusiveMinimum !== undefined,
    maxExcluded: schema.exclusiveMaximum !== undefined,
    noNaN: true,
  });
  return edges.length === 0
    ? drawn
    : fc.oneof({ weight: 3, arbitrary: drawn }, { weight: 1, arbitrary: fc.constantFrom(...edges) });
}

function string(schema: Json): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Infinity } = schema as { minLength?: number; maxLength?: number };
  if (schema.format === 'date-time') return fc.constantFrom('2100-01-31T12:00:00Z', '2099-12-31T23:59:59.999+02:00');
  if (schema.format === 'date') return fc.constantFrom('2026-01-31', '2026-02-28', '2026-03-31');
  if (schema.format === 'uri') return fc.webUrl({ validSchemes: ['https'] });
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern as string), { maxLength: 100 });
  return text.filter(({ length }) => length >= minLength && length <= maxLength);
}

/** Values of the schema; long arrays are drawn short, their limits tried by `mutations`. */
export function arbitraryOf(schema: Json, document: Json): fc.Arbitrary<unknown> {
  if (schema === true || Object.keys(schema as object).length === 0) return anything;
  for (const keyword of Object.keys(schema as object)) {
    if (!KNOWN.has(keyword)) throw new Error(`the keyword ${keyword} of a schema has no arbitrary yet`);
  }
  const of = (part: Json): fc.Arbitrary<unknown> => arbitraryOf(part, document);
  if (schema.$ref !== undefined) return of(resolve(schema.$ref as string, document));
  if (schema.const !== undefined) return fc.constant(schema.const as unknown);
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as unknown[]));
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map(of));
  if (Array.isArray(schema.type)) return fc.oneof(...(schema.type as string[]).map((type) => of({ ...schema, type })));
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return number(schema, true);
    case 'number':
      return number(schema, false);
    case 'string':
      return string(schema);
    case 'array': {
      if (schema.prefixItems !== undefined) return fc.tuple(...(schema.prefixItems as Json[]).map(of));
      const minLength = (schema.minItems as number | undefined) ?? 0;
      const maxLength = Math.max(minLength, Math.min((schema.maxItems as number | undefined) ?? 4, 4));
      return schema.uniqueItems === true
        ? fc.uniqueArray(of(schema.items), { minLength, maxLength })
        : fc.array(of(schema.items), { minLength, maxLength });
    }
    case 'object':
      return object(schema, of);
    default:
      throw new Error(`a schema without a type: ${JSON.stringify(schema).slice(0, 200)}`);
  }
}

function object(schema: Json, of: (part: Json) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const open = Object.entries((schema.properties ?? {}) as Record<string, Json>).filter(
    // `not: {}`: a field that may not be sent.
    ([, part]) => part.not === undefined,
  );
  const requiredKeys = ((schema.required ?? []) as string[]).filter((name) => open.some(([known]) => known === name));
  const fields = fc.record(Object.fromEntries(open.map(([name, part]) => [name, of(part)])), { requiredKeys });
  const others = schema.additionalProperties as unknown;
  if (typeof others === 'object' && others !== null && open.length === 0) {
    return fc.dictionary(fc.constantFrom('a', 'b', '1', 'ü', ''), of(others as Json), { maxKeys: 3 });
  }
  if (others !== true || open.length > 0) return fields;
  return fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'ü', ''), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
}

export function resolve(ref: string, document: Json): Json {
  return ref
    .replace('#/', '')
    .split('/')
    .reduce<Json>((value, name) => value[name], document);
}

/** One place of a value replaced, removed, or added to: most of these the schema forbids. */
export function mutations(value: unknown): fc.Arbitrary<unknown> {
  return fc.tuple(fc.nat(), fc.nat({ max: 6 }), anything).map(([place, how, other]) => {
    const copy = structuredClone(value);
    const places = placesOf(copy);
    const at = places[place % places.length];
    if (at === undefined) return other;
    const { owner, key } = at;
    switch (how) {
      case 0:
        if (Array.isArray(owner)) owner.splice(Number(key), 1);
        else delete owner[key];
        break;
      case 1:
        if (Array.isArray(owner)) owner.push(other);
        else owner['unknown_field'] = other;
        break;
      case 2:
        owner[key as never] = [owner[key as never]] as never;
        break;
      case 3:
        owner[key as never] = Array(100_001).fill(0) as never;
        break;
      case 4:
        owner[key as never] = (typeof owner[key as never] === 'number' ? 1e300 : 'x'.repeat(300)) as never;
        break;
      default:
        owner[key as never] = other as never;
    }
    return copy;
  });
}

interface Place {
  readonly owner: Record<string, unknown> | unknown[];
  readonly key: string;
}

function placesOf(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const owner = value as Record<string, unknown>;
  return Object.keys(owner).flatMap((key) => [{ owner, key }, ...placesOf(owner[key])]);
}
