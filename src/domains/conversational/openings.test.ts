/** First messages as different people write them, with what must be read out of them at once. */
import { describe, expect, test } from 'vitest';
import { solveConfig } from '../../../test/support/problems.js';
import type { Json } from '../../model/problem.js';
import { PROBLEM_TYPES } from '../registry.js';
import { beginConversation, continueConversation } from './conversation.js';

type Opening = readonly [text: string, type: string, model: string | null, values: Readonly<Record<string, Json>>];

const OPENINGS: readonly Opening[] = [
  [
    "our workshop goes through roughly 4,800 filters per year. the supplier adds a flat £60 to every delivery and we reckon it costs £1.50 to keep a filter on the rack for twelve months. what's the sensible order size?",
    'inventory',
    'eoq',
    { demand_rate: 4800, fixed_cost: 60, holding_cost: 1.5 },
  ],
  [
    'Weekly usage 75 bottles, purchase order costs 20 EUR, bottle price 9 EUR, carrying cost 20% per annum. EOQ please',
    'inventory',
    'eoq',
    { demand_rate: 3900, fixed_cost: 20, unit_cost: 9, holding_cost_rate: 0.2 },
  ],
  [
    'I run a flower stall. A bunch costs me $6, I sell for $15 and what is unsold at closing goes for $2. Typically about 40 people ask for one, standard deviation 9.',
    'inventory',
    'newsvendor',
    { price: 15, unit_cost: 6, salvage_value: 2, 'demand.mean': 40, 'demand.sd': 9 },
  ],
  [
    'We print festival programmes once. Cost 2 dollars each, sold at 7 dollars, leftovers are worthless. Demand somewhere between 1000 and 3000.',
    'inventory',
    'newsvendor',
    { price: 7, unit_cost: 2, salvage_value: 0, demand: { distribution: 'uniform', low: 1000, high: 3000 } },
  ],
  [
    'customers are willing to wait if we run out, a backorder costs us about $12 per unit per year. yearly demand 6000, order costs $90, holding $4',
    'inventory',
    'eoq_backorder',
    { demand_rate: 6000, fixed_cost: 90, holding_cost: 4, stockout_cost: 12 },
  ],
  [
    'Need a Simon two-stage design: p0=0.2, p1=0.4, alpha=0.1, power=0.9',
    'clinical_trial_design',
    'simon_two_stage',
    { p0: 0.2, p1: 0.4, alpha: 0.1, power: 0.9 },
  ],
  [
    'How many patients per arm do I need to show that our drug lowers blood pressure by 6 mmHg versus placebo, if the standard deviation is 14 and I want 90% power?',
    'clinical_trial_design',
    'fixed',
    { endpoint: 'continuous', mean_difference: 6, standard_deviation: 14, power: 0.9 },
  ],
  [
    'randomised trial, cure rate 55% with usual care, hoping for 70% with the new antibiotic, two-sided 5% alpha, power 80%',
    'clinical_trial_design',
    'fixed',
    { endpoint: 'binary', p_control: 0.55, p_treatment: 0.7, alpha: 0.05, power: 0.8, sides: 2 },
  ],
  [
    'Overall survival trial, we expect the treatment to reduce the hazard by 25%. Power ninety percent. Two patients on treatment for each control, 2:1 randomisation',
    'clinical_trial_design',
    'fixed',
    { endpoint: 'survival', hazard_reduction: 0.25, power: 0.9, allocation_ratio: 2 },
  ],
  [
    'group sequential trial with four looks and Pocock boundaries, one-sided alpha 2.5%',
    'clinical_trial_design',
    'group_sequential',
    { looks: 4, boundary: 'pocock', alpha: 0.025, sides: 1 },
  ],
  [
    'I have 3 funds: Global Equity (expected return 7%, volatility 15%), Govt Bonds (2.5%, 5%) and Gold (4%, 16%). They correlate at about 0.1. I want the least risk possible.',
    'portfolio',
    null,
    {
      objective: 'min_volatility',
      correlation: 0.1,
      assets: [
        { id: 'Global Equity', expected_return: 0.07, volatility: 0.15 },
        { id: 'Govt Bonds', expected_return: 0.025, volatility: 0.05 },
        { id: 'Gold', expected_return: 0.04, volatility: 0.16 },
      ],
    },
  ],
  [
    'how should i divide my pension between shares (9% return, 20% vol) and bonds (3%, 7%)? never more than 60 percent in one',
    'portfolio',
    null,
    {
      max_weight: 0.6,
      assets: [
        { id: 'shares', expected_return: 0.09, volatility: 0.2 },
        { id: 'bonds', expected_return: 0.03, volatility: 0.07 },
      ],
    },
  ],
  [
    'A wheat farmer wants to hedge a harvest of 150,000 bushels. Futures contracts are for 5,000 bushels. Spot standard deviation 0.042, futures standard deviation 0.05, correlation 0.88',
    'risk_management',
    'hedge_ratio',
    {
      exposure_units: 150000,
      contract_size: 5000,
      spot_volatility: 0.042,
      futures_volatility: 0.05,
      correlation: 0.88,
    },
  ],
  [
    'I win 6 out of 10 bets and the bookmaker pays 0.9 to 1. How much of my bankroll should I stake?',
    'trading_strategy',
    'kelly_sizing',
    { win_probability: 0.6, win_loss_ratio: 0.9 },
  ],
  [
    'My trading system is right 45% of the time, average winner is $300 and average loser is $200. What Kelly fraction?',
    'trading_strategy',
    'kelly_sizing',
    { win_probability: 0.45, average_win: 300, average_loss: 200 },
  ],
  [
    'we must liquidate 500,000 shares over 10 days in 10 trades; daily volatility is $0.80 per share, temporary impact 1e-6, risk aversion 1e-6',
    'trading_strategy',
    'optimal_execution',
    {
      shares: 500000,
      horizon_days: 10,
      intervals: 10,
      volatility_per_day: 0.8,
      temporary_impact: 0.000001,
      risk_aversion: 0.000001,
    },
  ],
  [
    'Vancomycin for an adult: volume of distribution 49 litres, clearance 4.5 L/h, infused over 1.5 hours every 12 hours, AUC24 target of 500',
    'treatment_protocol',
    'pk_dosing',
    {
      volume_l: 49,
      clearance_l_h: 4.5,
      infusion_h: 1.5,
      interval_h: 12,
      target_auc24_mg_h_l: 500,
      route: 'iv_infusion',
    },
  ],
  [
    'gentamicin bolus, patient weighs 70 kg, Vd 0.25 L/kg, half-life 2.5 hours, want peak of 10 mg/L and trough of 1 mg/L',
    'treatment_protocol',
    'pk_dosing',
    {
      weight_kg: 70,
      volume_l_kg: 0.25,
      half_life_h: 2.5,
      target_peak_mg_l: 10,
      target_trough_mg_l: 1,
      route: 'iv_bolus',
    },
  ],
  [
    'What fractionation for a tumour with alpha/beta 10 Gy when the cord has alpha/beta 2 Gy, gets 60% of the dose and tolerates a BED of 80 Gy? At most 30 fractions.',
    'treatment_protocol',
    'fractionation',
    {
      tumour_alpha_beta_gy: 10,
      oar_alpha_beta_gy: 2,
      oar_sparing_factor: 0.6,
      oar_bed_limit_gy: 80,
      max_fractions: 30,
    },
  ],
  [
    'One truck with room for 40 crates starts at the bakery (5,5). Drops: Miller (1,2) 8 crates, Jones (9,4) 12 crates, Lee (3,8) 10 crates',
    'vehicle_routing',
    null,
    {
      depot: { x: 5, y: 5 },
      'vehicles.count': 1,
      'vehicles.capacity': 40,
      customers: [
        { id: 'Miller', x: 1, y: 2, demand: 8 },
        { id: 'Jones', x: 9, y: 4, demand: 12 },
        { id: 'Lee', x: 3, y: 8, demand: 10 },
      ],
    },
  ],
  [
    'How few boxes holding 20 kg each do I need for parcels of 12, 9, 8, 7, 6, 5 and 3 kg?',
    'warehouse',
    'bin_packing',
    { bin_capacity: 20, item_sizes: [12, 9, 8, 7, 6, 5, 3] },
  ],
  [
    'cut 6 m stock lengths into pieces: 4 pieces of 1.8 m, 3 pieces of 2.4 m and 5 pieces of 1.2 m',
    'warehouse',
    'bin_packing',
    { bin_capacity: 6, item_sizes: [1.8, 1.8, 1.8, 1.8, 2.4, 2.4, 2.4, 1.2, 1.2, 1.2, 1.2, 1.2] },
  ],
  [
    'Find the best ridge penalty between 0.01 and 100 on the diabetes data with leave-one-out',
    'hyperparameter_tuning',
    null,
    {
      'evaluator.model': 'ridge',
      'evaluator.dataset': 'diabetes',
      'evaluator.validation': 'leave_one_out',
      search_space: { alpha: { type: 'float', low: 0.01, high: 100, log: true } },
    },
  ],
  [
    'Tune a random forest for the wine dataset, depth from 2 to 10 and 50 to 300 trees, 5-fold cross validation',
    'hyperparameter_tuning',
    null,
    { 'evaluator.model': 'random_forest', 'evaluator.dataset': 'wine', 'evaluator.validation': { folds: 5 } },
  ],
  [
    'search a neural network architecture for digits: 1 to 3 hidden layers with 16, 32 or 64 units, relu or tanh',
    'architecture_search',
    null,
    {
      'evaluator.dataset': 'digits',
      'search_space.layers': { min: 1, max: 3 },
      'search_space.units': [16, 32, 64],
      'search_space.activations': ['relu', 'tanh'],
    },
  ],
  [
    'Marketing has 120k euros per quarter. Email cost 10k and brought 900 orders, Google Ads 60k for 2400 orders, Radio 50k for 1000 orders. Where should the money go?',
    'budget_allocation',
    null,
    {
      budget: 120000,
      channels: [
        { id: 'Email', current_spend: 10000, current_response: 900 },
        { id: 'Google Ads', current_spend: 60000, current_response: 2400 },
        { id: 'Radio', current_spend: 50000, current_response: 1000 },
      ],
    },
  ],
  [
    'ad budget of $8,000 a month for TikTok and YouTube, no more than 70% on TikTok. TikTok $5000 -> 150 signups, YouTube $3000 -> 120 signups',
    'budget_allocation',
    null,
    {
      budget: 8000,
      max_share: { tiktok: 0.7 },
      channels: [
        { id: 'TikTok', current_spend: 5000, current_response: 150 },
        { id: 'YouTube', current_spend: 3000, current_response: 120 },
      ],
    },
  ],
  [
    'At 12 dollars we sold 340 candles last month, at 15 dollars only 250. A candle costs 5 dollars to make. Best price?',
    'pricing',
    'single_product',
    {
      unit_cost: 5,
      points: [
        [12, 340],
        [15, 250],
      ],
    },
  ],
  [
    'price elasticity is about -2.2, today I sell 1000 units at $50 and each costs me $22. Which price gives most profit?',
    'pricing',
    'single_product',
    { elasticity: -2.2, unit_cost: 22, points: [[50, 1000]] },
  ],
  [
    'demand is 500 - 4 * price, my unit cost is 30. What should I charge?',
    'pricing',
    'single_product',
    { unit_cost: 30, demand: { type: 'linear', intercept: 500, slope: 4 } },
  ],
  [
    "Hello! I'm responsible for purchasing printer toner at a school. We use up 30 cartridges every month. Whatever we order, the vendor bills 25 dollars for shipping. Storage runs about 2 dollars per cartridge per year.",
    'inventory',
    'eoq',
    { demand_rate: 360, fixed_cost: 25, holding_cost: 2 },
  ],
  [
    'annual requirement 12 000 valves, set-up per purchase 150 CHF, each valve is worth 40 CHF, interest and storage 18%',
    'inventory',
    'eoq',
    { demand_rate: 12000, fixed_cost: 150, unit_cost: 40, holding_cost_rate: 0.18 },
  ],
  [
    'Our line makes 500 widgets a day while we only need 200 a day. A changeover costs $320 and holding a widget for a year is $6. Which batch size?',
    'inventory',
    'epq',
    { production_rate: 182500, demand_rate: 73000, fixed_cost: 320, holding_cost: 6 },
  ],
  [
    'Christmas trees: purchase at 11, sell at 35, after the 24th they are thrown away. Last years mean 220 with a std of 45',
    'inventory',
    'newsvendor',
    { price: 35, unit_cost: 11, salvage_value: 0, 'demand.mean': 220, 'demand.sd': 45 },
  ],
  [
    'how many sandwiches should I prepare? each one short costs me 3 euros in lost profit and each one too many costs 1.40. expected demand 85, sd 12',
    'inventory',
    'newsvendor',
    { stockout_cost: 3, holding_cost: 1.4, 'demand.mean': 85, 'demand.sd': 12 },
  ],
  [
    'Single-arm phase 2 study in sarcoma, historical control rate 5%, target 20%, type I error 10%, type II error 10%, I would like the minimax version',
    'clinical_trial_design',
    'simon_two_stage',
    { p0: 0.05, p1: 0.2, alpha: 0.1, beta: 0.1, criterion: 'minimax' },
  ],
  [
    'sample size for comparing two diets: we expect 3 kg more weight loss, sd 8 kg, alpha five percent',
    'clinical_trial_design',
    'fixed',
    { endpoint: 'continuous', mean_difference: 3, standard_deviation: 8, alpha: 0.05 },
  ],
  [
    'vaccine study: 2% infections on placebo, 1% vaccinated, power .9, 10% dropout',
    'clinical_trial_design',
    'fixed',
    { endpoint: 'binary', p_control: 0.02, p_treatment: 0.01, power: 0.9, dropout: 0.1 },
  ],
  [
    'Time-to-event trial with a hazard ratio of 0.8, 85% power, one sided 0.025',
    'clinical_trial_design',
    'fixed',
    { endpoint: 'survival', hazard_ratio: 0.8, power: 0.85, alpha: 0.025, sides: 1 },
  ],
  [
    "we want two interim analyses plus the final one with O'Brien-Fleming limits and 90% power",
    'clinical_trial_design',
    'group_sequential',
    { interims: 2, boundary: 'obrien_fleming', power: 0.9 },
  ],
  [
    'phase I dose escalation with BOIN, target toxicity 25 percent, cohorts of 3, up to 36 patients',
    'clinical_trial_design',
    'boin',
    { target_toxicity: 0.25, cohort_size: 3, max_n: 36 },
  ],
  [
    'Split my investments: VWRL 6.5%/16%, AGGH 2.8%/6%, and REITs 5.5%/19%. Correlation 0.4. risk-free 1.5%. Maximise the Sharpe ratio',
    'portfolio',
    null,
    {
      correlation: 0.4,
      risk_free_rate: 0.015,
      objective: 'max_sharpe',
      assets: [
        { id: 'VWRL', expected_return: 0.065, volatility: 0.16 },
        { id: 'AGGH', expected_return: 0.028, volatility: 0.06 },
        { id: 'REITs', expected_return: 0.055, volatility: 0.19 },
      ],
    },
  ],
  [
    "I'm retired and want a return of at least 5 percent with as little risk as possible from equities (8 percent return with 17 percent volatility) and bonds (3 percent return with 5 percent volatility)",
    'portfolio',
    null,
    {
      target_return: 0.05,
      assets: [
        { id: 'equities', expected_return: 0.08, volatility: 0.17 },
        { id: 'bonds', expected_return: 0.03, volatility: 0.05 },
      ],
    },
  ],
  [
    'Minimum variance hedge for 60,000 barrels of crude. One contract is 1,000 barrels. sigma spot 2.1%, sigma futures 2.4%, rho = 0.95',
    'risk_management',
    'hedge_ratio',
    {
      exposure_units: 60000,
      contract_size: 1000,
      spot_volatility: 0.021,
      futures_volatility: 0.024,
      correlation: 0.95,
    },
  ],
  [
    'Coin toss game: 52% heads wins, payout 1:1. Optimal Kelly bet?',
    'trading_strategy',
    'kelly_sizing',
    { win_probability: 0.52, win_loss_ratio: 1 },
  ],
  [
    'In poker I come out ahead one time in three but then I win three times what I put in. how much should i risk each time?',
    'trading_strategy',
    'kelly_sizing',
    { win_probability: 0.3333333333333333, win_loss_ratio: 3 },
  ],
  [
    'Sell 2 million shares within a week of 5 trading days, 20 slices, sigma 1.2 dollars a day, eta 3e-6, gamma 3e-7, lambda 1e-6',
    'trading_strategy',
    'optimal_execution',
    {
      shares: 2000000,
      horizon_days: 5,
      intervals: 20,
      volatility_per_day: 1.2,
      temporary_impact: 0.000003,
      permanent_impact: 3e-7,
      risk_aversion: 0.000001,
    },
  ],
  [
    'Oral drug, V = 40 L, CL = 3 L/h, ka 1.1 per hour, bioavailability 75%, peak 12 mg/L, trough 4 mg/L',
    'treatment_protocol',
    'pk_dosing',
    {
      volume_l: 40,
      clearance_l_h: 3,
      absorption_rate_per_h: 1.1,
      bioavailability: 0.75,
      target_peak_mg_l: 12,
      target_trough_mg_l: 4,
      route: 'oral',
    },
  ],
  [
    'aminoglycoside: clearance 85 mL/min, volume 18 L, aim for a peak of 9 mcg/mL and a trough of 0.8 mcg/mL, bolus',
    'treatment_protocol',
    'pk_dosing',
    { volume_l: 18, clearance_l_h: 5.1, target_peak_mg_l: 9, target_trough_mg_l: 0.8, route: 'iv_bolus' },
  ],
  [
    'Prostate radiotherapy. tumour a/b 1.5 Gy, rectum alpha-beta 3 Gy, sparing factor 0.75, BED limit for the rectum 90 Gy, max 39 fractions',
    'treatment_protocol',
    'fractionation',
    {
      tumour_alpha_beta_gy: 1.5,
      oar_alpha_beta_gy: 3,
      oar_sparing_factor: 0.75,
      oar_bed_limit_gy: 90,
      max_fractions: 39,
    },
  ],
  [
    "I've got three lorries that carry 12 pallets each, home base at (10, 10). Customers: Alpha at (12, 15) wants 5 pallets, Beta at (3, 8) wants 7 pallets, Gamma at (18, 4) wants 6 pallets, Delta at (9, 20) wants 4 pallets",
    'vehicle_routing',
    null,
    {
      depot: { x: 10, y: 10 },
      'vehicles.count': 3,
      'vehicles.capacity': 12,
      customers: [
        { id: 'Alpha', x: 12, y: 15, demand: 5 },
        { id: 'Beta', x: 3, y: 8, demand: 7 },
        { id: 'Gamma', x: 18, y: 4, demand: 6 },
        { id: 'Delta', x: 9, y: 20, demand: 4 },
      ],
    },
  ],
  [
    'shortest tour for one courier bike from the office at 0, 0 to (3,4), (6,1), (2,7) and back, no capacity limit',
    'vehicle_routing',
    null,
    {
      depot: { x: 0, y: 0 },
      'vehicles.count': 1,
      'vehicles.capacity': null,
      customers: [
        { x: 3, y: 4 },
        { x: 6, y: 1 },
        { x: 2, y: 7 },
      ],
    },
  ],
  [
    'USB sticks hold 16 GB. Backups are 9, 7, 6, 5, 4 and 3 GB. How many sticks?',
    'warehouse',
    'bin_packing',
    { bin_capacity: 16, item_sizes: [9, 7, 6, 5, 4, 3] },
  ],
  [
    'my trailer can carry 1.5 t per trip. machines weigh 700 kg, 650 kg, 400 kg, 380 kg, 300 kg and 250 kg. fewest trips?',
    'warehouse',
    'bin_packing',
    { bin_capacity: 1.5, item_sizes: [700, 650, 400, 380, 300, 250] },
  ],
  [
    'Promotion money: 25,000 pounds. Flyers: 5,000 pounds -> 60 bookings; Instagram: 12,000 pounds -> 220 bookings; local radio: 8,000 pounds -> 90 bookings. Each channel at least 10%.',
    'budget_allocation',
    null,
    {
      budget: 25000,
      min_share: { '*': 0.1 },
      channels: [
        { id: 'Flyers', current_spend: 5000, current_response: 60 },
        { id: 'Instagram', current_spend: 12000, current_response: 220 },
        { id: 'local radio', current_spend: 8000, current_response: 90 },
      ],
    },
  ],
  [
    'We spend $40k on LinkedIn and get 310 leads, $25k on webinars which gave 180 leads. Next quarter the budget is $80k. How to split?',
    'budget_allocation',
    null,
    {
      budget: 80000,
      channels: [
        { id: 'LinkedIn', current_spend: 40000, current_response: 310 },
        { id: 'webinars', current_spend: 25000, current_response: 180 },
      ],
    },
  ],
  [
    'Yoga classes: when I charged 14 euros, 52 people came per week; at 18 euros 36 came. Cost per participant is 3 euros and the room holds 60.',
    'pricing',
    'single_product',
    {
      unit_cost: 3,
      points: [
        [14, 52],
        [18, 36],
      ],
      capacity: 60,
    },
  ],
  [
    'We sell 2,000 licences at $99; with $129 we sold 1,400. Marginal cost is $10. I care about revenue.',
    'pricing',
    'single_product',
    {
      unit_cost: 10,
      points: [
        [99, 2000],
        [129, 1400],
      ],
    },
  ],
  [
    'I have some data of customer segments and want to decide which offer each segment gets in our next campaign',
    'campaign',
    'offer_targeting',
    {},
  ],
  [
    'Which of my research projects should go into the drug pipeline, given their costs and probability of success?',
    'drug_discovery',
    'pipeline_portfolio',
    {},
  ],
  [
    "Dear sir or madam, my pharmacy dispenses on average 18 boxes of insulin needles each week. Every time the wholesaler comes it's another 12 quid, and money tied up plus fridge space come to around 90 pence per box per year. Could you work out the ideal order?",
    'inventory',
    'eoq',
    { demand_rate: 936, fixed_cost: 12, holding_cost: 0.9 },
  ],
  [
    'demand 50k/yr, K = $400, unit price $8, h = 30%',
    'inventory',
    'eoq',
    { demand_rate: 50000, fixed_cost: 400, unit_cost: 8, holding_cost_rate: 0.3 },
  ],
  [
    'Ice cream van: cones cost me forty pence, I charge two pounds fifty, melted ones are worthless. On a sunny day 200 people come, plus or minus 50.',
    'inventory',
    'newsvendor',
    { price: 2.5, unit_cost: 0.4, salvage_value: 0, 'demand.mean': 200, 'demand.sd': 50 },
  ],
  [
    'i order tshirts for a concert. wholesale 9 bucks, retail 25, leftover ones go to an outlet for 4. no clue how many but between 300 and 700 I think',
    'inventory',
    'newsvendor',
    { price: 25, unit_cost: 9, salvage_value: 4, demand: { distribution: 'uniform', low: 300, high: 700 } },
  ],
  [
    'If we are out of stock the clients accept to wait, each waiting unit costs 30 a year. 2400 units yearly, 100 per order, holding 10 per unit',
    'inventory',
    'eoq_backorder',
    { stockout_cost: 30, demand_rate: 2400, fixed_cost: 100, holding_cost: 10 },
  ],
  [
    'My machine can produce 1,000 bottles per week, I sell 600 per week. Setting it up takes 80 euros each run. Stock keeping 0.5 euro per bottle and year.',
    'inventory',
    'epq',
    { production_rate: 52000, demand_rate: 31200, fixed_cost: 80, holding_cost: 0.5 },
  ],
  [
    'single group trial in lymphoma. a response rate of 15% or less is not interesting, 35% would be great. usual alpha of 5% and 90% power',
    'clinical_trial_design',
    'simon_two_stage',
    { p0: 0.15, p1: 0.35, alpha: 0.05, power: 0.9 },
  ],
  [
    'I need to compare mean cholesterol in two groups. Clinically relevant difference 0.4 mmol/L, SD 1.1, 80% power at the 5% level two-sided',
    'clinical_trial_design',
    'fixed',
    { endpoint: 'continuous', mean_difference: 0.4, standard_deviation: 1.1, power: 0.8, alpha: 0.05, sides: 2 },
  ],
  [
    'We hope our smoking cessation app raises quit rates from 12% to 18%. How many participants per group?',
    'clinical_trial_design',
    'fixed',
    { endpoint: 'binary', p_control: 0.12, p_treatment: 0.18 },
  ],
  [
    'hr 0.65, alpha 0.05 two sided, power 0.9, survival endpoint, 70% will have the event',
    'clinical_trial_design',
    'fixed',
    { endpoint: 'survival', hazard_ratio: 0.65, alpha: 0.05, power: 0.9, event_probability: 0.7, sides: 2 },
  ],
  [
    'Design with 5 looks at the data, same threshold every time (Pocock), to stop the trial early',
    'clinical_trial_design',
    'group_sequential',
    { looks: 5, boundary: 'pocock' },
  ],
  [
    'Three assets. Tech shares: return 12%, risk 28%. Utilities: return 6%, risk 13%. Cash bonds: return 2%, risk 3%. Nothing above 40%.',
    'portfolio',
    null,
    {
      max_weight: 0.4,
      assets: [
        { id: 'Tech shares', expected_return: 0.12, volatility: 0.28 },
        { id: 'Utilities', expected_return: 0.06, volatility: 0.13 },
        { id: 'Cash bonds', expected_return: 0.02, volatility: 0.03 },
      ],
    },
  ],
  [
    'what mix of bitcoin and treasuries? bitcoin might do 30 percent a year but swings 70 percent, treasuries 4 percent with 6 percent. correlation zero',
    'portfolio',
    null,
    {
      correlation: 0,
      assets: [
        { id: 'bitcoin', expected_return: 0.3, volatility: 0.7 },
        { id: 'treasuries', expected_return: 0.04, volatility: 0.06 },
      ],
    },
  ],
  [
    'Our roaster buys 375,000 lb of coffee in spring, ICE contract size 37,500 lb, correlation between our price and the future is .9, spot vol .03, futures vol .036. Hedge?',
    'risk_management',
    'hedge_ratio',
    {
      exposure_units: 375000,
      contract_size: 37500,
      correlation: 0.9,
      spot_volatility: 0.03,
      futures_volatility: 0.036,
    },
  ],
  [
    'Trades work out 38% of the time but winners are twice as large as losers; which share of capital should be put on each according to Kelly?',
    'trading_strategy',
    'kelly_sizing',
    { win_probability: 0.38, win_loss_ratio: 2 },
  ],
  [
    'betting on horses: chance of winning about one in five, decimal odds 6.5',
    'trading_strategy',
    'kelly_sizing',
    { win_probability: 0.2, win_loss_ratio: 5.5 },
  ],
  [
    'How should we unwind a block of 300k shares in 4 days using 8 child orders? price moves 0.6 dollars daily, temporary impact 2e-6, permanent impact 1e-7, risk aversion 5e-6',
    'trading_strategy',
    'optimal_execution',
    {
      shares: 300000,
      horizon_days: 4,
      intervals: 8,
      volatility_per_day: 0.6,
      temporary_impact: 0.000002,
      permanent_impact: 1e-7,
      risk_aversion: 0.000005,
    },
  ],
  [
    'phenytoin? no: theophylline. Volume 0.5 L/kg, weight 80kg, clearance 2.8 L/h, keep concentrations between trough 8 mg/L and peak 16 mg/L with iv push',
    'treatment_protocol',
    'pk_dosing',
    {
      volume_l_kg: 0.5,
      weight_kg: 80,
      clearance_l_h: 2.8,
      target_trough_mg_l: 8,
      target_peak_mg_l: 16,
      route: 'iv_bolus',
    },
  ],
  [
    'Give me a dosing interval: Cmax 30 ug/mL, Cmin 10 ug/mL, Vd 20 litres, CL 80 ml/min',
    'treatment_protocol',
    'pk_dosing',
    { target_peak_mg_l: 30, target_trough_mg_l: 10, volume_l: 20, clearance_l_h: 4.8 },
  ],
  [
    'lung tumour alpha/beta = 10 Gy, late reacting tissue 3 Gy, the organ receives 50 percent of the dose, its BED must stay below 60 Gy, no more than 20 sessions',
    'treatment_protocol',
    'fractionation',
    {
      tumour_alpha_beta_gy: 10,
      oar_alpha_beta_gy: 3,
      oar_sparing_factor: 0.5,
      oar_bed_limit_gy: 60,
      max_fractions: 20,
    },
  ],
  [
    'Route planning: two trucks, capacity 1000 kg each; warehouse (0,0); shop1 (10,5) 400 kg; shop2 (-3,8) 300 kg; shop3 (6,-7) 500 kg; shop4 (-9,-2) 450 kg',
    'vehicle_routing',
    null,
    {
      depot: { x: 0, y: 0 },
      'vehicles.count': 2,
      'vehicles.capacity': 1000,
      customers: [
        { id: 'shop1', x: 10, y: 5, demand: 400 },
        { id: 'shop2', x: -3, y: 8, demand: 300 },
        { id: 'shop3', x: 6, y: -7, demand: 500 },
        { id: 'shop4', x: -9, y: -2, demand: 450 },
      ],
    },
  ],
  [
    'Deliver meals with 4 bikes from the kitchen at (2,2), every bike fits 6 meals.\nid,x,y,demand\nHill,4,9,2\nPark,7,3,3\nLake,1,6,4\nMill,8,8,2',
    'vehicle_routing',
    null,
    {
      depot: { x: 2, y: 2 },
      'vehicles.count': 4,
      'vehicles.capacity': 6,
      customers: [
        { id: 'Hill', x: 4, y: 9, demand: 2 },
        { id: 'Park', x: 7, y: 3, demand: 3 },
        { id: 'Lake', x: 1, y: 6, demand: 4 },
        { id: 'Mill', x: 8, y: 8, demand: 2 },
      ],
    },
  ],
  [
    'moving house: boxes of 14, 13, 11, 9, 9, 6 and 4 kg must go into suitcases limited to 23 kg. smallest number of suitcases?',
    'warehouse',
    'bin_packing',
    { bin_capacity: 23, item_sizes: [14, 13, 11, 9, 9, 6, 4] },
  ],
  [
    'Steel bars come in lengths of 12 metres. I have to cut 6 bars of 5 m and 8 bars of 3.5 m. How many do I buy?',
    'warehouse',
    'bin_packing',
    { bin_capacity: 12, item_sizes: [5, 5, 5, 5, 5, 5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5] },
  ],
  [
    'Which channels deserve more? Last month: search ads cost 9k and yielded 360 orders, affiliates cost 4k and yielded 120 orders, newsletters cost 1k and yielded 80 orders. Total next month 15k.',
    'budget_allocation',
    null,
    {
      budget: 15000,
      channels: [
        { id: 'search ads', current_spend: 9000, current_response: 360 },
        { id: 'affiliates', current_spend: 4000, current_response: 120 },
        { id: 'newsletters', current_spend: 1000, current_response: 80 },
      ],
    },
  ],
  [
    'channel,spend,leads\nGoogle,20000,500\nMeta,10000,220\nTV,30000,300\nPlease distribute 70k better',
    'budget_allocation',
    null,
    {
      budget: 70000,
      channels: [
        { id: 'Google', current_spend: 20000, current_response: 500 },
        { id: 'Meta', current_spend: 10000, current_response: 220 },
        { id: 'TV', current_spend: 30000, current_response: 300 },
      ],
    },
  ],
  [
    'I have a consulting firm and 30 thousand dollars for advertising on podcasts, conferences and LinkedIn. At most half for conferences.',
    'budget_allocation',
    null,
    { budget: 30000, max_share: { conferences: 0.5 } },
  ],
  [
    'We priced our app at $4.99 and had 8,000 downloads a month, then at $6.99 and had 5,500. It costs us nothing to serve one more. Optimal price?',
    'pricing',
    'single_product',
    {
      points: [
        [4.99, 8000],
        [6.99, 5500],
      ],
      unit_cost: 0,
    },
  ],
  [
    'Museum ticket price. 10 euros brings 900 visitors a day and 13 euros 690 visitors. Each visitor costs us 1 euro. Not above 15 euros please.',
    'pricing',
    'single_product',
    {
      points: [
        [10, 900],
        [13, 690],
      ],
      unit_cost: 1,
      max_price: 15,
    },
  ],
  [
    'is there a way to plan which warehouses to open and which customers they serve?',
    'warehouse',
    'facility_location',
    {},
  ],
  [
    "Hey, café owner here. Beans: we get through 12 kg a week, roaster charges a 15 euro delivery each time and I'd say storing a kilo for a year is 3 euro. How big should orders be?",
    'inventory',
    'eoq',
    { demand_rate: 624, fixed_cost: 15, holding_cost: 3 },
  ],
  [
    'EOQ calculation. D = 9,600 units/year; S = $75 per order; H = $4 per unit per year',
    'inventory',
    'eoq',
    { demand_rate: 9600, fixed_cost: 75, holding_cost: 4 },
  ],
  [
    'For the school fete I must buy hot dogs in advance at 0.80 each and sell them at 3.00; unsold ones get thrown away. I expect 150 buyers with a standard deviation of 35',
    'inventory',
    'newsvendor',
    { price: 3, unit_cost: 0.8, salvage_value: 0, 'demand.mean': 150, 'demand.sd': 35 },
  ],
  [
    'Fashion retailer: coat costs 70, retail price 180, end of season clearance at 45, forecast 800 coats with std dev of 200',
    'inventory',
    'newsvendor',
    { price: 180, unit_cost: 70, salvage_value: 45, 'demand.mean': 800, 'demand.sd': 200 },
  ],
  [
    'shortages are allowed in our shop: being short one item for a year costs $9 in goodwill, annual demand 3,650, ordering cost $30, carrying cost $2.5 per item a year',
    'inventory',
    'eoq_backorder',
    { stockout_cost: 9, demand_rate: 3650, fixed_cost: 30, holding_cost: 2.5 },
  ],
  [
    'Phase 2, Simon minimax, null response 25%, alternative 45%, alpha 10% one-sided, power 85%',
    'clinical_trial_design',
    'simon_two_stage',
    { p0: 0.25, p1: 0.45, alpha: 0.1, power: 0.85, criterion: 'minimax' },
  ],
  [
    "We'd like to detect a 5-point difference in pain score (SD 12) between acupuncture and sham with power 0.8",
    'clinical_trial_design',
    'fixed',
    { endpoint: 'continuous', mean_difference: 5, standard_deviation: 12, power: 0.8 },
  ],
  [
    'what n per group to detect an increase in vaccination uptake from 60% to 66%, significance 1%, power 95%',
    'clinical_trial_design',
    'fixed',
    { p_control: 0.6, p_treatment: 0.66, alpha: 0.01, power: 0.95 },
  ],
  [
    'Oncology RCT on progression free survival, hazard ratio 0.72, power 90%, alpha 5%',
    'clinical_trial_design',
    'fixed',
    { endpoint: 'survival', hazard_ratio: 0.72, power: 0.9, alpha: 0.05 },
  ],
  [
    "interim monitoring: 3 analyses in total, O'Brien-Fleming, two-sided alpha of 5 percent",
    'clinical_trial_design',
    'group_sequential',
    { looks: 3, boundary: 'obrien_fleming', alpha: 0.05, sides: 2 },
  ],
  [
    'allocate my ISA among S&P fund 9% / 17%, gilts 4% / 8% and property fund 6% / 12%; lowest volatility',
    'portfolio',
    null,
    {
      objective: 'min_volatility',
      assets: [
        { id: 'S&P fund', expected_return: 0.09, volatility: 0.17 },
        { id: 'gilts', expected_return: 0.04, volatility: 0.08 },
        { id: 'property fund', expected_return: 0.06, volatility: 0.12 },
      ],
    },
  ],
  [
    'asset,return,vol\nUS equity,8%,16%\nEM equity,10%,23%\nBonds,3%,5%\nbest Sharpe ratio, correlations around 0.35',
    'portfolio',
    null,
    {
      correlation: 0.35,
      objective: 'max_sharpe',
      assets: [
        { id: 'US equity', expected_return: 0.08, volatility: 0.16 },
        { id: 'EM equity', expected_return: 0.1, volatility: 0.23 },
        { id: 'Bonds', expected_return: 0.03, volatility: 0.05 },
      ],
    },
  ],
  [
    'We consume 5,000 tonnes of copper and would hedge with LME futures, 25 tonnes each; volatility of spot 4.1%, volatility of futures 4.4%, correlation 0.97',
    'risk_management',
    'hedge_ratio',
    { exposure_units: 5000, contract_size: 25, spot_volatility: 0.041, futures_volatility: 0.044, correlation: 0.97 },
  ],
  [
    "If a bet wins with probability 0.58 and pays 5 to 6, what's the Kelly stake?",
    'trading_strategy',
    'kelly_sizing',
    { win_probability: 0.58, win_loss_ratio: 0.8333333333333334 },
  ],
  [
    'my options trades lose 60% of the time. average gain 900 dollars, average loss 350 dollars. how much of the account per trade (half kelly)?',
    'trading_strategy',
    'kelly_sizing',
    { loss_probability: 0.6, average_win: 900, average_loss: 350, fraction: 0.5 },
  ],
  [
    'Get rid of 80,000 shares in 2 days, 4 tranches, volatility 0.5 dollars per day, temporary impact 4e-6, risk aversion 1e-5',
    'trading_strategy',
    'optimal_execution',
    {
      shares: 80000,
      horizon_days: 2,
      intervals: 4,
      volatility_per_day: 0.5,
      temporary_impact: 0.000004,
      risk_aversion: 0.00001,
    },
  ],
  [
    'tobramycin, bolus injections. Distribution volume 16 litres, clearance 5.5 litres per hour, peak target 8 mg/L, trough target 0.5 mg/L',
    'treatment_protocol',
    'pk_dosing',
    { volume_l: 16, clearance_l_h: 5.5, target_peak_mg_l: 8, target_trough_mg_l: 0.5, route: 'iv_bolus' },
  ],
  [
    'Need a regimen by infusion: V 32 L, CL 2.9 L/h, 2 hour infusion, peak 25 and trough 12 mg/L',
    'treatment_protocol',
    'pk_dosing',
    {
      volume_l: 32,
      clearance_l_h: 2.9,
      infusion_h: 2,
      target_peak_mg_l: 25,
      target_trough_mg_l: 12,
      route: 'iv_infusion',
    },
  ],
  [
    'head and neck cancer alpha/beta 10 Gy, spinal cord 2 Gy with BED limit of 100 Gy and sparing factor 0.65, maximum 35 fractions',
    'treatment_protocol',
    'fractionation',
    {
      tumour_alpha_beta_gy: 10,
      oar_alpha_beta_gy: 2,
      oar_sparing_factor: 0.65,
      oar_bed_limit_gy: 100,
      max_fractions: 35,
    },
  ],
  [
    'Two vans (each loads 20 boxes), depot (0,0), clients: Ann (4,1) 6 boxes; Bob (-2,5) 9 boxes; Cid (3,-6) 8 boxes; Dan (-5,-5) 7 boxes. Straight line distances.',
    'vehicle_routing',
    null,
    {
      depot: { x: 0, y: 0 },
      'vehicles.count': 2,
      'vehicles.capacity': 20,
      distance: 'euclidean',
      customers: [
        { id: 'Ann', x: 4, y: 1, demand: 6 },
        { id: 'Bob', x: -2, y: 5, demand: 9 },
        { id: 'Cid', x: 3, y: -6, demand: 8 },
        { id: 'Dan', x: -5, y: -5, demand: 7 },
      ],
    },
  ],
  [
    'My technician starts at (1,1) and has to visit (5,2), (3,7), (8,8) and (2,6). One car, no limit on load. Shortest trip?',
    'vehicle_routing',
    null,
    {
      depot: { x: 1, y: 1 },
      'vehicles.count': 1,
      'vehicles.capacity': null,
      customers: [
        { x: 5, y: 2 },
        { x: 3, y: 7 },
        { x: 8, y: 8 },
        { x: 2, y: 6 },
      ],
    },
  ],
  [
    "A pallet holds 800 kg. I've crates of 350, 300, 280, 250, 220 and 150 kg. How many pallets at least?",
    'warehouse',
    'bin_packing',
    { bin_capacity: 800, item_sizes: [350, 300, 280, 250, 220, 150] },
  ],
  [
    'fit 10 parcels of 7 kg and 6 parcels of 11 kg in crates with a limit of 30 kg',
    'warehouse',
    'bin_packing',
    { bin_capacity: 30, item_sizes: [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 11, 11, 11, 11, 11, 11] },
  ],
  [
    'logistic regression on the breast cancer data: penalty between 0.001 and 10, judge by log loss with 5 folds',
    'hyperparameter_tuning',
    null,
    {
      'evaluator.model': 'logistic_regression',
      'evaluator.dataset': 'breast_cancer',
      'evaluator.metric': 'log_loss',
      'evaluator.validation': { folds: 5 },
      search_space: { l2: { type: 'float', low: 0.001, high: 10, log: true } },
    },
  ],
  [
    'which k is best for nearest neighbours on the wine data? try 1 to 40 and leave one out',
    'hyperparameter_tuning',
    null,
    {
      'evaluator.model': 'knn',
      'evaluator.dataset': 'wine',
      'evaluator.validation': 'leave_one_out',
      search_space: { k: { type: 'int', low: 1, high: 40 } },
    },
  ],
  [
    '£60k to spend on radio, press and online. Radio now takes £20k and brings in 500 calls, press £10k with 150 calls, online £30k with 1,200 calls. At least £5k for press.',
    'budget_allocation',
    null,
    {
      budget: 60000,
      min: { press: 5000 },
      channels: [
        { id: 'radio', current_spend: 20000, current_response: 500 },
        { id: 'press', current_spend: 10000, current_response: 150 },
        { id: 'online', current_spend: 30000, current_response: 1200 },
      ],
    },
  ],
  [
    'Our NGO divides 45,000 CHF of fundraising money between letters (20,000 CHF gave 700 donations) and events (25,000 CHF gave 400 donations).',
    'budget_allocation',
    null,
    {
      budget: 45000,
      channels: [
        { id: 'letters', current_spend: 20000, current_response: 700 },
        { id: 'events', current_spend: 25000, current_response: 400 },
      ],
    },
  ],
  [
    'demand = 800 - 16p, marginal cost 10, maximise revenue?',
    'pricing',
    'single_product',
    { demand: { type: 'linear', intercept: 800, slope: 16 }, unit_cost: 10 },
  ],
  ['How do I arrange departments on the factory floor given the flow between them?', 'warehouse', 'layout', {}],
  [
    "We're a small brewery and need hops: 2,200 kg over the year. Freight is 180 dollars a shipment regardless of size, cold storage works out at 1.10 dollars per kg per year. What shipment size is cheapest?",
    'inventory',
    'eoq',
    { demand_rate: 2200, fixed_cost: 180, holding_cost: 1.1 },
  ],
  [
    'monthly demand 400 pcs, 35 GBP per order, cost of goods 22 GBP, annual holding rate 24 %',
    'inventory',
    'eoq',
    { demand_rate: 4800, fixed_cost: 35, unit_cost: 22, holding_cost_rate: 0.24 },
  ],
  [
    'How many magazines should my kiosk take? I pay 3.20, sell for 5, and the publisher buys back unsold copies at 1.50. I sell 60 on average give or take 15.',
    'inventory',
    'newsvendor',
    { price: 5, unit_cost: 3.2, salvage_value: 1.5, 'demand.mean': 60, 'demand.sd': 15 },
  ],
  [
    'bakery: one loaf too many loses 0.9, one loaf too few loses 2.1, poisson demand with average 140',
    'inventory',
    'newsvendor',
    { holding_cost: 0.9, stockout_cost: 2.1, 'demand.mean': 140 },
  ],
  [
    "two-stage phase II in glioma. We'd drop the drug at a response of 8% and be happy with 24%. alpha 0.05, beta 0.2",
    'clinical_trial_design',
    'simon_two_stage',
    { p0: 0.08, p1: 0.24, alpha: 0.05, beta: 0.2 },
  ],
  [
    'Sample size please: mean HbA1c difference of 0.5 with SD of 1.3, two-sided alpha 0.05, 85% power, 15% dropouts',
    'clinical_trial_design',
    'fixed',
    { mean_difference: 0.5, standard_deviation: 1.3, alpha: 0.05, power: 0.85, dropout: 0.15, sides: 2 },
  ],
  [
    'In the control group 30% relapse, we want to see 18% in the treated group',
    'clinical_trial_design',
    'fixed',
    { p_control: 0.3, p_treatment: 0.18 },
  ],
  [
    '3 looks, alpha spending, one-sided 0.025, 90% power group sequential',
    'clinical_trial_design',
    'group_sequential',
    { looks: 3, boundary: 'alpha_spending', alpha: 0.025, power: 0.9, sides: 1 },
  ],
  [
    'My aunt left me money. Index fund maybe 7% with 16% ups and downs, corporate bonds 4.5% with 7%, gold 3% with 15%. Not more than 50% in each. Risk-free I get 2.5%.',
    'portfolio',
    null,
    {
      max_weight: 0.5,
      risk_free_rate: 0.025,
      assets: [
        { id: 'Index fund', expected_return: 0.07, volatility: 0.16 },
        { id: 'corporate bonds', expected_return: 0.045, volatility: 0.07 },
        { id: 'gold', expected_return: 0.03, volatility: 0.15 },
      ],
    },
  ],
  [
    'risk parity portfolio of commodities (expected 5%, vol 18%), credit (4%, 9%) and equity (7.5%, 17%), correlation 0.25',
    'portfolio',
    null,
    {
      objective: 'risk_parity',
      correlation: 0.25,
      assets: [
        { id: 'commodities', expected_return: 0.05, volatility: 0.18 },
        { id: 'credit', expected_return: 0.04, volatility: 0.09 },
        { id: 'equity', expected_return: 0.075, volatility: 0.17 },
      ],
    },
  ],
  [
    'airline hedges 3.5 million gallons; futures are 42,000 gallons a contract; std of spot 0.03, std of futures 0.035, corr 0.9',
    'risk_management',
    'hedge_ratio',
    {
      exposure_units: 3500000,
      contract_size: 42000,
      spot_volatility: 0.03,
      futures_volatility: 0.035,
      correlation: 0.9,
    },
  ],
  [
    "A gambler's edge: 51.5% chance, payoff one to one. What fraction of wealth to wager?",
    'trading_strategy',
    'kelly_sizing',
    { win_probability: 0.515, win_loss_ratio: 1 },
  ],
  [
    'my strategy wins 40 percent of trades, reward to risk 2.2. optimal position size?',
    'trading_strategy',
    'kelly_sizing',
    { win_probability: 0.4, win_loss_ratio: 2.2 },
  ],
  [
    'execute 1.5 million shares over 3 days in 6 intervals. daily volatility 1.1 dollars, temporary impact 2e-6, permanent impact 2e-7, risk aversion 3e-6',
    'trading_strategy',
    'optimal_execution',
    {
      shares: 1500000,
      horizon_days: 3,
      intervals: 6,
      volatility_per_day: 1.1,
      temporary_impact: 0.000002,
      permanent_impact: 2e-7,
      risk_aversion: 0.000003,
    },
  ],
  [
    'dose an antibiotic by mouth: V 28 L, clearance 2.2 L/h, ka 0.9 /h, F 60%, want peak 15 mg/L, trough 5 mg/L',
    'treatment_protocol',
    'pk_dosing',
    {
      volume_l: 28,
      clearance_l_h: 2.2,
      absorption_rate_per_h: 0.9,
      bioavailability: 0.6,
      target_peak_mg_l: 15,
      target_trough_mg_l: 5,
      route: 'oral',
    },
  ],
  [
    'bolus. Volume 22 L; half life 4 h; Cmax 18 mg/L; Cmin 6 mg/L',
    'treatment_protocol',
    'pk_dosing',
    { volume_l: 22, half_life_h: 4, target_peak_mg_l: 18, target_trough_mg_l: 6, route: 'iv_bolus' },
  ],
  [
    'breast tumour alpha/beta of 4 Gy, lung alpha/beta of 3 Gy, lung gets 40% of the dose, BED tolerance of lung 70 Gy, up to 25 fractions',
    'treatment_protocol',
    'fractionation',
    { tumour_alpha_beta_gy: 4, oar_alpha_beta_gy: 3, oar_sparing_factor: 0.4, oar_bed_limit_gy: 70, max_fractions: 25 },
  ],
  [
    '3 drivers, 15 parcels max per driver, hub at (20,20). A (25,30) 5 parcels; B (10,15) 6 parcels; C (30,12) 7 parcels; D (18,35) 4 parcels; E (5,28) 8 parcels',
    'vehicle_routing',
    null,
    {
      depot: { x: 20, y: 20 },
      'vehicles.count': 3,
      'vehicles.capacity': 15,
      customers: [
        { id: 'A', x: 25, y: 30, demand: 5 },
        { id: 'B', x: 10, y: 15, demand: 6 },
        { id: 'C', x: 30, y: 12, demand: 7 },
        { id: 'D', x: 18, y: 35, demand: 4 },
        { id: 'E', x: 5, y: 28, demand: 8 },
      ],
    },
  ],
  [
    'Best order to visit my sales customers at (2,9), (7,7), (8,1), (1,3) starting from home (0,0) with my car, no load limits',
    'vehicle_routing',
    null,
    {
      depot: { x: 0, y: 0 },
      'vehicles.count': 1,
      'vehicles.capacity': null,
      customers: [
        { x: 2, y: 9 },
        { x: 7, y: 7 },
        { x: 8, y: 1 },
        { x: 1, y: 3 },
      ],
    },
  ],
  [
    'I have files of 700, 650, 500, 420, 300 and 130 MB and want to burn them on CDs of 800 MB, as few CDs as possible',
    'warehouse',
    'bin_packing',
    { bin_capacity: 800, item_sizes: [700, 650, 500, 420, 300, 130] },
  ],
  [
    'A truck can take 24 t. Loads: 9 t, 8.5 t, 7 t, 6 t, 5.5 t, 5 t, 4 t. How many trucks?',
    'warehouse',
    'bin_packing',
    { bin_capacity: 24, item_sizes: [9, 8.5, 7, 6, 5.5, 5, 4] },
  ],
  [
    'Optimise an SVM on iris, C between 0.1 and 1000, gamma between 0.001 and 1, ten-fold cross-validation, accuracy',
    'hyperparameter_tuning',
    null,
    {
      'evaluator.model': 'svm_rbf',
      'evaluator.dataset': 'iris',
      'evaluator.validation': { folds: 10 },
      'evaluator.metric': 'accuracy',
      search_space: {
        c: { type: 'float', low: 0.1, high: 1000, log: true },
        gamma: { type: 'float', low: 0.001, high: 1, log: true },
      },
    },
  ],
  [
    'How deep should a decision tree be on the digits data? depth 2 to 15, hold out 25%',
    'hyperparameter_tuning',
    null,
    {
      'evaluator.model': 'decision_tree',
      'evaluator.dataset': 'digits',
      'evaluator.validation': { holdout: 0.25 },
      search_space: { max_depth: { type: 'int', low: 2, high: 15 } },
    },
  ],
  [
    'design a small neural net for the breast cancer data, up to 2 hidden layers, 8 or 16 neurons, fewer than 2000 parameters',
    'architecture_search',
    null,
    {
      'evaluator.dataset': 'breast_cancer',
      'search_space.layers': { min: 1, max: 2 },
      'search_space.units': [8, 16],
      'constraints.max_params': 2000,
    },
  ],
  [
    'We put $12k into Facebook (300 sales) and $18k into Google (540 sales) each month. With $36k next month, who gets what?',
    'budget_allocation',
    null,
    {
      budget: 36000,
      channels: [
        { id: 'Facebook', current_spend: 12000, current_response: 300 },
        { id: 'Google', current_spend: 18000, current_response: 540 },
      ],
    },
  ],
  [
    'total marketing budget 200,000 euros; print 60,000 euros 1,500 leads, web 90,000 euros 4,200 leads, fairs 50,000 euros 800 leads; fairs must get at least 15% and print no more than 25%',
    'budget_allocation',
    null,
    {
      budget: 200000,
      min_share: { fairs: 0.15 },
      max_share: { print: 0.25 },
      channels: [
        { id: 'print', current_spend: 60000, current_response: 1500 },
        { id: 'web', current_spend: 90000, current_response: 4200 },
        { id: 'fairs', current_spend: 50000, current_response: 800 },
      ],
    },
  ],
  [
    'I sell 75 portraits a year at 200 euro. Raising it to 260 euro I sold 57. Canvas and paint cost 35 euro per portrait. Best price?',
    'pricing',
    'single_product',
    {
      points: [
        [200, 75],
        [260, 57],
      ],
      unit_cost: 35,
    },
  ],
  [
    'ticket price for a concert hall with 400 seats: at 25 dollars 380 people come, at 35 dollars 300 come. Variable cost 2 dollars per guest.',
    'pricing',
    'single_product',
    {
      points: [
        [25, 380],
        [35, 300],
      ],
      unit_cost: 2,
      capacity: 400,
    },
  ],
  [
    'which compounds should we buy for screening under a budget, with at most three per cluster?',
    'drug_discovery',
    'compound_selection',
    {},
  ],
  [
    'Pack 12 boxes of 30 kg into containers of 100 kg, max 3 containers',
    'warehouse',
    'bin_packing',
    { item_sizes: [30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30], bin_capacity: 100 },
  ],
  [
    'Portfolio of A 8% 15%, B 5% 10%, C 3% 6%. correlation of A and B .3, A and C .1, B and C -.2',
    'portfolio',
    null,
    {
      assets: [
        { id: 'A', expected_return: 0.08, volatility: 0.15 },
        { id: 'B', expected_return: 0.05, volatility: 0.1 },
        { id: 'C', expected_return: 0.03, volatility: 0.06 },
      ],
      'correlation.pairs': [
        { a: 'A', b: 'B', value: 0.3 },
        { a: 'A', b: 'C', value: 0.1 },
        { a: 'B', b: 'C', value: -0.2 },
      ],
      correlation: [
        [1, 0.3, 0.1],
        [0.3, 1, -0.2],
        [0.1, -0.2, 1],
      ],
    },
  ],
  [
    'Portfolio of stocks 8% return 15% volatility, bonds 5% return 10% vol, gold 3% return and 16% vol. Correlation of stocks and bonds is 0.2, stocks and gold 0.1.',
    'portfolio',
    null,
    {
      assets: [
        { id: 'stocks', expected_return: 0.08, volatility: 0.15 },
        { id: 'bonds', expected_return: 0.05, volatility: 0.1 },
        { id: 'gold', expected_return: 0.03, volatility: 0.16 },
      ],
      'correlation.pairs': [
        { a: 'stocks', b: 'bonds', value: 0.2 },
        { a: 'stocks', b: 'gold', value: 0.1 },
      ],
    },
  ],
  [
    'each container holds at most 40 boxes. items 5, 6, 7, 20',
    'warehouse',
    'bin_packing',
    { item_sizes: [5, 6, 7, 20], bin_capacity: 40 },
  ],
  [
    'delivery from depot at (0,0) with at most 3 vans, each takes 10 parcels. Customers A (2,3) 4 parcels, B (1,1) 5 parcels',
    'vehicle_routing',
    null,
    {
      depot: { x: 0, y: 0 },
      customers: [
        { id: 'A', x: 2, y: 3, demand: 4 },
        { id: 'B', x: 1, y: 1, demand: 5 },
      ],
      'vehicles.count': 3,
      'vehicles.capacity': 10,
    },
  ],
  [
    'Portfolio of A 8% 15%, B 5% 10%, C 3% 6%. corr 0.3 between A and B, 0.1 between A and C, -0.2 between B and C, minimum risk',
    'portfolio',
    null,
    {
      assets: [
        { id: 'A', expected_return: 0.08, volatility: 0.15 },
        { id: 'B', expected_return: 0.05, volatility: 0.1 },
        { id: 'C', expected_return: 0.03, volatility: 0.06 },
      ],
      'correlation.pairs': [
        { a: 'A', b: 'B', value: 0.3 },
        { a: 'A', b: 'C', value: 0.1 },
        { a: 'B', b: 'C', value: -0.2 },
      ],
      objective: 'min_volatility',
      correlation: [
        [1, 0.3, 0.1],
        [0.3, 1, -0.2],
        [0.1, -0.2, 1],
      ],
    },
  ],
  [
    'Portfolio of stocks 8% return 15% vol, bonds 5% 10%, gold 3% 16%, all correlated at 0.2',
    'portfolio',
    null,
    {
      assets: [
        { id: 'stocks', expected_return: 0.08, volatility: 0.15 },
        { id: 'bonds', expected_return: 0.05, volatility: 0.1 },
        { id: 'gold', expected_return: 0.03, volatility: 0.16 },
      ],
      correlation: 0.2,
    },
  ],
  [
    'Portfolio of A 8% 15%, B 5% 10%, C 3% 6%. Correlation of A and B is 0.4. min risk',
    'portfolio',
    null,
    {
      assets: [
        { id: 'A', expected_return: 0.08, volatility: 0.15 },
        { id: 'B', expected_return: 0.05, volatility: 0.1 },
        { id: 'C', expected_return: 0.03, volatility: 0.06 },
      ],
      'correlation.pairs': [{ a: 'A', b: 'B', value: 0.4 }],
      objective: 'min_volatility',
    },
  ],
  [
    'Our bottling line fills 500 cases a day, we sell 300 a day on 250 days a year. A changeover is $400 and holding a case for a year costs $1.20. batch size?',
    'inventory',
    'epq',
    { production_rate: 125000, demand_rate: 75000, fixed_cost: 400, holding_cost: 1.2 },
  ],
  [
    'need a phase II simon design null response rate 10% target 30%, alpha 5% one sided, power 85, minimax please',
    'clinical_trial_design',
    'simon_two_stage',
    { criterion: 'minimax', p0: 0.1, p1: 0.3, alpha: 0.05, power: 0.85 },
  ],
  [
    'noninferiority... actually superiority trial: mean difference 5 points, SD 12, power 80%, no dropout',
    'clinical_trial_design',
    'fixed',
    { mean_difference: 5, standard_deviation: 12, power: 0.8, dropout: 0 },
  ],
  [
    'boin dose finding target DLT rate 25%, cohorts of 3, max 36 patients',
    'clinical_trial_design',
    'boin',
    { target_toxicity: 0.25, cohort_size: 3, max_n: 36 },
  ],
  [
    'vanco: Vd 42 L, CL 3.8 L/h, want peak 35 and trough 15 mg/L, infusion over 2 h',
    'treatment_protocol',
    'pk_dosing',
    { volume_l: 42, clearance_l_h: 3.8, target_peak_mg_l: 35, target_trough_mg_l: 15, infusion_h: 2 },
  ],
  [
    'gentamicin iv bolus, half life 3 hours, volume 18 litres, peak 8 mg/l trough 1 mg/l',
    'treatment_protocol',
    'pk_dosing',
    { half_life_h: 3, volume_l: 18, target_peak_mg_l: 8, target_trough_mg_l: 1 },
  ],
  [
    'Prostate: alpha/beta 1.5, rectum 3, sparing 0.75, BED limit 90 Gy, max 40 fractions',
    'treatment_protocol',
    'fractionation',
    {
      tumour_alpha_beta_gy: 1.5,
      oar_alpha_beta_gy: 3,
      oar_sparing_factor: 0.75,
      oar_bed_limit_gy: 90,
      max_fractions: 40,
    },
  ],
  [
    'Split 120k ad budget: Google 50k brought 1200 leads, Meta 40k 700 leads, LinkedIn 30k 250 leads. No channel below 10%',
    'budget_allocation',
    null,
    {
      channels: [
        { id: 'Google', current_spend: 50000, current_response: 1200 },
        { id: 'Meta', current_spend: 40000, current_response: 700 },
        { id: 'LinkedIn', current_spend: 30000, current_response: 250 },
      ],
      budget: 120000,
    },
  ],
  [
    'we have $20k a month for ads. Google spent 8k got 320 signups, TikTok spent 5k got 150. at least $3k on each',
    'budget_allocation',
    null,
    {
      channels: [
        { id: 'Google', current_spend: 8000, current_response: 320 },
        { id: 'TikTok', current_spend: 5000, current_response: 150 },
      ],
      min: { '*': 3000 },
      budget: 20000,
    },
  ],
  [
    'Our SaaS costs $4 per seat to serve. At $29 we have 800 seats, at $39 we had 620. What should we charge?',
    'pricing',
    'single_product',
    {
      points: [
        [29, 800],
        [39, 620],
      ],
      unit_cost: 4,
    },
  ],
  [
    'demand is 5000 - 40p, unit cost 25, no variable cost. best price?',
    'pricing',
    'single_product',
    { demand: { type: 'linear', intercept: 5000, slope: 40 }, unit_cost: 25 },
  ],
  [
    'price elasticity -1.8, currently 1,000 units at $50, marginal cost $20. max price $80',
    'pricing',
    'single_product',
    { points: [[50, 1000]], elasticity: -1.8, unit_cost: 20 },
  ],
  [
    'Files of 700, 650, 300, 250 and 90 MB on disks of 1 GB, max 2 disks',
    'warehouse',
    'bin_packing',
    { bin_capacity: 1, item_sizes: [700, 650, 300, 250, 90] },
  ],
  [
    'Hedging: 500,000 bbl of crude, contract is 1,000 bbl, correlation .9, spot vol 3.2%, futures vol 3.6%',
    'risk_management',
    'hedge_ratio',
    {
      exposure_units: 500000,
      contract_size: 1000,
      correlation: 0.9,
      spot_volatility: 0.032,
      futures_volatility: 0.036000000000000004,
    },
  ],
  [
    'blackjack edge: win 51% of hands at even money, quarter kelly',
    'trading_strategy',
    'kelly_sizing',
    { win_loss_ratio: 1, fraction: 0.25, win_probability: 0.51 },
  ],
  [
    'Sell 250k shares over 3 days in 6 slices, daily vol $1.20, temporary impact 1e-6, no permanent impact, no commission, risk aversion 1e-6',
    'trading_strategy',
    'optimal_execution',
    {
      shares: 250000,
      horizon_days: 3,
      intervals: 6,
      volatility_per_day: 1.2,
      temporary_impact: 0.000001,
      risk_aversion: 0.000001,
      permanent_impact: 0,
      fixed_cost_per_share: 0,
    },
  ],
  [
    'two assets: stocks 8%/18%, bonds 4%/6%, correlation 0.2, target return 6%',
    'portfolio',
    null,
    {
      assets: [
        { id: 'stocks', expected_return: 0.08, volatility: 0.18 },
        { id: 'bonds', expected_return: 0.04, volatility: 0.06 },
      ],
      objective: 'efficient_return',
      correlation: 0.2,
      target_return: 0.06,
    },
  ],
  [
    'tune a random forest on breast cancer, max depth 2-12, 50 to 300 trees, 5 folds, AUC',
    'hyperparameter_tuning',
    null,
    { 'evaluator.validation': { folds: 5 }, 'evaluator.model': 'random_forest', 'evaluator.dataset': 'breast_cancer' },
  ],
  [
    'small MLP on digits: 1 to 3 layers, 16, 32 or 64 units, under 20k parameters',
    'architecture_search',
    null,
    { 'evaluator.dataset': 'digits', 'constraints.max_params': 20000 },
  ],
  [
    'Deliver from (0,0) to 6 shops: (2,1) 10, (3,4) 20, (-1,5) 15, (4,-2) 10, (0,6) 5, (7,7) 30. 2 trucks max, 60 crates each',
    'vehicle_routing',
    null,
    {
      depot: { x: 0, y: 0 },
      customers: [
        { id: '1', x: 2, y: 1, demand: 10 },
        { id: '2', x: 3, y: 4, demand: 20 },
        { id: '3', x: -1, y: 5, demand: 15 },
        { id: '4', x: 4, y: -2, demand: 10 },
        { id: '5', x: 0, y: 6, demand: 5 },
        { id: '6', x: 7, y: 7, demand: 30 },
      ],
      'vehicles.count': 2,
      'vehicles.capacity': 60,
    },
  ],
  [
    'Newsboy: buy at 0.80, sell at 2.00, returns credited at 0.30; demand mean 250 sd 60',
    'inventory',
    'newsvendor',
    { unit_cost: 0.8, price: 2, salvage_value: 0.3, 'demand.mean': 250, 'demand.sd': 60 },
  ],
  [
    'Cakes cost $6 to make and sell for $18, no salvage value. demand between 20 and 50 a day',
    'inventory',
    'newsvendor',
    { salvage_value: 0, demand: { distribution: 'uniform', low: 20, high: 50 }, unit_cost: 6, price: 18 },
  ],
  [
    "trial with 3 interim looks plus final, O'Brien-Fleming, 2.5% one-sided, 90% power",
    'clinical_trial_design',
    'group_sequential',
    { interims: 3, boundary: 'obrien_fleming', sides: 1, alpha: 0.025, power: 0.9 },
  ],
  [
    'we sell 12k candles a year; each order costs £40 without delivery; holding 15% of the £5 price',
    'inventory',
    'eoq',
    { holding_cost_rate: 0.15, unit_cost: 5, demand_rate: 12000, fixed_cost: 40 },
  ],
  [
    'I want max 3 vans and min 8 boxes per van. delivery from depot (0,0): A (1,2) 8 boxes, B (3,3) 9 boxes. Each van carries 20',
    'vehicle_routing',
    null,
    {
      depot: { x: 0, y: 0 },
      customers: [
        { id: 'A', x: 1, y: 2, demand: 8 },
        { id: 'B', x: 3, y: 3, demand: 9 },
      ],
      'vehicles.count': 3,
      'vehicles.capacity': 20,
    },
  ],
  [
    'portfolio of stocks 8% 18%, bonds 4% 6%, gold 3% 15%, no correlation, no risk free rate',
    'portfolio',
    null,
    {
      assets: [
        { id: 'stocks', expected_return: 0.08, volatility: 0.18 },
        { id: 'bonds', expected_return: 0.04, volatility: 0.06 },
        { id: 'gold', expected_return: 0.03, volatility: 0.15 },
      ],
      correlation: 0,
      risk_free_rate: 0,
    },
  ],
  [
    'portfolio of stocks 8% 18%, bonds 4% 6%, correlation between 0.2 and 0.3',
    'portfolio',
    null,
    {
      assets: [
        { id: 'stocks', expected_return: 0.08, volatility: 0.18 },
        { id: 'bonds', expected_return: 0.04, volatility: 0.06 },
      ],
    },
  ],
];

