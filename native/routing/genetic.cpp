// Hybrid genetic search: crossover, local search, two subpopulations ranked by cost and by contribution to diversity,
// penalties that follow the share of feasible offspring. Sources: Vidal et al. 2012; Vidal 2022; Prins 2004 (split);
// Nagata and Kobayashi 2010 (exchange of routes).
#include "routing/genetic.h"

#include <algorithm>
#include <cmath>

#include "routing/local_search.h"
#include "routing/rng.h"
#include "routing/solution.h"

namespace extremum::routing {

namespace {

constexpr int kSmallest = 25;    // Survivors of a subpopulation.
constexpr int kGeneration = 40;  // Offspring before survivors are chosen.
constexpr int kElite = 4;
constexpr int kClose = 5;
constexpr double kTargetFeasible = 0.25;
constexpr int kAdapt = 100;
constexpr int kHurry = 25;
constexpr int kMemory = 100;
// Of ten offspring that break a limit, so many are improved once more with dearer penalties. Windows are kept by chance
// less often than loads.
constexpr int kRepaired = 5, kRepairedLate = 8;

struct Individual {
  Solution solution;
  std::vector<std::pair<double, Individual*>> close;  // Distance to the others of its subpopulation, nearest first.
  double fitness = 0;
};

using Subpopulation = std::vector<std::unique_ptr<Individual>>;

// Share of neighbourhoods that differ.
double broken_pairs(const Problem& problem, const Solution& a, const Solution& b) {
  const int *next_a = a.successor.data(), *next_b = b.successor.data(), *before_a = a.predecessor.data(), *before_b = b.predecessor.data();
  int differences = 0;
  for (int i = 0; i < problem.n; i++) {
    differences += (next_a[i] != next_b[i]) & (next_a[i] != before_b[i]);
    differences += (before_a[i] == -1) & (before_b[i] != -1) & (next_b[i] != -1);
  }
  return static_cast<double>(differences) / problem.n;
}

double mean_close(const Individual& one, int count) {
  double sum = 0;
  const int most = std::min<int>(count, static_cast<int>(one.close.size()));
  if (most == 0) return 1;
  for (int k = 0; k < most; k++) sum += one.close[k].first;
  return sum / most;
}

class Genetic final : public Search {
 public:
  explicit Genetic(Problem problem)
      : problem_(std::move(problem)),
        rng_(problem_.seed),
        improver_(make_local_search(problem_)),
        slots_(static_cast<int>(problem_.slot_type.size())),
        near_(near_customers(problem_, 40)) {
    const auto& types = problem_.types;
    double per_distance = 0, per_time = 0;
    for (const auto& type : types) {
      per_distance = std::max(per_distance, type.per_distance);
      per_time = std::max(per_time, type.per_time);
    }
    double longest = 0;
    for (const double d : problem_.distances) longest = std::max(longest, d);
    double longest_time = longest;
    if (problem_.has_own_durations) {
      longest_time = 0;
      for (const double d : problem_.durations) longest_time = std::max(longest_time, d);
    }
    const double unit = std::max(per_distance * longest, per_time * longest_time);
    weights_ = Weights{};
    for (int d = 0; d < problem_.dimensions; d++) {
      double most = 0;
      for (const auto& customer : problem_.customers) most = std::max({most, customer.delivery[d], customer.pickup[d]});
      weights_.load[d] = most > 0 ? std::max(1e-9, unit / most) : 0;
    }
    weights_.time = std::max(1e-9, longest_time > 0 ? unit / longest_time : unit);
    weights_.distance = std::max(1e-9, longest > 0 ? unit / longest : unit);
    weights_.other = std::max(1e-9, unit);
    first_weights_ = weights_;
    initial_ = problem_.n > 400 ? kSmallest : 4 * kSmallest;
  }

  std::int64_t run(std::int64_t count, StopCell stop) override {
    std::int64_t done = 0;
    while (done < count) {
      if (is_stopped(stop)) break;
      if (!educate_one(stop)) break;
      done++;
      offspring_++;
      since_best_++;
      since_restart_++;
      if (improved_) {
        since_best_ = since_restart_ = 0;
        improved_ = false;
      }
      adapt();
      if (since_restart_ >= problem_.effort) restart();
    }
    return done;
  }

