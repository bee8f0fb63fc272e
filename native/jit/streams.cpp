#include "jit/streams.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace extremum::jit {
namespace {

// Doubles in tables of numbers. They stay in the second-level cache, and are read in order.
constexpr std::size_t kMostNumbers = 1 << 17;
// Addresses and distances that a displacement holds, with room for what is added to it.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
constexpr double kWeightOfLoop = 16;

class Planner {
 public:
  Planner(const Program& program, std::int32_t local_stride, std::int32_t coordinate_stride, Streams& streams)
      : program_(program), local_stride_(local_stride), coordinate_stride_(coordinate_stride), streams_(streams) {}

  bool run(std::string& reason) {
    streams_.places.resize(program_.elements().size());
    planned_.resize(program_.elements().size());
    streams_.deltas.resize(program_.loops().size());
    auto use = program_.element_uses().begin();
    for (std::uint32_t step = 0; step < program_.steps().size(); step++) {
      const Step& at = program_.steps()[step];
      if (at.opcode == Opcode::k_for) {
        const CountedLoop& loop = program_.loops()[static_cast<std::size_t>(at.imm)];
        if (loop.most_rounds >= kMostBytes || !fits(loop.count)) return reason = "a loop of too many rounds", false;
        open_.push_back(static_cast<std::uint32_t>(at.imm));
        loops_.push_back(&loop);
      }
      if (at.opcode == Opcode::k_endfor) {
        open_.pop_back();
        loops_.pop_back();
      }
      for (; use != program_.element_uses().end() && use->step == step; ++use)
        if (!plan(use->element)) return reason = "arrays or numbers beyond what native code addresses", false;
    }
    return true;
  }

 private:
  using Terms = std::vector<std::pair<std::uint32_t, std::int64_t>>;  // by level, in bytes

  bool fits(std::uint32_t count) const {
    const Element& form = program_.elements()[count];
    bool fit = std::abs(form.offset) < kMostBytes;
    for (const IndexTerm& term : form.terms) fit = fit && std::abs(term.scale) < kMostBytes;
    return fit;
  }

  // Uses of one element in several places have one place; its stream is moved by the loops around each.
  bool plan(std::uint32_t index) {
    const Element& element = program_.elements()[index];
    Streams::Place& place = streams_.places[index];
    if (element.space == Space::kNumber) {
      std::int64_t smallest, largest;
      if (!find_range(element, loops_, program_.elements(), smallest, largest)) return false;
      auto& known = planned_[index];
      // A table holds what all uses reach.
      if (known.planned && smallest >= known.smallest && largest <= known.largest) return follow(index);
      if (known.planned) smallest = std::min(smallest, known.smallest), largest = std::max(largest, known.largest);
      std::int64_t step = 0;
      for (const IndexTerm& term : element.terms) step = std::gcd(step, term.scale);
      if (step == 0) step = 1;
      // Both ends are reached from the offset by whole steps, but for loops that never run.
      smallest = element.offset - (element.offset - smallest) / step * step;
      largest = std::max(largest, smallest);
      const std::uint64_t entries = static_cast<std::uint64_t>(largest - smallest) / static_cast<std::uint64_t>(step) + 1;
      if (entries > kMostNumbers - std::min(numbers_, kMostNumbers)) return false;
      numbers_ += static_cast<std::size_t>(entries);
      add_constants();
      const auto start = static_cast<std::int64_t>(streams_.tables.size());
      for (std::uint64_t k = 0; k < entries; k++)
        streams_.tables.push_back(static_cast<double>(smallest + static_cast<std::int64_t>(k) * step));
      known = {true, smallest, largest};
      Terms terms;
      for (const IndexTerm& term : element.terms) terms.push_back({term.level, term.scale / step * 8});
      return settle(place, Space::kConstant, (start + (element.offset - smallest) / step) * 8, std::move(terms)) && follow(index);
    }
    if (!planned_[index].planned) {
      planned_[index].planned = true;
      if (element.space == Space::kConstant) add_constants();
      const std::int64_t unit = element.space == Space::kConstant ? 8 : element.space == Space::kLocal ? local_stride_ : coordinate_stride_;
      Terms terms;
      if (std::abs(element.offset) >= kMostBytes) return false;
      for (const IndexTerm& term : element.terms) {
        if (std::abs(term.scale) >= kMostBytes) return false;
        terms.push_back({term.level, term.scale * unit});
      }
      if (!settle(place, element.space, element.offset * unit, std::move(terms))) return false;
    }
    return follow(index);
  }

  void add_constants() {
    if (has_constants_) return;
    has_constants_ = true;
    streams_.tables.insert(streams_.tables.begin(), program_.constants().begin(), program_.constants().end());
  }

  bool settle(Streams::Place& place, Space space, std::int64_t displacement, Terms terms) {
    if (std::abs(displacement) >= kMostBytes) return false;
    place.space = space;
    place.displacement = static_cast<std::int32_t>(displacement);
    if (terms.empty()) return true;
    const auto [found, added] = stream_of_.try_emplace(terms, static_cast<std::int32_t>(terms_.size()));
    if (added) {
      terms_.push_back(std::move(terms));
      streams_.weights.push_back(0);
    }
    place.stream = found->second;
    return true;
  }

  // The loops around a use move its stream.
  bool follow(std::uint32_t index) {
    const std::int32_t stream = streams_.places[index].stream;
    if (stream == Streams::kNone) return true;
    double weight = 1;
    for (const std::uint32_t loop : open_) {
      weight *= kWeightOfLoop;
      for (const auto& [level, bytes] : terms_[static_cast<std::size_t>(stream)]) {
        const CountedLoop& counted = program_.loops()[loop];
        if (counted.level != level) continue;
        // Also what follows the last round must be a number of 32 bits.
        if (std::abs(bytes) >= kMostBytes / std::max<std::int64_t>(1, counted.most_rounds)) return false;
        auto& deltas = streams_.deltas[loop];
        const bool known = std::any_of(deltas.begin(), deltas.end(), [&](const auto& delta) { return delta.stream == stream; });
        if (!known) deltas.push_back({stream, static_cast<std::int32_t>(bytes)});
      }
    }
    streams_.weights[static_cast<std::size_t>(stream)] += weight;
    return true;
  }

  struct Planned {
    bool planned = false;
    std::int64_t smallest = 0, largest = 0;
  };

  const Program& program_;
  const std::int32_t local_stride_, coordinate_stride_;
  Streams& streams_;
  std::vector<std::uint32_t> open_;
  std::vector<const CountedLoop*> loops_;
  std::vector<Planned> planned_;
  std::map<Terms, std::int32_t> stream_of_;
  std::vector<Terms> terms_;
  std::size_t numbers_ = 0;
  bool has_constants_ = false;
};

}  // namespace

bool plan_streams(const Program& program, std::int32_t local_stride, std::int32_t coordinate_stride, Streams& streams,
                  std::string& reason) {
  return Planner(program, local_stride, coordinate_stride, streams).run(reason);
}

}  // namespace extremum::jit
