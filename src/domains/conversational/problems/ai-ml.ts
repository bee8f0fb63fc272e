/** Hyperparameters of built-in learners, and architectures of networks that are trained. */
import type { Json, JsonObject } from '../../../model/problem.js';
import type { Message } from '../message.js';
import { fieldsOf, textOf, type Problem } from '../problem.js';
import type { Finding, Known, Slot } from '../slots.js';

const MODELS: Slot['choices'] = [
  {
    value: 'knn',
    name: 'knn',
    cues: 'k nn|nearest neighbour|nearest neighbor|nearest neighbours|nearest neighbors|k nearest|neighbours|neighbors',
  },
  { value: 'ridge', name: 'ridge', cues: 'ridge regression|linear regression|regularised linear|l2 regression' },
  { value: 'logistic_regression', name: 'logistic regression', cues: 'logistic|logit|logreg|logistic regression' },
  { value: 'svm_rbf', name: 'svm', cues: 'support vector|svm|svc|rbf|kernel machine|support vector machine' },
  { value: 'decision_tree', name: 'decision tree', cues: 'tree|cart|decision tree' },
  { value: 'random_forest', name: 'random forest', cues: 'forest|random forest|rf' },
  {
    value: 'gradient_boosting',
    name: 'gradient boosting',
    cues: 'boosting|boosted|gbm|xgboost|gradient boosting|boosted trees|lightgbm',
  },
  {
    value: 'mlp',
    name: 'mlp',
    cues: 'neural network|neural net|perceptron|multilayer|neural|nn|multi layer perceptron',
  },
];

const DATASETS: Slot['choices'] = [
  { value: 'iris', name: 'iris', cues: 'iris|flowers|irises' },
  { value: 'wine', name: 'wine', cues: 'wine|wines' },
  { value: 'breast_cancer', name: 'breast cancer', cues: 'breast cancer|breast|cancer data|wdbc|tumour data' },
  { value: 'diabetes', name: 'diabetes', cues: 'diabetes|diabetic' },
  { value: 'digits', name: 'digits', cues: 'digits|handwritten|digit' },
];

/** Names by which people call a parameter, per model. */
const PARAMETERS: Readonly<
  Record<
    string,
    Readonly<
      Record<
        string,
        {
          readonly words: RegExp;
          readonly type: 'int' | 'float';
          readonly range: readonly [number, number];
          readonly log?: boolean;
        }
      >
    >
  >
> = {
  knn: { k: { words: /\bk\b|neighbou?rs|n_neighbors/, type: 'int', range: [1, 30] } },
  ridge: {
    alpha: {
      words: /\balpha\b|penalty|regulari[sz]ation|\bl2\b|lambda|shrinkage/,
      type: 'float',
      range: [1e-3, 1e3],
      log: true,
    },
  },
  logistic_regression: {
    l2: {
      words: /\bl2\b|penalty|regulari[sz]ation|lambda|\balpha\b|shrinkage/,
      type: 'float',
      range: [1e-3, 1e3],
      log: true,
    },
  },
  svm_rbf: { c: { words: /\bc\b|cost|penalty/, type: 'float', range: [0.1, 100], log: true }, gamma: { words: /\bgamma\b|width/, type: 'float', range: [1e-3, 1], log: true } }, // prettier-ignore
  decision_tree: { max_depth: { words: /depth/, type: 'int', range: [1, 12] } },
  random_forest: {
    max_depth: { words: /depth/, type: 'int', range: [2, 12] },
    trees: { words: /trees|estimators/, type: 'int', range: [20, 200] },
  },
  gradient_boosting: { learning_rate: { words: /learning rate|\blr\b|shrinkage|eta/, type: 'float', range: [0.01, 0.3], log: true }, max_depth: { words: /depth/, type: 'int', range: [1, 6] }, trees: { words: /trees|estimators|rounds|iterations/, type: 'int', range: [20, 200] } }, // prettier-ignore
  mlp: { learning_rate: { words: /learning rate|\blr\b/, type: 'float', range: [1e-4, 1e-1], log: true } },
};