  bool has_best() const override { return best_.feasible; }
  double best_cost() const override { return best_.cost; }
  std::int64_t offspring() const override { return offspring_; }
  std::int64_t since_best() const override { return since_best_; }

  std::vector<std::int32_t> best() const override {
    std::vector<std::int32_t> list;
    for (int slot = 0; slot < slots_ && best_.feasible; slot++) {
      const auto& route = best_.routes[slot];
      if (route.empty()) continue;
      list.push_back(slot);
      list.push_back(static_cast<std::int32_t>(route.size()));
      list.insert(list.end(), route.begin(), route.end());
    }
    return list;
  }

 private:
  Problem problem_;
  Rng rng_;
  std::unique_ptr<LocalSearch> improver_;
  const int slots_;
  std::vector<std::vector<int>> near_;
  Weights weights_, first_weights_;
  Subpopulation feasible_, infeasible_;
  Solution best_;
  int initial_, made_ = 0;
  std::int64_t offspring_ = 0, since_best_ = 0, since_restart_ = 0;
  int since_adapted_ = 0;
  bool improved_ = false;
  // Whether the last offspring kept each limit.
  std::vector<std::uint8_t> kept_load_, kept_time_, kept_distance_, kept_other_;
  std::vector<double> split_cost_;
  std::vector<int> split_from_;

  void restart() {
    feasible_.clear();
    infeasible_.clear();
    made_ = 0;
    since_restart_ = 0;
    weights_ = first_weights_;
    kept_load_.clear();
    kept_time_.clear();
    kept_distance_.clear();
    kept_other_.clear();
  }

  // One offspring, from chance at first, then from two parents. False: stopped.
  bool educate_one(StopCell stop) {
    Solution child;
    if (made_ < initial_) {
      random_solution(child);
    } else {
      const Individual& one = tournament();
      const Individual* other = &tournament();
      for (int k = 0; k < 10 && other == &one; k++) other = &tournament();
      cross(one.solution, other->solution, child);
    }
    if (!improver_->improve(child, weights_, rng_, stop)) return false;
    made_++;
    value(problem_, child);
    child.origin.clear();
    remember(child);
    const bool infeasible = !child.feasible;
    Solution repaired;
    const bool repair = infeasible && rng_.below(10) < (problem_.has_time ? kRepairedLate : kRepaired);
    if (repair) repaired = child;
    add(std::move(child));
    if (repair) {
      Weights strong = weights_;
      for (auto& one : strong.load) one *= 10;
      strong.time *= 10;
      strong.distance *= 10;
      strong.other *= 10;
      if (!improver_->improve(repaired, strong, rng_, stop)) return false;
      value(problem_, repaired);
      if (repaired.feasible) add(std::move(repaired));
    }
    return true;
  }

  void remember(const Solution& child) {
    const auto push = [](std::vector<std::uint8_t>& list, bool kept) {
      if (list.size() >= kMemory) list.erase(list.begin());
      list.push_back(kept);
    };
    bool load = true;
    for (int d = 0; d < problem_.dimensions; d++) load &= child.excess.load[d] <= 0;
    push(kept_load_, load);
    push(kept_time_, child.excess.time <= 0);
    push(kept_distance_, child.excess.distance <= 0);
    push(kept_other_, child.excess.other <= 0);
  }

  void adapt() {
    // In a hurry as long as nothing keeps every limit.
    const bool hurry = feasible_.empty();
    if (++since_adapted_ < (hurry ? kHurry : kAdapt)) return;
    since_adapted_ = 0;
    const auto factor = [hurry](const std::vector<std::uint8_t>& kept) {
      double sum = 0;
      for (const auto one : kept) sum += one;
      const double share = kept.empty() ? 1 : sum / static_cast<double>(kept.size());
      if (share < kTargetFeasible - 0.05) return hurry ? 1.5 : 1.2;
      if (share > kTargetFeasible + 0.05) return 0.85;
      return 1.0;
    };
    const auto turn = [](double& weight, double first, double by) {
      weight = std::min(std::max(weight * by, first * 1e-4), first * 1e6);
    };
    const double load = factor(kept_load_);
    for (int d = 0; d < problem_.dimensions; d++) turn(weights_.load[d], first_weights_.load[d], load);
    turn(weights_.time, first_weights_.time, factor(kept_time_));
    turn(weights_.distance, first_weights_.distance, factor(kept_distance_));
    turn(weights_.other, first_weights_.other, factor(kept_other_));
    const auto less = [this](const std::unique_ptr<Individual>& a, const std::unique_ptr<Individual>& b) {
      return a->solution.penalized(weights_) < b->solution.penalized(weights_);
    };
    std::stable_sort(infeasible_.begin(), infeasible_.end(), less);
  }

