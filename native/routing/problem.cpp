#include "routing/problem.h"

#include <algorithm>
#include <cmath>

namespace extremum::routing {

namespace {

struct Reader {
  const std::int32_t* integers;
  std::size_t integers_left;
  const double* reals;
  std::size_t reals_left;
  bool failed = false;

  int integer() {
    if (integers_left == 0) return failed = true, 0;
    integers_left--;
    return *integers++;
  }
  int integer_within(int least, int most) {
    const int value = integer();
    if (value < least || value > most) failed = true;
    return failed ? least : value;
  }
  double real() {
    if (reals_left == 0) return failed = true, 0;
    reals_left--;
    const double value = *reals++;
    if (!std::isfinite(value)) failed = true;
    return value;
  }
  std::vector<double> row(std::size_t count) {
    if (reals_left < count) return failed = true, std::vector<double>();
    std::vector<double> values(reals, reals + count);
    for (const double value : values) failed |= !std::isfinite(value);
    reals += count;
    reals_left -= count;
    return values;
  }
};

bool is_symmetric(const std::vector<double>& matrix, int size) {
  for (int i = 0; i < size; i++)
    for (int j = 0; j < i; j++)
      if (matrix[static_cast<std::size_t>(i) * size + j] != matrix[static_cast<std::size_t>(j) * size + i]) return false;
  return true;
}

void derive(Problem& problem) {
  const auto& types = problem.types;
  for (int t = 0; t < static_cast<int>(types.size()); t++)
    for (int k = 0; k < types[t].count; k++) problem.slot_type.push_back(t);
  problem.has_time = problem.has_pickups = problem.has_release = problem.has_skills = problem.has_limits = false;
  problem.has_per_time = false;
  for (const auto& customer : problem.customers) {
    problem.has_time |= customer.windows.front().from > 0 || customer.windows.front().to < kNone || customer.windows.size() > 1;
    problem.has_release |= customer.release > 0;
    for (int d = 0; d < problem.dimensions; d++) problem.has_pickups |= customer.pickup[d] > 0;
  }
  for (const auto& type : types) {
    problem.has_time |= type.close < kNone;
    problem.has_limits |= type.max_distance < kNone || type.max_duration < kNone || type.max_stops >= 0;
    problem.has_per_time |= type.per_time != 0;
  }
  problem.has_time |= problem.has_release;
  for (const auto one : problem.allowed) problem.has_skills |= one == 0;
  problem.is_homogeneous = types.size() == 1 && types[0].start == types[0].end;
  problem.is_symmetric = is_symmetric(problem.distances, problem.locations) &&
                         (!problem.has_own_durations || is_symmetric(problem.durations, problem.locations));
  double sum = 0;
  for (const double d : problem.distances) sum += d;
  const double mean = sum / std::max<double>(1, static_cast<double>(problem.distances.size()));
  double duration_sum = 0;
  if (problem.has_per_time)
    for (const double d : problem.has_own_durations ? problem.durations : problem.distances) duration_sum += d;
  double unit = 0, time_unit = 0;
  for (const auto& type : types) {
    unit = std::max(unit, type.per_distance);
    time_unit = std::max(time_unit, type.per_time);
  }
  problem.mean_edge = std::max(1e-9, mean * unit + time_unit * (duration_sum / std::max<double>(1, static_cast<double>(problem.distances.size()))));
  problem.epsilon = 1e-8 * problem.mean_edge;
}

}  // namespace

std::optional<Problem> read_problem(const std::int32_t* integers, std::size_t integer_count, const double* reals,
                                    std::size_t real_count) {
  Reader in{integers, integer_count, reals, real_count};
  Problem problem;
  if (in.integer() != kLayout) return std::nullopt;
  problem.mode = static_cast<Mode>(in.integer_within(0, 2));
  problem.n = in.integer_within(1, 100000);
  problem.depots = in.integer_within(1, 100000);
  problem.dimensions = in.integer_within(0, kMaxDimensions);
  const int types = in.integer_within(1, 100000);
  problem.has_own_durations = in.integer_within(0, 1) != 0;
  problem.flags = in.integer();
  problem.seed = static_cast<std::uint32_t>(in.integer());
  problem.seed |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(in.integer())) << 32;
  const int shipments = in.integer_within(0, 100000);
  problem.effort = in.integer_within(1, 1000000);
  if (in.failed) return std::nullopt;
  problem.locations = problem.depots + problem.n;
  for (int t = 0; t < types && !in.failed; t++) {
    VehicleType type{};
    type.start = in.integer_within(0, problem.depots - 1);
    type.end = in.integer_within(0, problem.depots - 1);
    type.count = in.integer_within(1, 100000);
    type.max_stops = in.integer_within(-1, 1000000);
    problem.types.push_back(type);
  }
  std::vector<int> windows;
  for (int i = 0; i < problem.n && !in.failed; i++) {
    Customer customer{};
    customer.required = in.integer_within(0, 1) != 0;
    customer.partner = -1;
    windows.push_back(in.integer_within(1, 1000));
    problem.customers.push_back(customer);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(types) * problem.n && !in.failed; i++)
    problem.allowed.push_back(static_cast<std::uint8_t>(in.integer_within(0, 1)));
  std::vector<std::pair<int, int>> pairs;
  for (int s = 0; s < shipments && !in.failed; s++) {
    const int from = in.integer_within(0, problem.n - 1);
    const int to = in.integer_within(0, problem.n - 1);
    pairs.push_back({from, to});
  }
  if (in.failed) return std::nullopt;
  const std::size_t cells = static_cast<std::size_t>(problem.locations) * problem.locations;
  problem.distances = in.row(cells);
  if (problem.has_own_durations) problem.durations = in.row(cells);
  for (auto& type : problem.types) {
    type.fixed = in.real();
    type.per_distance = in.real();
    type.per_time = in.real();
    type.open = in.real();
    type.close = in.real();
    type.max_distance = in.real();
    type.max_duration = in.real();
    for (int d = 0; d < problem.dimensions; d++) type.capacity[d] = in.real();
  }
  for (int i = 0; i < problem.n && !in.failed; i++) {
    auto& customer = problem.customers[i];
    customer.service = in.real();
    customer.release = in.real();
    customer.prize = in.real();
    for (int d = 0; d < problem.dimensions; d++) customer.delivery[d] = in.real();
    for (int d = 0; d < problem.dimensions; d++) customer.pickup[d] = in.real();
    for (int w = 0; w < windows[i]; w++) {
      const double from = in.real();
      customer.windows.push_back({from, in.real()});
    }
  }
  for (const auto& [from, to] : pairs) {
    auto& pickup = problem.customers[from];
    auto& delivery = problem.customers[to];
    if (from == to || pickup.partner >= 0 || delivery.partner >= 0) return std::nullopt;
    pickup.partner = to;
    pickup.is_pickup = true;
    delivery.partner = from;
    for (int d = 0; d < problem.dimensions; d++) {
      pickup.shipped[d] = in.real();
      delivery.shipped[d] = -pickup.shipped[d];
    }
  }
  if (in.failed || in.integers_left != 0 || in.reals_left != 0) return std::nullopt;
  problem.has_shipments = shipments > 0;
  derive(problem);
  return problem;
}

