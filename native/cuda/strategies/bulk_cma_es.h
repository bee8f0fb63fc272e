// The device's form of src/strategies/bulk-cma-es/: `step` is what launches.ts asks for, one function for each step.
// Each number comes of the same operations in the same order as there. Symbols and equations stand there, too.
constexpr unsigned kVectors = 2, kScalars = 4, kAsked = 0;

// As `STEP` of launches.ts.
enum Step : unsigned {
  kBegin,
  kDraw,
  kCorrelate,
  kStretch,
  kProject,
  kAlong,
  kSortTiles,
  kMerge,
  kRank,
  kWeigh,
  kSumSteps,
  kSumLevel,
  kMoveMean,
  kSolveBlock,
  kSolveRest,
  kDivide,
  kPeel,
  kPath,
  kStepSize,
  kCovariancePath,
  kVariances,
  kDirections,
  kProducts,
  kCovariance,
  kCopy,
  kFactorBlock,
  kFactorRows,
  kFactorRest
};

// As `CONSTANT`, `SHARED` and `WORK` of layout.ts.
enum Constant : unsigned {
  kForm,
  kMu,
  kCs,
  kPsGain,
  kCc,
  kPcGain,
  kC1,
  kCmu,
  kWeightSum,
  kStepRate,
  kChiN,
  kPathKeep,
  kPathLimit,
  kVolumeRate,
  kFactorGap,
  kDirectionCount
};
constexpr unsigned kWeights = 16;
// As `FORMS`.
constexpr double kDiagonal = 0, kFull = 1, kLimited = 2;
enum Shared : unsigned { kSigma, kPathDecay, kRunBest, kMean = 4 };
enum Work : unsigned { kParents, kParentWeight, kHSigma, kDecay, kShift };

constexpr unsigned kRows = 4, kPanel = 16, kMaxChunks = 256, kMaxProducts = 1 << 22;
constexpr double kLeastShrinkage = 0.25, kLeastPivot = 1e-14, kSquaresRate = 0.1;

static __device__ unsigned quotient(unsigned a, unsigned b) { return (a + b - 1) / b; }
static __device__ unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

static __device__ bool is_full(const Population &p) { return p.constants[kForm] == kFull; }
static __device__ bool is_limited(const Population &p) { return p.constants[kForm] == kLimited; }
static __device__ unsigned blocks_of(const Population &p) { return quotient(p.n, kTile); }
static __device__ double *mean_of(const Population &p) { return p.shared + kMean; }
static __device__ double *ps_of(const Population &p) { return mean_of(p) + p.n; }
static __device__ double *pc_of(const Population &p) { return mean_of(p) + 2 * p.n; }
static __device__ double *covariance_of(const Population &p) { return mean_of(p) + 3 * p.n; }
static __device__ double *factor_of(const Population &p) {
  return covariance_of(p) + (is_full(p) ? (unsigned long long)p.n * p.n : p.n);
}
static __device__ double *shift_of(const Population &p) { return p.work + kShift; }
static __device__ double *white_of(const Population &p) { return shift_of(p) + p.n; }
static __device__ double *squares_of(const Population &p) { return white_of(p) + p.n; }
static __device__ double *inverse_of(const Population &p) { return squares_of(p) + blocks_of(p); }
static __device__ unsigned columns_of(const Population &p) {
  return p.n + 1 + (is_full(p) ? 0 : is_limited(p) ? 2 * p.n : p.n);
}
static __device__ unsigned tiles_of(const Population &p) { return quotient(p.size, kTile); }

// The rows of a level of the sums, and where they are; the last level has one row.
struct Level {
  double *sums;
  unsigned rows;
};
static __device__ Level level_of(const Population &p, unsigned level) {
  Level found{inverse_of(p) + p.n, tiles_of(p)};
  for (unsigned k = 0; k < level; ++k) {
    found.sums += (unsigned long long)found.rows * columns_of(p);
    found.rows = quotient(found.rows, kTile);
  }
  return found;
}
static __device__ Level totals_of(const Population &p) {
  Level found = level_of(p, 0);
  while (found.rows > 1) {
    found.sums += (unsigned long long)found.rows * columns_of(p);
    found.rows = quotient(found.rows, kTile);
  }
  return found;
}

