#include "routing/local_search.h"

#include <algorithm>
#include <cmath>

#include "routing/segment.h"

#ifdef __wasm__
extern "C" __attribute__((import_module("host"), import_name("stopped"))) int host_stopped();
#endif

// Small functions of the inner loops; compilers that count calls leave them out of line, at half the speed.
#if defined(__GNUC__) || defined(__clang__)
#define INLINE __attribute__((always_inline)) inline
#else
#define INLINE inline
#endif

namespace extremum::routing {

bool is_stopped(StopCell stop) {
#ifdef __wasm__
  (void)stop;
  return host_stopped() != 0;
#else
  return stop != nullptr && stop->load(std::memory_order_relaxed) != 0;
#endif
}

namespace {

constexpr int kNear = 20;
// Above any cost.
constexpr double kFar = 1e300;
// Routes are neighbours for SWAP* where one holds a customer that is this near to one of the other.
constexpr int kNearRoutes = 6;

template <bool kTime, bool kRich>
class Improver final : public LocalSearch {
  using Stretch = Segment<kTime, kRich>;

 public:
  explicit Improver(const Problem& problem)
      : problem_(problem), n_(problem.n), slots_(static_cast<int>(problem.slot_type.size())), near_(near_customers(problem, kNear)) {
    const int nodes = n_ + 2 * slots_;
    next_.resize(nodes);
    prev_.resize(nodes);
    route_.resize(nodes);
    place_.resize(nodes);
    location_.resize(nodes);
    back_.resize(nodes);
    single_.resize(nodes);
    prefix_.resize(nodes);
    suffix_.resize(nodes);
    routes_.resize(slots_);
    tested_.resize(n_);
    for (int i = 0; i < n_; i++) {
      location_[i] = problem.location(i);
      single_[i] = customer_segment<kTime, kRich>(problem, i);
      order_.push_back(i);
    }
    for (int r = 0; r < slots_; r++) {
      const auto& type = problem.types[problem.slot_type[r]];
      location_[start(r)] = type.start;
      location_[end(r)] = type.end;
      single_[start(r)] = single_[end(r)] = depot_segment<kTime, kRich>(type);
      route_[start(r)] = route_[end(r)] = r;
      routes_[r].type = problem.slot_type[r];
    }
    const bool small = static_cast<std::size_t>(n_) * slots_ <= 3000000;
    use_swap_star_ = small && slots_ > 1 && problem.dimensions > 0;
    if (use_swap_star_) best_places_.resize(static_cast<std::size_t>(n_) * slots_);
    seen_.assign(slots_, -1);
  }

  bool improve(Solution& solution, const Weights& weights, Rng& rng, StopCell stop) override {
    weights_ = weights;
    load(solution);
    rng.shuffle(order_);
    for (auto& near : near_)
      if (rng.below(kNear) == 0) rng.shuffle(near);
    bool searching = true;
    for (int round = 0; searching; round++) {
      if (round > 1) searching = false;
      for (const int u : order_) {
        if (is_stopped(stop)) return false;
        const int tested = tested_[u];
        tested_[u] = moves_;
        for (const int v : near_[u]) {
          const Route& a = routes_[route_[u]];
          const Route& b = routes_[route_[v]];
          if (round == 0 ? (a.origin & b.origin) != 0 : std::max(a.changed, b.changed) <= tested) continue;
          if (try_pair(u, v)) searching = true;
        }
        if (round > 0 && try_empty(u)) searching = true;
      }
      if (!searching && use_swap_star_) {
        if (!swap_star_round(stop)) return false;
        searching |= swapped_;
      }
      if (!searching && problem_.types.size() > 1) searching |= exchange_vehicles();
    }
    store(solution);
    return true;
  }

 private:
  struct Route {
    int type = 0, size = 0, changed = 0;
    int origin = 0;         // Parents that have this very route; 0 once it has changed.
    int swap_tested = -1;   // moves_ when SWAP* last looked at it.
    int vehicle_tested = -1;
    double distance = 0, cost = 0;  // Penalties included.
    double slack = 0;       // At most this much of the cost is not fixed cost, distance or travel time.
    double penalty_load = 0;
  };

  struct BestPlaces {
    int calculated = -1;
    double cost[3];
    int after[3];
  };

  const Problem& problem_;
  const int n_, slots_;
  std::vector<std::vector<int>> near_;
  std::vector<int> next_, prev_, route_, place_, location_;
  std::vector<double> back_;  // Distance of the stretch up to here, walked backwards.
  std::vector<Stretch> single_, prefix_, suffix_;
  std::vector<Route> routes_;
  std::vector<int> order_, tested_;
  std::vector<BestPlaces> best_places_;
  std::vector<int> seen_;
  std::vector<int> scratch_;
  Weights weights_{};
  int moves_ = 0;
  bool use_swap_star_ = false, swapped_ = false;

  INLINE int start(int r) const { return n_ + 2 * r; }
  INLINE int end(int r) const { return n_ + 2 * r + 1; }
  INLINE bool is_depot(int node) const { return node >= n_; }
  INLINE double distance(int a, int b) const { return problem_.distance(location_[a], location_[b]); }
  INLINE double travel(int a, int b) const {
    if constexpr (kTime || kRich) return problem_.duration(location_[a], location_[b]);
    return 0;
  }
  INLINE const VehicleType& type_of(int r) const { return problem_.types[routes_[r].type]; }

