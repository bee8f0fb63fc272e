// The order of a function's operations. Each is done for all vectors of a group, one after the other, so that a value
// is there when the next operation but one begins; the processor looks ahead, but not across a whole function. The
// operation goes first whose longest way to the result takes longest; where many values are alive, one that ends
// others.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "jit/operations.h"

namespace extremum::jit {
namespace {

// Cycles until a result is there (Intel since Skylake, AMD since Zen 2: three or four for arithmetic).
int latency(Kind kind) {
  switch (kind) {
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kXor:
    case Kind::kMove:
    case Kind::kShiftLeft:
    case Kind::kShiftRight:
    case Kind::kSelect:
    case Kind::kNegateWhere:
    case Kind::kPermute: return 1;
    case Kind::kNegateIf: return 2;
    case Kind::kDiv:
    case Kind::kDivideBeside:
    case Kind::kDivideBy:  // takes less, but is best with as many vectors as a division
    case Kind::kSqrt: return 20;
    case Kind::kRound: return 8;
    default: return makes_mask(kind) ? 3 : 4;
  }
}

// How far a division moves up: its result is kept for as long.
constexpr std::size_t kFarthest = 16;

struct Node {
  std::vector<std::uint32_t> next;  // what waits for it
  int waits_for = 0;
  int way = 0;  // to the end, with itself
  int earliest = 0;
  // What made its operands, each once; operations still to come that read its result.
  std::array<std::int32_t, kOperands> operands{-1, -1, -1, -1};
  int readers = 0;
};

}  // namespace

void schedule(InstructionSet set, Unit& unit) {
  const bool wide = set == InstructionSet::avx512;
  // Where four vectors of AVX2 find room as it stands (`fast` sines), another order is no better: it takes more of it.
  if (!wide && unit.pressure + unit.mask_pressure <= 6) return;
  name_temporaries(unit);
  const auto& operations = unit.operations;
  const std::size_t count = operations.size();
  // Cycles from one operation for all vectors to the next: more than they take on the ports, so that what others wait
  // for goes first (measured, as the next number).
  constexpr int step = 4;
  const int most_alive = wide ? 9 : 6;

  std::vector<Node> nodes(count);
  const auto depend = [&](std::int32_t first, std::size_t then) {
    if (first < 0 || static_cast<std::size_t>(first) == then) return;
    nodes[static_cast<std::size_t>(first)].next.push_back(static_cast<std::uint32_t>(then));
    nodes[then].waits_for++;
  };
  // By value; an effect, and the end, keep their places among everything else.
  std::vector<std::int32_t> writer(static_cast<std::size_t>(unit.first_element), -1);
  std::vector<std::vector<std::int32_t>> readers(writer.size());
  std::int32_t effect = -1;
  for (std::size_t at = 0; at < count; at++) {
    const Operation& operation = operations[at];
    Node& node = nodes[at];
    depend(effect, at);
    if (operation.out == kNoValue) {
      for (std::int32_t earlier = effect + 1; earlier < static_cast<std::int32_t>(at); earlier++) depend(earlier, at);
      effect = static_cast<std::int32_t>(at);
    }
    for (const ValueId id : operation.in) {
      if (id == kNoValue || id >= unit.first_element) continue;
      const std::int32_t made = writer[static_cast<std::size_t>(id)];
      readers[static_cast<std::size_t>(id)].push_back(static_cast<std::int32_t>(at));
      if (made < 0 || std::find(node.operands.begin(), node.operands.end(), made) != node.operands.end()) continue;
      *std::find(node.operands.begin(), node.operands.end(), -1) = made;
      nodes[static_cast<std::size_t>(made)].readers++;
      depend(made, at);
    }
    if (operation.out == kNoValue) continue;
    const auto value = static_cast<std::size_t>(operation.out);
    for (const std::int32_t reader : readers[value]) depend(reader, at);
    depend(writer[value], at);
    readers[value].clear();
    writer[value] = static_cast<std::int32_t>(at);
  }
  for (std::size_t at = count; at-- > 0;) {
    for (const std::uint32_t then : nodes[at].next) nodes[at].way = std::max(nodes[at].way, nodes[then].way);
    nodes[at].way += latency(operations[at].kind);
  }

  const auto ends = [&](const Node& node) {
    return std::count_if(node.operands.begin(), node.operands.end(), [&](std::int32_t made) {
      return made >= 0 && nodes[static_cast<std::size_t>(made)].readers == 1;
    });
  };
  std::vector<Operation> ordered;
  ordered.reserve(count);
  std::vector<std::size_t> ready;
  for (std::size_t at = 0; at < count; at++)
    if (nodes[at].waits_for == 0) ready.push_back(at);
  int now = 0;
  std::ptrdiff_t alive = 0;
  while (!ready.empty()) {
    const bool is_full = alive >= most_alive;
    const auto grows = [&](std::size_t at) { return is_full && operations[at].out != kNoValue && ends(nodes[at]) == 0; };
    const auto better = [&](std::size_t a, std::size_t b) {
      const int a_waits = std::max(nodes[a].earliest - now, 0), b_waits = std::max(nodes[b].earliest - now, 0);
      if (a_waits != b_waits) return a_waits < b_waits;
      const bool a_grows = grows(a), b_grows = grows(b);
      if (a_grows != b_grows) return b_grows;
      return nodes[a].way != nodes[b].way ? nodes[a].way > nodes[b].way : a < b;
    };
    const auto chosen = std::min_element(ready.begin(), ready.end(), better);
    const std::size_t at = *chosen;
    ready.erase(chosen);
    const Node& node = nodes[at];
    now = std::max(now, node.earliest);
    alive += (operations[at].out == kNoValue ? 0 : 1) - ends(node);
    for (const std::int32_t made : node.operands)
      if (made >= 0) nodes[static_cast<std::size_t>(made)].readers--;
    ordered.push_back(operations[at]);
    for (const std::uint32_t then : node.next) {
      nodes[then].earliest = std::max(nodes[then].earliest, now + latency(operations[at].kind));
      if (--nodes[then].waits_for == 0) ready.push_back(then);
    }
    now += step;
  }
  unit.operations = std::move(ordered);
}

double parallelism(const Unit& unit) {
  std::vector<double> there(static_cast<std::size_t>(unit.first_element));
  double work = 0, longest = 1;
  for (const Operation& operation : unit.operations) {
    if (operation.out == kNoValue) continue;
    double begins = 0;
    for (const ValueId id : operation.in)
      if (id != kNoValue && id < unit.first_element) begins = std::max(begins, there[static_cast<std::size_t>(id)]);
    const int takes = latency(operation.kind);
    work += takes;
    longest = std::max(longest, there[static_cast<std::size_t>(operation.out)] = begins + takes);
  }
  return work / longest;
}

void divide_early(Unit& unit) {
  auto& operations = unit.operations;
  const auto divides = [](const Operation& operation) { return operation.kind == Kind::kDiv || operation.kind == Kind::kSqrt; };
  const auto reads = [](const Operation& operation, ValueId id) {
    return std::find(std::begin(operation.in), std::end(operation.in), id) != std::end(operation.in);
  };
  for (std::size_t at = 0; at < operations.size(); at++) {
    if (!divides(operations[at])) continue;
    const Operation& operation = operations[at];
    const auto stays_before = [&](const Operation& earlier) {
      return is_structure(earlier.kind) || earlier.kind == Kind::kStore || divides(earlier) || earlier.out == operation.out ||
             reads(earlier, operation.out) || (earlier.out != kNoValue && reads(operation, earlier.out));
    };
    std::size_t to = at;
    while (to > 0 && at - to < kFarthest && !stays_before(operations[to - 1])) to--;
    const auto first = operations.begin();
    std::rotate(first + static_cast<std::ptrdiff_t>(to), first + static_cast<std::ptrdiff_t>(at), first + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

}  // namespace extremum::jit
