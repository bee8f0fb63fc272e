/**
 * Which problem a text speaks of: words and phrases of practitioners, each counted once, weighted by how telling it is.
 */
import { type Message, Phrases } from './message.js';
import { stemsOf } from './text.js';

export interface Topic {
  readonly type: string;
  /** Null: the type has one model, or the words do not tell them apart. */
  readonly model: string | null;
  /** Phrases of weight 3, 1.5 and 0.7, divided by `|`. */
  readonly telling: string;
  readonly usual: string;
  readonly weak: string;
}

const topic = (type: string, model: string | null, telling: string, usual: string, weak = ''): Topic => ({ type, model, telling, usual, weak }); // prettier-ignore

export const TOPICS: readonly Topic[] = [
  topic('inventory', null, 'inventory|stock level|stock control|stock keeping|reorder|safety stock|replenishment', 'how much to order|how many to order|when to order|restock|stock|order quantity|reordering|replenish|on hand|stockroom|warehouse stock', 'shelf|supplier|order|item|spare part|spares|demand'), // prettier-ignore
  topic('inventory', 'eoq', 'economic order quantity|eoq|order at a time|how often to order|order size|lot size|how much to order each time|how many per order|how big should each order|how large should each order|ordering cost|holding cost|order each time|carrying cost|carrying rate|how many should i order|how many should we order|cost of ordering', 'fixed cost|per order|every order|each order|holding|storage cost|keeping one|cost to hold|place an order|placing an order|each delivery|per delivery|cost per order|purchase order|order cost|order in one go|buy at once|buy in bulk|at a time', 'a year|per year|annual|storing|keep|hold|delivery|order'), // prettier-ignore
  topic('inventory', 'eoq_backorder', 'backorder|back order|backorders|backlog|planned shortage|shortages allowed|shortages are allowed|being short|accept to wait|accept waiting|waiting unit|agree to wait', 'stockout cost|shortage cost|customers wait|can wait|wait|waiting|out of stock|willing to wait|wait for|run out|late delivery penalty|waiting customer', ''), // prettier-ignore
  topic('inventory', 'epq', 'production quantity|epq|production lot|production run|production rate|batch size|run length|production batch|economic production', 'setup cost|set up cost|changeover|production line|machine makes|we produce|per setup|make in batches|each run|per run', 'produce|machine|setup'), // prettier-ignore
  topic('inventory', 'newsvendor', 'newsvendor|newsboy|newspaper|newspapers|perishable|unsold|left over|leftover|leftovers|salvage|overage|underage|how many should i bake|sell out|spoil|one season|throw away|thrown away|day old|end of the day|expire|surplus stock|left in the evening|thrown out|christmas trees|over order|one shot', 'bake|bread|croissants|season|fresh|flowers|magazines|food|sandwiches|pastries|fashion|left|waste|how many should i make|how many should i buy|how many should i prepare|stock up|how many to make|how many to bake|how many to prepare|every morning|each morning|discard|binned|stall|festival|printed|programmes|programs', 'evening|morning|uncertain demand|give or take|sell them for|event|sell'), // prettier-ignore
  topic(
    'inventory',
    'base_stock',
    'base stock|order up to|order up to level',
    'review period|periodic review|lead time',
    '',
  ),
  topic('inventory', 's_S', 'min max policy|s s policy|reorder point and order up to', '', ''),
  topic('inventory', 'r_Q', 'reorder point|r q policy|continuous review', 'lead time', ''),
  topic('inventory', 'wagner_whitin', 'wagner whitin|lot sizing|dynamic lot|which months to order|which periods to order', 'demand of each month|demand per period|demand varies by month|known demand', ''), // prettier-ignore
  topic(
    'inventory',
    'eoq_discount',
    'quantity discount|volume discount|price breaks|bulk discount|quantity discounts',
    'discount',
    '',
  ),
  topic('inventory', 'multi_item_eoq', 'several items share|limited space|storage space limit', '', ''),
  topic('inventory', 'joint_replenishment', 'joint replenishment|order items together|ordered together', '', ''),
  topic('inventory', 'multi_echelon_serial', 'multi echelon|echelon|serial system', '', ''),
  topic('inventory', 'guaranteed_service', 'guaranteed service|safety stock placement', '', ''),
  topic('clinical_trial_design', null, 'clinical trial|sample size|clinical study|randomised trial|randomized trial|trial design|study design', 'trial|patients|placebo|endpoint|study|arm|enrol|recruit|participants|subjects', 'alpha|power|significance|treatment|drug|therapy|tumour|tumor'), // prettier-ignore
  topic('clinical_trial_design', 'simon_two_stage', 'simon|two stage|simon design|single arm|one arm|phase ii|phase 2|phase two|two stages|stop early for futility|uncontrolled trial|minimax design', 'response rate|stop early|second stage|first stage|responders|single group', 'oncology|response'), // prettier-ignore
  topic('clinical_trial_design', 'group_sequential', 'group sequential|interim analysis|interim analyses|interim look|interim looks|obrien fleming|o brien fleming|pocock|alpha spending|lan demets|sequential design|peek|interims|interim|look at the data', 'looks|stop the trial early|monitoring board|dsmb|data monitoring|analyses|looks at the data', 'early'), // prettier-ignore
  topic('clinical_trial_design', 'fixed', 'sample size|how many patients|patients per arm|two arm|how many subjects|how many participants|hazard ratio|per group|two group|how many people|per arm|fixed design|parallel group|patients do i need|patients do we need|enrol in each|treatment versus placebo|versus placebo|how large a trial|how big a trial|versus control', 'difference|compare|standard deviation|control group|placebo|two groups|control arm|superiority|survival|mortality|control|randomise|randomize|rct', ''), // prettier-ignore
  topic('clinical_trial_design', 'boin', 'boin|dose escalation|phase i|phase 1|dose finding|dose limiting toxicity|maximum tolerated dose|mtd|dlt|first in human', 'toxicity|escalate|cohorts|cohort', ''), // prettier-ignore
  topic(
    'clinical_trial_design',
    'stratified_allocation',
    'strata|stratified|neyman|stratum',
    'allocate the sample',
    '',
  ),
  topic('portfolio', null, 'portfolio|asset allocation|stocks and bonds|sharpe|invest my|efficient frontier|savings between|diversify|invest in|retirement savings|volatility and return|shares and bonds|nest egg|stocks bonds|markowitz|risk parity', 'invest|investment|stocks|bonds|equities|etf|etfs|fund|funds|shares|savings|pension|crypto|gold|bitcoin|assets|volatility|return|returns|investing|isa|401k|real estate|reits|commodities|securities|weights|equity', 'risk|split|correlation|money|divide|allocate'), // prettier-ignore
  topic('risk_management', 'hedge_ratio', 'hedge|hedge ratio|hedging|futures contracts|cross hedge|minimum variance hedge|how many contracts|how many futures', 'futures|spot|exposure|contract|price risk|contracts|jet fuel|heating oil|basis risk|lock in the price', 'correlation|standard deviation|gallons|barrels|bushels|wheat|harvest'), // prettier-ignore
  topic(
    'risk_management',
    'min_cvar',
    'cvar|conditional value at risk|expected shortfall|tail risk|value at risk',
    'scenarios|worst case',
    '',
  ),
  topic('risk_management', 'limit_allocation', 'shortfall limit|risk limit', 'expected pnl|positions under', ''),
  topic('risk_management', 'risk_budgeting', 'risk budgeting|risk budgets', '', ''),
  topic(
    'risk_management',
    'cash_flow_matching',
    'cash flow matching|dedication|liability matching|match liabilities|pay liabilities|bond dedication',
    'liabilities',
    '',
  ),
  topic('risk_management', 'greeks_hedge', 'greeks|delta neutral|gamma neutral|vega|delta gamma', 'delta|gamma', ''),
  topic('trading_strategy', null, 'trading strategy|backtest|trading rule', 'trading|trader', ''),
  topic('trading_strategy', 'kelly_sizing', 'kelly|bankroll|bet size|fraction of my|how much to bet|stake|position sizing|how much should i bet|how much of my money should i bet|how much should i stake|how much should i risk|how much to risk|bet sizing|wager|how much to stake|how much should i wager|of my account|gambling|betting', 'bet|win|odds|wins|lose|payoff|betting edge|gamble|winning|coin|roulette|even money|blackjack|poker|winners|losers|losing|risk per trade|edge|win rate', 'trade'), // prettier-ignore
  topic('trading_strategy', 'optimal_execution', 'execution|liquidate|market impact|almgren|almgren chriss|implementation shortfall|sell a large block|unwind|temporary impact|permanent impact|liquidation|sell the block|offload|slice the order|execute|block of shares|large position', 'impact|sell shares|shares over|slices|trades|trading days|twap|vwap|block|tranches|sell off|sell down', 'shares|days|sell'), // prettier-ignore
  topic('trading_strategy', 'sma_crossover', 'moving average|crossover|sma', 'fast and slow', ''),
  topic('trading_strategy', 'ema_crossover', 'exponential moving average|ema', '', ''),
  topic('trading_strategy', 'rsi_reversion', 'rsi|relative strength', '', ''),
  topic('trading_strategy', 'bollinger_reversion', 'bollinger', '', ''),
  topic('trading_strategy', 'macd', 'macd', '', ''),
  topic('trading_strategy', 'donchian_breakout', 'donchian|breakout', '', ''),
  topic('trading_strategy', 'momentum', 'momentum strategy', '', ''),
  topic('trading_strategy', 'perfect_foresight_bound', 'perfect foresight|foresight', '', ''),
  topic('drug_discovery', null, 'drug discovery|medicinal chemistry|smiles|lead compound|compounds', 'molecule|molecules|compound|qed|druglike|drug like|hit compounds', 'activity'), // prettier-ignore
  topic(
    'drug_discovery',
    'rank_compounds',
    'rank compounds|rank molecules|rank the compounds|druglikeness|qed|drug likeness',
    'rank',
    '',
  ),
  topic('drug_discovery', 'compound_selection', 'select compounds|choose compounds|which compounds to buy|compound selection|compounds to test|pick compounds', 'screening budget|cluster|diverse', ''), // prettier-ignore
  topic(
    'drug_discovery',
    'lead_optimization',
    'lead optimization|lead optimisation|r groups|r group|substituents|substituent',
    'scaffold',
    '',
  ),
  topic('drug_discovery', 'free_wilson_fit', 'free wilson', '', ''),
  topic('drug_discovery', 'pipeline_portfolio', 'pipeline|rd portfolio|r d projects|drug projects|development projects|research projects', 'probability of success|projects', ''), // prettier-ignore
  topic('treatment_protocol', 'pk_dosing', 'dosing|iv bolus|clearance|pharmacokinetic|pharmacokinetics|trough|loading dose|maintenance dose|dosing interval|volume of distribution|vancomycin|gentamicin|aminoglycoside|dose regimen|dosing regimen|auc24|steady state|mg l|half life', 'dose|infusion|peak|regimen|bolus|vd|cl|drug level|oral|concentration|antibiotic|intravenous|bioavailability|plasma|serum|level|mg', 'patient|drug'), // prettier-ignore
  topic('treatment_protocol', 'fractionation', 'fractionation|fractions|radiotherapy|alpha beta|bed|gy|organ at risk|sparing|hypofractionation|radiation|biologically effective dose|linear quadratic|gray', 'tumour|tumor|oar|dose per fraction|rectum|spinal cord|prostate|organs at risk|irradiate|radiation oncology', ''), // prettier-ignore
  topic('treatment_protocol', 'radiotherapy_fluence', 'fluence|beamlet|beamlets|imrt|voxel', '', ''),
  topic('treatment_protocol', 'chemotherapy_schedule', 'chemotherapy|chemo schedule|chemo|log kill', 'cycles', ''),
  topic(
    'treatment_protocol',
    'treatment_policy',
    'markov decision|treatment policy|when to transplant|when to treat',
    'states',
    '',
  ),
  topic('vehicle_routing', null, 'delivery rounds|delivery route|delivery routes|vehicle routing|routes|route|vans|van|trucks|travelling salesman|traveling salesman|drop offs|dispatch|shortest tour|courier|delivery round|lorries|lorry|vrp|tsp|milk run|pick ups|bus stops|which order to visit|visit all', 'delivery|deliveries|stops|depot|truck|drivers|driver|vehicles|vehicle|parcels|tour|drop|deliver|drive|visit|rounds|customers to visit|collection|pickups|couriers', 'customers|distance|parcel|round|km|miles|coordinates'), // prettier-ignore
  topic('warehouse', null, 'warehouse layout|warehouse', '', 'warehouse|pallets'),
  topic('warehouse', 'bin_packing', 'bin packing|containers|how many containers|how many bins|how many boxes do|pack|packing|fit into|fit in|fewest boxes|fewest containers|how many pallets|how many trucks do i need for|cutting stock|how many crates|fewest bins|how many trucks do we need for|how many usb|how many disks|number of boxes|how few|boards|cut from|number of bins|number of containers', 'container|bins|bin|pallets|boxes|crate|crates|pallet|pieces|lengths|stock length|box|suitcase|suitcases|backup|planks|pipes|files|skip', 'kg|tonne|items|load|weigh'), // prettier-ignore
  topic('warehouse', 'storage_assignment', 'slotting|storage assignment|which shelf|where to store|storage location|storage locations|assign items to slots', 'picks per day|fast movers', ''), // prettier-ignore
  topic('warehouse', 'facility_location', 'facility location|where to open|open a warehouse|which warehouses|which facilities|locate warehouses|open warehouses|which sites|distribution centres|distribution centers|which depots to open', 'facility|facilities|sites|open', ''), // prettier-ignore
  topic(
    'warehouse',
    'layout',
    'layout|floor plan|departments|quadratic assignment|arrange machines|arrange departments',
    'flow between',
    '',
  ),
  topic(
    'warehouse',
    'picker_routing',
    'picker|pick route|picking route|picking tour|order picker|pick path',
    'aisles|aisle|picking',
    '',
  ),
  topic('warehouse', 'order_batching', 'order batching|batch orders|batch the orders|batching', 'batches', ''),
  topic('hyperparameter_tuning', null, 'hyperparameter|hyperparameters|tune|tuning|knn|classifier|random forest|gradient boosting|svm|cross validation|nearest neighbours|nearest neighbors|ridge regression|logistic regression|decision tree|xgboost|learning rate|best k|grid search|model selection|regularisation|regularization', 'iris|digits|diabetes|breast cancer dataset|wine dataset|accuracy|machine learning|train a model|model parameters|folds|max depth|overfitting|leave one out|kernel|dataset|validation|neighbours|neighbors|boosting|predict|fold|regression', 'parameters|model|training|depth|wine|data'), // prettier-ignore
  topic('architecture_search', null, 'architecture search|neural architecture|nas|network architecture|hidden layers|how many layers|number of layers|architecture|layer sizes|which architecture|neurons per layer', 'layers|neural network|neurons|activation|units per layer|mlp|network|relu|neural net|epochs|hidden', 'accuracy|parameters|digits|train|units'), // prettier-ignore
  topic('budget_allocation', null, 'across channels|marketing budget|advertising budget|ad budget|ad spend|media mix|media budget|marketing mix|split my budget|between channels|between the channels|across google|google and facebook|budget allocation|divide the money|facebook and google|marketing spend|advertising spend|marketing money|advertising money|split the budget|divide the budget|distribute the budget|promotion budget|across media|budget on|budget between|budget across|split across', 'budget|channels|google|facebook|instagram|tiktok|tv|radio|search|social|display|leads|spend|linkedin|youtube|newsletter|billboards|ads|adwords|influencers|email|seo|podcast|podcasts|flyers|print|conversions|channel|bing|meta|outdoor', 'marketing|advertising|advertise|split|allocate|divide|money'), // prettier-ignore
  topic(
    'campaign',
    null,
    'campaign|campaigns',
    'ads|target customers|promotion',
    'marketing|customers|advertising|emails',
  ),
  topic('campaign', 'offer_targeting', 'offer targeting|which offer|which customers to contact|propensity|next best offer|which segments', 'segments|segment|offers|offer', ''), // prettier-ignore
  topic('campaign', 'assignment', 'assign agents|assign jobs|agents to jobs|generalised assignment|generalized assignment|assign reps|assign leads', 'agents|jobs|assign', ''), // prettier-ignore
  topic('campaign', 'media_reach', 'media reach|maximum reach|reach as many people|which media to book|book media|reach the most people', 'reach|audience|audiences', ''), // prettier-ignore
  topic(
    'campaign',
    'keyword_bidding',
    'keyword|keywords|bids|bid per click|how much to bid|bidding',
    'clicks|bid|cpc|value per click',
    '',
  ),
  topic(
    'campaign',
    'send_schedule',
    'send schedule|when to send|send times|send time|mailing schedule',
    'send|mailings|newsletter',
    '',
  ),
  topic('pricing', null, 'what price|price elasticity|best price|optimal price|how much should i charge|what should i charge|what should we charge|right price|set the price|raise the price|raise prices|price should|which price|ticket price|how should i price|how much to charge|should cost|price point|what to charge|selling price|elasticity|raise my price|lower the price|charge for', 'ticket|tickets|price|pricing|charge|revenue|sell at|tried|priced|raise|fee|sold', 'demand|customers|profit|margin|more money|sales'), // prettier-ignore
  topic(
    'pricing',
    'single_product',
    'what should i charge|best price|optimal price|right price|price elasticity',
    '',
    '',
  ),
  topic(
    'pricing',
    'multinomial_logit',
    'multinomial logit|logit model|choice model|attractiveness',
    'outside option',
    '',
  ),
  topic('pricing', 'linear_demand_system', 'demand system|cross price|substitutes', '', ''),
  topic(
    'pricing',
    'dynamic_pricing',
    'dynamic pricing|price over time|seats left|airline seats',
    'inventory and horizon',
    '',
  ),
  topic('pricing', 'markdown', 'markdown|markdowns|clearance sale|price ladder', 'clear the stock|end of season', ''),
  topic('pricing', 'assortment', 'assortment|which products to offer|product mix to offer|range of products', '', ''),
];

