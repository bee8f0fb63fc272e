#include "jit/operations.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <string_view>

#include "jit/reciprocal.h"

namespace extremum::jit {
namespace {

constexpr const char* kSignatures[] = {
#define EXTREMUM_OPCODE(name, signature, group) signature,
#include "extremum/opcodes.generated.inc"
#undef EXTREMUM_OPCODE
};
constexpr const char* kGroups[] = {
#define EXTREMUM_OPCODE(name, signature, group) #group,
#include "extremum/opcodes.generated.inc"
#undef EXTREMUM_OPCODE
};

constexpr std::uint64_t kSign = 0x8000000000000000u, kOnes = 0xffffffffffffffffu;
enum Rounding : std::int32_t { kNearest = 8, kDown = 9, kUp = 10, kTowardZero = 11 };  // 8: no inexact exception

class Builder {
 public:
  Builder(const Program& program, InstructionSet set, Pool& pool, Unit& unit, ValueId spare = 0)
      : program_(program), set_(set), pool_(pool), unit_(unit) {
    // Registers lie between the coordinates and the masks of running lanes.
    temporary_ = static_cast<ValueId>(program.mask_block() - program.dimension());
    running_ = temporary_ + kTemporaries;
    unit.first_mask = static_cast<ValueId>(program.registers());
    unit.first_temporary = temporary_;
    unit.first_coordinate = running_ + static_cast<ValueId>(program.scratch_block() - program.mask_block());
    unit.first_spare = unit.next_spare = unit.first_coordinate + static_cast<ValueId>(program.dimension());
    unit.first_element = unit.first_spare + spare;
    unit.first_constant = unit.first_element + static_cast<ValueId>(program.elements().size());
  }

  // Of a function of the library: whether it ends in an `if` for rare lanes. False for any other branch.
  bool find_rare(Lanes lanes, bool& has_rare, std::string& reason) {
    const auto& steps = program_.steps();
    const auto find = [&](Opcode opcode) {
      const auto step = std::find_if(steps.begin(), steps.end(), [&](const Step& each) { return each.opcode == opcode; });
      return static_cast<std::uint32_t>(step - steps.begin());
    };
    const std::uint32_t first = find(Opcode::k_if), otherwise = find(Opcode::k_else), end = find(Opcode::k_endif);
    has_rare = first != steps.size();
    if (!has_rare) return true;
    const bool alone = std::count_if(steps.begin(), steps.end(), [](const Step& each) { return each.opcode == Opcode::k_if; }) == 1;
    std::uint32_t made = first;
    while (made > 0 && value(steps[made - 1].out) != value(steps[first].a)) made--;
    if (!alone || made == 0) return reason = "a function of the library branches in an unknown way", false;
    lanes_ = lanes;
    rare_ = {made - 1, first, otherwise, end, value(steps[first].a)};
    return true;
  }

  bool build(std::string& reason) {
    auto use = program_.element_uses().begin();
    for (std::uint32_t at = 0; at < program_.steps().size(); at++) {
      if (rare_.first != kNoStep && of_rare(at)) continue;
      element_.fill(kNoValue);
      for (; use != program_.element_uses().end() && use->step == at; ++use)
        element_[use->operand] = unit_.first_element + static_cast<ValueId>(use->element);
      const Step& step = program_.steps()[at];
      const bool moves = step.opcode == Opcode::k_move || (step.opcode == Opcode::k_blend && depth_ == 0);
      if (moves && element_[0] != kNoValue) {
        store(value(step, 1));
        continue;
      }
      if (!translate(step)) return reason = "an instruction that native code does not have", false;
      if (lanes_ == Lanes::usual && at == rare_.test) emit(Kind::kCheck, kNoValue, rare_.mask);
      if (element_[0] != kNoValue) store(temporary_);
    }
    return true;
  }

 private:
  ValueId constant(std::uint64_t bits) { return unit_.first_constant + pool_.index(bits); }
  ValueId number(double value) { return constant(std::bit_cast<std::uint64_t>(value)); }

  ValueId value(Operand operand) const {
    const auto block = static_cast<ValueId>(operand.offset / kBlockStride);
    const auto dimension = static_cast<ValueId>(program_.dimension());
    return block < dimension ? unit_.first_coordinate + block : block - dimension;
  }
  ValueId value(const Step& step, unsigned position) {
    if (element_[position] != kNoValue) return element_[position];
    const Operand operand = position == 1 ? step.a : position == 2 ? step.b : step.c;
    return step.constants >> position & 1 ? number(*operand.constant) : value(operand);
  }

  // What is computed into an element comes by way of a temporary value.
  ValueId result(const Step& step) const { return element_[0] == kNoValue ? value(step.out) : temporary_; }
  void store(ValueId stored) {
    emit(Kind::kStore, kNoValue, stored, kNoValue, kNoValue, element_[0] - unit_.first_element);
  }

  Operation& emit(Kind kind, ValueId out, ValueId a = kNoValue, ValueId b = kNoValue, ValueId c = kNoValue,
                  std::int32_t immediate = 0) {
    Operation operation{};
    operation.kind = kind;
    operation.immediate = immediate;
    operation.out = out;
    operation.in[0] = a;
    operation.in[1] = b;
    operation.in[2] = c;
    operation.depth = static_cast<std::int32_t>(depth_);
    return unit_.operations.emplace_back(operation);
  }

  ValueId running(std::size_t depth) const { return running_ + static_cast<ValueId>(depth); }
  // Null at depth 0: all lanes run.
  ValueId running_or_none() const { return depth_ == 0 ? kNoValue : running(depth_); }

  // `t = a inner b` and `t outer c`, the names as in opcodes.ts.
  void arithmetic(std::string_view name, ValueId out, ValueId a, ValueId b) {
    if (name == "sq") emit(Kind::kMul, out, a, a);
    else if (name == "add") emit(Kind::kAdd, out, a, b);
    else if (name == "sub") emit(Kind::kSub, out, a, b);
    else if (name == "rsub") emit(Kind::kSub, out, b, a);
    else emit(Kind::kMul, out, a, b);
  }
  void fused(std::string_view name, const Step& step) {
    const std::size_t split = name.find('_');
    const std::string_view inner = name.substr(0, split), outer = name.substr(split + 1);
    const ValueId t = temporary_, out = result(step);
    const bool unary = inner == "sq";
    arithmetic(inner, t, value(step, 1), unary ? kNoValue : value(step, 2));
    arithmetic(outer, out, t, outer == "sq" ? kNoValue : value(step, unary ? 2 : 3));
  }

  void bselect(ValueId out, ValueId mask, ValueId a, ValueId b) {
    // `and` and `or` of Python.
    if (b == mask) {
      emit(Kind::kMaskAnd, out, mask, a);
      return;
    }
    if (a == mask) {
      emit(Kind::kMaskOr, out, mask, b);
      return;
    }
    const ValueId t = temporary_ + 2;
    emit(Kind::kMaskAnd, t, mask, a);
    emit(Kind::kMaskAndNot, t + 1, mask, b);
    emit(Kind::kMaskOr, out, t, t + 1);
  }

