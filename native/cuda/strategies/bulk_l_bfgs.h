// The device's form of src/strategies/bulk-l-bfgs/bulk-l-bfgs.ts.
constexpr int kMemory = 5;
constexpr unsigned kPoint = 0, kGradient = 1, kDirection = 2, kTrial = 3, kSteps = 4, kChanges = kSteps + kMemory;
constexpr unsigned kVectors = kChanges + kMemory, kScalars = 8, kAsked = kTrial;
enum Scalar : unsigned { kKept, kFitness, kStep, kSlope, kPairs, kNewest, kShortenings, kNegligible };

static __device__ double clipped(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}
static __device__ bool is_free(double x, double g) { return !((x <= 0 && g > 0) || (x >= 1 && g < 0)); }
static __device__ double absolute(double value) { return value < 0 ? -value : value; }

static __device__ void begin(const Population &p, unsigned k) {
  scalar(p, kFitness)[k] = infinity();
  scalar(p, kStep)[k] = scalar(p, kSlope)[k] = scalar(p, kPairs)[k] = scalar(p, kNewest)[k] = 0;
  scalar(p, kShortenings)[k] = scalar(p, kNegligible)[k] = 0;
  double *const trials = vector(p, kTrial);
  Words words{};
  for (unsigned i = 0; i < p.n; ++i) {
    if (i % 2 == 0) words = draw(p, k, i >> 1, kStart);
    trials[at(p.n, k, i)] = uniform53(words.word[2 * (i % 2)], words.word[2 * (i % 2) + 1]);
  }
}

static __device__ bool direct(const Population &p, unsigned k) {
  const double *const points = vector(p, kPoint), *const gradients = vector(p, kGradient);
  double *const directions = vector(p, kDirection);
  const int pairs = (int)scalar(p, kPairs)[k], newest = (int)scalar(p, kNewest)[k];
  double alpha[kMemory], along[kMemory];
  for (unsigned i = 0; i < p.n; ++i) {
    const unsigned long long e = at(p.n, k, i);
    directions[e] = is_free(points[e], gradients[e]) ? -gradients[e] : 0;
  }
  double scale = 0;
#pragma unroll
  for (int j = 0; j < kMemory; ++j) {
    along[j] = 0;
    if (j >= pairs) continue;
    const unsigned slot = (newest + kMemory - j) % kMemory;
    const double *const steps = vector(p, kSteps + slot), *const changes = vector(p, kChanges + slot);
    double sy = 0, yy = 0, sd = 0;
    for (unsigned i = 0; i < p.n; ++i) {
      const unsigned long long e = at(p.n, k, i);
      if (!is_free(points[e], gradients[e])) continue;
      sy += steps[e] * changes[e];
      yy += changes[e] * changes[e];
      sd += steps[e] * directions[e];
    }
    along[j] = sy;
    if (!(sy > 0)) continue;
    const double a = quotient(sd, sy);
    alpha[j] = a;
    if (scale == 0) scale = quotient(sy, yy);
    for (unsigned i = 0; i < p.n; ++i) {
      const unsigned long long e = at(p.n, k, i);
      if (is_free(points[e], gradients[e])) directions[e] -= a * changes[e];
    }
  }
  if (scale > 0) {
    for (unsigned i = 0; i < p.n; ++i) directions[at(p.n, k, i)] *= scale;
  }
#pragma unroll
  for (int j = kMemory - 1; j >= 0; --j) {
    if (j >= pairs || !(along[j] > 0)) continue;
    const unsigned slot = (newest + kMemory - j) % kMemory;
    const double *const steps = vector(p, kSteps + slot), *const changes = vector(p, kChanges + slot);
    double yd = 0;
    for (unsigned i = 0; i < p.n; ++i) {
      const unsigned long long e = at(p.n, k, i);
      if (is_free(points[e], gradients[e])) yd += changes[e] * directions[e];
    }
    const double weight = alpha[j] - quotient(yd, along[j]);
    for (unsigned i = 0; i < p.n; ++i) {
      const unsigned long long e = at(p.n, k, i);
      if (is_free(points[e], gradients[e])) directions[e] += weight * steps[e];
    }
  }
  double longest = 0;
  for (unsigned i = 0; i < p.n; ++i) {
    const double length = absolute(directions[at(p.n, k, i)]);
    if (length > longest) longest = length;
  }
  if (!(longest > 0 && longest < infinity())) return false;
  const double wanted = quotient(scale > 0 ? 0.5 : 0.1, longest);
  const double factor = scale > 0 && wanted > 1 ? 1 : wanted;
  double slope = 0;
  for (unsigned i = 0; i < p.n; ++i) {
    const unsigned long long e = at(p.n, k, i);
    const double step = clipped(factor * directions[e], -points[e], 1 - points[e]);
    directions[e] = step;
    slope += step * gradients[e];
  }
  scalar(p, kStep)[k] = 1;
  scalar(p, kSlope)[k] = slope;
  return slope < 0;
}

