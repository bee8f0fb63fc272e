/** Inventory: order quantities and the newsvendor. */
import { derived, fieldsOf, numberOf, shownNumber, type Problem } from '../problem.js';
import type { Finding, Known, Slot } from '../slots.js';

const demandRate: Slot = {
  name: 'demand_rate',
  kind: 'rate',
  cues: 'd|demand|sell|sold|usage|consume|consumption|we use|go through|sales|demand rate|need about|ship out|annual demand|requirement|get through|units move|move|burn through|shift', // prettier-ignore
  weakCues: 'unit|piece|customer|need|use|buy|order volume|turnover|pcs|expect|forecast|anticipate',
  against: 'cost|produce|production|capacity|lead time|costs us',
  required: true,
  question: 'How many units are needed per year (or per month, week or day)?',
  example: '1300 a year, or 25 a week',
  help: 'Add up what left the shelf over the last twelve months; a typical month is enough.',
  unit: 'units per year',
};

const fixedCost: Slot = {
  name: 'fixed_cost',
  kind: 'money',
  cues: 'order cost|ordering cost|per order|each order|every order|fixed cost|fixed order|setup cost|set up|setup|placing an order|place an order|order fee|delivery charge|delivery fee|shipping fee|freight|per delivery|each delivery|every delivery|per shipment|each shipment|every shipment|every time we order|each time we order|time i order|cost to order|order processing|admin cost|per purchase order|purchase order|flat fee|per replenishment|changeover|per setup|per batch|each batch|every batch|every time|each time|k|per run|each run|placing one|handling fee|whenever we reorder|reorder', // prettier-ignore
  weakCues: 'order|delivery|shipment|regardless of quantity|no matter how many|supplier charges|replenish',
  against: 'per unit|apiece|hold|holding|storage|shelf',
  absent:
    '(?:set-?up|set up|changeover|order(?:ing)?|fixed(?: order(?:ing)?)?|delivery|shipping|freight|reorder) (?:costs?|fees?|charges?)',
  refuse: (value) =>
    value > 0 ? null : 'Where an order costs nothing, there is no lot size: order what is needed when it is needed.',
  // "fixed costs are 1000 a month" are no cost of an order.
  accepts: ({ per }) => per === null,
  required: true,
  question: 'What does one order cost, however large it is (handling, delivery fee, set-up)?',
  example: '$45 per order',
  help: 'Working time for ordering and receiving, plus fees that do not depend on the quantity.',
  unit: 'money per order',
};

const holdingCost: Slot = {
  name: 'holding_cost',
  kind: 'money',
  isYearly: true,
  cues: 'per unit per year|per unit and year|per unit a year|per item a year|per item per year|per piece per year|each per year|holding cost|holding|hold|carrying cost|carry|storage cost|storage|store|keep|on the shelf|shelf|in stock|inventory cost|stocking|warehousing cost|warehousing|sitting in the warehouse|in the warehouse|keeping one|stock for a year|tied up|fridge|rack|space|insurance|h', // prettier-ignore
  against:
    'order cost|per order|price|stockout|for the warehouse|warehouse rent|rent|lease|wages|salary|electricity|hall|venue|room|stadium|theatre|van|truck',
  absent: '(?:holding|carrying|storage|inventory|warehousing|stock-?holding) (?:costs?|charges?|fees?)',
  refuse: (value) =>
    value > 0
      ? null
      : 'Where keeping a unit costs nothing, there is no lot size: one order for all time is the cheapest.',
  required: (known) => known('holding_cost_rate') === undefined,
  question: 'What does keeping one unit in stock for a year cost? An amount, or a percentage of what the unit costs.',
  example: '$3 a year, or 25 percent of the $12 that it costs',
  help: 'Space, insurance, spoilage and the money tied up. 20 to 30 percent of the purchase price a year is common.',
  unit: 'money per unit and year',
};

