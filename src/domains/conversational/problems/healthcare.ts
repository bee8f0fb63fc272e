/** Clinical trials, doses, radiotherapy in fractions. */
import type { Message } from '../message.js';
import { derived, fieldsOf, numberOf, shownNumber, textOf, type Problem } from '../problem.js';
import type { Known, Slot } from '../slots.js';

const inOpenShare = (value: number): string | null =>
  value > 0 && value < 1 ? null : 'It must lie between 0 and 1, or between 0 and 100 percent.';

const alpha = (extra: Partial<Slot>): Slot => ({
  name: 'alpha',
  kind: 'share',
  weakCues: 'sided|tailed|level',
  cues: 'alpha|type i error|type 1 error|type one error|false positive|significance|significance level|significant at|at the|false positive rate|type i', // prettier-ignore
  against: 'power|beta',
  default: 0.05,
  refuse: inOpenShare,
  accepts: ({ value, isPercent }) => (isPercent ? value < 0.5 : value < 0.5 || (value >= 1 && value <= 30)),
  question: 'Which type I error (alpha) may the trial have?',
  example: '5 percent',
  help: 'The chance of declaring success when the treatment does not work; 5 percent is usual.',
  ...extra,
});

const power = (value: number, extra: Partial<Slot>): Slot => ({
  name: 'power',
  kind: 'share',
  cues: 'power|powered|powered at|chance of detecting|chance to detect|probability of detecting|sure to find|chance of finding',
  against: 'alpha|error',
  default: value,
  refuse: inOpenShare,
  question: 'With which power should the trial find the effect?',
  example: `${value * 100} percent`,
  help: 'The chance of finding the effect when it is there; 80 or 90 percent is usual.',
  ...extra,
});

/** Power from a type II error. */
const beta: Slot = {
  name: 'beta',
  kind: 'share',
  partOf: 'power',
  cues: 'beta|type ii error|type 2 error|type two error|false negative|type ii',
  accepts: ({ value }) => value < 0.5 || value > 1,
  question: '',
  example: '',
};

const powerOfBeta = (known: Known) => {
  const error = numberOf(known, 'beta');
  if (error === null) return [];
  return [
    derived('power', Number((1 - error).toPrecision(12)), `Power: 1 less a type II error of ${shownNumber(error)}.`),
  ];
};

export const simonTwoStage: Problem = {
  domain: 'healthcare',
  type: 'clinical_trial_design',
  model: 'simon_two_stage',
  slots: [
    {
      name: 'p0',
      kind: 'share',
      cues: 'or less|not interest|standard treatment|standard|null|p0|uninteresting|current treatment|currently|historical|control|not interesting|no interest|unacceptable|standard of care|existing|conventional|poor|background|usual care|historic|futile|too low|not worth|undesirable|usual|today|existing therapy|at present|baseline', // prettier-ignore
      weakCues: 'response rate|respond|response',
      against: 'hope|hoping|target|want|p1|alpha|power|new|desirable|promising',
      required: true,
      refuse: inOpenShare,
      question: 'Which response rate would be too low to go on with (p0, for example that of the standard treatment)?',
      example: '10 percent',
      help: 'The rate in earlier trials or with the standard treatment: a drug no better than that is of no interest.',
    },
    {
      name: 'p1',
      kind: 'share',
      cues: 'hope|hoping|target|p1|want|expect|aim|aiming|alternative|promising|desirable|new drug|new treatment|new therapy|happy|satisfied|great|exciting|believe|worthwhile|desired|would like|look for|raise it to|improve to|improvement to|increase to|up to|anticipate|our drug|our agent|our compound|good enough|at least|double to|go for|excited|clinically meaningful', // prettier-ignore
      weakCues: 'response rate|respond|response',
      against: 'standard|null|p0|alpha|power|historical|current',
      required: true,
      refuse: inOpenShare,
      question: 'Which response rate should the trial find (p1)?',
      example: '30 percent',
      help: 'The lowest rate that would make the drug worth a larger trial.',
    },
    alpha({ required: true, question: 'Which one-sided type I error (alpha) may the trial have?' }),
    power(0.8, { required: true }),
    beta,
    {
      name: 'criterion',
      kind: null,
      askOnce: true,
      default: 'optimal',
      choices: [
        { value: 'optimal', name: 'optimal', cues: 'expected number|expected sample|expected patients|average number|fewest on average|lowest on average|expose fewer|stop early|least expected|expected|on average' }, // prettier-ignore
        { value: 'minimax', name: 'minimax', open: 'minimax', cues: 'maximum number|maximum sample|smallest maximum|total number|fewest in total|smallest total|worst case|mini max|minimum total|max sample|smallest trial|fewest patients in total|total sample|overall sample' }, // prettier-ignore
        {
          value: 'admissible',
          name: 'admissible',
          cues: 'compromise|balance|between the two|in between|both|trade off',
        },
      ],
      question: 'Should the expected number of patients be small if the drug does not work (optimal), or the largest number (minimax), or a compromise (admissible)?', // prettier-ignore
      example: 'optimal',
    },
  ],
  derive: powerOfBeta,
  conflicts(known) {
    const [p0, p1] = [numberOf(known, 'p0'), numberOf(known, 'p1')];
    return p0 !== null && p1 !== null && p1 <= p0
      ? [{ slot: 'p1', message: `The response rate to find, ${shownNumber(p1)}, must be above the one of no interest, ${shownNumber(p0)}.` }] // prettier-ignore
      : [];
  },
  build: (known) => ({ model: 'simon_two_stage', ...fieldsOf(known, ['p0', 'p1', 'alpha', 'power', 'criterion']) }),
};