  void scale(ValueId out, ValueId a, ValueId b) {
    if (set_ == InstructionSet::avx512) {
      emit(Kind::kScale, out, a, b);
      return;
    }
    const ValueId magic = number(0x1.00000000003ffp52), half = temporary_, rest = temporary_ + 1;
    if (lanes_ == Lanes::usual && rare_.first != kNoStep) {
      // The power of two is a normal number, and so is the result (MathBuilder.rarely).
      emit(Kind::kAdd, rest, b, magic);
      emit(Kind::kShiftLeft, rest, rest, kNoValue, kNoValue, 52);
      emit(Kind::kMul, out, a, rest);
      return;
    }
    // As vector_scalar.h has it.
    emit(Kind::kMul, half, b, number(0.5));
    emit(Kind::kSub, half, half, number(0.25));
    emit(Kind::kAdd, half, half, magic);
    emit(Kind::kSub, rest, half, magic);
    emit(Kind::kSub, rest, b, rest);
    emit(Kind::kAdd, rest, rest, magic);
    emit(Kind::kShiftLeft, half, half, kNoValue, kNoValue, 52);
    emit(Kind::kShiftLeft, rest, rest, kNoValue, kNoValue, 52);
    emit(Kind::kMul, half, a, half);
    emit(Kind::kMul, out, half, rest);
  }

  // Steps that a function with rare lanes has otherwise than they stand there; false for the others.
  bool of_rare(std::uint32_t at) {
    const Step& step = program_.steps()[at];
    if (lanes_ == Lanes::usual) {
      if (at == rare_.test && step.opcode == Opcode::k_lt) {
        emit(Kind::kCheckCompare, kNoValue, value(step, 1), value(step, 2), kNoValue, kLess);
        return true;
      }
      return (at >= rare_.first && at <= rare_.otherwise) || at == rare_.end;
    }
    const bool joins = at > rare_.otherwise && step.opcode == Opcode::k_blend;
    if (joins && lanes_ == Lanes::all) emit(Kind::kSelect, value(step.out), rare_.mask, value(step.out), value(step, 1));
    return joins || at == rare_.first || at == rare_.otherwise || at == rare_.end;
  }

  bool translate(const Step& step) {
    const ValueId t = temporary_;
    const auto out = [&] { return result(step); };
    const auto in = [&](unsigned position) { return value(step, position); };
    const auto unary = [&](Kind kind, std::int32_t immediate) {
      emit(kind, out(), in(1), kNoValue, kNoValue, immediate);
    };
    const auto compare = [&](std::int32_t predicate) { emit(Kind::kCompare, out(), in(1), in(2), kNoValue, predicate); };
    const auto check = [&](std::int32_t predicate) {
      emit(Kind::kCheckCompare, kNoValue, in(1), in(2), running_or_none(), predicate);
    };
    switch (step.opcode) {
      case Opcode::k_move: unary(Kind::kMove, 0); return true;
      case Opcode::k_sqrt: unary(Kind::kSqrt, 0); return true;
      case Opcode::k_floor: unary(Kind::kRound, kDown); return true;
      case Opcode::k_ceil: unary(Kind::kRound, kUp); return true;
      case Opcode::k_trunc: unary(Kind::kRound, kTowardZero); return true;
      case Opcode::k_rint: unary(Kind::kRound, kNearest); return true;
      case Opcode::k_neg: emit(Kind::kXor, out(), in(1), constant(kSign)); return true;
      case Opcode::k_abs: emit(Kind::kAnd, out(), in(1), constant(~kSign)); return true;
      case Opcode::k_high: emit(Kind::kAnd, out(), in(1), constant(0xfffffffff8000000u)); return true;
      case Opcode::k_mantissa:
        emit(Kind::kAnd, t, in(1), constant(0x000fffffffffffffu));
        emit(Kind::kOr, out(), t, constant(0x3ff0000000000000u));
        return true;
      case Opcode::k_exponent:
        emit(Kind::kShiftRight, t, in(1), kNoValue, kNoValue, 52);
        emit(Kind::kAnd, t, t, constant(0x7ff));
        emit(Kind::kOr, t, t, constant(0x4330000000000000u));
        emit(Kind::kSub, out(), t, number(0x1.00000000003ffp52));
        return true;
      case Opcode::k_sq: emit(Kind::kMul, out(), in(1), in(1)); return true;
      case Opcode::k_add: emit(Kind::kAdd, out(), in(1), in(2)); return true;
      case Opcode::k_sub: emit(Kind::kSub, out(), in(1), in(2)); return true;
      case Opcode::k_mul: emit(Kind::kMul, out(), in(1), in(2)); return true;
      case Opcode::k_div: emit(Kind::kDiv, out(), in(1), in(2)); return true;
      case Opcode::k_scale: scale(out(), in(1), in(2)); return true;
#define EXTREMUM_FUSED(name) case Opcode::k_##name: fused(#name, step); return true;
      EXTREMUM_FUSED(sq_add) EXTREMUM_FUSED(sq_sub) EXTREMUM_FUSED(sq_rsub) EXTREMUM_FUSED(sq_mul)
      EXTREMUM_FUSED(add_sq) EXTREMUM_FUSED(sub_sq) EXTREMUM_FUSED(mul_sq)
      EXTREMUM_FUSED(add_add) EXTREMUM_FUSED(add_sub) EXTREMUM_FUSED(add_rsub) EXTREMUM_FUSED(add_mul)
      EXTREMUM_FUSED(sub_add) EXTREMUM_FUSED(sub_sub) EXTREMUM_FUSED(sub_rsub) EXTREMUM_FUSED(sub_mul)
      EXTREMUM_FUSED(mul_add) EXTREMUM_FUSED(mul_sub) EXTREMUM_FUSED(mul_rsub) EXTREMUM_FUSED(mul_mul)
#undef EXTREMUM_FUSED
      case Opcode::k_select: emit(Kind::kSelect, out(), in(1), in(2), in(3)); return true;
      case Opcode::k_blend:
        if (depth_ == 0) unary(Kind::kMove, 0);
        else emit(Kind::kSelect, out(), running(depth_), in(1), element_[0] == kNoValue ? out() : element_[0]);
        return true;

      case Opcode::k_lt: compare(kLess); return true;
      case Opcode::k_le: compare(kLessEqual); return true;
      case Opcode::k_eq: compare(kEqual); return true;
      case Opcode::k_ne: compare(kUnequal); return true;
      case Opcode::k_signbit:
        if (set_ == InstructionSet::avx512) {
          unary(Kind::kSignBit, 0);
        } else {
          emit(Kind::kGreaterInt, t + 2, constant(0), in(1));
          emit(Kind::kCompare, t + 3, in(1), in(1), kNoValue, kEqual);
          emit(Kind::kMaskAnd, out(), t + 2, t + 3);
        }
        return true;
      case Opcode::k_bmove: unary(Kind::kMaskMove, 0); return true;
      case Opcode::k_bfill: fill(out(), step.imm != 0); return true;
      case Opcode::k_and: emit(Kind::kMaskAnd, out(), in(1), in(2)); return true;
      case Opcode::k_or: emit(Kind::kMaskOr, out(), in(1), in(2)); return true;
      case Opcode::k_xor: emit(Kind::kMaskXor, out(), in(1), in(2)); return true;
      case Opcode::k_not: negate(out(), in(1)); return true;
      case Opcode::k_bselect: bselect(out(), in(1), in(2), in(3)); return true;
      case Opcode::k_bblend:
        if (depth_ == 0) unary(Kind::kMaskMove, 0);
        else bselect(out(), running(depth_), in(1), out());
        return true;

      case Opcode::k_check: emit(Kind::kCheck, kNoValue, in(1), kNoValue, running_or_none()); return true;
      case Opcode::k_check_lt: check(kLess); return true;
      case Opcode::k_check_le: check(kLessEqual); return true;
      case Opcode::k_check_eq: check(kEqual); return true;
      case Opcode::k_check_ne: check(kUnequal); return true;

      case Opcode::k_if: {
        const ValueId condition = in(1), outer = running_or_none();
        depth_++;
        if (outer == kNoValue) emit(Kind::kMaskMove, running(depth_), condition);
        else emit(Kind::kMaskAnd, running(depth_), outer, condition);
        emit(Kind::kIf, kNoValue, running(depth_));
        return true;
      }
      case Opcode::k_else:
        emit(Kind::kElse, kNoValue);
        if (depth_ == 1) negate(running(1), running(1));
        else emit(Kind::kMaskAndNot, running(depth_), running(depth_), running(depth_ - 1));
        emit(Kind::kIf, kNoValue, running(depth_));
        return true;
      case Opcode::k_endif:
        emit(Kind::kEndIf, kNoValue);
        depth_--;
        return true;
      case Opcode::k_loop: {
        const ValueId outer = running_or_none();
        depth_++;
        unit_.loops = std::max(unit_.loops, static_cast<int>(depth_));
        if (outer == kNoValue) fill(running(depth_), true);
        else emit(Kind::kMaskMove, running(depth_), outer);
        emit(Kind::kLoop, kNoValue);
        return true;
      }
      case Opcode::k_endloop:
        emit(Kind::kMaskAnd, running(depth_), running(depth_), in(1));
        emit(Kind::kEndLoop, kNoValue, running(depth_), kNoValue, kNoValue, step.imm);
        depth_--;
        return true;
      case Opcode::k_for:
      case Opcode::k_endfor:
        for_depth_ += step.opcode == Opcode::k_for ? 1 : -1;
        unit_.loops = std::max(unit_.loops, static_cast<int>(depth_) + for_depth_);
        emit(step.opcode == Opcode::k_for ? Kind::kFor : Kind::kEndFor, kNoValue, kNoValue, kNoValue, kNoValue, step.imm);
        return true;
      case Opcode::k_return: emit(Kind::kReturn, kNoValue, in(1)); return true;
      default:
        if (std::string_view(kGroups[static_cast<int>(step.opcode)]) != "math") return false;
        emit(Kind::kCall, out(), in(1), kSignatures[static_cast<int>(step.opcode)][2] == 'F' ? in(2) : kNoValue,
             kNoValue, static_cast<std::int32_t>(step.opcode));
        return true;
    }
  }

