import type { Rule } from 'eslint';

export const ALLOWED: Readonly<Record<string, readonly string[]>>;
declare const rule: Rule.RuleModule;
export default rule;