const sides: Slot = {
  name: 'sides',
  isOpen: true,
  kind: null,
  default: 2,
  choices: [
    {
      value: 1,
      name: 'one-sided',
      cues: 'one sided|1 sided|one tailed|one-tailed|single sided|one tail|superiority only',
    },
    {
      value: 2,
      name: 'two-sided',
      cues: 'two sided|2 sided|two tailed|two-tailed|both sides|both directions|double sided',
    },
  ],
  question: 'Is the test one-sided or two-sided?',
  example: 'two-sided',
};

/** An endpoint that is not said may still be it. */
const mayBe = (endpoint: string) => (known: Known) => (known('endpoint') ?? endpoint) === endpoint;

const isEndpoint = (endpoint: string) => (known: Known) => known('endpoint') === endpoint;

const endpoint = (extra: Partial<Slot>): Slot => ({
  name: 'endpoint',
  isOpen: true,
  kind: null,
  choices: [
    { value: 'survival', name: 'survival', cues: 'survival|hazard|hazard ratio|time to event|progression free|overall survival|time until|time to death|pfs|event free|disease free' }, // prettier-ignore
    { value: 'binary', name: 'binary', cues: 'rate|proportion|response rate|responders|yes or no|success rate|cure rate|percentage|cure|success|remission|cured|event rate|infection|proportions|rates|quit|recover' }, // prettier-ignore
    { value: 'continuous', name: 'continuous', cues: 'mean|means|average|blood pressure|score|difference in means|continuous|mmhg|weight|standard deviation|sd|points|pain score|hba1c|cholesterol|measurement|effect size' }, // prettier-ignore
  ],
  question: 'What is compared: means (continuous), rates (binary) or the time to an event (survival)?',
  example: 'rates',
  ...extra,
});

