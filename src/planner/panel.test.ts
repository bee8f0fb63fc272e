import { describe, expect, it } from 'vitest';
import { budgetEconomist } from './agents/budget-economist.js';
import { codeAnalyst } from './agents/code-analyst.js';
import { critic } from './agents/critic.js';
import { landscapeAnalyst } from './agents/landscape-analyst.js';
import { AGENTS } from './agents/agents.js';
import { specialists } from './agents/specialists.js';
import { choose, type Agent, type Evidence, type Landscape, type MemberRecord, type SearchRecord } from './panel.js';
import { extendTrail, type Trail } from './trail.js';

const member = (name: string, more: Partial<MemberRecord> = {}): MemberRecord => ({
  name,
  family: 'population',
  role: 'restarts',
  isOpen: true,
  operations: 100,
  evaluations: 0,
  fruitless: 0,
  runs: 0,
  fruitlessRuns: 0,
  successes: 0,
  gained: 0,
  isMisplaced: false,
  search: null,
  ...more,
});

const smooth: Landscape = {
  isNoisy: false,
  isSeparable: false,
  coarseRoughness: 0.01,
  fineRoughness: null,
  bend: null,
  skew: null,
  spread: null,
  isFlat: false,
};

const evidence = (members: readonly MemberRecord[], more: Partial<Evidence> = {}): Evidence => ({
  n: 5,
  mode: 'balanced',
  budget: 1000,
  evaluations: 300,
  bestFitness: 3,
  recentDecrease: 1,
  medianFitness: () => 10,
  isBestRaw: true,
  landscape: smooth,
  rounded: 0,
  program: null,
  guide: null,
  members,
  turn: null,
  ...more,
});

const search = (more: Partial<SearchRecord> = {}): SearchRecord => ({
  evaluations: 100,
  bestFitness: 3,
  sinceImprovement: 2,
  trail: [
    [10, 9],
    [50, 5],
    [100, 3],
  ],
  sinceGain: 2,
  bounds: [],
  ...more,
});

const agent = (points: Record<string, number | null>): Agent => ({
  name: 'test',
  vote: () => Object.entries(points).map(([name, own]) => ({ member: name, points: own, reason: 'so' })),
});

describe('choose', () => {
  const members = [member('a'), member('b'), member('c')];

  it('takes the member with the most points of all agents, the first of equal ones', () => {
    expect(choose(evidence(members), [agent({ a: 1, b: 2 }), agent({ a: 2 })]).member).toBe('a');
    expect(choose(evidence(members), [agent({ c: 1, b: 1 })]).member).toBe('b');
    expect(choose(evidence(members), []).member).toBe('a');
  });

  it('leaves out members with a veto or nothing left to do', () => {
    const some = [member('a', { isOpen: false }), member('b'), member('c')];
    expect(choose(evidence(some), [agent({ a: 9, b: 5 }), agent({ b: null })]).member).toBe('c');
  });

  it('keeps no votes on members with nothing left to do', () => {
    const some = [member('a', { isOpen: false }), member('b')];
    const { votes } = choose(evidence(some), [agent({ a: 100, b: 0 })]);
    expect(votes.map((vote) => vote.member)).toEqual(['b']);
  });

  it('keeps all votes with the name of their agent', () => {
    const { votes } = choose(evidence(members), [agent({ a: 1 })]);
    expect(votes).toEqual([{ agent: 'test', member: 'a', points: 1, reason: 'so' }]);
  });

  it('always finds someone on a noisy plateau in every mode, whatever the dimension', () => {
    const landscape = { ...smooth, isNoisy: true, isFlat: true };
    for (const mode of ['fast', 'balanced', 'accurate'] as const) {
      for (const n of [1, 10, 1000]) {
        const few = [
          member('gradient', { family: 'gradient', role: 'once' }),
          member('population', { operations: 10 * n * n }),
        ];
        expect(choose(evidence(few, { n, mode, landscape }), AGENTS).member).toBe('population');
      }
    }
  });
});

