#include "routing/solution.h"

#include "routing/segment.h"

namespace extremum::routing {

// Amounts below this share of a limit are rounding, not excess.
constexpr double kSlack = 1e-9;

static double above(double value, double limit) {
  const double excess = value - limit;
  return excess > kSlack * (1 + (limit < 0 ? -limit : limit)) ? excess : 0;
}

double value_route(const Problem& problem, int t, const std::vector<int>& route, Excess& excess) {
  if (route.empty()) return 0;
  const auto& type = problem.types[t];
  auto whole = depot_segment<true, true>(type);
  int at = type.start;
  for (const int i : route) {
    const int next = problem.location(i);
    whole.join(customer_segment<true, true>(problem, i), problem.distance(at, next), problem.duration(at, next), problem.dimensions);
    if (!problem.may_serve(t, i)) excess.other += 1;
    at = next;
  }
  whole.join(depot_segment<true, true>(type), problem.distance(at, type.end), problem.duration(at, type.end), problem.dimensions);
  for (int d = 0; d < problem.dimensions; d++) excess.load[d] += above(whole.peak[d], type.capacity[d]);
  const double warp = whole.warp + std::max(0.0, whole.release - whole.late);
  const double duration = problem.has_time ? whole.duration - whole.warp : whole.travel;
  excess.time += above(warp, 0) + above(duration, type.max_duration);
  excess.distance += above(whole.distance, type.max_distance);
  if (type.max_stops >= 0) excess.other += std::max(0, whole.stops - type.max_stops);
  return type.fixed + type.per_distance * whole.distance + type.per_time * duration;
}

void value(const Problem& problem, Solution& solution) {
  solution.cost = 0;
  solution.excess = Excess{};
  solution.successor.assign(problem.n, -1);
  solution.predecessor.assign(problem.n, -1);
  int served = 0;
  for (std::size_t slot = 0; slot < solution.routes.size(); slot++) {
    const auto& route = solution.routes[slot];
    solution.cost += value_route(problem, problem.slot_type[slot], route, solution.excess);
    served += static_cast<int>(route.size());
    for (std::size_t k = 0; k < route.size(); k++) {
      if (k > 0) solution.predecessor[route[k]] = route[k - 1];
      if (k + 1 < route.size()) solution.successor[route[k]] = route[k + 1];
    }
  }
  solution.feasible = served == problem.n && solution.excess.none();
}

}  // namespace extremum::routing
