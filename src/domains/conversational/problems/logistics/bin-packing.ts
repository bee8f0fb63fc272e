/** Packing into as few containers as can be. */
import type { Message } from '../../message.js';
import { type Problem, textOf, numberOf, shownNumber, derived, fieldsOf } from '../../problem.js';
import type { Quantity } from '../../quantities/quantity.js';
import { longestRun } from '../../lists.js';
import { unitNamed } from '../../units.js';
import type { Known } from '../../slots.js';

/** "12 boxes of 30 kg", "4 x 250": copies of a size. */
function repeated(message: Message): {
  readonly sizes: number[];
  readonly used: number[];
  readonly unit: string | null;
} {
  const sizes: number[] = [];
  const used: number[] = [];
  let unit: string | null = null;
  for (let i = 0; i + 1 < message.quantities.length; i++) {
    const [count, size] = [message.quantities[i], message.quantities[i + 1]];
    const gap = message.plain.slice(count.end, size.start);
    if (count.unit !== null || !Number.isInteger(count.value) || count.value < 1 || count.value > 1_000) continue;
    if (
      !/^ ?(?:(?!(?:in|into|to|onto|on|per|for)\b)[a-z]+ ){0,2}(?:of|at|x|@|weighing|with|\u00d7|measuring|that weigh|pieces of|of size)(?: about)? ?$/.test(
        gap,
      )
    )
      continue;
    if (size.currency !== null || size.isPercent || sizes.length + count.value > 5_000) continue;
    for (let k = 0; k < count.value; k++) sizes.push(size.value);
    unit = size.unit?.name ?? unit;
    used.push(i, i + 1);
    i += 1;
  }
  return { sizes, used, unit };
}

const BINS = 'bins?|containers?|box(?:es)?|crates?|pallets?|trucks?|vans?|lorr(?:y|ies)|suitcases?|disks?|discs?|drives?|tapes?|boards?|planks?|rolls?|sheets?|bars?'; // prettier-ignore
const LIMITED_BINS = new RegExp(`\\b(?:at most|max(?:imum)?(?: of)?|no more than|not more than|only|just|limit(?:ed)? (?:of|to)|up to|into|(?:we|i) have|there are) ?$`); // prettier-ignore

/** "max 3 bins", "we have 3 trucks": how many there are, and not what one takes. */
const countsOfBins = ({ plain, quantities }: Message): readonly number[] =>
  quantities.flatMap(({ start, end, unit, currency, isPercent }, i) => {
    if (unit !== null || currency !== null || isPercent) return [];
    const after = new RegExp(`^ ?(?:(?:such|of the|large|small|big|standard|shipping|delivery) )?(?:${BINS})\\b(?! (?:of|with|weighing|x|at|each|per|in (?:a|each|one)))`); // prettier-ignore
    if (!after.test(plain.slice(end, end + 40))) return [];
    const before = plain.slice(Math.max(0, start - 50), start).split(/[.,;!?\n]/).at(-1)!; // prettier-ignore
    const isTaken = /\b(?:takes?|holds?|fits?|carr(?:y|ies)|loads?|capacity|room for|each|per)\b/.test(before);
    return !isTaken && (LIMITED_BINS.test(before) || LIMITED_BINS.test(plain.slice(start, end).replace(/\d.*$/, '').trim())) ? [i] : []; // prettier-ignore
  });

