// The problem as numbers, and what the searches derive from it.
//
// Locations: depots 0 .. D - 1, then customers. Customers are numbered from 0. A vehicle type stands for `count` equal
// vehicles, a slot for one vehicle.
//
// Layout of the integers: version, mode, customers n, depots D, dimensions of load, types, has own durations, flags,
// seed low, seed high, shipments, effort; then per type: start depot, end depot, count, most stops (-1: any); then per
// customer: required (0, 1), number of windows; then allowed [types, n] (0, 1); then per shipment: pickup, delivery.
// Layout of the reals: distances [N, N]; durations [N, N] where own; per type: fixed cost, cost per distance, cost per
// time, start, end, most distance, most duration, capacities; per customer: service, release, prize, deliveries [dims],
// pickups [dims], windows (from, to); per shipment: loads [dims].
// Absent limits are kNone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace extremum::routing {

constexpr std::int32_t kLayout = 1;
constexpr double kNone = 1e15;
constexpr int kMaxDimensions = 4;

enum class Mode : int { kGenetic = 0, kRuin = 1, kTour = 2 };

// Flags.
constexpr int kMakespan = 1;

struct VehicleType {
  int start, end, count, max_stops;
  double fixed, per_distance, per_time, open, close, max_distance, max_duration;
  double capacity[kMaxDimensions];
};

struct Window {
  double from, to;
};

struct Customer {
  bool required;
  double service, release, prize;
  double delivery[kMaxDimensions];
  double pickup[kMaxDimensions];
  std::vector<Window> windows;  // Never empty; in order, apart.
  int partner;                  // The other end of its shipment, or -1.
  bool is_pickup;               // Of its shipment.
  double shipped[kMaxDimensions];
};

struct Problem {
  Mode mode;
  int n, depots, dimensions, flags, effort;
  std::uint64_t seed;
  int locations;
  std::vector<double> distances, durations;
  std::vector<VehicleType> types;
  std::vector<Customer> customers;
  std::vector<std::uint8_t> allowed;
  // Derived.
  std::vector<int> slot_type;
  bool has_own_durations, is_symmetric, has_time, has_pickups, has_shipments, has_skills, has_release, has_limits, has_per_time, is_homogeneous;
  double mean_edge;
  double epsilon;

  double distance(int a, int b) const { return distances[static_cast<std::size_t>(a) * locations + b]; }
  double duration(int a, int b) const {
    return (has_own_durations ? durations : distances)[static_cast<std::size_t>(a) * locations + b];
  }
  int location(int customer) const { return depots + customer; }
  bool may_serve(int type, int customer) const { return allowed[static_cast<std::size_t>(type) * n + customer] != 0; }
};

std::optional<Problem> read_problem(const std::int32_t* integers, std::size_t integer_count, const double* reals,
                                    std::size_t real_count);

// Customers near each customer, nearest first, at most `count`.
std::vector<std::vector<int>> near_customers(const Problem& problem, int count);

}  // namespace extremum::routing
