/** Lot sizes over time and supply networks, against enumeration and costs that are computed anew. */
import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { checkConfig } from '../../configs.js';
import { solveConfig, solved } from '../../../../test/support/problems.js';
import { inventory } from './inventory.js';

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);

describe('lot sizes', () => {
  interface Costs {
    readonly demand: readonly number[];
    readonly fixed_cost: readonly number[];
    readonly holding_cost: readonly number[];
    readonly purchase_cost: readonly number[];
    readonly initial_inventory: number;
  }

  const draw = (rng: Rng, periods: number): Costs => {
    const list = (most: number): number[] => Array.from({ length: periods }, () => rng.below(most));
    return {
      demand: list(8),
      fixed_cost: list(60),
      holding_cost: list(5),
      purchase_cost: list(12),
      initial_inventory: rng.below(10),
    };
  };

  /** Infinity where a period ends with less than nothing. */
  function costOf(
    { demand, fixed_cost, holding_cost, purchase_cost, initial_inventory }: Costs,
    orders: readonly number[],
  ) {
    let [stock, cost] = [initial_inventory, 0];
    for (const [t, order] of orders.entries()) {
      stock += order - demand[t];
      if (stock < -1e-9) return Infinity;
      cost += (order > 0 ? fixed_cost[t] : 0) + purchase_cost[t] * order + holding_cost[t] * stock;
    }
    return cost;
  }

  /** By the stock at the end of each period, all whole numbers tried. */
  function leastBySteps(costs: Costs, capacity: number): number {
    const total = costs.demand.reduce((a, b) => a + b, 0) + costs.initial_inventory;
    let least = new Map([[costs.initial_inventory, 0]]);
    for (const [t, demand] of costs.demand.entries()) {
      const next = new Map<number, number>();
      for (const [stock, cost] of least) {
        for (let order = 0; order <= Math.min(capacity, total); order++) {
          const left = stock + order - demand;
          if (left < 0 || left > total) continue;
          const sum =
            cost +
            (order > 0 ? costs.fixed_cost[t] : 0) +
            costs.purchase_cost[t] * order +
            costs.holding_cost[t] * left;
          if (sum < (next.get(left) ?? Infinity)) next.set(left, sum);
        }
      }
      least = next;
    }
    return Math.min(Infinity, ...least.values());
  }

  it.each(SEEDS)('no whole orders are cheaper without a capacity (seed %i)', async (seed) => {
    const costs = draw(Rng.create(seed).split('lots'), 8);
    const { bestSolution, bestFitness } = await solved(inventory, { model: 'wagner_whitin', ...costs });
    expect(costOf(costs, bestSolution)).toBeCloseTo(bestFitness, 9);
    expect(bestFitness).toBeCloseTo(leastBySteps(costs, Infinity), 9);
  });

  /**
   * Orders in the periods of the set alone: unit by unit of demand from where it is cheapest. False: there are none.
   */
  function cheapestFor(
    { demand, holding_cost, purchase_cost }: Costs,
    capacity: number,
    set: number,
    orders: number[],
  ): boolean {
    // Successive cheapest paths are exact here: serving a period from an earlier one is a transport on a line.
    const price = (from: number, to: number): number =>
      purchase_cost[from] + holding_cost.slice(from, to).reduce((a, b) => a + b, 0);
    const shipped = demand.map(() => demand.map(() => 0));
    for (const [due, units] of demand.entries()) {
      let left = units;
      while (left > 1e-9) {
        // Bellman and Ford over sources: take from one with room, or move what it sends elsewhere.
        const distance = demand.map((_, t) => ((set >> t) & 1 && t <= due ? price(t, due) : Infinity));
        const via = demand.map((): readonly [number, number] | null => null);
        for (let round = 0; round < demand.length; round++) {
          for (const a of demand.keys()) {
            if (distance[a] === Infinity) continue;
            for (let d = a; d < demand.length; d++) {
              if (shipped[a][d] <= 1e-12) continue;
              for (let b = 0; b <= d; b++) {
                if (((set >> b) & 1) === 0) continue;
                const moved = distance[a] - price(a, d) + price(b, d);
                if (moved < distance[b] - 1e-9) {
                  distance[b] = moved;
                  via[b] = [a, d];
                }
              }
            }
          }
        }
        const open = [...demand.keys()].filter((t) => distance[t] < Infinity && orders[t] < capacity - 1e-9);
        if (open.length === 0) return false;
        const end = open.reduce((a, b) => (distance[b] < distance[a] ? b : a));
        let amount = Math.min(left, capacity - orders[end]);
        for (let t = end, step = via[t]; step !== null; t = step[0], step = via[t])
          amount = Math.min(amount, shipped[step[0]][step[1]]);
        orders[end] += amount;
        let t = end;
        for (let step = via[t]; step !== null; step = via[t]) {
          shipped[t][step[1]] += amount;
          shipped[step[0]][step[1]] -= amount;
          [t] = step;
        }
        shipped[t][due] += amount;
        left -= amount;
      }
    }
    return true;
  }

  it.each(SEEDS.slice(0, 10))('no whole orders are cheaper within a capacity (seed %i)', async (seed) => {
    const costs = draw(Rng.create(seed).split('capacity'), 7);
    const capacity = 3 + (seed % 5);
    const least = leastBySteps(costs, capacity);
    const outcome = await solveConfig(inventory, { model: 'wagner_whitin', ...costs, capacity }, { mode: 'accurate' });
    if ('error' in outcome) {
      expect(outcome.error.code).toBe('infeasible');
      expect(least).toBe(Infinity);
      return;
    }
    expect(costOf(costs, outcome.bestSolution)).toBeCloseTo(outcome.bestFitness, 6);
    expect(Math.max(...outcome.bestSolution)).toBeLessThanOrEqual(capacity + 1e-7);
    expect(outcome.bestFitness).toBeCloseTo(least, 6);
    expect(outcome.answer.optimality.proof).toBe('branch_and_bound');
  });

  it.each(SEEDS.slice(0, 5))('proves the best plan where demands are no whole numbers (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('fractions');
    const list = (most: number): number[] => Array.from({ length: 7 }, () => 0.1 + most * rng.uniform());
    const costs = {
      demand: list(10),
      fixed_cost: list(100),
      holding_cost: list(2),
      purchase_cost: list(3),
      initial_inventory: 0,
    };
    const config = { model: 'wagner_whitin', ...costs, capacity: 11 };
    const { bestSolution, bestFitness, answer } = await solved(inventory, config);
    expect(costOf(costs, bestSolution) / bestFitness).toBeCloseTo(1, 9);
    expect(answer.optimality).toMatchObject({ status: 'optimal', proof: 'branch_and_bound' });
    // Every set of periods with orders, and the cheapest transport from these.
    let least = Infinity;
    for (let set = 0; set < 2 ** 7; set++) {
      const orders = new Array<number>(7).fill(0);
      const plan = cheapestFor(costs, 11, set, orders);
      if (plan) least = Math.min(least, costOf(costs, orders));
    }
    expect(bestFitness / least).toBeCloseTo(1, 5);
  });

  it('says by which period the capacities do not suffice', async () => {
    const config = { model: 'wagner_whitin', demand: [5, 20, 5], fixed_cost: 1, holding_cost: 1, capacity: 10 };
    const outcome = await solveConfig(inventory, config);
    expect(outcome).toMatchObject({
      error: {
        code: 'infeasible',
        message: 'By period 2 the demands need 25 units beyond the initial inventory, and the capacities allow 20.',
      },
    });
  });

  it('orders nothing where the initial inventory suffices', async () => {
    const config = { model: 'wagner_whitin', demand: [3, 4], fixed_cost: 9, holding_cost: 1, initial_inventory: 10 };
    const { bestSolution, bestFitness, answer } = await solved(inventory, config);
    expect(bestSolution).toEqual([0, 0]);
    expect(bestFitness).toBe(10);
    expect(answer.result['cycle_time']).toBeNull();
  });

  it.each([
    [{ fixed_cost: [1, 2] }, /`config.fixed_cost` must have 4 numbers, as `config.demand` has, not 2/],
    [{ holding_cost: [1, 2, -3, 4] }, /`config.holding_cost\[2\]` must be at least 0, not -3/],
    [{ demand: new Array(121).fill(1), capacity: 5 }, /`config.demand` must have at most 120 periods/],
    [{ capacity: -1 }, /`config.capacity` must be at least 0/],
    [{ demand: [] }, /`config.demand` must have 1 to 5000 numbers/],
  ])('refuses %j', (changes, message) => {
    const config = { model: 'wagner_whitin', demand: [1, 2, 3, 4], fixed_cost: 1, holding_cost: 1, ...changes };
    expect(() => checkConfig(inventory, config)).toThrow(message);
  });
});

