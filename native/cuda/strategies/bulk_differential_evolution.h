// The device's form of src/strategies/bulk-differential-evolution/bulk-differential-evolution.ts.
constexpr unsigned kVectors = 2, kScalars = 5, kAsked = 1;

static __device__ void move_one(const Population &p, unsigned k) {
  constexpr double renewal = 0.1;
  double *const points = vector(p, 0), *const trials = vector(p, 1), *const fitness = scalar(p, 0);
  if (p.generation == 0) {
    fitness[k] = infinity();
    scalar(p, 1)[k] = scalar(p, 3)[k] = 0.5;
    scalar(p, 2)[k] = scalar(p, 4)[k] = 0.9;
    Words words{};
    for (unsigned i = 0; i < p.n; ++i) {
      if (i % 2 == 0) words = draw(p, k, i >> 1, kStart);
      const double u = uniform53(words.word[2 * (i % 2)], words.word[2 * (i % 2) + 1]);
      points[at(p.n, k, i)] = trials[at(p.n, k, i)] = u;
    }
    return;
  }
  Words words = draw(p, k, 0, kParameters);
  const double scale = uniform32(words.word[0]) < renewal ? 0.1 + 0.9 * uniform32(words.word[1]) : scalar(p, 1)[k];
  const double rate = uniform32(words.word[2]) < renewal ? uniform32(words.word[3]) : scalar(p, 2)[k];
  scalar(p, 3)[k] = scale;
  scalar(p, 4)[k] = rate;
  words = draw(p, k, 0, kIndices);
  unsigned target = index_below(words.word[0], p.size);
  for (int j = 1; j < 6; ++j) {
    if (j == 4) words = draw(p, k, 1, kIndices);
    const unsigned other = index_below(words.word[j % 4], p.size);
    if (fitness[other] < fitness[target]) target = other;
  }
  const unsigned plus = index_below(words.word[2], p.size), minus = index_below(words.word[3], p.size);
  const unsigned certain = index_below(draw(p, k, 1, kParameters).word[0], p.n);
  for (unsigned i = 0; i < p.n; ++i) {
    if (i % 4 == 0) words = draw(p, k, i >> 2, kCoordinates);
    const double x = points[at(p.n, k, i)];
    double trial = x;
    if (i == certain || uniform32(words.word[i % 4]) < rate) {
      trial = x + scale * (points[at(p.n, target, i)] - x) +
              scale * (points[at(p.n, plus, i)] - points[at(p.n, minus, i)]);
      if (trial < 0)
        trial = 0.5 * x;
      else if (trial > 1)
        trial = 0.5 * (1 + x);
    }
    trials[at(p.n, k, i)] = trial;
  }
}

static __device__ void accept_one(const Population &p, unsigned k, double value) {
  double *const fitness = scalar(p, 0);
  if (!(value <= fitness[k])) return;
  fitness[k] = value;
  scalar(p, 1)[k] = scalar(p, 3)[k];
  scalar(p, 2)[k] = scalar(p, 4)[k];
  for (unsigned i = 0; i < p.n; ++i) vector(p, 0)[at(p.n, k, i)] = vector(p, 1)[at(p.n, k, i)];
}
