/**
 * Text. Objectives use it for messages, names of columns, keys and modes: text of known parts is known; text that shows a
 * number depending on x is a value of its own (`text`), which may be printed, put into an exception or dropped, and
 * nothing else.
 */
import { LaneStatus } from '../../ir/types.js';
import type { ExpressionOf, Position } from '../syntax/ast.js';
import type { LibraryMachine } from './library-machine.js';
import {
  TEXT,
  Unsupported,
  int,
  isBoolKind,
  isIntKind,
  isNumPyKind,
  string,
  typeName,
  type Call,
  type Scalar,
  type Value,
} from '../values/values.js';
import { classMember } from '../values/classes.js';

/** `repr` of a Python float: the shortest digits that read back the same, in Python's layout. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [digits, exponentText] = Math.abs(value).toExponential().split('e');
  const exponent = Number(exponentText);
  const sign = value < 0 ? '-' : '';
  if (exponent < -4 || exponent >= 16) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${digits}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  const plain = digits.replace('.', '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${plain}`;
  const padded = plain.padEnd(exponent + 1, '0');
  return `${sign}${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1) || '0'}`;
}

/** `str(value)`. */
export function textOf(value: Value, position: Position): Value {
  switch (value.tag) {
    case 'string':
    case 'text':
      return value;
    case 'none':
      return string('None');
    case 'exception':
      if (typeof value.raised !== 'string' && value.raised.some((cls) => typeof cls !== 'string'))
        throw new Unsupported('the text of an exception of this source', position);
      return TEXT;
    case 'scalar':
      if (value.known === undefined) return TEXT;
      if (isBoolKind(value.kind)) return string(value.known !== 0 ? 'True' : 'False');
      return string(isIntKind(value.kind) ? String(value.known) : floatText(value.known));
    case 'complex':
    case 'list':
    case 'tuple':
    case 'dict':
    case 'ndarray':
    case 'complexarray':
    case 'type':
    case 'function':
    case 'builtin':
    case 'iterator':
      return TEXT;
    default:
      throw new Unsupported(`the text of ${typeName(value)}`, position);
  }
}

const ALIGNED = String.raw`(?:.?[<>=^])?[+\- ]?z?#?0?\d*[,_]?`;
const FLOAT_FORMAT = new RegExp(`^${ALIGNED}(?:\\.\\d+)?[eEfFgGn%]?$`);
const INT_FORMAT = new RegExp(`^${ALIGNED}(?:[bdoxXn]|(?:\\.\\d+)?[eEfFgG%])?$`);
const TEXT_FORMAT = /^(?:.?[<>^])?0?\d*(?:\.\d+)?s?$/;

/** The text of a value under a format specification; ones that the value's type refuses are for CPython. */
export function formatted(value: Value, specification: Value, position: Position): Value {
  if (specification.tag !== 'string') throw new Unsupported('a format specification that is computed', position);
  const { value: text } = specification;
  if (text === '') return textOf(value, position);
  const isFine =
    value.tag === 'scalar'
      ? (isIntKind(value.kind) || value.kind === 'bool' ? INT_FORMAT : FLOAT_FORMAT).test(text)
      : (value.tag === 'string' || value.tag === 'text') && TEXT_FORMAT.test(text);
  if (!isFine) throw new Unsupported(`the format '${text}' for ${typeName(value)}`, position);
  const digits = /^0?(\d*)d?$/.exec(text);
  if (digits === null || value.tag !== 'scalar' || value.known === undefined || !isIntKind(value.kind)) return TEXT;
  // Whole numbers with a width, as they are used in keys.
  const plain = String(Math.abs(value.known));
  const width = Number(digits[1] === '' ? 0 : digits[1]);
  const sign = value.known < 0 ? '-' : '';
  return string(
    text.startsWith('0') ? sign + plain.padStart(width - sign.length, '0') : (sign + plain).padStart(width),
  );
}

/** An f-string from the values of its parts. */
export function joinedText(
  node: ExpressionOf<'JoinedString'>,
  parts: readonly Value[],
  plainText: typeof textOf = textOf,
): Value {
  let result: Value = string('');
  node.roles.forEach((role, k) => {
    if (role === 'specification') return;
    const isFormatted = node.roles[k + 1] === 'specification';
    const text = fieldText(parts[k], role === 'converted', isFormatted ? parts[k + 1] : string(''), node, plainText);
    result = concatenated(result, text);
  });
  return result;
}