/** What these lack has no default, or they contradict themselves: they end in a question. */
const ASKING: readonly Opening[] = [
  [
    'Pack items of 4, 8, 1, 4, 2, 1 into bins, max 3 bins',
    'warehouse',
    'bin_packing',
    { item_sizes: [4, 8, 1, 4, 2, 1] },
  ],
  [
    'We need to route deliveries with max 3 vans. capacity 20 parcels each',
    'vehicle_routing',
    null,
    { 'vehicles.count': 3, 'vehicles.capacity': 20 },
  ],
  [
    'I need the order quantity for 1300 units a year, no setup cost, holding $3 per unit per year',
    'inventory',
    'eoq',
    { demand_rate: 1300, holding_cost: 3, fixed_cost: 0 },
  ],
  [
    'demand 1000 a year, each order costs 50, without holding costs',
    'inventory',
    'eoq',
    { demand_rate: 1000, fixed_cost: 50, holding_cost: 0 },
  ],
  [
    'find the order quantity. no ordering cost. demand 40 a week',
    'inventory',
    'eoq',
    { demand_rate: 2080, fixed_cost: 0 },
  ],
  ['split 50k between VTI and BND', 'portfolio', null, { 'assets.names': ['VTI', 'BND'], capital: 50000 }],
  ['split 50k between SEO and PPC', 'budget_allocation', null, { 'channels.names': ['SEO', 'PPC'], budget: 50000 }],
  [
    'Pack 12 boxes of 30 kg into at most 4 trucks',
    'warehouse',
    'bin_packing',
    { item_sizes: [30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30] },
  ],
  [
    'correlation of A and B .3, A and C .1, B and C -.2. Portfolio for least risk',
    'portfolio',
    null,
    {
      'assets.names': ['A', 'B'],
      'correlation.pairs': [
        { a: 'A', b: 'B', value: 0.3 },
        { a: 'A', b: 'C', value: 0.1 },
        { a: 'B', b: 'C', value: -0.2 },
      ],
      objective: 'min_volatility',
    },
  ],
  [
    'We stock brake pads, 2,400 sets/yr. PO processing runs $75, pads cost $18 and our carrying rate is 22%.',
    'inventory',
    'eoq',
    { demand_rate: 2400, unit_cost: 18, holding_cost_rate: 0.22 },
  ],
  [
    'invest 100k in SPY, TLT and GLD. max 2 assets, nothing above 70%',
    'portfolio',
    null,
    { 'assets.names': ['SPY', 'TLT', 'GLD'], capital: 100000, max_assets: 2, max_weight: 0.7 },
  ],
  [
    'I have no holding cost figure. 1200 units a year, $40 per order',
    'inventory',
    'eoq',
    { demand_rate: 1200, fixed_cost: 40 },
  ],
  [
    'no setup cost known, demand 1200 a year, holding 3 a unit and year',
    'inventory',
    'eoq',
    { demand_rate: 1200, holding_cost: 3 },
  ],
  ['Is there no ordering cost? demand 1200 a year, eoq', 'inventory', 'eoq', { demand_rate: 1200 }],
  [
    'we make 1000 a week and sell 600 a week, no setup costs, holding 2 per unit per year, economic production quantity',
    'inventory',
    'epq',
    { production_rate: 52000, demand_rate: 31200, holding_cost: 2, fixed_cost: 0 },
  ],
];

