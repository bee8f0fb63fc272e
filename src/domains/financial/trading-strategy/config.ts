/** What contradicts itself in the configs of the rule models. */
import type { Rule } from './rules.js';
import { type RuleConfig, barsOf } from './rule-fields.js';
import type { Complain } from '../../fields.js';
import { stepsOf, MAX_COMBINATIONS } from './grid.js';
import { parseConstraint, ConstraintError } from './constraint.js';

export const MAX_FOLDS = 500;

export function checkRule(rule: Rule, config: RuleConfig, complain: Complain): void {
  let isSound = true;
  const refuse: Complain = (path, message) => {
    if (isSound) complain(path, message);
    isSound = false;
  };
  checkData(config, refuse);
  if (isSound) checkCosts(config, refuse);
  if (isSound) checkParameters(rule, config, refuse);
  if (isSound) checkValidation(config, refuse);
}

function checkData({ bars, close, execution }: RuleConfig, refuse: Complain): void {
  if (bars === undefined && close === undefined) return refuse(['bars'], '`{field}` or `config.close` is required.');
  if (bars === undefined) {
    if (execution === 'next_open') {
      refuse(['execution'], '`{field}` next_open needs `config.bars` with opens: `config.close` has none.');
    }
    return;
  }
  if (close !== undefined) return refuse(['close'], '`{field}` does not go with `config.bars`, which has closes.');
  const length = bars.close.length;
  for (const name of ['open', 'high', 'low', 'time'] as const) {
    const own = bars[name]?.length ?? length;
    if (own !== length) {
      return refuse(
        ['bars', name],
        `\`{field}\` must have ${length} entries, as \`config.bars.close\` has, not ${own}.`,
      );
    }
  }
  const { high, low } = bars;
  if (high === undefined || low === undefined) return;
  const crossed = high.findIndex((value, i) => value < low[i]);
  if (crossed >= 0) {
    refuse(['bars', 'high', crossed], `\`{field}\` = ${high[crossed]} must be at least the low, ${low[crossed]}.`);
  }
}

function checkCosts({ cash_buffer }: RuleConfig, refuse: Complain): void {
  if (cash_buffer >= 1) refuse(['cash_buffer'], '`{field}` must be below 1: nothing would be invested.');
}

function checkParameters(rule: Rule, { parameters, constraint }: RuleConfig, refuse: Complain): void {
  let size = 1;
  for (const { name } of rule.parameters) {
    const given = parameters[name];
    if (given === undefined || typeof given === 'number') continue;
    if (given.max < given.min) {
      const path = ['parameters', name, 'max'];
      return refuse(
        path,
        `\`{field}\` = ${given.max} must be at least \`config.parameters.${name}.min\` = ${given.min}.`,
      );
    }
    size *= stepsOf(given);
    if (size > MAX_COMBINATIONS) {
      const message = `\`{field}\`: the values combine to more than ${MAX_COMBINATIONS} sets: take larger steps.`;
      return refuse(['parameters', name], message);
    }
  }
  if (constraint === undefined) return;
  try {
    parseConstraint(
      constraint,
      rule.parameters.map(({ name }) => name),
    );
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    refuse(['constraint'], `\`{field}\` ${error.message}.`);
  }
}

function checkValidation(config: RuleConfig, refuse: Complain): void {
  const { method, train_bars, test_bars, anchored } = config.validation;
  const bars = barsOf(config);
  const given = (['train_bars', 'test_bars'] as const).filter((name) => config.validation[name] !== undefined);
  if (method === 'none' && given.length > 0) {
    return refuse(['validation', given[0]], '`{field}` goes with the methods holdout and walk_forward.');
  }
  if (anchored && method !== 'walk_forward') {
    return refuse(['validation', 'anchored'], '`{field}` goes with the method walk_forward.');
  }
  if (method === 'walk_forward') {
    for (const name of ['train_bars', 'test_bars'] as const) {
      if (config.validation[name] === undefined) {
        return refuse(['validation', name], '`{field}` is required with the method walk_forward.');
      }
    }
  }
  if (method === 'none') return;
  const least = (train_bars ?? 2) + (test_bars ?? 1);
  const folds = Math.ceil((bars - (train_bars ?? 2)) / (test_bars ?? 1));
  if (method === 'walk_forward' && folds > MAX_FOLDS) {
    const message = `\`{field}\` = ${test_bars} makes ${folds} folds, more than ${MAX_FOLDS}: test on more bars at a time.`;
    return refuse(['validation', 'test_bars'], message);
  }
  if (least > bars) {
    const at = test_bars === undefined ? 'train_bars' : 'test_bars';
    refuse(
      ['validation', at],
      `\`{field}\`: ${least} bars for the choice and the test are more than the ${bars} given.`,
    );
  }
}
