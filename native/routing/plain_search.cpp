// Local search where nothing but one load and, with kTime, one window for each customer limit a route: equal vehicles, one
// depot, symmetric costs. The moves are those of local_search.cpp; here one look at a pair of customers values all of them
// at once from few distances, and what a move needs of a customer lies in one or two lines of the cache. Source: Vidal 2022
// (HGS-CVRP).
//
// Lateness ("time warp"; Nagata, Braysy and Dullaert 2010): who comes too late goes back in time, at a price. A route that
// leaves at the opening of its depot has least of it. So the stretch from the depot to a stop is known by its lateness and
// the departure there; the one from a stop to the depot by its lateness however early it is begun, and the latest begin
// that adds none. Both grow by a stop in constant time, and two of them that meet give the lateness of a route.
#include <algorithm>
#include <cmath>
#include <limits>

#include "routing/local_search.h"

#if defined(__GNUC__) || defined(__clang__)
#define INLINE __attribute__((always_inline)) inline
#else
#define INLINE inline
#endif

namespace extremum::routing {

namespace {

constexpr int kNear = 20;
constexpr double kFar = 1e300;
// Routes are neighbours for SWAP* where one holds a customer that is this near to one of the other.
constexpr int kNearRoutes = 6;

template <bool kTime>
struct TimeOfStop {};

template <>
struct TimeOfStop<true> {
  const double* travel;           // From here, by column.
  double from, to, service;
  double departure, late_before;  // Of the stretch from the depot to here.
  double latest, late_behind;     // Of the stretch from here to the depot.
};

template <bool kTime>
class PlainSearch final : public LocalSearch {
 public:
  explicit PlainSearch(const Problem& problem)
      : problem_(problem),
        n_(problem.n),
        slots_(static_cast<int>(problem.slot_type.size())),
        stride_(problem.n + 1),
        capacity_(problem.dimensions > 0 ? problem.types[0].capacity[0] : kNone),
        fixed_(problem.types[0].fixed) {
    const auto& type = problem.types[0];
    const auto place = [&](int column) { return column < n_ ? problem.location(column) : type.start; };
    costs_.resize(static_cast<std::size_t>(stride_) * stride_);
    for (int a = 0; a < stride_; a++)
      for (int b = 0; b < stride_; b++)
        costs_[static_cast<std::size_t>(a) * stride_ + b] = type.per_distance * problem.distance(place(a), place(b));
    const auto near = near_customers(problem, kNear);
    near_count_ = near.empty() ? 0 : static_cast<int>(near[0].size());
    for (const auto& list : near) near_.insert(near_.end(), list.begin(), list.end());
    if constexpr (kTime) {
      // One matrix where costs are travel times, for the sake of the cache.
      if (problem.has_own_durations || type.per_distance != 1) {
        travels_.resize(costs_.size());
        for (int a = 0; a < stride_; a++)
          for (int b = 0; b < stride_; b++)
            travels_[static_cast<std::size_t>(a) * stride_ + b] = problem.duration(place(a), place(b));
      }
    }
    nodes_.resize(n_ + slots_);
    for (int i = 0; i < n_ + slots_; i++) {
      nodes_[i] = Node{};
      nodes_[i].row = &costs_[static_cast<std::size_t>(column(i)) * stride_];
      if (i < n_ && problem.dimensions > 0) nodes_[i].demand = problem.customers[i].delivery[0];
      if (i >= n_) nodes_[i].route = i - n_;
      if constexpr (kTime) {
        Node& one = nodes_[i];
        one.travel = travels_.empty() ? one.row : &travels_[static_cast<std::size_t>(column(i)) * stride_];
        one.from = i < n_ ? problem.customers[i].windows.front().from : type.open;
        one.to = i < n_ ? problem.customers[i].windows.front().to : type.close;
        one.service = i < n_ ? problem.customers[i].service : 0;
        if (i >= n_) {
          one.departure = type.open;
          one.latest = type.close;
        }
        for (const double time : {one.from, one.to})
          if (std::isfinite(time)) clock_error_ = std::max(clock_error_, std::abs(time));
        clock_error_ = std::max(clock_error_, one.service);
      }
    }
    if constexpr (kTime) {
      double longest = 0;
      for (int a = 0; a < stride_; a++)
        for (int b = 0; b < stride_; b++) {
          const double travel = nodes_[a < n_ ? a : n_].travel[b];
          if (std::isfinite(travel)) longest = std::max(longest, travel);
        }
      clock_error_ = 1024 * std::numeric_limits<double>::epsilon() * (clock_error_ + longest);
    }
    routes_.resize(slots_);
    tested_.resize(n_);
    for (int i = 0; i < n_; i++) order_.push_back(i);
    use_swap_star_ = static_cast<std::size_t>(n_) * slots_ <= 3000000 && slots_ > 1 && problem.dimensions > 0;
    if (use_swap_star_) {
      places_.resize(static_cast<std::size_t>(n_) * slots_);
      pair_tested_.resize(static_cast<std::size_t>(slots_) * slots_);
    }
    seen_.assign(slots_, -1);
  }

