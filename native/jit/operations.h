// Programs as the compiler of native code sees them: operations over values, one machine instruction or two each.
// Values are numbered: first the registers of the program (f64 and masks), then temporaries, then the masks of running
// lanes by depth, then coordinates, elements, and constants (from `first_constant` on, by their place in the pool).
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "extremum/program.h"
#include "jit/assembler.h"

namespace extremum::jit {

enum class Kind : std::uint8_t {
  // f64
  kAdd, kSub, kMul, kDiv, kAnd, kOr, kXor, kScale, kSqrt, kRound, kShiftLeft, kShiftRight, kMove, kSelect, kCall,
  kMin, kMax,                    // in[0] where it is smaller (larger), else in[1]: also for NaN, and zeros of either sign
  kMulAdd, kMulSub, kNegMulAdd,  // fused: in[0] * in[1] + in[2], - in[2], and in[2] - in[0] * in[1]
  kNegateWhere,                  // where in[0] holds, -in[1], else in[1]; in[2]: -0
  kAddWhere, kSubWhere, kMulWhere,  // AVX-512: of in[1] and in[2] where in[0] holds, else in[3]
  kNegateIf,                     // where bit `immediate` of in[0] is set, -in[1], else in[1]; in[2]: -0
  kPermute,                      // AVX2: the first or second number of constant in[1], by bit 1 of in[0]
  kDivideBeside,                 // AVX-512: in[0] over in[1], without the divider
  kDivideBy,                     // in[0] over the constant at `immediate` of the pool: products with in[1] and in[2]
  // masks
  kCompare, kTestBit, kSignBit,
  kCompareWhere,  // AVX-512: the comparison of in[0] and in[1], and in[2]
  kGreaterInt, kMaskAnd, kMaskAndNot, kMaskOr, kMaskXor, kMaskNot, kMaskMove, kMaskFill,
  kStore,  // in[0] becomes the element `immediate`
  // effects: the mask is in[0] (kCheck) or the comparison of in[0] and in[1] (kCheckCompare); in[2]: running lanes
  kCheck, kCheckCompare,
  kCheckMagnitude,  // in a function: in[0] < |in[1]|, in[2] being all bits but the sign; a NaN may count as that
  // structure: in[0] is the mask that decides
  // (kFor, kEndFor: `immediate` is the loop; kReturn: in[0] is the value)
  kIf, kElse, kEndIf, kLoop, kEndLoop, kFor, kEndFor, kReturn,
};

using ValueId = std::int32_t;
inline constexpr ValueId kNoValue = -1;

// When a value is needed next: number of an operation of the same straight line, kLater or kNever.
inline constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max(), kLater = kNever - 1;

inline constexpr int kOperands = 4;

struct Operation {
  Kind kind;
  std::int32_t immediate = 0;  // rounding mode, predicate, bits to shift, number of the bit, truth value, fuel, opcode of kCall
  ValueId out = kNoValue;
  ValueId in[kOperands] = {kNoValue, kNoValue, kNoValue, kNoValue};
  // Needs after this operation, set by find_needs.
  std::int32_t out_need = kNever;
  std::int32_t in_need[kOperands] = {kNever, kNever, kNever, kNever};
  std::int32_t depth = 0;  // kLoop, kEndLoop: nesting, for the counter of rounds
};

inline bool is_structure(Kind kind) { return kind >= Kind::kIf; }
inline bool makes_mask(Kind kind) { return kind >= Kind::kCompare && kind <= Kind::kMaskFill; }

// Constants of all units, by their bits.
class Pool {
 public:
  std::int32_t index(std::uint64_t bits) { return pair(bits, bits); }
  // AVX2: of every second lane. Nobody looks at the value of such a constant.
  std::int32_t pair(std::uint64_t even, std::uint64_t odd) {
    const auto [found, added] = index_of_.try_emplace({even, odd}, static_cast<std::int32_t>(values_.size()));
    if (!added) return found->second;
    values_.push_back(even);
    odd_.push_back(odd);
    return found->second;
  }
  const std::vector<std::uint64_t>& values() const { return values_; }
  // By value: what odd lanes have.
  const std::vector<std::uint64_t>& odd_lanes() const { return odd_; }

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::int32_t> index_of_;
  std::vector<std::uint64_t> values_, odd_;
};

// The main program, or a function of the mathematics library.
struct Unit {
  std::vector<Operation> operations;
  std::int32_t first_mask = 0, first_temporary = 0, first_coordinate = 0, first_spare = 0, first_element = 0, first_constant = 0;
  std::int32_t next_spare = 0;             // of a function: f64 values that nothing has made so far
  int pressure = 0;                        // most f64 values alive at once
  int mask_pressure = 0;
  int loops = 0;                           // deepest nesting
  // By operation: what kFor says of its loop. Straight: its body has no structure. `carried`: what the body reads of an
  // earlier round or of outside, constants too. `first_needs`: when values are needed first. `pressure`: as above, in
  // it.
  struct Loop {
    bool straight = true, calls = false;
    int pressure = 0;
    std::vector<ValueId> carried;
    std::vector<ValueId> written;
    std::vector<std::pair<ValueId, std::int32_t>> first_needs;
  };
  std::unordered_map<std::size_t, Loop> counted;
};


inline constexpr int kTemporaries = 4;  // two f64, two masks

inline bool is_mask(const Unit& unit, ValueId id) {
  return id < unit.first_coordinate && id >= unit.first_mask && id != unit.first_temporary && id != unit.first_temporary + 1;
}

// Predicates of vcmppd.
enum Predicate : std::int32_t {
  kEqual = 0, kUnordered = 3, kUnequal = 4, kLess = 0x11, kLessEqual = 0x12, kNotLessEqual = 0x16,
  kGreaterEqual = 0x1d, kGreater = 0x1e
};
// Bits by which predicates differ from those that hold where they do not, and, from kLess on, from those of the same
// numbers the other way round.
inline constexpr std::int32_t kOtherwise = 4, kOtherWay = 0xf;

// False, with the reason, where native code cannot do what the program does.
bool build_unit(const Program& program, InstructionSet set, Pool& pool, Unit& unit, std::string& reason);

bool is_trigonometric(Opcode function);

// The same of a function of the mathematics library: a straight line, whose end may be an `if` for lanes that are rare.
// `usual`: without what is for these; a check finds them. `all`: with it, as a straight line. `all_as_rare`: all lanes
// as rare ones, where that is right (MathBuilder.rarely).
enum class Lanes { usual, all, all_as_rare };
bool build_function(const Program& program, InstructionSet set, Lanes lanes, Pool& pool, Unit& unit, bool& has_rare,
                    std::string& reason);

// Shorter forms for a function of the mathematics library (straight-line) with the same results: what the instruction
// set has and the expansion, which every backend shares, cannot say. `fused`: there are fused operations. `fast`: the
// unit is to be contracted.
void simplify_function(Opcode function, InstructionSet set, bool fused, bool fast, Pool& pool, Unit& unit);

// Of a straight-line function: each temporary f64 value becomes one of its own, so that operations can change places.
void name_temporaries(Unit& unit);

// Of a function (straight-line): the order in which its operations wait least for each other (schedule.cpp). Call after
// find_needs, and find_needs again.
void schedule(InstructionSet set, Unit& unit);

// Divisions by constants become products where that gives the same bits (reciprocal.h) and is faster. `functions`: by
// opcode. Fused operations must exist. Returns whether any division was replaced.
bool divide_by_products(InstructionSet set, bool fast, const std::vector<Unit>& functions, Pool& pool, Unit& unit);

// How many operations of one vector are under way at once, on average, if nothing but their operands holds them up.
double parallelism(const Unit& unit);

// AVX-512 of Intel: as many divisions leave the divider as balance it with the other operations, so that both are done
// at once. `functions`: by opcode.
void divide_beside(const std::vector<Unit>& functions, bool fast, Unit& unit);

// Of any unit: divisions and square roots begin as soon as they can, so that other operations, and calls, go on beside
// them. Call find_needs after it.
void divide_early(Unit& unit);

// What a comparison of two numbers chooses of the same two becomes one operation. Call after find_needs, and find_needs
// again.
void find_extremes(const Pool& pool, Unit& unit);

// AVX-512: a comparison that is used once, in an `and`, becomes one operation with it. Call after find_needs, and
// find_needs again.
void compare_under_masks(const Pool& pool, Unit& unit);

// AVX-512: a sum, difference or product that a mask chooses, and that is used for nothing else, is worked out under that
// mask, in the register of what is chosen where the mask is clear. Call after find_needs, and find_needs again.
void arithmetic_under_masks(const Pool& pool, Unit& unit);

// For `fast`, where fused operations exist. Fifth and sixth powers become products, within 3.5 ULP. A product by a power
// of two becomes part of a product by a constant that uses it.
void relax(Pool& pool, Unit& unit);

// Products that are used once, in a sum or difference, become one operation with it, rounded once: other bits than the
// virtual machine's. Call after find_needs, and find_needs again.
void contract(const Pool& pool, Unit& unit);

// Of a contracted program: a sum of two products that is used once, in a sum or difference, is added one product after
// the other. That rounds twice instead of three times. Not for the library, which adds small things first on purpose.
// Call after find_needs, and find_needs again.
void chain(const Pool& pool, Unit& unit);

// Fills in the needs. Call once the pool has all constants.
void find_needs(Unit& unit, std::size_t constants);

}  // namespace extremum::jit
