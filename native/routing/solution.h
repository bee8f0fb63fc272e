// A solution of the genetic search: the customers of each slot, and what it costs.
#pragma once

#include <vector>

#include "routing/problem.h"

namespace extremum::routing {

struct Weights {
  double load[kMaxDimensions];
  double time, distance, other;
};

struct Excess {
  double load[kMaxDimensions] = {};
  double time = 0, distance = 0, other = 0;

  bool none() const {
    for (const double one : load)
      if (one > 0) return false;
    return time <= 0 && distance <= 0 && other <= 0;
  }
  double priced(const Weights& weights) const {
    double sum = weights.time * time + weights.distance * distance + weights.other * other;
    for (int d = 0; d < kMaxDimensions; d++) sum += weights.load[d] * load[d];
    return sum;
  }
};

struct Solution {
  std::vector<std::vector<int>> routes;  // By slot.
  double cost = 0;
  Excess excess;
  std::vector<int> successor, predecessor;  // -1: the depot.
  bool feasible = false;
  // By slot: the parents (1, 2) that have this very route. Empty: none is known.
  std::vector<int> origin;
  int used() const {
    int count = 0;
    for (const auto& route : routes) count += !route.empty();
    return count;
  }
  double penalized(const Weights& weights) const { return cost + excess.priced(weights); }
};

// Sets all but the routes.
void value(const Problem& problem, Solution& solution);

// Cost of one route without penalties; adds what it exceeds.
double value_route(const Problem& problem, int type, const std::vector<int>& route, Excess& excess);

}  // namespace extremum::routing