struct Products {
  double *sums;
  unsigned chunks, chunk_tiles;
};
static __device__ Products products_of(const Population &p) {
  const Level totals = totals_of(p);
  unsigned wanted = smaller(smaller(kMaxChunks, tiles_of(p)), kMaxProducts / (p.n * p.n));
  if (wanted == 0) wanted = 1;
  const unsigned chunk_tiles = quotient(tiles_of(p), wanted);
  return {totals.sums + columns_of(p), quotient(tiles_of(p), chunk_tiles), chunk_tiles};
}

// Limited memory.
static __device__ unsigned directions_of(const Population &p) { return (unsigned)p.constants[kDirectionCount]; }
static __device__ unsigned directions_in_use(const Population &p) { return smaller(directions_of(p), p.generation); }
static __device__ double *direction_of(const Population &p, unsigned j) {
  return factor_of(p) + p.n + (unsigned long long)j * p.n;
}
struct Direction {
  double share, rate, gain;
};
static __device__ Direction constants_of(const Population &p, unsigned j) {
  const double *const first = p.constants + kWeights + p.size + (unsigned)p.constants[kMu] + 1 + j;
  const unsigned count = directions_of(p);
  return {first[0], first[count], first[2 * count]};
}
// Inner products of direction j, or what it is multiplied with, over 64 coordinates each; of two directions in turn.
static __device__ double *along_of(const Population &p, unsigned j) {
  const unsigned long long own = (unsigned long long)blocks_of(p) * tiles_of(p) * kTile;
  return totals_of(p).sums + columns_of(p) + j % 2 * own;
}
static __device__ double *peeled_of(const Population &p, unsigned j) {
  const unsigned long long own = (unsigned long long)blocks_of(p) * tiles_of(p) * kTile;
  return along_of(p, 0) + 2 * own + j % 2 * 2 * blocks_of(p);
}

// One line each, as the reader of machine code expects it; an objective's kernel may have the same names.
namespace exact {
static __device__ __forceinline__ double divide(double a, double b) { return a / b; }
static __device__ __forceinline__ double square_root(double a) { return sqrt(a); }
}  // namespace exact

// --- elementary functions, as src/common/float.ts and src/strategies/generations/normals.ts

// Of a normal number.
static __device__ double log_of(double x) {
  int k = (__double2hiint(x) >> 20) - 1023;
  double m = __hiloint2double((__double2hiint(x) & 0xfffff) | 0x3ff00000, __double2loint(x));
  if (m >= 1.4142135623730951) {
    m *= 0.5;
    k += 1;
  }
  const double s = exact::divide(m - 1, m + 1);
  const double z = s * s;
  double series = 1.0 / 23;
  series = series * z + 1.0 / 21;
  series = series * z + 1.0 / 19;
  series = series * z + 1.0 / 17;
  series = series * z + 1.0 / 15;
  series = series * z + 1.0 / 13;
  series = series * z + 1.0 / 11;
  series = series * z + 1.0 / 9;
  series = series * z + 1.0 / 7;
  series = series * z + 1.0 / 5;
  series = series * z + 1.0 / 3;
  return k * 0.693147180369123816490173339844 + (2 * s + (2 * s * z * series + k * 1.90821492927058770002e-10));
}

// For |x| of a few units.
static __device__ double exp_of(double x) {
  const double k = floor(x * 1.4426950408889634 + 0.5);
  const double r = x - k * 0.693147180369123816490173339844 - k * 1.90821492927058770002e-10;
  double p = 1.0 / 6227020800;
  p = p * r + 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  return p * __hiloint2double((__double2int_rz(k) + 1023) << 20, 0);
}

static __device__ double sine(double t, double z) {
  double p = z * (1.0 / 355687428096000.0);
  p = -1.0 / 1307674368000.0 + p;
  p = 1.0 / 6227020800.0 + z * p;
  p = -1.0 / 39916800 + z * p;
  p = 1.0 / 362880 + z * p;
  p = -1.0 / 5040 + z * p;
  p = 1.0 / 120 + z * p;
  p = -1.0 / 6 + z * p;
  return t * (1 + z * p);
}
static __device__ double cosine(double z) {
  double p = z * (1.0 / 20922789888000.0);
  p = -1.0 / 87178291200.0 + p;
  p = 1.0 / 479001600 + z * p;
  p = -1.0 / 3628800 + z * p;
  p = 1.0 / 40320 + z * p;
  p = -1.0 / 720 + z * p;
  p = 1.0 / 24 + z * p;
  p = -0.5 + z * p;
  return 1 + z * p;
}

