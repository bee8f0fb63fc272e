/**
 * Problems of the largest sizes that are accepted, at least one of every model: realistic, seeded, and hard where a
 * type can be: tight capacities, many scenarios, long horizons, grids without end. Sizes follow the limits of the type,
 * and those of a request: 4 MiB, a million values, 20,000 names of fields.
 */
import { Rng } from '../../src/common/rng.js';

export interface LargestProblem {
  /** `type`, or `type.model`. */
  readonly model: string;
  /** What is large about it: tells problems of one model apart. */
  readonly what: string;
  readonly config: (draw: Draw) => Record<string, unknown>;
  /** Absent: the most that a request may ask for. */
  readonly maxEvaluations?: number;
}

/** Numbers by chance, short enough for a request. */
export class Draw {
  constructor(private readonly rng: Rng) {}

  static of(seed: number, label: string): Draw {
    return new Draw(Rng.create(seed).split(label));
  }

  whole(low: number, high: number): number {
    return low + this.rng.below(high - low + 1);
  }

  real(low: number, high: number, digits = 2): number {
    return Number((low + (high - low) * this.rng.uniform()).toFixed(digits));
  }

  normal(mean: number, deviation: number, digits = 3): number {
    return Number((mean + deviation * this.rng.normal()).toFixed(digits));
  }

  list<T>(count: number, make: (i: number) => T): T[] {
    return Array.from({ length: count }, (_, i) => make(i));
  }

  matrix(rows: number, columns: number, make: (i: number, j: number) => number): number[][] {
    return this.list(rows, (i) => this.list(columns, (j) => make(i, j)));
  }

  symmetric(n: number, make: (i: number, j: number) => number, diagonal = 0): number[][] {
    const table = this.matrix(n, n, (i, j) => (i < j ? make(i, j) : diagonal));
    return table.map((row, i) => row.map((value, j) => (i > j ? table[j][i] : value)));
  }

  /** Of a few common factors and a part of its own: what a real market's looks like. */
  covariance(n: number, digits = 5): number[][] {
    const factors = 6;
    const loads = this.matrix(n, factors, () => this.normal(0.08, 0.05));
    const own = this.list(n, () => this.real(0.005, 0.05, 4));
    return this.list(n, (i) =>
      this.list(n, (j) => {
        const [a, b] = i < j ? [i, j] : [j, i];
        const common = loads[a].reduce((sum, load, k) => sum + load * loads[b][k], 0);
        return Number((common + (a === b ? own[a] : 0)).toFixed(digits));
      }),
    );
  }

  /** A price that wanders. */
  walk(length: number, digits = 1): number[] {
    let price = 100;
    return this.list(length, () => {
      price = Math.max(1, price * (1 + 0.012 * this.rng.normal() + 0.0001));
      return Number(price.toFixed(digits));
    });
  }
}

const rounded = (value: number, digits = 3): number => Number(value.toFixed(digits));

// --- financial

const portfolioOf = (draw: Draw): Record<string, unknown> => ({
  expected_returns: draw.list(500, () => draw.real(0.02, 0.14, 4)),
  covariance: draw.covariance(500),
});

const cardinality = (objective: string) => (draw: Draw) => ({
  ...portfolioOf(draw),
  objective,
  max_assets: 25,
  min_position: 0.02,
});

const rule =
  (parameters: object, more: object = {}) =>
  (draw: Draw) => ({
    bars: (() => {
      const close = draw.walk(50_000);
      return {
        open: close.map((price) => rounded(price * (1 + draw.normal(0, 0.002)), 1)),
        high: close.map((price) => rounded(price * 1.02, 1)),
        low: close.map((price) => rounded(price * 0.97, 1)),
        close,
      };
    })(),
    commission: 0.001,
    parameters,
    ...more,
  });

const GRID = { min: 1, max: 1_400, step: 1 };
const WALK_FORWARD = { validation: { method: 'walk_forward', train_bars: 5_000, test_bars: 90, anchored: true } };