  bool improve(Solution& solution, const Weights& weights, Rng& rng, StopCell stop) override {
    weight_ = problem_.dimensions > 0 ? weights.load[0] : 0;
    time_weight_ = weights.time;
    epsilon_ = std::max(problem_.epsilon, time_weight_ * clock_error_);
    load(solution);
    rng.shuffle(order_);
    for (int i = 0; i < n_ && near_count_ > 0; i++)
      if (rng.below(kNear) == 0) shuffle_near(i, rng);
    bool searching = true;
    for (int round = 0; searching; round++) {
      if (round > 1) searching = false;
      for (const int u : order_) {
        if (is_stopped(stop)) return false;
        const int tested = tested_[u];
        tested_[u] = moves_;
        const int* near = &near_[static_cast<std::size_t>(u) * near_count_];
        for (int k = 0; k < near_count_; k++) {
          const int v = near[k];
          const Route& a = routes_[nodes_[u].route];
          const Route& b = routes_[nodes_[v].route];
          if (round == 0 ? (a.origin & b.origin) != 0 : std::max(a.changed, b.changed) <= tested) continue;
          if (try_pair(u, v)) searching = true;
        }
        if (round > 0 && routes_[nodes_[u].route].changed > tested && try_empty(u)) searching = true;
      }
      if (!searching && use_swap_star_) {
        if (!swap_star_round(stop)) return false;
        searching |= swapped_;
      }
    }
    store(solution);
    return true;
  }

 private:
  struct alignas(64) Node : TimeOfStop<kTime> {
    int next, prev, route, place;
    const double* row;  // Costs from here, by column.
    double before, after;  // Cost of the way from the previous stop and to the next one.
    double demand;
    double head;  // Load of the route up to here.
    double saving;  // Of leaving it out.
  };
  struct Route {
    int size = 0, changed = 0;
    int origin = 0;  // Parents that it is taken from as it is; 0 once it has changed.
    double load = 0, penalty = 0;  // Penalty: for load and lateness.
    double late = 0;
  };
  // Where a customer costs least on a route.
  struct Places {
    int calculated = -1;
    int after[3];
    double cost[3];
  };

  const Problem& problem_;
  const int n_, slots_, stride_;
  const double capacity_, fixed_;
  double weight_ = 0, time_weight_ = 0;
  // By which a cost must fall: less may be rounding.
  double epsilon_ = 0;
  double clock_error_ = 0;  // Of a time that is summed from either end of a route.
  int near_count_ = 0;
  std::vector<double> costs_, travels_;
  std::vector<int> near_;  // [customer, rank]
  std::vector<Node> nodes_;  // Customers, then the depot once for each route: routes are circles.
  std::vector<Route> routes_;
  std::vector<int> order_, tested_, seen_, scratch_, pairs_;
  std::vector<Places> places_;     // [route, customer]
  std::vector<int> pair_tested_;   // [route, route], lower one first
  int moves_ = 0, empty_ = -1, empty_known_ = -1;
  bool use_swap_star_ = false, swapped_ = false;

  INLINE int depot(int r) const { return n_ + r; }
  INLINE bool is_depot(int node) const { return node >= n_; }
  INLINE int column(int node) const { return std::min(node, n_); }
  INLINE double cost(int a, int b) const { return nodes_[a].row[column(b)]; }
  INLINE double penalty(double load) const { return weight_ * std::max(0.0, load - capacity_); }

  void shuffle_near(int i, Rng& rng) {
    int* near = &near_[static_cast<std::size_t>(i) * near_count_];
    for (int k = near_count_ - 1; k > 0; k--) std::swap(near[k], near[rng.below(k + 1)]);
  }

  void load(const Solution& solution) {
    moves_ = 1;
    empty_known_ = -1;
    std::fill(tested_.begin(), tested_.end(), -1);
    for (int r = 0; r < slots_; r++) {
      int last = depot(r);
      for (const int i : solution.routes[r]) {
        link(last, i);
        last = i;
      }
      link(last, depot(r));
      update(r);
      if (!solution.origin.empty()) routes_[r].origin = solution.origin[r];
    }
    for (auto& places : places_) places.calculated = -1;
    std::fill(pair_tested_.begin(), pair_tested_.end(), -1);
  }

