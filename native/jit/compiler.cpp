// Native code from a verified program. One function per program: it works on a group of `vectors` vectors of lanes at a
// time. Functions of the mathematics library become subroutines of it.
//
// Registers are given out going forward through each straight line of operations; the value that is needed last makes
// room (Belady). Every value has a home in the frame, written only when it must leave its register. Where lines meet
// (if, else, loop ends) all needed values are at home and no register counts, so no agreement between sides is needed.
//
// What the virtual machine does rarely is left to it: a check that fires, or fuel that ends, gives the whole group up
// (`run` returns its bit), and the virtual machine evaluates these lanes from the start. Until then no lane has been
// flagged, so all lanes run at depth 0 and the masks of deeper levels are plain values.
//
// Counted loops keep what they carry in registers where their body is a straight line: it begins and ends every round
// with the same values in the same registers. Addresses of elements move by streams (streams.h): general registers, or
// places in the frame where there are more.
//
// Candidates are read in their tiles (src/model/tiles.ts): a vector is neighbouring lanes of one coordinate.
//
// Calling convention: System V. rdi frame, rsi coordinates, rdx constants, ecx groups, r8 values, r9 cancel flag; eax
// bits of groups given up, r10d bit of this group, r11 scratch. All are the caller's to save; streams are in those that
// are not, and pushed.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <numeric>

#include "extremum/native_code.h"
#include "extremum/targets.h"
#include "jit/assembler.h"
#include "jit/operations.h"
#include "jit/reciprocal.h"
#include "jit/streams.h"

