// What a stretch of a route adds up to, so that routes made of known stretches are valued without walking them (Vidal et
// al. 2014). kTime: windows and releases; kRich: several loads, pickups, limits on duration and stops.
#pragma once

#include <algorithm>

#include "routing/problem.h"

namespace extremum::routing {

template <bool kTime>
struct TimePart {};

template <>
struct TimePart<true> {
  // Least duration without lateness, lateness ("time warp") used, and the earliest and latest begin that give both.
  double duration, warp, early, late;
  // Latest release on it.
  double release;
};

template <bool kTime, bool kRich>
struct RichPart {};

template <bool kTime>
struct RichPart<kTime, true> {
  double travel;  // With service.
  int stops;
  double delivery[kMaxDimensions], pickup[kMaxDimensions], peak[kMaxDimensions];
};

template <bool kTime, bool kRich>
struct Segment : TimePart<kTime>, RichPart<kTime, kRich> {
  double distance;
  double load;  // First dimension, where not rich.

#if defined(__GNUC__) || defined(__clang__)
  __attribute__((always_inline))
#endif
  void join(const Segment& next, double distance_between, double travel_between, int dimensions) {
    distance += next.distance + distance_between;
    if constexpr (!kRich) load += next.load;
    if constexpr (kTime) {
      const double delta = this->duration - this->warp + travel_between;
      const double wait = std::max(next.early - delta - this->late, 0.0);
      const double warp_more = std::max(this->early + delta - next.late, 0.0);
      this->duration += next.duration + travel_between + wait;
      this->warp += next.warp + warp_more;
      this->early = std::max(next.early - delta, this->early) - wait;
      this->late = std::min(next.late - delta, this->late) + warp_more;
      this->release = std::max(this->release, next.release);
    }
    if constexpr (kRich) {
      this->travel += next.travel + travel_between;
      this->stops += next.stops;
      for (int d = 0; d < dimensions; d++) {
        this->peak[d] = std::max(this->peak[d] + next.delivery[d], next.peak[d] + this->pickup[d]);
        this->delivery[d] += next.delivery[d];
        this->pickup[d] += next.pickup[d];
      }
    }
  }
};

template <bool kTime, bool kRich>
Segment<kTime, kRich> customer_segment(const Problem& problem, int i) {
  Segment<kTime, kRich> segment{};
  const auto& customer = problem.customers[i];
  if constexpr (!kRich) segment.load = problem.dimensions > 0 ? customer.delivery[0] : 0;
  if constexpr (kTime) {
    segment.duration = customer.service;
    segment.early = customer.windows.front().from;
    segment.late = customer.windows.back().to;
    segment.release = customer.release;
  }
  if constexpr (kRich) {
    segment.travel = customer.service;
    segment.stops = 1;
    for (int d = 0; d < problem.dimensions; d++) {
      segment.delivery[d] = customer.delivery[d];
      segment.pickup[d] = customer.pickup[d];
      segment.peak[d] = std::max(customer.delivery[d], customer.pickup[d]);
    }
  }
  return segment;
}

template <bool kTime, bool kRich>
Segment<kTime, kRich> depot_segment(const VehicleType& type) {
  Segment<kTime, kRich> segment{};
  if constexpr (kTime) {
    segment.early = type.open;
    segment.late = type.close;
  }
  return segment;
}

}  // namespace extremum::routing
