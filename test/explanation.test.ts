/** Explanations of real runs: their numbers, what they cost, and whether an experiment confirms what they say. */
import { describe, expect, it } from 'vitest';
import { nearbyPoints, planExperiment } from '../src/engine/experiment-design.js';
import { phrase } from '../src/common/phrase.js';
import { dominates } from '../src/pareto/dominance.js';
import { hypervolume } from '../src/pareto/hypervolume.js';
import { explain, ownExplanation } from '../src/explanation/explain.js';
import { type EndedRun } from '../src/explanation/ended-run.js';
import type { Explanation, Statement } from '../src/model/explanation.js';
import { watch, type Single } from './support/watched-run.js';

const bent: Single = (x) => {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += (i + 1) * (x[i] - 0.3 * i) ** 2;
  return sum + x[0] * (x[1] ?? 0);
};
/** Many smooth basins, and coordinates that act together: members take turns. */
const rippled: Single = (x) => {
  let sum = 0;
  for (let i = 0; i < x.length; i++) {
    const y = x[i] - 0.7 + 0.4 * (x[(i + 1) % x.length] - 1.2);
    sum += 0.1 * y * y - Math.cos(2 * y) * (1 + 0.1 * y) + 1;
  }
  return sum;
};
/** Its minimum lies at the lower bound of the first coordinate and the upper one of the second. */
const slope: Single = (x) => x[0] - 2 * x[1] + (x[2] - 1) ** 2 + Math.abs(x[3]);

const numbersIn = (text: string): string[] => text.match(/-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?/g) ?? [];
/** In each form that a template may show it in. */
const shown = (value: number): string[] =>
  ['', ':percent', ':plain', ':down', ':up'].flatMap((form) => numbersIn(phrase(`{value${form}}`, { value })));

function allNumbers(value: unknown, into = new Set<number>()): Set<number> {
  if (typeof value === 'number') into.add(value);
  else if (typeof value === 'boolean') into.add(Number(value));
  else if (typeof value === 'object' && value !== null) for (const own of Object.values(value)) allNumbers(own, into);
  return into;
}

/** Recomputed by tests of their own below, or a count of what the record lists. */
const DERIVED =
  /^(share|unused|mean|low|high|largest|least|steepest|flattest|together|apart|excess|change|noise|sides|points|failed|dimensions|python_major|learned_version|dominated|compared|constant|without|added)$|\.(points|regret|least|most)$|^(mean|low|high|change|objective)_\d$/;

function checkNumbers(run: EndedRun, { statements }: Explanation): void {
  // What was found in the program is recorded in sentences.
  const found = run.ending.backend?.analysis?.findings ?? [];
  const recorded = [...allNumbers(run), ...found.flatMap(({ text }) => numbersIn(text).map(Number))];
  for (const { text, evidence } of statements) {
    const cited = Object.values(evidence).flatMap(shown);
    for (const number of numbersIn(text.replace(/(Python \d+)\.(?=\d)/, '$1 '))) expect(cited, text).toContain(number);
    for (const [name, value] of Object.entries(evidence)) {
      if (!DERIVED.test(name) && name !== 'evaluations') expect(recorded, `${name} of: ${text}`).toContain(value);
    }
  }
}

const of = (topic: Statement['topic'], { statements }: Explanation): Statement[] =>
  statements.filter((statement) => statement.topic === topic);

describe('every number of a statement is in its evidence, and in the record', () => {
  it.each([
    ['a smooth objective', bent, {}],
    ['many basins', rippled, { maxEvaluations: 1500 }],
    ['a maximum', (x: ArrayLike<number>) => -rippled(x), { direction: 'maximize' }],
    ['bounds that bind', slope, {}],
    ['a forced strategy', rippled, { strategy: 'cma-es' }],
    ['no agents', bent, { isPlanned: false, targetFitness: 2 }],
    ['one dimension', bent, { bounds: [[-1, 2]], maxEvaluations: 60 }],
    ['failures', (x: ArrayLike<number>) => (x[0] > 0.2 ? NaN : bent(x)), {}],
    ['nothing finite', () => Infinity, { maxEvaluations: 30 }],
  ] as const)('%s', async (_, objective, more) => {
    const { run } = await watch(objective, more);
    for (let level = 0; level <= 5; level++) {
      const explanation = explain(run, level);
      expect(explanation.statements.every((statement) => statement.level <= level)).toBe(true);
      const isSilent = level === 0 || (level === 4 && run.ending.bestFitness === null);
      expect(explanation.statements.some((statement) => statement.level === level)).toBe(!isSilent);
      checkNumbers(run, explanation);
      expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
    }
    checkNumbers(run, ownExplanation(run));
  });
});