  void store(Solution& solution) const {
    for (int r = 0; r < slots_; r++) {
      auto& route = solution.routes[r];
      route.clear();
      for (int i = nodes_[depot(r)].next; !is_depot(i); i = nodes_[i].next) route.push_back(i);
    }
  }

  INLINE void link(int a, int b) {
    nodes_[a].next = b;
    nodes_[b].prev = a;
  }

  // Sums of the route anew, after its links changed.
  void update(int r) {
    Route& route = routes_[r];
    const int first = depot(r);
    int node = first, place = 0;
    double head = 0;
    nodes_[first].place = 0;
    nodes_[first].head = 0;
    for (;;) {
      Node& one = nodes_[node];
      Node& next = nodes_[one.next];
      one.after = next.before = one.row[column(one.next)];
      if (one.next == first) break;
      head += next.demand;
      next.head = head;
      next.place = ++place;
      next.route = r;
      node = one.next;
    }
    for (int i = nodes_[first].next; i != first; i = nodes_[i].next)
      nodes_[i].saving = nodes_[i].before + nodes_[i].after - cost(nodes_[i].prev, nodes_[i].next);
    route.size = place;
    route.changed = moves_;
    route.origin = 0;
    route.load = head;
    route.penalty = penalty(head);
    if constexpr (kTime) {
      Walk walk = walk_from(first);
      for (int i = nodes_[first].next; i != first; i = nodes_[i].next) {
        walk.step(nodes_[i], i);
        nodes_[i].departure = walk.departure;
        nodes_[i].late_before = walk.late;
      }
      route.late = meet(walk, first);
      route.penalty += time_weight_ * route.late;
      for (int i = nodes_[first].prev; i != first; i = nodes_[i].prev) {
        Node& one = nodes_[i];
        const Node& next = nodes_[one.next];
        const double moving = one.service + one.travel[column(one.next)];
        one.latest = std::min(one.to, std::max(next.latest - moving, one.from));
        one.late_behind = next.late_behind + std::max(0.0, one.from + moving - next.latest);
      }
    }
  }

  // A stretch from the depot on, as far as it is walked.
  struct Walk {
    double departure, late;
    const double* travel;

    INLINE void step(const Node& node, int column) {
      if constexpr (kTime) {
        const double begin = std::max(departure + travel[column], node.from);
        const double over = std::max(0.0, begin - node.to);
        late += over;
        departure = begin - over + node.service;
        travel = node.travel;
      }
    }
  };

  INLINE Walk walk_from(int node) const {
    if constexpr (kTime) return {nodes_[node].departure, nodes_[node].late_before, nodes_[node].travel};
    else return {};
  }
  INLINE void step(Walk& walk, int node) const { walk.step(nodes_[node], node); }
  // Lateness of the route that goes on with `rest` and what is behind it.
  INLINE double meet(const Walk& walk, int rest) const {
    if constexpr (kTime) {
      const Node& node = nodes_[rest];
      return walk.late + node.late_behind + std::max(0.0, walk.departure + walk.travel[column(rest)] - node.latest);
    } else {
      return 0;
    }
  }
  // From `left` on to `right`, with nothing between.
  INLINE double late_joined(int left, int right) const { return meet(walk_from(left), right); }
  // With one or two stops between.
  INLINE double late_with(int left, int first, int last, int right) const {
    Walk walk = walk_from(left);
    step(walk, first);
    if (last != first) step(walk, last);
    return meet(walk, right);
  }
  // Stops from `first` to `last`, as they are linked.
  INLINE void pass(Walk& walk, int first, int last) const {
    for (int node = first;; node = nodes_[node].next) {
      step(walk, node);
      if (node == last) return;
    }
  }

  bool changed(int a, int b) {
    moves_++;
    update(a);
    if (b != a) update(b);
    return true;
  }

  // Of two routes. `late_a`, `late_b`: functions, since little of what is cheap by distance and load is worth their time.
  template <class LateA, class LateB>
  INLINE bool helps(double difference, int a, int b, double load_a, double load_b, LateA&& late_a, LateB&& late_b) const {
    double change = difference + penalty(load_a) + penalty(load_b) - routes_[a].penalty - routes_[b].penalty;
    if (!(change < -epsilon_)) return false;
    if constexpr (kTime) {
      change += time_weight_ * late_a();
      if (!(change < -epsilon_)) return false;
      change += time_weight_ * late_b();
    }
    return change < -epsilon_;
  }