/** Whether a value holds what is expected: objects may have more fields. */
function holds(value: unknown, expected: unknown): boolean {
  if (typeof expected === 'number') return typeof value === 'number' && Math.abs(value - expected) <= 1e-9 * Math.max(1, Math.abs(expected)); // prettier-ignore
  if (Array.isArray(expected)) return Array.isArray(value) && value.length === expected.length && expected.every((one, i) => holds(value[i], one)); // prettier-ignore
  if (typeof expected === 'object' && expected !== null) {
    return typeof value === 'object' && value !== null && Object.entries(expected).every(([name, one]) => holds((value as Record<string, unknown>)[name], one)); // prettier-ignore
  }
  return value === expected;
}

/** Slots that a message may fill beside the values that are looked at. */
const BESIDE =
  /^(?:problem_type|model|currency|time_unit|objective|endpoint|criterion|route|evaluator.metric|search_space.*|.*[.](?:names|unit))$/;

const there = OPENINGS.filter(([, type]) => PROBLEM_TYPES.some(({ name }) => name === type));

test.each([...there, ...ASKING])('%s', (text, type, model, values) => {
  const { problem_type, model: found, collected } = beginConversation(text);
  expect([problem_type, found]).toEqual([type, model]);
  for (const [slot, value] of Object.entries(values)) {
    expect(holds(collected[slot]?.value, value), `${slot}: ${JSON.stringify(collected[slot]?.value)} instead of ${JSON.stringify(value)}`).toBe(true); // prettier-ignore
  }
  const more = Object.entries(collected).filter(
    ([slot, { source }]) => source === 'user' && !(slot in values) && !BESIDE.test(slot),
  );
  expect(more).toEqual([]);
});

test.each(ASKING)('asks for what has no default: %s', (text) => {
  let state = beginConversation(text);
  for (let turn = 0; turn < 12; turn++) state = continueConversation(state, 'I do not know');
  expect([state.status, state.question?.default]).toEqual(['waiting_for_input', undefined]);
});

/** Their tables are not in the opening, or their solving takes long. */
const NOT_SOLVED = /^(?:campaign|drug_discovery|hyperparameter_tuning|architecture_search)$/;

describe('who knows nothing more gets a problem that can be solved', () => {
  const solvable = there.filter(([text, type, model]) => !NOT_SOLVED.test(type) && model !== 'facility_location' && model !== 'layout' && !text.includes('conferences')); // prettier-ignore

  test.each(solvable)('%s', async (text) => {
    let state = beginConversation(text);
    for (let turn = 0; turn < 12 && state.question !== null; turn++)
      state = continueConversation(state, 'I do not know');
    expect(state.status).toBe('ready_to_optimize');
    const type = PROBLEM_TYPES.find(({ name }) => name === state.problem_type)!;
    const outcome = await solveConfig(type, state.config);
    expect('error' in outcome ? outcome.error : null).toBeNull();
  });
});
