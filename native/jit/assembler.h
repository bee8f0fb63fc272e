// Encodes the x86-64 instructions that the compiler of native code uses. Knows nothing of programs.
// Sources: Intel SDM volume 2, chapter 2 (VEX and EVEX prefixes) and the pages of the instructions.
// The forms are checked against a disassembler in test/jit_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace extremum::jit {

enum class InstructionSet { avx2, avx512 };

// Numbers as in the encoding.
enum Gpr : std::uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };

// The last source of a vector instruction: a register, or memory at `base + displacement`. `broadcast` (AVX-512): one
// double for all lanes. Memory may have an index register, whose value is added.
struct Source {
  enum Kind : std::uint8_t { kRegister, kMemory, kBroadcast } kind;
  std::uint8_t reg;  // vector register, or Gpr
  std::int32_t displacement;
  std::int8_t index = -1;
  static Source of(int reg) { return {kRegister, static_cast<std::uint8_t>(reg), 0}; }
  static Source at(Gpr base, std::int32_t displacement) { return {kMemory, base, displacement}; }
  static Source broadcast(Gpr base, std::int32_t displacement) { return {kBroadcast, base, displacement}; }
  Source indexed(Gpr by) const { return {kind, reg, displacement, static_cast<std::int8_t>(by)}; }
};

// Opcode maps and mandatory prefixes as the VEX and EVEX fields number them.
enum Map : std::uint8_t { k0F = 1, k0F38 = 2, k0F3A = 3 };
enum Prefix : std::uint8_t { kNone = 0, k66 = 1, kF3 = 2, kF2 = 3 };

struct Form {
  Map map;
  Prefix prefix;
  std::uint8_t opcode;
  bool vex_w = false;  // EVEX forms of doubles always have it
};

namespace form {
inline constexpr Form kLoad{k0F, k66, 0x10}, kStore{k0F, k66, 0x11}, kMove{k0F, k66, 0x28};
inline constexpr Form kAdd{k0F, k66, 0x58}, kMul{k0F, k66, 0x59}, kSub{k0F, k66, 0x5c}, kDiv{k0F, k66, 0x5e};
inline constexpr Form kSqrt{k0F, k66, 0x51}, kAnd{k0F, k66, 0x54}, kAndNot{k0F, k66, 0x55}, kOr{k0F, k66, 0x56},
    kXor{k0F, k66, 0x57};
inline constexpr Form kCompare{k0F, k66, 0xc2}, kShiftImmediate{k0F, k66, 0x73};
inline constexpr Form kRound{k0F3A, k66, 0x09};   // vroundpd, vrndscalepd
inline constexpr Form kScale{k0F38, k66, 0x2c};   // vscalefpd, AVX-512
inline constexpr Form kBlend512{k0F38, k66, 0x65};  // vblendmpd
inline constexpr Form kBlend256{k0F3A, k66, 0x4b};  // vblendvpd
inline constexpr Form kBroadcast{k0F38, k66, 0x19};
inline constexpr Form kTernary{k0F3A, k66, 0x25};  // vpternlogq, AVX-512
inline constexpr Form kRange{k0F3A, k66, 0x50};    // vrangepd, AVX-512
inline constexpr Form kReciprocal{k0F38, k66, 0x4c}, kExponent{k0F38, k66, 0x42};  // vrcp14pd, vgetexppd, AVX-512
inline constexpr Form kSignMask{k0F38, kF3, 0x39};  // vpmovq2m, AVX-512
inline constexpr Form kTestBits{k0F38, k66, 0x27}, kTestNoBits{k0F38, kF3, 0x27};  // vptestmq, vptestnmq, AVX-512
inline constexpr Form kMin{k0F, k66, 0x5d}, kMax{k0F, k66, 0x5f};
inline constexpr Form kPermute{k0F38, k66, 0x0d}, kAddInt{k0F, k66, 0xd4};  // AVX2: vpermilpd, vpaddq
inline constexpr Form kGreaterInt{k0F38, k66, 0x37}, kEqualInt{k0F38, k66, 0x29};  // vpcmpgtq, vpcmpeqq, AVX2
// Fused: the first number names the factors and the second the term, of out, a, b in this order.
inline constexpr Form kMulAdd213{k0F38, k66, 0xa8, true}, kMulAdd231{k0F38, k66, 0xb8, true};        // a * b + c
inline constexpr Form kMulSub213{k0F38, k66, 0xaa, true}, kMulSub231{k0F38, k66, 0xba, true};        // a * b - c
inline constexpr Form kNegMulAdd213{k0F38, k66, 0xac, true}, kNegMulAdd231{k0F38, k66, 0xbc, true};  // c - a * b
inline constexpr Form kMaskAnd{k0F, k66, 0x41}, kMaskAndNot{k0F, k66, 0x42}, kMaskNot{k0F, k66, 0x44},
    kMaskOr{k0F, k66, 0x45}, kMaskXnor{k0F, k66, 0x46}, kMaskXor{k0F, k66, 0x47};
}  // namespace form

enum class Condition : std::uint8_t { zero = 4, not_zero = 5, less = 0xc, greater_or_equal = 0xd, less_or_equal = 0xe, greater = 0xf };

