/**
 * The problem as all solvers read it, whatever form the config had. Locations: depots first, then customers. Absent
 * limits are Infinity.
 */
export interface Place {
  readonly id: string;
  /** Absent: the place has no coordinates, only a row of the matrix. */
  readonly at: readonly [x: number, y: number] | null;
}

export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Customer extends Place {
  /** Delivered from the depot, by dimension of load. */
  readonly demand: readonly number[];
  /** Collected and brought to the depot. */
  readonly pickup: readonly number[];
  readonly service: number;
  /** In order, apart. */
  readonly windows: readonly Window[];
  readonly release: number;
  readonly prize: number;
  readonly required: boolean;
  readonly skills: readonly string[];
}

export interface Shipment {
  readonly id: string;
  /** Customers, from 0. */
  readonly pickup: number;
  readonly delivery: number;
  readonly demand: readonly number[];
}

export interface VehicleType {
  readonly id: string;
  readonly count: number;
  readonly capacity: readonly number[];
  readonly start: number;
  readonly end: number;
  readonly maxDistance: number;
  readonly maxDuration: number;
  readonly maxStops: number;
  readonly fixedCost: number;
  readonly costPerDistance: number;
  readonly costPerTime: number;
  readonly skills: readonly string[];
  /** Depots, from 0. */
  readonly depot: number;
  readonly endDepot: number;
}

export const OBJECTIVES = ['cost', 'distance', 'duration', 'vehicles_then_distance', 'makespan'] as const;
export type Objective = (typeof OBJECTIVES)[number];

export interface Network {
  readonly depots: readonly Place[];
  readonly customers: readonly Customer[];
  readonly shipments: readonly Shipment[];
  readonly types: readonly VehicleType[];
  readonly dimensions: number;
  /** [locations, locations] */
  readonly distances: Float64Array;
  /** The same array where a unit of distance takes a unit of time. */
  readonly durations: Float64Array;
  /** No way round is shorter than the direct one: neither a given matrix nor rounding promises that. */
  readonly isMetric: boolean;
  readonly objective: Objective;
  readonly allowUnserved: boolean;
  /** Whether the coordinates are degrees, which are drawn east to the right. */
  readonly isGeographic: boolean;
}

export const locations = (network: Network): number => network.depots.length + network.customers.length;

export const distance = (network: Network, a: number, b: number): number =>
  network.distances[a * locations(network) + b];
export const duration = (network: Network, a: number, b: number): number =>
  network.durations[a * locations(network) + b];

/** Whether vehicles of the type have every skill that the customer asks for. */
export const hasSkills = (type: VehicleType, customer: Customer): boolean =>
  customer.skills.every((skill) => type.skills.includes(skill));

/** Costs of a type's vehicles, in the objective of the network. */
export interface Rates {
  readonly fixed: number;
  readonly perDistance: number;
  readonly perTime: number;
}

export function ratesOf(objective: Objective, type: VehicleType): Rates {
  switch (objective) {
    case 'cost':
      return { fixed: type.fixedCost, perDistance: type.costPerDistance, perTime: type.costPerTime };
    case 'distance':
    case 'vehicles_then_distance':
    case 'makespan': // Of plans whose last return is equal, the shortest.
      return { fixed: 0, perDistance: 1, perTime: 0 };
    case 'duration':
      return { fixed: 0, perDistance: 0, perTime: 1 };
  }
}