  // Within a route.
  template <class Late>
  INLINE bool helps_within(double difference, int a, Late&& late) const {
    if constexpr (kTime) {
      const double change = difference - time_weight_ * routes_[a].late;
      return change < -epsilon_ && change + time_weight_ * late() < -epsilon_;
    } else {
      return difference < -epsilon_;
    }
  }

  // Moves that make u and v neighbours. All are valued at once; whether one may be done is asked only where it would pay.
  bool try_pair(int u, int v) {
    const Node& one = nodes_[u];
    const Node& other = nodes_[v];
    const int a = one.route, b = other.route;
    const int p = one.prev, x = one.next, q = other.prev, y = other.next;
    const Node& after_one = nodes_[x];
    const Node& after_other = nodes_[y];
    const int xx = after_one.next, yy = after_other.next;
    const int cx = column(x), cy = column(y), cq = column(q), cp = column(p), cxx = column(xx), cyy = column(yy);
    const double *row_u = one.row, *row_v = other.row, *row_x = after_one.row;
    const double uv = row_u[v], uy = row_u[cy], uq = row_u[cq], vx = row_v[cx], vp = row_v[cp], vxx = row_v[cxx];
    const double xy = row_x[cy], xq = row_x[cq], xyy = row_x[cyy], yxx = after_other.row[cxx], pxx = nodes_[p].row[cxx];
    const double pair = one.before + after_one.after;  // Ways to and from u and x together.
    const double single = other.before + other.after;
    const double behind_v = uv - other.after;
    const double move = behind_v + uy - one.saving;
    const double move_turned = pxx - pair + vx + uy - other.after;
    const double move_two = pxx - pair + behind_v + xy;
    const double swap = vp + vx - one.before - one.after + uq + uy - single;
    const double swap_two = vp + vxx - pair + uq + xy - single;
    const double swap_both = vp + yxx - pair + uq + xyy - other.before - after_other.after;
    const double tails = uv + xq - one.after - other.before;
    const double heads = behind_v + xy - one.after;
    const double within = kTime ? time_weight_ * routes_[a].late : 0.0;
    const double threshold = (a == b ? within : routes_[a].penalty + routes_[b].penalty + fixed_) - epsilon_;
    const double least = std::min(std::min(std::min(move, move_turned), std::min(move_two, swap)),
                                  std::min(std::min(swap_two, swap_both), std::min(tails, heads)));
    if (least < threshold) {
      const bool has_x = !is_depot(x), has_y = !is_depot(y);
      const double du = one.demand, dx = has_x ? after_one.demand : 0, dv = other.demand, dy = has_y ? after_other.demand : 0;
      if (u != y && move < threshold && relocate(u, u, v, false, move, du)) return true;
      if (has_x && x != v) {
        if (u != y && move_two < threshold && relocate(u, x, v, false, move_two, du + dx)) return true;
        if (u != y && move_turned < threshold && relocate(u, x, v, true, move_turned, du + dx)) return true;
      }
      const bool apart = u != y && x != v;
      if (apart && u < v && swap < threshold && exchange(u, u, v, v, swap, du - dv)) return true;
      if (apart && has_x && xx != v && swap_two < threshold && exchange(u, x, v, v, swap_two, du + dx - dv)) return true;
      if (apart && has_x && has_y && u < v && xx != v && yy != u && swap_both < threshold &&
          exchange(u, x, v, y, swap_both, du + dx - dv - dy))
        return true;
      if (a == b) {
        if (heads < threshold && x != v && one.place < other.place && turn(u, v, heads)) return true;
      } else {
        if (tails < threshold && join_tails(u, q, tails)) return true;
        if (!kTime && heads < threshold && join_heads(u, v, heads)) return true;
      }
    }
    if constexpr (kTime) {
      // Three in a row, whose times suit each other.
      if (!is_depot(x) && !is_depot(xx) && x != v && xx != v && u != y) {
        const Node& third = nodes_[xx];
        const double move_three = nodes_[p].row[column(third.next)] - one.before - third.after + behind_v + third.row[cy];
        const double demand = one.demand + after_one.demand + third.demand;
        if (move_three < threshold && relocate(u, xx, v, false, move_three, demand)) return true;
      }
    }
    // The place right behind the depot of v's route is as near as v where v is first.
    return is_depot(q) && try_first(u, v);
  }