const FINANCIAL: LargestProblem[] = [
  { model: 'portfolio', what: 'max_sharpe, 500 assets, 25 held', config: cardinality('max_sharpe') },
  { model: 'portfolio', what: 'min_volatility, 500 assets, 25 held', config: cardinality('min_volatility') },
  {
    model: 'portfolio',
    what: 'frontier of 200 points, 500 assets, 25 held',
    config: (draw) => ({ ...cardinality('frontier')(draw), frontier_points: 200 }),
  },
  {
    model: 'portfolio',
    what: 'frontier of 200 points, 500 assets',
    config: (draw) => ({ ...portfolioOf(draw), objective: 'frontier', frontier_points: 200 }),
  },
  { model: 'portfolio', what: 'max_diversification, 500 assets, 25 held', config: cardinality('max_diversification') },
  {
    model: 'portfolio',
    what: 'risk_parity, 500 assets',
    config: (draw) => ({ ...portfolioOf(draw), objective: 'risk_parity' }),
  },
  { model: 'portfolio', what: 'hrp, 500 assets', config: (draw) => ({ ...portfolioOf(draw), objective: 'hrp' }) },
  {
    model: 'portfolio',
    what: 'min_cvar, 170 assets x 4,500 periods',
    config: (draw) => ({
      objective: 'min_cvar',
      confidence: 0.9,
      returns: draw.matrix(4_500, 170, () => rounded(draw.real(-9, 10, 0) / 100, 2)),
    }),
  },
  {
    model: 'portfolio',
    what: 'min_cvar, 25 held of 170 assets x 4,500 periods',
    config: (draw) => ({
      objective: 'min_cvar',
      max_assets: 25,
      returns: draw.matrix(4_500, 170, () => rounded(draw.real(-9, 10, 0) / 100, 2)),
    }),
  },
  {
    model: 'portfolio',
    what: 'efficient_risk, 200 groups and limits, turnover, costs',
    config: (draw) => ({
      objective: 'efficient_risk',
      target_volatility: 0.2,
      assets: draw.list(500, (i) => ({ id: `a${i}`, group: `g${i % 200}`, current_weight: 0.002 })),
      ...portfolioOf(draw),
      groups: draw.list(200, (i) => ({ group: `g${i}`, max: 0.02 })),
      constraints: draw.list(200, (k) => ({
        weights: Object.fromEntries(draw.list(80, (i) => [`a${(i * 6 + k) % 500}`, draw.real(0.1, 2, 1)])),
        max: 0.5,
      })),
      max_turnover: 1.2,
      transaction_cost: 0.002,
    }),
  },
  {
    model: 'trading_strategy.sma_crossover',
    what: '50,000 bars, 1,960,000 sets',
    config: rule({ fast: GRID, slow: GRID }),
  },
  {
    model: 'trading_strategy.ema_crossover',
    what: '50,000 bars, 500 folds',
    config: rule({ fast: GRID, slow: GRID }, WALK_FORWARD),
  },
  {
    model: 'trading_strategy.rsi_reversion',
    what: '50,000 bars, 2,000,000 sets',
    config: rule({
      period: { min: 2, max: 101, step: 1 },
      oversold: { min: 1, max: 49, step: 0.35 },
      overbought: { min: 51, max: 99, step: 0.35 },
    }),
  },
  {
    model: 'trading_strategy.bollinger_reversion',
    what: '50,000 bars, 2,000,000 sets',
    config: rule({ period: { min: 2, max: 2_001, step: 1 }, deviations: { min: 0.01, max: 10, step: 0.01 } }),
  },
  {
    model: 'trading_strategy.macd',
    what: '50,000 bars, 2,000,000 sets',
    config: rule(
      {
        fast: { min: 1, max: 125, step: 1 },
        slow: { min: 1, max: 125, step: 1 },
        signal: { min: 1, max: 125, step: 1 },
      },
      { direction: 'long_short' },
    ),
  },
  {
    model: 'trading_strategy.donchian_breakout',
    what: '50,000 bars, long windows',
    config: rule({ entry: { min: 1, max: 49_000, step: 35 }, exit: { min: 1, max: 49_000, step: 35 } }),
  },
  {
    model: 'trading_strategy.momentum',
    what: '50,000 bars, a search of 2,000,000 sets in 500 folds',
    config: rule(
      { lookback: { min: 1, max: 20_000, step: 1 }, threshold: { min: 0, max: 0.99, step: 0.01 } },
      WALK_FORWARD,
    ),
    maxEvaluations: 1_000_000,
  },
  {
    model: 'trading_strategy.kelly_sizing',
    what: '100 assets',
    config: (draw) => ({
      expected_returns: draw.list(100, () => draw.real(0.02, 0.15, 4)),
      covariance: draw.covariance(100, 6),
      max_leverage: 1.5,
    }),
  },
  {
    model: 'trading_strategy.optimal_execution',
    what: '10,000 intervals',
    config: () => ({
      shares: 1_000_000,
      horizon_days: 20,
      intervals: 10_000,
      volatility_per_day: 0.95,
      temporary_impact: 2.5e-6,
      permanent_impact: 2.5e-7,
      fixed_cost_per_share: 0.06,
      risk_aversion: 2e-6,
    }),
  },
  {
    model: 'trading_strategy.perfect_foresight_bound',
    what: '50,000 closes, 1,000 round trips',
    config: (draw) => ({ close: draw.walk(50_000), max_round_trips: 1_000, fee_per_round_trip: 0.5 }),
  },
  {
    model: 'risk_management.min_cvar',
    what: '5,000 scenarios x 50 assets',
    config: (draw) => ({
      scenario_returns: draw.matrix(5_000, 50, () => draw.normal(0.004, 0.05)),
      confidence: 0.9,
      min_expected_return: 0.0045,
      max_weight: 0.1,
    }),
  },
  {
    model: 'risk_management.min_cvar',
    what: 'normal, 200 assets',
    config: (draw) => ({
      distribution: 'normal',
      expected_returns: draw.list(200, () => draw.real(0, 0.1, 4)),
      covariance: draw.covariance(200),
      min_expected_return: 0.06,
    }),
  },
  {
    model: 'risk_management.limit_allocation',
    what: '1,250 scenarios x 200 positions',
    config: (draw) => ({
      scenario_pnl: draw.matrix(1_250, 200, () => Math.round(draw.normal(4, 100))),
      es_limit: 20_000,
      position_bounds: [-20, 20],
    }),
  },
  {
    model: 'risk_management.risk_budgeting',
    what: '200 assets',
    config: (draw) => ({
      covariance: draw.covariance(200),
      risk_budgets: draw.list(200, () => draw.real(0.01, 1)),
    }),
  },
  {
    model: 'risk_management.hedge_ratio',
    what: '20,000 periods',
    config: (draw) => {
      const spot = draw.list(20_000, () => draw.normal(0, 0.02, 4));
      return {
        spot_returns: spot,
        futures_returns: spot.map((own) => rounded(own * 1.1 + draw.normal(0, 0.01), 4)),
        exposure_units: 2_000_000,
        contract_size: 42_000,
      };
    },
  },
  {
    model: 'risk_management.cash_flow_matching',
    what: '500 bonds x 240 periods in whole lots',
    config: (draw) => ({
      bonds: draw.list(500, () => {
        const periods = draw.whole(1, 240);
        const coupon = draw.real(0.1, 4, 1);
        return {
          price: draw.real(80, 120),
          cash_flows: draw.list(periods, (t) => (t === periods - 1 ? 100 + coupon : coupon)),
          max: 900,
        };
      }),
      liabilities: draw.list(240, () => draw.whole(100, 20_000)),
      reinvestment_rate: 0.001,
      integer_lots: true,
    }),
  },
  {
    model: 'risk_management.greeks_hedge',
    what: '500 instruments',
    config: (draw) => ({
      exposure: { delta: -450_000, gamma: -6_000, vega: -40_000 },
      instruments: draw.list(500, () => ({
        price: draw.real(0.1, 12),
        delta: draw.real(-1, 1),
        gamma: draw.real(0, 2),
        vega: draw.real(0, 3),
        max: draw.whole(100, 2_000),
      })),
    }),
  },
];

// --- healthcare