struct Pair {
  double first, second;
};
static __device__ Pair normal_pair(const Words &words) {
  const double radius = exact::square_root(-2 * log_of(1 - uniform53(words.word[0], words.word[1])));
  const double turn = uniform53(words.word[2], words.word[3]);
  const double quarter = floor(4 * turn + 0.5);
  const double t = (turn - 0.25 * quarter) * 6.283185307179586;
  const double z = t * t;
  const double c = cosine(z), s = sine(t, z);
  const bool is_across = quarter == 1 || quarter == 3;
  const double x = is_across ? -s : c, y = is_across ? c : s;
  const double sign = quarter == 2 || quarter == 3 ? -1 : 1;
  return {radius * (sign * x), radius * (sign * y)};
}

// --- sampling

static __device__ void begin(const Population &p, unsigned t) {
  const unsigned n = p.n;
  if (t < directions_of(p) * n) direction_of(p, 0)[t] = 0;
  const unsigned long long entries = is_full(p) ? (unsigned long long)n * n : n;
  if (t >= entries) return;
  const double entry = is_full(p) && t / n != t % n ? 0 : 1;
  covariance_of(p)[t] = factor_of(p)[t] = entry;
  if (t == 0) {
    p.shared[kSigma] = p.run == 0 ? 0.2 : 0.3;
    p.shared[kPathDecay] = 1;
    p.shared[kRunBest] = infinity();
    p.shared[kRunBest + 1] = 0;
  }
  if (t >= n) return;
  const Words words = draw(p, t, 0, kStart);
  mean_of(p)[t] = p.run == 0 ? 0.5 : uniform53(words.word[0], words.word[1]);
  ps_of(p)[t] = pc_of(p)[t] = 0;
}

static __device__ void draw_normals(const Population &p, unsigned t) {
  const unsigned pairs = quotient(p.n, 2), b = t / kTile % pairs, k = t / kTile / pairs * kTile + t % kTile;
  if (k >= p.size) return;
  const Pair pair = normal_pair(draw(p, k, b, kCoordinates));
  double *const normals = vector(p, 0);
  normals[at(p.n, k, 2 * b)] = pair.first;
  if (2 * b + 1 < p.n) normals[at(p.n, k, 2 * b + 1)] = pair.second;
}

// Four rows for one individual.
static __device__ void correlate(const Population &p, unsigned t) {
  const unsigned n = p.n, blocks = quotient(n, kRows);
  const unsigned i = t / kTile % blocks * kRows, k = t / kTile / blocks * kTile + t % kTile;
  if (k >= p.size) return;
  const double *const z = vector(p, 0) + at(n, k, 0);
  double *const y = vector(p, 1) + at(n, k, 0);
  // Rows that there are not repeat the last one.
  const double *row[kRows];
  for (unsigned r = 0; r < kRows; ++r) row[r] = factor_of(p) + (unsigned long long)smaller(i + r, n - 1) * n;
  double sum[kRows] = {0, 0, 0, 0};
  for (unsigned j = 0; j <= i; ++j) {
    const double value = z[j * kTile];
    for (unsigned r = 0; r < kRows; ++r) sum[r] += row[r][j] * value;
  }
  for (unsigned r = 0; r < kRows; ++r) {
    if (i + r >= n) continue;
    for (unsigned j = i + 1; j <= i + r; ++j) sum[r] += row[r][j] * z[j * kTile];
    y[(i + r) * kTile] = sum[r];
  }
}

static __device__ void stretch(const Population &p, unsigned t) {
  const unsigned i = t / kTile % p.n, k = t / kTile / p.n * kTile + t % kTile;
  if (k >= p.size) return;
  const unsigned long long e = at(p.n, k, i);
  vector(p, 1)[e] = factor_of(p)[i] * vector(p, 0)[e];
}