std::vector<std::vector<int>> near_customers(const Problem& problem, int count) {
  const int n = problem.n;
  std::vector<std::vector<int>> near(n);
  std::vector<std::pair<double, int>> order;
  double per_distance = 0, per_time = 0;
  for (const auto& type : problem.types) {
    per_distance = std::max(per_distance, type.per_distance);
    per_time = std::max(per_time, type.per_time);
  }
  if (per_distance == 0 && per_time == 0) per_time = 1;
  // Distance, with a share of the least wait and of the least lateness where windows keep two customers apart in time
  // (Vidal et al. 2013, equation 18).
  const auto proximity = [&](int i, int j) {
    const int a = problem.location(i), b = problem.location(j);
    const double travel = problem.duration(a, b);
    double value = per_distance * problem.distance(a, b) + per_time * travel;
    if (problem.has_time) {
      const auto& first = problem.customers[i];
      const auto& second = problem.customers[j];
      const double unit = per_distance > 0 ? per_distance * (travel > 0 ? problem.distance(a, b) / travel : 1) : per_time;
      const double wait = second.windows.front().from - travel - first.service - first.windows.back().to;
      const double late = first.windows.front().from + first.service + travel - second.windows.back().to;
      value += unit * (0.2 * std::max(0.0, wait) + std::max(0.0, late));
    }
    return value;
  };
  for (int i = 0; i < n; i++) {
    order.clear();
    for (int j = 0; j < n; j++)
      if (j != i) order.push_back({std::min(proximity(i, j), proximity(j, i)), j});
    const auto last = order.begin() + std::min<std::size_t>(order.size(), static_cast<std::size_t>(count));
    std::partial_sort(order.begin(), last, order.end());
    for (auto it = order.begin(); it != last; ++it) near[i].push_back(it->second);
  }
  return near;
}

}  // namespace extremum::routing