const holdingCostRate: Slot = {
  name: 'holding_cost_rate',
  kind: 'share',
  isYearly: true,
  partOf: 'holding_cost',
  cues: 'h|i|holding|hold|carrying|carry|storage|interest|cost of capital|capital cost|of item cost|of its cost|of the price|of its value|of the value|inventory cost|of unit cost|of purchase price|tied up|keep|storing|store|of what it costs', // prettier-ignore
  accepts: ({ isPercent }) => isPercent,
  question: '',
  example: '',
};

const unitCostOfLot: Slot = {
  name: 'unit_cost',
  kind: 'money',
  cues: 'cost of goods|goods cost|item cost|unit cost|purchase price|cost per unit|each costs|costs us|the item costs|unit price|price|buy it for|buy them for|pay for one|buy them at|worth|item is|product costs|valued at|buy at|we pay|cost of one|unit value|purchase cost', // prettier-ignore
  // What is told per unit may as well be the cost of keeping one.
  weakCues: 'per unit|apiece|a piece|per piece|cost|pay|each|item',
  against:
    'order|hold|holding|storage|keep|shelf|delivery|setup|carrying|shortage|backorder|short|goodwill|wait|per year',
  // "$2,000 a month for the warehouse" is no price.
  accepts: ({ per }) => per === null,
  required: (known) => known('holding_cost_rate') !== undefined && known('holding_cost') === undefined,
  question: 'What does one unit cost to buy?',
  example: '$12',
  help: 'The purchase price: the holding cost is a share of it.',
  unit: 'money per unit',
};

const stockoutCost: Slot = {
  name: 'stockout_cost',
  kind: 'money',
  isYearly: true,
  absent: '(?:stock-?out|shortage|backorder(?:ing)?|goodwill) (?:costs?|penalt(?:y|ies))',
  cues: 'being short|short one|waiting unit|unit waiting|waiting costs|out of stock|stockout|stock out|backorder|back order|backlog|shortage|short|waiting|wait|late|penalty|goodwill|run out|running out|missing unit|unmet|backordering', // prettier-ignore
  against: 'hold|order cost',
  required: true,
  question: 'What does it cost when one unit is short for a year (lost goodwill, penalties)?',
  example: '$5 per unit and year',
  help: 'A penalty in a contract, or the discount that keeps a waiting customer.',
  unit: 'money per unit and year',
};

const productionRate: Slot = {
  name: 'production_rate',
  kind: 'rate',
  cues: 'production rate|produce|production|make|manufacture|machine|line makes|capacity|output|can make|turn out|churn out|fills|line fills|bottles',
  against: 'demand|sell|use',
  required: true,
  question: 'How many units does production make per year (or day, week, month) while it runs?',
  example: '110 a day',
  help: 'The speed of the line while it makes this product; it must be above the demand.',
  unit: 'units per year',
};

/** Holding cost from a share of the price. */
function holding(known: Known): Finding[] {
  const rate = numberOf(known, 'holding_cost_rate');
  const cost = numberOf(known, 'unit_cost');
  if (rate === null || cost === null) return [];
  return [
    derived('holding_cost', rate * cost, `Holding cost: ${shownNumber(rate * 100)} percent of ${shownNumber(cost)} is ${shownNumber(rate * cost)} a year.`), // prettier-ignore
  ];
}

/** A plain lot size knows nothing of these; the conversation fills no model that does. */
const LOT_LIMITS = [
  {
    words:
      /\b(?:(?:price|quantity|volume|bulk) (?:breaks?|discounts?|tiers?)|(?:discount|cheaper|price drops?|costs? (?:only|drops?))\b[^.;!?]{0,40}\b(?:from|above|over|beyond|at least|or more|when we order|if we order))\b/,
    message: 'Prices that depend on the quantity are not part of this answer. The model `eoq_discount` of `inventory` has them; send it as a `config`.', // prettier-ignore
  },
  {
    words:
      /\b(?:reorder (?:point|level)|safety stock|service level|fill rate|stock-?out (?:risk|probability)|lead time (?:varies|variability|is uncertain))\b/,
    message: 'Safety stock and service levels are not part of this answer: it takes demand as steady. The models `r_Q` and `s_S` of `inventory` have them; send one as a `config`.', // prettier-ignore
  },
  {
    words:
      /\b(?:shelf life|perish\w*|spoils?|minimum order|full (?:pallets?|truckloads?)|(?:warehouse|storage) (?:space|capacity) (?:of|is|for))\b/,
    message: 'Shelf lives, least quantities and space are not part of this answer; compare the quantity with yours.',
  },
];