  // --- Population

  void add(Solution&& solution) {
    auto one = std::make_unique<Individual>();
    one->solution = std::move(solution);
    Subpopulation& home = one->solution.feasible ? feasible_ : infeasible_;
    for (auto& other : home) {
      const double distance = broken_pairs(problem_, one->solution, other->solution);
      insert_close(*other, distance, one.get());
      insert_close(*one, distance, other.get());
    }
    const double cost = one->solution.penalized(weights_);
    auto place = home.end();
    while (place != home.begin() && (*(place - 1))->solution.penalized(weights_) > cost) --place;
    const bool is_feasible = one->solution.feasible;
    if (is_feasible && (!best_.feasible || cost < best_.cost - problem_.epsilon)) {
      best_ = one->solution;
      improved_ = true;
    }
    home.insert(place, std::move(one));
    if (static_cast<int>(home.size()) > kSmallest + kGeneration)
      while (static_cast<int>(home.size()) > kSmallest) remove_worst(home);
  }

  static void insert_close(Individual& one, double distance, Individual* other) {
    auto place = one.close.end();
    while (place != one.close.begin() && (place - 1)->first > distance) --place;
    one.close.insert(place, {distance, other});
  }

  // Rank by cost and rank by distance to others (Vidal 2022, equation 4).
  void rank(Subpopulation& home) {
    const int size = static_cast<int>(home.size());
    std::vector<std::pair<double, int>> order;
    for (int i = 0; i < size; i++) order.push_back({-mean_close(*home[i], kClose), i});
    std::sort(order.begin(), order.end());
    if (size == 1) {
      home[0]->fitness = 0;
      return;
    }
    for (int i = 0; i < size; i++) {
      const double diversity = static_cast<double>(i) / (size - 1);
      const double cost = static_cast<double>(order[i].second) / (size - 1);
      home[order[i].second]->fitness =
          size <= kElite ? cost : cost + (1.0 - static_cast<double>(kElite) / size) * diversity;
    }
  }

  void remove_worst(Subpopulation& home) {
    rank(home);
    int worst = -1;
    bool worst_is_clone = false;
    double worst_fitness = -1;
    for (int i = 1; i < static_cast<int>(home.size()); i++) {
      const bool is_clone = mean_close(*home[i], 1) < 1e-9;
      if ((is_clone && !worst_is_clone) || (is_clone == worst_is_clone && home[i]->fitness > worst_fitness)) {
        worst_fitness = home[i]->fitness;
        worst_is_clone = is_clone;
        worst = i;
      }
    }
    Individual* gone = home[worst].get();
    for (auto& other : home) {
      auto& close = other->close;
      close.erase(std::remove_if(close.begin(), close.end(), [gone](const auto& entry) { return entry.second == gone; }), close.end());
    }
    home.erase(home.begin() + worst);
  }

  const Individual& tournament() {
    rank(feasible_);
    rank_infeasible();
    const auto draw = [this]() -> const Individual& {
      const int total = static_cast<int>(feasible_.size() + infeasible_.size());
      const int i = rng_.below(total);
      return i < static_cast<int>(feasible_.size()) ? *feasible_[i] : *infeasible_[i - feasible_.size()];
    };
    const Individual& first = draw();
    const Individual& second = draw();
    return first.fitness < second.fitness ? first : second;
  }
  void rank_infeasible() {
    if (!infeasible_.empty()) rank(infeasible_);
  }

  // --- Offspring

