/** Methods of text that is known. */
import { LaneStatus } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import { table, type Table } from '../values/table.js';
import { bool, int, NONE, string, tuple, Unsupported, type Call, type Value } from '../values/values.js';
import type { LibraryMachine } from './library-machine.js';
import { methodOf, type MethodRow } from './python-row.js';
import { formatMethod, joinedTexts } from './strings.js';

/** The arguments, which are text or None; more, fewer and others are for CPython. */
function texts(name: string, call: Call, least: number, most: number): (string | null)[] {
  const isFine = call.args.length >= least && call.args.length <= most && call.keywords.size === 0;
  const found = call.args.map((v) => (v.tag === 'string' ? v.value : v.tag === 'none' ? null : undefined));
  if (!isFine || found.includes(undefined)) throw new Unsupported(`the arguments of str.${name}()`, call.position);
  return found as (string | null)[];
}

function given(name: string, call: Call, count: number): string[] {
  const found = texts(name, call, count, count);
  if (found.includes(null)) throw new Unsupported(`the arguments of str.${name}()`, call.position);
  return found as string[];
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Such text has the same spaces in all languages, and is cut into the same lines. */
const hasPlainSpaces = (text: string): boolean => /^[\t\n\r\x20-\x7e]*$/.test(text);

interface TextRow {
  readonly method: MethodRow<string>;
  /** Text for which it is translated; absent: any. */
  readonly isFor?: (text: string) => boolean;
}

const method = methodOf<string>();

const ofText = (
  parameters: string,
  call: (ev: LibraryMachine, text: string, call: Call) => Value,
  isFor?: (text: string) => boolean,
): TextRow => ({
  method: method(parameters, (ev, text, given) => {
    ev.knownTexts.count(text.length, given.position);
    return call(ev, text, given);
  }),
  isFor,
});

const begins = (name: string, has: (text: string, part: string) => boolean): TextRow =>
  ofText('affix, ~start=, ~end=, /', (ev, text, call) => {
    const [first] = call.args;
    const parts = first?.tag === 'tuple' && call.args.length === 1 ? first.items : [first];
    const isPart = (part: Value): boolean => {
      const [affix] = given(name, { ...call, args: [part, ...call.args.slice(1)] }, 1);
      ev.knownTexts.count(affix.length, call.position);
      return has(text, affix);
    };
    return bool(parts.some((part) => isPart(part as Value)));
  });

const found = (name: 'find' | 'index'): TextRow =>
  ofText(
    'sub, ~start=, ~end=, /',
    (ev, text, call) => {
      const [part] = given(name, call, 1);
      ev.knownTexts.countSearch(text, part, call.position);
      const at = text.indexOf(part);
      return at < 0 && name === 'index' ? ev.ops.raise(LaneStatus.Raised, 'ValueError') : int(at);
    },
    isAscii,
  );

const stripped = (name: 'strip' | 'lstrip' | 'rstrip'): TextRow =>
  ofText(
    'chars=, /',
    (ev, text, call) => {
      const [given = null] = texts(name, call, 0, 1);
      const characters = new Set(given === null ? '\t\n\r ' : ev.knownTexts.characters(given, call.position));
      const isOff = (c: string): boolean => characters.has(c);
      let [start, end] = [0, text.length];
      if (name !== 'rstrip') while (start < end && isOff(text[start])) start++;
      if (name !== 'lstrip') while (end > start && isOff(text[end - 1])) end--;
      return ev.knownTexts.part(text, start, end, call.position);
    },
    hasPlainSpaces,
  );

const inOtherCase =
  (change: (text: string) => string) =>
  (ev: LibraryMachine, text: string, call: Call): Value =>
    ev.knownTexts.make(text.length, () => change(text), call.position);

function split(ev: LibraryMachine, text: string, call: Call): Value {
  const limit = call.args.length === 2 ? ev.items.staticInt(call.args[1], call.position, 'a number of splits') : -1;
  const [separator = null] = texts('split', { ...call, args: call.args.slice(0, 1) }, 0, 1);
  if (call.args.length > 2) throw new Unsupported('the arguments of str.split()', call.position);
  if (separator === '') return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  if (separator === null) {
    if (limit >= 0 || !hasPlainSpaces(text)) throw new Unsupported('str.split() of this text', call.position);
    return ev.cells.list(text.split(/[\t\n\r ]+/).flatMap((p) => (p === '' ? [] : [string(p)])));
  }
  const parts = ev.knownTexts.split(text, separator, call.position);
  const kept = limit < 0 ? parts : parts.slice(0, limit);
  const rest = limit < 0 || parts.length <= limit ? [] : [parts.slice(limit).join(separator)];
  return ev.cells.list([...kept, ...rest].map(string));
}

const TEXT_METHODS: Table<TextRow> = table({
  format: ofText('*args, **kwargs', (ev, text, call) => formatMethod(ev, text, call)),
  join: ofText('iterable, /', (ev, text, call) => {
    const parts = ev.sequences.iterate(call.args[0] ?? NONE, call.position);
    if (parts.some((part) => part.tag !== 'string' && part.tag !== 'text'))
      return ev.ops.raise(LaneStatus.Raised, 'TypeError');
    return joinedTexts(ev, parts, text, call.position);
  }),
  startswith: begins('startswith', (text, part) => text.startsWith(part)),
  endswith: begins('endswith', (text, part) => text.endsWith(part)),
  removeprefix: ofText('prefix, /', (ev, text, call) => {
    const [part] = given('removeprefix', call, 1);
    return ev.knownTexts.part(text, text.startsWith(part) ? part.length : 0, text.length, call.position);
  }),
  removesuffix: ofText('suffix, /', (ev, text, call) => {
    const [part] = given('removesuffix', call, 1);
    const end = text.endsWith(part) ? text.length - part.length : text.length;
    return ev.knownTexts.part(text, 0, end, call.position);
  }),
  replace: ofText('old, new, ~count=', (ev, text, call) => {
    const [from, to] = given('replace', call, 2);
    if (from === '') throw new Unsupported('str.replace() of empty text', call.position);
    return ev.knownTexts.replaced(text, from, to, call.position);
  }),
  count: ofText(
    'sub, ~start=, ~end=, /',
    (ev, text, call) => {
      const [part] = given('count', call, 1);
      return int(part === '' ? text.length + 1 : ev.knownTexts.split(text, part, call.position).length - 1);
    },
    isAscii,
  ),
  find: found('find'),
  index: found('index'),
  split: ofText('sep=, maxsplit=', split),
  splitlines: ofText(
    '~keepends=',
    (ev, text, call) => {
      texts('splitlines', call, 0, 0);
      const lines = text.split(/\r\n|\r|\n/);
      return ev.cells.list((lines.at(-1) === '' ? lines.slice(0, -1) : lines).map(string));
    },
    hasPlainSpaces,
  ),
  strip: stripped('strip'),
  lstrip: stripped('lstrip'),
  rstrip: stripped('rstrip'),
  // Beyond ASCII, case depends on tables that differ between versions.
  upper: ofText(
    '',
    inOtherCase((text) => text.toUpperCase()),
    isAscii,
  ),
  lower: ofText(
    '',
    inOtherCase((text) => text.toLowerCase()),
    isAscii,
  ),
  isdigit: ofText('', (_ev, text) => bool(/^\d+$/.test(text)), isAscii),
  partition: ofText('sep, /', (ev, text, call) => {
    const [separator] = given('partition', call, 1);
    if (separator === '') return ev.ops.raise(LaneStatus.Raised, 'ValueError');
    ev.knownTexts.countSearch(text, separator, call.position);
    const at = text.indexOf(separator);
    const parts = at < 0 ? [text, '', ''] : [text.slice(0, at), separator, text.slice(at + separator.length)];
    return tuple(parts.map(string));
  }),
});

export function textMethod(ev: LibraryMachine, text: string, name: string, position: Position): Value {
  // Which text a method is for is asked of its characters.
  ev.knownTexts.count(text.length, position);
  const row = TEXT_METHODS[name];
  if (row === undefined || row.isFor?.(text) === false) throw new Unsupported(`the method '${name}' of text`, position);
  return row.method(ev, `str.${name}`, text);
}
