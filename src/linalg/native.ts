/**
 * The native forms of this folder's functions, or null where the addon is not built or from other sources. Both forms
 * compute equal bits: the addon only saves time. Checks of arguments: native/addon/addon.cpp.
 */
import { nativeAddon } from '../common/native-addon.js';

interface NativeLinalg {
  targets(): string[];
  fitQuadratic(
    kind: number,
    n: number,
    count: number,
    rows: Int32Array,
    z: Float64Array,
    fitness: Float64Array,
    bestWeight: number,
    ridge: number,
    coefficients: Float64Array,
    target?: string,
  ): boolean;
  whitenRows(
    n: number,
    count: number,
    entries: Int32Array,
    points: Float64Array,
    mean: Float64Array,
    scale: Float64Array,
    factor: Float64Array,
    z: Float64Array,
    squaredLengths: Float64Array,
    target?: string,
  ): void;
}

/** Why there is none is reported where evaluations need it (src/backends/native). Never throws. */
export function nativeLinalg(): NativeLinalg | null {
  const { fitQuadratic, whitenRows } = (nativeAddon().exports ?? {}) as Partial<NativeLinalg>;
  const isWhole = fitQuadratic !== undefined && whitenRows !== undefined;
  return isWhole ? (nativeAddon().exports as NativeLinalg) : null;
}
