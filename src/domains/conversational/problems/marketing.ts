/** Budgets over channels, and the price of one product. */
import { power } from '../../../common/float.js';
import type { Json, JsonObject } from '../../../model/problem.js';
import { lastName, namePlaces, namedNumbers, namesInARow, sameName } from '../lists.js';
import type { Message } from '../message.js';
import { derived, fieldsOf, numberOf, shownNumber, rowsOf, namesOf, type Problem } from '../problem.js';
import type { Finding, Known, Slot } from '../slots.js';
import { insideTable, pastedTable, rowsAs } from '../tables.js';

const mapOf = (value: Json | undefined): JsonObject => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}); // prettier-ignore

/** Limits by channel in lower case, or `*` for all. */
const LIMITS = ['min_share', 'max_share', 'min', 'max'] as const;

const isProfit = (known: Known): boolean => known('objective') === 'maximize_profit';

const budgetSlots: readonly Slot[] = [
  {
    name: 'budget',
    kind: 'money',
    weakCues: 'with|next month|next quarter|next year|this year',
    cues: 'budget|total|have|money|funds|kitty|distribute|split|divide|allocate|to spend|to split|to divide|spend|altogether|in total|in all|overall|to distribute|to allocate|available|invest|to invest|a month for|pot|at our disposal|for marketing|for advertising|to play with|per month', // prettier-ignore
    against: 'gave|brought|got|last|each|per lead|margin|worth|conversion|revenue per|profit per|at least|at most',
    accepts: ({ comparison, isPercent }) => !isPercent && comparison === null,
    required: true,
    question: 'How much money is there to divide, per period?',
    example: '$50k',
  },
  {
    name: 'channels',
    kind: null,
    isList: true,
    required: true,
    question: 'For each channel: what do you spend on it now, and what does that bring?',
    example: 'Google 20k gave 400 leads, Facebook 15k gave 210',
    help: 'One period of the same length as the budget is enough: what each channel cost, and the leads or sales that came from it.', // prettier-ignore
  },
  ...LIMITS.map((name): Slot => ({
    name,
    kind: null,
    question: { min_share: 'Which share of the budget must each channel get at least?', max_share: 'Which share of the budget may a channel get at most?', min: 'How much money must the channels get at least?', max: 'How much money may the channels get at most?' }[name], // prettier-ignore
    example: name.endsWith('share') ? '20 percent each' : '5,000 on TV',
  })),
  {
    name: 'objective',
    kind: null,
    askOnce: true,
    default: 'maximize_response',
    choices: [
      { value: 'maximize_response', name: 'most response', cues: 'leads|sales|conversions|as many|most leads|clicks|signups|sign ups|reach|customers|orders|revenue|response|installs|subscribers|bookings|visits|downloads|volume|turnover|registrations|purchases|enquiries' }, // prettier-ignore
      {
        value: 'maximize_profit',
        name: 'most profit',
        cues: 'profit|margin|profits|earn the most|bottom line|net profit|contribution',
      },
    ],
    isAskedOnly: true,
    question: 'What should be as large as possible: the response (leads, sales) or the profit?',
    example: 'as many leads as possible',
  },
  {
    name: 'margin',
    kind: 'money',
    cues: 'margin|worth|profit per|per lead|per sale|per conversion|each lead|each sale|each conversion|a lead|a sale|a conversion|a customer is|per customer|per order|value of a', // prettier-ignore
    against: 'budget|spend',
    required: isProfit,
    question: 'How much money is one unit of response worth (the margin of a sale)?',
    example: '$40',
  },
  {
    name: 'response',
    kind: null,
    askOnce: (known) => !rowsOf(known('channels')).every((channel) => channel['response'] !== undefined) || known('channels') === undefined, // prettier-ignore
    default: { type: 'power', exponent: 0.5 },
    isAskedOnly: true,
    choices: [
      { value: { type: 'power', exponent: 0.5 }, name: 'square root', cues: 'diminishing|square root|power|saturates|flattens|decreasing returns|flatten|levels off|less and less' }, // prettier-ignore
    ],
    question: 'How do returns diminish as a channel gets more money? Four times the money brings twice the response (square root), unless you know better.', // prettier-ignore
    example: 'square root, or an exponent such as 0.6',
    help: 'An exponent of 0.5 is a common start; 1 would be no saturation at all.',
  },
];

