// The kernels of a generation program, one individual per thread. A generation is: move, the objective's `evaluate`,
// count_odd, accept, and `combine` until one `Statistics` is left, the only thing that has to leave the device.

// Minima, maxima and counts: equal bits whatever the order. Of equal values the first individual counts.
struct Statistics {
  double best;             // of this generation's values
  double lowest, highest;  // of the fitness that individuals keep
  unsigned index;          // of `best`
  unsigned successes;
};

// `box`: n lower bounds, n upper bounds, n widths. `candidates`: tiles, as `evaluate` takes them. `odd` becomes 0.
extern "C" __global__ void move(Population p, const double *box, double *candidates, unsigned *odd) {
  const unsigned k = thread_index();
  if (k == 0) *odd = 0;
  if (k >= p.size) return;
  move_one(p, k);
  const double *const points = vector(p, kAsked);
  for (unsigned i = 0; i < p.n; ++i) {
    const double low = box[i], high = box[p.n + i], u = points[at(p.n, k, i)];
    double x = low + u * box[2 * p.n + i];
    x = x < low ? low : x > high ? high : x;
    candidates[at(p.n, k, i)] = u <= 0 ? low : u >= 1 ? high : x;
  }
}

// How many candidates are flagged, or have no number for a value.
extern "C" __global__ void count_odd(unsigned size, const double *values, const unsigned char *status, unsigned *odd) {
  const unsigned k = thread_index();
  if (k < size && (status[k] != 0 || !(values[k] == values[k]))) atomicAdd(odd, 1u);
}

// `sign`: -1 where the objective is maximized. A flagged lane, and a value that is not finite, is a failure.
extern "C" __global__ void accept(Population p, double sign, const double *values, const unsigned char *status,
                                  Statistics *statistics) {
  const unsigned k = thread_index();
  if (k >= p.size) return;
  const double signed_value = sign * values[k];
  const bool is_finite = signed_value > -infinity() && signed_value < infinity();
  const double value = status[k] == 0 && is_finite ? signed_value : infinity();
  const unsigned successes = value < scalar(p, 0)[k] ? 1 : 0;
  accept_one(p, k, value);
  const double kept = scalar(p, 0)[k];
  statistics[k] = {value, kept, kept, k, successes};
}

// One of `count` entries from every 64 of them.
extern "C" __global__ void combine(const Statistics *from, unsigned count, Statistics *to) {
  const unsigned long long first = (unsigned long long)thread_index() * kTile;
  if (first >= count) return;
  Statistics all = from[first];
  for (unsigned long long k = first + 1; k < count && k < first + kTile; ++k) {
    const Statistics one = from[k];
    if (one.best < all.best) {
      all.best = one.best;
      all.index = one.index;
    }
    if (one.lowest < all.lowest) all.lowest = one.lowest;
    if (one.highest > all.highest) all.highest = one.highest;
    all.successes += one.successes;
  }
  to[thread_index()] = all;
}

// Rows [count, n] of the individuals in `rows`, from tiles of n numbers each.
extern "C" __global__ void gather(const double *tiles, unsigned n, const unsigned *rows, unsigned count,
                                  double *gathered) {
  const unsigned k = thread_index();
  if (k >= count) return;
  for (unsigned i = 0; i < n; ++i) gathered[(unsigned long long)k * n + i] = tiles[at(n, rows[k], i)];
}
