import type { Preset } from './intelligence.js';
import type { Mode } from './run-task.js';

/** An account's own defaults for its runs; what is absent is the service's. */
export interface AccountSettings {
  readonly preset?: Preset;
  readonly mode?: Mode;
  readonly maxEvaluations?: number;
  readonly timeoutSeconds?: number;
}
