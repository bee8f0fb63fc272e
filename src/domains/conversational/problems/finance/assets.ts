/** Assets in a message: a return and a volatility of each, and prices. */
import type { Message } from '../../message.js';
import type { Finding } from '../../slots.js';
import { namedNumbers, longestRun, namesInARow, sameName } from '../../lists.js';
import { type ReadContext, namesOf, rowsOf } from '../../problem.js';
import { pastedTable, rowsAs, insideTable } from '../../tables.js';
import type { Json, JsonObject } from '../../../../model/problem.js';

const ASSET_COLUMNS = { id: /^(?:id|name|asset|ticker|symbol|fund|stock)/, expected_return: /return|mu|mean/, volatility: /vol|risk|sd|std|sigma|deviation/ }; // prettier-ignore

type Role = 'return' | 'risk' | null;
const RISK = '(?:vol|volatility|volatilities|risk|std|sd|deviation|sigma)';
const RETURN = '(?:returns?|returning|yields?|earns?|mean)';
const IS = '(?: (?:of|is|about|around))* ?[:=]? ?$';
const AFTER = '^ ?(?:(?!and\\b)\\w+\\.? )?';
const before = (words: string): RegExp => new RegExp(`\\b${words}${IS}`);
const after = (words: string): RegExp => new RegExp(`${AFTER}(?:standard )?${words}\\b`);
const [RISK_BEFORE, RETURN_BEFORE, RISK_AFTER, RETURN_AFTER] = [
  before(RISK),
  before(RETURN),
  after(RISK),
  after(RETURN),
];

/** Roles that the words beside two numbers give them: "returns 10% with risk 20", "18% volatility and 8% return". */
function rolesOf({ plain, quantities }: Message, a: number, b: number): readonly [Role, Role] {
  const [first, second] = [quantities[a], quantities[b]];
  const gap = plain.slice(first.end, second.start);
  const head = plain.slice(Math.max(quantities[a - 1]?.end ?? 0, first.start - 26), first.start);
  const tail = plain.slice(second.end, Math.min(second.end + 26, quantities[b + 1]?.start ?? Infinity)).split(/[,;()]/)[0] ?? ''; // prettier-ignore
  const ahead: Role = RISK_BEFORE.test(head) ? 'risk' : RETURN_BEFORE.test(head) ? 'return' : null;
  const behind: Role = RISK_AFTER.test(tail) ? 'risk' : RETURN_AFTER.test(tail) ? 'return' : null;
  const ofFirst: Role = RISK_AFTER.test(gap) ? 'risk' : RETURN_AFTER.test(gap) ? 'return' : null;
  const ofSecond: Role = RISK_BEFORE.test(gap) ? 'risk' : RETURN_BEFORE.test(gap) ? 'return' : null;
  // A word between both belongs to the one that has no other.
  if (ahead !== null) return [ahead, ofSecond ?? behind];
  return behind !== null ? [ofFirst, behind] : [ofFirst, ofFirst === ofSecond ? null : ofSecond];
}

/** A price for each asset: "280, 72", or each with its name. */
export function readPrices(message: Message, own: readonly string[]): Finding[] {
  const isPrice = ({ isPercent, unit, value, isWeak }: Message['quantities'][number]): boolean => !isPercent && unit === null && value > 0 && !isWeak; // prettier-ignore
  const named = namedNumbers(message, 1, isPrice, own);
  const used =
    named.length === own.length ? named.flatMap(({ numbers }) => numbers) : [...longestRun(message, isPrice)];
  if (used.length !== own.length || own.length === 0) return [];
  const at = own.map((id, j) => (named.length === own.length ? named.find(({ name }) => name === id)?.numbers[0] : used[j])); // prettier-ignore
  if (at.some((i) => i === undefined)) return [];
  const text = message.text.slice(message.quantities[used[0]].start, message.quantities[used.at(-1)!].end);
  return [{ slot: 'prices_now', value: at.map((i) => message.quantities[i!].value), text, confidence: 0.9, used }];
}

