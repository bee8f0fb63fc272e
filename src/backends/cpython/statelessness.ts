/** Whether calls of an objective are free of each other: by the uploader's word, else by what the text shows. */
import type { ObjectiveSource, Statelessness } from '../../model/objective.js';

/** `stateful`: words on what may outlive a call, by the text; null: nothing does. */
export function statelessness({ stateless }: ObjectiveSource, stateful: string | null): Statelessness {
  if (stateless !== undefined) return { value: stateless, reason: 'the upload says so' };
  return stateful === null
    ? { value: true, reason: 'the text shows nothing that outlives a call' }
    : { value: false, reason: stateful };
}