describe('landscape analyst', () => {
  const points = (landscape: Partial<Landscape>, own: Partial<MemberRecord>, n = 5): number | null | undefined =>
    landscapeAnalyst.vote(evidence([member('m', own)], { n, landscape: { ...smooth, ...landscape } }))[0]?.points;

  it('wants coordinates one by one only where they do not interact', () => {
    expect(points({ isSeparable: true }, { family: 'coordinate', role: 'once' })).toBeGreaterThan(100);
    expect(points({ isSeparable: false }, { family: 'coordinate', role: 'once' })).toBeNull();
  });

  it('wants them under noise for most of the budget, not all of it', () => {
    const noisySum = { isNoisy: true, isSeparable: true };
    const coordinates = { family: 'coordinate', role: 'once' } as const;
    expect(points(noisySum, coordinates)).toBeGreaterThan(100);
    expect(points(noisySum, { ...coordinates, evaluations: 900 })).toBeUndefined();
    expect(points({ isSeparable: true }, { ...coordinates, evaluations: 900 })).toBeGreaterThan(100);
  });

  it('leaves the simplex to few dimensions without noise', () => {
    const simplex = { family: 'simplex' } as const;
    expect(points({}, simplex)).toBeUndefined();
    expect(points({}, simplex, 6)).toBeNull();
    expect(points({ isNoisy: true }, simplex)).toBeNull();
  });

  it('wants gradients on smooth landscapes and none on noise, plateaus and rough ones', () => {
    const gradient = { family: 'gradient', role: 'once' } as const;
    expect(points({}, gradient)).toBeGreaterThan(10);
    expect(points({ isNoisy: true }, gradient)).toBeNull();
    expect(points({ isFlat: true }, gradient)).toBeNull();
    expect(points({ coarseRoughness: 0.5, fineRoughness: 0.5 }, gradient)).toBeNull();
    expect(points({ coarseRoughness: 0.5, fineRoughness: 0.01 }, gradient)).toBeGreaterThan(10);
  });

  it('asks a Gaussian process for few values that are noisy or come in steps', () => {
    const process = { family: 'model' } as const;
    const points = (landscape: Partial<Landscape>, budget: number): number | null | undefined =>
      landscapeAnalyst.vote(evidence([member('m', process)], { budget, landscape: { ...smooth, ...landscape } }))[0]
        ?.points;
    expect(points({}, 20)).toBeNull();
    expect(points({ isNoisy: true }, 50)).toBe(1);
    expect(points({ isNoisy: true, isFlat: true }, 51)).toBeNull();
    expect(points({ isFlat: true }, 125)).toBe(1);
    expect(points({ isFlat: true }, 126)).toBeNull();
  });

  it('claims to have seen only what was probed', () => {
    const reason = (landscape: Partial<Landscape>): string | undefined =>
      landscapeAnalyst.vote(
        evidence([member('m', { family: 'gradient', role: 'once' })], { landscape: { ...smooth, ...landscape } }),
      )[0]?.reason;
    expect(reason({})).toBe('smooth along lines (roughness 0.01)');
    expect(reason({ coarseRoughness: 0.5, fineRoughness: 0.01 })).toBe(
      'smooth close by (roughness 0.01, 0.5 across the box)',
    );
    expect(reason({ isSeparable: true, coarseRoughness: null })).not.toMatch(/smooth/);
  });
});

describe('budget economist', () => {
  it('counts what found nothing against a member, but not within its turn, which goes on while it finds', () => {
    const members = [member('a', { fruitless: 40 }), member('b', { fruitless: 10, evaluations: 400 })];
    const points = (turn: Evidence['turn']): (number | null)[] =>
      budgetEconomist.vote(evidence(members, { turn })).map((vote) => vote.points);
    const [a, b] = points(null);
    expect(a).toBeLessThan(b!);
    expect(points({ member: 'a', fruitlessBefore: 0, sinceGain: 49 })[0]).toBeCloseTo(0);
    expect(points({ member: 'a', fruitlessBefore: 0, sinceGain: 50 })[0]).toBe(a);
  });

  it('refuses in mode fast what costs more than the budget of operations', () => {
    const members = [member('model', { operations: 1e6 }), member('plain', { operations: 100 })];
    const vetoes = (mode: Evidence['mode']): string[] =>
      budgetEconomist
        .vote(evidence(members, { mode }))
        .filter(({ points }) => points === null)
        .map((vote) => vote.member);
    expect(vetoes('fast')).toEqual(['model']);
    expect(vetoes('balanced')).toEqual([]);
  });
});