const CHANNEL_COLUMNS = { id: /^(?:id|name|channel|media|medium|platform|source)/, current_spend: /spend|cost|budget|money|invest/, current_response: /response|lead|sale|conversion|click|order|result|signup|revenue|customer|install/ }; // prettier-ignore

const EACH = /\b(?:each|every|all|any|per channel|everyone|apiece|either|both)\b/;

/** "at least 20% on TV", "each at least 40 percent", "no more than 10k on radio". */
function limitsIn(
  message: Message,
  known: Known,
  asked: string | null,
  own: readonly string[],
  taken: ReadonlySet<number>,
): Finding[] {
  const found = new Map<string, { value: Record<string, Json>; used: number[]; text: string }>();
  const places = namePlaces(message, own);
  for (const [i, quantity] of message.quantities.entries()) {
    if (taken.has(i)) continue;
    const askedLimit = LIMITS.find((limit) => limit === asked);
    const { comparison } = quantity;
    const isLimit = comparison !== null || /\b(?:must|has to|should) (?:get|have|receive)|minimum|maximum/.test(message.plain.slice(Math.max(0, quantity.start - 40), quantity.start)); // prettier-ignore
    if (!isLimit && askedLimit === undefined) continue;
    const isLower = comparison === null ? (askedLimit ?? 'min').startsWith('min') : comparison === 'at_least' || comparison === 'more_than'; // prettier-ignore
    // "no more than" is caught before; a bare "over 5%" after "not" is a cap.
    const isShare =
      quantity.isPercent ||
      (quantity.value <= 1 && quantity.currency === null) ||
      (askedLimit?.endsWith('share') === true && quantity.value <= 100);
    if (!isShare && quantity.currency === null && quantity.value < 100) continue;
    const slot = isShare ? (isLower ? 'min_share' : 'max_share') : isLower ? 'min' : 'max';
    const value = isShare && !quantity.isPercent && quantity.value > 1 ? quantity.value / 100 : quantity.value;
    const near = message.plain.slice(Math.max(0, quantity.start - 45), quantity.end + 40);
    const closest = places
      .map(({ name, start }) => {
        if (start < quantity.start) return { name, distance: (quantity.start - start) * 1.3 };
        // "20% on TV" speaks of TV, "15% and print no more than" does not speak of print.
        const isJoined = /^[^,;.]{0,16}\b(?:on|for|to|in|into|via|of)(?: the| our)? ?$/.test(
          message.plain.slice(quantity.end, start),
        );
        return { name, distance: start - quantity.end + (isJoined ? 0 : 45) };
      })
      .filter(({ distance }) => distance < 45)
      .sort((a, b) => a.distance - b.distance)[0];
    const after = message.plain.slice(quantity.end, quantity.end + 25);
    const isAll = EACH.test(after) || (closest === undefined && (EACH.test(near) || asked !== null)) || (EACH.test(near) && closest !== undefined && closest.distance > 20); // prettier-ignore
    if (!isAll && closest === undefined) continue;
    const before = found.get(slot) ?? {
      value: asked === slot || isAll ? {} : { ...mapOf(known(slot)) },
      used: [],
      text: '',
    };
    before.value[isAll ? '*' : closest.name.toLowerCase()] = value;
    before.used.push(i);
    before.text = message.text.slice(Math.max(0, quantity.start - 20), quantity.end + 12).trim();
    found.set(slot, before);
  }
  return [...found].map(([slot, { value, used, text }]) => ({ slot, value, used, text, confidence: 0.85 }));
}

/** Money that is spoken of as the whole: "divides 45,000 of marketing money", "$50k to split". */
function isBudget({ plain, quantities }: Message, index: number): boolean {
  const { start, end } = quantities[index];
  const before = plain.slice(Math.max(0, start - 26), start);
  const after = plain.slice(end, end + 34);
  return (
    /\b(?:divides?|split|budget|total|allocate|distribute|altogether)(?: (?:of|is|about|my|our|a|the|comes to|will be|allocation))*:? ?$/.test(
      before,
    ) ||
    /^ ?(?:for|on) (?:my |our |the )?(?:ads?|advertising|marketing|media|campaigns?|promotion)\b/.test(after) ||
    /^ ?(?:of |in )?(?:\w+ )?(?:money|budget|funds|to (?:spend|split|divide|distribute|allocate|invest)|in total|altogether)\b/.test(
      after,
    )
  );
}

