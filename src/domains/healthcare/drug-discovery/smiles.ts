/**
 * SMILES as far as their letters tell: whether they can be one at all. What they mean, and whether there can be such a
 * molecule, is for the library; this is cheap enough for the event loop.
 */
import { z } from 'zod';

/** The longest that is accepted. Drugs have fewer than 200. */
export const MOST_SMILES_CHARACTERS = 500;

/** In square brackets: isotope, symbol, chirality, hydrogens, charge, class. */
const BRACKET_ATOM = /^\[\d{0,3}(\*|[A-Z][a-z]?|[a-z][a-z]?)(@[@A-Z0-9]*)?(H\d?)?([+-]{1,4}|[+-]\d{1,2})?(:\d{1,4})?\]/;
const ATOM = /^(\*|Br|Cl|[BCNOPSFI]|[bcnops])/;
const BOND = /^[-=#$:/\\~.]/;
const RING = /^(%\d\d|\d)/;

/** Null: it may be one. */
function faultOf(smiles: string): string | null {
  let depth = 0;
  let hasAtom = false;
  const open = new Set<string>();
  for (let i = 0; i < smiles.length;) {
    const rest = smiles.slice(i);
    const atom = (smiles[i] === '[' ? BRACKET_ATOM : ATOM).exec(rest);
    if (atom !== null) {
      hasAtom = true;
      i += atom[0].length;
      continue;
    }
    const ring = RING.exec(rest);
    if (ring !== null && hasAtom) {
      const name = ring[0].replace('%', '').replace(/^0/, '');
      if (!open.delete(name)) open.add(name);
      i += ring[0].length;
      continue;
    }
    if (smiles[i] === '(' && hasAtom) depth++;
    else if (smiles[i] === ')' && depth > 0) depth--;
    else if (!BOND.test(rest) || !hasAtom)
      return `there is no place for ${JSON.stringify(smiles[i])} at character ${i + 1}`;
    i++;
  }
  if (depth > 0) return 'a bracket is not closed';
  const [ring] = open;
  if (ring !== undefined) return `the ring ${ring} is not closed`;
  return hasAtom ? null : 'it has no atom';
}

export const smilesText = (description: string) =>
  z
    .string()
    .min(1)
    .max(MOST_SMILES_CHARACTERS)
    .superRefine((text, context) => {
      const fault = faultOf(text);
      if (fault !== null) context.addIssue({ code: 'custom', message: `\`{field}\` is no SMILES: ${fault}.` });
    })
    .describe(description);