const effectSlots = (isNeeded: boolean): readonly Slot[] => [
  {
    name: 'mean_difference',
    weakCues: 'expect|more|less|higher|fewer|better',
    applies: mayBe('continuous'),
    kind: { unit: 'any' },
    cues: 'difference|mean difference|reduction of|improvement of|drop of|lower by|raise by|reduce by|improve by|change of|effect of|detect a|benefit of|decrease of|increase of|difference of|fall of|gain of|detect|drop|points|lower|lowers|raises|improves|by|lower|lowers|by', // prettier-ignore
    against: 'standard deviation|sd|alpha|power|deviation',
    required: (known) => isNeeded && isEndpoint('continuous')(known),
    accepts: ({ isPercent, currency }) => !isPercent && currency === null,
    question: 'Which difference of the means should the trial find?',
    example: '5',
    help: 'The smallest difference that would matter to patients.',
  },
  {
    name: 'standard_deviation',
    applies: mayBe('continuous'),
    kind: { unit: 'any' },
    isSpread: true,
    cues: 'standard deviation|sd|std|stdev|sigma|deviation|std dev|variability|spread',
    required: (known) => isNeeded && isEndpoint('continuous')(known),
    accepts: ({ isPercent, currency, value }) => !isPercent && currency === null && value > 0,
    question: 'What is the standard deviation between patients?',
    example: '10',
    help: 'From earlier studies with the same measurement.',
  },
  {
    name: 'p_control',
    applies: mayBe('binary'),
    kind: 'share',
    cues: 'control|placebo|standard|currently|current|usual care|without treatment|untreated|baseline|old|existing|standard of care|now|comparator|on placebo|in controls|control arm|control group|today', // prettier-ignore
    weakCues: 'rate|from',
    against: 'treatment arm|new|treated|hope|alpha|power|dropout|drop',
    required: (known) => isNeeded && isEndpoint('binary')(known),
    refuse: inOpenShare,
    question: 'Which rate is expected in the control arm?',
    example: '20 percent',
  },
  {
    name: 'p_treatment',
    applies: mayBe('binary'),
    kind: 'share',
    accepts: ({ isChange }) => !isChange,
    cues: 'treatment arm|treatment|treated|new|drug|hope|hoping|expect|intervention|experimental|active|vaccine|improve to|up to|to|increase to|raise to|reduce to|vaccinated|our', // prettier-ignore
    weakCues: 'rate',
    against: 'control|placebo|standard|alpha|power|without|untreated|usual|dropout|drop',
    required: (known) => isNeeded && isEndpoint('binary')(known),
    refuse: inOpenShare,
    question: 'Which rate should the trial find in the treatment arm?',
    example: '40 percent',
  },
  {
    name: 'hazard_ratio',
    applies: mayBe('survival'),
    kind: 'number',
    cues: 'hazard ratio|hr|ratio of hazards|hazard',
    accepts: ({ value, isPercent }) => !isPercent && value > 0 && value < 10,
    required: (known) => isNeeded && isEndpoint('survival')(known),
    question: 'Which hazard ratio should the trial find?',
    example: '0.7, or: reduce the hazard by 30 percent',
    help: 'The risk of an event with treatment, divided by that without: 0.7 is 30 percent less.',
  },
  {
    name: 'hazard_reduction',
    applies: mayBe('survival'),
    kind: 'share',
    partOf: 'hazard_ratio',
    cues: 'reduce the hazard|reduction|reduce|lower|hazard by|less|fewer deaths|risk by|reduce by|hazard reduction|risk reduction|cut|decrease|improvement in survival|reduce mortality', // prettier-ignore
    against: 'alpha|power|dropout|drop out',
    // "from 12% to 8%" are two rates, no reduction by one of them.
    accepts: ({ isPercent, range }) => isPercent && range === null,
    question: '',
    example: '',
  },
  {
    name: 'allocation_ratio',
    kind: null,
    askOnce: isNeeded,
    default: 1,
    choices: [
      { value: 1, name: 'equal', cues: 'one to one|equally|same size|1 to 1|balanced|equal arms|half and half|even|equal groups|fifty fifty' }, // prettier-ignore
      { value: 2, name: 'two to one', cues: '2 to 1|twice as many|double|two thirds' },
      { value: 3, name: 'three to one', cues: '3 to 1|three times' },
    ],
    question: 'How many patients of the treatment arm are there for each one of the control arm?',
    example: '1',
  },
];