  void load(const Solution& solution) {
    moves_ = 1;
    std::fill(tested_.begin(), tested_.end(), -1);
    for (int r = 0; r < slots_; r++) {
      int last = start(r);
      prev_[last] = -1;
      for (const int i : solution.routes[r]) {
        next_[last] = i;
        prev_[i] = last;
        last = i;
      }
      next_[last] = end(r);
      prev_[end(r)] = last;
      next_[end(r)] = -1;
      update(r);
      if (!solution.origin.empty()) routes_[r].origin = solution.origin[r];
      routes_[r].swap_tested = routes_[r].vehicle_tested = -1;
    }
    for (auto& places : best_places_) places.calculated = -1;
  }

  void store(Solution& solution) const {
    for (int r = 0; r < slots_; r++) {
      auto& route = solution.routes[r];
      route.clear();
      for (int i = next_[start(r)]; !is_depot(i); i = next_[i]) route.push_back(i);
    }
  }

  // Sums of the route anew, after its links changed.
  void update(int r) {
    Route& route = routes_[r];
    int node = start(r);
    prefix_[node] = single_[node];
    place_[node] = 0;
    back_[node] = 0;
    int forbidden = 0;
    for (int after = next_[node]; after >= 0; node = after, after = next_[after]) {
      route_[after] = r;
      place_[after] = place_[node] + 1;
      back_[after] = back_[node] + (problem_.is_symmetric ? 0 : distance(after, node));
      prefix_[after] = prefix_[node];
      extend(prefix_[after], node, after);
      if constexpr (kRich)
        if (!is_depot(after) && !problem_.may_serve(route.type, after)) forbidden++;
    }
    if constexpr (kTime || kRich) {
      suffix_[node] = single_[node];
      for (int before = prev_[node]; before >= 0; node = before, before = prev_[before]) {
        suffix_[before] = single_[before];
        suffix_[before].join(suffix_[node], distance(before, node), travel(before, node), problem_.dimensions);
      }
    }
    const int last = end(r);
    route.size = place_[last] - 1;
    route.changed = moves_;
    route.origin = 0;
    const Stretch& whole = prefix_[last];
    route.distance = whole.distance;
    if (route.size == 0) {
      route.cost = route.slack = route.penalty_load = 0;
      return;
    }
    const auto& type = type_of(r);
    double penalty = penalty_of(whole, type);
    if constexpr (!kRich) route.penalty_load = load_penalty(whole.load, type);
    if constexpr (kRich) {
      route.penalty_load = 0;
      for (int d = 0; d < problem_.dimensions; d++)
        route.penalty_load += weights_.load[d] * std::max(0.0, whole.peak[d] - type.capacity[d]);
      penalty += weights_.other * forbidden;
    }
    const double basic = type.fixed + type.per_distance * whole.distance;
    double time_cost = 0, waiting_cost = 0;
    if constexpr (kRich) {
      time_cost = type.per_time * duration_of(whole);
      waiting_cost = time_cost - type.per_time * whole.travel;
    }
    route.cost = basic + time_cost + penalty;
    route.slack = penalty + std::max(0.0, waiting_cost);
  }

  INLINE void extend(Stretch& stretch, int from, int to) const {
    stretch.join(single_[to], distance(from, to), travel(from, to), problem_.dimensions);
  }

  INLINE static double duration_of(const Stretch& whole) {
    if constexpr (kTime) return whole.duration - whole.warp;
    else if constexpr (kRich) return whole.travel;
    else return 0;
  }

  INLINE double load_penalty(double load, const VehicleType& type) const {
    return problem_.dimensions > 0 ? weights_.load[0] * std::max(0.0, load - type.capacity[0]) : 0;
  }

  INLINE double penalty_of(const Stretch& whole, const VehicleType& type) const {
    double penalty = 0;
    if constexpr (!kRich) penalty += load_penalty(whole.load, type);
    if constexpr (kTime) penalty += weights_.time * (whole.warp + std::max(0.0, whole.release - whole.late));
    if constexpr (kRich) {
      for (int d = 0; d < problem_.dimensions; d++)
        penalty += weights_.load[d] * std::max(0.0, whole.peak[d] - type.capacity[d]);
      penalty += weights_.time * std::max(0.0, duration_of(whole) - type.max_duration);
      penalty += weights_.distance * std::max(0.0, whole.distance - type.max_distance);
      if (type.max_stops >= 0) penalty += weights_.other * std::max(0, whole.stops - type.max_stops);
    }
    return penalty;
  }

  // Of a route with customers; without what it may not serve.
  INLINE double cost_of(const Stretch& whole, const VehicleType& type) const {
    double cost = type.fixed + type.per_distance * whole.distance + penalty_of(whole, type);
    if constexpr (kRich) cost += type.per_time * duration_of(whole);
    return cost;
  }