export const binPacking: Problem = {
  domain: 'supply_chain',
  type: 'warehouse',
  model: 'bin_packing',
  ignores: countsOfBins,
  limits: [
    {
      words: new RegExp(`(?<!\\b(?:takes?|holds?|fits?|carr(?:y|ies)|loads?|capacity|room for|each|per)\\b[^.,;!?\\n]{0,40})\\b(?:at most|max(?:imum)?(?: of)?|no more than|not more than|only have|limit(?:ed)? (?:of|to)) [\\w]+ (?:${BINS})\\b(?! (?:of|with|weighing|x|at|each|per|in (?:a|each|one)))`), // prettier-ignore
      message:
        'The answer is the fewest containers that hold everything; there is no limit to set. Compare it with yours.',
    },
  ],
  slots: [
    {
      name: 'item_sizes',
      kind: null,
      isList: true,
      required: true,
      question: 'How large is each item?',
      example: '480, 420, 390 kg; or: 12 boxes of 30 kg',
      help: 'Weights or volumes, in the same unit as what a container takes.',
    },
    {
      name: 'bin_capacity',
      kind: 'amount',
      keepsUnit: true,
      cues: 'takes|take|capacity|hold|holds|container|bin|fits|limit|max load|box takes|carry|carries|up to|payload|each container|per container|truck|trucks|can load|long|stock length|lengths of|come in|comes in|maximum|tape|disk|disks|drive|room', // prettier-ignore
      accepts: ({ value, isPercent }) => !isPercent && value > 0,
      required: true,
      question: 'How much does one container take?',
      example: '1 tonne',
    },
  ],
  read(message, { asked }) {
    const copies = repeated(message);
    if (copies.sizes.length > 0) {
      const text = message.text.slice(
        message.quantities[copies.used[0]].start,
        message.quantities[copies.used.at(-1)!].end,
      );
      return [
        { slot: 'item_sizes', value: copies.sizes, text, confidence: 0.85, used: copies.used },
        ...(copies.unit === null ? [] : [{ slot: 'item_sizes.unit', value: copies.unit, text, confidence: 0.85 }]),
      ];
    }
    // "7 items", "2 suitcases": how many there are, no sizes.
    const isSize = ({ start, end, unit, currency, isPercent }: Quantity): boolean => {
      if (currency !== null || isPercent) return false;
      const isHeadCount = /^ (?:items?|bins?|containers?|suitcases?|disks?|discs?|hosts?|servers?|trucks?|vans?)\b/.test(message.plain.slice(end, end + 14)); // prettier-ignore
      // "3 trucks that take 8 tonnes each".
      const isDescribed = new RegExp(`^ (?:${BINS}) (?:that|which|taking|carrying|holding)\\b`).test(message.plain.slice(end, end + 40)); // prettier-ignore
      if (isDescribed && unit === null) return false;
      return !(isHeadCount && unit === null && /(?:^|[;.\n:]) *$/.test(message.plain.slice(0, start)));
    };
    const run = longestRun(message, isSize);
    if (run.length < (asked === 'item_sizes' ? 1 : 2)) return [];
    const own = run.map((i) => message.quantities[i]);
    const text = message.text.slice(own[0].start, own.at(-1)!.end);
    const unit = own.at(-1)!.unit;
    // Units in the list may differ: the last one counts.
    const value = own.map((one) => (one.unit === null || unit === null || one.unit.name === unit.name || one.unit.dimension !== unit.dimension ? one.value : Number(((one.value * one.unit.factor) / unit.factor).toPrecision(12)))); // prettier-ignore
    // The only other quantity of that dimension is what a container takes.
    const others = message.quantities.flatMap((one, i) => (!run.includes(i) && unit !== null && one.unit?.dimension === unit.dimension ? [i] : [])); // prettier-ignore
    const bin = others.length === 1 ? message.quantities[others[0]] : undefined;
    const binText = bin === undefined ? '' : message.text.slice(bin.start, bin.end);
    return [
      ...(bin === undefined || bin.unit === null
        ? []
        : [
            { slot: 'bin_capacity', value: bin.value, text: binText, confidence: 0.7, used: others },
            { slot: 'bin_capacity.unit', value: bin.unit.name, text: binText, confidence: 0.7 },
          ]),
      { slot: 'item_sizes', value, text, confidence: 0.85, used: [...run] },
      ...(unit === null ? [] : [{ slot: 'item_sizes.unit', value: unit.name, text, confidence: 0.85 }]),
    ];
  },
  derive(known) {
    const [own, bin] = [textOf(known, 'item_sizes.unit'), textOf(known, 'bin_capacity.unit')];
    const capacity = numberOf(known, 'bin_capacity');
    if (own === null || bin === null || own === bin || capacity === null) return [];
    const [a, b] = [unitNamed(own), unitNamed(bin)];
    if (a === undefined || b === undefined || a.dimension !== b.dimension) return [];
    const value = Number(((capacity * b.factor) / a.factor).toPrecision(12));
    const message = `${shownNumber(capacity)} ${bin} is ${shownNumber(value)} ${own}.`;
    return [{ ...derived('bin_capacity.converted', value, message), notes: [{ kind: 'unit_converted', slot: 'bin_capacity', message }] }]; // prettier-ignore
  },
  conflicts(known) {
    const capacity = numberOf(known, 'bin_capacity.converted') ?? numberOf(known, 'bin_capacity');
    const sizes = Array.isArray(known('item_sizes')) ? (known('item_sizes') as number[]) : [];
    const largest = Math.max(0, ...sizes);
    return capacity !== null && largest > capacity
      ? [
          {
            slot: 'bin_capacity',
            message: `One item has the size ${shownNumber(largest)}, above what a container takes, ${shownNumber(capacity)}.`,
          },
        ]
      : [];
  },
  build: (known: Known) => ({
    model: 'bin_packing',
    ...fieldsOf(known, ['item_sizes', 'bin_capacity']),
    ...(known('bin_capacity.converted') === undefined ? {} : { bin_capacity: known('bin_capacity.converted')! }),
  }),
};
