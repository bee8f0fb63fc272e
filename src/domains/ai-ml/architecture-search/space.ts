/**
 * Architectures as codes: one digit for each choice that makes one up. The proposals form a set of codes; samplers draw
 * from it, and change single digits within it.
 */
import { z } from 'zod';
import type { Rng } from '../../../common/rng.js';
import type { JsonObject } from '../../../model/problem.js';
import { count, type Complain } from '../../fields.js';
import { ACTIVATIONS, type Architecture } from '../learners/mlp.js';

/** A digit says which. */
const MOST_CHOICES = 10;
const MOST_PLACES = 40;
const MOST_LAYERS = 6;
const MOST_UNITS = 1_024;

const choiceNames = z
  .array(z.string().min(1).max(60))
  .min(2)
  .max(MOST_CHOICES)
  .describe('Names of the operations; a digit of a code is the place of one, from 0');

const chosen = <T extends z.ZodType>(item: T, description: string) =>
  z.array(item).min(1).max(MOST_CHOICES).describe(description);

export const searchSpaceField = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('macro').describe('A chain of layers, each one of the operations'),
      layers: count('Layers', 1, MOST_PLACES),
      choices: choiceNames,
    }),
    z.strictObject({
      type: z.literal('cell').describe('A cell whose edges each carry one of the operations'),
      edges: count('Edges, in the order (1<-0)(2<-0)(2<-1)(3<-0)(3<-1)(3<-2) and so on', 1, MOST_PLACES),
      choices: choiceNames,
    }),
    z.strictObject({
      type: z.literal('mlp').describe('Dense layers, which are trained here'),
      layers: z
        .strictObject({
          min: count('Hidden layers, at least', 0, MOST_LAYERS),
          max: count('Hidden layers, at most', 0, MOST_LAYERS),
        })
        .describe('How many hidden layers there may be'),
      units: chosen(count('Units', 1, MOST_UNITS), 'How many units a hidden layer may have'),
      activations: chosen(z.enum(ACTIVATIONS), 'Functions of the hidden units; all layers have the same'),
      dropout: chosen(
        z.number().min(0).max(0.9),
        'Shares of the hidden units that may be left out in each training step. Absent: none',
      ).optional(),
    }),
  ])
  .describe('What architectures there are');

export type SearchSpace = z.output<typeof searchSpaceField>;
export type MlpSpace = Extract<SearchSpace, { type: 'mlp' }>;

/** Digits. */
export type Code = readonly number[];

const firstTwice = (values: readonly unknown[]): number => values.findIndex((value, i) => values.indexOf(value) < i);

/** Complains about the first contradiction; true where there is none. */
export function checkSpace(space: SearchSpace, complain: Complain): boolean {
  const lists = space.type === 'mlp' ? (['units', 'activations', 'dropout'] as const) : (['choices'] as const);
  for (const name of lists) {
    const values = (space as unknown as Record<string, readonly unknown[] | undefined>)[name] ?? [];
    const twice = firstTwice(values);
    if (twice < 0) continue;
    complain(['search_space', name, twice], '`{field}` is in the list already.');
    return false;
  }
  if (space.type !== 'mlp' || space.layers.min <= space.layers.max) return true;
  const { min, max } = space.layers;
  complain(['search_space', 'layers', 'min'], `\`{field}\` = ${min} is above \`max\` = ${max}.`);
  return false;
}

/** Digits of a macro or cell code: how many, and below which number each is. */
export const shapeOf = (space: Exclude<SearchSpace, MlpSpace>): { readonly places: number; readonly base: number } => ({
  places: space.type === 'macro' ? space.layers : space.edges,
  base: space.choices.length,
});

/** How many codes there are. */
export function sizeOf(space: SearchSpace): number {
  if (space.type !== 'mlp') {
    const { places, base } = shapeOf(space);
    return base ** places;
  }
  const { layers, units, activations, dropout = [0] } = space;
  let size = 0;
  for (let l = layers.min; l <= layers.max; l++) {
    // Without a hidden layer there is nothing to activate or to drop.
    size += l === 0 ? 1 : units.length ** l * activations.length * dropout.length;
  }
  return size;
}

// --- codes of dense networks: layers above the least; units of each possible layer; activation; dropout

const codeLength = ({ layers }: MlpSpace): number => layers.max + 3;

const layersIn = ({ layers }: MlpSpace, code: Code): number => layers.min + code[0];

/** Digits that mean nothing are 0, so that equal networks have equal codes. */
function canonical(space: MlpSpace, code: readonly number[]): number[] {
  const own = [...code];
  const used = layersIn(space, own);
  for (let l = used; l < space.layers.max; l++) own[1 + l] = 0;
  if (used === 0) own.fill(0, space.layers.max + 1);
  return own;
}

export function networkOf(space: MlpSpace, code: Code): Architecture {
  const { layers, units, activations, dropout = [0] } = space;
  const hidden = Array.from({ length: layersIn(space, code) }, (_, l) => units[code[1 + l]]);
  return { hidden, activation: activations[code[layers.max + 1]], dropout: dropout[code[layers.max + 2]] };
}

/** How many values each digit has. */
function arities(space: SearchSpace): number[] {
  if (space.type !== 'mlp') {
    const { places, base } = shapeOf(space);
    return Array.from({ length: places }, () => base);
  }
  const { layers, units, activations, dropout = [0] } = space;
  const each = Array.from({ length: layers.max }, () => units.length);
  return [layers.max - layers.min + 1, ...each, activations.length, dropout.length];
}

