/**
 * Text. Objectives use it for messages, names of columns, keys and modes: text of known parts is known; text that shows
 * a number depending on x is a value of its own (`text`), which may be printed, put into an exception or dropped, and
 * nothing else.
 */
import { LaneStatus } from '../../ir/types.js';
import type { ExpressionOf, Position } from '../syntax/ast.js';
import { MAX_TEXT, tooLarge } from '../machine/work.js';
import { floatText } from './float-text.js';
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

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}...` : text);

const ALIGNED = String.raw`(?:.?[<>=^])?[+\- ]?z?#?0?\d*[,_]?`;
const FLOAT_FORMAT = new RegExp(`^${ALIGNED}(?:\\.\\d+)?[eEfFgGn%]?$`);
const INT_FORMAT = new RegExp(`^${ALIGNED}(?:[bdoxXn]|(?:\\.\\d+)?[eEfFgG%])?$`);
const TEXT_FORMAT = /^(?:.?[<>^])?0?\d*(?:\.\d+)?s?$/;

/** The text of a value under a format specification; ones that the value's type refuses are for CPython. */
export function formatted(ev: LibraryMachine, value: Value, specification: Value, position: Position): Value {
  if (specification.tag !== 'string') throw new Unsupported('a format specification that is computed', position);
  const { value: text } = specification;
  if (text === '') return textOf(value, position);
  refuseWide(ev, text, position);
  const isFine =
    value.tag === 'scalar'
      ? (isIntKind(value.kind) || value.kind === 'bool' ? INT_FORMAT : FLOAT_FORMAT).test(text)
      : (value.tag === 'string' || value.tag === 'text') && TEXT_FORMAT.test(text);
  if (!isFine) throw new Unsupported(`the format '${shortened(text)}' for ${typeName(value)}`, position);
  const digits = /^0?(\d*)d?$/.exec(text);
  if (digits === null || value.tag !== 'scalar' || value.known === undefined || !isIntKind(value.kind)) return TEXT;
  // Whole numbers with a width, as they are used in keys.
  const plain = String(Math.abs(value.known));
  const width = Number(digits[1] === '' ? 0 : digits[1]);
  const sign = value.known < 0 ? '-' : '';
  return ev.knownTexts.padded(sign, plain, width, text.startsWith('0') ? '0' : ' ', position);
}

/** Text that is not made here may be too large for CPython, too. */
function refuseWide(ev: LibraryMachine, format: string, position: Position): void {
  ev.knownTexts.count(format.length, position);
  for (const [digits] of format.matchAll(/\d+/g)) if (Number(digits) > MAX_TEXT) throw tooLarge(position);
}

/** An f-string from the values of its parts. */
export function joinedText(
  ev: LibraryMachine,
  node: ExpressionOf<'JoinedString'>,
  parts: readonly Value[],
  plainText: typeof textOf = textOf,
): Value {
  let result: Value = string('');
  node.roles.forEach((role, k) => {
    if (role === 'specification') return;
    const isFormatted = node.roles[k + 1] === 'specification';
    const text = fieldText(
      ev,
      parts[k],
      role === 'converted',
      isFormatted ? parts[k + 1] : string(''),
      node,
      plainText,
    );
    result = concatenated(ev, result, text, node);
  });
  return result;
}

function fieldText(
  ev: LibraryMachine,
  value: Value,
  isConverted: boolean,
  specification: Value,
  position: Position,
  plainText: typeof textOf,
): Value {
  if (!isConverted && !(specification.tag === 'string' && specification.value === ''))
    return formatted(ev, value, specification, position);
  const text = plainText(value, position);
  return isConverted ? formatted(ev, TEXT, specification, position) : text;
}

/** The text of anything that is shown and dropped: only what its own methods would do is not followed. */
export function droppedText(value: Value, position: Position): Value {
  const own = ['__str__', '__repr__', '__format__'];
  if (value.tag === 'instance' && own.some((name) => classMember(value.cls, name) !== undefined))
    return textOf(value, position);
  return TEXT;
}

