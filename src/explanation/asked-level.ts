import type { RunRecord } from '../model/run-record.js';

export function askedLevel({ request: { intelligence } }: RunRecord): number {
  return intelligence.interpretable ? intelligence.explanationLevel : 0;
}
