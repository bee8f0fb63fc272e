import type { ProblemType } from '../../problem-type.js';
import { baseStock } from './base-stock.js';
import { eoqBackorder } from './eoq-backorder.js';
import { eoqDiscount } from './eoq-discount.js';
import { eoq } from './eoq.js';
import { epq } from './epq.js';
import { guaranteedService } from './guaranteed-service.js';
import { jointReplenishment } from './joint-replenishment.js';
import { multiEchelonSerial } from './multi-echelon-serial.js';
import { multiItemEoq } from './multi-item-eoq.js';
import { newsvendor } from './newsvendor.js';
import { rQ } from './r-q.js';
import { sS } from './s-s.js';
import { simulation } from './simulation.js';
import { wagnerWhitin } from './wagner-whitin.js';

export const inventory: ProblemType = {
  domain: 'supply_chain',
  name: 'inventory',
  aliases: ['inventory_optimization'],
  title: 'Inventory policies',
  summary: 'When to order, and how much, so that ordering, holding and shortages together cost least.',
  models: [
    eoq,
    eoqBackorder,
    epq,
    eoqDiscount,
    multiItemEoq,
    jointReplenishment,
    newsvendor,
    baseStock,
    sS,
    rQ,
    wagnerWhitin,
    multiEchelonSerial,
    guaranteedService,
    simulation,
  ],
  limits: {
    simulated_periods: 20_000,
    items: 10_000,
    periods: 5_000,
    periods_with_capacity: 120,
    stages: 500,
    serial_stages: 20,
    demand_values: 10_000,
  },
};