const isRegression = (known: Known): boolean =>
  textOf(known, 'evaluator.dataset') === 'diabetes' || textOf(known, 'evaluator.model') === 'ridge';

/** The range or the values that follow each parameter's name. */
function spaceIn(message: Message, model: string): { readonly space: JsonObject; readonly used: number[] } {
  const space: Record<string, Json> = {};
  const used: number[] = [];
  for (const [name, { words, type, log = false }] of Object.entries(PARAMETERS[model] ?? {})) {
    const at = words.exec(message.plain);
    if (at === null) continue;
    // "50 to 300 trees", else "depth from 2 to 10".
    const before = message.quantities.findIndex(({ end, range }, i) => range === 'high' && end <= at.index && at.index - end <= 2 && !used.includes(i)); // prettier-ignore
    const after = message.quantities.findIndex(({ start }, i) => start >= at.index && start < at.index + 50 && !used.includes(i)); // prettier-ignore
    const first = before > 0 ? before - 1 : after;
    const [low, high] = [message.quantities[first], message.quantities[first + 1]];
    if (first < 0 || low === undefined) continue;
    const gap = high === undefined ? '' : message.plain.slice(low.end, high.start);
    if (
      high !== undefined &&
      (low.range === 'low' || /^ ?(?:to|and|-|up to|until|\.\.) ?$/.test(gap)) &&
      high.value > low.value
    ) {
      const isWide =
        /\blog/.test(message.plain.slice(at.index, high.end + 40)) ||
        (log && low.value > 0 && high.value / low.value >= 50);
      space[name] = { type, low: low.value, high: high.value, ...(isWide && low.value > 0 ? { log: true } : {}) };
      used.push(first, first + 1);
    } else if (high !== undefined && /^ ?(?:,|or|\/|,? and) ?$/.test(gap)) {
      const values: number[] = [];
      for (let i = first; i < message.quantities.length; i++) {
        if (
          i > first &&
          !/^ ?(?:,|or|\/|,? and|, or) ?$/.test(
            message.plain.slice(message.quantities[i - 1].end, message.quantities[i].start),
          )
        )
          break;
        values.push(message.quantities[i].value);
        used.push(i);
      }
      space[name] = { type: 'ordinal', values };
    } else if (low.comparison === 'at_most') {
      const least = PARAMETERS[model][name].range[0];
      space[name] = { type, low: Math.min(least, low.value / 10), high: low.value, ...(log ? { log } : {}) };
      used.push(first);
    }
  }
  return { space, used };
}

/** Values of a parameter that are words. */
function categoriesIn(message: Message, model: string): JsonObject {
  if (model !== 'knn' || !/weight|uniform|distance/.test(message.plain)) return {};
  const choices = ['uniform', 'distance'].filter((name) => message.plain.includes(name));
  return choices.length === 2 || /weight/.test(message.plain) ? { weights: { type: 'categorical', choices: choices.length < 2 ? ['uniform', 'distance'] : choices } } : {}; // prettier-ignore
}