  double forbidden(int r, int node) const {
    if constexpr (kRich)
      if (problem_.has_skills && !is_depot(node) && !problem_.may_serve(routes_[r].type, node)) return weights_.other;
    return 0;
  }
  double forbidden_on(int r) const {
    double sum = 0;
    if constexpr (kRich)
      if (problem_.has_skills)
        for (int i = next_[start(r)]; !is_depot(i); i = next_[i]) sum += forbidden(r, i);
    return sum;
  }

  // Rate at which distance costs, travel time included where it is proportional: for lower bounds.
  INLINE double edge(int r, int a, int b) const {
    const auto& type = type_of(r);
    double cost = type.per_distance * distance(a, b);
    if constexpr (kRich)
      if (type.per_time > 0) cost += type.per_time * travel(a, b);
    return cost;
  }

  // A few nodes in a row.
  struct Part {
    int count;
    int node[3];
    int first() const { return node[0]; }
    int last() const { return node[count - 1]; }
  };

  INLINE double inner(int r, const Part& part) const {
    double cost = 0;
    for (int k = 1; k < part.count; k++) cost += edge(r, part.node[k - 1], part.node[k]);
    return cost;
  }

  INLINE void extend(Stretch& stretch, int& last, const Part& part) const {
    for (int k = 0; k < part.count; k++) {
      extend(stretch, last, part.node[k]);
      last = part.node[k];
    }
  }

  INLINE void close(Stretch& stretch, int last, int rest) const {
    stretch.join(suffix_[rest], distance(last, rest), travel(last, rest), problem_.dimensions);
  }

  double service_cost(int r, const Part& part) const {
    double cost = 0;
    if constexpr (kRich)
      if (type_of(r).per_time > 0)
        for (int k = 0; k < part.count; k++) cost += type_of(r).per_time * problem_.customers[part.node[k]].service;
    return cost;
  }