const WEIGHTS = [3, 1.5, 0.7] as const;

let phrases: Phrases<{ readonly topic: number; readonly weight: number; readonly phrase: string }> | null = null;

function allPhrases(): NonNullable<typeof phrases> {
  if (phrases === null) {
    phrases = new Phrases();
    for (const [index, { telling, usual, weak }] of TOPICS.entries()) {
      for (const [level, group] of [telling, usual, weak].entries()) {
        for (const phrase of group.split('|'))
          if (phrase !== '')
            phrases.add(phrase, { topic: index, weight: WEIGHTS[level], phrase: stemsOf(phrase).join(' ') });
      }
    }
  }
  return phrases;
}

export interface Scored {
  readonly type: string;
  readonly model: string | null;
  readonly score: number;
}

export interface Ranking {
  /** Best first. */
  readonly types: readonly { readonly type: string; readonly score: number }[];
  /** By type: models, best first, without what speaks for the type as a whole. */
  readonly models: ReadonlyMap<string, readonly { readonly model: string; readonly score: number }[]>;
}

/** A second telling phrase adds less than the first: ten words of one kind are no better than five. */
const sumOf = (weights: readonly number[]): number =>
  [...weights].sort((a, b) => b - a).reduce((sum, weight, k) => sum + weight / (1 + 0.25 * k), 0);