  // Moves of u to before v, which is the first of its route.
  bool try_first(int u, int v) {
    const Node& one = nodes_[u];
    const Node& other = nodes_[v];
    const int a = one.route, b = other.route, x = one.next, d = other.prev;
    const Node& after_one = nodes_[x];
    const double *row_d = nodes_[d].row, *row_v = other.row;
    const double first = row_d[u] + row_v[u] - other.before;
    if (relocate(u, u, d, false, first - one.saving, one.demand)) return true;
    if (!is_depot(x)) {
      const double without = cost(one.prev, after_one.next) - one.before - after_one.after - other.before;
      const double both = one.demand + after_one.demand;
      if (relocate(u, x, d, false, without + row_d[u] + row_v[x], both)) return true;
      if (relocate(u, x, d, true, without + row_d[x] + row_v[u], both)) return true;
    }
    if (a == b || kTime) return false;
    return join_heads(u, d, row_d[u] + row_v[column(x)] - one.after - other.before);
  }

  // An unused vehicle.
  bool try_empty(int u) {
    if (empty_known_ != moves_) {
      empty_known_ = moves_;
      empty_ = -1;
      for (int r = 0; r < slots_ && empty_ < 0; r++)
        if (routes_[r].size == 0) empty_ = r;
    }
    if (empty_ < 0) return false;
    const Node& one = nodes_[u];
    const int p = one.prev, x = one.next, d = depot(empty_);
    const Node& after_one = nodes_[x];
    const double* row_d = nodes_[d].row;
    if (relocate(u, u, d, false, 2 * row_d[u] - one.saving, one.demand)) return true;
    if (!is_depot(x)) {
      const double both = row_d[u] + row_d[x] + cost(p, after_one.next) - one.before - after_one.after;
      if (relocate(u, x, d, false, both, one.demand + after_one.demand)) return true;
      if (join_tails(u, d, row_d[u] + row_d[x] - one.after)) return true;
    }
    return false;
  }

  // Takes the stops from `first` to `last`, or two of them turned, to behind `behind`, if that helps.
  bool relocate(int first, int last, int behind, bool turned, double difference, double load) {
    const int a = nodes_[first].route, b = nodes_[behind].route;
    const int left = nodes_[first].prev, right = nodes_[last].next;
    if (behind == left || behind == first || behind == last) return false;
    const int after = nodes_[behind].next;
    const auto carry = [&](Walk& walk) {
      if (turned) {
        step(walk, last);
        step(walk, first);
      } else {
        pass(walk, first, last);
      }
    };
    if (a == b) {
      const auto late = [&] {
        const bool is_ahead = nodes_[behind].place > nodes_[first].place;
        Walk walk = walk_from(is_ahead ? left : behind);
        if (is_ahead) pass(walk, right, behind);
        carry(walk);
        if (!is_ahead) pass(walk, after, left);
        return meet(walk, is_ahead ? after : right);
      };
      if (!helps_within(difference, a, late)) return false;
    } else {
      if (fixed_ != 0) {
        if (is_depot(left) && is_depot(right)) difference -= fixed_;
        if (routes_[b].size == 0) difference += fixed_;
      }
      const auto late_b = [&] {
        Walk walk = walk_from(behind);
        carry(walk);
        return meet(walk, after);
      };
      if (!helps(
              difference, a, b, routes_[a].load - load, routes_[b].load + load, [&] { return late_joined(left, right); },
              late_b))
        return false;
    }
    link(left, right);
    link(behind, turned ? last : first);
    if (turned) link(last, first);
    link(turned ? first : last, after);
    return changed(a, b);
  }

  // Stops from u to u_last against those from v to v_last; both apart.
  bool exchange(int u, int u_last, int v, int v_last, double difference, double load) {
    const int a = nodes_[u].route, b = nodes_[v].route;
    const int p = nodes_[u].prev, x = nodes_[u_last].next, q = nodes_[v].prev, y = nodes_[v_last].next;
    if (a == b) {
      const auto late = [&] {
        const bool is_ahead = nodes_[v].place > nodes_[u].place;
        Walk walk = walk_from(is_ahead ? p : q);
        if (is_ahead) {
          pass(walk, v, v_last);
          pass(walk, x, q);
          pass(walk, u, u_last);
          return meet(walk, y);
        }
        pass(walk, u, u_last);
        pass(walk, y, p);
        pass(walk, v, v_last);
        return meet(walk, x);
      };
      if (!helps_within(difference, a, late)) return false;
    } else if (!helps(
                   difference, a, b, routes_[a].load - load, routes_[b].load + load,
                   [&] { return late_with(p, v, v_last, x); }, [&] { return late_with(q, u, u_last, y); })) {
      return false;
    }
    link(p, v);
    link(v_last, x);
    link(q, u);
    link(u_last, y);
    return changed(a, b);
  }