describe('the result', () => {
  it('says what is proven about it', async () => {
    const { run } = await watch(bent, { strategy: 'cma-es', maxEvaluations: 40 });
    const text = (ending: Partial<EndedRun['ending']>): string =>
      explain({ ...run, ending: { ...run.ending, ...ending } }, 1).statements[0].text;
    const optimality = { status: 'feasible', bound: -2.5, gap: 1, proof: 'boxes' } as const;
    expect(text({})).not.toContain('No value');
    expect(text({ optimality })).toContain('No value is better than -2.5.');
    const proven = { ...optimality, status: 'optimal' as const };
    expect(text({ terminationReason: 'optimal', optimality: proven })).toContain(
      'it is proven that no value is better than -2.5.',
    );
  });
});

describe('the levels', () => {
  it('say what the contract lists for each', async () => {
    const { run } = await watch(rippled);
    const topics = (level: number): string[] => [
      ...new Set(explain(run, 5).statements.flatMap((s) => (s.level === level ? [s.topic] : []))),
    ];
    expect(topics(1)).toEqual(['result']);
    expect(topics(2)).toEqual(['features', 'votes']);
    expect(topics(3)).toEqual(['phase', 'share', 'convergence']);
    expect(topics(4)).toEqual(['bounds', 'sensitivity', 'interaction', 'flatness']);
    expect(topics(5)).toEqual(['decision', 'alternatives', 'votes', 'robustness', 'reproduction']);
    expect(explain(run, 0)).toEqual({ level: 0, statements: [], notes: [] });
    const { votes } = run.ending.planning!.decisions[0];
    const agents = new Set(votes.flatMap(({ agent, points }) => (points === 0 ? [] : [agent])));
    expect(of('votes', explain(run, 2))).toHaveLength(agents.size);
    expect(of('phase', explain(run, 3))).toHaveLength(run.ending.strategies.length);
    expect(of('decision', explain(run, 5))).toHaveLength(run.ending.planning!.decisions.length);
  });

  it('cite lines of the program where something was found there', async () => {
    const { run } = await watch(bent);
    const finding = { topic: 'terms' as const, text: 'The value is a sum of 4 terms.', lines: [3, 5] };
    const backend = { ...run.ending.backend!, analysis: { dimension: 2, findings: [finding] } };
    const read = { ...run, ending: { ...run.ending, backend } };
    const [cited] = of('program', explain(read, 2));
    expect(cited).toMatchObject({
      text: 'The value is a sum of 4 terms (lines 3, 5).',
      evidence: { number_1: 4, line_1: 3, line_2: 5 },
    });
    checkNumbers(read, explain(read, 2));
  });

  it('tell what an agent said of several members once, and nothing of those who had nothing to say', async () => {
    const { run } = await watch(bent);
    const { planning } = run.ending;
    const [first] = planning!.decisions;
    const vote = { agent: 'critic', reason: 'they are late', points: -1 };
    const votes = [
      ...['a', 'b', 'c'].map((member) => ({ ...vote, member })),
      { ...vote, member: 'd', points: null },
      { ...vote, member: 'e', points: 0 },
      { ...vote, agent: 'economist', member: 'e', points: 0 },
    ];
    const ending = { ...run.ending, planning: { ...planning!, decisions: [{ ...first, evaluations: 1, votes }] } };
    expect(of('votes', explain({ ...run, ending }, 2)).map(({ text }) => text)).toEqual([
      'After 1 evaluation the critic gave a, b and c -1 point each (they are late). It ruled out d (they are late).',
    ]);
  });

  it('share out the whole budget', async () => {
    const { run, outcome } = await watch(rippled);
    const shares = of('share', explain(run, 3));
    const total = shares.reduce((sum, { evidence }) => sum + evidence['evaluations'], 0);
    expect(total).toBe(outcome.evaluations);
    for (const { evidence } of shares) expect(evidence['share']).toBe(evidence['evaluations'] / 600);
  });

  it('give each alternative the regret that the predictions say', async () => {
    const { run } = await watch(rippled);
    const { decisions } = run.ending.planning!;
    const predicted = decisions.filter(({ votes }) => votes.some(({ prediction }) => prediction !== undefined));
    expect(predicted.length).toBeGreaterThan(0);
    for (const { evaluations, chosen, votes } of predicted) {
      const said = of('alternatives', explain(run, 5)).find((s) => s.evidence['decided_after'] === evaluations)!;
      const gain = (member: string): number => votes.find((v) => v.member === member && v.prediction)!.prediction!.gain;
      for (const { member, prediction } of votes) {
        if (prediction === undefined || member === chosen) continue;
        expect(said.evidence[`${member}.regret`]).toBe(gain(chosen) - gain(member));
        expect(said.text).toContain(member);
      }
    }
  });
});