/** Capitals that are no security: of media, places, money, units and this trade. */
const NO_TICKERS = new Set(`TV PR UK US USA EU UAE SEO SEM PPC CPC CRM OOH DOOH CTV OTT SMS MMS AM FM LA NY SF UGC DM DSP GDN ABM CPA ROI ROAS USD EUR GBP CHF JPY
  KG LB KM MG ML GY CL VD IV AUC EOQ EPQ VRP TSP NAS MLP KNN SVM AND OR THE FOR ALL NOT NO YES BUY SELL IN OF TO BY VS ETA API CSV JSON ASAP FYI PS OK HR IT QA`.split(/\s+/)); // prettier-ignore

/** "split 50k between VTI and BND": two symbols of securities in a row. */
function hasTickers({ text }: Message): boolean {
  const row = /(?<![\w$])([A-Z]{2,5})(?:,? (?:and|or|vs\.?|plus) |, ?| ?& ?|\/)([A-Z]{2,5})(?!\w)/.exec(text);
  if (row === null || text === text.toUpperCase()) return false;
  return [row[1], row[2]].every((name) => !NO_TICKERS.has(name) && allPhrases().find([{ kind: 'word', start: 0, end: name.length, text: name.toLowerCase(), stem: stemsOf(name)[0] ?? '', isMended: false }]).length === 0); // prettier-ignore
}