  // Turns the stretch from behind u to v round.
  bool turn(int u, int v, double difference) {
    const int x = nodes_[u].next, y = nodes_[v].next;
    const auto late = [&] {
      Walk walk = walk_from(u);
      for (int node = v; node != u; node = nodes_[node].prev) step(walk, node);
      return meet(walk, y);
    };
    if (!helps_within(difference, nodes_[u].route, late)) return false;
    for (int node = x; node != y;) {
      const int after = nodes_[node].next;
      std::swap(nodes_[node].next, nodes_[node].prev);
      node = after;
    }
    link(u, v);
    link(x, y);
    const int r = nodes_[u].route;
    return changed(r, r);
  }

  // Exchanges what lies behind u and behind q, of two routes.
  bool join_tails(int u, int q, double difference) {
    const int a = nodes_[u].route, b = nodes_[q].route;
    const int x = nodes_[u].next, v = nodes_[q].next;
    if (fixed_ != 0) {
      if (is_depot(x) && is_depot(q)) difference -= fixed_;
      if (routes_[b].size == 0) difference += fixed_;
    }
    const double head_a = nodes_[u].head, head_b = nodes_[q].head;
    if (!helps(
            difference, a, b, head_a + routes_[b].load - head_b, head_b + routes_[a].load - head_a,
            [&] { return late_joined(u, v); }, [&] { return late_joined(q, x); }))
      return false;
    const int last_a = nodes_[depot(a)].prev, last_b = nodes_[depot(b)].prev;
    if (is_depot(v)) {
      link(u, depot(a));
    } else {
      link(u, v);
      link(last_b, depot(a));
    }
    if (is_depot(x)) {
      link(q, depot(b));
    } else {
      link(q, x);
      link(last_a, depot(b));
    }
    return changed(a, b);
  }

  // Heads of both routes become one route, tails the other: u is followed by v backwards.
  bool join_heads(int u, int v, double difference) {
    const int a = nodes_[u].route, b = nodes_[v].route;
    const int x = nodes_[u].next, y = nodes_[v].next;
    if (fixed_ != 0 && is_depot(x) && is_depot(y)) difference -= fixed_;
    const double head = nodes_[u].head + nodes_[v].head;
    const auto never_late = [] { return 0.0; };
    if (!helps(difference, a, b, head, routes_[a].load + routes_[b].load - head, never_late, never_late)) return false;
    scratch_.clear();
    for (int node = v; !is_depot(node); node = nodes_[node].prev) scratch_.push_back(node);
    const std::size_t heads = scratch_.size();
    for (int node = x; !is_depot(node); node = nodes_[node].next) scratch_.push_back(node);
    std::reverse(scratch_.begin() + static_cast<std::ptrdiff_t>(heads), scratch_.end());
    const int last_b = nodes_[depot(b)].prev;
    int last = u;
    for (std::size_t k = 0; k < heads; k++) {
      link(last, scratch_[k]);
      last = scratch_[k];
    }
    link(last, depot(a));
    last = depot(b);
    for (std::size_t k = heads; k < scratch_.size(); k++) {
      link(last, scratch_[k]);
      last = scratch_[k];
    }
    if (!is_depot(y)) {
      link(last, y);
      last = last_b;
    }
    link(last, depot(b));
    return changed(a, b);
  }

  // --- SWAP*: exchanges two customers of two routes, each to its best place (Vidal 2022, section 3.2).

  bool swap_star_round(StopCell stop) {
    swapped_ = false;
    for (int a = 0; a < slots_; a++) {
      if (routes_[a].size == 0) continue;
      if (is_stopped(stop)) return false;
      pairs_.clear();
      for (int u = nodes_[depot(a)].next; !is_depot(u); u = nodes_[u].next) {
        const int* near = &near_[static_cast<std::size_t>(u) * near_count_];
        for (int k = 0; k < std::min(kNearRoutes, near_count_); k++) {
          const int b = nodes_[near[k]].route;
          if (b != a && seen_[b] != a) {
            seen_[b] = a;
            pairs_.push_back(b);
          }
        }
      }
      std::sort(pairs_.begin(), pairs_.end());
      bool is_laid_out = false;
      for (const int b : pairs_) {
        seen_[b] = -1;
        if (routes_[b].size == 0 || (routes_[a].origin & routes_[b].origin) != 0) continue;
        int& tested = pair_tested_[static_cast<std::size_t>(std::min(a, b)) * slots_ + std::max(a, b)];
        if (std::max(routes_[a].changed, routes_[b].changed) <= tested) continue;
        tested = moves_;
        if (!is_laid_out) lay_out(a, first_);
        lay_out(b, second_);
        is_laid_out = !swap_star(first_, second_);
        swapped_ |= !is_laid_out;
      }
    }
    return true;
  }