/** "holding 25% of $12": the share and the price that it is of. */
const readShareOf: NonNullable<Problem['read']> = (message) => {
  const i = message.quantities.findIndex((one, k) => {
    const next = message.quantities[k + 1];
    if (next === undefined || !one.isPercent || next.isPercent || next.unit !== null) return false;
    const clause = message.plain.slice(Math.max(message.quantities[k - 1]?.end ?? 0, one.start - 50), one.start);
    return (
      /^ ?(?:(?:a|per) (?:year|annum) )?(?:of|on|times|x|\*) (?:the |its |a |an |our )?(?:(?:unit |purchase |item )?(?:price|cost|value) (?:of )?)?$/.test(
        message.plain.slice(one.end, next.start),
      ) && /\b(?:hold|carry|stor|keep|inventory|interest|capital)\w*/.test(clause.split(/[.;!?\n]/).at(-1) ?? '')
    );
  });
  const [share, price] = [message.quantities[i], message.quantities[i + 1]];
  if (i < 0 || share === undefined || price === undefined) return [];
  const text = message.text.slice(share.start, price.end);
  return [
    { slot: 'holding_cost_rate', value: share.value, text, confidence: 0.85, used: [i] },
    { slot: 'unit_cost', value: price.value, text, confidence: 0.85, used: [i + 1] },
  ];
};

/** "twelve dollars a unit, carrying cost 20 percent": a price and a share in clauses of their own. */
const readPriceAndShare: NonNullable<Problem['read']> = (message) => {
  const { quantities, plain, text } = message;
  const clauseOf = (k: number): string => {
    const { start, end } = quantities[k];
    const before = plain
      .slice(quantities[k - 1]?.end ?? 0, start)
      .split(/[.,;!?\n]|\band\b/)
      .at(-1)!;
    const after = plain.slice(end, quantities[k + 1]?.start).split(/[.,;!?\n]|\band\b/)[0];
    return `${before}#${after}`;
  };
  const keeping = /\b(?:hold|carry|stor|keep|inventory|interest|capital)\w*/;
  const shares = quantities.flatMap((one, k) => (one.isPercent && keeping.test(clauseOf(k)) ? [k] : []));
  const prices = quantities.flatMap((one, k) =>
    one.currency !== null &&
    one.per === null &&
    /# ?(?:(?:a|an|per) (?:unit|piece|item|part)|each|apiece)\b(?! (?:a|per) year)/.test(clauseOf(k)) &&
    !keeping.test(clauseOf(k))
      ? [k]
      : [],
  );
  const [share, price] = [shares[0], prices[0]];
  if (shares.length !== 1 || prices.length !== 1 || share === undefined || price === undefined) return [];
  const finding = (slot: string, k: number): Finding => {
    const { value, start, end } = quantities[k];
    return { slot, value, text: text.slice(start, end), confidence: 0.8, used: [k] };
  };
  return [finding('holding_cost_rate', share), finding('unit_cost', price)];
};

const readShareAndPrice: NonNullable<Problem['read']> = (message, ...rest) => {
  const found = readShareOf(message, ...rest);
  return found.length > 0 ? found : readPriceAndShare(message, ...rest);
};

const lot = (model: string, extra: readonly Slot[]): Problem => ({
  domain: 'supply_chain',
  type: 'inventory',
  model,
  slots: [demandRate, fixedCost, holdingCost, holdingCostRate, unitCostOfLot, ...extra],
  read: readShareAndPrice,
  derive: holding,
  limits: LOT_LIMITS,
  build: (known) => ({
    model,
    ...fieldsOf(known, ['demand_rate', 'fixed_cost', 'holding_cost', ...extra.map(({ name }) => name), 'currency']),
    time_unit: 'year',
  }),
});