  void fill(ValueId out, bool truth) {
    // In AVX2 a mask is a vector of ones or zeros.
    if (set_ == InstructionSet::avx2) emit(Kind::kMove, out, constant(truth ? kOnes : 0));
    else emit(Kind::kMaskFill, out, kNoValue, kNoValue, kNoValue, truth);
  }
  void negate(ValueId out, ValueId in) {
    if (set_ == InstructionSet::avx2) emit(Kind::kXor, out, in, constant(kOnes));
    else emit(Kind::kMaskNot, out, in);
  }

  static constexpr std::uint32_t kNoStep = 0xffffffffu;
  const Program& program_;
  const InstructionSet set_;
  Pool& pool_;
  Unit& unit_;
  ValueId temporary_, running_;
  std::array<ValueId, 4> element_{};  // by operand of the step at hand
  // Steps: what tells which lanes are rare, the `if` for them, its other side, its end. The mask of the lanes.
  struct Rare {
    std::uint32_t test = kNoStep, first = kNoStep, otherwise = kNoStep, end = kNoStep;
    ValueId mask = kNoValue;
  } rare_;
  Lanes lanes_ = Lanes::usual;
  std::size_t depth_ = 0;
  int for_depth_ = 0;
};

// Where the sides of an `if` or the ends of a loop meet: which values are needed, by value.
using Needed = std::vector<std::uint8_t>;

}  // namespace

bool build_unit(const Program& program, InstructionSet set, Pool& pool, Unit& unit, std::string& reason) {
  return Builder(program, set, pool, unit).build(reason);
}

bool build_function(const Program& program, InstructionSet set, Lanes lanes, Pool& pool, Unit& unit, bool& has_rare,
                    std::string& reason) {
  // Two for each step's temporary values, two for other forms of it.
  const auto spare = static_cast<ValueId>(4 * program.steps().size());
  Builder builder(program, set, pool, unit, spare);
  return builder.find_rare(lanes, has_rare, reason) && builder.build(reason);
}

namespace {

bool is_constant(const Unit& unit, ValueId id) { return id >= unit.first_constant; }
std::uint64_t constant_bits(const Unit& unit, const Pool& pool, ValueId id) {
  return pool.values()[static_cast<std::size_t>(id - unit.first_constant)];
}
bool is_number(const Unit& unit, const Pool& pool, ValueId id, double value) {
  return is_constant(unit, id) && constant_bits(unit, pool, id) == std::bit_cast<std::uint64_t>(value);
}

// The values that operations read, as they are before the operation that is looked at.
class Definitions {
 public:
  static constexpr std::int32_t kNone = -1;

  // `more`: constants that the pool gets while this is in use, at most.
  Definitions(const Unit& unit, const Pool& pool, std::size_t more = 0)
      : last_(static_cast<std::size_t>(unit.first_constant) + pool.values().size() + more, kNone), reads_(last_.size()),
        of_operand_(unit.operations.size()) {}

  // Operation that made `id`, or kNone.
  std::int32_t of(ValueId id) const { return last_[static_cast<std::size_t>(id)]; }
  std::int32_t reads(ValueId id) const { return reads_[static_cast<std::size_t>(id)]; }
  // The same of an operand of an earlier operation.
  std::int32_t of_operand(std::int32_t operation, std::size_t k) const { return of_operand_[static_cast<std::size_t>(operation)][k]; }
  // Whether the operands of an earlier operation still are what they were there.
  bool unchanged(const Unit& unit, std::int32_t operation) const {
    const Operation& earlier = unit.operations[static_cast<std::size_t>(operation)];
    for (int k = 0; k < kOperands; k++)
      if (earlier.in[k] != kNoValue && of(earlier.in[k]) != of_operand_[static_cast<std::size_t>(operation)][k]) return false;
    return true;
  }

  void pass(const Operation& operation, std::int32_t at) {
    // What was made before a place where lines meet, or elements change, is not looked at from behind it.
    if (is_structure(operation.kind) || operation.kind == Kind::kStore) std::fill(last_.begin(), last_.end(), kNone);
    for (int k = 0; k < kOperands; k++) {
      const ValueId id = operation.in[k];
      if (id == kNoValue) continue;
      of_operand_[static_cast<std::size_t>(at)][k] = of(id);
      reads_[static_cast<std::size_t>(id)]++;
    }
    if (operation.out == kNoValue) return;
    last_[static_cast<std::size_t>(operation.out)] = at;
    reads_[static_cast<std::size_t>(operation.out)] = 0;
  }
  // The operation at `product` reads `x` now, too, and that at `sum` makes `out`.
  void chained(std::int32_t product, ValueId x, std::int32_t sum, ValueId out) {
    of_operand_[static_cast<std::size_t>(product)][2] = of(x);
    reads_[static_cast<std::size_t>(x)]++;
    last_[static_cast<std::size_t>(out)] = sum;
    reads_[static_cast<std::size_t>(out)] = 0;
  }