const deriveEffect = (known: Known) => {
  const findings = [...powerOfBeta(known)];
  const reduction = numberOf(known, 'hazard_reduction');
  const isThere = (...slots: readonly string[]): boolean => slots.every((slot) => known(slot) !== undefined);
  if (known('endpoint') === undefined) {
    if (isThere('p_control', 'p_treatment')) findings.push(derived('endpoint', 'binary', 'Endpoint: binary, for two rates are given.'));
    else if (isThere('mean_difference', 'standard_deviation')) findings.push(derived('endpoint', 'continuous', 'Endpoint: continuous, for a difference of means is given.')); // prettier-ignore
    else if (isThere('hazard_ratio') || isThere('hazard_reduction')) findings.push(derived('endpoint', 'survival', 'Endpoint: survival, for a hazard is given.')); // prettier-ignore
  }
  if (known('endpoint') === 'survival' && reduction !== null && known('hazard_ratio') === undefined) {
    const ratio = Number((1 - reduction).toPrecision(12));
    findings.push(derived('hazard_ratio', ratio, `Hazard ratio: a reduction by ${shownNumber(reduction * 100)} percent leaves ${ratio}.`)); // prettier-ignore
  }
  return findings;
};

const EFFECTS: Readonly<Record<string, readonly string[]>> = {
  continuous: ['mean_difference', 'standard_deviation'],
  binary: ['p_control', 'p_treatment'],
  survival: ['hazard_ratio'],
};

const effectOf = (known: Known) => fieldsOf(known, EFFECTS[textOf(known, 'endpoint') ?? ''] ?? []);

/** "2:1", "2 to 1" between arms; a number alone where it was asked for, "one" too. */
const readRatio: NonNullable<Problem['read']> = (message, { asked }) => {
  const found = /(\d{1,2}(?:\.\d{1,2})?) ?(?::|to|-to-) ?(\d{1,2}(?:\.\d{1,2})?)/.exec(message.plain);
  const [only, ...others] = asked === 'allocation_ratio' ? message.quantities : [];
  const isAlone = only !== undefined && others.length === 0 && /^\s*([\d.]+|[a-z]+)\s*[.!]?\s*$/.test(message.plain);
  if (isAlone && only.value > 0) return [{ slot: 'allocation_ratio', value: only.value, text: message.text, confidence: 0.9, used: [0] }]; // prettier-ignore
  const isMeant = asked === 'allocation_ratio' || /random|alloc|ratio|arm/.test(message.plain);
  if (found === null || !isMeant || Number(found[2]) === 0 || Number(found[1]) === 0) return [];
  const end = found.index + found[0].length;
  const used = message.quantities.flatMap(({ start }, i) => (start >= found.index && start < end ? [i] : []));
  const value = Number(found[1]) / Number(found[2]);
  return [{ slot: 'allocation_ratio', value, text: found[0], confidence: 0.9, used }];
};

/** "from 12% to 8%": what it is without treatment, and what it shall be with it. */
const readRates: NonNullable<Problem['read']> = (message, { known }) => {
  if ((known('endpoint') ?? 'binary') !== 'binary' || /\b(?:mean|average|hba1c|score|hazard|survival)\b/.test(message.plain)) return []; // prettier-ignore
  const k = message.quantities.findIndex((one, i) => {
    const next = message.quantities[i + 1];
    if (next === undefined || !one.isPercent || !next.isPercent) return false;
    return /\bfrom(?: about| around)? $/.test(message.plain.slice(Math.max(0, one.start - 14), one.start)) && /^ ?to(?: about| around)? ?$/.test(message.plain.slice(one.end, next.start)); // prettier-ignore
  });
  const [before, after] = [message.quantities[k], message.quantities[k + 1]];
  if (before === undefined || after === undefined || k < 0) return [];
  const text = message.text.slice(before.start, after.end);
  return [
    { slot: 'p_control', value: before.value, text, confidence: 0.85, used: [k] },
    { slot: 'p_treatment', value: after.value, text, confidence: 0.85, used: [k + 1] },
  ];
};

/** "placebo lowers by 4, drug lowers by 10": a change of each arm, neither of which is the difference. */
const changesOfArms = ({ plain, quantities }: Message): readonly number[] => {
  const own = quantities.flatMap(({ start }, i) => (/\b(?:placebo|control|drug|treatment|standard|usual care|comparator|new|active)(?: \w+)? (?:lower|reduce|raise|improve|drop|fall|rise|increase|decrease|gain|lose)[sd]?(?: \w+){0,2} (?:by )?$/.test(plain.slice(Math.max(0, start - 60), start)) ? [i] : [])); // prettier-ignore
  return own.length >= 2 ? own : [];
};