// A thread's block of coordinates and individual; `false`: there is no such individual.
struct Place {
  unsigned block, k;
};
static __device__ bool place_of(const Population &p, unsigned t, Place &place) {
  const unsigned blocks = blocks_of(p);
  place = {t / kTile % blocks, t / kTile / blocks * kTile + t % kTile};
  return place.k < p.size;
}
static __device__ double *partial_of(const Population &p, unsigned j, unsigned block, unsigned k) {
  return along_of(p, j) + (unsigned long long)block * tiles_of(p) * kTile + k;
}

// The inner products with the normal numbers, of the direction that comes first.
static __device__ void project(const Population &p, unsigned j, unsigned t) {
  Place place;
  if (!place_of(p, t, place)) return;
  const double *const z = vector(p, 0), *const v = direction_of(p, j);
  const unsigned first = place.block * kTile, end = smaller(first + kTile, p.n);
  double partial = 0;
  for (unsigned i = first; i < end; ++i) partial += v[i] * z[at(p.n, place.k, i)];
  *partial_of(p, j, place.block, place.k) = partial;
}

// One direction; then the inner products with the next one, or the scales.
static __device__ void move_along(const Population &p, unsigned j, unsigned t) {
  Place place;
  if (!place_of(p, t, place)) return;
  const double share = constants_of(p, j).share, keep = 1 - share;
  double along = 0;
  for (unsigned block = 0; block < blocks_of(p); ++block) along += *partial_of(p, j, block, place.k);
  along *= share;
  const double *const from = vector(p, j + 1 == directions_in_use(p) ? 0 : 1), *const v = direction_of(p, j);
  double *const to = vector(p, 1);
  const double *const next = j > 0 ? direction_of(p, j - 1) : factor_of(p);
  const unsigned first = place.block * kTile, end = smaller(first + kTile, p.n);
  double partial = 0;
  for (unsigned i = first; i < end; ++i) {
    const unsigned long long e = at(p.n, place.k, i);
    const double value = keep * from[e] + along * v[i];
    const double product = next[i] * value;
    to[e] = j > 0 ? value : product;
    partial += product;
  }
  if (j > 0) *partial_of(p, j - 1, place.block, place.k) = partial;
}

static __device__ void move_one(const Population &p, unsigned k) {
  double *const points = vector(p, 0);
  const double *const steps = vector(p, 1);
  const double sigma = p.shared[kSigma];
  double squared = 0;
  for (unsigned i = 0; i < p.n; ++i) {
    const unsigned long long e = at(p.n, k, i);
    const double z = points[e];
    squared += z * z;
    const double value = mean_of(p)[i] + sigma * steps[e];
    points[e] = value > 0 ? (value > 1 ? 1 : value) : 0;
  }
  scalar(p, 1)[k] = squared;
  scalar(p, 0)[k] = p.shared[kRunBest];
}

static __device__ void accept_one(const Population &p, unsigned k, double value) { scalar(p, 0)[k] = value; }

// --- ranking: by fitness, then by index, so that one order is right, however it is found

static __device__ unsigned merges_of(const Population &p) {
  unsigned merges = 0;
  while (kTile << merges < p.size) ++merges;
  return merges;
}
// Indices from best to worst before merge `turn`; after the last one they are scalar 2.
static __device__ double *order_of(const Population &p, unsigned turn) {
  return scalar(p, 2 + (merges_of(p) - turn) % 2);
}

static __device__ void sort_tiles(const Population &p, unsigned k) {
  if (k >= p.size) return;
  const double *const fitness = scalar(p, 0);
  const unsigned first = k / kTile * kTile, end = smaller(first + kTile, p.size);
  unsigned better = 0;
  for (unsigned j = first; j < end; ++j)
    if (fitness[j] < fitness[k] || (fitness[j] == fitness[k] && j < k)) ++better;
  order_of(p, 0)[first + better] = k;
}

// An element of a sorted run goes behind its own run's better ones and the next run's.
static __device__ void merge(const Population &p, unsigned turn, unsigned t) {
  if (t >= p.size) return;
  const double *const fitness = scalar(p, 0), *const from = order_of(p, turn);
  const unsigned width = kTile << turn, run = t / width;
  const unsigned start = smaller((run ^ 1) * width, p.size), end = smaller(start + width, p.size);
  const bool is_left = run % 2 == 0;
  const double value = fitness[(unsigned)from[t]];
  unsigned low = start, high = end;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    const double other = fitness[(unsigned)from[middle]];
    if (other < value || (other == value && !is_left))
      low = middle + 1;
    else
      high = middle;
  }
  order_of(p, turn + 1)[run / 2 * 2 * width + t % width + (low - start)] = from[t];
}