describe('specialists', () => {
  const predict = (own: Partial<MemberRecord>, more: Partial<Evidence> = {}) =>
    specialists.vote(evidence([member('m', own)], more))[0]?.prediction;

  it('expect a search that gains to gain, within an interval', () => {
    const { gain, low, high, evaluations } = predict({ search: search() }, { recentDecrease: 20 })!;
    expect(low).toBeLessThan(gain);
    expect(gain).toBeLessThan(high);
    expect(gain).toBeGreaterThan(0);
    expect(evaluations).toBe(60);
    expect(predict({ search: search({ trail: [[50, 3]], evaluations: 100 }) })!.gain).toBe(0);
  });

  it('expect less of a search that lies behind, and of a member that has failed', () => {
    const far = { recentDecrease: 20 };
    const behind = predict({ search: search({ bestFitness: 3.5 }) }, far)!;
    expect(behind.gain).toBeLessThan(predict({ search: search() }, far)!.gain);
    const failed = predict({ runs: 9, evaluations: 450 }, far)!;
    const successful = predict({ runs: 9, evaluations: 450, successes: 7, gained: 280 }, far)!;
    expect(failed.high).toBeLessThan(successful.high);
  });

  it('do not depend on the unit or the zero of the objective', () => {
    const plain = predict({ search: search() }, { bestFitness: 2.5 })!;
    const of = (value: number): number => 8 * value - 128;
    const trail: Trail = search().trail.map(([at, value]) => [at, of(value)]);
    const bent = predict(
      { search: search({ trail, bestFitness: of(3) }) },
      { bestFitness: of(2.5), recentDecrease: 8 },
    )!;
    expect(bent).toEqual(plain);
  });

  it('say nothing before there is a value', () => {
    expect(predict({}, { bestFitness: Infinity })).toBeUndefined();
  });
});

describe('code analyst', () => {
  const points = (own: Partial<SearchRecord>, more: Partial<Evidence> = {}): number | null =>
    codeAnalyst.vote(
      evidence([member('m', { family: 'interval', reads: 'bounds', evaluations: 200, search: search(own) })], {
        program: { hasGradient: true, hasRounding: false, residuals: null, switches: 0 },
        ...more,
      }),
    )[0].points;
  const loose = { evaluations: 200, sinceGain: 101, bounds: [[100, -5], [200, -4.5]] } as const; // prettier-ignore

  it('lets bounds lead while they are tight, find something, or close in', () => {
    expect(points(loose)).toBe(0);
    expect(points({ ...loose, sinceGain: 100 })).toBeGreaterThan(10);
    expect(points({ ...loose, bounds: [[100, -4], [200, -3.9]] })).toBeGreaterThan(10); // prettier-ignore
    expect(points(loose, { medianFitness: () => 11 })).toBeGreaterThan(10);
    // From 1,000 to 10 in 100 evaluations: in 700 more there is nothing left.
    expect(points({ ...loose, bounds: [[100, -997], [200, -7]] })).toBeGreaterThan(10); // prettier-ignore
    expect(points({ ...loose, bounds: [[100, -997], [200, -7]] }, { budget: 600 })).toBe(0); // prettier-ignore
  });

  it('takes bounds that say nothing for loose', () => {
    expect(points({ ...loose, bounds: [] }, { medianFitness: () => Infinity })).toBe(0);
    expect(points({ ...loose, bounds: [[180, -5]] })).toBe(0);
  });
});

describe('code analyst, where programs bend', () => {
  const votes = (switches: number, budget: number): (number | null)[] => {
    const descent = member('descent', { family: 'gradient', reads: 'gradient', role: 'once' });
    const members = [descent, member('m', { family: 'program', reads: 'switches' })];
    const program = { hasGradient: true, hasRounding: false, residuals: null, switches };
    return codeAnalyst.vote(evidence(members, { program, budget })).map(({ points }) => points);
  };

  it('wants steps that know of bends before the first descent, unless there are many for the run', () => {
    const [descent, steps] = votes(33, 100);
    expect(steps!).toBeGreaterThan(descent!);
    const [before, after] = votes(34, 100);
    expect(before!).toBeGreaterThan(after!);
    expect(after!).toBeGreaterThan(100);
    expect(votes(99, 100)[1]).not.toBeNull();
    expect(votes(100, 100)[1]).toBeNull();
  });
});

