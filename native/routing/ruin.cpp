// Ruin and recreate by removal of adjacent strings and greedy insertion with blinks, under simulated annealing: for what
// the genetic search does not hold: optional customers, shipments, several windows, the latest return, fewest vehicles.
// Every route keeps every limit at all times. Source: Christiaens and Vanden Berghe 2020 (slack induction by string
// removals); shipments are removed and inserted in pairs.
#include <algorithm>
#include <cmath>

#include "routing/genetic.h"
#include "routing/local_search.h"
#include "routing/rng.h"
#include "routing/route_state.h"

namespace extremum::routing {

namespace {

constexpr int kMeanRemoved = 10;
constexpr int kLongestString = 10;
constexpr double kBlink = 0.01;
constexpr double kSplitString = 0.5;
constexpr double kKeepOne = 0.01;
// Steps of ruin and recreate that make up one offspring.
constexpr int kFewestSteps = 20;
constexpr int kCooling = 200;  // Offspring until the temperature is low.

struct Plan {
  std::vector<std::vector<int>> routes;
  std::vector<double> cost, finish;
  std::vector<int> slot_of;  // -1: absent.
  std::vector<int> absent;
};

class Ruin final : public Search {
 public:
  explicit Ruin(Problem problem)
      : problem_(std::move(problem)),
        rng_(problem_.seed),
        walker_(problem_),
        slots_(static_cast<int>(problem_.slot_type.size())),
        near_(near_customers(problem_, 1000)),
        makespan_((problem_.flags & kMakespan) != 0) {
    current_.routes.assign(slots_, {});
    current_.cost.assign(slots_, 0);
    current_.finish.assign(slots_, 0);
    current_.slot_of.assign(problem_.n, -1);
    for (int i = 0; i < problem_.n; i++) current_.absent.push_back(i);
    waits_.assign(problem_.n, 0);
    banned_.assign(problem_.types.size(), 0);
    for (const auto& type : problem_.types) dearest_ = std::max(dearest_, type.fixed);
    steps_ = std::max(kFewestSteps, std::min(200, problem_.n));
  }

  std::int64_t run(std::int64_t count, StopCell stop) override {
    std::int64_t done = 0;
    stop_ = stop;
    interrupted_ = false;
    if (!begun_) begin();
    while (done < count) {
      for (; step_ < steps_; step_++) {
        if (interrupted_ || is_stopped(stop)) return done;
        step();
      }
      if (interrupted_) return done;
      step_ = 0;
      done++;
      offspring_++;
      since_best_++;
      if (improved_) since_best_ = 0;
      improved_ = false;
      temperature_ *= cooling_;
      // Cold: warm again, from the best.
      if (offspring_ % (kCooling * 5 / 4) == 0) {
        current_ = best_;
        current_cost_ = best_cost_;
        temperature_ = first_temperature_ * 0.3;
      }
    }
    return done;
  }

  bool has_best() const override { return begun_; }
  double best_cost() const override { return best_cost_; }
  std::int64_t offspring() const override { return offspring_; }
  std::int64_t since_best() const override { return since_best_; }

  std::vector<std::int32_t> best() const override {
    std::vector<std::int32_t> list;
    if (!begun_) return list;
    for (int slot = 0; slot < slots_; slot++) {
      const auto& route = best_.routes[slot];
      if (route.empty()) continue;
      list.push_back(slot);
      list.push_back(static_cast<std::int32_t>(route.size()));
      list.insert(list.end(), route.begin(), route.end());
    }
    if (!best_.absent.empty()) {
      list.push_back(-1);
      list.push_back(static_cast<std::int32_t>(best_.absent.size()));
      list.insert(list.end(), best_.absent.begin(), best_.absent.end());
    }
    return list;
  }

 private:
  Problem problem_;
  Rng rng_;
  RouteWalker walker_;
  const int slots_;
  std::vector<std::vector<int>> near_;
  const bool makespan_;
  Plan current_, best_;
  double current_cost_ = 0, best_cost_ = 0;
  double temperature_ = 0, first_temperature_ = 0, cooling_ = 1;
  std::int64_t offspring_ = 0, since_best_ = 0;
  int steps_ = 0, step_ = 0;
  bool begun_ = false, improved_ = false, generous_ = false;
  // One insertion into long routes may take seconds, so that insertions look, too. Once they are interrupted, the rest stays absent.
  StopCell stop_ = nullptr;
  bool interrupted_ = false;
  std::vector<std::uint8_t> banned_;
  // Largest fixed cost.
  double dearest_ = 0;
  // How often each customer was left out: rare guests first.
  std::vector<double> waits_;
  std::vector<int> trial_;
  std::vector<double> legs_;  // [leg, dimension]