  // Takes `out` (linked in a row) away from its place and puts `in` there; and the other way round at the place of `in`.
  // `in` may be empty: then `out` goes between `before_in` and its successor. `turned`: `out` arrives reversed.
  bool exchange(const Part& out, const Part& in, int before_in, bool turned) {
    const int before_out = prev_[out.first()], after_out = next_[out.last()];
    const int after_in = in.count > 0 ? next_[in.last()] : next_[before_in];
    const int a = route_[out.first()], b = route_[before_in];
    Part arriving = out;
    if (turned) std::reverse(arriving.node, arriving.node + arriving.count);
    if (in.count == 0) {
      if (before_in == before_out) {
        if (!turned) return false;
      } else {
        for (int k = 0; k < out.count; k++)
          if (before_in == out.node[k]) return false;
      }
    }
    if (a != b) {
      double bound_a = in.count > 0 ? edge(a, before_out, in.first()) + inner(a, in) + edge(a, in.last(), after_out)
                                    : edge(a, before_out, after_out);
      bound_a -= edge(a, before_out, out.first()) + inner(a, out) + edge(a, out.last(), after_out);
      double bound_b = edge(b, before_in, arriving.first()) + inner(b, arriving) + edge(b, arriving.last(), after_in);
      bound_b -= in.count > 0 ? edge(b, before_in, in.first()) + inner(b, in) + edge(b, in.last(), after_in)
                              : edge(b, before_in, after_in);
      const bool empties = in.count == 0 && routes_[a].size == out.count;
      if (empties) bound_a = -routes_[a].cost + routes_[a].slack;
      if (routes_[b].size == 0) bound_b += type_of(b).fixed + edge(b, before_in, after_in);
      if constexpr (kRich) {
        bound_a += service_cost(a, in) - (empties ? 0 : service_cost(a, out));
        bound_b += service_cost(b, out) - service_cost(b, in);
      }
      if (bound_a + bound_b >= routes_[a].slack + routes_[b].slack - problem_.epsilon) return false;
      double cost = 0;
      if constexpr (!kTime && !kRich) {
        double moved = 0;
        for (int k = 0; k < out.count; k++) moved += single_[out.node[k]].load;
        for (int k = 0; k < in.count; k++) moved -= single_[in.node[k]].load;
        cost = bound_a + bound_b + (empties ? 0 : load_penalty(prefix_[end(a)].load - moved, type_of(a))) +
               load_penalty(prefix_[end(b)].load + moved, type_of(b)) - routes_[a].penalty_load - routes_[b].penalty_load;
      } else {
        cost = -routes_[a].cost - routes_[b].cost;
        if (!empties) {
          Stretch whole = prefix_[before_out];
          int last = before_out;
          extend(whole, last, in);
          close(whole, last, after_out);
          cost += cost_of(whole, type_of(a)) + forbidden_on(a);
          for (int k = 0; k < out.count; k++) cost -= forbidden(a, out.node[k]);
          for (int k = 0; k < in.count; k++) cost += forbidden(a, in.node[k]);
        }
        if (cost >= -problem_.epsilon) return false;
        Stretch whole = prefix_[before_in];
        int last = before_in;
        extend(whole, last, arriving);
        close(whole, last, after_in);
        cost += cost_of(whole, type_of(b)) + forbidden_on(b);
        for (int k = 0; k < in.count; k++) cost -= forbidden(b, in.node[k]);
        for (int k = 0; k < out.count; k++) cost += forbidden(b, out.node[k]);
      }
      if (cost >= -problem_.epsilon) return false;
    } else {
      // One route: which place comes first, and whether they touch.
      const bool out_first = place_[out.first()] <= place_[before_in];
      const bool in_place = in.count == 0 && before_in == before_out;  // Only turned round.
      double bound = 0;
      const bool touching = in.count > 0 && (after_out == in.first() || after_in == out.first());
      if (in_place) {
        bound = edge(a, before_out, arriving.first()) + inner(a, arriving) + edge(a, arriving.last(), after_out) -
                edge(a, before_out, out.first()) - inner(a, out) - edge(a, out.last(), after_out);
      } else if (touching) {
        const Part& left = out_first ? in : arriving;  // As they lie afterwards.
        const Part& right = out_first ? arriving : in;
        const int before = out_first ? before_out : before_in, after = out_first ? after_in : after_out;
        const Part& old_left = out_first ? out : in;
        const Part& old_right = out_first ? in : out;
        bound = edge(a, before, left.first()) + inner(a, left) + edge(a, left.last(), right.first()) + inner(a, right) +
                edge(a, right.last(), after) - edge(a, before, old_left.first()) - inner(a, old_left) -
                edge(a, old_left.last(), old_right.first()) - inner(a, old_right) - edge(a, old_right.last(), after);
      } else {
        bound = in.count > 0 ? edge(a, before_out, in.first()) + inner(a, in) + edge(a, in.last(), after_out)
                             : edge(a, before_out, after_out);
        bound -= edge(a, before_out, out.first()) + inner(a, out) + edge(a, out.last(), after_out);
        bound += edge(a, before_in, arriving.first()) + inner(a, arriving) + edge(a, arriving.last(), after_in);
        bound -= in.count > 0 ? edge(a, before_in, in.first()) + inner(a, in) + edge(a, in.last(), after_in)
                              : edge(a, before_in, after_in);
      }
      if constexpr (!kTime && !kRich) {
        if (bound >= -problem_.epsilon) return false;
      } else {
        if (bound >= routes_[a].slack - problem_.epsilon) return false;
        const Part& left = out_first ? in : arriving;
        const Part& right = out_first ? arriving : in;
        int last = out_first ? before_out : before_in;
        const int rest = out_first ? after_in : after_out;
        Stretch whole = prefix_[last];
        if (in_place) {
          extend(whole, last, arriving);
          close(whole, last, after_out);
        } else {
          extend(whole, last, left);
          const int from = out_first ? after_out : after_in;
          const int to = out_first ? (in.count > 0 ? in.first() : after_in) : out.first();
          if (!touching)
            for (int node = from; node != to; node = next_[node]) {
              extend(whole, last, node);
              last = node;
            }
          extend(whole, last, right);
          close(whole, last, rest);
        }
        if (cost_of(whole, type_of(a)) + forbidden_on(a) - routes_[a].cost >= -problem_.epsilon) return false;
      }
    }
    // Relink.
    unlink(out);
    if (in.count > 0) {
      const int left = before_in, right = after_in;
      // Places that touch: what stood beside has moved.
      if (after_out == in.first()) {
        unlink(in);
        insert(in, before_out);
        insert(arriving, in.last());
      } else if (after_in == out.first()) {
        unlink(in);
        insert(arriving, left);
        insert(in, arriving.last());
      } else {
        (void)right;
        unlink(in);
        insert(in, before_out);
        insert(arriving, left);
      }
    } else {
      insert(arriving, before_in);
    }
    changed(a, b);
    return true;
  }

  void unlink(const Part& part) {
    const int left = prev_[part.first()], right = next_[part.last()];
    next_[left] = right;
    prev_[right] = left;
  }
  void insert(const Part& part, int after) {
    const int right = next_[after];
    int last = after;
    for (int k = 0; k < part.count; k++) {
      next_[last] = part.node[k];
      prev_[part.node[k]] = last;
      last = part.node[k];
    }
    next_[last] = right;
    prev_[right] = last;
  }

  void changed(int a, int b) {
    moves_++;
    update(a);
    if (b != a) update(b);
  }

  static Part one(int a) { return {1, {a, 0, 0}}; }
  static Part two(int a, int b) { return {2, {a, b, 0}}; }
  static Part three(int a, int b, int c) { return {3, {a, b, c}}; }
  static constexpr Part kNothing{0, {0, 0, 0}};