const LOADED = /\b(?:in|into|onto|on)\b[^.;!?\n]{0,24}\b(?:trucks?|vans?|lorry|lorries|vehicles?)\b/;
const TRAVELS = /\b(?:routes?|routing|deliver(?:y|ies|ed)?|depot|stops?|customers?|visit|rounds?|tours?|drive|drop)\b|[([] ?-?\d[\d.]* ?[,;] ?-?\d/; // prettier-ignore

/** "fit 3, 4, 5, 6 tonnes into 3 trucks": loads, and nowhere to bring them. */
const packsLoads = ({ plain, quantities }: Message): boolean =>
  LOADED.test(plain) &&
  !TRAVELS.test(plain) &&
  quantities.filter(({ unit }) => unit?.dimension === 'mass' || unit?.dimension === 'volume').length >= 2;

export function rankTopics(message: Message): Ranking {
  const hits = new Map<number, Map<string, number>>();
  if (hasTickers(message)) {
    const portfolio = TOPICS.findIndex(({ type }) => type === 'portfolio');
    hits.set(portfolio, new Map([['symbols of securities', 3]]));
  }
  if (packsLoads(message)) {
    const packing = TOPICS.findIndex(({ model }) => model === 'bin_packing');
    hits.set(packing, new Map([['loads into vehicles', 5]]));
  }
  for (const { of, from, to } of allPhrases().find(message.tokens)) {
    const own = hits.get(of.topic) ?? new Map<string, number>();
    // A word that was mended may have been another one.
    const isMended = message.tokens.slice(from, to + 1).some((token) => token.kind === 'word' && token.isMended);
    own.set(of.phrase, Math.max(own.get(of.phrase) ?? 0, of.weight * (isMended ? 0.5 : 1)));
    hits.set(of.topic, own);
  }
  const byType = new Map<string, { general: number[]; models: Map<string, number[]> }>();
  for (const [index, own] of hits) {
    const { type, model } = TOPICS[index];
    const entry = byType.get(type) ?? { general: [], models: new Map<string, number[]>() };
    if (model === null) entry.general.push(...own.values());
    else entry.models.set(model, [...own.values()]);
    byType.set(type, entry);
  }
  const types: { type: string; score: number }[] = [];
  const models = new Map<string, { model: string; score: number }[]>();
  for (const [type, entry] of byType) {
    const own = [...entry.models]
      .map(([model, weights]) => ({ model, score: sumOf(weights), weights }))
      .sort((a, b) => b.score - a.score);
    types.push({ type, score: sumOf([...entry.general, ...(own[0]?.weights ?? [])]) });
    models.set(type, own.map(({ model, score }) => ({ model, score }))); // prettier-ignore
  }
  types.sort((a, b) => b.score - a.score || (a.type < b.type ? -1 : 1));
  return { types, models };
}