  double objective(const Plan& plan) const {
    double sum = 0, latest = 0;
    for (int r = 0; r < slots_; r++) {
      sum += plan.cost[r];
      if (!plan.routes[r].empty()) latest = std::max(latest, plan.finish[r]);
    }
    if (makespan_) sum = latest + 1e-4 * sum;
    for (const int i : plan.absent) sum += problem_.customers[i].prize;
    return sum;
  }

  void begin() {
    begun_ = true;
    insert_absent(current_);
    current_cost_ = objective(current_);
    best_ = current_;
    best_cost_ = current_cost_;
    improved_ = true;
    first_temperature_ = temperature_ = problem_.mean_edge * 0.3;
    // Down to a hundredth within kCooling offspring: 0.01^(1 / 200), without pow.
    cooling_ = 0.97724;
  }

  void step() {
    Plan next = current_;
    ruin(next);
    insert_absent(next);
    if (interrupted_) return;
    const double cost = objective(next);
    // -temperature log(u), without log: three terms suffice for a threshold.
    const double threshold = temperature_ * exponential();
    if (cost < current_cost_ + threshold) {
      current_ = std::move(next);
      current_cost_ = cost;
      if (cost < best_cost_ - problem_.epsilon) {
        best_cost_ = cost;
        best_ = current_;
        improved_ = true;
      }
    }
  }

  // Exponentially distributed with mean 1, by comparisons only (von Neumann 1951).
  double exponential() {
    for (double whole = 0;; whole += 1) {
      const double first = rng_.uniform();
      double last = first;
      bool odd = true;
      for (;;) {
        const double next = rng_.uniform();
        if (next >= last) break;
        last = next;
        odd = !odd;
      }
      if (odd) return whole + first;
    }
  }

  // After customers went. Where the way without them is longer than with them, the rest may break a limit: all go.
  void revalue(Plan& plan, int r) {
    const RouteValue value = walker_.value(problem_.slot_type[r], plan.routes[r]);
    if (!value.feasible) {
      for (const int j : plan.routes[r]) {
        plan.slot_of[j] = -1;
        plan.absent.push_back(j);
      }
      plan.routes[r].clear();
    }
    plan.cost[r] = plan.routes[r].empty() ? 0 : value.cost;
    plan.finish[r] = plan.routes[r].empty() ? 0 : value.finish;
  }

  void ruin(Plan& plan) {
    int used = 0, most = 0;
    for (const auto& route : plan.routes)
      if (!route.empty()) {
        used++;
        most = std::max(most, static_cast<int>(route.size()));
      }
    if (used == 0) return;
    const int served = problem_.n - static_cast<int>(plan.absent.size());
    const double mean_size = static_cast<double>(served) / used;
    const double longest = std::min<double>(kLongestString, mean_size);
    const double most_strings = 4.0 * kMeanRemoved / (1 + longest) - 1;
    const int strings = 1 + static_cast<int>(rng_.uniform() * std::max(1.0, most_strings));
    std::vector<std::uint8_t> ruined(slots_, 0);
    int done = 0;
    const int seed = rng_.below(problem_.n);
    // Now and then a whole route goes, so that vehicles can be saved.
    const int whole = rng_.below(20) == 0 ? 1 + rng_.below(2) : 0;
    const auto visit = [&](int i) {
      const int r = plan.slot_of[i];
      if (r < 0 || ruined[r]) return;
      ruined[r] = 1;
      done++;
      remove_string(plan, r, i, longest, done <= whole);
    };
    visit(seed);
    for (const int i : near_[seed]) {
      if (done >= strings) break;
      visit(i);
    }
  }

  void remove_string(Plan& plan, int r, int i, double longest, bool whole) {
    auto& route = plan.routes[r];
    const int size = static_cast<int>(route.size());
    int length = 1 + static_cast<int>(rng_.uniform() * std::min<double>(size, longest));
    length = std::min(length, size);
    if (whole) length = size;
    const int at = static_cast<int>(std::find(route.begin(), route.end(), i) - route.begin());
    std::vector<int> gone;
    int kept = 0;
    if (!whole && length > 1 && length < size && rng_.uniform() < kSplitString) {
      kept = 1;
      while (length + kept < size && rng_.uniform() > kKeepOne) kept++;
      kept = std::min(kept, size - length);
    }
    const int span = length + kept;
    const int least = std::max(0, at - span + 1), greatest = std::min(at, size - span);
    const int from = least + rng_.below(greatest - least + 1);
    const int keep_from = kept > 0 ? from + rng_.below(length - 1) + 1 : size;
    for (int k = from; k < from + span; k++)
      if (k < keep_from || k >= keep_from + kept) gone.push_back(route[k]);
    for (const int j : std::vector<int>(gone)) {
      const int partner = problem_.customers[j].partner;
      if (partner >= 0 && std::find(gone.begin(), gone.end(), partner) == gone.end()) gone.push_back(partner);
    }
    for (const int j : gone) {
      plan.slot_of[j] = -1;
      plan.absent.push_back(j);
    }
    route.erase(std::remove_if(route.begin(), route.end(), [&](int j) { return plan.slot_of[j] < 0; }), route.end());
    revalue(plan, r);
  }