describe('the experiment behind the levels 4 and 5', () => {
  it.each([
    [1, 30],
    [1, 600],
    [4, 600],
    [30, 600],
    [50, 1000],
    [59, 600],
    [60, 600],
    [200, 700],
  ])(
    'takes at most a tenth of the budget, and none where that is too little: %i dimensions, %i evaluations',
    async (n, maxEvaluations) => {
      const bounds = Array.from({ length: n }, () => [-5, 5] as const);
      for (const explanationLevel of [3, 4, 5]) {
        const plan = planExperiment({ bounds, maxEvaluations, explanationLevel });
        expect(plan.evaluations).toBeLessThanOrEqual(maxEvaluations / 10);
        const { outcome, run } = await watch(bent, { bounds, maxEvaluations, explanationLevel });
        expect(outcome.evaluations).toBe(maxEvaluations);
        expect(outcome.experiment?.evaluations ?? 0).toBeLessThanOrEqual(plan.evaluations);
        expect(outcome.experiment === undefined).toBe(plan.evaluations === 0);
        const { level, notes } = ownExplanation(run);
        if (plan.evaluations === 0 && explanationLevel > 3) {
          expect([level, notes[0]]).toEqual([3, expect.stringContaining('a tenth of its') as string]);
        } else expect(level).toBe(plan.nearbyPoints === 0 ? Math.min(4, explanationLevel) : explanationLevel);
      }
    },
  );

  it('changes no bit of a search that was given the rest of the budget', async () => {
    const { outcome } = await watch(rippled);
    const { experiment } = outcome;
    const plain = await watch(rippled, { explanationLevel: 3, maxEvaluations: experiment!.fromEvaluation });
    expect(experiment!.centre).toEqual(plain.outcome.bestSolution);
    expect(experiment!.centreValue).toBe(plain.outcome.bestFitness);
    expect(outcome.strategies).toEqual(plain.outcome.strategies);
  });

  it('is the same again, and goes on with the same bits wherever it was interrupted', async () => {
    const whole = await watch(rippled);
    expect((await watch(rippled)).outcome).toEqual(whole.outcome);
    const { fromEvaluation } = whole.outcome.experiment!;
    const within = whole.snapshots.filter(({ evaluations }) => evaluations >= fromEvaluation - 40);
    expect(within.filter(({ evaluations }) => evaluations > fromEvaluation).length).toBeGreaterThan(1);
    for (const snapshot of within) {
      const resumed = await watch(rippled, {}, snapshot);
      expect(resumed.outcome).toEqual({ ...whole.outcome, backend: resumed.outcome.backend });
    }
  });

  it.each([601, 700, 1200])('leaves an extension to %i evaluations within its budget', async (maxEvaluations) => {
    const first = await watch(rippled);
    const { outcome } = await watch(rippled, { maxEvaluations }, first.snapshots.at(-1));
    expect(outcome.evaluations).toBe(maxEvaluations);
    expect(outcome.bestFitness).toBeLessThanOrEqual(first.outcome.bestFitness!);
    if (maxEvaluations === 601) expect(outcome.experiment).toBeUndefined();
    else expect(outcome.experiment!.fromEvaluation).toBeGreaterThan(600);
  });

  it('does not happen in a run that was cancelled, and says so', async () => {
    const { run } = await watch(bent);
    const { experiment: _none, ...ending } = run.ending;
    const cancelled = { ...run, ending: { ...ending, terminationReason: 'cancelled' as const } };
    const { level, notes } = ownExplanation(cancelled);
    expect([level, notes[0]]).toEqual([3, expect.stringContaining('cancelled') as string]);
    const more = explain(cancelled, 5);
    expect(more.level).toBe(5);
    expect(more.notes.join()).toMatch(/Missing: sensitivities.*Missing: the robustness/s);
    expect(of('decision', more).length).toBeGreaterThan(0);
  });
});

