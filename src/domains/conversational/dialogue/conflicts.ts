/** Values that cannot be, and the slot whose question leads out of it. */
import { type Draft, knownIn, label, brief } from './draft.js';
import type { Problem } from '../problem.js';
import type { AnyModel } from '../../problem-type.js';
import type { JsonObject } from '../../../model/problem.js';
import type { Conflict } from '../state.js';
import { checkConfig } from '../../configs.js';
import { ExtremumError } from '../../../common/errors.js';

export function conflictsOf(
  draft: Draft,
  problem: Problem,
  model: AnyModel,
  config: JsonObject,
  isWhole: boolean,
): Conflict[] {
  const known = knownIn(draft.collected);
  const found: Conflict[] = [];
  for (const { name, refuse, partOf } of problem.slots) {
    const value = known(name);
    const complaint = typeof value === 'number' ? (refuse?.(value) ?? null) : null;
    if (complaint !== null)
      found.push({ slot: partOf ?? name, message: `${label(name)} cannot be ${brief(value!)}. ${complaint}` });
  }
  if (found.length === 0) found.push(...(problem.conflicts?.(known) ?? []));
  if (found.length > 0) return found;
  for (const [field, value] of Object.entries(config)) {
    const schema = model.fields.shape[field] as { safeParse?: (value: unknown) => { success: boolean; error?: { issues: readonly { message: string }[] } } } | undefined; // prettier-ignore
    const slot = problem.slots.find(({ name }) => name === field);
    if (slot === undefined || isWhole) continue;
    const parsed = schema?.safeParse?.(value);
    if (parsed?.success === false)
      found.push({ slot: slotFor(problem, field), message: `${label(field)}: ${(parsed.error?.issues[0]?.message ?? 'not possible').replaceAll('`{field}`', 'it').replaceAll('{field}', field)}` }); // prettier-ignore
  }
  if (found.length > 0 || !isWhole) return found;
  try {
    checkConfig(draft.type!, config);
  } catch (error) {
    if (!(error instanceof ExtremumError)) throw error;
    const path = String(error.field ?? '').replace(/^config\.?/, '');
    found.push({ slot: slotFor(problem, path), message: error.message.replaceAll('`config.', '`') });
  }
  return found;
}

/** The slot that is asked about a path of the config. */
function slotFor(problem: Problem, path: string): string {
  const plain = path.replace(/\[\d+\]/g, '');
  const fits = problem.slots.filter(({ name, question }) => question !== '' && (plain === name || plain.startsWith(`${name}.`) || name.startsWith(`${plain}.`))); // prettier-ignore
  const best = fits.sort((a, b) => b.name.length - a.name.length)[0];
  return best?.partOf ?? best?.name ?? problem.slots[0].name;
}