  void random_solution(Solution& child) {
    std::vector<int> tour;
    for (int i = 0; i < problem_.n; i++) tour.push_back(i);
    rng_.shuffle(tour);
    if (problem_.is_homogeneous) split(tour, child);
    else deal(tour, child);
  }

  // Fills vehicles one after the other, in random order of the vehicles.
  void deal(const std::vector<int>& tour, Solution& child) {
    child.routes.assign(slots_, {});
    std::vector<int> slots;
    for (int r = 0; r < slots_; r++) slots.push_back(r);
    rng_.shuffle(slots);
    std::size_t k = 0;
    double load[kMaxDimensions] = {};
    for (const int i : tour) {
      bool fits = true;
      const auto& type = problem_.types[problem_.slot_type[slots[k]]];
      for (int d = 0; d < problem_.dimensions; d++) {
        const double more = std::max(problem_.customers[i].delivery[d], problem_.customers[i].pickup[d]);
        fits &= load[d] + more <= type.capacity[d];
      }
      if (type.max_stops >= 0) fits &= static_cast<int>(child.routes[slots[k]].size()) < type.max_stops;
      if (!fits && !child.routes[slots[k]].empty()) {
        k = (k + 1) % slots.size();
        std::fill(load, load + kMaxDimensions, 0.0);
      }
      for (int d = 0; d < problem_.dimensions; d++)
        load[d] += std::max(problem_.customers[i].delivery[d], problem_.customers[i].pickup[d]);
      child.routes[slots[k]].push_back(i);
    }
  }

  void cross(const Solution& one, const Solution& other, Solution& child) {
    // Windows hold routes together, which an order over all routes and a split by load would tear apart. But parents of
    // few routes have few to exchange.
    const auto by_order = [&] { return problem_.has_time ? one.used() <= 2 : rng_.below(2) == 0; };
    if (problem_.is_homogeneous && (slots_ == 1 || by_order())) cross_order(one, other, child);
    else cross_routes(one, other, child);
    trace(one, other, child);
  }

  // Marks the routes that come from a parent as they are: two of the same parent have nothing to give each other, for the
  // parent went through the local search.
  void trace(const Solution& one, const Solution& other, Solution& child) const {
    child.origin.assign(slots_, 0);
    const Solution* parents[2] = {&one, &other};
    std::vector<int> type_of(problem_.n, 0);
    for (int parent = 0; parent < 2; parent++) {
      for (int r = 0; r < slots_; r++)
        for (const int i : parents[parent]->routes[r]) type_of[i] = problem_.slot_type[r];
      const auto& next = parents[parent]->successor;
      const auto& before = parents[parent]->predecessor;
      for (int r = 0; r < slots_; r++) {
        const auto& route = child.routes[r];
        if (route.empty() || before[route.front()] >= 0 || next[route.back()] >= 0) continue;
        if (type_of[route.front()] != problem_.slot_type[r]) continue;
        bool is_same = true;
        for (std::size_t k = 0; k + 1 < route.size() && is_same; k++) is_same = next[route[k]] == route[k + 1];
        if (is_same) child.origin[r] |= 1 << parent;
      }
    }
  }

  // Ordered crossover of the giant tours, then split.
  void cross_order(const Solution& one, const Solution& other, Solution& child) {
    const std::vector<int> first = giant_tour(one), second = giant_tour(other);
    const int n = problem_.n;
    int from = rng_.below(n), to = rng_.below(n);
    while (to == from && n > 1) to = rng_.below(n);
    std::vector<std::uint8_t> used(n, 0);
    std::vector<int> tour(n);
    int k = from;
    for (;;) {
      tour[k] = first[k];
      used[tour[k]] = 1;
      if (k == to) break;
      k = (k + 1) % n;
    }
    int place = (to + 1) % n;
    for (int step = 1; step <= n; step++) {
      const int i = second[(to + step) % n];
      if (used[i]) continue;
      tour[place] = i;
      place = (place + 1) % n;
    }
    split(tour, child);
  }