const HEALTHCARE: LargestProblem[] = [
  {
    model: 'drug_discovery.rank_compounds',
    what: '1,000 structures of up to 500 characters',
    config: (draw) => ({
      compounds: draw.list(1_000, () => ({
        smiles: draw
          .list(
            draw.whole(15, 45),
            () => ['c1ccccc1', 'C(=O)N', 'C(F)(F)', 'N1CCC(CC1)', 'OC', 'S(=O)(=O)'][draw.whole(0, 4)],
          )
          .join('')
          .slice(0, 480)
          .replace(/[^)\w]*$/, ''),
      })),
      filters: ['lipinski', 'veber'],
    }),
  },
  {
    model: 'drug_discovery.rank_compounds',
    what: '1,000 compounds by descriptors',
    config: (draw) => ({
      compounds: draw.list(1_000, (i) => ({
        id: `c${i}`,
        mw: draw.real(150, 650, 1),
        alogp: draw.real(-2, 7),
        hba: draw.whole(0, 12),
        hbd: draw.whole(0, 6),
        psa: draw.real(10, 180, 1),
        rotb: draw.whole(0, 14),
        arom: draw.whole(0, 5),
        alerts: draw.whole(0, 3),
      })),
    }),
  },
  {
    model: 'drug_discovery.compound_selection',
    what: '600 compounds that keep a distance',
    config: (draw) => ({
      compounds: draw.list(600, () => ({
        score: draw.real(0.3, 1, 4),
        cost: draw.whole(50, 500),
        cluster: `k${draw.whole(1, 60)}`,
        fingerprint: draw.list(1_024, () => (draw.whole(0, 9) < 2 ? 1 : 0)).join(''),
      })),
      budget: 9_000,
      max_compounds: 60,
      max_per_cluster: 2,
      min_distance: 0.89,
    }),
  },
  {
    model: 'drug_discovery.compound_selection',
    what: '2,000 compounds, 40 per cluster, fingerprints',
    config: (draw) => ({
      compounds: draw.list(2_000, () => ({
        score: draw.real(0.3, 1, 4),
        cost: draw.whole(50, 500),
        cluster: `k${draw.whole(1, 50)}`,
        fingerprint: draw.list(1_024, () => (draw.whole(0, 9) < 2 ? 1 : 0)).join(''),
      })),
      budget: 20_000,
      max_compounds: 100,
      max_per_cluster: 3,
    }),
  },
  {
    model: 'drug_discovery.lead_optimization',
    what: '30 sites, 1,590 options, five limits',
    config: (draw) => ({
      core: { activity: 5, mw: 200, alogp: 0, psa: 20, hbd: 0 },
      r_groups: draw.list(30, () => ({
        options: draw.list(53, () => ({
          d_activity: draw.real(-0.5, 1, 3),
          d_mw: draw.real(1, 80, 1),
          d_alogp: draw.real(-0.9, 1.2, 3),
          d_psa: draw.real(0, 30, 1),
          d_hbd: draw.whole(0, 2),
        })),
      })),
      constraints: {
        mw: { min: 900, max: 901 },
        alogp: { min: 4, max: 4.1 },
        psa: { min: 200, max: 202 },
        hbd: { max: 12 },
      },
    }),
  },
  {
    model: 'drug_discovery.lead_optimization',
    what: '30 sites, 1,590 options, desirability',
    config: (draw) => ({
      core: { activity: 5, mw: 200, alogp: 0, psa: 20, hbd: 0 },
      objective: 'mpo',
      r_groups: draw.list(30, () => ({
        options: draw.list(53, () => ({
          d_activity: draw.real(-0.5, 1, 3),
          d_mw: draw.real(1, 40, 1),
          d_alogp: draw.real(-0.9, 0.9, 3),
          d_psa: draw.real(0, 12, 1),
          d_hbd: draw.whole(0, 1),
        })),
      })),
    }),
  },
  {
    model: 'drug_discovery.lead_optimization',
    what: 'a library of 9,765,625 in full',
    config: (draw) => ({
      core: { activity: 5, mw: 200, alogp: 0, psa: 20, hbd: 0 },
      objective: 'mpo',
      r_groups: draw.list(10, () => ({
        options: draw.list(5, () => ({
          d_activity: draw.real(-0.5, 1, 3),
          d_mw: draw.real(1, 40, 1),
          d_alogp: draw.real(-0.9, 0.9, 3),
          d_psa: draw.real(0, 12, 1),
          d_hbd: draw.whole(0, 1),
        })),
      })),
    }),
  },
  {
    model: 'drug_discovery.free_wilson_fit',
    what: '1,500 compounds, 10 sites, 3,000 substituents',
    config: (draw) => ({
      series: draw.list(1_500, () => ({
        substituents: Object.fromEntries(draw.list(10, (site) => [`R${site}`, `s${draw.whole(1, 300)}`])),
        activity: draw.real(4, 9),
      })),
    }),
  },
  {
    model: 'drug_discovery.pipeline_portfolio',
    what: '1,000 projects, costs and values that go together',
    config: (draw) => ({
      projects: draw.list(1_000, () => {
        const cost = draw.whole(20_000, 100_000);
        return {
          cost_musd: cost,
          probability_of_success: 0.5,
          value_if_success_musd: 4 * cost + draw.whole(0, 100),
          therapeutic_area: `t${draw.whole(1, 40)}`,
        };
      }),
      budget_musd: 10_000_001,
      min_per_area: 2,
    }),
  },
  {
    model: 'clinical_trial_design.simon_two_stage',
    what: 'up to 1,000 patients',
    config: () => ({ p0: 0.5, p1: 0.55, alpha: 0.05, power: 0.9, max_n: 1_000, criterion: 'admissible' }),
  },
  {
    model: 'clinical_trial_design.group_sequential',
    what: '20 looks',
    config: () => ({
      looks: 20,
      boundary: 'alpha_spending',
      spending_function: 'hwang_shih_decani',
      spending_parameter: -4,
      power: 0.95,
      futility: 'non_binding',
      sides: 1,
      alpha: 0.01,
    }),
  },
  {
    model: 'clinical_trial_design.fixed',
    what: 'many patients',
    config: () => ({
      endpoint: 'continuous',
      mean_difference: 0.0002,
      standard_deviation: 1,
      power: 0.95,
      alpha: 0.001,
    }),
  },
  {
    model: 'clinical_trial_design.boin',
    what: '300 patients one by one',
    config: () => ({ target_toxicity: 0.3, cohort_size: 1, max_n: 300 }),
  },
  {
    model: 'clinical_trial_design.stratified_allocation',
    what: '1,000 strata',
    config: (draw) => ({
      total_n: 500_000_000,
      strata_sizes: draw.list(1_000, () => draw.whole(1_000, 9_000_000)),
      strata_sd: draw.list(1_000, () => draw.real(0, 100)),
      strata_costs: draw.list(1_000, () => draw.real(0.1, 10)),
    }),
  },
  {
    model: 'treatment_protocol.pk_dosing',
    what: '1,000 doses x 1,000 intervals',
    config: (draw) => ({
      route: 'oral',
      volume_l: 30,
      clearance_l_h: 3.6,
      absorption_rate_per_h: 1.2,
      bioavailability: 0.8,
      target_peak_mg_l: 18,
      target_trough_mg_l: 4,
      available_doses_mg: draw.list(1_000, (i) => 1 + i),
      available_intervals_h: draw.list(1_000, (i) => rounded(1 + i / 20, 2)),
    }),
  },
  {
    model: 'treatment_protocol.fractionation',
    what: '1,000 fractions with repopulation',
    config: () => ({
      tumour_alpha_beta_gy: 10,
      oar_alpha_beta_gy: 3,
      oar_sparing_factor: 0.7,
      oar_bed_limit_gy: 100,
      max_fractions: 1_000,
      repopulation: { alpha_per_gy: 0.3, doubling_time_days: 3, kickoff_days: 21 },
    }),
  },
  {
    model: 'treatment_protocol.radiotherapy_fluence',
    what: '900 voxels x 1,000 beamlets, squared',
    config: (draw) => ({
      structures: [
        {
          name: 'tumour',
          type: 'target',
          objective: 'squared_underdose',
          min_gy: 60,
          weight: 10,
          dose_influence: draw.matrix(200, 1_000, () => draw.whole(0, 9)),
        },
        {
          name: 'lung',
          type: 'organ_at_risk',
          objective: 'squared_overdose',
          max_gy: 15,
          dose_influence: draw.matrix(400, 1_000, () => Math.max(0, draw.whole(-6, 5))),
        },
        {
          name: 'heart',
          type: 'organ_at_risk',
          objective: 'squared_overdose',
          max_gy: 10,
          dose_influence: draw.matrix(300, 1_000, () => Math.max(0, draw.whole(-6, 5))),
        },
      ],
    }),
  },
  {
    model: 'treatment_protocol.radiotherapy_fluence',
    what: '5,000 voxels x 190 beamlets, linear',
    config: (draw) => ({
      structures: [
        {
          name: 'tumour',
          type: 'target',
          min_gy: 60,
          max_gy: 200,
          dose_influence: draw.matrix(1_500, 190, () => draw.whole(2, 9)),
        },
        {
          name: 'lung',
          type: 'organ_at_risk',
          objective: 'max',
          dose_influence: draw.matrix(2_000, 190, () => Math.max(0, draw.whole(-6, 5))),
        },
        {
          name: 'heart',
          type: 'organ_at_risk',
          objective: 'mean',
          max_gy: 90,
          dose_influence: draw.matrix(1_500, 190, () => Math.max(0, draw.whole(-6, 5))),
        },
      ],
    }),
  },
  {
    model: 'treatment_protocol.chemotherapy_schedule',
    what: '200 cycles, gompertz',
    config: () => ({
      cycles: 200,
      growth_rate_per_cycle: 0.35,
      log_kill_per_dose: 0.4,
      initial_cells: 1e9,
      max_dose: 10,
      toxicity_carryover: 0.6,
      toxicity_limit: 10,
      growth: 'gompertz',
      carrying_capacity: 1e12,
    }),
  },
  {
    model: 'treatment_protocol.treatment_policy',
    what: '300 states x 11 actions, discount near 1',
    config: (draw) => ({
      states: draw.list(300, (i) => `s${i}`),
      actions: draw.list(11, (i) => `a${i}`),
      transition: draw.list(11, () =>
        draw.list(300, () => {
          const row = new Array<number>(300).fill(0);
          for (let k = 0; k < 8; k++) row[draw.whole(0, 299)] += 1;
          return row.map((times) => times / 8);
        }),
      ),
      reward: draw.matrix(11, 300, () => draw.real(0, 1)),
      discount: 0.9999,
    }),
  },
  {
    model: 'treatment_protocol.treatment_policy',
    what: '300 states x 11 actions, 1,000 periods',
    config: (draw) => ({
      states: draw.list(300, (i) => `s${i}`),
      actions: draw.list(11, (i) => `a${i}`),
      transition: draw.list(11, () =>
        draw.list(300, () => {
          const row = new Array<number>(300).fill(0);
          for (let k = 0; k < 8; k++) row[draw.whole(0, 299)] += 1;
          return row.map((times) => times / 8);
        }),
      ),
      reward: draw.matrix(11, 300, () => draw.real(0, 1)),
      horizon: 1_000,
    }),
  },
];