/** "each conversion is worth $80". */
const isWorth = ({ plain, quantities }: Message, index: number): boolean =>
  /\b(?:worth|margin|profit|value)(?: (?:of|is|about|around|per \w+|a \w+))* ?$/.test(plain.slice(Math.max(0, quantities[index].start - 30), quantities[index].start)); // prettier-ignore

/** "they each got 30k and brought 500, 300 and 200": one spend for all, a response for each. */
function distributed(message: Message, own: readonly string[]): Finding | null {
  if (own.length < 2 || !/\beach\b|\ball\b|\bevery\b/.test(message.plain)) return null;
  for (const [i, spend] of message.quantities.entries()) {
    if (spend.isPercent || spend.comparison !== null) continue;
    const rest = message.quantities.slice(i + 1, i + 1 + own.length);
    if (rest.length < own.length || rest.some(({ isPercent, unit }) => isPercent || unit !== null)) continue;
    const gaps = rest.slice(1).map((one, k) => message.plain.slice(rest[k].end, one.start));
    if (!gaps.every((gap) => /^[\s,/]*(?:and)?\s*$/.test(gap))) continue;
    const value = own.map((id, k) => ({ id, current_spend: spend.value, current_response: rest[k].value }));
    const used = Array.from({ length: own.length + 1 }, (_, k) => i + k);
    return { slot: 'channels', value, text: message.text.slice(spend.start, rest.at(-1)!.end), confidence: 0.8, used };
  }
  return null;
}

const FIGURE = '(\\d{1,3}(?:,\\d{3})+(?:\\.\\d{1,9})?|\\d{1,12}(?:\\.\\d{1,9})?)';
const SPENT = '(?:x|s|b|spend|spending|spent|budget|money|cost|amount)';
const TIMES = ' ?(?:\\*|x|times|\\u00b7)? ?';
/** "300*sqrt(spend)", "5 x^0.5", "40 ln(1 + spend/2000)". */
const CURVES: readonly { readonly form: RegExp; readonly curve: (scale: number, more: number) => JsonObject | null }[] =
  [
    {
      form: new RegExp(
        `${FIGURE}${TIMES}(?:sqrt|\\u221a|(?:the )?square root of)(?: the)? ?\\(? ?${SPENT}\\b ?\\)?()`,
        'g',
      ),
      curve: (scale) => ({ type: 'power', scale, exponent: 0.5 }),
    },
    {
      form: new RegExp(
        `${FIGURE}${TIMES}\\(? ?${SPENT} ?\\)? ?(?:\\^|\\*\\*) ?\\(? ?(0?\\.\\d{1,9}|1 ?/ ?2)(?![\\d.]) ?\\)?`,
        'g',
      ),
      curve: (scale, exponent) => (exponent > 0 && exponent < 1 ? { type: 'power', scale, exponent } : null),
    },
    {
      form: new RegExp(`${FIGURE}${TIMES}(?:ln|log) ?\\( ?1 ?\\+ ?${SPENT} ?/ ?${FIGURE} ?\\)`, 'g'),
      curve: (scale, half) => (half > 0 ? { type: 'log', scale, half } : null),
    },
  ];