describe('an experiment that is made again confirms', () => {
  const moved = (centre: readonly number[], ...to: readonly (readonly [number, number])[]): number[] => {
    const x = [...centre];
    for (const [dimension, value] of to) x[dimension] = value;
    return x;
  };
  it.each([
    ['a smooth objective', bent, {}],
    ['bounds that bind', slope, {}],
    ['a maximum', (x: ArrayLike<number>) => -bent(x), { direction: 'maximize' }],
    ['one side', bent, { bounds: Array.from({ length: 40 }, () => [-1, 5] as const) }],
  ] as const)('every statement of the levels 4 and 5: %s', async (_, objective, more) => {
    const { run, task, outcome } = await watch(objective, more);
    const { centre, step, nearby } = outcome.experiment!;
    const centreValue = objective(centre);
    const explanation = explain(run, 5);
    const range = (dimension: number): number => task.bounds[dimension][1] - task.bounds[dimension][0];
    const ways = (dimension: number): number[] =>
      [centre[dimension] - step * range(dimension), centre[dimension] + step * range(dimension)].filter(
        (to) => to >= task.bounds[dimension][0] && to <= task.bounds[dimension][1],
      );
    const sensitivities = of('sensitivity', explanation);
    expect(sensitivities.map(({ evidence }) => evidence['dimension']).sort((a, b) => a - b)).toEqual(
      centre.map((__, i) => i),
    );
    const largest: number[] = [];
    for (const { evidence } of sensitivities) {
      const dimension = evidence['dimension'];
      const all = ways(dimension).map((to) => objective(moved(centre, [dimension, to])) - centreValue);
      const changes = evidence['sides'] === all.length ? all : all.filter((c) => c === evidence['mean']);
      expect(changes).toHaveLength(evidence['sides']);
      expect(evidence['low']).toBe(Math.min(...changes));
      expect(evidence['high']).toBe(Math.max(...changes));
      expect(evidence['mean']).toBeCloseTo(changes.reduce((a, b) => a + b, 0) / changes.length, 12);
      largest.push(Math.max(...changes.map(Math.abs)));
    }
    expect(largest).toEqual([...largest].sort((a, b) => b - a));
    const [flat] = of('flatness', explanation);
    expect(flat.evidence).toMatchObject({ largest: largest[0], least: largest.at(-1), centre_value: centreValue });
    for (const { evidence } of of('interaction', explanation)) {
      const { first, second, to_first, to_second, together, apart, excess } = evidence as Record<string, number>;
      const a = objective(moved(centre, [first, to_first])) - centreValue;
      const b = objective(moved(centre, [second, to_second])) - centreValue;
      expect(together).toBe(objective(moved(centre, [first, to_first], [second, to_second])) - centreValue);
      expect(apart).toBe(a + b);
      expect(excess).toBe(together - apart);
    }
    for (const { evidence, text } of of('bounds', explanation)) {
      if (evidence['dimension'] === undefined) continue;
      expect(evidence['change']).toBe(objective(moved(centre, [evidence['dimension'], evidence['to']])) - centreValue);
      expect(text.includes('the bound binds')).toBe(evidence['change'] * (task.direction === 'maximize' ? -1 : 1) > 0);
    }
    const again = nearbyPoints(Float64Array.from(centre), task, nearby.length).map((x) => objective(x));
    expect(nearby).toEqual(again);
    const [robust] = of('robustness', explanation);
    if (nearby.length > 0) {
      expect(robust.evidence['high']).toBe(Math.max(...again.map((value) => value - centreValue)));
      expect(robust.evidence['low']).toBe(Math.min(...again.map((value) => value - centreValue)));
    }
  });

  it('finds the pair that interacts, and the bounds that bind', async () => {
    const { run } = await watch(bent);
    const [strongest] = of('interaction', explain(run, 4));
    expect([strongest.evidence['first'], strongest.evidence['second']]).toEqual([0, 1]);
    const bound = await watch(slope);
    expect(
      of('bounds', explain(bound.run, 4)).map(({ evidence }) => [evidence['dimension'], evidence['bound']]),
    ).toEqual([
      [0, -5],
      [1, 5],
    ]);
  });
});

