// One vehicle without limits: a travelling salesman. Local search by 2-opt and Or-opt over near neighbours, kicked by
// double bridges of nearby stretches, undone where they do not help. Sources: Johnson and McGeoch 1997; Martin, Otto and
// Felten 1991; Bentley 1992 (neighbour lists, positions in an array).
#include <algorithm>

#include "routing/genetic.h"
#include "routing/local_search.h"
#include "routing/rng.h"

namespace extremum::routing {

namespace {

constexpr int kNear = 10;
constexpr int kLongestMoved = 3;
// Offspring of one cooling, the last ones of which accept nothing worse.
constexpr int kCycle = 100, kCold = 20;
// Share of the mean edge by which a tour may be worse at first.
constexpr double kWarmth = 2;
constexpr int kSpan = 50;  // A kick stays within so many stops.

class Tour final : public Search {
 public:
  explicit Tour(Problem problem) : problem_(std::move(problem)), rng_(problem_.seed), size_(problem_.n + 1) {
    // City 0 is the depot.
    const auto& type = problem_.types[0];
    for (int i = 0; i < size_; i++) location_.push_back(i == 0 ? type.start : problem_.location(i - 1));
    near_.resize(size_);
    std::vector<std::pair<double, int>> order;
    for (int i = 0; i < size_; i++) {
      order.clear();
      for (int j = 0; j < size_; j++)
        if (j != i) order.push_back({distance(i, j), j});
      const auto last = order.begin() + std::min<std::size_t>(order.size(), kNear);
      std::partial_sort(order.begin(), last, order.end());
      for (auto it = order.begin(); it != last; ++it) near_[i].push_back(it->second);
    }
  }

  std::int64_t run(std::int64_t count, StopCell stop) override {
    if (!begun_) begin();
    std::int64_t done = 0;
    while (done < count) {
      for (; step_ < size_; step_++) {
        if (is_stopped(stop)) return done;
        kick();
      }
      step_ = 0;
      done++;
      offspring_++;
      // Cools down over a cycle, then begins again from the best tour.
      const int phase = static_cast<int>(offspring_ % kCycle);
      temperature_ = first_temperature_ * (1.0 - static_cast<double>(phase) / (kCycle - kCold));
      if (phase == 0) {
        tour_ = best_;
        for (int k = 0; k < size_; k++) place_[tour_[k]] = k;
        measure();
      }
      since_best_++;
      if (improved_) since_best_ = 0;
      improved_ = false;
    }
    return done;
  }

  bool has_best() const override { return begun_; }
  double best_cost() const override {
    const auto& type = problem_.types[0];
    return type.fixed + best_length_;
  }
  std::int64_t offspring() const override { return offspring_; }
  std::int64_t since_best() const override { return since_best_; }

  std::vector<std::int32_t> best() const override {
    std::vector<std::int32_t> list{0, problem_.n};
    const int from = static_cast<int>(std::find(best_.begin(), best_.end(), 0) - best_.begin());
    for (int k = 1; k < size_; k++) list.push_back(best_[(from + k) % size_] - 1);
    return list;
  }

 private:
  Problem problem_;
  Rng rng_;
  const int size_;
  std::vector<int> location_;
  std::vector<std::vector<int>> near_;
  std::vector<int> tour_, place_, best_;
  std::vector<int> queue_;
  std::vector<std::uint8_t> queued_;
  // Reversals done since the last kick, to be undone.
  std::vector<std::pair<int, int>> log_;
  double length_ = 0, best_length_ = 0;
  double temperature_ = 0, first_temperature_ = 0;
  std::int64_t offspring_ = 0, since_best_ = 0;
  int step_ = 0;
  bool begun_ = false, improved_ = false;

  double distance(int a, int b) const {
    const auto& type = problem_.types[0];
    double cost = type.per_distance * problem_.distance(location_[a], location_[b]);
    if (type.per_time > 0) cost += type.per_time * problem_.duration(location_[a], location_[b]);
    return cost;
  }
  int at(int place) const { return tour_[place]; }
  int after(int city) const { return tour_[place_[city] + 1 == size_ ? 0 : place_[city] + 1]; }
  int before(int city) const { return tour_[place_[city] == 0 ? size_ - 1 : place_[city] - 1]; }