// A place in the code; jumps to it may come before or after `bind`.
class Label {
 public:
  Label() = default;
  Label(const Label&) = delete;
  Label& operator=(const Label&) = delete;
  Label(Label&&) = default;
  Label& operator=(Label&&) = default;

  // Before it is bound.
  bool is_awaited() const { return !jumps_.empty(); }

 private:
  friend class Assembler;
  std::ptrdiff_t at_ = -1;
  std::vector<std::size_t> jumps_;
};

class Assembler {
 public:
  explicit Assembler(InstructionSet set) : wide_(set == InstructionSet::avx512) {}

  const std::vector<std::uint8_t>& code() const { return code_; }
  int vector_bytes() const { return wide_ ? 64 : 32; }

  // out = form(a, b). `mask` (AVX-512): only these lanes of `out` change; of a comparison, the others get 0.
  void vector(Form form, int out, int a, Source b, int mask = 0);
  void vector(Form form, int out, int a, Source b, std::uint8_t immediate, int mask);
  // AVX-512: the same of registers, the result rounded up.
  void vector_up(Form form, int out, int a, int b);
  // Instructions of one source.
  void vector_unary(Form form, int out, Source a) { vector(form, out, 0, a); }
  void vector_unary_immediate(Form form, int out, Source a, std::uint8_t immediate) { vector(form, out, 0, a, immediate, 0); }
  void move(int out, int in) { vector_unary(form::kMove, out, Source::of(in)); }
  void load(int out, Source memory);
  void store(Gpr base, std::int32_t displacement, int in) { store(Source::at(base, displacement), in); }
  void store(Source memory, int in);
  void shift_left(int out, int in, std::uint8_t bits) { shift(6, out, in, bits); }
  void shift_right(int out, int in, std::uint8_t bits) { shift(2, out, in, bits); }
  void blend256(int out, int if_clear, Source if_set, int mask);

  // AVX-512 mask registers, eight bits.
  void mask_binary(Form form, int out, int a, int b);
  void mask_not(int out, int a);
  void mask_move(int out, int in);
  void mask_load(int out, Gpr base, std::int32_t displacement);
  void mask_store(Gpr base, std::int32_t displacement, int in);
  void mask_test(int a, int b);  // kortestb: zero flag when a | b is empty
  // AVX2: the sign bits of the lanes.
  void sign_bits(Gpr out, int in);
  void prefetch(Gpr base, std::int32_t displacement);  // into the first-level cache; never faults
  void zero_upper();

  void add_gpr(Gpr out, std::int32_t immediate);                   // 64 bits
  void move_immediate(Gpr out, std::int32_t value);                // 32 bits
  void or_gpr(Gpr out, Gpr in);                                    // 32 bits
  void or_immediate(Gpr out, std::int32_t value);                  // 32 bits
  void double_gpr(Gpr out);                                        // 32 bits
  void decrement(Gpr out);                                         // 32 bits
  void test_gpr(Gpr a);                                            // 32 bits
  void test_gpr(Gpr a, std::int32_t bits);                         // 32 bits
  void compare_gpr(Gpr a, std::int32_t value);                     // 32 bits
  void store_immediate(Gpr base, std::int32_t displacement, std::int32_t value);    // 32 bits
  void increment(Gpr base, std::int32_t displacement);                              // 32 bits
  void decrement_memory(Gpr base, std::int32_t displacement);                       // 32 bits
  void compare_immediate(Gpr base, std::int32_t displacement, std::int32_t value);  // 32 bits
  void multiply(Gpr out, Gpr base, std::int32_t displacement, std::int32_t factor);  // 32 bits: out = memory * factor
  void add_to_memory(Gpr base, std::int32_t displacement, Gpr in);                  // 32 bits
  void load_gpr(Gpr out, Gpr base, std::int32_t displacement);                      // 64 bits
  void store_gpr(Gpr base, std::int32_t displacement, Gpr in);                      // 64 bits
  void add_immediate_to_memory(Gpr base, std::int32_t displacement, std::int32_t value);    // 64 bits
  void store_wide_immediate(Gpr base, std::int32_t displacement, std::int32_t value);       // 64 bits
  void push(Gpr in);
  void pop(Gpr out);
  void jump(Condition condition, Label& target);
  void jump(Label& target);
  void call(Label& target);
  void ret();
  void bind(Label& label);

 private:
  void byte(unsigned value) { code_.push_back(static_cast<std::uint8_t>(value)); }
  void word32(std::int32_t value);
  void modrm_memory(unsigned reg, Gpr base, std::int32_t displacement, int scale, int index = -1);
  // `length`: of the vectors, 1 for 256 bits, 2 for 512. `scale`: bytes of the memory operand, 0: as many.
  // `rounds_up`: of registers; the rounding has the field of the length, and the same bits as that of 512 bits.
  void evex(Form form, unsigned reg, unsigned vvvv, Source rm, int mask, unsigned length = 2, int scale = 0, bool rounds_up = false);
  void vex(Form form, unsigned reg, unsigned vvvv, Source rm, bool wide);
  void shift(unsigned extension, int out, int in, std::uint8_t bits);
  void gpr_memory(unsigned opcode, unsigned reg, Gpr base, std::int32_t displacement, bool wide = false);
  void reference(Label& label);

  std::vector<std::uint8_t> code_;
  const bool wide_;
};

}  // namespace extremum::jit