describe('a run of several objectives', () => {
  type Several = (x: ArrayLike<number>) => readonly number[];
  /** Its front lies on the first coordinate, between 0 and 2; the last one wants its bound. */
  const two: Several = (x) => {
    const rest = Array.from(x)
      .slice(1, -1)
      .reduce((sum, value, i) => sum + (i + 1) * (value - 0.5) ** 2, 0);
    const bound = 5 - x[x.length - 1];
    return [x[0] ** 2 + rest + bound, (x[0] - 2) ** 2 + rest + 2 * bound + 0.1 * x[0] * x[1]];
  };
  const three: Several = (x) => [0, 1, 2].map((c) => Array.from(x).reduce((sum, value) => sum + (value - c) ** 2, 0));
  const cases = [
    ['two, minimised', two, { objectives: 2 }],
    [
      'two, maximised',
      (x: ArrayLike<number>) => two(x).map((value) => -value),
      { objectives: 2, direction: 'maximize' },
    ],
    ['three, and a reference', three, { objectives: 3, referencePoint: [30, 30, 30], maxEvaluations: 900 }],
    [
      'some that fail',
      (x: ArrayLike<number>) => (x[1] > 0.5 ? [NaN, 1] : two(x)),
      { objectives: 2, maxEvaluations: 900 },
    ],
    ['one side', two, { objectives: 2, bounds: Array.from({ length: 40 }, () => [-1, 5] as const) }],
  ] as const;

  it.each(cases)('says nothing that is not in its record, at any level: %s', async (_, objective, more) => {
    const { run } = await watch(objective, more);
    for (let level = 0; level <= 5; level++) {
      const explanation = explain(run, level);
      checkNumbers(run, explanation);
      expect(explanation.statements.some((statement) => statement.level === level)).toBe(level > 0);
      expect(explanation.statements.every(({ text }) => !/[{}]|NaN|undefined|Infinity/.test(text))).toBe(true);
      expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
    }
  });

  it.each(cases)('is confirmed by another experiment: %s', async (_, objective, more) => {
    const { run, task, outcome } = await watch(objective, more);
    const experiment = outcome.experiment!;
    const { centre, fromEvaluation, nearby } = experiment;
    // Coordinates on a bound are moved to one side only.
    expect(outcome.evaluations).toBe(fromEvaluation + experiment.evaluations);
    expect(outcome.evaluations).toBeLessThanOrEqual(task.maxEvaluations);
    expect(experiment.evaluations).toBeLessThanOrEqual(task.maxEvaluations / 10);
    // The search is that of a run with what the experiment left, and its front is what points are compared with.
    const search = await watch(objective, { ...task, explanationLevel: 3, maxEvaluations: fromEvaluation });
    const { front } = search.outcome;
    expect(search.outcome.bestSolution).toEqual(centre);
    const sign = task.direction === 'maximize' ? -1 : 1;
    const k = task.objectives!;
    const several = experiment.several!;
    expect(several.values).toEqual(objective(centre));
    expect(several.repeated).toEqual(objective(centre));
    expect(several.reference).toEqual(front!.reference);
    const minimised = (values: readonly number[]): Float64Array => Float64Array.from(values, (value) => sign * value);
    const alone = (values: readonly number[]): number =>
      hypervolume(minimised(values), 1, k, minimised(several.reference));
    const isDominated = (values: readonly number[]): boolean =>
      front!.points.some((point) => {
        const rows = Float64Array.of(...minimised(point.values), ...minimised(values));
        return dominates(rows, 0, 1, k);
      });
    expect(experiment.centreValue).toBe(alone(several.values));

    const at = (...to: readonly (readonly [number, number])[]): readonly number[] | null => {
      const x = [...centre];
      for (const [dimension, value] of to) x[dimension] = value;
      const values = objective(x);
      return values.every(Number.isFinite) ? values : null;
    };
    const explanation = explain(run, 5);
    const checkAll = (evidence: Record<string, number>, points: readonly (readonly number[])[]): void => {
      several.values.forEach((value, i) => {
        const changes = points.map((values) => values[i] - value + 0);
        expect(evidence[`low_${i + 1}`]).toBe(Math.min(...changes));
        expect(evidence[`high_${i + 1}`]).toBe(Math.max(...changes));
        expect(evidence[`mean_${i + 1}`]).toBeCloseTo(changes.reduce((a, b) => a + b, 0) / changes.length, 12);
      });
      expect(evidence['compared']).toBe(points.length);
      expect(evidence['dominated']).toBe(points.filter(isDominated).length);
    };
    const sensitivities = of('sensitivity', explanation).filter(({ evidence }) => evidence['sides'] !== undefined);
    expect(sensitivities.length).toBeGreaterThan(centre.length / 2);
    for (const { evidence } of sensitivities) {
      const { down, up } = experiment.sensitivities[evidence['dimension']];
      const points = [down, up].flatMap((one) => {
        const values = one === null ? null : at([evidence['dimension'], one.to]);
        if (one !== null) expect(one.values ?? null).toEqual(values);
        return values === null ? [] : [values];
      });
      const changes = points.map((values) => alone(values) - experiment.centreValue);
      expect(evidence['low']).toBe(Math.min(...changes) + 0);
      expect(evidence['high']).toBe(Math.max(...changes) + 0);
      checkAll(evidence, points);
    }
    for (const { evidence } of of('interaction', explanation)) {
      const { first, second, to_first, to_second, together, excess, apart } = evidence as Record<string, number>;
      const values = at([first, to_first], [second, to_second])!;
      expect(values.map((value) => value + 0)).toEqual(values.map((__, i) => evidence[`value_${i + 1}`]));
      expect(together).toBe(alone(values) - experiment.centreValue + 0);
      expect(excess).toBe(together - apart);
    }
    const again = nearbyPoints(Float64Array.from(centre), task, nearby.length).map((x) => {
      const values = objective(x);
      return values.every(Number.isFinite) ? values : null;
    });
    expect(several.nearby.map(({ values }) => values ?? null)).toEqual(again);
    expect(nearby).toEqual(again.map((values) => (values === null ? null : alone(values))));
    const [robust] = of('robustness', explanation);
    const valued = again.filter((values) => values !== null);
    if (valued.length > 0) checkAll(robust.evidence, valued);
    expect(robust === undefined).toBe(nearby.length === 0);

    // What is said of the front itself, of which no evaluation was needed.
    const { points, knee, hypervolume: whole } = outcome.front!;
    const others = points.filter((__, place) => place !== knee).map(({ values }) => minimised(values));
    const reference = minimised(outcome.front!.reference);
    const without = hypervolume(Float64Array.from(others.flatMap((row) => [...row])), others.length, k, reference);
    const about = of('front', explain(run, 4)).filter(({ level }) => level === 4);
    expect(about.at(-1)!.evidence).toEqual({ without, added: whole - without });
    for (const { evidence } of about.filter(({ evidence: { dimension } }) => dimension !== undefined)) {
      const own = points.map(({ solution }) => solution[evidence['dimension']]);
      expect([evidence['lowest'], evidence['highest']]).toEqual([Math.min(...own) + 0, Math.max(...own) + 0]);
    }
  });

  it('goes on with the same bits wherever its experiment was interrupted', async () => {
    const more = { objectives: 2 };
    const whole = await watch(two, more);
    const { fromEvaluation } = whole.outcome.experiment!;
    const within = whole.snapshots.filter(({ evaluations }) => evaluations >= fromEvaluation - 40);
    expect(within.filter(({ evaluations }) => evaluations > fromEvaluation).length).toBeGreaterThan(1);
    for (const snapshot of within) {
      const resumed = await watch(two, more, snapshot);
      expect(resumed.outcome).toEqual({ ...whole.outcome, backend: resumed.outcome.backend });
    }
    const extended = await watch(two, { ...more, maxEvaluations: 900 }, whole.snapshots.at(-1));
    expect(extended.outcome.experiment!.fromEvaluation).toBeGreaterThan(600);
    expect(extended.outcome.front!.hypervolume).toBeGreaterThanOrEqual(whole.outcome.front!.hypervolume);
  });

  it('has the level that its budget allows, and says why', async () => {
    const [rich, poor] = [await watch(two, { objectives: 2 }), await watch(two, { objectives: 2, maxEvaluations: 40 })];
    expect(ownExplanation(rich.run)).toMatchObject({ level: 5, notes: [] });
    const { level, notes } = ownExplanation(poor.run);
    expect([level, notes[0]]).toEqual([3, expect.stringContaining('a tenth of its 40 evaluations') as string]);
    const none = await watch(() => [NaN, NaN], { objectives: 2 });
    expect(ownExplanation(none.run).level).toBe(3);
    const pressed = await watch((x) => two(x).map((value) => value - 40 * x[3]), {
      objectives: 2,
      initialSolution: [1, 0.5, 0.5, 5],
    });
    expect(pressed.outcome.experiment!.centre[3]).toBe(5);
    const [bound] = of('bounds', explain(pressed.run, 4));
    expect(bound.text).toContain('the bound binds, as moving it to');
  });
});
