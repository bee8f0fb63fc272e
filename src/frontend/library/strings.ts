/**
 * Text. Objectives use it for messages, names of columns, keys and modes: text of known parts is known; text that shows a
 * number depending on x is a value of its own (`text`), which may be printed, put into an exception or dropped, and
 * nothing else.
 */
import { LaneStatus } from '../../ir/types.js';
import type { ExpressionOf, Position } from '../syntax/ast.js';
import type { LibraryMachine } from './library-machine.js';
import {
  NONE,
  TEXT,
  Unsupported,
  bool,
  int,
  isBoolKind,
  isIntKind,
  isNumPyKind,
  string,
  tuple,
  typeName,
  type Call,
  type Scalar,
  type Value,
} from '../values/values.js';
import { classMember } from '../values/classes.js';
import { builtin } from './arguments.js';

/** `repr` of a Python float: the shortest digits that read back the same, in Python's layout. */
export function floatText(value: number): string {
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

export function stringMethod(ev: LibraryMachine, text: string, name: string, position: Position): Value {
  const method = (run: (call: Call) => Value): Value => builtin(`str.${name}`, run);
  const made = (call: Call, value: string): Value => {
    ev.work.step(call.position, value.length);
    return string(value);
  };
  const isAscii = /^[\x20-\x7e]*$/.test(text);
  /** What counts as a space, and how text is cut into lines, is the same in all languages for such text. */
  const hasPlainSpaces = /^[\t\n\r\x20-\x7e]*$/.test(text);
  /** The arguments, which are text or None; more, fewer and others are for CPython. */
  const texts = (call: Call, least: number, most: number): (string | null)[] => {
    const isFine = call.args.length >= least && call.args.length <= most && call.keywords.size === 0;
    const found = call.args.map((v) => (v.tag === 'string' ? v.value : v.tag === 'none' ? null : undefined));
    if (!isFine || found.includes(undefined)) throw new Unsupported(`the arguments of str.${name}()`, call.position);
    return found as (string | null)[];
  };
  const given = (call: Call, count: number): string[] => {
    const found = texts(call, count, count);
    if (found.includes(null)) throw new Unsupported(`the arguments of str.${name}()`, call.position);
    return found as string[];
  };
  switch (name) {
    case 'format':
      return method((call) => formatMethod(text, call));
    case 'join':
      return method((call) => {
        const parts = ev.sequences.iterate(call.args[0] ?? NONE, call.position);
        if (parts.some((part) => part.tag !== 'string' && part.tag !== 'text')) {
          return ev.ops.raise(LaneStatus.Raised, 'TypeError');
        }
        return parts.reduce<Value>(
          (joined, part, k) => concatenated(k === 0 ? joined : concatenated(joined, string(text)), part),
          string(''),
        );
      });
    case 'startswith':
    case 'endswith':
      return method((call) => {
        const [first] = call.args;
        const parts = first?.tag === 'tuple' && call.args.length === 1 ? first.items : [first];
        const has = (part: string): boolean => (name === 'startswith' ? text.startsWith(part) : text.endsWith(part));
        return bool(parts.some((part) => has(given({ ...call, args: [part as Value, ...call.args.slice(1)] }, 1)[0])));
      });
    case 'removeprefix':
    case 'removesuffix':
      return method((call) => {
        const [part] = given(call, 1);
        if (name === 'removeprefix') return string(text.startsWith(part) ? text.slice(part.length) : text);
        return string(part !== '' && text.endsWith(part) ? text.slice(0, -part.length) : text);
      });
    case 'replace':
      return method((call) => {
        const [from, to] = given(call, 2);
        if (from === '') throw new Unsupported('str.replace() of empty text', call.position);
        return made(
          call,
          text.replaceAll(from, () => to),
        );
      });
    case 'count':
    case 'find':
    case 'index':
      if (!isAscii) break;
      return method((call) => {
        const [part] = given(call, 1);
        if (name === 'count') return int(part === '' ? text.length + 1 : text.split(part).length - 1);
        const at = text.indexOf(part);
        return at < 0 && name === 'index' ? ev.ops.raise(LaneStatus.Raised, 'ValueError') : int(at);
      });
    case 'split':
      return method((call) => {
        const limit =
          call.args.length === 2 ? ev.items.staticInt(call.args[1], call.position, 'a number of splits') : -1;
        const [separator = null] = texts({ ...call, args: call.args.slice(0, 1) }, 0, 1);
        if (call.args.length > 2) throw new Unsupported('the arguments of str.split()', call.position);
        if (separator === '') return ev.ops.raise(LaneStatus.Raised, 'ValueError');
        if (separator === null) {
          if (limit >= 0 || !hasPlainSpaces) throw new Unsupported('str.split() of this text', call.position);
          return ev.cells.list(text.split(/[\t\n\r ]+/).flatMap((p) => (p === '' ? [] : [string(p)])));
        }
        const parts = text.split(separator);
        const kept = limit < 0 ? parts : parts.slice(0, limit);
        const rest = limit < 0 || parts.length <= limit ? [] : [parts.slice(limit).join(separator)];
        return ev.cells.list([...kept, ...rest].map(string));
      });
    case 'splitlines':
      if (!hasPlainSpaces) break;
      return method((call) => {
        texts(call, 0, 0);
        const lines = text.split(/\r\n|\r|\n/);
        return ev.cells.list((lines.at(-1) === '' ? lines.slice(0, -1) : lines).map(string));
      });
    case 'strip':
    case 'lstrip':
    case 'rstrip':
      if (!hasPlainSpaces) break;
      return method((call) => {
        const [characters = null] = texts(call, 0, 1);
        const isOff = (c: string): boolean => (characters ?? '\t\n\r ').includes(c);
        let [start, end] = [0, text.length];
        if (name !== 'rstrip') while (start < end && isOff(text[start])) start++;
        if (name !== 'lstrip') while (end > start && isOff(text[end - 1])) end--;
        return string(text.slice(start, end));
      });
    case 'upper':
    case 'lower':
      // Beyond ASCII, case depends on tables that differ between versions.
      if (!isAscii) break;
      return method(() => string(name === 'upper' ? text.toUpperCase() : text.toLowerCase()));
    case 'isdigit':
      if (!isAscii) break;
      return method(() => bool(/^\d+$/.test(text)));
    case 'partition':
      return method((call) => {
        const [separator] = given(call, 1);
        if (separator === '') return ev.ops.raise(LaneStatus.Raised, 'ValueError');
        const at = text.indexOf(separator);
        const parts = at < 0 ? [text, '', ''] : [text.slice(0, at), separator, text.slice(at + separator.length)];
        return tuple(parts.map(string));
      });
  }
  throw new Unsupported(`the method '${name}' of text`, position);
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