  void begin() {
    begun_ = improved_ = true;
    // Nearest neighbour, from the depot.
    std::vector<std::uint8_t> used(size_, 0);
    int city = 0;
    for (int k = 0; k < size_; k++) {
      tour_.push_back(city);
      used[city] = 1;
      int next = -1;
      double least = 1e300;
      for (const int j : near_[city])
        if (!used[j]) {
          next = j;
          break;
        }
      if (next < 0)
        for (int j = 0; j < size_; j++)
          if (!used[j] && distance(city, j) < least) {
            least = distance(city, j);
            next = j;
          }
      city = next;
    }
    place_.resize(size_);
    for (int k = 0; k < size_; k++) place_[tour_[k]] = k;
    queued_.assign(size_, 0);
    for (int k = 0; k < size_; k++) push(tour_[k]);
    for (int k = 0; k < size_; k++) length_ += distance(tour_[k], tour_[(k + 1) % size_]);
    if (size_ > 4) settle();
    log_.clear();
    best_ = tour_;
    measure();
    best_length_ = length_;
    first_temperature_ = temperature_ = kWarmth * length_ / size_;
  }

  void measure() {
    length_ = 0;
    for (int k = 0; k < size_; k++) length_ += distance(tour_[k], tour_[k + 1 == size_ ? 0 : k + 1]);
  }

  void push(int city) {
    if (queued_[city]) return;
    queued_[city] = 1;
    queue_.push_back(city);
  }

  // Reverses the stretch between two places, both included, the shorter way round.
  void reverse(int i, int j) {
    log_.push_back({i, j});
    flip(i, j);
  }

  // Reverses the way from x to y, which begins behind `neighbour`, whichever way round the tour is kept by now.
  void turn(int x, int y, int neighbour) {
    if (before(x) == neighbour) reverse(place_[x], place_[y]);
    else reverse(place_[y], place_[x]);
  }

  void flip(int i, int j) {
    int inside = j - i + 1;
    if (inside <= 0) inside += size_;
    if (2 * inside > size_) {
      const int swap = i;
      i = j + 1 == size_ ? 0 : j + 1;
      j = swap == 0 ? size_ - 1 : swap - 1;
      inside = size_ - inside;
    }
    for (int k = inside / 2; k > 0; k--) {
      const int a = tour_[i], b = tour_[j];
      tour_[i] = b;
      place_[b] = i;
      tour_[j] = a;
      place_[a] = j;
      i = i + 1 == size_ ? 0 : i + 1;
      j = j == 0 ? size_ - 1 : j - 1;
    }
  }

  // Improves until nothing near any queued city helps.
  void settle() {
    for (std::size_t k = 0; k < queue_.size(); k++) {
      const int city = queue_[k];
      queued_[city] = 0;
      while (improve_at(city)) {
      }
      if (k > 4096 && k * 2 > queue_.size()) {
        queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(k) + 1);
        k = static_cast<std::size_t>(-1);
      }
    }
    queue_.clear();
  }

  bool improve_at(int a) {
    const double epsilon = problem_.epsilon;
    // 2-opt: a and its successor, a and its predecessor.
    const int next = after(a), last = before(a);
    const double to_next = distance(a, next), to_last = distance(last, a);
    for (const int c : near_[a]) {
      const double direct = distance(a, c);
      if (direct >= to_next && direct >= to_last) break;
      if (direct < to_next) {
        const int d = after(c);
        const double gain = to_next + distance(c, d) - direct - distance(next, d);
        if (c != next && d != a && gain > epsilon) {
          reverse(place_[next], place_[c]);
          length_ -= gain;
          for (const int one : {a, next, c, d}) push(one);
          return true;
        }
      }
      if (direct < to_last) {
        const int d = before(c);
        const double gain = to_last + distance(d, c) - direct - distance(last, d);
        if (c != last && d != a && gain > epsilon) {
          reverse(place_[c], place_[last]);
          length_ -= gain;
          for (const int one : {a, last, c, d}) push(one);
          return true;
        }
      }
    }
    return move_stretch(a);
  }