  // Moves that make u and v neighbours.
  bool try_pair(int u, int v) {
    const int x = next_[u];
    const int y = next_[v];
    if (exchange(one(u), kNothing, v, false)) return true;
    if (!is_depot(x) && x != v) {
      if (exchange(two(u, x), kNothing, v, false)) return true;
      if (exchange(two(u, x), kNothing, v, true)) return true;
      if constexpr (kTime) {
        const int xx = next_[x];
        if (!is_depot(xx) && xx != v && exchange(three(u, x, xx), kNothing, v, false)) return true;
      }
    }
    if (u < v && exchange(one(u), one(v), prev_[v], false)) return true;
    if (!is_depot(x) && x != v && exchange(two(u, x), one(v), prev_[v], false)) return true;
    if (!is_depot(x) && !is_depot(y) && u < v && x != v && y != u && exchange(two(u, x), two(v, y), prev_[v], false))
      return true;
    if (route_[u] == route_[v]) {
      if (two_opt(u, v)) return true;
    } else {
      if (join_tails(u, v)) return true;
      if constexpr (!kTime && !kRich)
        if (problem_.is_symmetric && join_heads(u, v)) return true;
    }
    // The place right behind the depot of v's route is as near as v where v is first.
    const int d = prev_[v];
    if (is_depot(d)) {
      if (exchange(one(u), kNothing, d, false)) return true;
      if (!is_depot(x) && x != v) {
        if (exchange(two(u, x), kNothing, d, false)) return true;
        if (exchange(two(u, x), kNothing, d, true)) return true;
      }
      if (route_[u] != route_[v]) {
        if (join_tails_at(u, d)) return true;
        if constexpr (!kTime && !kRich)
          if (problem_.is_symmetric && join_heads(u, d)) return true;
      }
    }
    return false;
  }

  // An unused vehicle of each type.
  bool try_empty(int u) {
    int seen_type = -1;
    bool improved = false;
    for (int r = 0; r < slots_; r++) {
      if (routes_[r].size > 0 || routes_[r].type == seen_type) continue;
      seen_type = routes_[r].type;
      const int x = next_[u];
      if (exchange(one(u), kNothing, start(r), false) ||
          (!is_depot(x) && (exchange(two(u, x), kNothing, start(r), false) || exchange(two(u, x), kNothing, start(r), true))) ||
          join_tails_at(u, start(r)) || (!is_depot(prev_[u]) && join_tails_at(prev_[u], start(r)))) {
        improved = true;
        if (problem_.is_homogeneous) return true;
      }
    }
    return improved;
  }

  // Turns the stretch from behind u to v round.
  bool two_opt(int u, int v) {
    if (place_[u] > place_[v]) return false;  // The pair comes the other way round too.
    const int x = next_[u], y = next_[v];
    if (x == v) return false;
    const int r = route_[u];
    double bound = edge(r, u, v) + edge(r, x, y) - edge(r, u, x) - edge(r, v, y);
    if (!problem_.is_symmetric)
      bound += type_of(r).per_distance * (back_[v] - back_[x] - (prefix_[v].distance - prefix_[x].distance));
    if constexpr (!kTime && !kRich) {
      if (bound >= -problem_.epsilon) return false;
    } else {
      if (type_of(r).per_time > 0 && !problem_.is_symmetric) {
        // The travel times of the way back are not known: no bound.
      } else if (bound >= routes_[r].slack - problem_.epsilon) {
        return false;
      }
      Stretch whole = prefix_[u];
      int last = u;
      for (int node = v; node != u; node = prev_[node]) {
        extend(whole, last, node);
        last = node;
      }
      close(whole, last, y);
      if (cost_of(whole, type_of(r)) + forbidden_on(r) - routes_[r].cost >= -problem_.epsilon) return false;
    }
    for (int node = x; node != y;) {
      const int after = next_[node];
      std::swap(next_[node], prev_[node]);
      node = after;
    }
    next_[u] = v;
    prev_[v] = u;
    next_[x] = y;
    prev_[y] = x;
    changed(r, r);
    return true;
  }

  // u is followed by v and its tail, what stood before v by the tail of u.
  bool join_tails(int u, int v) { return join_tails_at(u, prev_[v]); }