static __device__ void rank(const Population &p) {
  const double *const fitness = scalar(p, 0), *const order = scalar(p, 2);
  unsigned low = 0, high = (unsigned)p.constants[kMu];
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (fitness[(unsigned)order[middle]] < infinity())
      low = middle + 1;
    else
      high = middle;
  }
  p.work[kParents] = low;
  p.work[kParentWeight] = p.constants[kWeights + p.size + low];
  const double best = fitness[(unsigned)order[0]];
  if (best < p.shared[kRunBest]) p.shared[kRunBest] = best;
}

static __device__ void weigh(const Population &p, unsigned r) {
  if (r >= p.size) return;
  const unsigned k = (unsigned)scalar(p, 2)[r];
  const double weight = p.constants[kWeights + r], squared = scalar(p, 1)[k];
  double *const weights = scalar(p, 3);
  if (weight < 0)
    weights[k] = squared > 0 ? exact::divide(weight * p.n, squared) : 0;
  else
    weights[k] = r < p.work[kParents] ? exact::divide(weight, p.work[kParentWeight]) : 0;
}

// --- learning

static __device__ void sum_steps(const Population &p, unsigned t) {
  const unsigned n = p.n, tile = t / (n + 1), i = t % (n + 1);
  if (tile >= tiles_of(p)) return;
  const unsigned first = tile * kTile, count = smaller(kTile, p.size - first);
  const double *const weights = scalar(p, 3) + first;
  const double *const steps = i < n ? vector(p, 1) + at(n, first, i) : scalar(p, 1) + first;
  double sum = 0, squares = 0, all = 0;
  for (unsigned lane = 0; lane < count; ++lane) {
    const double weight = weights[lane], step = steps[lane], square = step * step;
    sum += (weight > 0 ? weight : 0) * step;
    squares += weight * square;
    all += square;
  }
  double *const row = level_of(p, 0).sums + (unsigned long long)tile * columns_of(p);
  row[i] = sum;
  if (i < n && !is_full(p)) row[n + 1 + i] = squares;
  if (i < n && is_limited(p)) row[2 * n + 1 + i] = all;
}

static __device__ void sum_level(const Population &p, unsigned level, unsigned t) {
  const unsigned columns = columns_of(p), row = t / columns, c = t % columns;
  const Level from = level_of(p, level - 1), to = level_of(p, level);
  if (row >= to.rows) return;
  const unsigned end = smaller(from.rows, (row + 1) * kTile);
  double sum = 0;
  for (unsigned e = row * kTile; e < end; ++e) sum += from.sums[(unsigned long long)e * columns + c];
  to.sums[(unsigned long long)row * columns + c] = sum;
}

static __device__ double deviation_of(const Population &p, unsigned i) {
  if (p.constants[kForm] == kDiagonal) return factor_of(p)[i];
  if (is_full(p)) return exact::square_root(covariance_of(p)[(unsigned long long)i * p.n + i]);
  return factor_of(p)[i] * exact::square_root(covariance_of(p)[i]);
}

static __device__ void move_mean(const Population &p, unsigned i) {
  if (i >= p.n) return;
  const double sigma = p.shared[kSigma], old = mean_of(p)[i], step = totals_of(p).sums[i];
  const double moved = old + sigma * step;
  const double slack = 1.5 * (sigma * deviation_of(p, i));
  const double low = 0 - slack, high = 1 + slack;
  const double next = moved < low ? low : moved > high ? high : moved;
  mean_of(p)[i] = next;
  shift_of(p)[i] = next == moved ? step : sigma > 0 ? exact::divide(next - old, sigma) : 0;
}

// The rows of a panel: what lies left of it has been subtracted by `solve_rest`.
static __device__ void solve_block(const Population &p, unsigned turn) {
  const double *const factor = factor_of(p);
  double *const white = white_of(p);
  const unsigned first = turn * kPanel, end = smaller(first + kPanel, p.n);
  for (unsigned i = first; i < end; ++i) {
    double value = turn == 0 ? shift_of(p)[i] : white[i];
    for (unsigned j = first; j < i; ++j) value -= factor[(unsigned long long)i * p.n + j] * white[j];
    white[i] = exact::divide(value, factor[(unsigned long long)i * p.n + i]);
  }
}

