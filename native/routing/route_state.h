// One route valued exactly and by walking it: several windows, releases, pickups, shipments, limits. The slow and general
// counterpart of segment.h; src/domains/supply-chain/vehicle-routing/schedule.ts computes the same.
#pragma once

#include <algorithm>
#include <vector>

#include "routing/problem.h"

namespace extremum::routing {

// End of the route as a function of its departure t: max(time, t + moving) for departures up to `latest`, from the piece
// before on. `moving`: travel and service so far.
struct Piece {
  double latest, time;
};

struct RouteValue {
  bool feasible = false;
  double cost = 0;      // Fixed cost, distance, duration.
  double finish = 0;    // Time of return.
};

class RouteWalker {
 public:
  explicit RouteWalker(const Problem& problem) : problem_(problem), position_(problem.n, -1) {}

  // `route`: customers in order. Stops at the first limit that is broken.
  RouteValue value(int t, const std::vector<int>& route) {
    RouteValue value;
    if (route.empty()) {
      value.feasible = true;
      return value;
    }
    const auto& type = problem_.types[t];
    if (type.max_stops >= 0 && static_cast<int>(route.size()) > type.max_stops) return value;
    const int dims = problem_.dimensions;
    double load[kMaxDimensions] = {};
    double open = type.open;
    for (const int i : route) {
      const auto& customer = problem_.customers[i];
      if (!problem_.may_serve(t, i)) return value;
      for (int d = 0; d < dims; d++) load[d] += customer.delivery[d];
      open = std::max(open, customer.release);
    }
    for (int d = 0; d < dims; d++)
      if (load[d] > roomy(type.capacity[d])) return value;
    if (problem_.has_shipments) {
      for (int k = 0; k < static_cast<int>(route.size()); k++) position_[route[k]] = k;
      bool paired = true;
      for (const int i : route) {
        const auto& customer = problem_.customers[i];
        if (customer.partner < 0) continue;
        const int other = position_[customer.partner];
        paired &= other >= 0 && (customer.is_pickup ? position_[i] < other : other < position_[i]);
      }
      for (const int i : route) position_[i] = -1;
      if (!paired) return value;
    }
    pieces_.clear();
    pieces_.push_back({type.close, open});
    if (open > roomy(type.close)) return value;
    double distance = 0, moving = 0;
    int at = type.start;
    for (const int i : route) {
      const auto& customer = problem_.customers[i];
      const int next = problem_.location(i);
      distance += problem_.distance(at, next);
      travel(problem_.duration(at, next), moving);
      if (!arrive(customer.windows, moving)) return value;
      travel(customer.service, moving);
      at = next;
      for (int d = 0; d < dims; d++) {
        load[d] += customer.pickup[d] - customer.delivery[d] + (customer.partner >= 0 ? customer.shipped[d] : 0);
        if (load[d] > roomy(type.capacity[d])) return value;
      }
    }
    distance += problem_.distance(at, type.end);
    if (distance > roomy(type.max_distance)) return value;
    travel(problem_.duration(at, type.end), moving);
    double best_duration = 0, best_finish = 0;
    bool found = false;
    double before = -kNone;
    for (const auto& piece : pieces_) {
      if (piece.time > roomy(type.close) || type.close - moving <= before) break;
      before = piece.latest;
      const double departure = std::min(std::min(piece.latest, type.close - moving), piece.time - moving);
      const double duration = piece.time - departure;
      if (duration > roomy(type.max_duration)) continue;
      if (!found || (type.per_time > 0 && duration < best_duration)) {
        found = true;
        best_duration = duration;
        best_finish = piece.time;
      }
    }
    if (!found) return value;
    value.feasible = true;
    value.finish = best_finish;
    value.cost = type.fixed + type.per_distance * distance + type.per_time * best_duration;
    return value;
  }

 private:
  const Problem& problem_;
  std::vector<int> position_;
  std::vector<Piece> pieces_, spare_;

  // A limit with room for rounding.
  static double roomy(double limit) { return limit + 1e-9 * (1 + (limit < 0 ? -limit : limit)); }

  void travel(double by, double& moving) {
    for (auto& piece : pieces_) piece.time += by;
    moving += by;
  }

  bool arrive(const std::vector<Window>& windows, double moving) {
    if (windows.size() == 1 && windows.front().to >= kNone && windows.front().from <= 0) return true;
    spare_.clear();
    double before = -kNone;  // Departures up to here are dealt with.
    for (const auto& piece : pieces_) {
      for (const auto& window : windows) {
        if (piece.time > roomy(window.to)) continue;
        const double latest = std::min(piece.latest, window.to - moving);
        if (latest <= before) continue;
        spare_.push_back({latest, std::max(piece.time, window.from)});
        before = latest;
        if (latest >= piece.latest) break;
      }
      before = piece.latest;
    }
    pieces_.swap(spare_);
    return !pieces_.empty();
  }
};

}  // namespace extremum::routing