describe('guaranteed service', () => {
  interface Stage {
    readonly id: string;
    readonly processing_time: number;
    readonly holding_cost: number;
    readonly demand_sd?: number;
    readonly max_outbound?: number;
    readonly external_inbound?: number;
  }

  /** Every whole service time of every stage; inbound times as short as they can be. */
  function leastCost(stages: readonly Stage[], edges: readonly (readonly [string, string])[], factor: number): number {
    const suppliers = stages.map(({ id }) =>
      edges.filter(([, to]) => to === id).map(([from]) => stages.findIndex((s) => s.id === from)),
    );
    const isLast = stages.map(({ id }) => !edges.some(([from]) => from === id));
    const varianceOf = (k: number): number =>
      (stages[k].demand_sd ?? 0) ** 2 +
      stages.reduce((sum, _, j) => sum + (suppliers[j].includes(k) ? varianceOf(j) : 0), 0);
    const sds = stages.map((_, k) => Math.sqrt(varianceOf(k)));
    const total = stages.reduce((sum, s) => sum + s.processing_time + (s.external_inbound ?? 0), 0);
    const most = stages.map((s, k) => Math.min(total, s.max_outbound ?? (isLast[k] ? 0 : total)));
    const times = stages.map(() => 0);
    let least = Infinity;
    for (;;) {
      let cost = 0;
      for (const [k, s] of stages.entries()) {
        const inbound = Math.max(s.external_inbound ?? 0, ...suppliers[k].map((i) => times[i]));
        const net = inbound + s.processing_time - times[k];
        cost += net < 0 ? Infinity : s.holding_cost * factor * sds[k] * Math.sqrt(net);
      }
      least = Math.min(least, cost);
      let k = 0;
      while (k < times.length && times[k] === most[k]) times[k++] = 0;
      if (k === times.length) return least;
      times[k]++;
    }
  }

  it.each(SEEDS)('no service times are cheaper (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('network');
    const n = 2 + rng.below(4);
    // A random tree with random directions.
    const edges = Array.from({ length: n - 1 }, (_, i): [string, string] => {
      const [a, b] = [String(i + 2), String(1 + rng.below(i + 1))];
      return rng.below(2) === 0 ? [a, b] : [b, a];
    });
    const stages = Array.from({ length: n }, (_, i): Stage => {
      const id = String(i + 1);
      const isLast = !edges.some(([from]) => from === id);
      return {
        id,
        processing_time: rng.below(4),
        holding_cost: 1 + rng.below(9),
        demand_sd: isLast || rng.below(3) === 0 ? 1 + rng.below(20) : undefined,
        max_outbound: rng.below(3) === 0 ? rng.below(3) : undefined,
        external_inbound: rng.below(4) === 0 ? rng.below(3) : undefined,
      };
    });
    const config = { model: 'guaranteed_service', stages, edges, service_factor: 1.3 };
    const { bestFitness, answer } = await solved(inventory, config);
    expect(bestFitness).toBeCloseTo(leastCost(stages, edges, 1.3), 9);
    expect(answer.optimality.status).toBe('optimal');
  });

  it('finds levels next to 0, beside demands that are next to nothing', async () => {
    const run = await solved(inventory, {
      model: 'multi_echelon_serial',
      stages: [{ echelon_holding_cost: 1.4440883055094038e-5, lead_time: 1e-9 }],
      stockout_cost: 1e-7,
      demand: { distribution: 'normal', mean: 0.0024741375134442523, sd: 1e-7 },
    });
    // The quantile at stockout_cost over both costs, -2.4636 deviations of 1e-7 sqrt(1e-9).
    expect((run.bestSolution[0] - 0.0024741375134442523e-9) / (1e-7 * Math.sqrt(1e-9))).toBeCloseTo(-2.4636, 4);
  });

  it('solves a chain of 100 stages', async () => {
    const stages = Array.from({ length: 100 }, (_, i) => ({
      id: String(i),
      processing_time: 1 + (i % 3),
      holding_cost: 1 + i,
      demand_sd: i === 99 ? 3 : undefined,
    }));
    const edges = stages.slice(1).map(({ id }, i) => [String(i), id]);
    const { answer } = await solved(inventory, { model: 'guaranteed_service', stages, edges });
    expect(answer.optimality.status).toBe('optimal');
  });

  it.each([
    [{ edges: [['a', 'x']] }, /`config.edges\[0\]\[1\]`: there is no stage "x"/],
    [
      {
        edges: [
          ['a', 'b'],
          ['b', 'a'],
        ],
      },
      /`config.edges\[1\]` closes a circle/,
    ],
    [{ edges: [['a', 'a']] }, /`config.edges\[0\]` closes a circle/],
    [{ edges: [['b', 'a']] }, /`config.stages\[0\].demand_sd` is required/],
    [{ service_factor: 0 }, /`config.service_factor` must be at least 1e-9/],
    [
      { stages: [{ id: 'a', processing_time: 1.5, holding_cost: 1 }] },
      /`config.stages\[0\].processing_time` must be a whole/,
    ],
  ])('refuses %j', (changes, message) => {
    const stages = [
      { id: 'a', processing_time: 1, holding_cost: 1 },
      { id: 'b', processing_time: 1, holding_cost: 1, demand_sd: 1 },
    ];
    const config = { model: 'guaranteed_service', stages, edges: [['a', 'b']], ...changes };
    expect(() => checkConfig(inventory, config)).toThrow(message);
  });
});