  // A route in order, the depot before and behind its customers.
  struct Layout {
    int route, size;
    std::vector<int> node, column;
    std::vector<double> after, demand, saving;
    std::vector<double> gain;  // Saving and what leaving it out takes off the price of lateness.
    // Of the stretches up to and from each stop, and of the route without it.
    std::vector<double> departure, late_before, latest, late_behind, late_without;
  };
  Layout first_, second_;

  void lay_out(int r, Layout& layout) const {
    const int size = routes_[r].size;
    layout.route = r;
    layout.size = size;
    if (static_cast<int>(layout.node.size()) < size + 2) {
      layout.node.resize(size + 2);
      layout.column.resize(size + 2);
      layout.after.resize(size + 2);
      layout.demand.resize(size + 2);
      layout.saving.resize(size + 2);
      layout.gain.resize(size + 2);
      if (kTime)
        for (auto* list : {&layout.departure, &layout.late_before, &layout.latest, &layout.late_behind, &layout.late_without})
          list->resize(size + 2);
    }
    int node = depot(r);
    for (int k = 0; k < size + 2; k++) {
      const Node& one = nodes_[node];
      layout.node[k] = node;
      layout.column[k] = column(node);
      layout.after[k] = one.after;
      layout.demand[k] = one.demand;
      layout.saving[k] = layout.gain[k] = one.saving;
      if constexpr (kTime) {
        layout.departure[k] = one.departure;
        layout.late_before[k] = one.late_before;
        layout.latest[k] = one.latest;
        layout.late_behind[k] = one.late_behind;
        if (k > 0 && k <= size) {
          layout.late_without[k] = late_joined(one.prev, one.next);
          layout.gain[k] += time_weight_ * (routes_[r].late - layout.late_without[k]);
        }
      }
      node = one.next;
    }
  }

  Places& places_of(int r, int u) { return places_[static_cast<std::size_t>(r) * n_ + u]; }

  void find_places(const Layout& route, int u) {
    Places& best = places_of(route.route, u);
    if (best.calculated >= routes_[route.route].changed) return;
    best.calculated = moves_;
    const double* row = nodes_[u].row;
    double first = kFar, second = kFar, third = kFar;
    int after_first = -1, after_second = -1, after_third = -1;
    double from = row[n_];
    for (int k = 0; k <= route.size; k++) {
      const double to = row[route.column[k + 1]];
      double cost = from + to - route.after[k];
      from = to;
      if (cost >= third) continue;
      if constexpr (kTime) {
        cost += time_weight_ * (late_between(u, route, k, k + 1) - routes_[route.route].late);
        if (cost >= third) continue;
      }
      if (cost >= second) {
        third = cost;
        after_third = k;
        continue;
      }
      third = second;
      after_third = after_second;
      if (cost >= first) {
        second = cost;
        after_second = k;
      } else {
        second = first;
        after_second = after_first;
        first = cost;
        after_first = k;
      }
    }
    best.cost[0] = first;
    best.cost[1] = second;
    best.cost[2] = third;
    best.after[0] = after_first;
    best.after[1] = after_second;
    best.after[2] = after_third;
  }

  // Lateness of a route with u between two of its stops, and without what lies between them.
  INLINE double late_between(int u, const Layout& route, int left, int right) const {
    if constexpr (kTime) {
      Walk walk{route.departure[left], route.late_before[left], nodes_[u].travel};
      walk.step(nodes_[u], route.column[left]);
      return walk.late + route.late_behind[right] +
             std::max(0.0, walk.departure + walk.travel[route.column[right]] - route.latest[right]);
    } else {
      return 0;
    }
  }

  // Cheapest place for u on a route once the stop there is gone: behind which stop.
  INLINE double place_without(int u, const Layout& route, int gone, int& after) {
    const Places& best = places_of(route.route, u);
    const double* row = nodes_[u].row;
    double least = row[route.column[gone - 1]] + row[route.column[gone + 1]] -
                   (route.after[gone - 1] + route.after[gone] - route.saving[gone]);
    if constexpr (kTime)
      least += time_weight_ * (late_between(u, route, gone - 1, gone + 1) - route.late_without[gone]);
    after = gone - 1;
    for (int k = 0; k < 3; k++)
      if (best.after[k] >= 0 && best.after[k] != gone && best.after[k] != gone - 1) {
        if (best.cost[k] < least) {
          least = best.cost[k];
          after = best.after[k];
        }
        break;
      }
    return least;
  }