export const eoq = lot('eoq', []);
export const eoqBackorder = lot('eoq_backorder', [stockoutCost]);
export const epq = lot('epq', [productionRate]);

const isPriced = (known: Known): boolean =>
  known('price') !== undefined || known('unit_cost') !== undefined || known('holding_cost') === undefined;

const newsvendorSlots: readonly Slot[] = [
  {
    name: 'demand',
    kind: null,
    required: true,
    default: (known) => (numberOf(known, 'demand.mean') === null ? undefined : { distribution: 'poisson', mean: numberOf(known, 'demand.mean')! }), // prettier-ignore
    question: 'How many do customers ask for, on average, and how much does that vary?',
    example: 'on average 120 a day, give or take 30; or: between 80 and 160',
    help: 'Look at what was asked for over the last weeks: the mean, and the usual distance from it (the standard deviation).', // prettier-ignore
    unit: 'units',
  },
  {
    name: 'demand.mean',
    kind: 'amount',
    partOf: 'demand',
    setsTime: true,
    cues: 'average|mean|demand|expect|typical|typically|usually|normally|on a normal day|forecast|customers|ask for|poisson|expected demand|sell about|sell around', // prettier-ignore
    weakCues: 'sell|sale|sold|day|visitor|people|buyer',
    against: 'standard deviation|deviation|price|cost|for',
    question: '',
    example: '',
  },
  {
    name: 'demand.sd',
    kind: 'amount',
    partOf: 'demand',
    isSpread: true,
    cues: 'standard deviation|std dev|stdev|sd|sigma|deviation|spread|std|varies by|vary by|variation',
    question: '',
    example: '',
  },
  {
    name: 'price',
    kind: 'money',
    cues: 'sell them at|sell it at|sell each at|sell them for|sell it for|sell for|sells for|selling price|retail price|sale price|price|charge|sold for|sold at|sell at|retail|customers pay|retails at|selling them for|i get|ticket price|go for', // prettier-ignore
    weakCues: 'sell|revenue',
    against: 'left|leftover|salvage|unsold|cost|discount|outlet',
    required: isPriced,
    question: 'What does a unit sell for?',
    example: '4.50',
    unit: 'money per unit',
  },
  {
    name: 'unit_cost',
    kind: 'money',
    cues: 'buy|cost me|cost us|cost to make|cost|to make|make one|buy them for|purchase|wholesale|production cost|pay|ingredients|unit cost|i buy|we buy|baking one|each costs|buying price', // prettier-ignore
    against:
      'left|leftover|salvage|unsold|sell|shortage|stockout|missing|overage|underage|too few|too many|unit short|short|one short|lost profit',
    accepts: ({ isDisposal }) => !isDisposal,
    required: isPriced,
    question: 'What does a unit cost to make or to buy?',
    example: '1.20',
    unit: 'money per unit',
  },
  {
    name: 'salvage_value',
    kind: 'money',
    cues: 'left|left over|leftover|salvage|unsold|remaining|surplus|rest|end of the day|evening|clearance|outlet|discount|scrap|returned|return|resell|not sold|dump|refund|take back|buys back|give back',
    accepts: ({ isDisposal }) => !isDisposal,
    askOnce: (known) => known('price') !== undefined || known('unit_cost') !== undefined,
    default: 0,
    question: 'What do you get for a unit that is left over? 0 if nothing.',
    example: '0.50',
    unit: 'money per unit',
  },
  {
    name: 'holding_cost',
    kind: 'money',
    cues: 'too many costs|left over costs|overage cost|overage|too many|one too many|excess|left over cost|holding cost|holding|unit too many',
    required: (known) => !isPriced(known),
    question: 'What does a unit that is left over cost?',
    example: '0.18',
    unit: 'money per unit',
  },
  {
    name: 'stockout_cost',
    kind: 'money',
    cues: 'one short costs|short costs|missing costs|too few costs|underage cost|underage|too few|one too few|shortage|short|stockout|stock out|missing|lost sale|unit short|unmet',
    required: (known) => !isPriced(known),
    question: 'What does a unit that is missing cost (lost profit, goodwill)?',
    example: '0.70',
    unit: 'money per unit',
  },
];