  // Routes in the order of a walk from route to route over near customers, so that neighbours lie together.
  std::vector<int> giant_tour(const Solution& solution) const {
    std::vector<int> tour;
    std::vector<int> route_of(problem_.n, -1);
    std::vector<std::uint8_t> done(slots_, 0);
    for (int r = 0; r < slots_; r++)
      for (const int i : solution.routes[r]) route_of[i] = r;
    int next = -1;
    for (int r = 0; r < slots_ && next < 0; r++)
      if (!solution.routes[r].empty()) next = r;
    while (next >= 0) {
      done[next] = 1;
      const auto& route = solution.routes[next];
      tour.insert(tour.end(), route.begin(), route.end());
      // The route not yet taken that most of the near customers belong to.
      std::vector<int> votes(slots_, 0);
      for (const int i : route)
        for (int k = 0; k < std::min<int>(10, static_cast<int>(near_[i].size())); k++) {
          const int r = route_of[near_[i][k]];
          if (r >= 0 && !done[r]) votes[r]++;
        }
      next = -1;
      for (int r = 0; r < slots_; r++)
        if (!done[r] && !solution.routes[r].empty() && (next < 0 || votes[r] > votes[next])) next = r;
    }
    return tour;
  }

  // Cuts a tour into routes at least cost, where load may exceed the capacity by half (Prins 2004).
  void split(const std::vector<int>& tour, Solution& child) {
    const int n = problem_.n;
    const auto& type = problem_.types[0];
    child.routes.assign(slots_, {});
    const int stride = n + 1;
    double total = 0;
    for (const int i : tour) total += demand(i);
    const double capacity = problem_.dimensions > 0 ? type.capacity[0] : kNone;
    const double weight = problem_.dimensions > 0 ? weights_.load[0] : 0;
    const double most_load = std::max(1.5 * capacity, slots_ * capacity < total ? total / slots_ * 1.5 : 0.0);
    const auto arcs = [&](int from, auto&& use) {
      double load = 0, cost = type.fixed;
      for (int to = from + 1; to <= n; to++) {
        const int i = tour[to - 1];
        const int at = problem_.location(i);
        load += demand(i);
        if (to == from + 1) cost += rate(type, type.start, at);
        else cost += rate(type, problem_.location(tour[to - 2]), at);
        if (to > from + 1 && load > most_load) break;
        use(to, cost + rate(type, at, type.end) + weight * std::max(0.0, load - capacity));
      }
    };
    split_cost_.assign(stride, 1e300);
    split_from_.assign(stride, -1);
    split_cost_[0] = 0;
    for (int from = 0; from < n; from++) {
      const double base = split_cost_[from];
      arcs(from, [&](int to, double cost) {
        if (base + cost < split_cost_[to]) {
          split_cost_[to] = base + cost;
          split_from_[to] = from;
        }
      });
    }
    int count = 0;
    for (int at = n; at > 0; at = split_from_[at]) count++;
    if (count <= slots_) {
      int slot = count;
      for (int at = n; at > 0; at = split_from_[at]) {
        slot--;
        child.routes[slot].assign(tour.begin() + split_from_[at], tour.begin() + at);
      }
      return;
    }
    // Too many: the same with a number of routes.
    split_cost_.assign(static_cast<std::size_t>(slots_ + 1) * stride, 1e300);
    split_from_.assign(static_cast<std::size_t>(slots_ + 1) * stride, -1);
    split_cost_[0] = 0;
    for (int k = 0; k < slots_; k++) {
      double* costs = &split_cost_[static_cast<std::size_t>(k) * stride];
      for (int from = k; from < n; from++) {
        if (costs[from] >= 1e299) continue;
        arcs(from, [&](int to, double cost) {
          if (costs[from] + cost < costs[stride + to]) {
            costs[stride + to] = costs[from] + cost;
            split_from_[static_cast<std::size_t>(k + 1) * stride + to] = from;
          }
        });
      }
    }
    int routes = 0;
    double least = 1e300;
    for (int k = 1; k <= slots_; k++)
      if (split_cost_[static_cast<std::size_t>(k) * stride + n] < least) {
        least = split_cost_[static_cast<std::size_t>(k) * stride + n];
        routes = k;
      }
    if (routes == 0) {
      deal(tour, child);
      return;
    }
    int at = n;
    for (int k = routes; k > 0; k--) {
      const int from = split_from_[static_cast<std::size_t>(k) * stride + at];
      child.routes[k - 1].assign(tour.begin() + from, tour.begin() + at);
      at = from;
    }
  }