describe('code analyst, where there may be ripples', () => {
  const rough = { coarseRoughness: 0.5, fineRoughness: 0.5 };
  const votes = (own: Partial<MemberRecord>, more: Partial<Evidence> = {}): number | null | undefined =>
    codeAnalyst.vote(
      evidence([member('m', own)], {
        program: { hasGradient: true, hasRounding: false, residuals: null, switches: 0 },
        ...more,
      }),
    )[0]?.points;
  const boxes = { family: 'program', reads: 'envelope' } as const;
  const descent = { family: 'gradient', reads: 'gradient', role: 'once' } as const;

  it('wants the first descent, then descents over boxes, then all other descents', () => {
    const other = { ...descent, role: 'restarts' } as const;
    const [first, over, further] = [votes(descent)!, votes(boxes)!, votes(other)!];
    expect(first).toBeGreaterThan(over);
    expect(over).toBeGreaterThan(further);
    expect(further).toBeGreaterThan(100);
  });

  it('lets a first descent that gains go on beyond its share of a short run, unless it looks for plateaus', () => {
    const short = { budget: 200 };
    const [gaining, late] = [search({ sinceGain: 30 }), search({ sinceGain: 31 })];
    expect(votes({ ...descent, evaluations: 99, search: gaining }, short)).toBeGreaterThan(100);
    expect(votes({ ...descent, evaluations: 100, search: gaining }, short)).toBeUndefined();
    expect(votes({ ...descent, evaluations: 99, search: late }, short)).toBeUndefined();
    const behind = search({ sinceGain: 30, bestFitness: 4 });
    expect(votes({ ...descent, role: 'restarts', evaluations: 99, search: behind }, short)).toBeUndefined();
    const rounding = { hasGradient: true, hasRounding: true, residuals: null, switches: 0 };
    expect(votes({ ...descent, evaluations: 99, search: gaining }, { ...short, program: rounding })).toBeUndefined();
    const landscape = { ...evidence([]).landscape, coarseRoughness: 0.5, fineRoughness: 0.01 };
    expect(votes({ ...descent, evaluations: 99, search: gaining }, { ...short, landscape })).toBeUndefined();
  });

  it('lets what holds the best value go on beyond its share while it gains', () => {
    const [leading, late] = [search({ sinceGain: 30 }), search({ sinceGain: 31 })];
    const behind = search({ sinceGain: 30, bestFitness: 4 });
    for (const own of [boxes, { ...descent, role: 'restarts' } as const]) {
      const beyond = { ...own, evaluations: 400 };
      expect(votes({ ...beyond, search: leading })).toBeGreaterThan(100);
      expect(votes({ ...beyond, search: late }) ?? null).toBeNull();
      expect(votes({ ...beyond, search: behind }) ?? null).toBeNull();
    }
  });

  it('begins with steps along bends, but not where a fit or rounding is in question', () => {
    const steps = { family: 'program', reads: 'switches' } as const;
    const first = votes(descent)!;
    const program = { hasGradient: true, hasRounding: false, residuals: 5, switches: 1 };
    expect(votes(steps)).toBeGreaterThan(first);
    expect(votes(steps, { program })).toBeGreaterThan(first);
    expect(votes(steps, { program: { ...program, residuals: 6 } })).toBeLessThan(first);
    expect(votes(steps, { program: { ...program, hasRounding: true } })).toBeLessThan(first);
    expect(votes({ ...steps, isMisplaced: true })).toBeNull();
  });

  it('ends descents over boxes that find nothing, and gives those that do a larger share', () => {
    expect(votes({ ...boxes, runs: 1, fruitlessRuns: 1 })).toBeNull();
    expect(votes({ ...boxes, runs: 2, fruitlessRuns: 1, successes: 1 })).toBeGreaterThan(100);
    expect(votes({ ...boxes, runs: 3, fruitlessRuns: 2, successes: 1 })).toBeNull();
    expect(votes({ ...boxes, evaluations: 300 })).toBeNull();
    expect(votes({ ...boxes, evaluations: 300, runs: 1, successes: 1 })).toBeGreaterThan(100);
    expect(votes({ ...boxes, evaluations: 500, runs: 1, successes: 1 })).toBeNull();
    expect(votes(boxes, { budget: 330 })).toBeNull();
    expect(votes(boxes, { n: 3 })).toBeNull();
  });

  it('lets a first descent that gains go on where lines were smooth, and asks once on plateaus', () => {
    const over = (first: Partial<MemberRecord>, found: Partial<Landscape> = {}): number | null | undefined => {
      const members = [member('m', boxes), member('first', { ...descent, ...first })];
      const landscape = { ...evidence([]).landscape, ...found };
      const all = codeAnalyst.vote(
        evidence(members, {
          program: { hasGradient: true, hasRounding: false, residuals: null, switches: 0 },
          landscape,
        }),
      );
      return all.find((vote) => vote.member === 'm')?.points;
    };
    expect(over({ search: search() })).toBe(0);
    expect(over({ search: search() }, { coarseRoughness: null })).toBe(0);
    expect(over({ search: search({ sinceGain: 21 }) })).toBeGreaterThan(100);
    expect(over({ runs: 1 })).toBeGreaterThan(100);
    expect(over({ search: search() }, rough)).toBeGreaterThan(100);
    expect(over({ search: search() }, { isFlat: true })).toBeGreaterThan(100);
    const flat = { ...evidence([]).landscape, isFlat: true };
    expect(votes({ ...boxes, runs: 1, successes: 1 }, { landscape: flat })).toBeNull();
  });

  it('lets a population lead on ripples, until it finds nothing, and where boxes are too many to bound', () => {
    const landscape = { ...evidence([]).landscape, ...rough };
    const population = { family: 'population' } as const;
    const wide = { landscape, n: 4 };
    expect(votes(descent, wide)).toBeNull();
    expect(votes(population, wide)).toBeGreaterThan(100);
    expect(votes({ ...population, search: search({ sinceImprovement: 151 }) }, wide)).toBeUndefined();
    expect(votes({ ...population, search: search({ sinceGain: 151 }) }, wide)).toBeGreaterThan(100);
    expect(votes({ ...population, runs: 1 }, wide)).toBeUndefined();
    expect(votes(population, { landscape, n: 3 })).toBeUndefined();
    expect(votes(population)).toBeUndefined();
  });
});

