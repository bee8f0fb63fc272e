/**
 * Indicators as streams: each is given one bar after the other and returns its value at that bar, NaN while it has
 * none. A later bar is not there to be seen, so that no indicator can look ahead.
 *
 * Windows slide without subtracting what leaves them: a window is the end of one block and the beginning of the next,
 * and both are added up. Values of any size leave nothing behind, and equal values have exactly their own mean and no
 * spread.
 */

/** Value at the next bar of one or two inputs. */
export type Stream = (a: number, b: number) => number;

/** The stream's value at every bar. */
export function traced(stream: Stream, a: ArrayLike<number>, b: ArrayLike<number> = a): Float64Array {
  const out = new Float64Array(a.length);
  for (let i = 0; i < out.length; i++) out[i] = stream(a[i], b[i]);
  return out;
}

/**
 * `first` for the first `width` values, then that of each window: the end of one block and the beginning of the next.
 */
interface Blocks {
  /** Forgets the beginning that `add` has made, after handing it on as the new end. */
  turn(): void;
  /** One more value of the beginning, `j` of its block. */
  add(value: number, j: number): void;
  /** Result for the whole window, after `add(.., j)`. */
  read(j: number): number;
}

function slidingOver(width: number, blocks: Blocks): Stream {
  let i = 0;
  return (value) => {
    const j = i % width;
    if (j === 0 && i > 0) blocks.turn();
    blocks.add(value, j);
    i++;
    return i < width ? NaN : blocks.read(j);
  };
}

/**
 * Mean, or population standard deviation, of the last `width` values. Source of the sums: Chan, Golub and LeVeque 1979.
 */
function slidingMoments(width: number, isDeviation: boolean): Stream {
  const block = new Float64Array(width);
  // Of the last k values of the block before, by k.
  const means = new Float64Array(width + 1);
  const squares = new Float64Array(width + 1);
  let [mean, square] = [0, 0];
  return slidingOver(width, {
    turn() {
      let [m, s] = [0, 0];
      for (let k = 1; k <= width; k++) {
        const delta = block[width - k] - m;
        m += delta / k;
        s += delta * (block[width - k] - m);
        means[k] = m;
        squares[k] = s;
      }
      [mean, square] = [0, 0];
    },
    add(value, j) {
      block[j] = value;
      const delta = value - mean;
      mean += delta / (j + 1);
      square += delta * (value - mean);
    },
    read(j) {
      const before = width - j - 1;
      const delta = mean - means[before];
      if (!isDeviation) return before === 0 ? mean : means[before] + (delta * (j + 1)) / width;
      const sum = before === 0 ? square : squares[before] + square + (delta * delta * before * (j + 1)) / width;
      return Math.sqrt(sum / width);
    },
  });
}

export const slidingMean = (width: number): Stream => slidingMoments(width, false);

export const slidingDeviation = (width: number): Stream => slidingMoments(width, true);

/** Highest (`sign` 1) or lowest (-1) of the last `width` values. */
function slidingExtreme(width: number, sign: 1 | -1): Stream {
  const block = new Float64Array(width);
  const ends = new Float64Array(width + 1).fill(-Infinity);
  let most = -Infinity;
  return slidingOver(width, {
    turn() {
      for (let k = 1; k <= width; k++) ends[k] = Math.max(ends[k - 1], block[width - k]);
      most = -Infinity;
    },
    add(value, j) {
      block[j] = sign * value;
      most = Math.max(most, block[j]);
    },
    read: (j) => sign * Math.max(most, ends[width - j - 1]),
  });
}

/** The value `bars` bars ago. */
export function lagged(bars: number): Stream {
  const kept = new Float64Array(bars).fill(NaN);
  let i = 0;
  return (value) => {
    const before = kept[i % bars];
    kept[i % bars] = value;
    i++;
    return before;
  };
}

/** Highest or lowest of the `width` bars before this one. */
export function channel(width: number, sign: 1 | -1): Stream {
  const extreme = slidingExtreme(width, sign);
  let before = NaN;
  return (value, other) => {
    const known = before;
    before = extreme(value, other);
    return known;
  };
}

/** Exponential average with weight 2 / (span + 1) for the newest value, from the mean of the first `span` values on. */
export function exponentialMean(span: number): Stream {
  const weight = 2 / (span + 1);
  let i = 0;
  let average = 0;
  return (value) => {
    i++;
    average += (value - average) * (i <= span ? 1 / i : weight);
    return i < span ? NaN : average;
  };
}

/**
 * Relative strength index, 0 to 100: averages of gains and of losses, from the mean of the first `period` changes on.
 * Without any change it is 50. Source: Wilder 1978.
 */
export function relativeStrength(period: number): Stream {
  let i = 0;
  let [before, gain, loss] = [NaN, 0, 0];
  return (value) => {
    const change = value - before;
    before = value;
    if (i++ === 0) return NaN;
    const share = 1 / Math.min(i - 1, period);
    gain += (Math.max(0, change) - gain) * share;
    loss += (Math.max(0, -change) - loss) * share;
    if (i <= period) return NaN;
    return gain + loss > 0 ? (100 * gain) / (gain + loss) : 50;
  };
}

/** The line of two averages less its own exponential average, as a share of all three. Inputs: fast, slow. */
export function histogram(span: number): Stream {
  const average = exponentialMean(span);
  return (fast, slow) => {
    const line = fast - slow;
    if (line !== line) return NaN;
    const signal = average(line, line);
    return (line - signal) / (Math.max(fast, slow) + Math.abs(signal));
  };
}