  double demand(int i) const {
    return problem_.dimensions > 0 ? std::max(problem_.customers[i].delivery[0], problem_.customers[i].pickup[0]) : 0;
  }
  double rate(const VehicleType& type, int a, int b) const {
    double cost = type.per_distance * problem_.distance(a, b);
    if (type.per_time > 0) cost += type.per_time * problem_.duration(a, b);
    return cost;
  }

  // Neighbouring routes of one parent replace those of the other that serve most of the same customers; who is left
  // over goes where it costs least.
  void cross_routes(const Solution& one, const Solution& other, Solution& child) {
    std::vector<int> route_of(problem_.n, -1), used;
    for (int r = 0; r < slots_; r++) {
      if (!one.routes[r].empty()) used.push_back(r);
      for (const int i : one.routes[r]) route_of[i] = r;
    }
    const int count = used.size() < 2 ? 1 : 1 + rng_.below(static_cast<int>(used.size()) - 1);
    // A patch of routes around a random customer.
    std::vector<std::uint8_t> taken(slots_, 0);
    std::vector<int> patch;
    const int seed = rng_.below(problem_.n);
    const auto take = [&](int r) {
      if (!taken[r] && static_cast<int>(patch.size()) < count) {
        taken[r] = 1;
        patch.push_back(r);
      }
    };
    take(route_of[seed]);
    for (std::size_t k = 0; k < patch.size() && static_cast<int>(patch.size()) < count; k++)
      for (const int i : one.routes[patch[k]])
        for (int m = 0; m < std::min<int>(5, static_cast<int>(near_[i].size())); m++) take(route_of[near_[i][m]]);
    for (const int r : used) take(r);

    child.routes.assign(slots_, {});
    std::vector<std::uint8_t> placed(problem_.n, 0);
    for (const int r : patch) {
      child.routes[r] = one.routes[r];
      for (const int i : child.routes[r]) placed[i] = 1;
    }
    // Routes of the other parent, most bereaved last.
    std::vector<std::pair<double, int>> rest;
    for (int r = 0; r < slots_; r++) {
      const auto& route = other.routes[r];
      if (route.empty()) continue;
      int gone = 0;
      for (const int i : route) gone += placed[i];
      rest.push_back({static_cast<double>(gone) / static_cast<double>(route.size()), r});
    }
    std::sort(rest.begin(), rest.end());
    const int keep = std::max(0, static_cast<int>(rest.size()) - count);
    for (int k = 0; k < static_cast<int>(rest.size()) && k < keep; k++) {
      const int from = rest[k].second;
      int slot = -1;
      if (child.routes[from].empty()) slot = from;
      for (int r = 0; slot < 0 && r < slots_; r++)
        if (child.routes[r].empty() && problem_.slot_type[r] == problem_.slot_type[from]) slot = r;
      for (int r = 0; slot < 0 && r < slots_; r++)
        if (child.routes[r].empty()) slot = r;
      if (slot < 0) break;
      for (const int i : other.routes[from])
        if (!placed[i]) {
          placed[i] = 1;
          child.routes[slot].push_back(i);
        }
    }
    std::vector<int> left;
    for (int i = 0; i < problem_.n; i++)
      if (!placed[i]) left.push_back(i);
    if (left.empty()) return;
    rng_.shuffle(left);
    insert_cheapest(child, left);
  }

  // What is known of the stretches of a route up to its k-th stop (0: the depot) and from it on (size + 1: the depot), as
  // in plain_search.cpp.
  struct Timeline {
    std::vector<double> departure, late_before, latest, late_behind;
    double late = 0;
  };
  std::vector<Timeline> timelines_;