/** Assets: a table, names with two numbers each, or names alone. */
export function readAssets(message: Message, { known, asked }: ReadContext): Finding[] {
  const table = pastedTable(message.text);
  const rows = table === null ? null : rowsAs(table, ASSET_COLUMNS, ['id', 'expected_return', 'volatility']);
  if (rows !== null) {
    const used = insideTable(message, table!);
    const percent = (value: Json | undefined): Json =>
      typeof value === 'number' && Math.abs(value) > 1.5 ? value / 100 : value!;
    const assets = rows.map((row) => ({ ...row, expected_return: percent(row['expected_return']), volatility: percent(row['volatility']) })); // prettier-ignore
    return [{ slot: 'assets', value: assets, text: `a table of ${rows.length} rows`, confidence: 0.95, used }];
  }
  const row = namesInARow(message, asked === 'assets');
  const earlier = namesOf(known('assets.names'));
  const own = earlier.length > 0 ? earlier : (row?.names ?? []);
  const excluded = /\bcorr|risk[ -]?free|bank|treasury|deposit|t-?bill|rho|money market|savings account/;
  const isOne = (index: number): boolean => {
    const one = message.quantities[index];
    if (one.currency !== null || one.comparison !== null || one.isWeak || one.unit !== null || one.range !== null)
      return false;
    const isSaid = /\b(?:returns?|risk|vol|volatility|sd|std|sigma|deviation|yields?|earns?)(?: (?:of|is|about|around))* ?[:=]? ?$/.test(message.plain.slice(Math.max(0, one.start - 24), one.start)); // prettier-ignore
    if (asked === 'correlation' && !one.isPercent) return false;
    if (!one.isPercent && !(Math.abs(one.value) < 1 && one.value !== 0) && !(isSaid && one.value <= 100)) return false;
    // "9/17" are two numbers, whatever they make when divided.
    if (!one.isPercent && message.plain.slice(one.start, one.end).includes('/')) return false;
    const sentence =
      message.plain
        .slice(Math.max(0, one.start - 200), one.start)
        .split(/[;!?\n]|\.\s/)
        .at(-1) ?? '';
    if (!one.isPercent && /\bcorr|\brho\b/.test(sentence)) return false;
    const from = Math.max(message.quantities[index - 1]?.end ?? 0, one.start - 34);
    return !excluded.test(message.plain.slice(from, one.start)) && !/^ (?:risk[ -]?free|in the bank|correl)/.test(message.plain.slice(one.end, one.end + 14)); // prettier-ignore
  };
  // Names that were given in a row may be incomplete: then the numbers' own words name the assets.
  const isAsset = (_: unknown, i: number): boolean => isOne(i);
  let pairs = namedNumbers(message, 2, isAsset, own);
  const free = namedNumbers(message, 2, isAsset, []);
  if (free.length > pairs.length)
    pairs = free.map(({ name, numbers }) => ({ name: sameName(name, own) ?? name, numbers }));
  const before = rowsOf(known('assets'));
  if (pairs.length === 0) {
    return row === null || before.length > 0 || (earlier.length > 0 && asked !== 'assets')
      ? []
      : [{ slot: 'assets.names', value: [...row.names], text: row.names.join(', '), confidence: 0.7 }];
  }
  // A single pair is an asset only where others are: "5 percent alpha and 80 percent power" has no assets.
  // "risk 20" beside a return of 10% is 20 percent.
  const valueAt = (index: number): number => {
    const { value, isPercent } = message.quantities[index];
    return !isPercent && value >= 1 ? value / 100 : value;
  };
  const assets = pairs.flatMap(({ name, numbers: [a = 0, b = 0] }) => {
    const [first, second] = rolesOf(message, a, b);
    // Two returns or two risks are no asset.
    if (first !== null && first === second) return [];
    const swaps = first === 'risk' || (second === 'return' && first === null);
    return [{ id: name, expected_return: valueAt(swaps ? b : a), volatility: valueAt(swaps ? a : b) }];
  });
  if (assets.length === 0) return [];
  const merged = new Map<string, JsonObject>(before.map((asset) => [String(asset['id']).toLowerCase(), asset]));
  for (const asset of assets) merged.set(asset.id.toLowerCase(), asset);
  const first = message.quantities[pairs[0].numbers[0]];
  const last = message.quantities[pairs.at(-1)!.numbers.at(-1)!];
  const used = pairs.flatMap(({ numbers }) => numbers);
  return [{ slot: 'assets', value: [...merged.values()], text: message.text.slice(first.start, last.end), confidence: 0.85, used }]; // prettier-ignore
}