/** Signs of a formula or a curve in words: its numbers are neither spends nor responses. */
const FORMULA = /sqrt|\u221a|square root of|\^|\*\*|\b(?:ln|log|exp) ?\(|\bsaturat|\bhalf[ -](?:saturation|of that|at)\b|\bper (?:dollar|euro|pound|\$|\u20ac|unit of spend)|\b(?:for|on) (?:each|every) (?:dollar|euro|pound) spent/; // prettier-ignore

/** Clauses with a formula: from one comma, stop or "and" to the next, brackets and thousands kept whole. */
function formulaClauses({ plain }: Message): readonly { readonly start: number; readonly end: number }[] {
  const found: { start: number; end: number }[] = [];
  let start = 0;
  for (const sign of [...plain.matchAll(/,(?!\d)|[;\n:]|\.(?!\d)| and |$/g)]) {
    if (FORMULA.test(plain.slice(start, sign.index))) found.push({ start, end: sign.index });
    start = sign.index + sign[0].length;
  }
  return found;
}

const inFormula = (message: Message): readonly number[] => {
  const clauses = formulaClauses(message);
  return message.quantities.flatMap((one, i) => (clauses.some(({ start, end }) => one.start >= start && one.end <= end) ? [i] : [])); // prettier-ignore
};

/** Response curves that are given as formulas, by channel. */
function curvesIn(
  message: Message,
  own: readonly string[],
): { readonly name: string; readonly response: JsonObject; readonly start: number; readonly end: number }[] {
  // prettier-ignore
  const found = CURVES.flatMap(({ form, curve }) =>
    [...message.plain.matchAll(form)].flatMap((match) => {
      const more = match[2] === undefined || match[2] === '' ? 0 : match[2].includes('/') && match[2].length < 6 ? 0.5 : Number(match[2].replaceAll(',', '')); // prettier-ignore
      const response = curve(Number(match[1].replaceAll(',', '')), more);
      return response === null ? [] : [{ response, start: match.index, end: match.index + match[0].length }];
    }),
  ).sort((a, b) => a.start - b.start);
  return found.flatMap((one, k) => {
    // What stands between a formula and the one before it; a budget that is told there is no name.
    const from = found[k - 1]?.end ?? 0;
    const clause =
      message.text
        .slice(from, one.start)
        .split(/,(?!\d)|;/)
        .at(-1) ?? '';
    const name = lastName(clause.replace(/[:=]\s*$|\b(?:f|r|y)?\(?x?\)?\s*=\s*$/i, ' '), own) ?? lastName(clause, []);
    return name === null ? [] : [{ ...one, name }];
  });
}

/** "250 for 15k": the response, then what it cost, unless a word says that the second number is the response. */
function isBareFor({ plain, quantities }: Message, a: number, b: number): boolean {
  const [first, second] = [quantities[a], quantities[b]];
  if (plain.slice(first.end, second.start).trim() !== 'for' || first.value > second.value) return false;
  return !/^ ?(?:[a-z]+ )?(?:leads?|sales?|clicks?|conversions?|orders?|customers?|sign-?ups?|installs?|revenue|visits?|bookings?|responses?)\b/.test(plain.slice(second.end)); // prettier-ignore
}

export const budgetAllocation: Problem = {
  domain: 'marketing',
  type: 'budget_allocation',
  model: null,
  slots: budgetSlots,
  read(message, { known, asked }) {
    const table = pastedTable(message.text);
    const rows = table === null ? null : rowsAs(table, CHANNEL_COLUMNS, ['id', 'current_spend', 'current_response']);
    if (rows !== null) {
      const used = insideTable(message, table!);
      return [{ slot: 'channels', value: rows, text: `a table of ${rows.length} rows`, confidence: 0.95, used }];
    }
    const found: Finding[] = [];
    const before = rowsOf(known('channels'));
    const earlier = before.length > 0 ? before.map(({ id }) => String(id)) : namesOf(known('channels.names'));
    const row = namesInARow(message, asked === 'channels');
    const own = earlier.length > 0 ? earlier : (row?.names ?? []);
    const formulas = new Set(inFormula(message));
    const isOne = (index: number): boolean => {
      const one = message.quantities[index];
      if (formulas.has(index) || isWorth(message, index)) return false;
      if (one.isPercent || one.isWeak || one.unit !== null || one.comparison !== null || one.value <= 0) return false;
      return !isBudget(message, index);
    };
    const isChannel = (_: unknown, i: number): boolean => isOne(i);
    let pairs = namedNumbers(message, 2, isChannel, own);
    const spread = pairs.length < 2 ? distributed(message, own) : null;
    if (spread === null) {
      const free = namedNumbers(message, 2, isChannel, []);
      const isMeant = asked === 'channels' || (own.length === 0 && free.length >= 2);
      if (free.length > pairs.length && isMeant)
        pairs = free.map(({ name, numbers }) => ({ name: sameName(name, own) ?? name, numbers }));
    }
    const taken = new Set<number>(formulas);
    const curves = curvesIn(message, own);
    if (curves.length > 0) {
      const merged = new Map<string, JsonObject>(
        before.map((channel) => [String(channel['id']).toLowerCase(), channel]),
      );
      for (const { name, response } of curves) merged.set(name.toLowerCase(), { ...(merged.get(name.toLowerCase()) ?? { id: name }), response }); // prettier-ignore
      const text = message.text.slice(curves[0].start, curves.at(-1)!.end);
      found.push({ slot: 'channels', value: [...merged.values()], text, confidence: 0.85, used: [...taken] });
    } else if (spread !== null) {
      found.push(spread);
      for (const i of spread.used ?? []) taken.add(i);
    } else if (pairs.length > 0) {
      const merged = new Map<string, JsonObject>(
        before.map((channel) => [String(channel['id']).toLowerCase(), channel]),
      );
      for (const {
        name,
        numbers: [a = 0, b = 0],
      } of pairs) {
        const [first, second] = [message.quantities[a], message.quantities[b]];
        const between = message.plain.slice(first.end, second.start);
        const isPrice = /[a-z]+ (?:for|at a cost of|cost(?:ing)?)\b/.test(between.trim()) || isBareFor(message, a, b);
        const isTurned = first.currency === null && (second.currency !== null || isPrice);
        const [spend, response] = isTurned ? [second, first] : [first, second];
        merged.set(name.toLowerCase(), { id: name, current_spend: spend.value, current_response: response.value });
        taken.add(a).add(b);
      }
      const text = message.text.slice(message.quantities[pairs[0].numbers[0]].start, message.quantities[pairs.at(-1)!.numbers[1]].end); // prettier-ignore
      found.push({ slot: 'channels', value: [...merged.values()], text, confidence: 0.85, used: [...taken] });
    }
    if (earlier.length === 0 && row !== null) found.push({ slot: 'channels.names', value: [...row.names], text: row.names.join(', '), confidence: 0.7 }); // prettier-ignore
    const exponent = asked === 'response' ? message.quantities.find(({ value }) => value > 0 && value < 1) : undefined;
    if (exponent !== undefined) found.push({ slot: 'response', value: { type: 'power', exponent: exponent.value }, text: message.text, confidence: 0.8 }); // prettier-ignore
    const all = own.length > 0 ? own : pairs.map(({ name }) => name);
    return [...found, ...limitsIn(message, known, asked, all, taken)];
  },
  ignores: inFormula,
  limits: [
    {
      words: /\bsaturat|\bexp ?\(|\bper (?:dollar|euro|pound) (?:spent)?|\b(?:ln|log) ?\( ?(?!1 ?\+ ?\w+ ?\/)/,
      message: 'Of response curves that are told in words or formulas, a*sqrt(spend), a*spend^b and a*ln(1 + spend/h) are read; for any other send `channels` as a `config`, or say what each channel cost and brought.', // prettier-ignore
    },
  ],
  conflicts(known) {
    const channels = rowsOf(known('channels'));
    const ids = channels.length > 0 ? channels.map(({ id }) => String(id)) : namesOf(known('channels.names'));
    if (ids.length === 0) return [];
    if (channels.length === 1)
      return [{ slot: 'channels', message: `Only one channel was understood, ${ids[0]}: there is nothing to divide. Please tell of the others too.` }]; // prettier-ignore
    const shares = ids.map((id) => limitOf(known, 'min_share', id));
    const total = shares.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    if (total > 1 + 1e-9) {
      const each =
        new Set(shares).size === 1 ? `${ids.length} x ${shownNumber(shares[0]! * 100)}%` : 'The shares together are';
      return [{ slot: 'min_share', message: `${each} = ${shownNumber(total * 100)}% of the budget: the minimum shares exceed it.` }]; // prettier-ignore
    }
    const most = ids.map((id) => limitOf(known, 'max_share', id));
    if (most.every((one) => one !== null) && most.reduce<number>((sum, one) => sum + one, 0) < 1 - 1e-9)
      return [{ slot: 'max_share', message: 'The maximum shares together are less than the whole budget.' }];
    const budget = numberOf(known, 'budget');
    const least = ids.reduce((sum, id) => sum + (limitOf(known, 'min', id) ?? 0), 0);
    if (budget !== null && least > budget * (1 + 1e-9))
      return [{ slot: 'min', message: `The minimum amounts add up to ${shownNumber(least)}, above the budget of ${shownNumber(budget)}.` }]; // prettier-ignore
    for (const id of ids) {
      const [low, high] = [limitOf(known, 'min_share', id), limitOf(known, 'max_share', id)];
      if (low !== null && high !== null && low > high)
        return [{ slot: 'min_share', message: `${id} must get at least ${shownNumber(low * 100)}% and may get at most ${shownNumber(high * 100)}%.` }]; // prettier-ignore
    }
    return [];
  },
  build(known) {
    const budget = numberOf(known, 'budget');
    const channels = rowsOf(known('channels')).map((channel) => {
      const id = String(channel['id']);
      const [lowShare, highShare] = [limitOf(known, 'min_share', id), limitOf(known, 'max_share', id)];
      const lows = [limitOf(known, 'min', id), lowShare === null || budget === null ? null : lowShare * budget].filter((one) => one !== null); // prettier-ignore
      const highs = [limitOf(known, 'max', id), highShare === null || budget === null ? null : highShare * budget].filter((one) => one !== null); // prettier-ignore
      return {
        ...channel,
        ...(lows.length === 0 ? {} : { min: Math.max(...lows) }),
        ...(highs.length === 0 ? {} : { max: Math.min(...highs) }),
      };
    });
    return {
      ...fieldsOf(known, ['budget']),
      ...(channels.length === 0 ? {} : { channels }),
      ...fieldsOf(known, ['objective', 'response', 'currency']),
      ...(isProfit(known) ? fieldsOf(known, ['margin']) : {}),
    };
  },
};

function limitOf(known: Known, limit: (typeof LIMITS)[number], id: string): number | null {
  const limits = mapOf(known(limit));
  const value = limits[id.toLowerCase()] ?? limits['*'];
  return typeof value === 'number' ? value : null;
}

const MONEY_PRICE =
  'at|price|charge|charged|sell at|sell for|for|costs|tried|raised|priced|raise|lowered|when|when it was';

/** Pairs of price and quantity: "at €20 I sell 600, when I tried €25 it was 500". */
function pricePoints(message: Message): { readonly points: [number, number][]; readonly used: number[] } {
  const points: [number, number][] = [];
  const used: number[] = [];
  const isOther = ({ start }: { readonly start: number }): boolean =>
    /\belastic\w*(?: (?:of|is|about|around|was|at))* ?-?$/.test(message.plain.slice(Math.max(0, start - 30), start));
  const own = message.quantities.flatMap((one, i) => (one.isPercent || one.isWeak || one.unit !== null || one.value <= 0 || isOther(one) ? [] : [i])); // prettier-ignore
  const isPrice = (i: number): boolean => {
    const one = message.quantities[i];
    if (one.currency !== null) return true;
    const before = message.plain.slice(Math.max(0, one.start - 22), one.start);
    return (
      new RegExp(`\\b(?:${MONEY_PRICE}) (?:it |them |a price of |the price (?:was|is) |the price to |to )?$`).test(
        before,
      ) && one.per === null
    );
  };
  const isCost = (i: number): boolean => {
    const one = message.quantities[i];
    const from = Math.max(message.quantities[i - 1]?.end ?? 0, one.start - 45);
    const sentence =
      message.plain
        .slice(from, one.start)
        .split(/[.;!?\n]/)
        .at(-1) ?? '';
    const after = message.plain.slice(one.end, one.end + 26);
    return (
      /\b(?:cost|costs|costing|make|making|produce|wholesale|buy|capacity|at least|at most|unit cost)\b/.test(
        sentence,
      ) || /^ (?:each )?(?:to make|to produce|unit cost|in cost|wholesale|cost\b)/.test(after)
    );
  };
  // "at $29 we have 800 seats": sold, and no room.
  const isSold = (i: number): boolean =>
    /\bat (?:a price of )?[$\u20ac\u00a3]?[\d.,]+[a-z ]{0,8} (?:we|i) (?:have|had|sell|sold|get|got) $/.test(
      message.plain.slice(Math.max(0, message.quantities[i].start - 40), message.quantities[i].start),
    );
  const isRoom = (i: number): boolean =>
    (!isSold(i) &&
      /^ (?:\w+ )?(?:seats|places|rooms|beds|tables|spots|in stock)\b/.test(
        message.plain.slice(message.quantities[i].end),
      )) ||
    /\b(?:holds?|room for|capacity(?: of| is)?) $/.test(
      message.plain.slice(Math.max(0, message.quantities[i].start - 16), message.quantities[i].start),
    );
  for (let k = 0; k + 1 < own.length; k++) {
    const [a, b] = [own[k], own[k + 1]];
    if (isCost(a) || isCost(b) || isRoom(a) || isRoom(b)) continue;
    const gap = message.plain.slice(message.quantities[a].end, message.quantities[b].start);
    if (gap.length > 60 || gap.includes('=') || /[;\n]|[.!?]\s/.test(gap)) continue;
    const [first, second] = [isPrice(a), isPrice(b)];
    if (first === second) continue;
    const [price, quantity] = first ? [a, b] : [b, a];
    points.push([message.quantities[price].value, message.quantities[quantity].value]);
    used.push(a, b);
    k += 1;
  }
  return { points, used };
}

export const singleProduct: Problem = {
  domain: 'marketing',
  type: 'pricing',
  model: 'single_product',
  slots: [
    {
      name: 'demand',
      kind: null,
      required: true,
      question: 'How does demand depend on the price? Two prices with what you sold at each are enough.',
      example: 'at €20 I sell 600 a month, at €25 it was 500',
      help: 'Compare two periods with different prices, or two shops. An elasticity (such as -2.5) with one price works too.',
    },
    { name: 'points', kind: null, partOf: 'demand', question: '', example: '' },
    {
      name: 'elasticity',
      kind: 'number',
      partOf: 'demand',
      cues: 'elasticity|elastic|price elasticity',
      accepts: ({ value, currency, isPercent }) => currency === null && !isPercent && Math.abs(value) < 50,
      question: '',
      example: '',
    },
    {
      name: 'unit_cost',
      kind: 'money',
      cues: 'cost|costs me|costs us|to make|making one|unit cost|production cost|cost of goods|wholesale|buy it for|produce|costs|marginal cost|cost me|making|manufacture|sourcing|variable cost|each unit costs|pay the supplier|ingredients|supplier', // prettier-ignore
      against: 'sell|price|charge|tried|at least|capacity',
      required: true,
      default: 0,
      question: 'What does one more unit cost you?',
      example: '8',
      help: 'Materials, work and shipping of one unit, without rent and other fixed costs.',
    },
    {
      name: 'capacity',
      kind: 'amount',
      cues: 'seats|places|rooms|holds|hold|room for|seat|capacity|can make|can produce|only have|in stock|can only|can at most make|limited to|at most|up to|maximum',
      accepts: ({ currency, isPercent, value, comparison }) =>
        currency === null && !isPercent && value >= 2 && comparison !== 'at_least',
      question: 'How many units can be sold at most?',
      example: '400',
    },
    {
      name: 'min_price',
      kind: 'money',
      cues: 'minimum price|lowest price|price at least|not below|never below|at least|floor|no less than|not less than',
      accepts: ({ comparison, currency }) =>
        comparison === 'at_least' || (currency !== null && comparison === 'less_than'),
      question: 'What is the lowest price?',
      example: '10',
    },
    {
      name: 'max_price',
      kind: 'money',
      cues: 'maximum price|highest price|price at most|price not above|price|price no more than|not above|never above|cap|ceiling',
      weakCues: 'at most|no more than|not more than',
      against: 'sell|make|produce|units|capacity|seats|room',
      accepts: ({ comparison, currency }) =>
        comparison === 'at_most' || (comparison === 'more_than' && currency !== null),
      question: 'What is the highest price?',
      example: '40',
    },
    {
      name: 'objective',
      kind: null,
      askOnce: true,
      default: 'profit',
      isAskedOnly: true,
      choices: [
        { value: 'profit', name: 'profit', cues: 'profit|margin|earn|money left|bottom line|most money|net|gain' },
        { value: 'revenue', name: 'revenue', cues: 'revenue|turnover|sales|income|takings|gross' },
      ],
      question: 'Should the profit be large, or the revenue?',
      example: 'profit',
    },
  ],
  read(message, { known }) {
    const found: Finding[] = [];
    const free = /\bcosts? (?:(?:us|me) )?(?:almost |practically |basically |next to )?nothing\b|\b(?:no|zero) (?:marginal|unit|variable|production) costs?\b/.exec(message.plain); // prettier-ignore
    const isSaid = /\b(?:unit|marginal|production) costs? (?:(?:of|is|about) )?[$\u20ac\u00a3]?[.\d]/.test(
      message.plain,
    );
    if (free !== null && !isSaid) found.push({ slot: 'unit_cost', value: 0, text: free[0], confidence: 0.85 });
    // "1000 - 20 p", "demand = 1000 - 20 * price"
    const line =
      /(\d{1,12}(?:[.,]\d{1,6})?) ?(?:-|minus) ?(\d{1,9}(?:\.\d{1,9})?) ?(?:\*|x|times)? ?(?:the )?(?:p\b|price)/.exec(
        message.plain,
      );
    if (line !== null) {
      const end = line.index + line[0].length;
      const used = message.quantities.flatMap(({ start, end: e }, i) => (e > line.index && start < end ? [i] : []));
      const [intercept, slope] = [Number(line[1].replace(',', '')), Number(line[2])];
      found.push({ slot: 'demand', value: { type: 'linear', intercept, slope }, text: line[0], confidence: 0.9, used });
      return found;
    }
    const table = pastedTable(message.text);
    const rows =
      table === null
        ? null
        : rowsAs(table, { price: /price/, quantity: /quantity|units|sold|demand|sales|volume/ }, ['price', 'quantity']);
    if (rows !== null) {
      const points = rows.map(({ price, quantity }) => [Number(price), Number(quantity)]);
      return [{ slot: 'points', value: points, text: `a table of ${rows.length} rows`, confidence: 0.95, used: insideTable(message, table!) }]; // prettier-ignore
    }
    const { points, used } = pricePoints(message);
    if (points.length === 0) return found;
    const earlier = Array.isArray(known('points')) ? (known('points') as number[][]) : [];
    const all = [...earlier.filter(([price]) => points.every(([other]) => other !== price)), ...points];
    const text = message.text.slice(message.quantities[used[0]].start, message.quantities[used.at(-1)!].end);
    found.push({ slot: 'points', value: all, text, confidence: 0.85, used });
    return found;
  },
  derive(known) {
    const points = Array.isArray(known('points')) ? (known('points') as number[][]) : [];
    const [[p, q] = [], [p2, q2] = []] = points;
    const elasticity = numberOf(known, 'elasticity');
    if (elasticity !== null && p !== undefined && q !== undefined && points.length === 1) {
      const signed = -Math.abs(elasticity);
      // Scale is what is sold at a price of 1, so that the curve goes through the point.
      const curve = constantElasticity(p, q, signed);
      if (curve !== null) return [derived('demand', curve, `Demand: elasticity ${shownNumber(signed)} through ${shownNumber(q)} units at ${shownNumber(p)}.`)]; // prettier-ignore
    }
    if (points.length > 2) return [derived('demand', { type: 'points', points }, `Demand: lines between ${points.length} observed prices.`)]; // prettier-ignore
    if (p === undefined || q === undefined || p2 === undefined || q2 === undefined || p === p2) return [];
    const slope = Number(((q - q2) / (p2 - p)).toPrecision(12));
    const intercept = Number((q + slope * p).toPrecision(12));
    if (slope <= 0 || intercept <= 0) return [];
    return [derived('demand', { type: 'linear', intercept, slope }, `Demand: the line ${shownNumber(intercept)} - ${shownNumber(slope)} x price through both points.`)]; // prettier-ignore
  },
  conflicts(known) {
    const points = Array.isArray(known('points')) ? (known('points') as number[][]) : [];
    const [[p = 0, q = 0] = [], [p2 = 0, q2 = 0] = []] = points;
    if (points.length === 2 && p !== p2 && (q - q2) / (p2 - p) <= 0)
      return [{ slot: 'demand', message: `${shownNumber(q)} units at ${shownNumber(p)} and ${shownNumber(q2)} at ${shownNumber(p2)}: demand must fall as the price rises.` }]; // prettier-ignore
    const [low, high] = [numberOf(known, 'min_price'), numberOf(known, 'max_price')];
    return low !== null && high !== null && low > high
      ? [
          {
            slot: 'min_price',
            message: `The lowest price, ${shownNumber(low)}, is above the highest, ${shownNumber(high)}.`,
          },
        ]
      : [];
  },
  build: (known) => ({
    model: 'single_product',
    ...fieldsOf(known, ['demand', 'unit_cost', 'capacity', 'min_price', 'max_price', 'objective', 'currency']),
  }),
};

function constantElasticity(price: number, quantity: number, elasticity: number): JsonObject | null {
  const scale = quantity * power(price, -elasticity);
  return Number.isFinite(scale) && scale > 0 ? { type: 'constant_elasticity', scale, elasticity } : null;
}