export const fixed: Problem = {
  domain: 'healthcare',
  type: 'clinical_trial_design',
  model: 'fixed',
  slots: [
    endpoint({ required: true }),
    ...effectSlots(true),
    alpha({ askOnce: true }),
    power(0.8, { askOnce: true }),
    beta,
    sides,
    {
      name: 'dropout',
      kind: 'share',
      absent: 'drop-?outs?|attrition|losses? to follow-?up',
      cues: 'dropout|drop out|drop|lost to follow|loss to follow|attrition|withdraw|dropouts',
      question: 'Which share of the patients will drop out?',
      example: '10 percent',
    },
    {
      name: 'event_probability',
      applies: mayBe('survival'),
      kind: 'share',
      cues: 'will have the event|event probability|have an event|die during|event rate|experience the event|probability of event|will die|have the event', // prettier-ignore
      question: 'Which share of the patients will have the event?',
      example: '60 percent',
    },
  ],
  read: (message, context) => [...readRatio(message, context), ...readRates(message, context)],
  ignores: changesOfArms,
  derive: deriveEffect,
  build: (known) => ({
    model: 'fixed',
    ...fieldsOf(known, ['endpoint', 'alpha', 'power', 'sides', 'allocation_ratio', 'dropout']),
    ...effectOf(known),
    ...(known('endpoint') === 'survival' ? fieldsOf(known, ['event_probability']) : {}),
  }),
};

export const groupSequential: Problem = {
  domain: 'healthcare',
  type: 'clinical_trial_design',
  model: 'group_sequential',
  slots: [
    {
      name: 'looks',
      kind: 'count',
      cues: 'looks|look|analyses|analysis|times|stages|peek|peeks|looks at the data|check the data',
      accepts: ({ value, isPercent }) => !isPercent && value >= 1 && value <= 20,
      required: true,
      question: 'How many analyses are there, the last one included?',
      example: '3',
      help: 'Two to five looks are usual; each one takes a meeting of the monitoring board.',
      refuse: (value) => (value >= 1 && value <= 20 ? null : 'There can be 1 to 20 analyses.'),
    },
    {
      name: 'interims',
      kind: null,
      partOf: 'looks',
      question: '',
      example: '',
    },
    {
      name: 'boundary',
      isOpen: true,
      kind: null,
      required: true,
      default: 'obrien_fleming',
      choices: [
        { value: 'obrien_fleming', name: "O'Brien-Fleming", cues: 'obrien fleming|o brien fleming|brien fleming|obf|obrien|conservative early|strict early' }, // prettier-ignore
        {
          value: 'pocock',
          name: 'Pocock',
          cues: 'pocock|same at every|constant|equal at each|equal boundaries|same threshold',
        },
        { value: 'wang_tsiatis_0.25', name: 'Wang-Tsiatis 0.25', cues: 'wang tsiatis|wang' },
        {
          value: 'alpha_spending',
          name: 'alpha spending',
          cues: 'spending|lan demets|alpha spending|lan-demets|spending function',
        },
      ],
      question:
        "Which boundary: O'Brien-Fleming (strict early), Pocock (equal at each look), Wang-Tsiatis, or alpha spending?",
      example: "O'Brien-Fleming",
    },
    alpha({ askOnce: true }),
    { ...sides, askOnce: true },
    power(0.9, { askOnce: true }),
    beta,
    endpoint({ isAskedOnly: false }),
    ...effectSlots(false),
  ],
  read(message, context) {
    const found = /(\d{1,2}|an?|one|two|three|four|five|six) (?:\w+ )?interims?\b/.exec(message.plain);
    const words = ['', 'one', 'two', 'three', 'four', 'five', 'six'];
    const ratio = readRatio(message, context);
    if (found === null) return ratio;
    const count = /\d/.test(found[1]) ? Number(found[1]) : Math.max(1, words.indexOf(found[1]));
    const end = found.index + found[0].length;
    const used = message.quantities.flatMap(({ start }, i) => (start >= found.index && start < end ? [i] : []));
    return [...ratio, { slot: 'interims', value: count, text: found[0], confidence: 0.85, used }];
  },
  derive: (known) => [
    ...deriveEffect(known),
    ...(numberOf(known, 'interims') === null
      ? []
      : [derived('looks', numberOf(known, 'interims')! + 1, 'Analyses: the interim ones and the final one.')]),
  ],
  build(known) {
    const effect = effectOf(known);
    const isWhole = Object.keys(effect).length === (EFFECTS[textOf(known, 'endpoint') ?? ''] ?? ['none']).length;
    return {
      model: 'group_sequential',
      ...fieldsOf(known, ['looks', 'boundary', 'alpha', 'sides', 'power']),
      ...(isWhole ? { ...fieldsOf(known, ['endpoint', 'allocation_ratio']), ...effect } : {}),
    };
  },
};

