// Local search of one solution: relocations, exchanges, 2-opt, exchanges of tails over near customers, SWAP*, exchange of
// vehicles. First improvement; penalties make up for limits. Sources: Vidal 2022 (HGS-CVRP), Vidal et al. 2013.
#pragma once

#include <memory>

#include "extremum/routing.h"
#include "routing/rng.h"
#include "routing/solution.h"

namespace extremum::routing {

class LocalSearch {
 public:
  virtual ~LocalSearch() = default;
  // Improves the solution's routes; the caller values them. False where it was stopped half-way.
  virtual bool improve(Solution& solution, const Weights& weights, Rng& rng, StopCell stop) = 0;
};

std::unique_ptr<LocalSearch> make_local_search(const Problem& problem);

// Whether nothing but one load and one window for each customer limit a route; `make_plain_search` is for these alone, and
// faster.
bool is_plain(const Problem& problem);
std::unique_ptr<LocalSearch> make_plain_search(const Problem& problem);

// Looks at the stop cell, or asks the host.
bool is_stopped(StopCell stop);

}  // namespace extremum::routing