 private:
  std::vector<std::int32_t> last_, reads_;
  std::vector<std::array<std::int32_t, kOperands>> of_operand_;
};

// Makes a sum or difference whose operand `k` is the product `mul` one fused operation.
void fuse(Operation& sum, const Operation& mul, int k) {
  const ValueId other = sum.in[1 - k];
  sum.kind = sum.kind == Kind::kAdd ? Kind::kMulAdd : k == 0 ? Kind::kMulSub : Kind::kNegMulAdd;
  sum.in[0] = mul.in[0];
  sum.in[1] = mul.in[1];
  sum.in[2] = other;
}

// Tries each operand of a sum or difference: `may(mul, k)`.
template <class May>
bool try_to_fuse(Unit& unit, const Definitions& definitions, Operation& sum, May may) {
  if (sum.kind != Kind::kAdd && sum.kind != Kind::kSub) return false;
  if (sum.in[0] == sum.in[1]) return false;
  for (const int k : {1, 0}) {
    const std::int32_t at = definitions.of(sum.in[k]);
    if (at == Definitions::kNone) continue;
    const Operation& mul = unit.operations[static_cast<std::size_t>(at)];
    if (mul.kind != Kind::kMul || !definitions.unchanged(unit, at) || !may(mul, k)) continue;
    fuse(sum, mul, k);
    return true;
  }
  return false;
}

// Of a straight-line unit.
void drop_unused(Unit& unit, const Pool& pool) {
  std::vector<std::uint8_t> needed(static_cast<std::size_t>(unit.first_constant) + pool.values().size());
  std::vector<Operation> kept;
  for (std::size_t at = unit.operations.size(); at-- > 0;) {
    const Operation& operation = unit.operations[at];
    if (operation.out != kNoValue) {
      auto& is_needed = needed[static_cast<std::size_t>(operation.out)];
      if (!is_needed) continue;
      is_needed = 0;
    }
    for (const ValueId id : operation.in)
      if (id != kNoValue) needed[static_cast<std::size_t>(id)] = 1;
    kept.push_back(operation);
  }
  unit.operations.assign(kept.rbegin(), kept.rend());
}

// Of a straight-line unit. Constants that a mask chooses are chosen where they are needed, and fill no registers until
// then.
void choose_late(Unit& unit) {
  auto& operations = unit.operations;
  for (std::size_t at = operations.size(); at-- > 0;) {
    const Operation select = operations[at];
    if (select.kind != Kind::kSelect || !is_constant(unit, select.in[1]) || !is_constant(unit, select.in[2])) continue;
    std::size_t end = at + 1;
    const auto meets = [&](const Operation& each) {
      const auto& in = each.in;
      return std::find(std::begin(in), std::end(in), select.out) != std::end(in) || each.out == select.out || each.out == select.in[0];
    };
    while (end < operations.size() && !meets(operations[end])) end++;
    const auto first = operations.begin() + static_cast<std::ptrdiff_t>(at);
    std::rotate(first, first + 1, operations.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

// How far an inner sum may lie from the outer one: what is between is looked at.
constexpr std::int32_t kMostBetween = 64;

// x + (a * b + c * d) at `at` becomes a * b + (c * d + x), each step in the place where its product was made, and nothing
// at `at`. The same of differences. False where there is nothing like that.
bool try_to_chain(Unit& unit, Definitions& definitions, std::int32_t at) {
  const auto operation = [&](std::int32_t index) -> Operation& { return unit.operations[static_cast<std::size_t>(index)]; };
  const Operation& sum = operation(at);
  if ((sum.kind != Kind::kAdd && sum.kind != Kind::kSub) || sum.in[0] == sum.in[1]) return false;
  for (const int k : {1, 0}) {
    const std::int32_t inner_at = definitions.of(sum.in[k]);
    if (inner_at == Definitions::kNone || at - inner_at > kMostBetween) continue;
    if (sum.in_need[k] != kNever || definitions.reads(sum.in[k]) != 0) continue;
    Operation& inner = operation(inner_at);
    if (inner.kind != Kind::kMulAdd && inner.kind != Kind::kMulSub && inner.kind != Kind::kNegMulAdd) continue;
    const std::int32_t product_at = definitions.of_operand(inner_at, 2);
    if (product_at == Definitions::kNone || inner.in_need[2] != kNever || definitions.reads(inner.in[2]) != 1) continue;
    Operation& product = operation(product_at);
    const ValueId x = sum.in[1 - k];
    // `x` must be there where the product is made.
    if (product.kind != Kind::kMul || definitions.of(x) >= product_at) continue;
    const bool meets = std::any_of(unit.operations.begin() + inner_at + 1, unit.operations.begin() + at, [&](const Operation& each) {
      return each.out == sum.out || std::find(std::begin(each.in), std::end(each.in), sum.out) != std::end(each.in);
    });
    const bool taken = sum.kind == Kind::kSub && k == 1, from = sum.kind == Kind::kSub && k == 0;
    // The sum is made earlier now; -(c * d) - x is no operation.
    if (meets || (from && inner.kind == Kind::kMulSub)) continue;
    product.kind = from ? Kind::kMulSub : taken == (inner.kind == Kind::kMulSub) ? Kind::kMulAdd : Kind::kNegMulAdd;
    product.in[2] = x;
    inner.kind = taken == (inner.kind == Kind::kNegMulAdd) ? Kind::kMulAdd : Kind::kNegMulAdd;
    inner.out = sum.out;
    definitions.chained(product_at, x, inner_at, sum.out);
    return true;
  }
  return false;
}

class Simplifier {
 public:
  // `integer_bits`: of the multiple that the function's reduction takes away, within the function's range.
  Simplifier(const Pool& pool, Unit& unit, bool trigonometric, bool wide, bool fused, bool fast, int integer_bits)
      : pool_(pool), unit_(unit), definitions_(unit, pool), trigonometric_(trigonometric), wide_(wide), fused_(fused),
        fast_(fast), integer_bits_(integer_bits) {}

  void run() {
    for (std::size_t at = 0; at < unit_.operations.size(); at++) {
      Operation& operation = unit_.operations[at];
      if (operation.kind == Kind::kSelect) where(operation);
      else if (operation.kind == Kind::kCheckCompare) magnitude(operation);
      else if (trigonometric_ && operation.kind == Kind::kCompare) quadrant(operation);
      else if (fused_) try_to_fuse(unit_, definitions_, operation, [&](const Operation& mul, int) { return is_exact(mul); });
      definitions_.pass(operation, static_cast<std::int32_t>(at));
    }
    drop_unused(unit_, pool_);
  }

 private:
  // What made a value that has not changed since, if it is of a kind; else null.
  const Operation* made_by(ValueId id, Kind kind) const {
    const std::int32_t at = id == kNoValue ? Definitions::kNone : definitions_.of(id);
    if (at == Definitions::kNone) return nullptr;
    const Operation& operation = unit_.operations[static_cast<std::size_t>(at)];
    return operation.kind == kind && definitions_.unchanged(unit_, at) ? &operation : nullptr;
  }
  bool is(ValueId id, double value) const { return is_number(unit_, pool_, id, value); }

  // select(m, -a, a): the sign flipped under the mask. select(m, a - b, b): subtracted under the mask.
  void where(Operation& select) {
    if (const Operation* flip = made_by(select.in[1], Kind::kXor); flip && flip->in[0] == select.in[2] && is(flip->in[1], -0.0)) {
      select.kind = Kind::kNegateWhere;
      select.in[1] = select.in[2];
      select.in[2] = flip->in[1];
      if (const Operation* test = made_by(select.in[0], Kind::kTestBit)) {
        select.kind = Kind::kNegateIf;
        select.immediate = test->immediate;
        select.in[0] = test->in[0];
      }
    } else if (const Operation* sub = made_by(select.in[1], Kind::kSub); wide_ && sub && sub->in[1] == select.in[2]) {
      select.kind = Kind::kSubWhere;
      select.in[3] = select.in[2];
      select.in[1] = sub->in[0];
    }
  }

  // limit < |x|. With AVX2 a NaN beside counts as rare then, and `fast` has other bits for lanes in such company.
  void magnitude(Operation& check) const {
    if (fast_ && !wide_) return;
    const Operation* clear = made_by(check.in[1], Kind::kAnd);
    if (check.immediate != kLess || !clear || !is_constant(unit_, clear->in[1])) return;
    if (constant_bits(unit_, pool_, clear->in[1]) != ~kSign) return;
    check.kind = Kind::kCheckMagnitude;
    check.in[1] = clear->in[0];
    check.in[2] = clear->in[1];
  }

  // trig.ts asks for the low two bits of an integer by halving and rounding it. The integer is b - 1.5 * 2^52, and the
  // sum b has it in its low bits, in two's complement. This holds below 2^51: within the range of the function.
  void quadrant(Operation& compare) const {
    if (compare.immediate != kUnequal) return;
    // half != floor(half), either way round
    ValueId half = compare.in[0];
    const Operation* floor = made_by(compare.in[1], Kind::kRound);
    if (!floor || floor->immediate != kDown || floor->in[0] != half) return;
    for (const int bit : {0, 1}) {
      const Operation* halving = made_by(half, Kind::kMul);
      if (!halving || !is(halving->in[1], 0.5)) return;
      if (const Operation* biased = made_by(halving->in[0], Kind::kSub); biased && is(biased->in[1], kRoundingShift)) {
        compare.kind = Kind::kTestBit;
        compare.immediate = bit;
        compare.in[0] = biased->in[0];
        compare.in[1] = kNoValue;
        return;
      }
      // floor(k / 2) / 2: one bit further.
      const Operation* pair = made_by(halving->in[0], Kind::kRound);
      if (!pair || pair->immediate != kDown) return;
      half = pair->in[0];
    }
  }

  // Whether a product needs no rounding, so that to round it once with its sum is the same: an integer times a constant
  // with room for it, or, in trig.ts, a half (a denormal may lose a bit there, far below what it is added to).
  bool is_exact(const Operation& mul) const {
    for (const int k : {0, 1}) {
      if (!is_constant(unit_, mul.in[k])) continue;
      const std::uint64_t fraction = constant_bits(unit_, pool_, mul.in[k]) << 12;
      if (trigonometric_ && fraction == 0) return true;
      const Operation* integer = made_by(mul.in[1 - k], Kind::kSub);
      if (integer && (is(integer->in[1], kRoundingShift) || is(integer->in[1], kRoundingShift + 1)) &&
          std::countr_zero(fraction) - 12 >= integer_bits_)
        return true;
    }
    return false;
  }

  static constexpr double kRoundingShift = 0x1.8p52;
  const Pool& pool_;
  Unit& unit_;
  Definitions definitions_;
  const bool trigonometric_, wide_, fused_, fast_;
  const int integer_bits_;
};

// AVX2 has no masks beside its vectors, and blends of three operations. vpermilpd chooses one of two numbers in one, by
// a bit of the quadrant, on the port that arithmetic uses least. Two values that change places share what differs
// between them.
class QuadrantChooser {
 public:
  QuadrantChooser(Pool& pool, Unit& unit, bool fused)
      : pool_(pool), unit_(unit), fused_(fused), before_(std::move(unit.operations)) {
    unit_.operations.clear();
  }

  void run() {
    for (const Operation& operation : before_) take(operation);
    drop_unused(unit_, pool_);
  }

 private:
  struct Bit {
    ValueId of;
    std::int32_t number;
    ValueId control = kNoValue, mask = kNoValue;
  };

  ValueId constant(std::uint64_t even, std::uint64_t odd) { return unit_.first_constant + pool_.pair(even, odd); }
  ValueId emit(Kind kind, ValueId out, ValueId a, ValueId b, std::int32_t immediate = 0, ValueId c = kNoValue) {
    Operation operation{};
    operation.kind = kind;
    operation.immediate = immediate;
    operation.out = out == kNoValue ? unit_.next_spare++ : out;
    operation.in[0] = a;
    operation.in[1] = b;
    operation.in[2] = c;
    unit_.operations.push_back(operation);
    return operation.out;
  }

  ValueId control(Bit& bit) {
    if (bit.control == kNoValue) bit.control = bit.number == 1 ? bit.of : emit(Kind::kShiftLeft, kNoValue, bit.of, kNoValue, 1);
    return bit.control;
  }
  // Ones where the bit is set.
  ValueId mask(Bit& bit) {
    if (bit.mask == kNoValue) bit.mask = emit(Kind::kPermute, kNoValue, control(bit), constant(0, kOnes));
    return bit.mask;
  }

  void take(const Operation& operation) {
    if (operation.out != kNoValue) made_[operation.out] = &operation;
    if (operation.kind == Kind::kTestBit && operation.immediate <= 1) {
      bits_[operation.out] = {operation.in[0], operation.immediate};
      return;
    }
    if (operation.kind == Kind::kNegateIf && operation.immediate <= 1) {
      Bit bit{operation.in[0], operation.immediate};
      emit(Kind::kXor, operation.out, operation.in[1], emit(Kind::kPermute, kNoValue, control(bit), constant(0, kSign)));
      return;
    }
    const auto found = operation.kind == Kind::kSelect ? bits_.find(operation.in[0]) : bits_.end();
    if (found != bits_.end()) {
      choose(found->second, operation);
      return;
    }
    Operation same = operation;
    for (ValueId& id : same.in)
      if (const auto bit = bits_.find(id); bit != bits_.end()) id = mask(bit->second);
    unit_.operations.push_back(same);
  }

  void choose(Bit& bit, const Operation& select) {
    const ValueId set = select.in[1], clear = select.in[2];
    if (is_constant(unit_, set) && is_constant(unit_, clear)) {
      const auto bits = [&](ValueId id) { return constant_bits(unit_, pool_, id); };
      emit(Kind::kPermute, select.out, control(bit), constant(bits(clear), bits(set)));
      return;
    }
    // a - b or b, as (a or 0) + (-b or b). A b of -0 becomes +0, which no caller sees: what trig.ts adds it to is not
    // zero, but for a zero angle, where b is +0.
    if (const auto made = made_.find(set); made != made_.end() && made->second->kind == Kind::kSub && made->second->in[1] == clear) {
      const ValueId kept = emit(Kind::kAnd, kNoValue, mask(bit), made->second->in[0]);
      if (fused_) {
        const std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);
        const ValueId sign = emit(Kind::kPermute, kNoValue, control(bit), constant(one, one | kSign));
        emit(Kind::kMulAdd, select.out, clear, sign, 0, kept);
        return;
      }
      const ValueId sign = emit(Kind::kAnd, kNoValue, mask(bit), constant(kSign, kSign));
      emit(Kind::kAdd, select.out, kept, emit(Kind::kXor, kNoValue, clear, sign));
      return;
    }
    const auto [changed, is_new] = changed_.try_emplace({bit.of, bit.number, std::min(set, clear), std::max(set, clear)});
    if (is_new) changed->second = emit(Kind::kAnd, kNoValue, mask(bit), emit(Kind::kXor, kNoValue, set, clear));
    emit(Kind::kXor, select.out, clear, changed->second);
  }

  Pool& pool_;
  Unit& unit_;
  const bool fused_;
  const std::vector<Operation> before_;
  std::map<ValueId, const Operation*> made_;
  std::map<ValueId, Bit> bits_;
  std::map<std::array<ValueId, 4>, ValueId> changed_;
};

void drop(Unit& unit, const std::vector<std::uint8_t>& gone) {
  std::vector<Operation> kept;
  for (std::size_t at = 0; at < unit.operations.size(); at++)
    if (!gone[at]) kept.push_back(unit.operations[at]);
  unit.operations = std::move(kept);
}

}  // namespace

void name_temporaries(Unit& unit) {
  ValueId names[2] = {unit.first_temporary, unit.first_temporary + 1};
  const auto is_temporary = [&](ValueId id) { return id == unit.first_temporary || id == unit.first_temporary + 1; };
  for (Operation& operation : unit.operations) {
    for (ValueId& id : operation.in)
      if (is_temporary(id)) id = names[id - unit.first_temporary];
    if (is_temporary(operation.out)) operation.out = names[operation.out - unit.first_temporary] = unit.next_spare++;
  }
}

bool is_trigonometric(Opcode function) {
  constexpr Opcode kTrigonometric[] = {Opcode::k_sin,       Opcode::k_cos,       Opcode::k_tan,
                                       Opcode::k_sin_quick, Opcode::k_cos_quick, Opcode::k_tan_quick};
  return std::find(std::begin(kTrigonometric), std::end(kTrigonometric), function) != std::end(kTrigonometric);
}

void simplify_function(Opcode function, InstructionSet set, bool fused, bool fast, Pool& pool, Unit& unit) {
  const bool trigonometric = is_trigonometric(function);
  // Names of their own would let more products be contracted: other bits than `fast` had.
  if (!fast) name_temporaries(unit);
  // 2^18 quadrants, and multiples of ln 2 up to 1,076.
  Simplifier(pool, unit, trigonometric, set == InstructionSet::avx512, fused, fast, trigonometric ? 18 : 11).run();
  if (trigonometric && !fast && set == InstructionSet::avx2) QuadrantChooser(pool, unit, fused).run();
  choose_late(unit);
}

namespace {

// Whether divisions hold up what is around the one at `at`, in the same straight line, with AVX2: its divider takes
// eight cycles for a vector, other operations 0.4. (AVX-512: 16 and 0.5; there two products are always worth it.)
bool waits_for_divider(const Unit& unit, const std::vector<Unit>& functions, std::size_t at) {
  constexpr std::size_t kAround = 64, kOperationsPerDivision = 22;
  std::size_t work = 0, divisions = 0;
  const auto count = [&](const Operation& operation) {
    work++;
    divisions += operation.kind == Kind::kDiv || operation.kind == Kind::kSqrt || operation.kind == Kind::kDivideBy;
  };
  const auto side = [&](auto begin, auto end) {
    const std::size_t before = work;
    for (; begin != end && work < before + kAround && !is_structure(begin->kind); ++begin) {
      if (begin->kind != Kind::kCall) count(*begin);
      else for (const Operation& each : functions[static_cast<std::size_t>(begin->immediate)].operations) count(each);
    }
  };
  const auto here = unit.operations.begin() + static_cast<std::ptrdiff_t>(at);
  side(here, unit.operations.end());
  side(std::make_reverse_iterator(here), unit.operations.rend());
  return work <= kOperationsPerDivision * divisions;
}

}  // namespace

bool divide_by_products(InstructionSet set, bool fast, const std::vector<Unit>& functions, Pool& pool, Unit& unit) {
  bool any = false;
  for (std::size_t at = 0; at < unit.operations.size(); at++) {
    Operation& operation = unit.operations[at];
    if (operation.kind != Kind::kDiv || !is_constant(unit, operation.in[1]) || is_constant(unit, operation.in[0])) continue;
    const auto by = reciprocal_of(std::bit_cast<double>(constant_bits(unit, pool, operation.in[1])));
    if (!by || (set == InstructionSet::avx2 && !fast && !waits_for_divider(unit, functions, at))) continue;
    operation.kind = Kind::kDivideBy;
    operation.immediate = operation.in[1] - unit.first_constant;
    operation.in[1] = unit.first_constant + pool.index(std::bit_cast<std::uint64_t>(by->high));
    operation.in[2] = unit.first_constant + pool.index(std::bit_cast<std::uint64_t>(by->low));
    any = true;
  }
  return any;
}

namespace {

// x^5 = (x^2)^2 x and x^6 = (x^2 x)^2. A product is off by at most half an ULP, relative to a number between one and two
// by 2^-53 over that number. The bounds, where x^5 and x^6 come just below a power of two, are 3.0 and 3.5 ULP.
bool multiply_out(const Pool& pool, const Unit& unit, const Definitions& definitions, const Operation& call,
                  std::vector<Operation>& operations) {
  if (call.kind != Kind::kCall || static_cast<Opcode>(call.immediate) != Opcode::k_pow) return false;
  // Arguments come in registers.
  const std::int32_t made_at = definitions.of(call.in[1]);
  const Operation* const made = made_at == Definitions::kNone ? nullptr : &unit.operations[static_cast<std::size_t>(made_at)];
  if (!made || made->kind != Kind::kMove || !is_constant(unit, made->in[0])) return false;
  const auto exponent = std::bit_cast<double>(constant_bits(unit, pool, made->in[0]));
  if (exponent != 5 && exponent != 6) return false;
  const ValueId x = call.in[0], power = unit.first_temporary;
  const auto multiply = [&](ValueId out, ValueId a, ValueId b) {
    Operation product{};
    product.kind = Kind::kMul;
    product.depth = call.depth;
    product.out = out;
    product.in[0] = a;
    product.in[1] = b;
    operations.push_back(product);
  };
  multiply(power, x, x);
  multiply(power, power, exponent == 5 ? power : x);
  multiply(call.out, power, exponent == 5 ? x : power);
  return true;
}

bool is_power_of_two(double value) { return std::isnormal(value) && (std::bit_cast<std::uint64_t>(value) & 0xfffffffffffff) == 0; }

}  // namespace

void relax(Pool& pool, Unit& unit) {
  std::vector<Operation> operations;
  Definitions before(unit, pool);
  for (std::size_t at = 0; at < unit.operations.size(); at++) {
    const Operation& operation = unit.operations[at];
    if (!multiply_out(pool, unit, before, operation, operations)) operations.push_back(operation);
    before.pass(operation, static_cast<std::int32_t>(at));
  }
  unit.operations = std::move(operations);

  // What lies between must not overflow where the result does not.
  const auto is_usual = [](double value) { return std::fabs(value) <= 1 && std::fabs(value) >= 0x1p-64; };
  Definitions definitions(unit, pool, unit.operations.size());
  std::vector<std::uint8_t> gone(unit.operations.size());
  const auto factor = [&](const Operation& product, int k) {
    return is_constant(unit, product.in[k]) ? std::bit_cast<double>(constant_bits(unit, pool, product.in[k])) : 0;
  };
  for (std::size_t at = 0; at < unit.operations.size(); at++) {
    Operation& operation = unit.operations[at];
    for (const int k : {0, 1}) {
      if (operation.kind != Kind::kMul) break;
      const double outer = factor(operation, k);
      const std::int32_t made_at = definitions.of(operation.in[1 - k]);
      if (outer == 0 || made_at == Definitions::kNone || !definitions.unchanged(unit, made_at)) continue;
      const Operation& made = unit.operations[static_cast<std::size_t>(made_at)];
      const int of_made = made.kind == Kind::kMul && factor(made, 1) != 0 ? 1 : 0;
      const double inner = made.kind == Kind::kMul ? factor(made, of_made) : 0, both = inner * outer;
      if (!is_usual(inner) || !std::isnormal(both) || (!is_power_of_two(inner) && !is_power_of_two(outer))) continue;
      operation.in[k] = unit.first_constant + pool.index(std::bit_cast<std::uint64_t>(both));
      operation.in[1 - k] = made.in[1 - of_made];
      break;
    }
    definitions.pass(operation, static_cast<std::int32_t>(at));
  }
  find_needs(unit, pool.values().size());
  for (std::size_t at = 0; at < unit.operations.size(); at++) {
    const Operation& operation = unit.operations[at];
    gone[at] = (operation.kind == Kind::kMul || operation.kind == Kind::kMove) && operation.out_need == kNever;
  }
  drop(unit, gone);
}

void divide_beside(const std::vector<Unit>& functions, bool fast, Unit& unit) {
  // Cycles for a vector; other operations take half a one. What saves less gains nothing, nor do one or two alone, which
  // wait for what is around them (measured).
  const double kBeside = fast ? 6 : 9;
  constexpr double kDivision = 16, kRoot = 19, kWorthIt = 0.78, kWorthItInParts = 0.7;
  constexpr std::size_t kFewest = 3;
  auto& operations = unit.operations;
  const bool has_parts = std::count_if(operations.begin(), operations.end(), [](const Operation& each) { return is_structure(each.kind); }) > 1;
  const double worth_it = has_parts ? kWorthItInParts : kWorthIt;
  std::vector<std::size_t> divisions;
  double divider = 0, ports = 0;
  const auto count = [&](const Operation& each) {
    if (each.kind == Kind::kDiv) divider += kDivision;
    else if (each.kind == Kind::kSqrt) divider += kRoot;
    else ports += each.kind == Kind::kDivideBy ? 1.5 : each.kind == Kind::kRound ? 1 : 0.5;
  };
  // By part between branches, loops and ends: these take what they take whatever the others do.
  const auto settle = [&] {
    const auto all = static_cast<double>(divisions.size());
    const auto takes = [&](double beside) { return std::max(divider - kDivision * beside, ports + kBeside * beside); };
    double best = 0;
    for (double beside = 1; beside <= all; beside++)
      if (takes(beside) < takes(best)) best = beside;
    if (divisions.size() < kFewest || takes(best) > worth_it * takes(0)) best = 0;
    // Evenly among the others.
    for (double k = 0; k < all; k++)
      if (std::floor((k + 1) * best / all) > std::floor(k * best / all)) operations[divisions[static_cast<std::size_t>(k)]].kind = Kind::kDivideBeside;
    divisions.clear();
    divider = ports = 0;
  };
  for (std::size_t at = 0; at < operations.size(); at++) {
    const Operation& operation = operations[at];
    if (is_structure(operation.kind)) settle();
    else if (operation.kind == Kind::kCall) for (const Operation& each : functions[static_cast<std::size_t>(operation.immediate)].operations) count(each);
    else count(operation);
    if (operation.kind == Kind::kDiv) divisions.push_back(at);
  }
  settle();
}

void find_extremes(const Pool& pool, Unit& unit) {
  Definitions definitions(unit, pool);
  std::vector<std::uint8_t> gone(unit.operations.size());
  for (std::size_t at = 0; at < unit.operations.size(); at++) {
    Operation& operation = unit.operations[at];
    const std::int32_t compare_at = operation.kind == Kind::kSelect ? definitions.of(operation.in[0]) : Definitions::kNone;
    if (compare_at != Definitions::kNone) {
      const Operation& compare = unit.operations[static_cast<std::size_t>(compare_at)];
      const ValueId set = operation.in[1], clear = operation.in[2];
      const bool smaller = compare.in[0] == set && compare.in[1] == clear, larger = compare.in[0] == clear && compare.in[1] == set;
      if (compare.kind == Kind::kCompare && compare.immediate == kLess && (smaller || larger) &&
          definitions.unchanged(unit, compare_at)) {
        gone[static_cast<std::size_t>(compare_at)] = operation.in_need[0] == kNever && definitions.reads(operation.in[0]) == 0;
        operation.kind = smaller ? Kind::kMin : Kind::kMax;
        operation.in[0] = set;
        operation.in[1] = clear;
        operation.in[2] = kNoValue;
      }
    }
    definitions.pass(operation, static_cast<std::int32_t>(at));
  }
  drop(unit, gone);
}

void compare_under_masks(const Pool& pool, Unit& unit) {
  Definitions definitions(unit, pool);
  std::vector<std::uint8_t> gone(unit.operations.size());
  for (std::size_t at = 0; at < unit.operations.size(); at++) {
    Operation& operation = unit.operations[at];
    for (const int k : {1, 0}) {
      if (operation.kind != Kind::kMaskAnd || operation.in[0] == operation.in[1]) break;
      const std::int32_t compare_at = definitions.of(operation.in[k]);
      if (compare_at == Definitions::kNone || operation.in_need[k] != kNever || definitions.reads(operation.in[k]) != 0) continue;
      const Operation& compare = unit.operations[static_cast<std::size_t>(compare_at)];
      if (compare.kind != Kind::kCompare || !definitions.unchanged(unit, compare_at)) continue;
      gone[static_cast<std::size_t>(compare_at)] = 1;
      operation.kind = Kind::kCompareWhere;
      operation.immediate = compare.immediate;
      operation.in[2] = operation.in[1 - k];
      operation.in[0] = compare.in[0];
      operation.in[1] = compare.in[1];
    }
    definitions.pass(operation, static_cast<std::int32_t>(at));
  }
  drop(unit, gone);
}

void arithmetic_under_masks(const Pool& pool, Unit& unit) {
  // A result is made where it is chosen: so far away at most, unless one of its operands is needed until then anyway.
  constexpr std::int32_t kNear = 8;
  Definitions definitions(unit, pool);
  std::vector<std::uint8_t> gone(unit.operations.size());
  const auto under_mask = [](Kind kind) {
    switch (kind) {
      case Kind::kAdd: return Kind::kAddWhere;
      case Kind::kSub: return Kind::kSubWhere;
      case Kind::kMul: return Kind::kMulWhere;
      default: return Kind::kSelect;
    }
  };
  const auto used_once = [&](const Operation& select, int k) {
    return select.in_need[k] == kNever && definitions.reads(select.in[k]) == 0;
  };
  for (std::size_t at = 0; at < unit.operations.size(); at++) {
    Operation& operation = unit.operations[at];
    for (const int chosen : {1, 2}) {
      const int other = 3 - chosen;
      if (operation.kind != Kind::kSelect || operation.in[1] == operation.in[2] || !used_once(operation, chosen)) continue;
      const std::int32_t made_at = definitions.of(operation.in[chosen]);
      if (made_at == Definitions::kNone || !definitions.unchanged(unit, made_at)) continue;
      const Operation& made = unit.operations[static_cast<std::size_t>(made_at)];
      const Kind kind = under_mask(made.kind);
      const auto ends = [&](int k) { return !is_constant(unit, made.in[k]) && made.in_need[k] == kNever; };
      if (kind == Kind::kSelect || (made.in[0] != made.in[1] && ends(0) && ends(1) && static_cast<std::int32_t>(at) - made_at > kNear)) continue;
      if (chosen == 2) {
        // The mask the other way round, where nobody else needs it.
        const std::int32_t compare_at = used_once(operation, 0) ? definitions.of(operation.in[0]) : Definitions::kNone;
        if (compare_at == Definitions::kNone) continue;
        Operation& compare = unit.operations[static_cast<std::size_t>(compare_at)];
        if (compare.kind != Kind::kCompare) continue;
        compare.immediate ^= kOtherwise;
      }
      gone[static_cast<std::size_t>(made_at)] = 1;
      operation.kind = kind;
      operation.in[3] = operation.in[other];
      operation.in[1] = made.in[0];
      operation.in[2] = made.in[1];
    }
    definitions.pass(operation, static_cast<std::int32_t>(at));
  }
  drop(unit, gone);
}

void contract(const Pool& pool, Unit& unit) {
  Definitions definitions(unit, pool);
  std::vector<std::uint8_t> gone(unit.operations.size());
  for (std::size_t at = 0; at < unit.operations.size(); at++) {
    Operation& operation = unit.operations[at];
    const Operation before = operation;
    const bool fused = try_to_fuse(unit, definitions, operation, [&](const Operation&, int k) {
      return definitions.reads(before.in[k]) == 0 && before.in_need[k] == kNever;
    });
    if (fused) {
      const int k = operation.kind == Kind::kMulSub || (operation.kind == Kind::kMulAdd && operation.in[2] == before.in[1]) ? 0 : 1;
      gone[static_cast<std::size_t>(definitions.of(before.in[k]))] = 1;
    }
    definitions.pass(operation, static_cast<std::int32_t>(at));
  }
  drop(unit, gone);
}

void chain(const Pool& pool, Unit& unit) {
  Definitions definitions(unit, pool);
  std::vector<std::uint8_t> gone(unit.operations.size());
  for (std::size_t at = 0; at < unit.operations.size(); at++) {
    gone[at] = try_to_chain(unit, definitions, static_cast<std::int32_t>(at));
    if (!gone[at]) definitions.pass(unit.operations[at], static_cast<std::int32_t>(at));
  }
  drop(unit, gone);
}

void find_needs(Unit& unit, std::size_t constants) {
  unit.counted.clear();
  auto& operations = unit.operations;
  const std::size_t values = static_cast<std::size_t>(unit.first_constant) + constants;
  std::vector<std::int32_t> need(values, kNever);

  // A loop's body needs at its end what it reads before it surely writes, which a counted loop in it may not do: that may
  // make no round. Found going forward, one set per loop.
  struct OpenLoop {
    std::size_t at;
    std::vector<std::uint8_t> written, surely_written, read;
  };
  std::vector<std::vector<ValueId>> read_first(operations.size());
  {
    std::vector<OpenLoop> open;
    for (std::size_t i = 0; i < operations.size(); i++) {
      const Operation& operation = operations[i];
      const std::vector<std::uint8_t> none(values);
      if (operation.kind == Kind::kLoop || operation.kind == Kind::kFor) open.push_back({i, none, none, none});
      for (const ValueId id : operation.in) {
        if (id == kNoValue) continue;
        for (auto loop = open.rbegin(); loop != open.rend() && !loop->surely_written[static_cast<std::size_t>(id)]; ++loop) {
          if (loop->read[static_cast<std::size_t>(id)]) continue;
          loop->read[static_cast<std::size_t>(id)] = 1;
          read_first[loop->at].push_back(id);
        }
      }
      bool is_sure = true;
      for (auto loop = open.rbegin(); loop != open.rend() && operation.out != kNoValue; ++loop) {
        loop->written[static_cast<std::size_t>(operation.out)] = 1;
        if (is_sure) loop->surely_written[static_cast<std::size_t>(operation.out)] = 1;
        is_sure = is_sure && operations[loop->at].kind != Kind::kFor;
      }
      if (operation.kind == Kind::kEndLoop || operation.kind == Kind::kEndFor) {
        read_first[i] = read_first[open.back().at];
        if (operation.kind == Kind::kEndFor) {
          Unit::Loop& loop = unit.counted[open.back().at];
          loop.carried = read_first[i];
          for (std::size_t id = 0; id < values; id++)
            if (open.back().written[id]) loop.written.push_back(static_cast<ValueId>(id));
        }
        open.pop_back();
      }
      for (auto& loop : open) {
        if (loop.at == i || operations[loop.at].kind != Kind::kFor) continue;
        Unit::Loop& counted = unit.counted[loop.at];
        counted.straight = counted.straight && !is_structure(operation.kind);
        counted.calls = counted.calls || operation.kind == Kind::kCall;
      }
    }
  }

  const auto settle = [&] {
    for (auto& at : need)
      if (at != kNever) at = kLater;
  };
  const auto merge = [&](const Needed& other) {
    for (std::size_t id = 0; id < values; id++)
      if (other[id]) need[id] = kLater;
  };
  const auto needed_now = [&] {
    Needed needed(values);
    for (std::size_t id = 0; id < values; id++) needed[id] = need[id] != kNever;
    return needed;
  };
  struct OpenIf {
    Needed after, otherwise;
    bool in_then = false;
  };
  std::vector<OpenIf> ifs;
  std::vector<Needed> after_for;
  std::vector<int> peaks;  // by open `for`
  // The second test of an `if`, which follows kElse, is a kIf too; it ends the part between.
  int pressure = 0, mask_pressure = 0;
  const auto count = [&](ValueId id, int by) {
    if ((id >= unit.first_coordinate && id < unit.first_spare) || id >= unit.first_element) return;
    (is_mask(unit, id) ? mask_pressure : pressure) += by;
  };
  const auto recount = [&] {
    pressure = mask_pressure = 0;
    for (ValueId id = 0; id < unit.first_element; id++)
      if (need[static_cast<std::size_t>(id)] != kNever) count(id, 1);
  };

  for (std::size_t i = operations.size(); i-- > 0;) {
    Operation& operation = operations[i];
    switch (operation.kind) {
      case Kind::kEndIf: {
        settle();
        ifs.push_back({needed_now(), {}, false});
        break;
      }
      case Kind::kElse: {
        // What the other side needs is needed at the end of this one, and where this one is skipped.
        settle();
        ifs.back().otherwise = needed_now();
        merge(ifs.back().after);
        ifs.back().in_then = true;
        break;
      }
      case Kind::kIf: {
        settle();
        if (ifs.back().in_then) {
          merge(ifs.back().otherwise);
          ifs.pop_back();
        } else {
          merge(ifs.back().after);
        }
        break;
      }
      case Kind::kEndFor:
        settle();
        after_for.push_back(needed_now());
        peaks.push_back(0);
        for (const ValueId id : read_first[i]) need[static_cast<std::size_t>(id)] = kLater;
        break;
      case Kind::kFor: {
        Unit::Loop& loop = unit.counted[i];
        for (std::size_t id = 0; id < values; id++)
          if (need[id] != kNever && need[id] != kLater) loop.first_needs.push_back({static_cast<ValueId>(id), need[id]});
        settle();
        for (const ValueId id : read_first[i]) need[static_cast<std::size_t>(id)] = kLater;
        // Where it may make no round at all, what is needed later is what there was before.
        merge(after_for.back());
        after_for.pop_back();
        loop.pressure = peaks.back();
        peaks.pop_back();
        if (!peaks.empty()) peaks.back() = std::max(peaks.back(), loop.pressure);
        break;
      }
      case Kind::kEndLoop:
      case Kind::kLoop:
        settle();
        for (const ValueId id : read_first[i]) need[static_cast<std::size_t>(id)] = kLater;
        break;
      default: break;
    }
    if (is_structure(operation.kind)) recount();
    if (operation.out != kNoValue) {
      auto& at = need[static_cast<std::size_t>(operation.out)];
      operation.out_need = at;
      if (at != kNever) count(operation.out, -1);
      at = kNever;
    }
    for (int k = 0; k < kOperands; k++)
      if (operation.in[k] != kNoValue) operation.in_need[k] = need[static_cast<std::size_t>(operation.in[k])];
    for (const ValueId id : operation.in) {
      if (id == kNoValue) continue;
      auto& at = need[static_cast<std::size_t>(id)];
      if (at == kNever) count(id, 1);
      at = static_cast<std::int32_t>(i);
    }
    unit.pressure = std::max(unit.pressure, pressure);
    unit.mask_pressure = std::max(unit.mask_pressure, mask_pressure);
    if (!peaks.empty()) peaks.back() = std::max(peaks.back(), pressure);
  }
}

}  // namespace extremum::jit