  // Exchanges what lies behind u and behind p.
  bool join_tails_at(int u, int p) {
    const int a = route_[u], b = route_[p];
    if (a == b) return false;
    const int x = next_[u], v = next_[p];
    const int u_count = is_depot(u) ? 0 : place_[u], p_count = is_depot(p) ? 0 : place_[p];
    const int new_a = u_count + routes_[b].size - p_count, new_b = p_count + routes_[a].size - u_count;
    if ((u_count == 0 && p_count == 0) || (is_depot(x) && is_depot(v))) return false;
    const bool alike = routes_[a].type == routes_[b].type;
    const int v_or_end = is_depot(v) ? end(a) : v, x_or_end = is_depot(x) ? end(b) : x;
    double bound = 0;
    if (alike) {
      bound = edge(a, u, v_or_end) + edge(b, p, x_or_end) - edge(a, u, x) - edge(b, p, v);
      const auto& type = type_of(a);
      if (new_a == 0) bound -= type.fixed;
      if (new_b == 0) bound -= type.fixed;
      if (routes_[a].size == 0) bound += type.fixed;
      if (routes_[b].size == 0) bound += type.fixed;
      if (type.start != type.end) {
        if (new_a == 0) bound -= edge(a, start(a), end(a));
        if (new_b == 0) bound -= edge(b, start(b), end(b));
        if (routes_[a].size == 0) bound += edge(a, start(a), end(a));
        if (routes_[b].size == 0) bound += edge(b, start(b), end(b));
      }
    } else {
      const auto& type_a = type_of(a);
      const auto& type_b = type_of(b);
      const double tail_a = is_depot(x) ? 0 : prefix_[prev_[end(a)]].distance - prefix_[x].distance;
      const double tail_b = is_depot(v) ? 0 : prefix_[prev_[end(b)]].distance - prefix_[v].distance;
      const int last_a = is_depot(v) ? u : prev_[end(b)], last_b = is_depot(x) ? p : prev_[end(a)];
      if (new_a > 0)
        bound += type_a.fixed + type_a.per_distance * (prefix_[u].distance + (is_depot(v) ? 0 : distance(u, v)) + tail_b + distance(last_a, end(a)));
      if (new_b > 0)
        bound += type_b.fixed + type_b.per_distance * (prefix_[p].distance + (is_depot(x) ? 0 : distance(p, x)) + tail_a + distance(last_b, end(b)));
      bound -= routes_[a].cost - routes_[a].slack + routes_[b].cost - routes_[b].slack;
    }
    if (bound >= routes_[a].slack + routes_[b].slack - problem_.epsilon) return false;
    if constexpr (!kTime && !kRich) {
      const double head_a = prefix_[u].load, head_b = prefix_[p].load;
      const double whole_a = prefix_[end(a)].load, whole_b = prefix_[end(b)].load;
      const double cost = bound + load_penalty(head_a + whole_b - head_b, type_of(a)) +
                          load_penalty(head_b + whole_a - head_a, type_of(b)) - routes_[a].penalty_load - routes_[b].penalty_load;
      if (cost >= -problem_.epsilon) return false;
    } else {
      double cost = -routes_[a].cost - routes_[b].cost;
      if (new_a > 0) cost += cost_with_tail(a, u, b, v, alike);
      if (cost >= -problem_.epsilon) return false;
      if (new_b > 0) cost += cost_with_tail(b, p, a, x, alike);
      if (cost >= -problem_.epsilon) return false;
    }
    const int last_a = prev_[end(a)], last_b = prev_[end(b)];
    if (is_depot(v)) {
      next_[u] = end(a);
      prev_[end(a)] = u;
    } else {
      next_[u] = v;
      prev_[v] = u;
      next_[last_b] = end(a);
      prev_[end(a)] = last_b;
    }
    if (is_depot(x)) {
      next_[p] = end(b);
      prev_[end(b)] = p;
    } else {
      next_[p] = x;
      prev_[x] = p;
      next_[last_a] = end(b);
      prev_[end(b)] = last_a;
    }
    changed(a, b);
    return true;
  }

  // Of route `a` up to `u`, then the tail of route `b` from `v` on, to the depot of `a`.
  double cost_with_tail(int a, int u, int b, int v, bool alike) const {
    Stretch whole = prefix_[u];
    double more = 0;
    if (alike) {
      close(whole, u, v);
      if constexpr (kRich)
        if (problem_.has_skills) {
          for (int node = u; !is_depot(node); node = prev_[node]) more += forbidden(a, node);
          for (int node = v; !is_depot(node); node = next_[node]) more += forbidden(a, node);
        }
    } else {
      int last = u;
      for (int node = v; !is_depot(node); node = next_[node]) {
        extend(whole, last, node);
        more += forbidden(a, node);
        last = node;
      }
      extend(whole, last, end(a));
      if constexpr (kRich)
        if (problem_.has_skills)
          for (int node = u; !is_depot(node); node = prev_[node]) more += forbidden(a, node);
    }
    (void)b;
    return cost_of(whole, type_of(a)) + more;
  }

  // Heads of both routes become one route, tails the other: u is followed by v backwards.
  bool join_heads(int u, int v) {
    const int a = route_[u], b = route_[v];
    const int x = next_[u], y = next_[v];
    double bound = edge(a, u, v) + edge(a, x, y) - edge(a, u, x) - edge(b, v, y);
    const auto& type = type_of(a);
    const int new_a = place_of(u) + place_of(v), new_b = routes_[a].size + routes_[b].size - new_a;
    if (new_a == 0 || new_b == 0) bound -= type.fixed;
    if (routes_[a].size == 0 || routes_[b].size == 0) bound += type.fixed;
    if (bound >= routes_[a].slack + routes_[b].slack - problem_.epsilon) return false;
    const double head = prefix_[u].load + prefix_[v].load;
    const double tail = prefix_[end(a)].load + prefix_[end(b)].load - head;
    const double cost = bound + load_penalty(head, type) + load_penalty(tail, type) - routes_[a].penalty_load - routes_[b].penalty_load;
    if (cost >= -problem_.epsilon) return false;
    scratch_.clear();
    for (int node = v; !is_depot(node); node = prev_[node]) scratch_.push_back(node);
    const std::size_t heads = scratch_.size();
    for (int node = x; !is_depot(node); node = next_[node]) scratch_.push_back(node);
    std::reverse(scratch_.begin() + heads, scratch_.end());
    const int rest = is_depot(y) ? -1 : y;
    int last = u;
    for (std::size_t k = 0; k < heads; k++) {
      next_[last] = scratch_[k];
      prev_[scratch_[k]] = last;
      last = scratch_[k];
    }
    next_[last] = end(a);
    prev_[end(a)] = last;
    const int last_b = prev_[end(b)];
    last = start(b);
    for (std::size_t k = heads; k < scratch_.size(); k++) {
      next_[last] = scratch_[k];
      prev_[scratch_[k]] = last;
      last = scratch_[k];
    }
    if (rest >= 0) {
      next_[last] = rest;
      prev_[rest] = last;
      last = last_b;
    }
    next_[last] = end(b);
    prev_[end(b)] = last;
    changed(a, b);
    return true;
  }
  int place_of(int node) const { return is_depot(node) ? 0 : place_[node]; }