static __device__ void solve_rest(const Population &p, unsigned turn, unsigned t) {
  const unsigned first = turn * kPanel, i = first + kPanel + t;
  if (i >= p.n) return;
  const double *const row = factor_of(p) + (unsigned long long)i * p.n;
  double *const white = white_of(p);
  double value = turn == 0 ? shift_of(p)[i] : white[i];
  for (unsigned j = first; j < first + kPanel; ++j) value -= row[j] * white[j];
  white[i] = value;
}

static __device__ void divide(const Population &p, unsigned i) {
  if (i < p.n) white_of(p)[i] = exact::divide(shift_of(p)[i], factor_of(p)[i]);
}

// Takes direction `turn` - 1 off the shift, for 64 coordinates; without one, their scales. Then sums for the next one.
static __device__ void peel(const Population &p, unsigned turn, unsigned block) {
  const unsigned blocks = blocks_of(p), first = block * kTile, end = smaller(first + kTile, p.n);
  if (block >= blocks) return;
  double *const white = white_of(p);
  if (turn == 0) {
    for (unsigned i = first; i < end; ++i) white[i] = exact::divide(shift_of(p)[i], factor_of(p)[i]);
  } else {
    const double *const v = direction_of(p, turn - 1), *const sums = peeled_of(p, turn - 1);
    const double share = constants_of(p, turn - 1).share, keep = 1 - share;
    double product = 0, squares = 0;
    for (unsigned k = 0; k < blocks; ++k) {
      product += sums[k];
      squares += sums[blocks + k];
    }
    const double along = exact::divide(share * product, keep + share * squares);
    for (unsigned i = first; i < end; ++i) white[i] = exact::divide(white[i] - along * v[i], keep);
  }
  if (turn == directions_in_use(p)) return;
  const double *const v = direction_of(p, turn);
  double product = 0, squares = 0;
  for (unsigned i = first; i < end; ++i) {
    product += v[i] * white[i];
    squares += v[i] * v[i];
  }
  double *const sums = peeled_of(p, turn);
  sums[block] = product;
  sums[blocks + block] = squares;
}

static __device__ void path(const Population &p, unsigned block) {
  const unsigned first = block * kTile, end = smaller(first + kTile, p.n);
  if (first >= p.n) return;
  const double keep = 1 - p.constants[kCs], gain = p.constants[kPsGain];
  double sum = 0;
  for (unsigned i = first; i < end; ++i) {
    const double value = keep * ps_of(p)[i] + gain * white_of(p)[i];
    ps_of(p)[i] = value;
    sum += value * value;
  }
  squares_of(p)[block] = sum;
}

static __device__ bool is_plateau(const Population &p) {
  const double *const fitness = scalar(p, 0), *const order = scalar(p, 2), *const points = vector(p, 0);
  const unsigned first = (unsigned)order[0], other = (unsigned)order[smaller(p.size - 1, 1 + (p.size >> 2))];
  if (fitness[first] != fitness[other]) return false;
  for (unsigned i = 0; i < p.n; ++i)
    if (points[at(p.n, first, i)] != points[at(p.n, other, i)]) return true;
  return false;
}

static __device__ void step_size(const Population &p) {
  const double *const c = p.constants;
  double squared = 0;
  for (unsigned block = 0; block < blocks_of(p); ++block) squared += squares_of(p)[block];
  const double length = exact::square_root(squared);
  const double decay = p.shared[kPathDecay] * c[kPathKeep];
  p.shared[kPathDecay] = decay;
  const double h = length < c[kPathLimit] * exact::square_root(1 - decay) ? 1 : 0;
  p.work[kHSigma] = h;
  p.work[kDecay] = 1 + c[kC1] * (1 - h) * c[kCc] * (2 - c[kCc]) - c[kC1] - c[kCmu] * c[kWeightSum];
  const double volume = c[kVolumeRate] * (exact::divide(totals_of(p).sums[p.n], p.n) - 1);
  double exponent = c[kStepRate] * (exact::divide(length, c[kChiN]) - 1) + volume;
  if (is_plateau(p)) exponent += 0.2 + c[kStepRate];
  const double sigma = p.shared[kSigma] * exp_of(exponent < 1 ? exponent : 1);
  p.shared[kSigma] = sigma < 1 ? sigma : 1;
}