export const boin: Problem = {
  domain: 'healthcare',
  type: 'clinical_trial_design',
  model: 'boin',
  slots: [
    {
      name: 'target_toxicity',
      kind: 'share',
      cues: 'target toxicity|toxicity|dlt|dose limiting|target|dlt rate|toxic',
      required: true,
      refuse: inOpenShare,
      question: 'Which probability of a dose-limiting toxicity should the dose have?',
      example: '30 percent',
      help: 'Usually 20 to 33 percent for cytotoxic drugs.',
    },
    { name: 'cohort_size', kind: 'count', cues: 'cohort|cohorts of|per cohort|at a time', question: 'How many patients are in a cohort?', example: '3' }, // prettier-ignore
    { name: 'max_n', kind: 'count', cues: 'patients in total|maximum|total|at most|up to|patients in all|patients|sample|sample size|max sample', question: 'How many patients are there in all, at most?', example: '30' }, // prettier-ignore
  ],
  build: (known) => ({ model: 'boin', ...fieldsOf(known, ['target_toxicity', 'cohort_size', 'max_n']) }),
};

const LN_2 = 0.6931471805599453;

const byLevels = (known: Known): boolean => known('target_auc24_mg_h_l') === undefined;

export const pkDosing: Problem = {
  domain: 'healthcare',
  type: 'treatment_protocol',
  model: 'pk_dosing',
  slots: [
    {
      name: 'volume_l',
      kind: { unit: 'l' },
      cues: 'vd|volume of distribution|volume|v|distribution volume|v d',
      required: true,
      question: 'What is the volume of distribution?',
      example: '35 L',
      help: 'From the label of the drug, often per kilogram of body weight: 0.5 L/kg and 70 kg.',
      unit: 'L',
    },
    { name: 'volume_l_kg', kind: { unit: 'l/kg' }, partOf: 'volume_l', cues: 'vd|volume|v|volume of distribution', accepts: ({ over }) => over.length > 0, question: '', example: '' }, // prettier-ignore
    { name: 'weight_kg', kind: { unit: 'kg' }, partOf: 'volume_l', isAside: true, cues: 'weigh|weight|patient|kilo|kg', accepts: ({ unit, over }) => (unit?.name === 'kg' || unit?.name === 'lb') && over.length === 0, question: '', example: '' }, // prettier-ignore
    {
      name: 'clearance_l_h',
      kind: { unit: 'l/hour' },
      cues: 'cl|clearance|clear|clears',
      against: 'half life',
      required: true,
      question: 'What is the clearance?',
      example: '4.2 L/h',
      help: 'From the label or from creatinine clearance; with a half-life it follows from the volume: tell me the half-life.',
      unit: 'L/h',
    },
    { name: 'half_life_h', kind: { unit: 'hour' }, partOf: 'clearance_l_h', cues: 'half life|halflife|t1 2|t half|half lives', question: '', example: '' }, // prettier-ignore
    { name: 'elimination_rate_h', kind: { unit: '1/hour' }, partOf: 'clearance_l_h', cues: 'elimination rate|elimination constant|ke|kel|k|elimination', accepts: ({ over }) => over.length > 0, question: '', example: '' }, // prettier-ignore
    {
      name: 'target_peak_mg_l',
      kind: { unit: 'mg/l' },
      cues: 'peak|cmax|c max|highest|maximum concentration|max concentration|peaks',
      against: 'trough|min|average|mean|steady state',
      required: byLevels,
      question: 'Which peak concentration is the target?',
      example: '20 mg/L',
      unit: 'mg/L',
    },
    {
      name: 'target_trough_mg_l',
      kind: { unit: 'mg/l' },
      cues: 'trough|cmin|c min|lowest|minimum concentration|min concentration|troughs',
      against: 'peak|max',
      required: byLevels,
      question: 'Which trough concentration is the target?',
      example: '8 mg/L',
      unit: 'mg/L',
    },
    {
      name: 'target_auc24_mg_h_l',
      kind: { unit: 'any' },
      cues: 'auc|auc24|area under the curve|area under|exposure',
      accepts: ({ isPercent, currency }) => !isPercent && currency === null,
      question: 'Which area under the curve over 24 hours is the target?',
      example: '500 mg h/L',
      unit: 'mg h/L',
    },
    {
      name: 'interval_h',
      kind: { unit: 'hour' },
      cues: 'every|interval|dosing interval|q|dosed every',
      against: 'infusion|infused over|over|half life',
      required: (known) => !byLevels(known),
      question: 'How many hours lie between two doses?',
      example: '12 hours',
      unit: 'h',
    },
    {
      name: 'route',
      isOpen: true,
      kind: null,
      default: 'iv_bolus',
      choices: [
        { value: 'iv_bolus', name: 'iv bolus', cues: 'bolus|iv push|injection|intravenous bolus|injected' },
        { value: 'iv_infusion', name: 'iv infusion', cues: 'infusion|infuse|infused|drip|infused over' },
        { value: 'oral', name: 'oral', cues: 'oral|tablet|tablets|by mouth|orally|pill|capsule|po|pills|swallow' },
      ],
      question: 'How is the drug given: IV bolus, IV infusion or oral?',
      example: 'iv bolus',
    },
    {
      name: 'infusion_h',
      kind: { unit: 'hour' },
      cues: 'infusion|infused over|infuse|over|infusion time|run over|infusion of',
      against: 'every|interval|half life|auc',
      required: (known) => known('route') === 'iv_infusion',
      question: 'How long does each infusion take?',
      example: '1.5 hours',
      unit: 'h',
    },
    {
      name: 'absorption_rate_per_h',
      kind: { unit: '1/hour' },
      cues: 'absorption|ka|absorption rate|absorbed|k a',
      required: (known) => known('route') === 'oral',
      question: 'What is the rate of absorption (ka)?',
      example: '1.2 per hour',
      unit: '1/h',
    },
    {
      name: 'bioavailability',
      kind: 'share',
      cues: 'bioavailability|bioavailable|f|absorbed',
      question: 'Which share of the dose is absorbed?',
      example: '80 percent',
    },
  ],
  derive(known) {
    const findings = [];
    const [perKg, weight] = [numberOf(known, 'volume_l_kg'), numberOf(known, 'weight_kg')];
    let volume = numberOf(known, 'volume_l');
    if (perKg !== null && weight !== null && volume === null) {
      volume = perKg * weight;
      findings.push(derived('volume_l', volume, `Volume: ${shownNumber(perKg)} L/kg times ${shownNumber(weight)} kg is ${shownNumber(volume)} L.`)); // prettier-ignore
    }
    const halfLife = numberOf(known, 'half_life_h');
    const rate = numberOf(known, 'elimination_rate_h') ?? (halfLife === null || halfLife <= 0 ? null : LN_2 / halfLife);
    if (rate !== null && volume !== null && known('clearance_l_h') === undefined) {
      const clearance = rate * volume;
      findings.push(derived('clearance_l_h', clearance, `Clearance: elimination rate ${shownNumber(rate)} per hour times ${shownNumber(volume)} L.`)); // prettier-ignore
    }
    return findings;
  },
  conflicts(known) {
    const [peak, trough] = [numberOf(known, 'target_peak_mg_l'), numberOf(known, 'target_trough_mg_l')];
    return peak !== null && trough !== null && trough >= peak
      ? [{ slot: 'target_trough_mg_l', message: `The trough, ${shownNumber(trough)} mg/L, must be below the peak, ${shownNumber(peak)} mg/L.` }] // prettier-ignore
      : [];
  },
  build(known) {
    const route = textOf(known, 'route') ?? 'iv_bolus';
    return {
      model: 'pk_dosing',
      route,
      compartments: 1,
      ...fieldsOf(known, ['volume_l', 'clearance_l_h']),
      ...fieldsOf(known, byLevels(known) ? ['target_peak_mg_l', 'target_trough_mg_l'] : ['target_auc24_mg_h_l']),
      ...fieldsOf(known, ['interval_h']),
      ...(route === 'iv_infusion' ? fieldsOf(known, ['infusion_h']) : {}),
      ...(route === 'oral' ? fieldsOf(known, ['absorption_rate_per_h', 'bioavailability']) : {}),
    };
  },
};