  // --- SWAP*: exchanges two customers of two routes, each to its best place (Vidal 2022, section 3.2).

  bool swap_star_round(StopCell stop) {
    swapped_ = false;
    for (int a = 0; a < slots_; a++) {
      if (routes_[a].size == 0) continue;
      const int tested = routes_[a].swap_tested;
      routes_[a].swap_tested = moves_;
      if (is_stopped(stop)) return false;
      scratch_pairs_.clear();
      for (int u = next_[start(a)]; !is_depot(u); u = next_[u]) {
        const int most = std::min<int>(kNearRoutes, static_cast<int>(near_[u].size()));
        for (int k = 0; k < most; k++) {
          const int b = route_[near_[u][k]];
          if (b != a && seen_[b] != a) {
            seen_[b] = a;
            scratch_pairs_.push_back(b);
          }
        }
      }
      std::sort(scratch_pairs_.begin(), scratch_pairs_.end());
      for (const int b : scratch_pairs_) {
        seen_[b] = -1;
        if (routes_[b].size == 0 || std::max(routes_[a].changed, routes_[b].changed) <= tested) continue;
        if ((routes_[a].origin & routes_[b].origin) != 0) continue;
        if (swap_star(a, b)) swapped_ = true;
      }
    }
    return true;
  }
  std::vector<int> scratch_pairs_;

  void find_best_places(int r, int u) {
    BestPlaces& best = best_places_[static_cast<std::size_t>(r) * n_ + u];
    if (best.calculated >= routes_[r].changed) return;
    best.calculated = moves_;
    for (int k = 0; k < 3; k++) {
      best.cost[k] = kFar;
      best.after[k] = -1;
    }
    for (int node = start(r); node != end(r); node = next_[node]) {
      const double cost = edge(r, node, u) + edge(r, u, next_[node]) - edge(r, node, next_[node]);
      if (cost >= best.cost[2]) continue;
      int k = 2;
      for (; k > 0 && cost < best.cost[k - 1]; k--) {
        best.cost[k] = best.cost[k - 1];
        best.after[k] = best.after[k - 1];
      }
      best.cost[k] = cost;
      best.after[k] = node;
    }
  }

  // Cheapest place for u in v's route once v is gone.
  double place_without(int u, int v, int& after) const {
    const int r = route_[v];
    const BestPlaces& best = best_places_[static_cast<std::size_t>(r) * n_ + u];
    double least = kFar;
    for (int k = 0; k < 3; k++)
      if (best.after[k] >= 0 && best.after[k] != v && next_[best.after[k]] != v) {
        least = best.cost[k];
        after = best.after[k];
        break;
      }
    const double in_place = edge(r, prev_[v], u) + edge(r, u, next_[v]) - edge(r, prev_[v], next_[v]);
    if (in_place < least) {
      least = in_place;
      after = prev_[v];
    }
    return least;
  }

  double gain_of_removal(int u) const {
    const int r = route_[u];
    return edge(r, prev_[u], next_[u]) - edge(r, prev_[u], u) - edge(r, u, next_[u]);
  }

  double demand(int node) const {
    if constexpr (kRich) return single_[node].delivery[0];
    else return single_[node].load;
  }
  double whole_load(int r) const {
    if constexpr (kRich) return prefix_[end(r)].delivery[0];
    else return prefix_[end(r)].load;
  }