static __device__ void covariance_path(const Population &p, unsigned i) {
  if (i >= p.n) return;
  const double gain = p.work[kHSigma] * p.constants[kPcGain];
  pc_of(p)[i] = (1 - p.constants[kCc]) * pc_of(p)[i] + gain * shift_of(p)[i];
}

static __device__ void variances(const Population &p, unsigned i) {
  if (i >= p.n) return;
  const double value = pc_of(p)[i], old = covariance_of(p)[i];
  const double sum = totals_of(p).sums[p.n + 1 + i];
  const double variance = p.work[kDecay] * old + (p.constants[kC1] * value * value + p.constants[kCmu] * sum);
  const double kept = variance >= kLeastShrinkage * old ? variance : kLeastShrinkage * old;
  covariance_of(p)[i] = kept;
  factor_of(p)[i] = exact::square_root(kept);
}

// The scale of a coordinate, and coordinates of the directions.
static __device__ void learn_scale(const Population &p, unsigned i) {
  const double value = pc_of(p)[i], scale = factor_of(p)[i], old = covariance_of(p)[i], squared = scale * scale;
  const double *const sums = totals_of(p).sums + p.n + 1 + i;
  const double learnt = p.constants[kC1] * value * value + p.constants[kCmu] * sums[0];
  const double change = p.work[kDecay] + exact::divide(learnt, squared * old);
  const double kept = change >= kLeastShrinkage ? (change < infinity() ? change : 1) : kLeastShrinkage;
  covariance_of(p)[i] = old + kSquaresRate * (exact::divide(sums[p.n], p.size * squared) - old);
  factor_of(p)[i] = scale * exact::square_root(kept);
}

static __device__ void directions(const Population &p, unsigned t) {
  const unsigned j = t / p.n, i = t % p.n;
  if (j >= directions_of(p)) return;
  const Direction own = constants_of(p, j);
  double *const v = direction_of(p, j);
  v[i] = (1 - own.rate) * v[i] + own.gain * white_of(p)[i];
  if (j == 0) learn_scale(p, i);
}

// Four rows and four columns of a chunk's sum of w y y^T.
static __device__ void products(const Population &p, unsigned t) {
  const unsigned n = p.n, blocks = quotient(n, kRows);
  const unsigned i = t / blocks % blocks * kRows, j = t % blocks * kRows, chunk = t / blocks / blocks;
  const Products all = products_of(p);
  if (chunk >= all.chunks || j > i) return;
  const double *const weights = scalar(p, 3), *const steps = vector(p, 1);
  const unsigned first = chunk * all.chunk_tiles * kTile, end = smaller(first + all.chunk_tiles * kTile, p.size);
  double sum[kRows][kRows] = {};
  for (unsigned k = first; k < end; ++k) {
    const double *const y = steps + at(n, k, 0);
    const double weight = weights[k];
    double left[kRows], right[kRows];
    // Rows that there are not repeat the last one.
    for (unsigned r = 0; r < kRows; ++r) {
      left[r] = weight * y[smaller(i + r, n - 1) * kTile];
      right[r] = y[smaller(j + r, n - 1) * kTile];
    }
    for (unsigned r = 0; r < kRows; ++r)
      for (unsigned c = 0; c < kRows; ++c) sum[r][c] += left[r] * right[c];
  }
  double *const to = all.sums + (unsigned long long)chunk * n * n;
  for (unsigned r = 0; r < kRows; ++r)
    for (unsigned c = 0; c < kRows; ++c)
      if (i + r < n && j + c <= i + r) to[(unsigned long long)(i + r) * n + j + c] = sum[r][c];
}

static __device__ void covariance(const Population &p, unsigned t) {
  const unsigned n = p.n, i = t / n, j = t % n;
  if (i >= n || j > i) return;
  const Products all = products_of(p);
  double sum = 0;
  for (unsigned chunk = 0; chunk < all.chunks; ++chunk) sum += all.sums[(unsigned long long)chunk * n * n + t];
  const double old = covariance_of(p)[t];
  const double value =
      p.work[kDecay] * old + (p.constants[kC1] * pc_of(p)[i] * pc_of(p)[j] + p.constants[kCmu] * sum);
  const bool is_too_small = i == j && !(value >= kLeastShrinkage * old);
  covariance_of(p)[t] = is_too_small ? kLeastShrinkage * old : value;
}