describe('critic', () => {
  const points = (own: Partial<MemberRecord>, more: Partial<Evidence> = {}): number | null | undefined =>
    critic.vote(evidence([member('m', own)], more))[0]?.points;

  it('lets others go on where the search on terms is stuck', () => {
    const program = { hasGradient: true, hasRounding: false, residuals: null, switches: 0 };
    const voteOn = (sinceImprovement: number): number | null => {
      const terms = member('terms', {
        reads: 'terms',
        evaluations: 300,
        search: search({ evaluations: 300, sinceImprovement }),
      });
      return codeAnalyst.vote(evidence([terms], { program }))[0].points;
    };
    expect(voteOn(200)).toBeGreaterThan(0);
    expect(voteOn(201)).toBeNull();
  });

  it('calls for a change when a search stagnates or a member keeps failing', () => {
    expect(points({ search: search({ sinceImprovement: 149 }) })).toBeUndefined();
    expect(points({ search: search({ sinceImprovement: 150 }) })).toBeLessThan(0);
    expect(points({ fruitlessRuns: 2 })).toBeUndefined();
    expect(points({ fruitlessRuns: 3 })).toBeLessThan(0);
  });

  it('wants the polish at the end only, and only of a point that needs it', () => {
    const polish = { role: 'polish', family: 'gradient' } as const;
    expect(points(polish)).toBeNull();
    expect(points(polish, { evaluations: 980 })).toBeGreaterThan(100);
    expect(points(polish, { evaluations: 980, isBestRaw: false })).toBeNull();
    expect(points({ ...polish, search: search() }, { evaluations: 980, isBestRaw: false })).toBeGreaterThan(100);
  });
});

describe('trail', () => {
  it('keeps the ends and points in every doubling', () => {
    let trail: Trail = [];
    for (let k = 1; k <= 5000; k++) trail = extendTrail(trail, k, -k);
    expect(trail.length).toBeLessThanOrEqual(24);
    expect(trail[0]).toEqual([1, -1]);
    expect(trail.at(-1)).toEqual([5000, -5000]);
    for (let at = 2; at <= 4096; at *= 2) {
      expect(trail.some(([evaluations]) => evaluations >= at && evaluations <= 2 * at)).toBe(true);
    }
  });
});