/** All codes of a small space of dense networks, the fewest layers first. */
export function* codesOf(space: MlpSpace): Generator<Code> {
  const counts = arities(space);
  const code = Array.from({ length: codeLength(space) }, () => 0);
  const seen = new Set<string>();
  for (;;) {
    const own = canonical(space, code);
    const key = keyOf(own);
    if (!seen.has(key)) {
      seen.add(key);
      yield own;
    }
    let place = code.length - 1;
    while (place >= 0 && code[place] === counts[place] - 1) code[place--] = 0;
    if (place < 0) return;
    code[place]++;
  }
}

/** Digits side by side, which is how tables write codes. */
export const keyOf = (code: Code): string => code.join('');

/** The names of the choices at the digits, and a line of text that says it all. */
export function decoded(space: SearchSpace, code: Code): JsonObject {
  if (space.type === 'mlp') {
    const { hidden, activation, dropout } = networkOf(space, code);
    const text = hidden.length === 0 ? 'no hidden layer' : `${hidden.join(' - ')} units, ${activation}`;
    return {
      hidden_units: hidden,
      ...(hidden.length === 0 ? {} : { activation, dropout }),
      text: dropout > 0 && hidden.length > 0 ? `${text}, dropout ${dropout}` : text,
    };
  }
  const names = code.map((digit) => space.choices[digit]);
  if (space.type === 'macro') return { layers: names, text: names.join(' - ') };
  const edges = edgesOf(names.length).map(([to, from], i) => ({ to, from, operation: names[i] }));
  return { edges, text: edges.map(({ to, from, operation }) => `${to}<-${from}: ${operation}`).join(', ') };
}

/** Edges of a cell whose nodes each take from all earlier ones. */
function edgesOf(edges: number): (readonly [to: number, from: number])[] {
  const all: [number, number][] = [];
  for (let to = 1; all.length < edges; to++) {
    for (let from = 0; from < to && all.length < edges; from++) all.push([to, from]);
  }
  return all;
}

// --- what may be proposed

export interface Candidates {
  /** All codes in their order; null: too many to list. */
  readonly all: readonly Code[] | null;
  draw(rng: Rng): Code;
  /** A neighbour: one digit is another one. Null: this draw led to none. */
  mutate(code: Code, rng: Rng): Code | null;
}

/** One digit changed, and what is to follow from that; null: there is nothing to change. */
function changed(space: SearchSpace, code: Code, rng: Rng): Code | null {
  const counts = arities(space);
  const used = space.type === 'mlp' ? layersIn(space, code) : 0;
  const places = counts.flatMap((values, place) => {
    if (values < 2) return [];
    if (space.type !== 'mlp' || place === 0) return [place];
    const isUnused = place <= space.layers.max ? place > used : used === 0;
    return isUnused ? [] : [place];
  });
  if (places.length === 0) return null;
  const place = places[rng.below(places.length)];
  const other = rng.below(counts[place] - 1);
  const own = [...code];
  own[place] = other < code[place] ? other : other + 1;
  if (space.type !== 'mlp') return own;
  // New layers have any size.
  for (let l = used; l < layersIn(space, own); l++) own[1 + l] = rng.below(space.units.length);
  return canonical(space, own);
}

/** The candidates of a list. */
export function listed(space: SearchSpace, all: readonly Code[]): Candidates {
  const known = new Set(all.map(keyOf));
  return {
    all,
    draw: (rng) => all[rng.below(all.length)],
    mutate: (code, rng) => {
      const own = changed(space, code, rng);
      return own !== null && known.has(keyOf(own)) ? own : null;
    },
  };
}

/**
 * Dense networks within limits, too many to list. A network that is too large is made smaller layer by layer; `fits`
 * must hold for the smallest network of some number of layers.
 */
export function sampled(space: MlpSpace, fits: (code: Code) => boolean): Candidates {
  const counts = arities(space);
  const smallest = space.units.indexOf(space.units.reduce((a, b) => Math.min(a, b)));
  const least = (layers: number): number[] => {
    const code = Array.from({ length: codeLength(space) }, () => 0);
    code[0] = layers;
    code.fill(smallest, 1, 1 + space.layers.min + layers);
    return code;
  };
  const possible = Array.from({ length: counts[0] }, (_, l) => l).filter((l) => fits(least(l)));
  return {
    all: null,
    draw: (rng) => {
      const layers = possible[rng.below(possible.length)];
      const code = canonical(
        space,
        counts.map((values, place) => (place === 0 ? layers : rng.below(values))),
      );
      const large = Array.from({ length: layersIn(space, code) }, (_, l) => 1 + l);
      while (!fits(code) && large.length > 0) {
        const [place] = large.splice(rng.below(large.length), 1);
        code[place] = smallest;
      }
      return code;
    },
    mutate: (code, rng) => {
      const own = changed(space, code, rng);
      return own !== null && fits(own) ? own : null;
    },
  };
}

/** Numbers of layers of the smallest networks: those that limits are checked with. */
export function smallestOf(space: MlpSpace): readonly (readonly number[])[] {
  const units = space.units.reduce((a, b) => Math.min(a, b));
  const { min, max } = space.layers;
  return Array.from({ length: max - min + 1 }, (_, i) => Array.from({ length: min + i }, () => units));
}
