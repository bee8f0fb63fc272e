#include "jit/assembler.h"

namespace extremum::jit {

void Assembler::word32(std::int32_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  for (unsigned shift = 0; shift < 32; shift += 8) byte(bits >> shift & 0xff);
}

// `scale`: unit of an eight-bit displacement. Bases rsp and r12, which need an index, are not used; rsp cannot be one.
void Assembler::modrm_memory(unsigned reg, Gpr base, std::int32_t displacement, int scale, int index) {
  const bool indexed = index >= 0;
  const auto field = [&](unsigned mode) {
    byte(mode | (reg & 7) << 3 | (indexed ? 4u : base & 7u));
    if (indexed) byte((static_cast<unsigned>(index) & 7) << 3 | (base & 7u));
  };
  if (displacement == 0 && (base & 7) != rbp) {
    field(0);
  } else if (displacement % scale == 0 && displacement / scale >= -128 && displacement / scale <= 127) {
    field(0x40);
    byte(static_cast<unsigned>(displacement / scale) & 0xff);
  } else {
    field(0x80);
    word32(displacement);
  }
}

namespace {
// The bit of the index register that the prefix holds.
unsigned index_high(const Source& memory) { return memory.index >= 0 ? static_cast<unsigned>(memory.index) >> 3 & 1 : 0; }
}  // namespace

void Assembler::evex(Form form, unsigned reg, unsigned vvvv, Source rm, int mask, unsigned length, int scale, bool rounds_up) {
  const bool memory = rm.kind != Source::kRegister;
  const unsigned r = reg >> 3 & 1, r2 = reg >> 4 & 1, b = rm.reg >> 3 & 1, x = memory ? index_high(rm) : rm.reg >> 4 & 1u;
  byte(0x62);
  byte((r ^ 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | (r2 ^ 1) << 4 | form.map);
  byte(1u << 7 | (~vvvv & 0xf) << 3 | 1u << 2 | form.prefix);
  byte(length << 5 | (rm.kind == Source::kBroadcast || rounds_up ? 1u : 0u) << 4 | (~vvvv >> 4 & 1) << 3 |
       static_cast<unsigned>(mask));
  byte(form.opcode);
  if (!memory) {
    byte(0xc0 | (reg & 7) << 3 | (rm.reg & 7));
    return;
  }
  // vbroadcastsd reads one double too.
  const bool scalar = rm.kind == Source::kBroadcast ||
                      (form.map == form::kBroadcast.map && form.opcode == form::kBroadcast.opcode);
  modrm_memory(reg, static_cast<Gpr>(rm.reg), rm.displacement, scale ? scale : scalar ? 8 : 64, rm.index);
}

void Assembler::vex(Form form, unsigned reg, unsigned vvvv, Source rm, bool wide) {
  const unsigned r = reg >> 3 & 1, x = rm.kind == Source::kRegister ? 0 : index_high(rm), b = rm.reg >> 3 & 1;
  const unsigned rest = (form.vex_w ? 1u : 0u) << 7 | (~vvvv & 0xf) << 3 | (wide ? 1u : 0u) << 2 | form.prefix;
  if (form.map == k0F && !b && !x) {
    byte(0xc5);
    byte((r ^ 1) << 7 | rest);
  } else {
    byte(0xc4);
    byte((r ^ 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | form.map);
    byte(rest);
  }
  byte(form.opcode);
  if (rm.kind == Source::kRegister) byte(0xc0 | (reg & 7) << 3 | (rm.reg & 7));
  else modrm_memory(reg, static_cast<Gpr>(rm.reg), rm.displacement, 1, rm.index);
}

void Assembler::vector(Form form, int out, int a, Source b, int mask) {
  if (wide_) evex(form, static_cast<unsigned>(out), static_cast<unsigned>(a), b, mask);
  else vex(form, static_cast<unsigned>(out), static_cast<unsigned>(a), b, true);
}

void Assembler::vector_up(Form form, int out, int a, int b) {
  evex(form, static_cast<unsigned>(out), static_cast<unsigned>(a), Source::of(b), 0, 2, 0, true);
}

void Assembler::vector(Form form, int out, int a, Source b, std::uint8_t immediate, int mask) {
  vector(form, out, a, b, mask);
  byte(immediate);
}

void Assembler::load(int out, Source memory) {
  if (memory.kind == Source::kBroadcast) {
    memory.kind = Source::kMemory;
    vector(form::kBroadcast, out, 0, memory);
  } else {
    vector(form::kLoad, out, 0, memory);
  }
}

void Assembler::store(Source memory, int in) { vector(form::kStore, in, 0, memory); }

void Assembler::shift(unsigned extension, int out, int in, std::uint8_t bits) {
  if (wide_) evex(form::kShiftImmediate, extension, static_cast<unsigned>(out), Source::of(in), 0);
  else vex(form::kShiftImmediate, extension, static_cast<unsigned>(out), Source::of(in), true);
  byte(bits);
}

void Assembler::blend256(int out, int if_clear, Source if_set, int mask) {
  vex(form::kBlend256, static_cast<unsigned>(out), static_cast<unsigned>(if_clear), if_set, true);
  byte(static_cast<unsigned>(mask) << 4);
}

void Assembler::mask_binary(Form form, int out, int a, int b) {
  vex(form, static_cast<unsigned>(out), static_cast<unsigned>(a), Source::of(b), true);
}
void Assembler::mask_not(int out, int a) { vex(form::kMaskNot, static_cast<unsigned>(out), 0, Source::of(a), false); }
void Assembler::mask_move(int out, int in) { vex({k0F, k66, 0x90}, static_cast<unsigned>(out), 0, Source::of(in), false); }
void Assembler::mask_load(int out, Gpr base, std::int32_t displacement) {
  vex({k0F, k66, 0x90}, static_cast<unsigned>(out), 0, Source::at(base, displacement), false);
}
void Assembler::mask_store(Gpr base, std::int32_t displacement, int in) {
  vex({k0F, k66, 0x91}, static_cast<unsigned>(in), 0, Source::at(base, displacement), false);
}
void Assembler::mask_test(int a, int b) {
  vex({k0F, k66, 0x98}, static_cast<unsigned>(a), 0, Source::of(b), false);
}
void Assembler::sign_bits(Gpr out, int in) { vex({k0F, k66, 0x50}, out, 0, Source::of(in), true); }
void Assembler::prefetch(Gpr base, std::int32_t displacement) {
  if (base >= r8) byte(0x41);
  byte(0x0f);
  byte(0x18);
  modrm_memory(1, base, displacement, 1);
}
void Assembler::zero_upper() {
  byte(0xc5);
  byte(0xf8);
  byte(0x77);
}

void Assembler::add_gpr(Gpr out, std::int32_t immediate) {
  byte(0x48 | out >> 3);
  byte(0x81);
  byte(0xc0u | (out & 7u));
  word32(immediate);
}
void Assembler::move_immediate(Gpr out, std::int32_t value) {
  if (out >= r8) byte(0x41);
  byte(0xb8u | (out & 7u));
  word32(value);
}
void Assembler::or_gpr(Gpr out, Gpr in) {
  if (out >= r8 || in >= r8) byte(0x40 | (in >> 3) << 2 | out >> 3);
  byte(0x09);
  byte(0xc0u | (in & 7u) << 3 | (out & 7u));
}
void Assembler::or_immediate(Gpr out, std::int32_t value) {
  if (out >= r8) byte(0x41);
  byte(0x81);
  byte(0xc8u | (out & 7u));
  word32(value);
}
void Assembler::double_gpr(Gpr out) {
  if (out >= r8) byte(0x45);
  byte(0x01);
  byte(0xc0u | (out & 7u) << 3 | (out & 7u));
}
void Assembler::decrement(Gpr out) {
  if (out >= r8) byte(0x41);
  byte(0xff);
  byte(0xc8u | (out & 7u));
}
void Assembler::compare_gpr(Gpr a, std::int32_t value) {
  if (a >= r8) byte(0x41);
  byte(0x81);
  byte(0xf8u | (a & 7u));
  word32(value);
}
void Assembler::test_gpr(Gpr a, std::int32_t bits) {
  if (a >= r8) byte(0x41);
  byte(0xf7);
  byte(0xc0u | (a & 7u));
  word32(bits);
}
void Assembler::test_gpr(Gpr a) {
  if (a >= r8) byte(0x45);
  byte(0x85);
  byte(0xc0u | (a & 7u) << 3 | (a & 7u));
}
void Assembler::gpr_memory(unsigned opcode, unsigned reg, Gpr base, std::int32_t displacement, bool wide) {
  const unsigned prefix = (wide ? 8u : 0u) | (reg >> 3) << 2 | base >> 3;
  if (prefix) byte(0x40 | prefix);
  byte(opcode);
  modrm_memory(reg, base, displacement, 1);
}
void Assembler::multiply(Gpr out, Gpr base, std::int32_t displacement, std::int32_t factor) {
  gpr_memory(0x69, out, base, displacement);
  word32(factor);
}
void Assembler::add_to_memory(Gpr base, std::int32_t displacement, Gpr in) { gpr_memory(0x01, in, base, displacement); }
void Assembler::load_gpr(Gpr out, Gpr base, std::int32_t displacement) { gpr_memory(0x8b, out, base, displacement, true); }
void Assembler::store_gpr(Gpr base, std::int32_t displacement, Gpr in) { gpr_memory(0x89, in, base, displacement, true); }
void Assembler::add_immediate_to_memory(Gpr base, std::int32_t displacement, std::int32_t value) {
  gpr_memory(0x81, 0, base, displacement, true);
  word32(value);
}
void Assembler::store_wide_immediate(Gpr base, std::int32_t displacement, std::int32_t value) {
  gpr_memory(0xc7, 0, base, displacement, true);
  word32(value);
}
void Assembler::push(Gpr in) {
  if (in >= r8) byte(0x41);
  byte(0x50u | (in & 7u));
}
void Assembler::pop(Gpr out) {
  if (out >= r8) byte(0x41);
  byte(0x58u | (out & 7u));
}
void Assembler::store_immediate(Gpr base, std::int32_t displacement, std::int32_t value) {
  gpr_memory(0xc7, 0, base, displacement);
  word32(value);
}
void Assembler::increment(Gpr base, std::int32_t displacement) { gpr_memory(0xff, 0, base, displacement); }
void Assembler::decrement_memory(Gpr base, std::int32_t displacement) { gpr_memory(0xff, 1, base, displacement); }
void Assembler::compare_immediate(Gpr base, std::int32_t displacement, std::int32_t value) {
  gpr_memory(0x81, 7, base, displacement);
  word32(value);
}

void Assembler::reference(Label& label) {
  if (label.at_ >= 0) {
    word32(static_cast<std::int32_t>(label.at_ - static_cast<std::ptrdiff_t>(code_.size()) - 4));
  } else {
    label.jumps_.push_back(code_.size());
    word32(0);
  }
}
void Assembler::jump(Condition condition, Label& target) {
  byte(0x0f);
  byte(0x80u | static_cast<unsigned>(condition));
  reference(target);
}
void Assembler::jump(Label& target) {
  byte(0xe9);
  reference(target);
}
void Assembler::call(Label& target) {
  byte(0xe8);
  reference(target);
}
void Assembler::ret() { byte(0xc3); }

void Assembler::bind(Label& label) {
  label.at_ = static_cast<std::ptrdiff_t>(code_.size());
  for (const std::size_t at : label.jumps_) {
    const auto distance = static_cast<std::uint32_t>(code_.size() - at - 4);
    for (unsigned k = 0; k < 4; k++) code_[at + k] = static_cast<std::uint8_t>(distance >> 8 * k);
  }
  label.jumps_.clear();
}

}  // namespace extremum::jit