export function concatenated(ev: LibraryMachine, a: Value, b: Value, position: Position): Value {
  return a.tag === 'string' && b.tag === 'string' ? ev.knownTexts.joined([a.value, b.value], '', position) : TEXT;
}

const PERCENT_FIELD = /%[#0\- +]*(?:[1-9]\d*)?(?:\.\d+)?([a-zA-Z%])/g;

/** `'...' % values`. */
export function percentText(
  ev: LibraryMachine,
  template: Value,
  values: Value,
  position: Position,
  plainText: typeof textOf = textOf,
): Value {
  if (template.tag !== 'string') throw new Unsupported('a format that is computed', position);
  ev.work.step(position, template.value.length);
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
    refuseWide(ev, field, position);
    if (/[sra]/.test(letter)) {
      plainText(item, position);
      return;
    }
    const isFine = item.tag === 'scalar' && (/[eEfFgG]/.test(letter) || (/[di]/.test(letter) && isIntKind(item.kind)));
    if (!isFine) throw new Unsupported(`the format '${shortened(field)}' for ${typeName(item)}`, position);
  });
  return TEXT;
}

/** `'...'.format(...)`. */
export function formatMethod(
  ev: LibraryMachine,
  template: string,
  call: Call,
  plainText: typeof textOf = textOf,
): Value {
  ev.work.step(call.position, template.length);
  const field = /\{\{|\}\}|\{([^{}:!]*)(![rsa])?(?::([^{}]*))?\}/g;
  const fields = [...template.matchAll(field)];
  const keys = fields.flatMap(([, key]) => (key === undefined ? [] : [key]));
  const isMixed = keys.includes('') && keys.some((key) => /^\d+$/.test(key));
  if (isMixed || /[{}]/.test(template.replace(field, '')))
    throw new Unsupported('a format of this kind', call.position);
  let next = 0;
  const pieces: Value[] = [];
  let end = 0;
  const plain = (from: number, to: number): Value => ev.knownTexts.part(template, from, to, call.position);
  for (const { 0: whole, 1: key, 2: conversion, 3: spec, index } of fields as FormatField[]) {
    pieces.push(plain(end, index));
    end = index + whole.length;
    if (key === undefined) {
      pieces.push(plain(index, index + 1));
      continue;
    }
    const value = key === '' ? call.args[next++] : /^\d+$/.test(key) ? call.args[Number(key)] : call.keywords.get(key);
    if (value === undefined) throw new Unsupported(`the field {${shortened(key)}} of format()`, call.position);
    const specification = spec === undefined ? string('') : plain(end - 1 - spec.length, end - 1);
    pieces.push(fieldText(ev, value, conversion !== undefined, specification, call.position, plainText));
  }
  pieces.push(plain(end, template.length));
  return joinedTexts(ev, pieces, '', call.position);
}

/** What is between braces; a brace that stands for itself has no key. */
interface FormatField {
  readonly 0: string;
  readonly 1?: string;
  readonly 2?: string;
  readonly 3?: string;
  readonly index: number;
}

/** Texts one after another, `separator` between them. */
export function joinedTexts(
  ev: LibraryMachine,
  pieces: readonly Value[],
  separator: string,
  position: Position,
): Value {
  const known = pieces.flatMap((piece) => (piece.tag === 'string' ? [piece.value] : []));
  return known.length === pieces.length ? ev.knownTexts.joined(known, separator, position) : TEXT;
}

/**
 * Without the white space around it. What is white space differs between Python and here beyond ASCII, and for four of
 * ASCII's.
 */
export function trimmed(ev: LibraryMachine, text: string, position: Position): string {
  ev.knownTexts.count(text.length, position);
  if (/[\x1c-\x1f]|[^\x00-\x7f]/.test(text)) throw new Unsupported('the white space of this text', position);
  return text.trim();
}

/** `int('12')`. */
export function intOfText(ev: LibraryMachine, text: string, call: Call): Scalar {
  if (!/^[+-]?\d+(?:_\d+)*$/.test(trimmed(ev, text, call.position)))
    return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(value)) throw new Unsupported('integers beyond 2**53 need exact arithmetic', call.position);
  return int(value);
}