function fieldText(
  value: Value,
  isConverted: boolean,
  specification: Value,
  position: Position,
  plainText: typeof textOf,
): Value {
  if (!isConverted && !(specification.tag === 'string' && specification.value === ''))
    return formatted(value, specification, position);
  const text = plainText(value, position);
  return isConverted ? formatted(TEXT, specification, position) : text;
}

/** The text of anything that is shown and dropped: only what its own methods would do is not followed. */
export function droppedText(value: Value, position: Position): Value {
  const own = ['__str__', '__repr__', '__format__'];
  if (value.tag === 'instance' && own.some((name) => classMember(value.cls, name) !== undefined))
    return textOf(value, position);
  return TEXT;
}

export function concatenated(a: Value, b: Value): Value {
  return a.tag === 'string' && b.tag === 'string' ? string(a.value + b.value) : TEXT;
}

const PERCENT_FIELD = /%[#0\- +]*\d*(?:\.\d+)?([a-zA-Z%])/g;

/** `'...' % values`. */
export function percentText(
  ev: LibraryMachine,
  template: Value,
  values: Value,
  position: Position,
  plainText: typeof textOf = textOf,
): Value {
  if (template.tag !== 'string') throw new Unsupported('a format that is computed', position);
  const isMapping =
    values.tag === 'scalar' ? isNumPyKind(values.kind) : !['none', 'string', 'text', 'tuple'].includes(values.tag);
  if (template.value.replace(PERCENT_FIELD, '').includes('%')) throw new Unsupported('a format of this kind', position);
  const items = values.tag === 'tuple' ? ev.sequences.iterate(values, position) : [values];
  const fields = [...template.value.matchAll(PERCENT_FIELD)].filter((m) => m[1] !== '%');
  if (fields.length === 0 && isMapping) throw new Unsupported('a format without fields', position);
  if (fields.length > items.length || (fields.length < items.length && items.length > 0))
    return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  fields.forEach(([field, letter], k) => {
    const item = items[k];
    if (/[sra]/.test(letter)) {
      plainText(item, position);
      return;
    }
    const isFine = item.tag === 'scalar' && (/[eEfFgG]/.test(letter) || (/[di]/.test(letter) && isIntKind(item.kind)));
    if (!isFine) throw new Unsupported(`the format '${field}' for ${typeName(item)}`, position);
  });
  return TEXT;
}

/** `'...'.format(...)`. */
export function formatMethod(template: string, call: Call, plainText: typeof textOf = textOf): Value {
  const field = /\{\{|\}\}|\{([^{}:!]*)(![rsa])?(?::([^{}]*))?\}/g;
  const keys = [...template.matchAll(field)].flatMap(([, key]) => (key === undefined ? [] : [key]));
  const isMixed = keys.includes('') && keys.some((key) => /^\d+$/.test(key));
  if (isMixed || /[{}]/.test(template.replace(field, '')))
    throw new Unsupported('a format of this kind', call.position);
  let next = 0;
  let isKnown = true;
  const text = template.replace(field, (whole, key: string | undefined, conversion, spec) => {
    if (key === undefined) return whole[0];
    const value = key === '' ? call.args[next++] : /^\d+$/.test(key) ? call.args[Number(key)] : call.keywords.get(key);
    if (value === undefined) throw new Unsupported(`the field {${key}} of format()`, call.position);
    const specification = string((spec as string | undefined) ?? '');
    const shown = fieldText(value, conversion !== undefined, specification, call.position, plainText);
    if (shown.tag === 'string') return shown.value;
    isKnown = false;
    return '';
  });
  return isKnown ? string(text) : TEXT;
}

/** Without the white space around it. What is white space differs between Python and here beyond ASCII, and for four of ASCII's. */
export function trimmed(text: string, position: Position): string {
  if (/[\x1c-\x1f]|[^\x00-\x7f]/.test(text)) throw new Unsupported('the white space of this text', position);
  return text.trim();
}

/** `int('12')`. */
export function intOfText(ev: LibraryMachine, text: string, call: Call): Scalar {
  if (!/^[+-]?\d+(?:_\d+)*$/.test(trimmed(text, call.position))) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(value)) throw new Unsupported('integers beyond 2**53 need exact arithmetic', call.position);
  return int(value);
}