// --- supply chain

const customersOf = (draw: Draw, count: number): Record<string, unknown>[] =>
  draw.list(count, () => ({ x: draw.whole(0, 1_000), y: draw.whole(0, 1_000), demand: draw.whole(1, 100) }));

const inventory = { holding_cost: 1, stockout_cost: 9 };

const SUPPLY_CHAIN: LargestProblem[] = [
  {
    model: 'vehicle_routing',
    what: '2,000 customers, capacities',
    config: (draw) => ({
      depot: { x: 500, y: 500 },
      customers: customersOf(draw, 2_000),
      vehicles: [{ count: 400, capacity: 400 }],
      rounding: 'nearest',
    }),
  },
  {
    model: 'vehicle_routing',
    what: '2,000 customers, windows',
    config: (draw) => ({
      depot: { x: 500, y: 500 },
      customers: customersOf(draw, 2_000).map((one) => {
        const from = draw.whole(0, 9_000);
        return { ...one, service: 10, time_window: [from, from + 900] };
      }),
      vehicles: [{ count: 600, capacity: 1_000, end: 12_000 }],
      objective: 'vehicles_then_distance',
    }),
  },
  {
    model: 'vehicle_routing',
    what: 'one vehicle, 2,000 customers',
    config: (draw) => ({
      depot: { x: 0, y: 0 },
      customers: draw.list(2_000, () => ({ x: draw.whole(0, 9_999), y: draw.whole(0, 9_999) })),
      vehicles: 1,
    }),
  },
  {
    model: 'vehicle_routing',
    what: '2,000 customers, 100 depots, 200 vehicle types, 4 dimensions, makespan',
    config: (draw) => ({
      depots: draw.list(100, (i) => ({ id: `d${i}`, x: draw.whole(0, 1_000), y: draw.whole(0, 1_000) })),
      customers: customersOf(draw, 2_000).map((one) => ({
        ...one,
        demand: draw.list(4, () => draw.whole(1, 100)),
      })),
      vehicles: draw.list(200, (i) => ({
        count: 5,
        capacity: [400, 500, 600, 700],
        depot: `d${i % 100}`,
        cost_per_distance: draw.real(0.5, 2),
        cost_per_time: 0.5,
        fixed_cost: draw.whole(0, 100),
        max_distance: 5_000,
        max_stops: 60,
      })),
      objective: 'makespan',
    }),
  },
  {
    model: 'vehicle_routing',
    what: '900 customers, a matrix of distances, 450 shipments',
    config: (draw) => ({
      depot: 0,
      customers: draw.list(900, (i) => ({ id: `c${i}` })),
      shipments: draw.list(450, (i) => ({ pickup: `c${2 * i}`, delivery: `c${2 * i + 1}`, demand: draw.whole(1, 40) })),
      vehicles: [{ count: 80, capacity: 100, end: 100_000 }],
      distance: { matrix: draw.symmetric(901, () => draw.whole(1, 999)) },
    }),
  },
  {
    model: 'vehicle_routing',
    what: 'too few vehicles for 2,000 customers',
    config: (draw) => ({
      depot: { x: 500, y: 500 },
      customers: customersOf(draw, 2_000),
      vehicles: [{ count: 100, capacity: 1_005 }],
    }),
  },
  { model: 'inventory.eoq', what: 'no size', config: () => ({ demand_rate: 1e9, fixed_cost: 8, holding_cost: 0.2 }) },
  {
    model: 'inventory.eoq_backorder',
    what: 'no size',
    config: () => ({ demand_rate: 1e9, fixed_cost: 8, holding_cost: 0.2, stockout_cost: 5 }),
  },
  {
    model: 'inventory.epq',
    what: 'no size',
    config: () => ({ demand_rate: 1e8, production_rate: 1e9, fixed_cost: 8, holding_cost: 0.2 }),
  },
  {
    model: 'inventory.eoq_discount',
    what: '1,000 price breaks',
    config: (draw) => ({
      discount: 'incremental',
      demand_rate: 1e6,
      fixed_cost: 8,
      holding_cost_rate: 0.3,
      breakpoints: draw.list(1_000, (i) => i * 50),
      unit_costs: draw.list(1_000, (i) => rounded(10 - i * 0.005)),
    }),
  },
  {
    model: 'inventory.multi_item_eoq',
    what: '5,000 items, no id',
    config: (draw) => ({
      items: draw.list(4_900, () => ({
        demand_rate: draw.whole(10, 9_000),
        fixed_cost: draw.whole(5, 99),
        holding_cost: draw.real(0.1, 9),
        space: draw.real(0.1, 4),
      })),
      space_limit: 90_000,
    }),
  },
  {
    model: 'inventory.joint_replenishment',
    what: '1,000 items, a small shared cost',
    config: (draw) => ({
      shared_fixed_cost: 0.01,
      individual_fixed_costs: draw.list(1_000, () => draw.real(0.1, 90)),
      holding_costs: draw.list(1_000, () => draw.real(0.1, 9)),
      demand_rates: draw.list(1_000, () => draw.whole(1, 9_000)),
    }),
  },
  {
    model: 'inventory.newsvendor',
    what: '10,000 observed values',
    config: (draw) => ({
      price: 3,
      unit_cost: 1,
      demand: { distribution: 'empirical', values: draw.list(10_000, () => draw.whole(0, 90_000)) },
    }),
  },
  {
    model: 'inventory.base_stock',
    what: '10,000 values over a lead time of 1,000',
    config: (draw) => ({
      ...inventory,
      lead_time: 1_000,
      demand: { distribution: 'empirical', values: draw.list(10_000, () => draw.whole(0, 90_000)) },
    }),
  },
  {
    model: 'inventory.s_S',
    what: 'orders of 10,000 units',
    config: () => ({ ...inventory, fixed_cost: 22_000, demand: { distribution: 'poisson', mean: 2_000 } }),
  },
  {
    model: 'inventory.s_S',
    what: '10,000 observed values',
    config: (draw) => ({
      ...inventory,
      fixed_cost: 40_000,
      demand: { distribution: 'empirical', values: draw.list(10_000, () => draw.whole(0, 2_000)) },
    }),
  },
  {
    model: 'inventory.r_Q',
    what: '100,000 units in the lead time',
    config: () => ({ ...inventory, fixed_cost: 4e7, lead_time: 1_000, demand: { distribution: 'poisson', mean: 100 } }),
  },
  {
    model: 'inventory.wagner_whitin',
    what: '5,000 periods, initial inventory',
    config: (draw) => ({
      demand: draw.list(5_000, () => draw.whole(0, 900)),
      fixed_cost: draw.list(5_000, () => draw.whole(100, 90_000)),
      holding_cost: 0.02,
      purchase_cost: draw.list(5_000, () => draw.real(1, 20)),
      initial_inventory: 90,
    }),
  },
  {
    model: 'inventory.wagner_whitin',
    what: '120 periods with tight capacities',
    config: (draw) => ({
      demand: draw.list(120, () => draw.whole(0, 180)),
      fixed_cost: draw.list(120, () => draw.whole(100, 900)),
      holding_cost: draw.list(120, () => draw.real(0.5, 2)),
      purchase_cost: draw.list(120, () => draw.real(1, 20)),
      capacity: draw.list(120, () => draw.whole(90, 140)),
      initial_inventory: 900,
    }),
  },
  {
    model: 'inventory.multi_echelon_serial',
    what: '20 stages',
    config: (draw) => ({
      stages: draw.list(20, () => ({ echelon_holding_cost: draw.real(0.1, 2), lead_time: draw.whole(1, 400) })),
      stockout_cost: 90,
      demand: { distribution: 'normal', mean: 500, sd: 120 },
    }),
  },
  {
    model: 'inventory.guaranteed_service',
    what: '500 stages, ways of 1,000 periods',
    config: (draw) => ({
      stages: draw.list(500, (i) => ({
        id: `s${i}`,
        processing_time: draw.whole(400, 500),
        holding_cost: draw.whole(1, 99) * (1 + (i % 2)),
        ...(i % 2 === 1 ? { demand_sd: draw.whole(1, 99) } : {}),
      })),
      // Supplier, customer, supplier, ...: a long tree of short ways.
      edges: draw.list(499, (i) => (i % 2 === 0 ? [`s${i}`, `s${i + 1}`] : [`s${i + 1}`, `s${i}`])),
    }),
  },
  {
    model: 'inventory.simulation',
    what: '20,000 periods',
    config: (draw) => ({
      ...inventory,
      policy: 's_S',
      demand: draw.list(20_000, () => draw.whole(0, 900)),
      lead_time: 20,
      fixed_cost: 500,
    }),
  },
  {
    model: 'warehouse.storage_assignment',
    what: '200 items with affinity',
    config: (draw) => ({
      items: draw.list(200, () => ({ picks_per_day: draw.whole(1, 900) })),
      slots: draw.list(200, () => ({ distance: draw.whole(1, 200), x: draw.whole(0, 99), y: draw.whole(0, 99) })),
      affinity: draw.symmetric(200, () => Math.max(0, draw.whole(-20, 20))),
    }),
  },
  {
    model: 'warehouse.storage_assignment',
    what: '2,000 items in 10,000 slots',
    config: (draw) => ({
      items: draw.list(2_000, () => ({ picks_per_day: draw.whole(1, 90_000), slots: draw.whole(1, 5) })),
      slots: draw.list(10_000, () => ({ distance: draw.whole(1, 900) })),
      command: 'dual',
    }),
  },
  {
    model: 'warehouse.facility_location',
    what: '200 sites x 200 customers, single source, tight capacities',
    config: (draw) => ({
      facilities: draw.list(200, () => ({ fixed_cost: draw.whole(500, 4_000), capacity: draw.whole(200, 400) })),
      customers: draw.list(200, () => ({ demand: draw.whole(10, 100) })),
      assignment_costs: draw.matrix(200, 200, () => draw.whole(10, 9_000)),
      capacitated: true,
      single_source: true,
      max_facilities: 60,
    }),
  },
  {
    model: 'warehouse.facility_location',
    what: '40 sites x 1,000 customers, uncapacitated',
    config: (draw) => ({
      facilities: draw.list(40, () => ({ fixed_cost: draw.whole(50_000, 90_000) })),
      customers: draw.list(1_000, () => ({ demand: draw.whole(10, 100) })),
      assignment_costs: draw.matrix(1_000, 40, () => draw.whole(1_000, 2_000)),
    }),
  },
  {
    model: 'warehouse.layout',
    what: '200 facilities',
    config: (draw) => ({
      flow: draw.symmetric(200, () => Math.max(0, draw.whole(-50, 99))),
      distance: draw.symmetric(200, () => draw.whole(1, 99)),
    }),
  },
  {
    model: 'warehouse.picker_routing',
    what: '100 aisles, 5 cross aisles, 500 picks',
    config: (draw) => ({
      aisles: 100,
      aisle_length: 100,
      aisle_spacing: 3,
      cross_aisles: 5,
      picks: draw.list(500, () => ({ aisle: draw.whole(1, 100), position: draw.real(0, 100) })),
    }),
  },
  {
    model: 'warehouse.order_batching',
    what: '300 orders of 30 items, optimal tours',
    config: (draw) => ({
      orders: draw.list(300, () => ({
        items: draw.list(30, () => ({ aisle: draw.whole(1, 100), position: draw.real(0, 100) })),
      })),
      max_items_per_batch: 200,
      aisles: 100,
      aisle_length: 100,
      aisle_spacing: 3,
      cross_aisles: 3,
      routing: 'optimal',
    }),
  },
  {
    model: 'warehouse.order_batching',
    what: '300 orders, rule of thumb',
    config: (draw) => ({
      orders: draw.list(300, () => ({
        items: draw.list(30, () => ({ aisle: draw.whole(1, 100), position: draw.real(0, 100) })),
      })),
      max_items_per_batch: 1_000,
      aisles: 100,
      aisle_length: 100,
      aisle_spacing: 3,
      cross_aisles: 5,
      routing: 'largest_gap',
    }),
  },
  {
    model: 'warehouse.bin_packing',
    what: '1,000 items, three to a bin',
    config: (draw) => ({ bin_capacity: 100_000, item_sizes: draw.list(1_000, () => draw.whole(25_000, 49_000)) }),
  },
];