  void lay_out(int r, const std::vector<int>& route, Timeline& line) const {
    const auto& type = problem_.types[problem_.slot_type[r]];
    const std::size_t size = route.size();
    for (auto* list : {&line.departure, &line.late_before, &line.latest, &line.late_behind}) list->resize(size + 2);
    line.departure[0] = type.open;
    line.late_before[0] = 0;
    int at = type.start;
    for (std::size_t k = 1; k <= size; k++) {
      const auto& customer = problem_.customers[route[k - 1]];
      const int next = problem_.location(route[k - 1]);
      const double begin = std::max(line.departure[k - 1] + problem_.duration(at, next), customer.windows.front().from);
      const double over = std::max(0.0, begin - customer.windows.back().to);
      line.late_before[k] = line.late_before[k - 1] + over;
      line.departure[k] = begin - over + customer.service;
      at = next;
    }
    line.late = line.late_before[size] + std::max(0.0, line.departure[size] + problem_.duration(at, type.end) - type.close);
    line.latest[size + 1] = type.close;
    line.late_behind[size + 1] = 0;
    at = type.end;
    for (std::size_t k = size; k > 0; k--) {
      const auto& customer = problem_.customers[route[k - 1]];
      const int before = problem_.location(route[k - 1]);
      const double moving = customer.service + problem_.duration(before, at), from = customer.windows.front().from;
      line.latest[k] = std::min(customer.windows.back().to, std::max(line.latest[k + 1] - moving, from));
      line.late_behind[k] = line.late_behind[k + 1] + std::max(0.0, from + moving - line.latest[k + 1]);
      at = before;
    }
  }

  // Lateness of the route with customer i behind its k-th stop.
  double late_with(const Timeline& line, std::size_t k, int before, int i, int after) const {
    const auto& customer = problem_.customers[i];
    const int at = problem_.location(i);
    const double begin = std::max(line.departure[k] + problem_.duration(before, at), customer.windows.front().from);
    const double over = std::max(0.0, begin - customer.windows.back().to);
    return line.late_before[k] + over + line.late_behind[k + 1] +
           std::max(0.0, begin - over + customer.service + problem_.duration(at, after) - line.latest[k + 1]);
  }

  // Each customer to where it costs least, penalties for load and lateness included.
  void insert_cheapest(Solution& child, const std::vector<int>& left) {
    std::vector<double> load(slots_, 0.0);
    if (problem_.has_time) timelines_.resize(slots_);
    for (int r = 0; r < slots_; r++) {
      for (const int i : child.routes[r]) load[r] += demand(i);
      if (problem_.has_time) lay_out(r, child.routes[r], timelines_[r]);
    }
    for (const int i : left) {
      double least = 1e300;
      int best_slot = -1, best_place = 0, empty_type = -1;
      const int at = problem_.location(i);
      for (int r = 0; r < slots_; r++) {
        const auto& route = child.routes[r];
        const int t = problem_.slot_type[r];
        if (route.empty()) {
          if (t == empty_type) continue;
          empty_type = t;
        }
        const auto& type = problem_.types[t];
        double extra = problem_.may_serve(t, i) ? 0 : weights_.other;
        if (problem_.dimensions > 0)
          extra += weights_.load[0] * (std::max(0.0, load[r] + demand(i) - type.capacity[0]) - std::max(0.0, load[r] - type.capacity[0]));
        if (route.empty()) extra += type.fixed + rate(type, type.start, type.end);
        if (extra >= least) continue;
        int before = type.start;
        for (std::size_t k = 0; k <= route.size(); k++) {
          const int after = k < route.size() ? problem_.location(route[k]) : type.end;
          double cost = extra + rate(type, before, at) + rate(type, at, after) - rate(type, before, after);
          if (problem_.has_time && cost < least)
            cost += weights_.time * (late_with(timelines_[r], k, before, i, after) - timelines_[r].late);
          if (cost < least) {
            least = cost;
            best_slot = r;
            best_place = static_cast<int>(k);
          }
          before = after;
        }
      }
      child.routes[best_slot].insert(child.routes[best_slot].begin() + best_place, i);
      load[best_slot] += demand(i);
      if (problem_.has_time) lay_out(best_slot, child.routes[best_slot], timelines_[best_slot]);
    }
  }
};

}  // namespace

std::unique_ptr<Search> make_genetic(Problem problem) { return std::make_unique<Genetic>(std::move(problem)); }

}  // namespace extremum::routing