  bool swap_star(const Layout& one, const Layout& other) {
    const int a = one.route, b = other.route;
    const double load_a = routes_[a].load, load_b = routes_[b].load;
    const double known = penalty(load_a) + penalty(load_b);
    for (int k = 1; k <= one.size; k++) find_places(other, one.node[k]);
    double most_saving = 0;
    for (int k = 1; k <= other.size; k++) {
      find_places(one, other.node[k]);
      most_saving = std::max(most_saving, other.gain[k]);
    }
    double best = -epsilon_;
    int best_u = 0, best_v = 0, best_after_u = 0, best_after_v = 0;
    for (int i = 1; i <= one.size; i++) {
      const double saving = one.gain[i], demand = one.demand[i];
      if (-saving - most_saving - known > best) continue;
      for (int k = 1; k <= other.size; k++) {
        const double moved = demand - other.demand[k];
        const double gain = penalty(load_a - moved) + penalty(load_b + moved) - known - saving - other.gain[k];
        if (gain > best) continue;
        int after_u = 0, after_v = 0;
        const double more = gain + place_without(one.node[i], other, k, after_u);
        if (more > best) continue;
        const double cost = more + place_without(other.node[k], one, i, after_v);
        if (cost < best) {
          best = cost;
          best_u = i;
          best_v = k;
          best_after_u = after_u;
          best_after_v = after_v;
        }
      }
    }
    // Moving one without the other.
    for (int side = 0; side < 2; side++) {
      const Layout& from = side == 0 ? one : other;
      const int to = side == 0 ? b : a;
      if (from.size == 1) continue;
      for (int k = 1; k <= from.size; k++) {
        const Places& places = places_of(to, from.node[k]);
        const double moved = from.demand[k];
        const double cost = places.cost[0] - from.gain[k] + penalty(routes_[from.route].load - moved) +
                            penalty(routes_[to].load + moved) - known;
        if (cost < best) {
          best = cost;
          best_u = side == 0 ? k : 0;
          best_v = side == 0 ? 0 : k;
          (side == 0 ? best_after_u : best_after_v) = places.after[0];
        }
      }
    }
    if (best_u == 0 && best_v == 0) return false;
    const int u = one.node[best_u], v = other.node[best_v];
    if constexpr (kTime) {
      // Lateness of two changes of one route does not add up.
      const double moved = one.demand[best_u] - other.demand[best_v];
      const double cost = cost_changed(one, best_u, best_v > 0 ? v : -1, best_after_v) +
                          cost_changed(other, best_v, best_u > 0 ? u : -1, best_after_u) + penalty(load_a - moved) +
                          penalty(load_b + moved) - cost_changed(one, 0, -1, 0) - cost_changed(other, 0, -1, 0) - known;
      if (cost >= -epsilon_) return false;
    }
    if (best_u > 0) link(nodes_[u].prev, nodes_[u].next);
    if (best_v > 0) link(nodes_[v].prev, nodes_[v].next);
    if (best_u > 0) insert(u, other.node[best_after_u]);
    if (best_v > 0) insert(v, one.node[best_after_v]);
    return changed(a, b);
  }

  // Of the route without the stop `gone` (0: with all) and with `come` (-1: nobody) behind the stop `after`; but for load.
  double cost_changed(const Layout& route, int gone, int come, int after) const {
    Walk walk = walk_from(route.node[0]);
    const double* row = nodes_[route.node[0]].row;
    double cost = 0;
    const auto go = [&](int node) {
      cost += row[column(node)];
      row = nodes_[node].row;
      step(walk, node);
    };
    for (int k = 0; k <= route.size; k++) {
      if (k > 0 && k != gone) go(route.node[k]);
      if (come >= 0 && k == after) go(come);
    }
    return cost + row[n_] + time_weight_ * meet(walk, route.node[0]);
  }

  void insert(int u, int after) {
    const int right = nodes_[after].next;
    link(after, u);
    link(u, right);
  }
};

}  // namespace

bool is_plain(const Problem& problem) {
  const int depot = problem.types[0].start;
  for (const auto& customer : problem.customers)
    if (customer.windows.size() > 1) return false;
  return problem.is_homogeneous && problem.is_symmetric && problem.dimensions <= 1 && !problem.has_release &&
         !problem.has_pickups && !problem.has_skills && !problem.has_limits && !problem.has_per_time &&
         problem.distance(depot, depot) == 0 && (!problem.has_time || problem.duration(depot, depot) == 0);
}

std::unique_ptr<LocalSearch> make_plain_search(const Problem& problem) {
  if (problem.has_time) return std::make_unique<PlainSearch<true>>(problem);
  return std::make_unique<PlainSearch<false>>(problem);
}

}  // namespace extremum::routing