  // Tries everybody who is absent, in one of several orders.
  void insert_absent(Plan& plan) {
    std::vector<int> order;
    for (const int i : plan.absent)
      if (problem_.customers[i].partner < 0 || problem_.customers[i].is_pickup) order.push_back(i);
    std::sort(order.begin(), order.end());
    rng_.shuffle(order);
    const int kind = rng_.below(11);
    const auto by = [&](auto&& key) {
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) > key(b); });
    };
    const auto& customers = problem_.customers;
    if (kind < 4) {
      // As it came.
    } else if (kind < 8) {
      by([&](int i) { return problem_.dimensions > 0 ? std::max({customers[i].delivery[0], customers[i].pickup[0], customers[i].shipped[0]}) : 0; });
    } else if (kind < 10) {
      const int depot = problem_.types[0].start;
      const double sign = kind == 8 ? 1 : -1;
      by([&](int i) { return sign * problem_.distance(depot, problem_.location(i)); });
    } else if (problem_.has_time) {
      by([&](int i) { return customers[i].windows.front().from - customers[i].windows.back().to; });
    } else {
      by([&](int i) { return waits_[i]; });
    }
    // Those who must be served come before those who may.
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return customers[a].required > customers[b].required; });
    std::vector<int> out;
    generous_ = rng_.below(4) == 0;
    // Unused vehicles of some types are passed over, so that others are tried at all.
    for (auto& one : banned_) one = banned_.size() > 1 && rng_.below(4) == 0;
    for (const int i : order) {
      if (!(problem_.customers[i].partner < 0 ? insert_one(plan, i) : insert_pair(plan, i))) {
        waits_[i] += 1;
        out.push_back(i);
        if (problem_.customers[i].partner >= 0) out.push_back(problem_.customers[i].partner);
      }
    }
    plan.absent = out;
    std::sort(plan.absent.begin(), plan.absent.end());
  }

  // Difference that a route of this cost and this return makes.
  double price(const Plan& plan, int r, const RouteValue& value, double latest) const {
    const double difference = value.cost - plan.cost[r];
    if (!makespan_) return difference;
    return std::max(0.0, value.finish - latest) + 1e-2 * (value.finish - plan.finish[r]) + 1e-4 * difference;
  }

  double latest_of(const Plan& plan) const {
    double latest = 0;
    if (makespan_)
      for (int r = 0; r < slots_; r++)
        if (!plan.routes[r].empty()) latest = std::max(latest, plan.finish[r]);
    return latest;
  }

  // Extra distance and time at this place, as a lower bound of what it costs.
  double detour(const VehicleType& type, int before, int at, int after) const {
    double cost = type.per_distance * (problem_.distance(before, at) + problem_.distance(at, after) - problem_.distance(before, after));
    if (makespan_) cost *= 1e-4;
    return cost;
  }

  bool fits(int t, int i) const {
    if (!problem_.may_serve(t, i)) return false;
    const auto& customer = problem_.customers[i];
    for (int d = 0; d < problem_.dimensions; d++)
      if (customer.delivery[d] > problem_.types[t].capacity[d] * (1 + 1e-9)) return false;
    return true;
  }

  bool is_interrupted() { return interrupted_ = interrupted_ || is_stopped(stop_); }

  template <class Use>
  void each_route(const Plan& plan, Use&& use) {
    int empty_type = -1;
    for (int r = 0; r < slots_; r++) {
      if (interrupted_) return;
      const int t = problem_.slot_type[r];
      if (plan.routes[r].empty()) {
        if (t == empty_type || banned_[t]) continue;
        empty_type = t;
      }
      use(r, t);
    }
  }

  // Loss that is taken for a customer who may be served: a vehicle pays only once several are on it.
  double allowance(int i) {
    if (problem_.customers[i].required || !generous_) return 0;
    return rng_.uniform() * (2 * problem_.mean_edge + dearest_);
  }

  bool insert_one(Plan& plan, int i) {
    // Nobody is served at a loss, unless others may make up for it. Prizes of those who must be served are beyond any cost.
    double least = problem_.customers[i].prize + allowance(i);
    int best_slot = -1, best_place = 0;
    RouteValue best_value;
    const int at = problem_.location(i);
    const double latest = latest_of(plan);
    if (is_interrupted()) return false;
    each_route(plan, [&](int r, int t) {
      if (!fits(t, i)) return;
      const auto& type = problem_.types[t];
      const auto& route = plan.routes[r];
      if (type.max_stops >= 0 && static_cast<int>(route.size()) + 1 > type.max_stops) return;
      trial_ = route;
      trial_.insert(trial_.begin(), i);
      const int size = static_cast<int>(route.size());
      for (int k = 0; k <= size; k++) {
        if (k > 0) std::swap(trial_[k - 1], trial_[k]);
        if (rng_.uniform() < kBlink) continue;
        const int before = k > 0 ? problem_.location(route[k - 1]) : type.start;
        const int after = k < size ? problem_.location(route[k]) : type.end;
        if (size > 0 && !problem_.has_per_time && !makespan_ && detour(type, before, at, after) >= least) continue;
        const RouteValue value = walker_.value(t, trial_);
        if (!value.feasible) continue;
        const double cost = price(plan, r, value, latest);
        if (cost < least) {
          least = cost;
          best_slot = r;
          best_place = k;
          best_value = value;
        }
      }
    });
    if (best_slot < 0) return false;
    auto& route = plan.routes[best_slot];
    route.insert(route.begin() + best_place, i);
    settle(plan, best_slot, best_value);
    plan.slot_of[i] = best_slot;
    return true;
  }

  void settle(Plan& plan, int r, const RouteValue& value) {
    plan.cost[r] = value.cost;
    plan.finish[r] = value.finish;
  }

  // What is on board on each leg of the route.
  void weigh(const std::vector<int>& route) {
    const int dims = problem_.dimensions;
    legs_.assign((route.size() + 1) * dims, 0);
    for (const int i : route)
      for (int d = 0; d < dims; d++) legs_[d] += problem_.customers[i].delivery[d];
    for (std::size_t k = 0; k < route.size(); k++) {
      const auto& customer = problem_.customers[route[k]];
      for (int d = 0; d < dims; d++) {
        const double change = customer.pickup[d] - customer.delivery[d] + (customer.partner >= 0 ? customer.shipped[d] : 0);
        legs_[(k + 1) * dims + d] = legs_[k * dims + d] + change;
      }
    }
  }

  // False where the shipment is too much on this leg, beyond any rounding.
  bool has_room(const VehicleType& type, int leg, int pickup) const {
    const int dims = problem_.dimensions;
    for (int d = 0; d < dims; d++) {
      const double load = legs_[static_cast<std::size_t>(leg) * dims + d] + problem_.customers[pickup].shipped[d];
      if (load > type.capacity[d] + 1e-6 * (1 + type.capacity[d])) return false;
    }
    return true;
  }

  bool insert_pair(Plan& plan, int pickup) {
    const int delivery = problem_.customers[pickup].partner;
    double least = problem_.customers[pickup].prize + problem_.customers[delivery].prize + allowance(pickup);
    int best_slot = -1;
    RouteValue best_value;
    std::vector<int> best_route;
    const double latest = latest_of(plan);
    each_route(plan, [&](int r, int t) {
      if (!fits(t, pickup) || !fits(t, delivery)) return;
      const auto& type = problem_.types[t];
      const auto& route = plan.routes[r];
      const int size = static_cast<int>(route.size());
      weigh(route);
      for (int k = 0; k <= size; k++) {
        if (is_interrupted()) return;
        if (rng_.uniform() < kBlink) continue;
        const int before = k > 0 ? problem_.location(route[k - 1]) : type.start;
        const int after = k < size ? problem_.location(route[k]) : type.end;
        if (size > 0 && !problem_.has_per_time && !makespan_ && 
            detour(type, before, problem_.location(pickup), after) >= least)
          continue;
        // A shipment that is too much on one leg cannot stay on board for longer.
        for (int m = k; m <= size && has_room(type, m, pickup); m++) {
          trial_ = route;
          trial_.insert(trial_.begin() + m, delivery);
          trial_.insert(trial_.begin() + k, pickup);
          const RouteValue value = walker_.value(t, trial_);
          if (!value.feasible) continue;
          const double cost = price(plan, r, value, latest);
          if (cost < least) {
            least = cost;
            best_slot = r;
            best_value = value;
            best_route = trial_;
          }
        }
      }
    });
    if (best_slot < 0 || interrupted_) return false;
    plan.routes[best_slot] = best_route;
    settle(plan, best_slot, best_value);
    plan.slot_of[pickup] = plan.slot_of[delivery] = best_slot;
    return true;
  }
};

}  // namespace

std::unique_ptr<Search> make_ruin(Problem problem) { return std::make_unique<Ruin>(std::move(problem)); }

}  // namespace extremum::routing
