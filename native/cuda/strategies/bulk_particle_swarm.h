// The device's form of src/strategies/bulk-particle-swarm/bulk-particle-swarm.ts.
constexpr unsigned kVectors = 3, kScalars = 1, kAsked = 0;

static __device__ void move_one(const Population &p, unsigned k) {
  constexpr double inertia = 0.7213475204444817, attraction = 1.1931471805599454;
  double *const positions = vector(p, 0), *const velocities = vector(p, 1), *const bests = vector(p, 2);
  double *const fitness = scalar(p, 0);
  if (p.generation == 0) {
    fitness[k] = infinity();
    for (unsigned i = 0; i < p.n; ++i) {
      const Words words = draw(p, k, i, kStart);
      const double x = uniform53(words.word[0], words.word[1]);
      positions[at(p.n, k, i)] = bests[at(p.n, k, i)] = x;
      velocities[at(p.n, k, i)] = uniform53(words.word[2], words.word[3]) - x;
    }
    return;
  }
  Words words = draw(p, k, 0, kIndices);
  unsigned leader = k;
  for (int j = 0; j < 3; ++j) {
    const unsigned other = index_below(words.word[j], p.size);
    if (fitness[other] < fitness[leader]) leader = other;
  }
  const double social = leader == k ? 0 : attraction;
  for (unsigned i = 0; i < p.n; ++i) {
    if (i % 2 == 0) words = draw(p, k, i >> 1, kCoordinates);
    const double own = attraction * uniform32(words.word[2 * (i % 2)]);
    const double others = social * uniform32(words.word[2 * (i % 2) + 1]);
    const unsigned long long e = at(p.n, k, i);
    const double x = positions[e];
    double velocity = inertia * velocities[e] + own * (bests[e] - x) + others * (bests[at(p.n, leader, i)] - x);
    double next = x + velocity;
    if (!(next >= 0 && next <= 1)) {
      next = next > 1 ? 1 : 0;
      velocity = 0;
    }
    positions[e] = next;
    velocities[e] = velocity;
  }
}

static __device__ void accept_one(const Population &p, unsigned k, double value) {
  double *const fitness = scalar(p, 0);
  if (!(value <= fitness[k])) return;
  fitness[k] = value;
  for (unsigned i = 0; i < p.n; ++i) vector(p, 2)[at(p.n, k, i)] = vector(p, 0)[at(p.n, k, i)];
}