// --- ai_ml

const rowsOf = (draw: Draw, rows: number, columns: number): object => {
  const features = draw.matrix(rows, columns, () => draw.whole(-99, 99));
  return {
    features,
    target: features.map((row) => (row[0] + (row[1] * row[2]) / 50 + draw.normal(0, 30) > 0 ? 1 : 0)),
  };
};

const tuning =
  (learner: string, [rows, columns]: readonly [number, number], search_space: object, more: object = {}) =>
  (draw: Draw) => ({
    search_space,
    evaluator: { type: 'builtin', model: learner, dataset: rowsOf(draw, rows, columns), ...more },
  });
const float = (low: number, high: number): object => ({ type: 'float', low, high, log: true });
const int = (low: number, high: number): object => ({ type: 'int', low, high });

const AI_ML: LargestProblem[] = [
  {
    model: 'hyperparameter_tuning',
    what: 'knn, 5,000 rows x 190',
    config: tuning('knn', [5_000, 190], { k: int(1, 200) }),
  },
  {
    model: 'hyperparameter_tuning',
    what: 'logistic regression, 5,000 rows x 190',
    config: tuning('logistic_regression', [5_000, 190], { l2: float(1e-4, 1e3) }),
  },
  {
    model: 'hyperparameter_tuning',
    what: 'svm, 2,500 rows x 190',
    config: tuning('svm_rbf', [2_500, 190], { c: float(0.01, 1e4), gamma: float(1e-5, 1) }),
  },
  {
    model: 'hyperparameter_tuning',
    what: 'random forest, 5,000 rows x 190',
    config: tuning('random_forest', [5_000, 190], { trees: int(10, 200) }),
  },
  {
    model: 'hyperparameter_tuning',
    what: 'gradient boosting, 5,000 rows x 190',
    config: tuning('gradient_boosting', [5_000, 190], { trees: int(10, 500), learning_rate: float(0.01, 1) }),
  },
  {
    model: 'hyperparameter_tuning',
    what: 'mlp, 5,000 rows x 190',
    config: tuning('mlp', [5_000, 190], { learning_rate: float(1e-4, 0.1) }),
  },
  {
    model: 'hyperparameter_tuning',
    what: 'decision tree, 5,000 rows x 190',
    config: tuning('decision_tree', [5_000, 190], { max_depth: int(1, 50), min_samples_leaf: int(1, 100) }),
  },
  {
    model: 'hyperparameter_tuning',
    what: 'a table of 50,000 rows x 19 columns',
    config: (draw) => ({
      search_space: Object.fromEntries(draw.list(17, (k) => [`p${k}`, int(0, 9)])),
      evaluator: {
        type: 'tabular',
        metric: 'loss',
        columns: [...draw.list(17, (k) => `p${k}`), 'loss'],
        rows: draw.list(50_000, () => [...draw.list(17, () => draw.whole(0, 9)), draw.whole(0, 9_999)]),
      },
    }),
    maxEvaluations: 40_000,
  },
  {
    model: 'hyperparameter_tuning',
    what: 'Parzen estimators, 100,000 trials of 4 objectives in 30 parameters',
    config: (draw) => ({
      search_space: Object.fromEntries(draw.list(12, (k) => [`p${k}`, int(0, 9)])),
      sampler: 'tpe',
      objectives: ['a', 'b', 'c', 'd'],
      evaluator: {
        type: 'tabular',
        metric: 'a',
        columns: [...draw.list(12, (k) => `p${k}`), 'a', 'b', 'c', 'd'],
        rows: draw.list(50_000, () => [
          ...draw.list(12, () => draw.whole(0, 9)),
          ...draw.list(4, () => draw.whole(0, 999)),
        ]),
      },
    }),
  },
  {
    model: 'architecture_search',
    what: 'training of six layers on digits',
    config: () => ({
      search_space: {
        type: 'mlp',
        layers: { min: 1, max: 6 },
        units: [16, 32, 64, 128],
        activations: ['relu', 'tanh', 'sigmoid'],
        dropout: [0, 0.2, 0.4],
      },
      evaluator: { type: 'train', dataset: 'digits', epochs: 9, batch: 64, validation: { folds: 2 } },
      objectives: ['maximize_accuracy', 'minimize_params'],
    }),
  },
  {
    model: 'architecture_search',
    what: 'one training of 2e10 operations',
    config: () => ({
      search_space: { type: 'mlp', layers: { min: 2, max: 2 }, units: [256, 1_024], activations: ['relu'] },
      evaluator: { type: 'train', dataset: 'digits', epochs: 1, batch: 64 },
    }),
  },
  {
    model: 'architecture_search',
    what: 'a table of 50,000 architectures, bayesian',
    config: (draw) => ({
      search_space: { type: 'cell', edges: 40, choices: draw.list(10, (i) => `o${i}`) },
      evaluator: {
        type: 'tabular',
        metric: 'accuracy',
        table: {
          columns: ['code', 'accuracy', 'params', 'flops', 'latency_ms'],
          rows: draw.list(50_000, () => [
            draw.list(40, () => draw.whole(0, 9)).join(''),
            draw.real(50, 95),
            draw.whole(1, 99),
            draw.whole(1, 99),
            draw.whole(1, 99),
          ]),
        },
      },
      objectives: ['maximize_accuracy', 'minimize_params', 'minimize_flops', 'minimize_latency'],
      sampler: 'bayesian',
    }),
    maxEvaluations: 49_000,
  },
];