const defaultSpace = (model: string | null): JsonObject | undefined => {
  const parameters = Object.entries(PARAMETERS[model ?? ''] ?? {});
  if (parameters.length === 0) return undefined;
  return Object.fromEntries(parameters.map(([name, { type, range, log }]) => [name, { type, low: range[0], high: range[1], ...(log === true ? { log } : {}) }])); // prettier-ignore
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const validationIn = (message: Message): Json | null => {
  if (/leave[ -]one[ -]out|\bloo\b|loocv|leave 1 out/.test(message.plain)) return 'leave_one_out';
  const folds = /(\d{1,3}|two|three|four|five|ten)[ -]?folds?|(?:k-?folds?|cross[ -]validation|cv)(?: with| of|,| \(| =)? ?(\d{1,3}|five|ten)|(\d{1,3})[ -]?(?:fold|cv)/.exec(message.plain); // prettier-ignore
  if (folds !== null) {
    const word = folds[1] ?? folds[2] ?? folds[3] ?? '5';
    const value = Number(({ two: 2, three: 3, four: 4, five: 5, ten: 10 } as Record<string, number>)[word] ?? word);
    return value >= 2 ? { folds: value } : null;
  }
  const holdout = /hold ?-?out|test set|held out|train\/test|train test/.test(message.plain);
  // "70/30", "80-20": the second part is held out.
  const parts = /(?<!\d)(\d{2}) ?[/:-] ?(\d{2})(?!\d)/.exec(message.plain);
  const split = parts !== null && Number(parts[1]) + Number(parts[2]) === 100 ? Number(parts[2]) / 100 : null;
  if (holdout)
    return {
      holdout:
        split ?? message.quantities.find(({ value, isPercent }) => isPercent || (value > 0 && value < 1))?.value ?? 0.2,
    };
  return /cross[ -]?validat|\bcv\b/.test(message.plain) ? { folds: 5 } : null;
};

const trained: readonly Slot[] = [
  {
    name: 'evaluator.dataset',
    isOpen: true,
    kind: null,
    required: true,
    choices: DATASETS,
    question: 'On which data: iris, wine, breast cancer, diabetes or digits?',
    example: 'iris',
    help: 'Own data are sent as a config with features and target.',
  },
];

export const hyperparameterTuning: Problem = {
  domain: 'ai_ml',
  type: 'hyperparameter_tuning',
  model: null,
  slots: [
    {
      name: 'evaluator.model',
      isOpen: true,
      kind: null,
      required: true,
      choices: MODELS,
      question:
        'Which learner: knn, ridge, logistic regression, svm, decision tree, random forest, gradient boosting or mlp?',
      example: 'random forest',
    },
    ...trained,
    {
      name: 'search_space',
      kind: null,
      isList: true,
      required: true,
      default: (known) => defaultSpace(textOf(known, 'evaluator.model')),
      question: 'Which parameters may vary, and in which range?',
      example: 'k from 1 to 30',
      help: 'The range should hold what you would try by hand, with room on both sides.',
    },
    {
      name: 'evaluator.metric',
      isOpen: true,
      kind: null,
      askOnce: true,
      default: (known) => (isRegression(known) ? 'mse' : 'accuracy'),
      choices: [
        {
          value: 'accuracy',
          name: 'accuracy',
          cues: 'accurate|correctly classified|share correct|hit rate|most correct',
        },
        { value: 'log_loss', name: 'log loss', cues: 'logloss|cross entropy|log-loss|calibrated|probabilities' },
        { value: 'f1', name: 'f1', cues: 'f1 score|f score|f-score' },
        { value: 'auc', name: 'auc', cues: 'roc|area under|roc auc' },
        { value: 'mse', name: 'mse', cues: 'mean squared error|squared error|rmse' },
        { value: 'mae', name: 'mae', cues: 'absolute error|mean absolute error' },
        { value: 'r2', name: 'r2', cues: 'r squared|explained variance|r-squared' },
      ],
      question: 'By what is a model judged: accuracy, log loss, f1, auc; for numbers mse, mae or r2?',
      example: 'accuracy',
    },
    {
      name: 'evaluator.validation',
      kind: null,
      askOnce: true,
      default: { folds: 5 },
      question: 'How is it validated: leave one out, a number of folds, or a holdout?',
      example: '5 folds',
    },
  ],
  read(message, { known, asked }) {
    const found: Finding[] = [];
    const bare = asked === 'evaluator.validation' ? /^\s*(\d{1,2})\s*[.!]?\s*$/.exec(message.plain)?.[1] : undefined;
    const validation = bare !== undefined && Number(bare) >= 2 ? { folds: Number(bare) } : validationIn(message);
    const claimed = validation === null ? [] : message.quantities.flatMap(({ start }, i) => (/fold|cv|holdout|hold/.test(message.plain.slice(start, start + 22)) ? [i] : [])); // prettier-ignore
    if (validation !== null) found.push({ slot: 'evaluator.validation', value: validation, text: message.text.slice(0, 200), confidence: 0.85, used: claimed }); // prettier-ignore
    const model = textOf(known, 'evaluator.model') ?? modelIn(message);
    if (model !== null) {
      const { space, used } = spaceIn(message, model);
      const categories = categoriesIn(message, model);
      const all = {
        ...(isObject(known('search_space')) ? (known('search_space') as JsonObject) : {}),
        ...space,
        ...categories,
      };
      if (Object.keys(space).length + Object.keys(categories).length > 0)
        found.push({ slot: 'search_space', value: all, text: message.text.slice(0, 200), confidence: 0.85, used });
      else if (lonelyRange(message, claimed) !== null && Object.keys(PARAMETERS[model] ?? {}).length === 1) {
        const first = lonelyRange(message, claimed)!;
        const [name, { type, log }] = Object.entries(PARAMETERS[model])[0];
        const [low, high] = message.quantities.slice(first, first + 2).map(({ value }) => value);
        found.push({ slot: 'search_space', value: { [name]: { type, low, high, ...(log === true && low > 0 ? { log } : {}) } }, text: message.text, confidence: 0.8, used: [first, first + 1] }); // prettier-ignore
      }
    }
    return found;
  },
  build(known) {
    const validation = known('evaluator.validation');
    return {
      ...fieldsOf(known, ['search_space']),
      evaluator: {
        type: 'builtin',
        ...(known('evaluator.model') === undefined ? {} : { model: known('evaluator.model')! }),
        ...(known('evaluator.dataset') === undefined ? {} : { dataset: { name: known('evaluator.dataset')! } }),
        ...(known('evaluator.metric') === undefined ? {} : { metric: known('evaluator.metric')! }),
        ...(validation === undefined ? {} : { validation }),
      },
    };
  },
};

/** Where the only range of a message begins; null: there is none, or several. */
function lonelyRange({ quantities }: Message, taken: readonly number[]): number | null {
  const lows = quantities.flatMap(({ range }, i) => (range === 'low' && !taken.includes(i) ? [i] : []));
  return lows.length === 1 ? lows[0] : null;
}

/** The learner that the message names; null: none. */
function modelIn(message: Message): string | null {
  const names: readonly (readonly [string, RegExp])[] = [
    ['knn', /\bk-?nn\b|nearest neighbou?r/],
    ['random_forest', /random forest|\bforest\b/],
    ['gradient_boosting', /boosting|boosted|\bgbm\b/],
    ['logistic_regression', /logistic/],
    ['svm_rbf', /\bsv[mc]\b|support vector/],
    ['ridge', /\bridge\b/],
    ['decision_tree', /decision tree/],
    ['mlp', /\bmlp\b|neural net|perceptron/],
  ];
  return names.find(([, words]) => words.test(message.plain))?.[0] ?? null;
}

export const architectureSearch: Problem = {
  domain: 'ai_ml',
  type: 'architecture_search',
  model: null,
  slots: [
    ...trained,
    {
      name: 'search_space.layers',
      kind: null,
      required: true,
      default: { min: 1, max: 3 },
      question: 'How many hidden layers may the network have?',
      example: '1 to 3',
    },
    {
      name: 'search_space.units',
      kind: null,
      required: true,
      default: [16, 32, 64],
      question: 'Which numbers of units may a layer have?',
      example: '16, 32 or 64',
    },
    {
      name: 'search_space.activations',
      kind: null,
      default: ['relu', 'tanh'],
      question: 'Which activations may be used?',
      example: 'relu or tanh',
    },
    {
      name: 'constraints.max_params',
      default: null,
      kind: 'count',
      cues: 'parameters|params|weights|parameter|model size',
      accepts: ({ value, comparison }) => value >= 10 && comparison !== 'at_least',
      askOnce: true,
      question: 'How many parameters may the network have at most?',
      example: '5000; or: no limit',
    },
    {
      name: 'evaluator.epochs',
      kind: 'count',
      cues: 'epochs|epoch|passes',
      question: 'How many epochs is each network trained?',
      example: '20',
    },
  ],
  read(message, { asked }) {
    const found: Finding[] = [];
    const layers = /(?:(\d{1,2}|one|two|three) ?(?:-|to|or|and|up to) ?)?(\d{1,2}|one|two|three|four|five|six) (?:hidden )?layers?|layers? (?:from |between )?(\d{1,2}) ?(?:-|to|and) ?(\d{1,2})/.exec(message.plain); // prettier-ignore
    const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six'];
    const figure = (text: string | undefined): number | null =>
      text === undefined ? null : /\d/.test(text) ? Number(text) : words.indexOf(text);
    const claim = (from: number, to: number): number[] =>
      message.quantities.flatMap(({ start, end }, i) => (end > from && start < to ? [i] : []));
    if (layers !== null) {
      const isMost = /(?:up to|at most|no more than|max(?:imum)?(?: of)?) $/.test(
        message.plain.slice(Math.max(0, layers.index - 14), layers.index),
      );
      const high = figure(layers[2]) ?? figure(layers[4])!;
      const low = figure(layers[1]) ?? figure(layers[3]) ?? (isMost ? 1 : high);
      found.push({ slot: 'search_space.layers', value: { min: Math.min(low, high), max: Math.max(low, high) }, text: layers[0], confidence: 0.85, used: claim(layers.index, layers.index + layers[0].length) }); // prettier-ignore
    } else if (asked === 'search_space.layers' && message.quantities.length > 0) {
      const values = message.quantities.slice(0, 2).map(({ value }) => value);
      const isMost = message.quantities[0].comparison === 'at_most';
      found.push({ slot: 'search_space.layers', value: { min: isMost ? 1 : Math.min(...values), max: Math.max(...values) }, text: message.text, confidence: 0.85, used: [0, 1].slice(0, values.length) }); // prettier-ignore
    }
    const units = /((?:\d{1,5}(?:, ?| or | and |, or |\/))*\d{1,5}) (?:units|neurons|nodes|wide)|(?:units|neurons|width|nodes)(?: of| from|:| in)? ((?:\d{1,5}(?:, ?| or | and |, or |\/))*\d{1,5})/.exec(message.plain); // prettier-ignore
    // Units are sold as well: only those of a network are meant.
    const isNetwork = asked !== null || /layer|neuron|network|hidden|perceptron|mlp|architecture|relu|tanh/.test(message.plain); // prettier-ignore
    const text =
      (isNetwork ? (units?.[1] ?? units?.[2]) : undefined) ?? (asked === 'search_space.units' ? message.plain : null);
    const values = text === null ? [] : [...text.matchAll(/\d{1,5}/g)].map(([one]) => Number(one)).slice(0, 20);
    if (values.length > 0 && !(asked === 'search_space.units' && units === null && layers !== null)) {
      const [from, to] = units === null ? [0, message.plain.length] : [units.index, units.index + units[0].length];
      found.push({
        slot: 'search_space.units',
        value: values,
        text: text!.slice(0, 200),
        confidence: 0.85,
        used: claim(from, to),
      });
    }
    const activations = ['relu', 'tanh', 'sigmoid', 'gelu', 'elu'].filter((name) =>
      new RegExp(`\\b${name}\\b`).test(message.plain),
    );
    if (activations.length > 0) found.push({ slot: 'search_space.activations', value: activations, text: activations.join(', '), confidence: 0.9 }); // prettier-ignore
    if (
      asked === 'constraints.max_params' &&
      /\b(?:no|none|unlimited|any)\b/.test(message.plain) &&
      message.quantities.length === 0
    )
      found.push({ slot: 'constraints.max_params', value: null, text: 'no limit', confidence: 0.9 });
    return found;
  },
  build(known) {
    const most = known('constraints.max_params');
    return {
      search_space: {
        type: 'mlp',
        ...(known('search_space.layers') === undefined ? {} : { layers: known('search_space.layers')! }),
        ...(known('search_space.units') === undefined ? {} : { units: known('search_space.units')! }),
        activations: known('search_space.activations') ?? ['relu', 'tanh'],
      },
      evaluator: {
        type: 'train',
        ...(known('evaluator.dataset') === undefined ? {} : { dataset: known('evaluator.dataset')! }),
        ...(known('evaluator.epochs') === undefined ? {} : { epochs: known('evaluator.epochs')! }),
      },
      ...(typeof most === 'number' ? { constraints: { max_params: most } } : {}),
    };
  },
};
