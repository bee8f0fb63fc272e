import type { Remark } from '../../model/problem.js';

/** Every answer about patients carries it. */
export const DECISION_SUPPORT: Remark = {
  code: 'decision_support',
  message:
    'This answer supports a decision and does not make one: a qualified person must review it before it touches a patient or a protocol.',
};