#if defined(__x86_64__) && defined(__unix__)
#define EXTREMUM_JIT 1
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace extremum {
namespace jit {
namespace {

constexpr Gpr kFrame = rdi, kCoordinates = rsi, kConstants = rdx, kGroups = rcx, kValues = r8, kCancel = r9,
              kGivenUp = rax, kThisGroup = r10, kScratch = r11;
// Pointers are moved ahead so that more of what they point at is within an eight-bit displacement.
// From one coordinate of a candidate to the next.
constexpr std::int32_t kColumnBytes = static_cast<std::int32_t>(kTileLanes * sizeof(double));
constexpr std::int32_t kCoordinateBias = 14 * kColumnBytes;
constexpr std::int32_t kConstantBias = 128 * 8;
// An operand that is used again within so many operations is loaded into a register, else read from memory in place.
constexpr std::int32_t kSoon = 12;
constexpr int kMostVectors = 4;
// Of a function with rare lanes, so that all vectors of a group go on with it at once.
constexpr std::size_t kMostOperationsTogether = 224;
constexpr Gpr kStreamRegisters[] = {rbx, rbp, r12, r13, r14, r15};
constexpr std::size_t kMostStreamRegisters = std::size(kStreamRegisters);
// Left free for operands of one operation on one vector where a counted loop keeps values in registers.
constexpr int kRegistersOfLine = 4;
constexpr std::int32_t kCacheLine = 64;
// How much more often a constant is used in a loop than before it, where something has to be assumed.
constexpr double kRoundsOfLoop = 8;
// Immediates: of vpternlogq, first ^ (second & third), and all three; of vrangepd, the larger magnitude, without a sign.
constexpr std::uint8_t kXorOfAnd = 0x78, kAndOfThree = 0x80, kLargerMagnitude = 0xb;
// Bits of a double. kMagnitude: all but the sign. kLargeExponent: numbers below kSmallestDividend have none of these.
// kUsualExponent: numbers from 2^-511 to below two have it.
constexpr std::uint64_t kMagnitude = 0x7fffffffffffffffu, kLargeExponent = 0x7000000000000000u, kUsualExponent = 0x2000000000000000u;
static_assert(kSmallestDividend == 0x1p-767);
constexpr auto kSmallestBits = std::bit_cast<std::uint64_t>(kSmallestDividend);
// Of numbers that are divided without the divider: exponents of their quotients are at most twice as large.
constexpr auto kMostExponent = std::bit_cast<std::uint64_t>(500.0), kOneBits = std::bit_cast<std::uint64_t>(1.0);
// Bytes of a tile, at most, for the next one to be prefetched: both share the first-level cache.
constexpr std::int32_t kMostPrefetched = 20 << 10;

struct Function {
  // `rare`: where a group with a rare lane goes on instead, its arguments still in their registers.
  Label entry, rare;
  std::uint32_t clobbers = 0, mask_clobbers = 0;
};

struct Compiled {
  std::vector<std::uint8_t> code;
  std::vector<std::uint64_t> pool;
  std::size_t entry = 0, frame_bytes = 0, results_start = 0, pool_start = 0;
  bool gives_up = false;
};

// What all units of one piece of code share.
struct Output {
  Assembler assembler;
  const InstructionSet set;
  const bool fast;
  const int vectors;
  std::array<Function, static_cast<std::size_t>(Opcode::kCount)> functions;
  std::int32_t frame_bytes;
  const std::size_t max_bytes;
  Label bail, cancelled, has_nan;
};

// The streams of a program, and where they are while its code runs.
struct StreamPlaces {
  Streams plan;
  // By stream: a register or a place in the frame.
  struct Home {
    bool in_register;
    Gpr reg;
    std::int32_t slot;
  };
  std::vector<Home> homes;
  std::size_t registers = 0;         // of kStreamRegisters
  std::int32_t first_local = 0;      // of the frame

  // The streams used most get registers.
  void settle(std::int32_t& frame_bytes) {
    std::vector<std::size_t> order(plan.weights.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return plan.weights[a] > plan.weights[b]; });
    homes.resize(order.size());
    for (const std::size_t stream : order) {
      if (registers < kMostStreamRegisters) {
        homes[stream] = {true, kStreamRegisters[registers++], 0};
      } else {
        homes[stream] = {false, kScratch, frame_bytes};
        frame_bytes += 8;
      }
    }
  }
  std::int32_t table_bytes() const { return static_cast<std::int32_t>(plan.tables.size() * sizeof(double)); }
};

// Emits one unit.
class Emitter {
 public:
  // `program` and `streams`: null for functions of the library, which have no loops.
  Emitter(Output& output, const Unit& unit, Pool& pool, int vectors, Function* function, const Program* program = nullptr,
          const StreamPlaces* streams = nullptr)
      : out_(output), asm_(output.assembler), pool_(pool), unit_(unit), function_(function), program_(program), streams_(streams),
        wide_(output.set == InstructionSet::avx512), vectors_(vectors), registers_(wide_ ? 32 : 16) {
    const std::size_t values = static_cast<std::size_t>(unit.first_constant) + pool.values().size();
    states_.resize(values * static_cast<std::size_t>(vectors_));
    need_.assign(values, kNever);
    owner_.fill(kNobody);
    mask_owner_.fill(kNobody);
    for (auto& slot : rounds_) slot = -1;
    for (auto& slot : counters_) slot = -1;
  }

  // Registers that its code leaves alone.
  std::uint32_t free_registers() const { return ~used_ & static_cast<std::uint32_t>((std::uint64_t{1} << registers_) - 1); }

  // Loads the constants that are used most into `registers`, where they stay for all groups.
  void keep_constants(std::uint32_t registers) {
    std::vector<double> uses(states_.size() / static_cast<std::size_t>(vectors_));
    double weight = 1;
    for (const Operation& operation : unit_.operations) {
      if (operation.kind == Kind::kFor || operation.kind == Kind::kLoop) weight *= kRoundsOfLoop;
      if (operation.kind == Kind::kEndFor || operation.kind == Kind::kEndLoop) weight /= kRoundsOfLoop;
      if (operation.kind == Kind::kReturn) continue;
      for (const ValueId id : operation.in)
        if (id != kNoValue && is_constant(id)) uses[static_cast<std::size_t>(id)] += weight;
    }
    for (int reg = 0; reg < registers_; reg++) {
      if (!(registers >> reg & 1)) continue;
      const auto most = std::max_element(uses.begin(), uses.end());
      if (most == uses.end() || *most == 0) return;
      *most = 0;
      const auto id = static_cast<ValueId>(most - uses.begin());
      asm_.load(reg, memory(id, 0));
      state(copy(id, 0)).reg = static_cast<std::int8_t>(reg);
      kept_ |= 1u << reg;
    }
  }

  // False when the code becomes too large.
  bool run(std::size_t arguments) {
    if (function_) take_arguments(arguments);
    for (at_ = 0; at_ < static_cast<std::int32_t>(unit_.operations.size()); at_++) {
      operation(unit_.operations[static_cast<std::size_t>(at_)]);
      if (asm_.code().size() > out_.max_bytes || lost_argument_ || no_register_) return false;
    }
    if (function_) {
      function_->clobbers = used_;
      function_->mask_clobbers = mask_used_;
    }
    return true;
  }

 private:
  static constexpr std::int32_t kNobody = -1;
  struct State {
    std::int8_t reg = -1;
    bool at_home = false;
    std::int32_t home = -1;  // offset in the frame
  };
  using Copy = std::int32_t;  // value * vectors + which vector

  // --- values

  bool is_constant(ValueId id) const { return id >= unit_.first_constant; }
  // In tiles, which the caller has laid out.
  bool is_coordinate(ValueId id) const { return !function_ && id >= unit_.first_coordinate && id < unit_.first_element; }
  bool is_element(ValueId id) const { return id >= unit_.first_element && !is_constant(id); }
  const Streams::Place& place(ValueId id) const { return streams_->plan.places[static_cast<std::size_t>(id - unit_.first_element)]; }
  // The same on all lanes, and for all vectors.
  bool is_uniform(ValueId id) const { return is_constant(id) || (is_element(id) && place(id).space == Space::kConstant); }
  bool is_local(ValueId id) const { return !is_constant(id) && !is_coordinate(id) && !is_element(id); }
  bool in_mask_register(ValueId id) const { return wide_ && is_mask(unit_, id); }
  Copy copy(ValueId id, int u) const { return id * vectors_ + (is_uniform(id) ? 0 : u); }
  State& state(Copy c) { return states_[static_cast<std::size_t>(c)]; }
  ValueId id_of(Copy c) const { return c / vectors_; }
  std::int32_t& need(ValueId id) { return need_[static_cast<std::size_t>(id)]; }

  std::int32_t home(Copy c) {
    State& s = state(c);
    if (s.home < 0) {
      const int bytes = in_mask_register(id_of(c)) ? 8 : asm_.vector_bytes();
      out_.frame_bytes = (out_.frame_bytes + bytes - 1) / bytes * bytes;
      s.home = out_.frame_bytes;
      out_.frame_bytes += bytes;
    }
    return s.home;
  }
  Source memory(ValueId id, int u) {
    if (is_constant(id)) {
      const std::int32_t index = id - unit_.first_constant;
      return wide_ ? Source::broadcast(kConstants, index * 8 - kConstantBias)
                   : Source::at(kConstants, index * 32 - kConstantBias);
    }
    if (is_coordinate(id))
      return Source::at(kCoordinates, (id - unit_.first_coordinate) * kColumnBytes + u * asm_.vector_bytes() - kCoordinateBias);
    if (is_element(id)) return element(place(id), u);
    return Source::at(kFrame, home(copy(id, u)));
  }
  // Good until the next element is asked for.
  Source element(const Streams::Place& place, int u) {
    Source source = Source::broadcast(kConstants, place.displacement - streams_->table_bytes() - kConstantBias);
    const std::int32_t of_vector = place.displacement + u * asm_.vector_bytes();
    if (place.space == Space::kCoordinate) source = Source::at(kCoordinates, of_vector - kCoordinateBias);
    if (place.space == Space::kLocal) source = Source::at(kFrame, of_vector + streams_->first_local);
    if (place.stream == Streams::kNone) return source;
    const StreamPlaces::Home& home = streams_->homes[static_cast<std::size_t>(place.stream)];
    if (!home.in_register) asm_.load_gpr(kScratch, kFrame, home.slot);
    return source.indexed(home.reg);
  }

  // --- registers

  bool is_kept(Copy c) { return is_constant(id_of(c)) && state(c).reg >= 0 && (kept_ >> state(c).reg & 1); }

  std::int32_t* owners(bool mask) { return mask ? mask_owner_.data() : owner_.data(); }

  int allocate(bool mask) {
    const int first = mask ? 1 : 0, last = mask ? 7 : registers_ - 1;
    std::uint32_t& locked = mask ? mask_locked_ : locked_;
    const std::uint32_t taken = mask ? locked : locked | arguments_ | kept_;
    std::int32_t* const owner = owners(mask);
    int chosen = -1;
    std::int32_t chosen_need = -1;
    for (int k = first; k <= last && chosen_need != kNever; k++) {
      // Functions fill registers from below, so that little is lost over a call when the main program does from above.
      const int reg = function_ || mask ? k : last - k;
      if (taken >> reg & 1) continue;
      const std::int32_t when = owner[reg] == kNobody ? kNever : need(id_of(owner[reg]));
      // Nothing to write is worth a little.
      if (when > chosen_need) chosen = reg, chosen_need = when;
    }
    // Where every register is held there is no code.
    if (chosen < 0) return no_register_ = true, first;
    if (owner[chosen] != kNobody) evict(owner[chosen]);
    locked |= 1u << chosen;
    (mask ? mask_used_ : used_) |= 1u << chosen;
    return chosen;
  }
  void save(Copy c) {
    State& s = state(c);
    if (s.at_home || !is_local(id_of(c))) return;
    if (in_mask_register(id_of(c))) asm_.mask_store(kFrame, home(c), s.reg);
    else asm_.store(kFrame, home(c), s.reg);
    s.at_home = true;
  }
  void release(Copy c) {
    State& s = state(c);
    if (s.reg < 0 || is_kept(c)) return;
    owners(in_mask_register(id_of(c)))[s.reg] = kNobody;
    s.reg = -1;
  }
  void evict(Copy c) {
    if (need(id_of(c)) != kNever) save(c);
    release(c);
  }
  void settle(Copy c, int reg) {
    release(c);
    const bool mask = in_mask_register(id_of(c));
    owners(mask)[reg] = c;
    state(c).reg = static_cast<std::int8_t>(reg);
    state(c).at_home = false;
    (mask ? mask_used_ : used_) |= 1u << reg;
  }

  // The register that holds a value, loaded if need be; not given away until the next operation.
  int in_register(ValueId id, int u) {
    const Copy c = copy(id, u);
    const bool mask = in_mask_register(id);
    if (state(c).reg < 0) {
      const int reg = allocate(mask);
      if (mask) asm_.mask_load(reg, kFrame, home(c));
      else asm_.load(reg, memory(id, u));
      const bool was_home = is_local(id);
      settle(c, reg);
      state(c).at_home = was_home;
    }
    (mask ? mask_locked_ : locked_) |= 1u << state(c).reg;
    return state(c).reg;
  }
  bool held(ValueId id, int u) { return state(copy(id, u)).reg >= 0; }
  // A value as the last source of an instruction: in memory if it is there and not needed soon.
  Source source(ValueId id, int u, std::int32_t later) {
    // AVX2 cannot read one number for all lanes in place.
    const bool in_place = wide_ || is_constant(id) || !is_uniform(id);
    if (!held(id, u) && in_place && (is_constant(id) || later > at_ + kSoon)) return memory(id, u);
    return Source::of(in_register(id, u));
  }

  void unlock() { locked_ = mask_locked_ = 0; }

  // Gives back the registers of operands that are not needed any more, so that the result may take one.
  void done_with(const Operation& operation, int u) {
    for (int k = 0; k < kOperands; k++) {
      const ValueId id = operation.in[k];
      if (id == kNoValue || operation.in_need[k] != kNever || is_uniform(id)) continue;
      const Copy c = copy(id, u);
      if (state(c).reg < 0) continue;
      (in_mask_register(id) ? mask_locked_ : locked_) &= ~(1u << state(c).reg);
      release(c);
    }
  }
  int result(const Operation& operation, int u) {
    done_with(operation, u);
    const Copy c = copy(operation.out, u);
    release(c);
    const int reg = allocate(in_mask_register(operation.out));
    settle(c, reg);
    return reg;
  }

  // --- operations

  void operation(const Operation& operation) {
    if (is_structure(operation.kind)) {
      structure(operation);
      return;
    }
    for (const ValueId id : operation.in)
      if (id != kNoValue && is_coordinate(id)) prefetch(id);
    // Until all vectors are done, nothing of this operation may count as not needed.
    if (operation.out != kNoValue) need(operation.out) = at_;
    for (const ValueId id : operation.in)
      if (id != kNoValue) need(id) = at_;
    switch (operation.kind) {
      case Kind::kCall: call(operation); break;
      case Kind::kStore: store_element(operation); break;
      case Kind::kDivideBy: divide_by(operation); break;
      case Kind::kDivideBeside: divide_beside(operation); break;
      case Kind::kCheck:
      case Kind::kCheckCompare: check(operation); break;
      case Kind::kCheckMagnitude: check_magnitude(operation); break;
      default:
        for (int u = 0; u < vectors_; u++) {
          unlock();
          compute(operation, u);
        }
    }
    unlock();
    for (int k = 0; k < kOperands; k++)
      if (operation.in[k] != kNoValue && operation.in[k] != operation.out) set_need(operation.in[k], operation.in_need[k]);
    if (operation.out != kNoValue) set_need(operation.out, operation.out_need);
  }
  void set_need(ValueId id, std::int32_t when) {
    need(id) = when;
    if (when != kNever) return;
    for (int u = 0; u < vectors_; u++) release(copy(id, u));
  }

  // Where a coordinate is first read: the same lanes of the next tile, line by line.
  void prefetch(ValueId id) {
    const std::int32_t column = id - unit_.first_coordinate, dimension = unit_.first_element - unit_.first_coordinate;
    prefetched_.resize(static_cast<std::size_t>(dimension));
    if (dimension * kColumnBytes > kMostPrefetched || prefetched_[static_cast<std::size_t>(column)]) return;
    prefetched_[static_cast<std::size_t>(column)] = 1;
    for (std::int32_t line = 0; line < vectors_ * asm_.vector_bytes(); line += kCacheLine)
      asm_.prefetch(kCoordinates, (dimension + column) * kColumnBytes + line - kCoordinateBias);
  }

  void compute(const Operation& operation, int u) {
    const ValueId a = operation.in[0], b = operation.in[1];
    switch (operation.kind) {
      case Kind::kAdd: return binary(form::kAdd, operation, u, true);
      case Kind::kSub: return binary(form::kSub, operation, u, false);
      case Kind::kMul: return binary(form::kMul, operation, u, true);
      case Kind::kDiv: return binary(form::kDiv, operation, u, false);
      case Kind::kAnd: return binary(form::kAnd, operation, u, true);
      case Kind::kOr: return binary(form::kOr, operation, u, true);
      case Kind::kXor: return binary(form::kXor, operation, u, true);
      case Kind::kScale: return binary(form::kScale, operation, u, false);
      case Kind::kMax: return binary(form::kMax, operation, u, false);
      case Kind::kMin: return binary(form::kMin, operation, u, false);
      case Kind::kGreaterInt: return binary(form::kGreaterInt, operation, u, false);
      case Kind::kSqrt: {
        const Source in = source(a, u, operation.in_need[0]);
        asm_.vector_unary(form::kSqrt, result(operation, u), in);
        return;
      }
      case Kind::kRound: {
        const Source in = source(a, u, operation.in_need[0]);
        asm_.vector_unary_immediate(form::kRound, result(operation, u), in, static_cast<std::uint8_t>(operation.immediate));
        return;
      }
      case Kind::kShiftLeft:
      case Kind::kShiftRight: {
        const int in = in_register(a, u), out = result(operation, u);
        const auto bits = static_cast<std::uint8_t>(operation.immediate);
        if (!wide_ && operation.kind == Kind::kShiftLeft && bits == 1) asm_.vector(form::kAddInt, out, in, Source::of(in));
        else if (operation.kind == Kind::kShiftLeft) asm_.shift_left(out, in, bits);
        else asm_.shift_right(out, in, bits);
        return;
      }
      case Kind::kMove: {
        if (!held(a, u)) {
          const Source in = memory(a, u);
          asm_.load(result(operation, u), in);
        } else {
          const int in = in_register(a, u), out = result(operation, u);
          if (in != out) asm_.move(out, in);
        }
        return;
      }
      case Kind::kSelect: return select(operation, u);
      case Kind::kMulAdd: return fused(form::kMulAdd213, form::kMulAdd231, operation, u);
      case Kind::kMulSub: return fused(form::kMulSub213, form::kMulSub231, operation, u);
      case Kind::kNegMulAdd: return fused(form::kNegMulAdd213, form::kNegMulAdd231, operation, u);
      case Kind::kAddWhere: return under_mask(form::kAdd, operation, u, true);
      case Kind::kSubWhere: return under_mask(form::kSub, operation, u, false);
      case Kind::kMulWhere: return under_mask(form::kMul, operation, u, true);
      case Kind::kNegateWhere: {
        const int mask = in_register(a, u);
        const Source sign = memory(operation.in[2], u);
        if (wide_) {
          const int out = overwritten(operation, 1, u);
          asm_.vector(form::kXor, out, out, sign, mask);
          finish_in(operation, u, out);
        } else {
          const int in = in_register(b, u);
          const int flip = allocate(false);
          asm_.vector(form::kAnd, flip, mask, sign);
          asm_.vector(form::kXor, result(operation, u), in, Source::of(flip));
        }
        return;
      }
      case Kind::kNegateIf: {
        const int bits = in_register(a, u), value = in_register(b, u), flip = allocate(false);
        asm_.shift_left(flip, bits, static_cast<std::uint8_t>(63 - operation.immediate));
        if (wide_ && operation.immediate > 0) {
          const Source sign = memory(operation.in[2], u);
          const int out = overwritten(operation, 1, u);
          asm_.vector(form::kTernary, out, flip, sign, kXorOfAnd, 0);
          finish_in(operation, u, out);
          return;
        }
        if (operation.immediate > 0) asm_.vector(form::kAnd, flip, flip, memory(operation.in[2], u));
        asm_.vector(form::kXor, result(operation, u), value, Source::of(flip));
        return;
      }
      case Kind::kPermute: {
        const int control = in_register(a, u), pair = in_register(b, u);
        asm_.vector(form::kPermute, result(operation, u), pair, Source::of(control));
        return;
      }
      case Kind::kTestBit: {
        const int in = in_register(a, u), out = result(operation, u);
        const Source bit = memory(unit_.first_constant + pool_.index(1u << operation.immediate), u);
        if (wide_) {
          asm_.vector(form::kTestBits, out, in, bit);
        } else {
          asm_.vector(form::kAnd, out, in, bit);
          asm_.vector(form::kEqualInt, out, out, bit);
        }
        return;
      }
      case Kind::kCompare:
      case Kind::kCompareWhere: {
        std::int32_t predicate = operation.immediate;
        const int lanes = operation.kind == Kind::kCompareWhere ? in_register(operation.in[2], u) : 0;
        const auto [left, right] = comparands(operation, u, predicate);
        asm_.vector(form::kCompare, result(operation, u), left, right, static_cast<std::uint8_t>(predicate), lanes);
        return;
      }
      case Kind::kSignBit: {
        const int in = in_register(a, u);
        const int out = result(operation, u);
        asm_.vector_unary(form::kSignMask, out, Source::of(in));
        asm_.vector(form::kCompare, out, in, Source::of(in), kEqual, out);
        return;
      }
      case Kind::kMaskAnd: return mask_binary(form::kMaskAnd, form::kAnd, operation, u);
      case Kind::kMaskAndNot: return mask_binary(form::kMaskAndNot, form::kAndNot, operation, u);
      case Kind::kMaskOr: return mask_binary(form::kMaskOr, form::kOr, operation, u);
      case Kind::kMaskXor: return mask_binary(form::kMaskXor, form::kXor, operation, u);
      case Kind::kMaskNot: {
        const int in = in_register(a, u);
        asm_.mask_not(result(operation, u), in);
        return;
      }
      case Kind::kMaskMove: {
        const int in = in_register(a, u), out = result(operation, u);
        if (in == out) return;
        if (wide_) asm_.mask_move(out, in);
        else asm_.move(out, in);
        return;
      }
      case Kind::kMaskFill: {
        const int out = result(operation, u);
        asm_.mask_binary(operation.immediate ? form::kMaskXnor : form::kMaskXor, out, out, out);
        return;
      }
      default: break;
    }
  }

  void binary(Form form, const Operation& operation, int u, bool commutes) {
    const auto [left, right] = operands(operation, 0, u, commutes);
    asm_.vector(form, result(operation, u), left, right);
  }
  void under_mask(Form form, const Operation& operation, int u, bool commutes) {
    const int mask = in_register(operation.in[0], u);
    const auto [left, right] = operands(operation, 1, u, commutes);
    const int out = overwritten(operation, 3, u);
    asm_.vector(form, out, left, right, mask);
    finish_in(operation, u, out);
  }

  struct Operands {
    int left;
    Source right;
  };
  // Operands `first` and `first` + 1. The left one must be in a register: the one that is, or else that is needed again
  // sooner.
  Operands operands(const Operation& operation, int first, int u, bool commutes) {
    int second = first + 1;
    const ValueId a = operation.in[first], b = operation.in[second];
    if (commutes && a != b && !held(a, u) &&
        (held(b, u) || is_constant(a) || (!is_constant(b) && operation.in_need[second] < operation.in_need[first])))
      std::swap(first, second);
    const int left = in_register(operation.in[first], u);
    return {left, source(operation.in[second], u, operation.in_need[second])};
  }

  // A register with operand `k` that may be overwritten: the operand's own, if nobody needs it any more.
  int overwritten(const Operation& operation, int k, int u) {
    const ValueId id = operation.in[k];
    if (!is_uniform(id) && operation.in_need[k] == kNever) return in_register(id, u);
    if (!held(id, u)) {
      const int out = allocate(false);
      asm_.load(out, memory(id, u));
      return out;
    }
    const int in = in_register(id, u), out = allocate(false);
    asm_.move(out, in);
    return out;
  }
  // The result is in `out`, which may be the register of an operand that is not needed any more.
  void finish_in(const Operation& operation, int u, int out) {
    done_with(operation, u);
    settle(copy(operation.out, u), out);
  }

  void fused(Form over_factor, Form over_term, const Operation& operation, int u) {
    const auto dies = [&](int k) {
      return !is_uniform(operation.in[k]) && operation.in_need[k] == kNever && held(operation.in[k], u);
    };
    int factor = 0, other = 1;
    if (!dies(2) && (dies(0) || dies(1))) {
      if (!dies(0)) std::swap(factor, other);
      const int left = in_register(operation.in[other], u), out = overwritten(operation, factor, u);
      asm_.vector(over_factor, out, left, source(operation.in[2], u, operation.in_need[2]));
      return finish_in(operation, u, out);
    }
    // The factor that is not in a register may stay in memory.
    if (!held(operation.in[0], u)) std::swap(factor, other);
    const int left = in_register(operation.in[factor], u), out = overwritten(operation, 2, u);
    asm_.vector(over_term, out, left, source(operation.in[other], u, operation.in_need[other]));
    finish_in(operation, u, out);
  }

  void mask_binary(Form form, Form vector_form, const Operation& operation, int u) {
    if (!wide_) return binary(vector_form, operation, u, false);
    const int a = in_register(operation.in[0], u), b = in_register(operation.in[1], u);
    asm_.mask_binary(form, result(operation, u), a, b);
  }

  void select(const Operation& operation, int u) {
    const int mask = in_register(operation.in[0], u);
    // AVX2's vblendvpd is three operations.
    for (const int zero : {1, 2}) {
      const int chosen = 3 - zero;
      if (wide_ || !is_constant(operation.in[zero]) || pool_.values()[static_cast<std::size_t>(operation.in[zero] - unit_.first_constant)] != 0) continue;
      const Source value = source(operation.in[chosen], u, operation.in_need[chosen]);
      asm_.vector(zero == 2 ? form::kAnd : form::kAndNot, result(operation, u), mask, value);
      return;
    }
    if (!wide_ && is_constant(operation.in[1]) && is_constant(operation.in[2])) {
      const auto bits = [&](int k) { return pool_.values()[static_cast<std::size_t>(operation.in[k] - unit_.first_constant)]; };
      const Source difference = memory(unit_.first_constant + pool_.index(bits(1) ^ bits(2)), u), clear = memory(operation.in[2], u);
      const int out = result(operation, u);
      asm_.vector(form::kAnd, out, mask, difference);
      asm_.vector(form::kXor, out, out, clear);
      return;
    }
    const int if_clear = in_register(operation.in[2], u);
    const Source if_set = source(operation.in[1], u, operation.in_need[1]);
    const int out = result(operation, u);
    if (wide_) asm_.vector(form::kBlend512, out, if_clear, if_set, mask);
    else asm_.blend256(out, if_clear, if_set, mask);
  }

  Operands comparands(const Operation& operation, int u, std::int32_t& predicate) {
    int first = 0, second = 1;
    if (!held(operation.in[0], u) && operation.in[0] != operation.in[1] &&
        (held(operation.in[1], u) || is_constant(operation.in[0]))) {
      std::swap(first, second);
      if (predicate >= kLess) predicate ^= kOtherWay;
    }
    const int left = in_register(operation.in[first], u);
    return {left, source(operation.in[second], u, operation.in_need[second])};
  }

  // A function goes on elsewhere with its arguments as they came.
  void look_for_arguments() {
    for (ValueId id = unit_.first_coordinate; id < unit_.first_spare; id++)
      for (int u = 0; u < vectors_; u++)
        lost_argument_ = lost_argument_ || state(copy(id, u)).reg != (id - unit_.first_coordinate) * vectors_ + u;
    arguments_ = 0;
  }

  // Gives the group up where a running lane has what is checked for; a function goes on elsewhere.
  void check(const Operation& operation) {
    const ValueId running = operation.in[2];
    int found = -1;  // AVX2: what earlier vectors have
    for (int u = 0; u < vectors_; u++) {
      unlock();
      if (found >= 0) locked_ |= 1u << found;
      const int lanes = running == kNoValue ? (wide_ ? 0 : -1) : in_register(running, u);
      if (wide_) {
        // k0 takes no part in the allocation, and no instruction can use it as a write mask.
        int target = u == 0 ? 0 : allocate(true);
        if (operation.kind == Kind::kCheckCompare) {
          std::int32_t predicate = operation.immediate;
          const auto [left, right] = comparands(operation, u, predicate);
          asm_.vector(form::kCompare, target, left, right, static_cast<std::uint8_t>(predicate), lanes);
        } else {
          const int mask = in_register(operation.in[0], u);
          if (running != kNoValue) asm_.mask_binary(form::kMaskAnd, target, mask, lanes);
          else asm_.mask_move(target, mask);
        }
        if (u > 0) asm_.mask_binary(form::kMaskOr, 0, 0, target);
      } else {
        int left = in_register(operation.in[0], u);
        const int target = allocate(false);
        if (operation.kind == Kind::kCheckCompare)
          asm_.vector(form::kCompare, target, left, source(operation.in[1], u, operation.in_need[1]),
                      static_cast<std::uint8_t>(operation.immediate), 0);
        else asm_.move(target, left);
        if (lanes >= 0) asm_.vector(form::kAnd, target, target, Source::of(lanes));
        if (found >= 0) asm_.vector(form::kOr, target, target, Source::of(found));
        found = target;
      }
    }
    if (wide_) {
      asm_.mask_test(0, 0);
    } else {
      asm_.sign_bits(kScratch, found);
      asm_.test_gpr(kScratch);
    }
    if (function_) look_for_arguments();
    asm_.jump(Condition::not_zero, function_ ? function_->rare : out_.bail);
  }

  // The same where the larger magnitude of two vectors decides, with AVX2 the largest of all. Where vrangepd leaves a
  // NaN, that may have hidden a large value, if it was a signalling one. vmaxpd leaves its last operand if either is a
  // NaN: one that hid something stays to the end.
  void check_magnitude(const Operation& operation) {
    if (!wide_) {
      int largest = -1;
      for (int u = 0; u < vectors_; u++) {
        unlock();
        if (largest >= 0) locked_ |= 1u << largest;
        const int argument = in_register(operation.in[1], u), magnitude = allocate(false);
        asm_.vector(form::kAnd, magnitude, argument, memory(operation.in[2], 0));
        if (largest >= 0) asm_.vector(form::kMax, magnitude, magnitude, Source::of(largest));
        largest = magnitude;
      }
      asm_.vector(form::kCompare, largest, largest, memory(operation.in[0], 0), kNotLessEqual, 0);
      asm_.sign_bits(kScratch, largest);
      asm_.test_gpr(kScratch);
      look_for_arguments();
      asm_.jump(Condition::not_zero, function_->rare);
      return;
    }
    int found = 0;
    for (int u = 0; u < vectors_; u += 2) {
      unlock();
      const bool alone = vectors_ == 1;
      const int larger = allocate(false), first = in_register(operation.in[1], u), second = alone ? first : in_register(operation.in[1], u + 1);
      asm_.vector(form::kRange, larger, first, Source::of(second), kLargerMagnitude, 0);
      if (u > 0) found = allocate(true);
      asm_.vector(form::kCompare, found, larger, memory(operation.in[0], 0), static_cast<std::uint8_t>(alone ? kGreater : kNotLessEqual), 0);
    }
    look_for_arguments();
    asm_.mask_test(0, found);
    asm_.jump(Condition::not_zero, function_->rare);
  }

  // --- division without the divider

  // An estimate r of 1 / d with 14 bits, a step to 42, one to within a little more than half an ulp. Then e = 1 - d r
  // is exact, and r + r t with t = e + e^2, rounded up, is 1 / d as the division rounds it. Proof, for d in (1, 2): it
  // is unless the middle m of two numbers lies between. 1 / d is at least 2^-106 / d from m. Where it is that near, |e|
  // is about 2^-54 to 2^-53. Below 2^-53, t is larger than e + e^2 by at most 3/4 2^-106, and r + r t than 1 / d by
  // less than 2^-106 / d. From 2^-53 on (d close to 2, r on the wrong side of m) e is positive: 1 / d is above m, r + r
  // t above 1 / d. The product q with n is within 1 ulp, and its rest rounds it (Markstein, Computation of elementary
  // functions on the IBM RISC System/6000 processor, 1990; ADR 9). Where n < d are both near 2, q may be 1.5 ulp off
  // and its rest need 54 bits: n |r - 1 / d| <= 2^-53 - 3 2^-106 then, and what is added stays below 1.5 ulp.
  // Nothing may overflow or underflow: groups with unusual exponents go on elsewhere. A NaN stays one.
  // `fast` ends sooner: with r to 42 bits, the rest of the quotient q with it, rounded, times r is what q lacks, to
  // 2^-40 of that, which is 2^-80 of q.
  void divide_beside(const Operation& operation) {
    const ValueId n = operation.in[0], d = operation.in[1];
    const auto count = static_cast<std::size_t>(vectors_);
    const bool is_reciprocal = is_constant(n) && pool_.values()[static_cast<std::size_t>(n - unit_.first_constant)] == std::bit_cast<std::uint64_t>(1.0);
    Division division{};
    division.beside = true;
    for (std::size_t u = 0; u < count; u++) division.d[u] = in_register(d, static_cast<int>(u));
    for (std::size_t u = 0; u < count; u++) division.x[u] = in_register(n, static_cast<int>(u));
    const auto dies = [&](int k) { return operation.in_need[k] == kNever && !is_uniform(operation.in[k]); };
    for (int u = 0; u < vectors_ && operation.out != n && operation.out != d; u++) release(copy(operation.out, u));
    for (std::size_t u = 0; u < count; u++) division.out[u] = allocate(false);
    const int r = allocate(false), t = allocate(false);

    bool is_first = true;
    const auto join = [&](int number) {
      asm_.vector_unary(form::kExponent, t, Source::of(number));
      asm_.vector(form::kRange, r, is_first ? t : r, Source::of(t), kLargerMagnitude, 0);
      is_first = false;
    };
    for (std::size_t u = 0; u < count; u++) join(division.d[u]);
    for (std::size_t u = 0; u < (is_uniform(n) ? 1 : count) && !is_reciprocal; u++) join(division.x[u]);
    asm_.vector(form::kCompare, 0, r, pool_constant(kMostExponent), kGreater, 0);
    asm_.mask_test(0, 0);
    asm_.jump(Condition::not_zero, division.rare);
    for (std::size_t u = 0; u < count; u++) {
      const int by = division.d[u], q = division.out[u];
      const auto rest = [&] {
        asm_.load(t, pool_constant(kOneBits));
        asm_.vector(form::kNegMulAdd231, t, by, Source::of(r));
      };
      asm_.vector_unary(form::kReciprocal, r, Source::of(by));
      rest();
      asm_.vector(form::kMulAdd213, t, t, Source::of(t));
      asm_.vector(form::kMulAdd231, r, r, Source::of(t));
      if (is_reciprocal || !out_.fast) rest();
      if (!out_.fast) {
        asm_.vector(form::kMulAdd231, r, r, Source::of(t));
        rest();
        asm_.vector_up(form::kMulAdd213, t, t, t);
      }
      if (is_reciprocal) {
        asm_.move(q, r);
        asm_.vector(form::kMulAdd231, q, r, Source::of(t));
        continue;
      }
      if (!out_.fast) asm_.vector(form::kMulAdd231, r, r, Source::of(t));
      asm_.vector(form::kMul, q, division.x[u], Source::of(r));
      asm_.move(t, division.x[u]);
      asm_.vector(form::kNegMulAdd231, t, q, Source::of(by));
      asm_.vector(form::kMulAdd231, q, r, Source::of(t));
    }
    asm_.bind(division.done);
    for (const int k : {0, 1})
      for (int u = 0; u < vectors_ && dies(k); u++) release(copy(operation.in[k], u));
    for (int u = 0; u < vectors_; u++) settle(copy(operation.out, u), division.out[static_cast<std::size_t>(u)]);
    divisions_.push_back(std::move(division));
  }

  // --- division by a constant

  Source pool_constant(std::uint64_t bits) { return memory(unit_.first_constant + pool_.index(bits), 0); }

  // For `fast`, whatever underflows.
  void divide_without_look(const Operation& operation) {
    const ValueId dividend = operation.in[0];
    const auto count = static_cast<std::size_t>(vectors_);
    std::array<int, kMostVectors> x{}, out{};
    for (std::size_t u = 0; u < count; u++) x[u] = in_register(dividend, static_cast<int>(u));
    for (int u = 0; u < vectors_ && operation.out != dividend; u++) release(copy(operation.out, u));
    for (std::size_t u = 0; u < count; u++) out[u] = allocate(false);
    const Source low = source(operation.in[2], 0, operation.in_need[2]), high = source(operation.in[1], 0, operation.in_need[1]);
    for (std::size_t u = 0; u < count; u++) asm_.vector(form::kMul, out[u], x[u], low);
    for (std::size_t u = 0; u < count; u++) asm_.vector(form::kMulAdd231, out[u], x[u], high);
    for (std::size_t u = 0; u < count; u++) finish_in(operation, static_cast<int>(u), out[u]);
  }

  // The product with the smaller part (`first`) tells whether a dividend may be too small: its exponent has
  // kUsualExponent unless the product is zero, very small or beyond two. Vectors are joined by `and`, so that one test
  // serves all lanes. Groups that fail it go on elsewhere. Registers are chosen before the jump: both ways use the same.
  void divide_by(const Operation& operation) {
    const ValueId dividend = operation.in[0];
    if (out_.fast) return divide_without_look(operation);
    const bool dies = operation.in_need[0] == kNever && !is_uniform(dividend);
    const auto count = static_cast<std::size_t>(vectors_);
    Division division{};
    for (std::size_t u = 0; u < count; u++) division.x[u] = in_register(dividend, static_cast<int>(u));
    for (int u = 0; u < vectors_ && operation.out != dividend; u++) release(copy(operation.out, u));
    for (std::size_t u = 0; u < count; u++) division.out[u] = allocate(false);
    division.spare = allocate(false);
    if (wide_) division.mask = allocate(true);
    division.by = unit_.first_constant + operation.immediate;
    division.low = source(operation.in[2], 0, operation.in_need[2]);
    const Source high = source(operation.in[1], 0, operation.in_need[1]);

    for (std::size_t u = 0; u < count; u++) asm_.vector(form::kMul, division.out[u], division.x[u], division.low);
    const auto& first = division.out;
    int all = first[0];
    for (std::size_t u = 1; u < count; u++) {
      const bool three = wide_ && u + 1 < count && u > 1;
      if (three) asm_.vector(form::kTernary, all, first[u], Source::of(first[u + 1]), kAndOfThree, 0);
      else asm_.vector(form::kAnd, division.spare, all, Source::of(first[u]));
      all = division.spare;
      if (three) u++;
    }
    if (wide_) {
      asm_.vector(form::kTestNoBits, 0, all, pool_constant(kUsualExponent));
      asm_.mask_test(0, 0);
    } else {
      asm_.shift_left(division.spare, all, static_cast<std::uint8_t>(std::countl_zero(kUsualExponent)));
      asm_.sign_bits(kScratch, division.spare);
      asm_.compare_gpr(kScratch, 0xf);
    }
    asm_.jump(Condition::not_zero, division.rare);
    asm_.bind(division.usual);
    for (std::size_t u = 0; u < count; u++) asm_.vector(form::kMulAdd231, division.out[u], division.x[u], high);
    asm_.bind(division.done);
    for (int u = 0; u < vectors_ && dies; u++) release(copy(dividend, u));
    for (int u = 0; u < vectors_; u++) settle(copy(operation.out, u), division.out[static_cast<std::size_t>(u)]);
    divisions_.push_back(std::move(division));
  }

 public:
  // Where groups with unusual dividends go on. A group is divided if it has a small dividend other than zero. Others go
  // back: zeros may be many.
  void divide_elsewhere() {
    for (Division& division : divisions_) {
      Label divide;
      const auto count = static_cast<std::size_t>(vectors_);
      const int first = division.out[0];
      asm_.bind(division.rare);
      if (division.beside) {
        for (std::size_t u = 0; u < count; u++) asm_.vector(form::kDiv, division.out[u], division.x[u], Source::of(division.d[u]));
        asm_.jump(division.done);
        continue;
      }
      for (std::size_t u = 0; u < count; u++) {
        if (wide_) {
          asm_.vector(form::kTestNoBits, division.mask, division.x[u], pool_constant(kLargeExponent));
          asm_.vector(form::kTestBits, 0, division.x[u], pool_constant(kMagnitude), division.mask);
          asm_.mask_test(0, 0);
        } else {
          asm_.vector(form::kAnd, first, division.x[u], pool_constant(kMagnitude));
          asm_.vector(form::kCompare, division.spare, first, pool_constant(kSmallestBits), kLess, 0);
          asm_.vector(form::kCompare, first, first, pool_constant(0), kUnequal, 0);
          asm_.vector(form::kAnd, first, first, Source::of(division.spare));
          asm_.sign_bits(kScratch, first);
          asm_.test_gpr(kScratch);
        }
        asm_.jump(Condition::not_zero, divide);
      }
      if (!wide_) asm_.vector(form::kMul, first, division.x[0], division.low);
      asm_.jump(division.usual);
      asm_.bind(divide);
      for (std::size_t u = 0; u < count; u++) asm_.vector(form::kDiv, division.out[u], division.x[u], memory(division.by, 0));
      asm_.jump(division.done);
    }
    divisions_.clear();
  }

 private:
  void store_element(const Operation& operation) {
    const Streams::Place& target = streams_->plan.places[static_cast<std::size_t>(operation.immediate)];
    for (int u = 0; u < vectors_; u++) {
      unlock();
      const int value = in_register(operation.in[0], u);
      asm_.store(element(target, u), value);
    }
    // What registers hold of local arrays may have changed.
    for (int reg = 0; reg < registers_; reg++) {
      const std::int32_t owner = owner_[static_cast<std::size_t>(reg)];
      if (owner != kNobody && is_element(id_of(owner)) && place(id_of(owner)).space == Space::kLocal) release(owner);
    }
  }

  // --- calls

  struct Move {
    int target;
    ValueId id;
    int u;
  };
  // Puts values into given registers, all at once. Destroys nothing but the targets; who owns them is not changed.
  void move_all(std::vector<Move> moves) {
    for (std::size_t left = moves.size(); left > 0;) {
      bool progress = false;
      for (std::size_t i = 0; i < left; i++) {
        const Move& move = moves[i];
        const int from = state(copy(move.id, move.u)).reg;
        const bool blocked = std::any_of(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(left), [&](const Move& other) {
          return &other != &move && state(copy(other.id, other.u)).reg == move.target;
        });
        if (blocked) continue;
        if (from < 0) asm_.load(move.target, memory(move.id, move.u));
        else if (from != move.target) asm_.move(move.target, from);
        std::swap(moves[i], moves[--left]);
        progress = true;
        break;
      }
      if (progress) continue;
      // Each waits for another: one goes by way of a register that is in nobody's way, or of memory.
      const Copy c = copy(moves[0].id, moves[0].u);
      int spare = 0;
      const auto taken = [&](int reg) {
        return owner_[static_cast<std::size_t>(reg)] != kNobody || (kept_ >> reg & 1) ||
               std::any_of(moves.begin(), moves.end(), [&](const Move& move) { return move.target == reg; });
      };
      while (spare < registers_ && taken(spare)) spare++;
      if (spare < registers_) {
        const bool at_home = state(c).at_home;
        asm_.move(spare, state(c).reg);
        settle(c, spare);
        state(c).at_home = at_home;
      } else {
        save(c);
        release(c);
      }
    }
  }

  void call(const Operation& operation) {
    Function& function = out_.functions[static_cast<std::size_t>(operation.immediate)];
    const int arguments = operation.in[1] == kNoValue ? 1 : 2;
    std::vector<Move> moves;
    std::uint32_t lost = function.clobbers;
    for (int k = 0; k < arguments; k++)
      for (int u = 0; u < vectors_; u++) {
        moves.push_back({k * vectors_ + u, operation.in[k], u});
        lost |= 1u << (k * vectors_ + u);
      }
    const auto needed_after = [&](ValueId id) {
      for (int k = 0; k < kOperands; k++)
        if (operation.in[k] == id) return operation.in_need[k] != kNever;
      return id != operation.out && need(id) != kNever;
    };
    for (int reg = 0; reg < registers_; reg++)
      if (lost >> reg & 1 && owner_[static_cast<std::size_t>(reg)] != kNobody && needed_after(id_of(owner_[static_cast<std::size_t>(reg)])))
        save(owner_[static_cast<std::size_t>(reg)]);
    for (int reg = 1; reg < 8; reg++)
      if (function.mask_clobbers >> reg & 1 && mask_owner_[static_cast<std::size_t>(reg)] != kNobody)
        evict(mask_owner_[static_cast<std::size_t>(reg)]);
    move_all(std::move(moves));
    for (int reg = 0; reg < registers_; reg++)
      if (lost >> reg & 1 && owner_[static_cast<std::size_t>(reg)] != kNobody) release(owner_[static_cast<std::size_t>(reg)]);
    used_ |= lost;
    mask_used_ |= function.mask_clobbers;
    asm_.call(function.entry);
    for (int u = 0; u < vectors_; u++) settle(copy(operation.out, u), u);
  }

  void take_arguments(std::size_t arguments) {
    asm_.bind(function_->entry);
    for (std::size_t k = 0; k < arguments; k++)
      for (int u = 0; u < vectors_; u++) {
        const ValueId id = unit_.first_coordinate + static_cast<ValueId>(k);
        need(id) = 0;
        settle(copy(id, u), static_cast<int>(k) * vectors_ + u);
      }
    const auto checks = [](const Operation& each) {
      return each.kind == Kind::kCheck || each.kind == Kind::kCheckCompare || each.kind == Kind::kCheckMagnitude;
    };
    if (std::any_of(unit_.operations.begin(), unit_.operations.end(), checks)) arguments_ = (1u << arguments * static_cast<std::size_t>(vectors_)) - 1;
  }

  // --- structure

  // Brings home what is needed later and forgets all registers. What was in them is still there.
  void go_home() {
    for (const bool mask : {false, true}) {
      std::int32_t* const owner = owners(mask);
      for (int reg = 0; reg < (mask ? 8 : registers_); reg++)
        if (owner[reg] != kNobody) evict(owner[reg]);
    }
  }

  // Sets the zero flag where no lane of the group has the mask in `registers`.
  void test_any(const std::array<int, kMostVectors>& registers) {
    if (!wide_) {
      int all = registers[0];
      if (vectors_ > 1) {
        // The registers count no more: the first may be overwritten.
        for (int u = 1; u < vectors_; u++) asm_.vector(form::kOr, all, all, Source::of(registers[static_cast<std::size_t>(u)]));
      }
      asm_.sign_bits(kScratch, all);
      asm_.test_gpr(kScratch);
      return;
    }
    if (vectors_ == 1) return asm_.mask_test(registers[0], registers[0]);
    int all = registers[0];
    for (int u = 1; u + 1 < vectors_; u++) {
      asm_.mask_binary(form::kMaskOr, 0, all, registers[static_cast<std::size_t>(u)]);
      all = 0;
    }
    asm_.mask_test(all, registers[static_cast<std::size_t>(vectors_ - 1)]);
  }

  std::array<int, kMostVectors> decide(const Operation& operation) {
    std::array<int, kMostVectors> registers{};
    unlock();
    for (int u = 0; u < vectors_; u++) registers[static_cast<std::size_t>(u)] = in_register(operation.in[0], u);
    need(operation.in[0]) = operation.in_need[0];
    unlock();
    go_home();
    return registers;
  }

  std::int32_t rounds_slot(std::int32_t depth) {
    auto& slot = rounds_[static_cast<std::size_t>(depth)];
    if (slot < 0) {
      out_.frame_bytes = (out_.frame_bytes + 7) / 8 * 8;
      slot = out_.frame_bytes;
      out_.frame_bytes += 8;
    }
    return slot;
  }

  // --- counted loops

  const CountedLoop& counted_loop(const Operation& operation) const {
    return program_->loops()[static_cast<std::size_t>(operation.immediate)];
  }
  const Unit::Loop& loop_facts(std::size_t at) const { return unit_.counted.at(at); }

  // Index and count of the loop at a level, 32 bits each.
  std::int32_t counter(std::uint32_t level) {
    auto& slot = counters_[level];
    if (slot < 0) {
      out_.frame_bytes = (out_.frame_bytes + 7) / 8 * 8;
      slot = out_.frame_bytes;
      out_.frame_bytes += 8;
    }
    return slot;
  }
  bool is_constant_count(const CountedLoop& loop) const { return program_->elements()[loop.count].terms.empty(); }
  std::int32_t constant_count(const CountedLoop& loop) const {
    return static_cast<std::int32_t>(program_->elements()[loop.count].offset);
  }

  // Copies that a round starts and ends with in registers.
  std::vector<Copy> choose_carried(const Unit::Loop& facts) {
    std::vector<Copy> carried;
    if (!facts.straight) return carried;
    const auto add = [&](ValueId id) {
      for (int u = 0; u < (is_uniform(id) ? 1 : vectors_); u++) carried.push_back(copy(id, u));
    };
    int room = registers_ - kRegistersOfLine;
    for (const ValueId id : facts.carried) {
      if (!is_local(id) || in_mask_register(id) || room < vectors_) continue;
      add(id);
      room -= vectors_;
    }
    // Constants are loaded again as easily, unless they find room beside everything else. Pressure is that of f64
    // values: with AVX2 masks take registers, too.
    room = std::min(room, registers_ - facts.pressure * vectors_ - kRegistersOfLine);
    for (const ValueId id : facts.carried)
      if (is_constant(id) && !facts.calls && !is_kept(copy(id, 0)) && room-- > 0) add(id);
    return carried;
  }

  void start_for(const Operation& operation) {
    const CountedLoop& loop = counted_loop(operation);
    const Unit::Loop& facts = loop_facts(static_cast<std::size_t>(at_));
    open_.push_back({});
    Open& open = open_.back();
    open.at = static_cast<std::size_t>(at_);

    const std::vector<Copy> carried = choose_carried(facts);
    std::vector<std::uint8_t> is_carried(states_.size());
    for (const Copy c : carried) is_carried[static_cast<std::size_t>(c)] = 1;
    for (const bool mask : {false, true})
      for (int reg = 0; reg < (mask ? 8 : registers_); reg++) {
        const std::int32_t owner = owners(mask)[reg];
        if (owner != kNobody && !is_carried[static_cast<std::size_t>(owner)]) evict(owner);
      }
    unlock();
    for (const Copy c : carried) in_register(id_of(c), c % vectors_);
    unlock();
    for (const ValueId id : facts.written)
      for (int u = 0; u < vectors_; u++)
        if (state(copy(id, u)).reg >= 0) state(copy(id, u)).at_home = false;
    for (const Copy c : carried) open.carried.push_back({c, state(c).reg, state(c).at_home});

    const std::int32_t index = counter(loop.level), count = index + 4;
    // Streams start anew where the loop is entered again.
    for (const auto& [stream, delta] : streams_->plan.deltas[static_cast<std::size_t>(operation.immediate)]) {
      const StreamPlaces::Home& home = streams_->homes[static_cast<std::size_t>(stream)];
      out_.frame_bytes = (out_.frame_bytes + 7) / 8 * 8;
      open.saved.push_back(out_.frame_bytes);
      if (!home.in_register) asm_.load_gpr(kScratch, kFrame, home.slot);
      asm_.store_gpr(kFrame, out_.frame_bytes, home.reg);
      out_.frame_bytes += 8;
    }
    asm_.store_immediate(kFrame, index, 0);
    if (is_constant_count(loop)) {
      if (constant_count(loop) < 1) asm_.jump(open.skip);
    } else {
      const Element& form = program_->elements()[loop.count];
      asm_.store_immediate(kFrame, count, static_cast<std::int32_t>(form.offset));
      for (const IndexTerm& term : form.terms) {
        asm_.multiply(kScratch, kFrame, counter(term.level), static_cast<std::int32_t>(term.scale));
        asm_.add_to_memory(kFrame, count, kScratch);
      }
      asm_.compare_immediate(kFrame, count, 0);
      asm_.jump(Condition::less_or_equal, open.skip);
    }
    asm_.bind(open.head);
    for (const auto& [id, when] : facts.first_needs) need(id) = when;
  }

  void end_for(const Operation& operation) {
    const CountedLoop& loop = counted_loop(operation);
    Open& open = open_.back();
    // The registers as they were at the head.
    std::vector<std::uint8_t> is_carried(states_.size());
    for (const auto& kept : open.carried) is_carried[static_cast<std::size_t>(kept.copy)] = 1;
    for (const bool mask : {false, true})
      for (int reg = 0; reg < (mask ? 8 : registers_); reg++) {
        const std::int32_t owner = owners(mask)[reg];
        if (owner != kNobody && !is_carried[static_cast<std::size_t>(owner)]) evict(owner);
      }
    std::vector<Move> moves;
    for (const auto& kept : open.carried) moves.push_back({kept.reg, id_of(kept.copy), kept.copy % vectors_});
    move_all(std::move(moves));
    for (const auto& kept : open.carried) release(kept.copy);
    for (const auto& kept : open.carried) {
      settle(kept.copy, kept.reg);
      state(kept.copy).at_home = kept.at_home;
    }

    const auto& deltas = streams_->plan.deltas[static_cast<std::size_t>(operation.immediate)];
    for (const auto& [stream, delta] : deltas) {
      const StreamPlaces::Home& home = streams_->homes[static_cast<std::size_t>(stream)];
      if (home.in_register) asm_.add_gpr(home.reg, delta);
      else asm_.add_immediate_to_memory(kFrame, home.slot, delta);
    }
    const std::int32_t index = counter(loop.level), count = index + 4;
    asm_.compare_immediate(kCancel, 0, 0);
    asm_.jump(Condition::not_zero, out_.cancelled);
    if (is_constant_count(loop)) {
      asm_.increment(kFrame, index);
      asm_.compare_immediate(kFrame, index, constant_count(loop));
    } else {
      asm_.increment(kFrame, index);
      asm_.decrement_memory(kFrame, count);
      asm_.compare_immediate(kFrame, count, 0);
    }
    asm_.jump(is_constant_count(loop) ? Condition::less : Condition::greater, open.head);
    for (std::size_t k = 0; k < deltas.size(); k++) {
      const StreamPlaces::Home& home = streams_->homes[static_cast<std::size_t>(deltas[k].stream)];
      asm_.load_gpr(home.reg, kFrame, open.saved[k]);
      if (!home.in_register) asm_.store_gpr(kFrame, home.slot, home.reg);
    }
    asm_.bind(open.skip);
    open_.pop_back();
  }

  void structure(const Operation& operation) {
    switch (operation.kind) {
      case Kind::kFor: return start_for(operation);
      case Kind::kEndFor: return end_for(operation);
      case Kind::kIf: {
        const auto registers = decide(operation);
        test_any(registers);
        // The second kIf, that of the other side, is in an entry that kElse has made.
        if (open_.empty() || !open_.back().awaits_second) open_.push_back({});
        open_.back().awaits_second = false;
        asm_.jump(Condition::zero, open_.back().skip);
        break;
      }
      case Kind::kElse: {
        go_home();
        asm_.bind(open_.back().skip);
        open_.back() = {};
        open_.back().awaits_second = true;
        break;
      }
      case Kind::kEndIf:
        go_home();
        asm_.bind(open_.back().skip);
        open_.pop_back();
        break;
      case Kind::kLoop:
        go_home();
        asm_.store_immediate(kFrame, rounds_slot(operation.depth), 0);
        open_.push_back({});
        asm_.bind(open_.back().skip);
        break;
      case Kind::kEndLoop: {
        const auto registers = decide(operation);
        const std::int32_t rounds = rounds_slot(operation.depth);
        test_any(registers);
        Label done;
        asm_.jump(Condition::zero, done);
        asm_.increment(kFrame, rounds);
        asm_.compare_immediate(kFrame, rounds, operation.immediate);
        asm_.jump(Condition::greater_or_equal, out_.bail);
        asm_.compare_immediate(kCancel, 0, 0);
        asm_.jump(Condition::not_zero, out_.cancelled);
        asm_.jump(open_.back().skip);
        asm_.bind(done);
        open_.pop_back();
        break;
      }
      case Kind::kReturn:
        if (function_) return_from_function(operation);
        else return_values(operation);
        break;
      default: break;
    }
  }

  void return_from_function(const Operation& operation) {
    std::vector<Move> moves;
    for (int u = 0; u < vectors_; u++) {
      moves.push_back({u, operation.in[0], u});
      used_ |= 1u << u;
    }
    move_all(std::move(moves));
    asm_.ret();
  }

  // The values. One comparison of two vectors says whether either has a NaN; such groups go by `store_canonical`.
  void return_values(const Operation& operation) {
    unlock();
    for (int u = 0; u < vectors_; u++) returned_[static_cast<std::size_t>(u)] = in_register(operation.in[0], u);
    int found = 0;
    for (int u = 0; u < vectors_; u += 2) {
      const int target = wide_ && u == 0 ? 0 : allocate(wide_), first = returned_[static_cast<std::size_t>(u)];
      const int second = vectors_ == 1 ? first : returned_[static_cast<std::size_t>(u + 1)];
      asm_.vector(form::kCompare, target, first, Source::of(second), kUnordered, 0);
      if (wide_ && u > 0) asm_.mask_binary(form::kMaskOr, target, target, found);
      else if (u > 0) asm_.vector(form::kOr, target, target, Source::of(found));
      found = target;
    }
    if (wide_) {
      asm_.mask_test(found, found);
    } else {
      asm_.sign_bits(kScratch, found);
      asm_.test_gpr(kScratch);
    }
    asm_.jump(Condition::not_zero, out_.has_nan);
    store_values();
  }
  void store_values() {
    for (int u = 0; u < vectors_; u++) asm_.store(kValues, u * asm_.vector_bytes(), returned_[static_cast<std::size_t>(u)]);
  }

 public:
  // The values of a group with a NaN, each as the canonical one.
  void store_canonical() {
    const Source nan = memory(unit_.operations.back().in[1], 0);
    int unordered = wide_ ? 1 : 0;
    const auto is_taken = [&](int reg) {
      return (kept_ >> reg & 1) || std::find(returned_.begin(), returned_.begin() + vectors_, reg) != returned_.begin() + vectors_;
    };
    while (!wide_ && is_taken(unordered)) unordered++;
    for (int u = 0; u < vectors_; u++) {
      const int value = returned_[static_cast<std::size_t>(u)];
      asm_.vector(form::kCompare, unordered, value, Source::of(value), kUnordered, 0);
      if (wide_) asm_.vector(form::kBlend512, value, value, nan, unordered);
      else asm_.blend256(value, value, nan, unordered);
    }
    store_values();
  }

 private:
  struct Open {
    Label skip;
    bool awaits_second = false;
    // Of a counted loop.
    struct Kept {
      Copy copy;
      int reg;
      bool at_home;
    };
    Label head;
    std::size_t at = 0;
    std::vector<Kept> carried;
    std::vector<std::int32_t> saved;  // by stream that it moves: where in the frame
  };

  // A division with another way for unusual numbers. Registers by vector of dividends, divisors (`beside`) and quotients,
  // and, by a constant, to work with.
  struct Division {
    bool beside;
    std::array<int, kMostVectors> x, d, out;
    int spare, mask;
    Source low;
    ValueId by;
    Label rare, usual, done;
  };

  Output& out_;
  Assembler& asm_;
  Pool& pool_;
  const Unit& unit_;
  Function* const function_;
  const Program* const program_;
  const StreamPlaces* const streams_;
  const bool wide_;
  const int vectors_, registers_;
  std::vector<State> states_;
  std::vector<std::int32_t> need_;
  std::vector<std::uint8_t> prefetched_;
  std::array<std::int32_t, 32> owner_{};
  std::array<std::int32_t, 8> mask_owner_{};
  std::array<std::int32_t, kMaxDepth + 1> rounds_{};
  std::array<std::int32_t, kMaxForDepth> counters_{};
  std::uint32_t locked_ = 0, mask_locked_ = 0, used_ = 0, mask_used_ = 0;
  std::vector<Open> open_;
  std::vector<Division> divisions_;
  std::array<int, kMostVectors> returned_{};  // registers of the values
  std::uint32_t kept_ = 0;       // registers of constants, for all groups
  std::uint32_t arguments_ = 0;  // registers that nothing else gets before a function may go on elsewhere
  bool lost_argument_ = false;   // before a function could go on elsewhere with it
  bool no_register_ = false;
  std::int32_t at_ = 0;
};

// As many vectors per step as keep both ports busy: of long chains of operations four, of others two, since the
// processor looks ahead to what does not wait. Where four find room they are no slower with AVX-512, and shorter loops.
// The numbers are measured on the fixtures. `units`: the program, then its functions.
int choose_vectors(const std::vector<const Unit*>& units, InstructionSet set, bool fast) {
  const bool wide = set == InstructionSet::avx512;
  const Unit& main = *units.front();
  // Operations of one vector under way at once. Below `few`, four vectors are best, whatever they store. Without calls and
  // loops two are best from there on: they leave registers to constants, and shorter code. That holds for programs that
  // the processor has in view. From `several` on, four are slower with AVX2, even with room. From `kPlenty` on, one is
  // enough where two find no room and nothing is called.
  constexpr double kPlenty = 12;
  const double under_way = parallelism(main);
  const std::size_t in_view = wide ? 200 : 120;
  const bool is_straight = units.size() == 1 && main.loops == 0 && (main.operations.size() <= in_view || under_way >= kPlenty);
  const double few = wide ? 3.2 : is_straight ? 2.05 : 2.8, several = is_straight ? few : 4;
  constexpr std::size_t kMostOperations = 32'768;
  // More values than there are registers: some can be read from memory in place. Masks have seven of their own, or none;
  // beside calls, storing some of them costs little.
  const auto values_of = [](const Unit& unit) { return unit.pressure + unit.mask_pressure; };
  const auto fits = [&](int vectors) {
    if (wide) return main.pressure * vectors <= 44 && (units.size() > 1 || main.mask_pressure * vectors <= 8);
    return values_of(main) * vectors <= 20;
  };
  const bool functions_fit = std::all_of(units.begin() + 1, units.end(), [&](const Unit* unit) {
    return wide ? unit->pressure * 4 <= 44 : values_of(*unit) * 4 <= (fast ? 24 : values_of(main) * 4 <= 56 ? 48 : 40);
  });
  // Calls that four vectors share cost half as much.
  const bool calls_fit = !wide && !fast && units.size() > 1 && values_of(main) * 4 <= 32 &&
                         std::all_of(units.begin() + 1, units.end(), [&](const Unit* unit) { return values_of(*unit) * 4 <= 28; });
  const auto is_short = [&](int vectors) { return main.operations.size() * static_cast<std::size_t>(vectors) <= kMostOperations; };
  if (functions_fit && fits(4) && ((wide && !is_straight) || under_way < several)) return 4;
  if (functions_fit && is_short(4) && (under_way < few || calls_fit)) return 4;
  if (fits(2)) return 2;
  const bool has_plenty = units.size() == 1 && under_way >= kPlenty && main.pressure * 2 > (wide ? 32 : 16);
  return is_short(2) && !has_plenty ? 2 : 1;
}

bool has_fused_operations(InstructionSet set) {
#if defined(EXTREMUM_JIT)
  return set == InstructionSet::avx512 || __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

// Whose AVX-512 has ports as wide as its vectors beside a slow divider.
bool is_intel() {
#if defined(EXTREMUM_JIT)
  return __builtin_cpu_is("intel");
#else
  return false;
#endif
}

// Where lines meet, every value is looked at: what that takes, so that no program compiles for seconds.
constexpr std::size_t kMostStructureWork = 50'000'000;
std::size_t structure_work(const Unit& unit, const Pool& pool) {
  const std::size_t values = static_cast<std::size_t>(unit.first_constant) + pool.values().size();
  const auto meetings = static_cast<std::size_t>(std::count_if(
      unit.operations.begin(), unit.operations.end(), [](const Operation& operation) { return is_structure(operation.kind); }));
  return meetings * values + unit.operations.size() * static_cast<std::size_t>(unit.loops);
}

// Where a function of one argument goes on with a group that has a rare lane: `all` for one vector after the other, in
// the place of the function itself, whose callers count on no more registers being lost than it has named.
void emit_rare(Output& output, Function& usual, Function& all) {
  Assembler& assembler = output.assembler;
  const int bytes = assembler.vector_bytes(), registers = output.set == InstructionSet::avx512 ? 32 : 16;
  const auto take = [&](int count) {
    output.frame_bytes = (output.frame_bytes + bytes - 1) / bytes * bytes;
    const std::int32_t at = output.frame_bytes;
    output.frame_bytes += count * bytes;
    return at;
  };
  const std::uint32_t lost = usual.clobbers | ((1u << output.vectors) - 1), kept = all.clobbers & ~lost;
  const std::uint32_t kept_masks = all.mask_clobbers & ~usual.mask_clobbers;
  const std::int32_t registers_at = take(registers), masks_at = take(8), vectors_at = take(output.vectors);
  const auto each = [&](auto whole, auto mask) {
    for (int reg = 0; reg < registers; reg++)
      if (kept >> reg & 1) whole(registers_at + reg * bytes, reg);
    for (int reg = 0; reg < 8; reg++)
      if (kept_masks >> reg & 1) mask(masks_at + reg * 8, reg);
  };
  assembler.bind(usual.rare);
  each([&](std::int32_t at, int reg) { assembler.store(kFrame, at, reg); },
       [&](std::int32_t at, int reg) { assembler.mask_store(kFrame, at, reg); });
  for (int u = 0; u < output.vectors; u++) assembler.store(kFrame, vectors_at + u * bytes, u);
  for (int u = 0; u < output.vectors; u++) {
    if (u > 0) assembler.load(0, Source::at(kFrame, vectors_at + u * bytes));
    assembler.call(all.entry);
    assembler.store(kFrame, vectors_at + u * bytes, 0);
  }
  for (int u = 0; u < output.vectors; u++) assembler.load(u, Source::at(kFrame, vectors_at + u * bytes));
  each([&](std::int32_t at, int reg) { assembler.load(reg, Source::at(kFrame, at)); },
       [&](std::int32_t at, int reg) { assembler.mask_load(reg, kFrame, at); });
  assembler.ret();
}

bool compile_program(const Program& program, const MathLibrary& library, InstructionSet set,
                     const NativeCode::Options& options, Compiled& compiled, int& vectors, std::string& reason) {
  const std::size_t max_bytes = options.max_bytes;
  constexpr std::size_t kOpcodes = static_cast<std::size_t>(Opcode::kCount);
  constexpr auto kFirstMath = static_cast<std::size_t>(Opcode::k_sin);
  std::vector<std::uint8_t> called(kOpcodes);
  const bool fused = has_fused_operations(set), relaxed = options.fast && fused;
  // An instruction takes four bytes at the very least.
  if (program.steps().size() > max_bytes / 4) return reason = "the native code would be too large", false;
  Pool pool;
  Unit main;
  if (!build_unit(program, set, pool, main, reason)) return false;
  if (structure_work(main, pool) > kMostStructureWork) return reason = "its control flow is too large for native code", false;
  // The canonical NaN of the result.
  main.operations.back().in[1] = main.first_constant + pool.index(0x7ff8000000000000u);
  std::vector<Unit> functions(kOpcodes), with_rare(kOpcodes);
  std::vector<const Unit*> units{&main};
  pool.index(1);  // the bits that kTestBit asks for
  pool.index(2);
  if (relaxed) relax(pool, main);
  for (const Operation& operation : main.operations)
    if (operation.kind == Kind::kCall) called[static_cast<std::size_t>(operation.immediate)] = 1;
  for (std::size_t opcode = kFirstMath; opcode < kOpcodes; opcode++) {
    if (!called[opcode]) continue;
    if (opcode >= library.size() || !library[opcode]) return reason = "the library lacks a function that it calls", false;
    const Program& function = *library[opcode];
    const auto is_for_rare_lanes = [](Opcode each) {
      return each == Opcode::k_if || each == Opcode::k_else || each == Opcode::k_endif || each == Opcode::k_blend;
    };
    for (const Step& step : function.steps())
      if (&step != &function.steps().back() && !is_for_rare_lanes(step.opcode) &&
          (!step.kernel[kWide] || step.test[kWide] || static_cast<std::size_t>(step.opcode) >= kFirstMath ||
           step.opcode == Opcode::k_bblend))
        return reason = "a function of the library is not straight-line", false;
    bool has_rare = false;
    if (!build_function(function, set, Lanes::usual, pool, functions[opcode], has_rare, reason)) return false;
    simplify_function(static_cast<Opcode>(opcode), set, fused, relaxed, pool, functions[opcode]);
    units.push_back(&functions[opcode]);
    if (!has_rare) continue;
    const Lanes lanes = is_trigonometric(static_cast<Opcode>(opcode)) ? Lanes::all : Lanes::all_as_rare;
    if (!build_function(function, set, lanes, pool, with_rare[opcode], has_rare, reason)) return false;
    simplify_function(static_cast<Opcode>(opcode), set, fused, relaxed, pool, with_rare[opcode]);
  }
  if (fused && divide_by_products(set, relaxed, functions, pool, main)) {
    for (const std::uint64_t bits : {std::uint64_t{0}, kMagnitude, kLargeExponent, kUsualExponent, kSmallestBits})
      pool.index(bits);
  }
  const bool beside = set == InstructionSet::avx512 && is_intel();
  if (beside) pool.index(kMostExponent), pool.index(kOneBits);
  const std::size_t constants = pool.values().size();
  int most_vectors = kMostVectors;
  // A vector without a row costs as much as one with eight.
  const std::size_t lanes = set == InstructionSet::avx512 ? 8 : 4;
  if (options.rows_at_once > 0)
    while (most_vectors > 1 && options.rows_at_once <= static_cast<std::size_t>(most_vectors / 2) * lanes) most_vectors /= 2;
  // Of a function with rare lanes: whether all vectors go on with it at once.
  const auto is_short = [](const Unit& all) { return all.operations.size() <= kMostOperationsTogether; };
  const auto prepare = [&](Unit& unit) {
    find_needs(unit, constants);
    if (relaxed) {
      contract(pool, unit);
      find_needs(unit, constants);
      if (&unit == &main) chain(pool, unit);
      find_needs(unit, constants);
    }
    if (&unit == &main) {
      find_extremes(pool, unit);
      find_needs(unit, constants);
      if (set == InstructionSet::avx512) {
        compare_under_masks(pool, unit);
        find_needs(unit, constants);
        arithmetic_under_masks(pool, unit);
      }
      divide_early(unit);
    } else {
      schedule(set, unit);
    }
    find_needs(unit, constants);
  };
  prepare(main);
  if (beside) divide_beside(functions, relaxed, main);
  for (std::size_t opcode = kFirstMath; opcode < kOpcodes; opcode++)
    if (called[opcode]) {
      prepare(functions[opcode]);
      if (is_short(with_rare[opcode])) prepare(with_rare[opcode]);
      else find_needs(with_rare[opcode], constants);
    }
  vectors = options.vectors ? static_cast<int>(options.vectors) : std::min(choose_vectors(units, set, options.fast), most_vectors);

  Output output{Assembler(set), set, relaxed, vectors, {}, 0, max_bytes, {}, {}, {}};
  const std::int32_t group_bytes = vectors * output.assembler.vector_bytes();
  StreamPlaces streams;
  if (!plan_streams(program, group_bytes, kColumnBytes, streams.plan, reason)) return false;
  // The values of a group lie before its outputs, which are the first local arrays.
  if (program.outputs() > 0) {
    compiled.results_start = static_cast<std::size_t>(output.frame_bytes);
    output.frame_bytes += group_bytes;
  }
  streams.first_local = output.frame_bytes;
  output.frame_bytes += static_cast<std::int32_t>(program.locals()) * group_bytes;
  streams.settle(output.frame_bytes);
  for (std::size_t opcode = kFirstMath; opcode < kOpcodes; opcode++) {
    if (!called[opcode]) continue;
    const std::size_t arguments = library[opcode]->dimension();
    if (arguments > 2) return reason = "a function of the library takes too many arguments", false;
    Function& usual = output.functions[opcode];
    if (!Emitter(output, functions[opcode], pool, vectors, &usual).run(arguments))
      return reason = "the native code would be too large", false;
    if (with_rare[opcode].operations.empty()) continue;
    const bool together = is_short(with_rare[opcode]);
    Function all;
    if (together) output.assembler.bind(usual.rare);
    if (!Emitter(output, with_rare[opcode], pool, together ? vectors : 1, &all).run(arguments) || (!together && arguments != 1))
      return reason = "the native code would be too large", false;
    if (together) usual.clobbers |= all.clobbers, usual.mask_clobbers |= all.mask_clobbers;
    else emit_rare(output, usual, all);
  }

  Assembler& assembler = output.assembler;
  compiled.entry = assembler.code().size();
  const auto leave = [&] {
    for (std::size_t k = streams.registers; k-- > 0;) assembler.pop(kStreamRegisters[k]);
    assembler.zero_upper();
    assembler.ret();
  };
  for (std::size_t k = 0; k < streams.registers; k++) assembler.push(kStreamRegisters[k]);
  assembler.move_immediate(kGivenUp, 0);
  assembler.move_immediate(kThisGroup, 1);
  const auto emitter_into = [&](Output& into) { return Emitter(into, main, pool, vectors, nullptr, &program, &streams); };
  Emitter emitter = emitter_into(output);
  {
    // Which registers are free is known when the code is: this one is thrown away.
    Output trial{Assembler(set), set, relaxed, vectors, {}, output.frame_bytes, max_bytes, {}, {}, {}};
    for (std::size_t opcode = kFirstMath; opcode < kOpcodes; opcode++) {
      trial.functions[opcode].clobbers = output.functions[opcode].clobbers;
      trial.functions[opcode].mask_clobbers = output.functions[opcode].mask_clobbers;
    }
    Emitter first = emitter_into(trial);
    if (!first.run(0)) return reason = "the native code would be too large", false;
    emitter.keep_constants(first.free_registers());
  }
  Label group, next;
  assembler.bind(group);
  // Also after a group that was given up within a loop.
  for (const StreamPlaces::Home& home : streams.homes) {
    if (home.in_register) assembler.move_immediate(home.reg, 0);
    else assembler.store_wide_immediate(kFrame, home.slot, 0);
  }
  if (!emitter.run(0)) return reason = "the native code would be too large", false;
  assembler.bind(next);
  assembler.add_gpr(kCoordinates, group_bytes);
  assembler.add_gpr(kValues, group_bytes);
  assembler.double_gpr(kThisGroup);
  // After the last group of a tile comes the first of the next.
  const std::int32_t groups_of_tile = kColumnBytes / group_bytes;
  std::int32_t first_groups = 0;
  for (std::int32_t k = groups_of_tile; k <= static_cast<std::int32_t>(kMostGroups); k += groups_of_tile) first_groups |= 1 << k;
  Label same_tile;
  assembler.test_gpr(kThisGroup, first_groups);
  assembler.jump(Condition::zero, same_tile);
  assembler.add_gpr(kCoordinates, (static_cast<std::int32_t>(program.dimension()) - 1) * kColumnBytes);
  assembler.bind(same_tile);
  assembler.decrement(kGroups);
  assembler.jump(Condition::not_zero, group);
  leave();
  compiled.gives_up = output.bail.is_awaited();
  assembler.bind(output.has_nan);
  emitter.store_canonical();
  assembler.jump(next);
  emitter.divide_elsewhere();
  if (assembler.code().size() > max_bytes) return reason = "the native code would be too large", false;
  assembler.bind(output.bail);
  assembler.or_gpr(kGivenUp, kThisGroup);
  assembler.jump(next);
  assembler.bind(output.cancelled);
  assembler.or_immediate(kGivenUp, static_cast<std::int32_t>(NativeCode::kCancelled));
  leave();

  compiled.code = assembler.code();
  compiled.frame_bytes = static_cast<std::size_t>(output.frame_bytes);
  for (const double value : streams.plan.tables) compiled.pool.push_back(std::bit_cast<std::uint64_t>(value));
  compiled.pool_start = compiled.pool.size();
  for (std::size_t k = 0; k < pool.values().size(); k++)
    for (int lane = 0; lane < (set == InstructionSet::avx512 ? 1 : 4); lane++)
      compiled.pool.push_back(lane % 2 == 0 ? pool.values()[k] : pool.odd_lanes()[k]);
  return true;
}

}  // namespace
}  // namespace jit

#if defined(EXTREMUM_JIT)

bool NativeCode::supports(const std::string& target) {
  return (target == "avx512" || target == "avx2") && find_target(target) != nullptr;
}

std::unique_ptr<NativeCode> NativeCode::compile(const Program& program, const MathLibrary& library,
                                                const Options& options, std::string& reason) {
  if (!supports(options.target)) return reason = "no native code for " + options.target, nullptr;
  // Tiles are whole groups.
  if (options.vectors > jit::kMostVectors || options.vectors == 3) return reason = "1, 2 or 4 vectors per step", nullptr;
  const jit::InstructionSet set = options.target == "avx512" ? jit::InstructionSet::avx512 : jit::InstructionSet::avx2;
  jit::Compiled compiled;
  int vectors = 0;
  if (!jit::compile_program(program, library, set, options, compiled, vectors, reason))
    return nullptr;

  // Written first, then executable: never both.
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t mapped = (compiled.code.size() + page - 1) / page * page;
  void* const pages = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return reason = "no memory for native code", nullptr;
  std::memcpy(pages, compiled.code.data(), compiled.code.size());
  if (mprotect(pages, mapped, PROT_READ | PROT_EXEC) != 0) {
    munmap(pages, mapped);
    return reason = "the system does not let this process make code executable", nullptr;
  }

  std::unique_ptr<NativeCode> code(new NativeCode);
  code->target_ = options.target;
  code->vectors_ = static_cast<unsigned>(vectors);
  code->code_bytes_ = compiled.code.size();
  code->mapped_bytes_ = mapped;
  code->pages_ = pages;
  code->group_lanes_ = static_cast<std::size_t>(vectors) * (set == jit::InstructionSet::avx512 ? 8 : 4);
  // Whole tiles, or part of one.
  code->block_lanes_ = std::min(kMostNativeLanes, kMostGroups * code->group_lanes_);
  code->fast_ = options.fast;
  code->gives_up_ = compiled.gives_up;
  code->entry_ = compiled.entry;
  code->frame_doubles_ = (compiled.frame_bytes + 63) / 64 * 8;
  code->results_start_ = compiled.results_start / sizeof(double);
  // With AVX2, constants are whole vectors: no line of the cache may split them.
  code->pool_.resize(compiled.pool.size() + jit::kCacheLine / 8);
  const auto unaligned = reinterpret_cast<std::uintptr_t>(code->pool_.data() + compiled.pool_start) % jit::kCacheLine;
  const std::size_t shift = (jit::kCacheLine - unaligned) % jit::kCacheLine / 8;
  std::copy(compiled.pool.begin(), compiled.pool.end(), code->pool_.begin() + static_cast<std::ptrdiff_t>(shift));
  code->pool_start_ = shift + compiled.pool_start;
  return code;
}

NativeCode::~NativeCode() {
  if (pages_) munmap(pages_, mapped_bytes_);
}

std::uint32_t NativeCode::run(double* frame, const double* coordinates, std::size_t groups, double* values,
                              const std::atomic<std::int32_t>* cancel) const {
  static_assert(sizeof(std::atomic<std::int32_t>) == sizeof(std::int32_t));
  static const std::atomic<std::int32_t> never{0};
  using Code = std::uint32_t (*)(void* frame, const char* coordinates, const char* constants, std::uint32_t groups,
                                 double* values, const void* cancel);
  const auto code = reinterpret_cast<Code>(static_cast<char*>(pages_) + entry_);
  return code(frame, reinterpret_cast<const char*>(coordinates) + jit::kCoordinateBias,
              reinterpret_cast<const char*>(pool_.data() + pool_start_) + jit::kConstantBias, static_cast<std::uint32_t>(groups), values,
              cancel ? cancel : &never);
}

#else

bool NativeCode::supports(const std::string&) { return false; }
std::unique_ptr<NativeCode> NativeCode::compile(const Program&, const MathLibrary&, const Options&, std::string& reason) {
  reason = "no native code for this processor or system";
  return nullptr;
}
NativeCode::~NativeCode() = default;
std::uint32_t NativeCode::run(double*, const double*, std::size_t, double*, const std::atomic<std::int32_t>*) const { return kCancelled; }

#endif

}  // namespace extremum