static __device__ bool place(const Population &p, unsigned k) {
  const double *const points = vector(p, kPoint), *const directions = vector(p, kDirection);
  double *const trials = vector(p, kTrial);
  const double t = scalar(p, kStep)[k];
  bool is_elsewhere = false;
  for (unsigned i = 0; i < p.n; ++i) {
    const unsigned long long e = at(p.n, k, i);
    const double trial = clipped(points[e] + t * directions[e], 0, 1);
    trials[e] = trial;
    if (trial != points[e]) is_elsewhere = true;
  }
  return is_elsewhere;
}

static __device__ void move_one(const Population &p, unsigned k) {
  if (p.generation == 0) {
    scalar(p, kKept)[k] = infinity();
    begin(p, k);
    return;
  }
  if (scalar(p, kFitness)[k] < infinity()) {
#pragma unroll 1
    for (int attempt = 0; attempt < 2; ++attempt) {
      const bool is_ready = scalar(p, kStep)[k] > 0 || direct(p, k);
      if (is_ready && place(p, k)) return;
      if (scalar(p, kPairs)[k] == 0) break;
      scalar(p, kPairs)[k] = scalar(p, kStep)[k] = 0;
    }
  }
  begin(p, k);
}

static __device__ void shorten(const Population &p, unsigned k, double value) {
  const double t = scalar(p, kStep)[k], slope = scalar(p, kSlope)[k];
  const double shortenings = scalar(p, kShortenings)[k] + 1;
  if (shortenings >= 20) {
    if (scalar(p, kPairs)[k] == 0) scalar(p, kFitness)[k] = infinity();
    scalar(p, kPairs)[k] = scalar(p, kStep)[k] = scalar(p, kShortenings)[k] = 0;
    return;
  }
  const double curvature = 2 * (value - scalar(p, kFitness)[k] - slope * t);
  const double minimum = curvature > 0 && curvature < infinity() ? quotient(-slope * t * t, curvature) : 0;
  scalar(p, kStep)[k] = clipped(minimum, 0.1 * t, 0.5 * t);
  scalar(p, kShortenings)[k] = shortenings;
}

static __device__ void learn(const Population &p, unsigned k) {
  const int pairs = (int)scalar(p, kPairs)[k];
  const unsigned slot = pairs == 0 ? 0 : ((unsigned)scalar(p, kNewest)[k] + 1) % kMemory;
  double *const points = vector(p, kPoint), *const kept = vector(p, kGradient), *const trials = vector(p, kTrial);
  double *const steps = vector(p, kSteps + slot), *const changes = vector(p, kChanges + slot);
  double sy = 0, ss = 0, yy = 0;
  for (unsigned i = 0; i < p.n; ++i) {
    const unsigned long long e = at(p.n, k, i);
    const double g = gradient(p, k, i), s = trials[e] - points[e], y = g - kept[e];
    sy += s * y;
    ss += s * s;
    yy += y * y;
    steps[e] = s;
    changes[e] = y;
    points[e] = trials[e];
    kept[e] = g;
  }
  if (sy > 0 && sy < infinity() && sy * sy > 1e-20 * ss * yy) {
    scalar(p, kNewest)[k] = slot;
    if (pairs < kMemory) scalar(p, kPairs)[k] = pairs + 1;
  } else if (pairs == kMemory) {
    scalar(p, kPairs)[k] = kMemory - 1;
  }
}

static __device__ void accept_one(const Population &p, unsigned k, double value) {
  if (value < scalar(p, kKept)[k]) scalar(p, kKept)[k] = value;
  bool is_usable = value < infinity();
  for (unsigned i = 0; i < p.n; ++i) {
    const double g = gradient(p, k, i);
    if (!(g > -infinity() && g < infinity())) is_usable = false;
  }
  const double before = scalar(p, kFitness)[k];
  if (before == infinity()) {
    if (!is_usable) return;
    scalar(p, kFitness)[k] = value;
    for (unsigned i = 0; i < p.n; ++i) {
      vector(p, kPoint)[at(p.n, k, i)] = vector(p, kTrial)[at(p.n, k, i)];
      vector(p, kGradient)[at(p.n, k, i)] = gradient(p, k, i);
    }
    return;
  }
  const double t = scalar(p, kStep)[k], slope = scalar(p, kSlope)[k];
  if (!is_usable || !(value <= before + 1e-4 * t * slope)) {
    shorten(p, k, is_usable ? value : infinity());
    return;
  }
  learn(p, k);
  const bool is_negligible = !(before - value > 1e-13 * absolute(before));
  const double negligible = is_negligible ? scalar(p, kNegligible)[k] + 1 : 0;
  scalar(p, kNegligible)[k] = negligible;
  scalar(p, kStep)[k] = scalar(p, kShortenings)[k] = 0;
  scalar(p, kFitness)[k] = negligible >= 3 ? infinity() : value;
}