// --- marketing

const MARKETING: LargestProblem[] = [
  {
    model: 'campaign.offer_targeting',
    what: '2,000 segments x 10 offers, three offers each',
    config: (draw) => ({
      segments: draw.list(2_000, () => ({ size: draw.whole(10, 90_000) })),
      offers: draw.list(10, () => ({
        cost_per_contact: draw.real(0.05, 3),
        margin: draw.whole(5, 200),
        max_contacts: draw.whole(100_000, 900_000),
      })),
      propensity: draw.matrix(2_000, 10, () => draw.real(0, 0.2, 3)),
      budget: 900_000,
      max_offers_per_segment: 3,
      min_contacts: 500_000,
    }),
  },
  {
    model: 'campaign.assignment',
    what: '20 agents x 1,000 jobs of type D',
    config: (draw) => {
      const [agents, jobs] = [20, 1_000];
      const resources = draw.matrix(agents, jobs, () => draw.whole(1, 100));
      const values = resources.map((row) => row.map((own) => 111 - own + draw.whole(-10, 10)));
      return {
        sense: 'minimize',
        resources,
        values,
        capacities: resources.map((row) => Math.floor((0.8 * row.reduce((a, b) => a + b, 0)) / agents)),
      };
    },
  },
  {
    model: 'campaign.assignment',
    what: '200 agents x 100 jobs',
    config: (draw) => ({
      values: draw.matrix(200, 100, () => draw.whole(10, 50)),
      resources: draw.matrix(200, 100, () => draw.whole(5, 25)),
      capacities: draw.list(200, () => draw.whole(5, 12)),
    }),
  },
  {
    model: 'campaign.media_reach',
    what: '1,000 vehicles x 5,000 groups, frequency 3',
    config: (draw) => ({
      vehicles: draw.list(1_000, () => ({
        cost: draw.whole(10, 100),
        covers: [...new Set(draw.list(50, () => `g${draw.whole(0, 4_999)}`))],
      })),
      audience_groups: draw.list(5_000, (i) => ({ id: `g${i}`, size: draw.whole(1, 1_000) })),
      budget: 9_000,
      min_frequency: 3,
    }),
  },
  {
    model: 'campaign.keyword_bidding',
    what: '5,000 keywords, second price',
    config: (draw) => ({
      keywords: draw.list(5_000, () => ({
        value_per_click: draw.real(0.2, 9),
        max_clicks: draw.whole(10, 9_000),
        half_bid: draw.real(0.1, 4),
      })),
      budget: 900_000,
      pricing: 'second_price',
    }),
  },
  {
    model: 'campaign.send_schedule',
    what: '50 segments x 200 slots',
    config: (draw) => ({
      segments: draw.list(50, () => ({ size: draw.whole(10, 9_000), max_contacts: draw.whole(1, 9) })),
      slots: draw.list(200, (i) => ({ day: 1 + Math.floor(i / 4), capacity: draw.whole(2_000, 9_000) })),
      response: draw.matrix(50, 200, () => draw.real(0, 0.2, 3)),
      contacts_per_day: 15_000,
      min_days_between: 3,
      value_per_response: 12,
      cost_per_contact: 0.1,
    }),
  },
  {
    model: 'budget_allocation',
    what: '100 channels of S-shaped response',
    config: (draw) => ({
      budget: 1_000_000,
      channels: draw.list(100, () => ({
        response: {
          type: 'hill',
          max: draw.whole(1_000, 90_000),
          half_saturation: draw.whole(5_000, 90_000),
          shape: draw.real(1.2, 6),
        },
        adstock_decay: draw.real(0, 0.8),
      })),
    }),
  },
  {
    model: 'budget_allocation',
    what: '20 channels x 50 periods, S-shaped',
    config: (draw) => ({
      budget: 1_000_000,
      periods: draw.list(50, () => draw.real(0.5, 2)),
      channels: draw.list(20, () => ({
        response: {
          type: 'hill',
          max: draw.whole(1_000, 90_000),
          half_saturation: draw.whole(500, 9_000),
          shape: draw.real(1.2, 6),
        },
        adstock_decay: draw.real(0, 0.8),
      })),
    }),
  },
  {
    model: 'budget_allocation',
    what: 'curves fitted to 2,000 rows of 20 channels',
    config: (draw) => {
      const spend = Object.fromEntries(draw.list(20, (k) => [`c${k}`, draw.list(2_000, () => draw.whole(0, 9_000))]));
      return {
        budget: 90_000,
        channels: draw.list(20, (k) => ({ id: `c${k}` })),
        history: {
          curve: 'hill',
          spend,
          outcome: draw.list(2_000, (t) =>
            rounded(
              Object.values(spend).reduce((sum, own, k) => sum + (40 * (k + 1) * own[t]) / (own[t] + 3_000), 500) +
                draw.normal(0, 50),
              1,
            ),
          ),
        },
      };
    },
  },
  {
    model: 'budget_allocation',
    what: '100 channels of 500 points each',
    config: (draw) => ({
      budget: 100_000,
      channels: draw.list(100, () => ({
        response: { type: 'points', points: draw.list(500, (i) => [i * 20, i * 10 + draw.whole(0, 9)]) },
      })),
    }),
  },
  {
    model: 'pricing.single_product',
    what: '1,000 observed points, 100 endings',
    config: (draw) => ({
      demand: { type: 'points', points: draw.list(1_000, (i) => [1 + i, 100_000 - i * 90 - draw.whole(0, 60)]) },
      unit_cost: 12,
      price_endings: draw.list(100, (i) => rounded(i / 100, 2)),
      capacity: 50_000,
    }),
  },
  {
    model: 'pricing.multinomial_logit',
    what: '1,000 products with price limits',
    config: (draw) => ({
      products: draw.list(1_000, () => ({ attractiveness: draw.real(-2, 6), unit_cost: draw.real(1, 60) })),
      price_sensitivity: 0.1,
      market_size: 90_000,
      max_prices: draw.list(1_000, () => draw.real(61, 140)),
    }),
  },
  {
    model: 'pricing.linear_demand_system',
    what: '200 products with price limits',
    config: (draw) => ({
      intercepts: draw.list(200, () => draw.whole(500, 2_000)),
      slope_matrix: draw.matrix(200, 200, (i, j) => (i === j ? draw.real(30, 50, 1) : draw.real(-0.1, 0, 2))),
      unit_costs: draw.list(200, () => draw.real(1, 10)),
      min_prices: draw.list(200, () => draw.real(1, 12)),
      max_prices: draw.list(200, () => draw.real(13, 40)),
    }),
  },
  {
    model: 'pricing.dynamic_pricing',
    what: '1,000 units, 400 periods, 20 prices',
    config: (draw) => ({
      demand: {
        type: 'price_list',
        prices: draw.list(20, (i) => 10 + 5 * i),
        mean_demand: draw.matrix(400, 20, (_, j) => rounded(900 * Math.exp(-j / 6) * draw.real(0.5, 1.5), 1)),
      },
      inventory: 1_000,
      horizon: 400,
    }),
  },
  {
    model: 'pricing.dynamic_pricing',
    what: '1,000 units, 400 periods alike',
    config: (draw) => ({
      demand: {
        type: 'price_list',
        prices: draw.list(20, (i) => 10 + 5 * i),
        mean_demand: [draw.list(20, (j) => rounded(9 * Math.exp(-j / 6), 2))],
      },
      inventory: 1_000,
      horizon: 400,
    }),
  },
  {
    model: 'pricing.markdown',
    what: '104 periods, 30 prices',
    config: (draw) => ({
      periods: 104,
      inventory: 90_000,
      price_ladder: draw.list(30, (i) => 100 - 2.5 * i),
      base_demand: draw.list(104, () => draw.real(10, 900)),
      elasticity: -2.2,
      salvage_value: 3,
    }),
  },
  {
    model: 'pricing.assortment',
    what: '5,000 products, 60 at most',
    config: (draw) => ({
      products: draw.list(5_000, () => ({ margin: draw.real(1, 90), weight: draw.real(0.01, 3) })),
      no_purchase_weight: 20,
      max_products: 60,
    }),
  },
];

export const LARGEST: readonly LargestProblem[] = [
  ...FINANCIAL,
  ...HEALTHCARE,
  ...SUPPLY_CHAIN,
  ...AI_ML,
  ...MARKETING,
];
