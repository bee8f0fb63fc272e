// Robust tabu search (Taillard, Parallel Computing 17, 1991). Order of sums as in
// src/domains/solvers/assignment/tabu-search.ts.
#include "extremum/assignment.h"

#include <cmath>
#include <limits>
#include <utility>

namespace extremum::assignment {

namespace {

constexpr double kAspiration = 5;
constexpr double kLongestTabu = 8;

// What an exchange of i and j adds, from nothing.
double exchange_cost(const TabuSearch& t, std::size_t i, std::size_t j) {
  const std::size_t n = t.n;
  const double* const flow_i = t.flow + i * n;
  const double* const flow_j = t.flow + j * n;
  const double* const flow_ti = t.flow_t + i * n;
  const double* const flow_tj = t.flow_t + j * n;
  const double* const placed_i = t.placed + i * n;
  const double* const placed_j = t.placed + j * n;
  const double* const placed_ti = t.placed_t + i * n;
  const double* const placed_tj = t.placed_t + j * n;
  const std::size_t pi = static_cast<std::size_t>(t.places[i]);
  const std::size_t pj = static_cast<std::size_t>(t.places[j]);
  double sum = t.linear[i * n + pj] + t.linear[j * n + pi] - t.linear[i * n + pi] - t.linear[j * n + pj];
  sum += (flow_i[i] - flow_j[j]) * (placed_j[j] - placed_i[i]);
  sum += (flow_i[j] - flow_j[i]) * (placed_j[i] - placed_i[j]);
  for (std::size_t k = 0; k < n; k++) {
    if (k == i || k == j) continue;
    sum += (flow_i[k] - flow_j[k]) * (placed_j[k] - placed_i[k]);
    sum += (flow_ti[k] - flow_tj[k]) * (placed_tj[k] - placed_ti[k]);
  }
  return sum;
}

void exchange(const TabuSearch& t, std::size_t r, std::size_t s) {
  const std::size_t n = t.n;
  std::swap(t.places[r], t.places[s]);
  for (double* const matrix : {t.placed, t.placed_t}) {
    for (std::size_t k = 0; k < n; k++) std::swap(matrix[r * n + k], matrix[s * n + k]);
    for (std::size_t k = 0; k < n; k++) std::swap(matrix[k * n + r], matrix[k * n + s]);
  }
}

std::uint32_t next(std::uint32_t* s) {
  const std::uint32_t scrambled = s[1] * 5;
  const std::uint32_t result = (scrambled << 7 | scrambled >> 25) * 9;
  const std::uint32_t shifted = s[1] << 9;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = s[3] << 11 | s[3] >> 21;
  return result;
}

double duration(const TabuSearch& t) {
  const double uniform = next(t.random) * 0x1p-32;
  return std::floor(uniform * uniform * uniform * kLongestTabu * static_cast<double>(t.n));
}

}  // namespace

void advance(const TabuSearch& t, std::size_t moves, const std::atomic<std::int32_t>* stop) {
  const std::size_t n = t.n;
  const double aspiration = kAspiration * static_cast<double>(n) * static_cast<double>(n);
  for (std::size_t move = 0; move < moves; move++) {
    if (move % 64 == 0 && stop && stop->load(std::memory_order_relaxed) != 0) return;
    const double now = t.numbers[2] + 1;
    t.numbers[2] = now;
    const double to_beat = t.numbers[1] - t.numbers[0];
    std::size_t r = n, s = n;
    double least = std::numeric_limits<double>::infinity();
    bool is_forced = false;
    for (std::size_t i = 0; i < n; i++) {
      const double* const tabu_i = t.tabu + i * n;
      const std::int32_t place_i = t.places[i];
      for (std::size_t j = i + 1; j < n; j++) {
        const double added = t.delta[i * n + j];
        const double first = tabu_i[t.places[j]];
        const double second = t.tabu[j * n + static_cast<std::size_t>(place_i)];
        const bool forced = first < now - aspiration || second < now - aspiration || added < to_beat;
        if (is_forced ? forced && added < least : forced || (added < least && (first < now || second < now))) {
          r = i;
          s = j;
          least = added;
          is_forced = forced;
        }
      }
    }
    if (r == n) continue;
    t.tabu[r * n + static_cast<std::size_t>(t.places[r])] = now + duration(t);
    t.tabu[s * n + static_cast<std::size_t>(t.places[s])] = now + duration(t);
    t.numbers[0] += least;
    exchange(t, r, s);
    if (t.numbers[0] < t.numbers[1]) {
      t.numbers[1] = t.numbers[0];
      for (std::size_t k = 0; k < n; k++) t.best[k] = t.places[k];
    }
    const double* const flow_r = t.flow + r * n;
    const double* const flow_s = t.flow + s * n;
    const double* const flow_tr = t.flow_t + r * n;
    const double* const flow_ts = t.flow_t + s * n;
    const double* const placed_r = t.placed + r * n;
    const double* const placed_s = t.placed + s * n;
    const double* const placed_tr = t.placed_t + r * n;
    const double* const placed_ts = t.placed_t + s * n;
    for (std::size_t i = 0; i < n; i++) {
      if (i == r || i == s) continue;
      const double flow_in = flow_r[i] - flow_s[i];
      const double flow_out = flow_tr[i] - flow_ts[i];
      const double placed_in = placed_s[i] - placed_r[i];
      const double placed_out = placed_ts[i] - placed_tr[i];
      double* const delta = t.delta + i * n;
      for (std::size_t j = i + 1; j < n; j++) {
        const double across = (flow_in - (flow_r[j] - flow_s[j])) * (placed_in - (placed_s[j] - placed_r[j]));
        const double along = (flow_out - (flow_tr[j] - flow_ts[j])) * (placed_out - (placed_ts[j] - placed_tr[j]));
        delta[j] += across + along;
      }
    }
    for (std::size_t k = 0; k < n; k++) {
      if (k < r) t.delta[k * n + r] = exchange_cost(t, k, r);
      if (k > r) t.delta[r * n + k] = exchange_cost(t, r, k);
      if (k < s && k != r) t.delta[k * n + s] = exchange_cost(t, k, s);
      if (k > s) t.delta[s * n + k] = exchange_cost(t, s, k);
    }
  }
}

}  // namespace extremum::assignment