const isGy = (extra: Omit<Slot, 'kind'>): Slot => ({ kind: { unit: 'gy' }, unit: 'Gy', ...extra });

export const fractionation: Problem = {
  domain: 'healthcare',
  type: 'treatment_protocol',
  model: 'fractionation',
  slots: [
    isGy({
      name: 'tumour_alpha_beta_gy',
      cues: 'tumour alpha beta|tumor alpha beta|tumour|tumor|cancer|prostate|target|lesion|carcinoma|of the tumour|of the tumor',
      weakCues: 'alpha beta',
      against: 'organ|normal tissue|rectum|healthy|oar|late|cord|limit|bed|spinal|lung|bladder|fractions',
      required: true,
      question: 'What is alpha/beta of the tumour?',
      example: '10 Gy',
      help: 'About 10 Gy for most tumours, 1.5 to 3 Gy for prostate.',
    }),
    isGy({
      name: 'oar_alpha_beta_gy',
      cues: 'organ at risk|organ|normal tissue|oar|rectum|healthy tissue|late|cord|spinal cord|lung|bladder|late reacting|healthy|kidney|brainstem|heart', // prettier-ignore
      weakCues: 'alpha beta',
      against: 'tumour|tumor|limit|bed|tolerance|tolerates|max|fractions|spar|sparing',
      required: true,
      question: 'What is alpha/beta of the organ at risk?',
      example: '3 Gy',
      help: '3 Gy is usual for late-reacting tissue, 2 Gy for the spinal cord.',
    }),
    {
      name: 'oar_sparing_factor',
      kind: 'share',
      cues: 'sparing|sparing factor|spare|of the dose|of the tumour dose|of the tumor dose|of the prescribed|receives|gets|dose share|fraction of the dose', // prettier-ignore
      required: true,
      question: 'Which share of the tumour dose does the organ at risk get?',
      example: '70 percent',
      help: 'From the treatment plan: dose of the organ divided by dose of the tumour.',
    },
    isGy({
      name: 'oar_bed_limit_gy',
      cues: 'bed limit|bed|limit|tolerance|tolerates|at most|no more than|maximum|biologically effective|max bed|constraint|below|tolerate',
      against: 'alpha|fractions',
      required: true,
      question: 'Which biologically effective dose may the organ at risk get at most?',
      example: '100 Gy',
    }),
    {
      name: 'max_fractions',
      kind: 'count',
      cues: 'fractions|max fractions|fraction|sessions|visits|number of fractions|treatments',
      required: true,
      question: 'How many fractions may there be at most?',
      example: '35',
    },
  ],
  build: (known) => ({
    model: 'fractionation',
    ...fieldsOf(known, ['tumour_alpha_beta_gy', 'oar_alpha_beta_gy', 'oar_sparing_factor', 'oar_bed_limit_gy', 'max_fractions']), // prettier-ignore
  }),
};