/** Words for what is left over and brings nothing. */
const WORTHLESS =
  /(?:left ?-?overs?|left over|left|unsold|surplus|remaining|remain|rest|remainder|not sold)\b[^.;!?]{0,50}\b(?:worthless|nothing|thrown|binned|discarded?|no value|bin|trash|garbage|wasted?|lost|dump(?:ed)?|skip)\b|\b(?:throw|chuck|bin|discard)\b[^.;!?]{0,30}\b(?:left|unsold|rest|remain|surplus)|\b(?:are|is|get|gets|be|go|goes) (?:thrown (?:away|out)|worthless|binned|written off|discarded|in the (?:bin|trash)|to waste)|\bworthless\b|\b(?:no|without|zero) (?:salvage|residual|resale|scrap)(?: value)?\b/;

export const newsvendor: Problem = {
  domain: 'supply_chain',
  type: 'inventory',
  model: 'newsvendor',
  slots: newsvendorSlots,
  read(message, { asked, known }) {
    const found: Finding[] = [];
    const worthless = WORTHLESS.exec(message.plain);
    if (
      worthless !== null ||
      (asked === 'salvage_value' && /\b(?:nothing|worthless|zero|none|bin|trash|thrown|waste)\b/.test(message.plain))
    )
      found.push({ slot: 'salvage_value', value: 0, text: worthless?.[0] ?? message.text, confidence: 0.8 });
    // "200, plus or minus 50": what varies is the demand.
    const spread = message.quantities.findIndex(({ isSpread, currency }) => isSpread && currency === null);
    const mean = message.quantities[spread - 1];
    if (mean !== undefined && mean.currency === null && !mean.isPercent && known('demand.mean') === undefined) {
      const text = message.text.slice(mean.start, message.quantities[spread].end);
      found.push({ slot: 'demand.mean', value: mean.value, text, confidence: 0.85, used: [spread - 1] });
      if (mean.per !== null) found.push({ slot: 'time_unit', value: mean.per, text, confidence: 0.8 });
    }
    // "between 80 and 160": all demands between them alike.
    const low = message.quantities.findIndex(({ range, currency, isPercent }) => range === 'low' && currency === null && !isPercent); // prettier-ignore
    const [from, to] = [message.quantities[low], message.quantities[low + 1]];
    if (low < 0 || from === undefined || to === undefined || !(from.value < to.value)) return found;
    if (known('demand.sd') !== undefined) return found;
    const text = message.text.slice(from.start, to.end);
    return [
      ...found,
      {
        ...{
          slot: 'demand',
          value: { distribution: 'uniform', low: from.value, high: to.value },
          text,
          confidence: 0.8,
        },
        used: [low, low + 1],
        notes: [{ kind: 'interpreted', slot: 'demand', message: `${text}: each demand in between was taken as equally likely.` }], // prettier-ignore
      },
      ...(from.per === null ? [] : [{ slot: 'time_unit', value: from.per, text, confidence: 0.8 }]),
    ];
  },
  derive(known) {
    const mean = numberOf(known, 'demand.mean');
    const sd = numberOf(known, 'demand.sd');
    if (mean === null || sd === null) return [];
    return [derived('demand', { distribution: 'normal', mean, sd }, `Demand: normal with mean ${shownNumber(mean)} and standard deviation ${shownNumber(sd)}.`)]; // prettier-ignore
  },
  build: (known) => ({
    model: 'newsvendor',
    ...fieldsOf(known, isPriced(known) ? ['price', 'unit_cost', 'salvage_value'] : ['holding_cost', 'stockout_cost']),
    ...fieldsOf(known, ['demand', 'time_unit', 'currency']),
  }),
};