// Where the factor is to be: `factor_rest` subtracts there what lies left of a panel.
static __device__ void copy(const Population &p, unsigned t) {
  const unsigned n = p.n;
  if (t / n < n && t % n <= t / n) factor_of(p)[t] = covariance_of(p)[t];
}

static __device__ void factor_block(const Population &p, unsigned turn) {
  const unsigned n = p.n, first = turn * kPanel, end = smaller(first + kPanel, n);
  for (unsigned i = first; i < end; ++i) {
    double *const row = factor_of(p) + (unsigned long long)i * n;
    for (unsigned j = first; j <= i; ++j) {
      const double *const other = factor_of(p) + (unsigned long long)j * n;
      double value = row[j];
      for (unsigned k = first; k < j; ++k) value -= row[k] * other[k];
      if (j < i) {
        row[j] = value * inverse_of(p)[j];
        continue;
      }
      const double least = kLeastPivot * covariance_of(p)[(unsigned long long)i * n + i];
      const double root = exact::square_root(value > least ? value : least);
      row[i] = root;
      inverse_of(p)[i] = value > least ? exact::divide(1, root) : 0;
    }
  }
}

// A row below the panel.
static __device__ void factor_rows(const Population &p, unsigned turn, unsigned t) {
  const unsigned n = p.n, first = turn * kPanel, end = first + kPanel, i = end + t;
  if (i >= n) return;
  double *const row = factor_of(p) + (unsigned long long)i * n;
  for (unsigned j = first; j < end; ++j) {
    const double *const other = factor_of(p) + (unsigned long long)j * n;
    double value = row[j];
    for (unsigned k = first; k < j; ++k) value -= row[k] * other[k];
    row[j] = value * inverse_of(p)[j];
  }
}

// A number right of it.
static __device__ void factor_rest(const Population &p, unsigned turn, unsigned t) {
  const unsigned n = p.n, first = turn * kPanel, end = first + kPanel, rest = n - end;
  const unsigned i = end + t / rest, j = end + t % rest;
  if (i >= n || j > i) return;
  double *const row = factor_of(p) + (unsigned long long)i * n;
  const double *const other = factor_of(p) + (unsigned long long)j * n;
  double value = row[j];
  for (unsigned k = first; k < end; ++k) value -= row[k] * other[k];
  row[j] = value;
}

extern "C" __global__ void step(Population p, unsigned which, unsigned turn) {
  const unsigned t = thread_index();
  // Without a finite value a generation changes nothing.
  if (which > kWeigh && p.work[kParents] == 0) return;
  switch (which) {
    case kBegin: return begin(p, t);
    case kDraw: return draw_normals(p, t);
    case kCorrelate: return correlate(p, t);
    case kStretch: return stretch(p, t);
    case kProject: return project(p, turn, t);
    case kAlong: return move_along(p, turn, t);
    case kSortTiles: return sort_tiles(p, t);
    case kMerge: return merge(p, turn, t);
    case kRank: return t == 0 ? rank(p) : void();
    case kWeigh: return weigh(p, t);
    case kSumSteps: return sum_steps(p, t);
    case kSumLevel: return sum_level(p, turn, t);
    case kMoveMean: return move_mean(p, t);
    case kSolveBlock: return t == 0 ? solve_block(p, turn) : void();
    case kSolveRest: return solve_rest(p, turn, t);
    case kDivide: return divide(p, t);
    case kPeel: return peel(p, turn, t);
    case kPath: return path(p, t);
    case kStepSize: return t == 0 ? step_size(p) : void();
    case kCovariancePath: return covariance_path(p, t);
    case kVariances: return variances(p, t);
    case kDirections: return directions(p, t);
    case kProducts: return products(p, t);
    case kCovariance: return covariance(p, t);
    case kCopy: return copy(p, t);
    case kFactorBlock: return t == 0 ? factor_block(p, turn) : void();
    case kFactorRows: return factor_rows(p, turn, t);
    case kFactorRest: return factor_rest(p, turn, t);
  }
}