describe('a chain of stages', () => {
  /**
   * Discrete normal demand on a lattice: costs of given levels by sums over all demands, and the best level of each
   * stage by trying every one.
   */
  function leastOnLattice(
    stages: readonly { echelon_holding_cost: number; lead_time: number }[],
    demand: { mean: number; sd: number },
    penalty: number,
    step: number,
  ): { levels: number[]; cost: number } {
    const total = stages.reduce((sum, { echelon_holding_cost: h }) => sum + h, penalty);
    const size = Math.ceil(
      stages.reduce((sum, { lead_time: l }) => sum + l * demand.mean + 7 * demand.sd * Math.sqrt(l), 0) / step,
    );
    // Positions from -size to size.
    let below = Float64Array.from({ length: 2 * size + 1 }, (_, i) => total * Math.max(0, (size - i) * step));
    const levels: number[] = [];
    let cost = NaN;
    for (const { echelon_holding_cost: h, lead_time } of stages) {
      const [mean, sd] = [demand.mean * lead_time, demand.sd * Math.sqrt(lead_time)];
      const first = Math.floor((mean - 7 * sd) / step);
      const chances = Array.from({ length: Math.ceil((14 * sd) / step) + 1 }, (_, k) => {
        const z = ((first + k) * step - mean) / sd;
        return ((Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * step) / sd;
      });
      const old = below;
      const slope = (old[1] - old[0]) / step;
      const at = (i: number): number => (i >= 0 ? old[Math.min(i, 2 * size)] : old[0] + slope * i * step);
      const curve = old.map((_, i) =>
        chances.reduce((sum, chance, k) => {
          const x = i - first - k;
          return sum + chance * (h * (x - size) * step + at(x));
        }, 0),
      );
      const best = curve.reduce((a, value, i) => (value < curve[a] ? i : a), 0);
      levels.push((best - size) * step);
      cost = curve[best];
      below = curve.map((value, i) => (i > best ? cost : value));
    }
    return { levels, cost };
  }

  it.each(SEEDS)('has the levels that trying each gives (seed %i)', async (seed) => {
    const rng = Rng.create(seed).split('chain');
    const stages = Array.from({ length: 1 + rng.below(3) }, () => ({
      echelon_holding_cost: 0.5 + 3 * rng.uniform(),
      lead_time: 0.5 + 2 * rng.uniform(),
    }));
    const demand = { distribution: 'normal', mean: 2 + 3 * rng.uniform(), sd: 0.5 + rng.uniform() };
    const stockout_cost = 2 + 40 * rng.uniform();
    const config = { model: 'multi_echelon_serial', stages, demand, stockout_cost };
    const { bestSolution, bestFitness, answer } = await solved(inventory, config);
    const step = 0.05;
    const { levels, cost } = leastOnLattice(stages, demand, stockout_cost, step);
    expect(Math.abs(bestFitness / cost - 1)).toBeLessThan(1e-3);
    for (const [j, level] of levels.entries()) expect(Math.abs(bestSolution[j] - level)).toBeLessThan(2 * step);
    const { holding_cost, stockout_cost: waiting } = answer.result as Record<string, number>;
    expect(holding_cost + waiting).toBeCloseTo(bestFitness, 9);
  });

  it('of one stage has the level of the newsvendor', async () => {
    const config = {
      model: 'multi_echelon_serial',
      stages: [{ echelon_holding_cost: 0.18, lead_time: 1 }],
      stockout_cost: 0.7,
      demand: { distribution: 'normal', mean: 50, sd: 8 },
    };
    const { bestSolution, bestFitness, answer } = await solved(inventory, config);
    expect(bestSolution[0]).toBeCloseTo(56.60395593, 6);
    expect(bestFitness).toBeCloseTo(1.997605193, 8);
    expect((answer.result['service_level'] as Record<string, number>)['cycle']).toBeCloseTo(0.7 / 0.88, 9);
  });

  it('holds no safety stock where demand is certain', async () => {
    const stages = [1, 2].map((lead_time) => ({ echelon_holding_cost: 2, lead_time }));
    const config = {
      model: 'multi_echelon_serial',
      stages,
      stockout_cost: 9,
      demand: { distribution: 'normal', mean: 5, sd: 0 },
    };
    const { bestSolution, bestFitness } = await solved(inventory, config);
    expect(bestSolution).toEqual([5, 15]);
    // Five units are on their way to the first stage, at the cost of the second one's echelon.
    expect(bestFitness).toBe(10);
  });

  it.each([
    [1, 1e-12, 1, 'be 0 or at least 1e-9.'],
    [1e-39, 1e-234, 0, 'be 0 or at least 1e-9.'],
    [1e-6, 1e4, 0, 'be 0, or at least a billionth of the longest lead time.'],
  ])('refuses the lead times %d and %d, whose demand would be lost in rounding', (first, second, at, rule) => {
    const stages = [first, second].map((lead_time) => ({ echelon_holding_cost: 2, lead_time }));
    const demand = { distribution: 'normal', mean: 5, sd: 1 };
    const config = { model: 'multi_echelon_serial', stages, stockout_cost: 9, demand };
    expect(() => checkConfig(inventory, config)).toThrow(`\`config.stages[${at}].lead_time\` must ${rule}`);
  });

  it('may have stages that are served at once', async () => {
    const demand = { distribution: 'normal', mean: 5, sd: 1 };
    const of = (stages: unknown) =>
      solved(inventory, { model: 'multi_echelon_serial', stages, stockout_cost: 20, demand });
    const plain = await of([{ echelon_holding_cost: 3, lead_time: 1 }]);
    const first = await of([
      { echelon_holding_cost: 1, lead_time: 0 },
      { echelon_holding_cost: 2, lead_time: 1 },
    ]);
    // A first stage without lead time sells from what the second one's echelon has.
    expect(first.bestFitness).toBeLessThanOrEqual(plain.bestFitness + 1e-6);
  });
});
