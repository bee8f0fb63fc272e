/** How many futures contracts hedge an exposure. */
import { type Problem, mustBePositive, textOf, numberOf, shownNumber, derived, fieldsOf } from '../../problem.js';
import { isCorrelation } from './correlations.js';
import { unitNamed } from '../../units.js';

export const hedgeRatio: Problem = {
  domain: 'financial',
  type: 'risk_management',
  model: 'hedge_ratio',
  slots: [
    {
      name: 'spot_volatility',
      kind: 'number',
      cues: 'spot|spot change|spot price|spot volatility|cash price|physical|of spot|spot standard deviation|our price|local price|cash market', // prettier-ignore
      against: 'futures|future|correlation|contract',
      required: true,
      refuse: mustBePositive,
      question: 'What is the standard deviation of the changes of the spot price?',
      example: '0.0263',
      help: 'Take the changes over periods as long as the hedge, and their standard deviation.',
    },
    {
      name: 'futures_volatility',
      kind: 'number',
      cues: 'futures|future|futures price|futures change|of the futures|futures volatility|futures contract',
      against: 'spot|correlation|contract size|per contract|each contract|contract covers',
      required: true,
      refuse: mustBePositive,
      question: 'What is the standard deviation of the changes of the futures price?',
      example: '0.0313',
      help: 'Over the same periods as for the spot price.',
    },
    {
      name: 'correlation',
      kind: 'number',
      cues: 'correlation|correlated|correlate|corr|rho|correlation coefficient',
      required: true,
      accepts: ({ value }) => Math.abs(value) <= 100,
      refuse: isCorrelation,
      question: 'What is the correlation of both changes?',
      example: '0.928',
    },
    {
      name: 'exposure_units',
      kind: 'amount',
      keepsUnit: true,
      cues: 'exposure|buy|sell|need|purchase|hedge|exposed|own|hold|will buy|will sell|harvest|produce|deliver|exposed to|holding|long|short|consume',
      against: 'contract|per contract|each contract|contract size|futures contract covers',
      accepts: ({ value, isPercent }) => !isPercent && value > 1,
      required: true,
      refuse: mustBePositive,
      question: 'How many units are exposed to the price?',
      example: '2 million gallons',
    },
    {
      name: 'contract_size',
      kind: 'amount',
      weakCues: 'each|apiece',
      keepsUnit: true,
      cues: 'contract size|per contract|each contract|one contract|contract is for|contract covers|a contract|contract|contracts of|contract is|lot size|every contract', // prettier-ignore
      accepts: ({ value, isPercent }) => !isPercent && value >= 1,
      required: true,
      refuse: mustBePositive,
      question: 'How many units does one futures contract cover?',
      example: '42,000 gallons',
      help: 'The exchange says it in the contract specification.',
    },
  ],
  derive(known) {
    const [own, contract] = [textOf(known, 'exposure_units.unit'), textOf(known, 'contract_size.unit')];
    const size = numberOf(known, 'contract_size');
    if (own === null || contract === null || own === contract || size === null) return [];
    const [a, b] = [unitNamed(own), unitNamed(contract)];
    if (a === undefined || b === undefined || a.dimension !== b.dimension) return [];
    const converted = Number(((size * b.factor) / a.factor).toPrecision(12));
    const message = `A contract of ${shownNumber(size)} ${contract} is ${shownNumber(converted)} ${own}.`;
    return [{ ...derived('contract_size.converted', converted, message), notes: [{ kind: 'unit_converted', slot: 'contract_size', message }] }]; // prettier-ignore
  },
  build: (known) => ({
    model: 'hedge_ratio',
    ...fieldsOf(known, ['spot_volatility', 'futures_volatility', 'correlation', 'exposure_units', 'contract_size']),
    ...(known('contract_size.converted') === undefined ? {} : { contract_size: known('contract_size.converted')! }),
  }),
};