  // Or-opt: up to three stops beginning at a, in both directions, between two neighbours elsewhere.
  bool move_stretch(int a) {
    for (int way = 0; way < 2; way++) {
      int end = a;
      for (int count = 1; count <= kLongestMoved && count + 3 <= size_; count++) {
        if (count > 1) end = way == 0 ? after(end) : before(end);
        // The stretch runs from a (which gets a new neighbour) to end.
        const int outer = way == 0 ? before(a) : after(a);
        const int inner = way == 0 ? after(end) : before(end);
        if (outer == inner || outer == end) break;
        const double removed = distance(outer, a) + distance(end, inner) - distance(outer, inner);
        for (const int c : near_[a]) {
          const double direct = distance(a, c);
          if (direct >= removed) break;
          if (within(c, a, end, way)) continue;
          // Beside c, on either side.
          for (int side = 0; side < 2; side++) {
            const int d = side == 0 ? after(c) : before(c);
            if (within(d, a, end, way)) continue;
            const double gain = removed - direct - distance(end, d) + distance(c, d);
            if (gain <= problem_.epsilon) continue;
            move(a, end, way, c, side);
            length_ -= gain;
            for (const int one : {outer, inner, a, end, c, d}) push(one);
            return true;
          }
        }
      }
    }
    return false;
  }

  bool within(int city, int a, int end, int way) const {
    const int from = way == 0 ? place_[a] : place_[end];
    int offset = place_[city] - from;
    if (offset < 0) offset += size_;
    int length = (way == 0 ? place_[end] : place_[a]) - from;
    if (length < 0) length += size_;
    return offset <= length;
  }

  // By reversals. a comes to lie beside c, end beside c's neighbour on that side.
  void move(int a, int end, int way, int c, int side) {
    const int first = way == 0 ? a : end, final = way == 0 ? end : a;
    const int d = side == 0 ? after(c) : before(c);
    const int left = side == 0 ? c : d, right = side == 0 ? d : c;
    // Wanted: left, then the stretch, then right; a beside c.
    const bool a_first = side == 0;             // a lies next to left.
    const bool stays = (first == a) == a_first;  // In the direction that it has.
    // Stretch [first .. final] lies before or behind the gap; rotate by three reversals, or two where it turns.
    int behind = place_[left] - place_[final];
    if (behind < 0) behind += size_;
    int ahead = place_[first] - place_[right];
    if (ahead < 0) ahead += size_;
    if (behind <= ahead) {
      // first .. final, x .. left, right: to x .. left, stretch, right.
      const int x = after(final), outer = before(first);
      reverse(place_[first], place_[left]);
      // Now outer, left .. x, final .. first, right.
      turn(left, x, outer);
      if (stays) turn(final, first, left);
    } else {
      // left, right .. x, first .. final: to left, stretch, right .. x.
      const int x = before(first);
      reverse(place_[right], place_[final]);
      // Now left, final .. first, x .. right.
      turn(x, right, first);
      if (stays) turn(final, first, left);
    }
  }

  void kick() {
    if (size_ < 8) return;
    const double before_kick = length_;
    log_.clear();
    // A double bridge of four stretches near each other: the two in the middle change places.
    const int span = std::min(kSpan, size_ - 2);
    const int from = rng_.below(size_);
    int cut[3];
    for (int& one : cut) one = 1 + rng_.below(span);
    std::sort(cut, cut + 3);
    if (cut[0] == cut[1] || cut[1] == cut[2]) return;
    const auto city = [&](int offset) { return tour_[(from + offset) % size_]; };
    const int a = city(cut[0] - 1), b = city(cut[0]), c = city(cut[1] - 1), d = city(cut[1]), e = city(cut[2] - 1), f = city(cut[2]);
    length_ += distance(a, d) + distance(e, b) + distance(c, f) - distance(a, b) - distance(c, d) - distance(e, f);
    reverse(place_[b], place_[e]);
    // a, e .. d, c .. b, f
    turn(e, d, a);
    turn(c, b, e);
    for (const int one : {a, b, c, d, e, f}) push(one);
    settle();
    // A little worse is accepted while the tour is warm.
    const double worse = temperature_ > 0 ? temperature_ * rng_.uniform() * rng_.uniform() : 0;
    if (length_ > before_kick + worse + problem_.epsilon) {
      for (std::size_t k = log_.size(); k-- > 0;) flip(log_[k].first, log_[k].second);
      length_ = before_kick;
      log_.clear();
      return;
    }
    if (length_ < best_length_ - problem_.epsilon) {
      measure();
      if (length_ < best_length_ - problem_.epsilon) {
        best_length_ = length_;
        best_ = tour_;
        improved_ = true;
      }
    }
  }
};

}  // namespace

std::unique_ptr<Search> make_tour(Problem problem) { return std::make_unique<Tour>(std::move(problem)); }

}  // namespace extremum::routing
