/**
 * How much of an error may be spent by a share t of the information. Sources: Lan and DeMets 1983; Hwang, Shih and
 * DeCani 1990.
 */
import { exp, log, power } from '../../../common/float.js';
import { quantile, tail } from '../../solvers/distributions/normal.js';

export const SPENDING_FUNCTIONS = ['obrien_fleming_type', 'pocock_type', 'power', 'hwang_shih_decani'] as const;
export type SpendingFunction = (typeof SPENDING_FUNCTIONS)[number];

/** Whether a function takes `spending_parameter`. */
export const hasParameter = (name: SpendingFunction): boolean => name === 'power' || name === 'hwang_shih_decani';

/**
 * Spent part of `error`, the whole error of one side, at the share `t`; `parameter` for those functions that have one.
 */
export function spent(name: SpendingFunction, error: number, t: number, parameter: number): number {
  if (t >= 1) return error;
  switch (name) {
    case 'obrien_fleming_type':
      return 2 * tail(-quantile(error / 2) / Math.sqrt(t));
    case 'pocock_type':
      return error * log(1 + (Math.E - 1) * t);
    case 'power':
      return error * power(t, parameter);
    case 'hwang_shih_decani':
      if (Math.abs(parameter) < 1e-9) return error * t;
      return (error * (1 - exp(-parameter * t))) / (1 - exp(-parameter));
  }
}