  bool swap_star(int a, int b) {
    for (int u = next_[start(a)]; !is_depot(u); u = next_[u]) find_best_places(b, u);
    for (int v = next_[start(b)]; !is_depot(v); v = next_[v]) find_best_places(a, v);
    double best = -problem_.epsilon;
    int best_u = -1, best_v = -1, best_after_u = -1, best_after_v = -1;
    const double other_slack = routes_[a].slack + routes_[b].slack - routes_[a].penalty_load - routes_[b].penalty_load;
    if constexpr (kTime || kRich) best += other_slack;
    for (int u = next_[start(a)]; !is_depot(u); u = next_[u]) {
      const double gain_u = gain_of_removal(u);
      for (int v = next_[start(b)]; !is_depot(v); v = next_[v]) {
        const double moved = demand(u) - demand(v);
        const double penalty = load_penalty(whole_load(a) - moved, type_of(a)) + load_penalty(whole_load(b) + moved, type_of(b)) -
                               routes_[a].penalty_load - routes_[b].penalty_load;
        const double gain_v = gain_of_removal(v);
        if (penalty + gain_u + gain_v > best) continue;
        int after_u = -1, after_v = -1;
        const double more_u = place_without(u, v, after_u);
        const double more_v = place_without(v, u, after_v);
        const double cost = penalty + gain_u + gain_v + more_u + more_v;
        if (cost < best) {
          best = cost;
          best_u = u;
          best_v = v;
          best_after_u = after_u;
          best_after_v = after_v;
        }
      }
    }
    // Moving one without the other.
    for (int side = 0; side < 2; side++) {
      const int from = side == 0 ? a : b, to = side == 0 ? b : a;
      if (routes_[from].size == 1) continue;
      for (int u = next_[start(from)]; !is_depot(u); u = next_[u]) {
        const BestPlaces& places = best_places_[static_cast<std::size_t>(to) * n_ + u];
        const double cost = gain_of_removal(u) + places.cost[0] + load_penalty(whole_load(from) - demand(u), type_of(from)) +
                            load_penalty(whole_load(to) + demand(u), type_of(to)) - routes_[a].penalty_load - routes_[b].penalty_load;
        if (cost < best) {
          best = cost;
          best_u = side == 0 ? u : -1;
          best_v = side == 0 ? -1 : u;
          (side == 0 ? best_after_u : best_after_v) = places.after[0];
        }
      }
    }
    if (best_u < 0 && best_v < 0) return false;
    if constexpr (kTime || kRich) {
      const double cost = cost_swapped(a, best_u, best_v, best_after_v) + cost_swapped(b, best_v, best_u, best_after_u) -
                          routes_[a].cost - routes_[b].cost;
      if (cost >= -problem_.epsilon) return false;
    }
    if (best_u >= 0) unlink(one(best_u));
    if (best_v >= 0) unlink(one(best_v));
    if (best_u >= 0) insert(one(best_u), best_after_u);
    if (best_v >= 0) insert(one(best_v), best_after_v);
    changed(a, b);
    return true;
  }

  // Of route r without `gone`, with `come` behind `after`; either may be -1.
  double cost_swapped(int r, int gone, int come, int after) const {
    Stretch whole = prefix_[start(r)];
    int last = start(r);
    double more = 0;
    const auto go = [&](int node) {
      extend(whole, last, node);
      more += forbidden(r, node);
      last = node;
    };
    for (int node = start(r); node >= 0; node = next_[node]) {
      if (node != gone && node != start(r)) go(node);
      if (come >= 0 && node == after) go(come);
    }
    return cost_of(whole, type_of(r)) + more;
  }

  // --- Vehicles of two types change places, or an unused one takes over a route.

  double cost_by(int r, int by) const {
    const int first = next_[start(r)];
    if (is_depot(first)) return 0;
    Stretch whole = prefix_[start(by)];
    int last = start(by);
    double more = 0;
    for (int node = first; !is_depot(node); node = next_[node]) {
      extend(whole, last, node);
      more += forbidden(by, node);
      last = node;
    }
    extend(whole, last, end(by));
    return cost_of(whole, type_of(by)) + more;
  }

  bool exchange_vehicles() {
    bool improved = false;
    for (int a = 0; a < slots_; a++) {
      if (routes_[a].size == 0) continue;
      const int tested = routes_[a].vehicle_tested;
      routes_[a].vehicle_tested = moves_;
      int empty_type = -1;
      for (int b = 0; b < slots_; b++) {
        if (routes_[b].type == routes_[a].type) continue;
        if (routes_[b].size == 0) {
          if (routes_[b].type == empty_type) continue;
          empty_type = routes_[b].type;
        }
        if (std::max(routes_[a].changed, routes_[b].changed) <= tested) continue;
        const double cost = cost_by(a, b) + cost_by(b, a) - routes_[a].cost - routes_[b].cost;
        if (cost >= -problem_.epsilon) continue;
        exchange_customers(a, b);
        improved = true;
        if (routes_[a].size == 0) break;
      }
    }
    return improved;
  }

  void exchange_customers(int a, int b) {
    const int first_a = next_[start(a)], last_a = prev_[end(a)], first_b = next_[start(b)], last_b = prev_[end(b)];
    const bool none_a = is_depot(first_a), none_b = is_depot(first_b);
    const auto fill = [&](int r, bool none, int first, int last) {
      if (none) {
        next_[start(r)] = end(r);
        prev_[end(r)] = start(r);
      } else {
        next_[start(r)] = first;
        prev_[first] = start(r);
        next_[last] = end(r);
        prev_[end(r)] = last;
      }
    };
    fill(a, none_b, first_b, last_b);
    fill(b, none_a, first_a, last_a);
    changed(a, b);
  }
};

}  // namespace

std::unique_ptr<LocalSearch> make_local_search(const Problem& problem) {
  if (is_plain(problem)) return make_plain_search(problem);
  const bool rich = !problem.is_homogeneous || problem.dimensions > 1 || problem.has_pickups || problem.has_skills ||
                    problem.has_limits || problem.has_per_time;
  if (problem.has_time) {
    if (rich) return std::make_unique<Improver<true, true>>(problem);
    return std::make_unique<Improver<true, false>>(problem);
  }
  if (rich) return std::make_unique<Improver<false, true>>(problem);
  return std::make_unique<Improver<false, false>>(problem);
}

}  // namespace extremum::routing
