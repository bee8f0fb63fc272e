import type { ProblemType } from '../../problem-type.js';
import { MOST_AISLES, MOST_CROSS_AISLES } from './aisles.js';
import { binPacking, MOST_PACKED } from './bin-packing.js';
import { facilityLocation, MOST_CUSTOMERS, MOST_LINKS, MOST_SITES } from './facility-location.js';
import { layout, MOST_FACILITIES } from './layout.js';
import { MOST_ORDERS, orderBatching } from './order-batching.js';
import { MOST_PICKS, pickerRouting } from './picker-routing.js';
import { MOST_ITEMS, MOST_SLOTS, MOST_SLOTS_WITH_AFFINITY, storageAssignment } from './storage-assignment.js';

export const warehouse: ProblemType = {
  domain: 'supply_chain',
  name: 'warehouse',
  aliases: ['warehouse_optimization'],
  title: 'Warehouses',
  summary:
    'Where goods, departments and sites go, how pickers walk, which orders they take along, how bins are filled.',
  models: [storageAssignment, facilityLocation, layout, pickerRouting, orderBatching, binPacking],
  limits: {
    items: MOST_ITEMS,
    slots: MOST_SLOTS,
    slots_with_affinity: MOST_SLOTS_WITH_AFFINITY,
    location_facilities: MOST_SITES,
    customers: MOST_CUSTOMERS,
    facilities_times_customers: MOST_LINKS,
    layout_facilities: MOST_FACILITIES,
    aisles: MOST_AISLES,
    cross_aisles: MOST_CROSS_AISLES,
    picks: MOST_PICKS,
    orders: MOST_ORDERS,
    packed_items: MOST_PACKED,
  },
};
