// Tests of the native-code tier without Node: encodings against a disassembler, programs against the virtual machine.
// No framework: `check` counts. Equality with the reference interpreter is tested from TypeScript (test/conformance/).

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#if defined(__unix__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "extremum/evaluator.h"
#include "extremum/native_code.h"
#include "extremum/program.h"
#include "extremum/targets.h"
#include "jit/assembler.h"
#include "jit/reciprocal.h"
#include "test/harness.h"
#include "test/program_words.h"

namespace {

using namespace extremum;
using namespace extremum::test;

// --- encodings

struct Listing {
  std::vector<std::uint8_t> bytes;
  std::vector<std::string> lines;  // as objdump prints them in Intel syntax, spaces as single
};

std::string name_of(const char* kind, int number) { return kind + std::to_string(number); }
std::string hexadecimal(std::int64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "%s0x%llx", value < 0 ? "-" : "+", static_cast<unsigned long long>(std::llabs(value)));
  return text;
}
std::string address(jit::Gpr base, std::int32_t displacement, int index = -1) {
  static const char* const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                      "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
  const std::string by = index < 0 ? std::string() : std::string("+") + names[index] + "*1";
  return std::string("[") + names[base] + by + (displacement || base == jit::rbp ? hexadecimal(displacement) : "") + "]";
}

Listing instructions(jit::InstructionSet set) {
  using namespace jit;
  const bool wide = set == InstructionSet::avx512;
  const char* const v = wide ? "zmm" : "ymm";
  const char* const memory_size = wide ? "ZMMWORD PTR " : "YMMWORD PTR ";
  Assembler a(set);
  Listing listing;
  const auto line = [&](const std::string& text) { listing.lines.push_back(text); };
  const auto vec = [&](int number) { return name_of(v, number); };
  const auto memory = [&](Gpr base, std::int32_t at) { return memory_size + address(base, at); };
  const std::vector<int> registers = wide ? std::vector<int>{0, 7, 8, 15, 16, 23, 31} : std::vector<int>{0, 7, 8, 15};
  const std::vector<std::int32_t> displacements = {0, 8, 64, -64, 8128, -8192, 127, 128, -128, -129, 1016, -1024, 100000, -100000};
  const std::vector<Gpr> bases = {rsi, rdi, rdx, r8, rbp};

  struct Named {
    Form form;
    const char* name;
  };
  std::vector<Named> binaries = {{form::kAdd, "vaddpd"}, {form::kSub, "vsubpd"}, {form::kMul, "vmulpd"}, {form::kDiv, "vdivpd"},
                                 {form::kAnd, "vandpd"}, {form::kAndNot, "vandnpd"}, {form::kOr, "vorpd"}, {form::kXor, "vxorpd"}};
  binaries.insert(binaries.end(), {{form::kMin, "vminpd"}, {form::kMax, "vmaxpd"}});
  binaries.push_back(wide ? Named{form::kScale, "vscalefpd"} : Named{form::kGreaterInt, "vpcmpgtq"});
  if (!wide)
    for (const Named& each : {Named{form::kPermute, "vpermilpd"}, Named{form::kAddInt, "vpaddq"}})
      binaries.push_back(each);
  for (const Named& fused : {Named{form::kMulAdd213, "vfmadd213pd"}, {form::kMulAdd231, "vfmadd231pd"}, {form::kMulSub213, "vfmsub213pd"},
                             {form::kMulSub231, "vfmsub231pd"}, {form::kNegMulAdd213, "vfnmadd213pd"}, {form::kNegMulAdd231, "vfnmadd231pd"}})
    binaries.push_back(fused);
  for (const auto& [form, name] : binaries) {
    for (const int out : registers)
      for (const int left : registers)
        for (const int right : registers) {
          a.vector(form, out, left, Source::of(right));
          line(std::string(name) + " " + vec(out) + "," + vec(left) + "," + vec(right));
        }
    for (const Gpr base : bases)
      for (const std::int32_t at : displacements) {
        const int out = registers.back();
        a.vector(form, out, 3, Source::at(base, at));
        line(std::string(name) + " " + vec(out) + "," + vec(3) + "," + memory(base, at));
        if (!wide) continue;
        a.vector(form, out, 3, Source::broadcast(base, at));
        line(std::string(name) + " " + vec(out) + "," + vec(3) + ",QWORD BCST " + address(base, at));
      }
  }
  for (const int out : registers)
    for (const int in : registers) {
      if (!wide) {
        a.vector(form::kEqualInt, out, in, Source::of(6));
        line("vpcmpeqq " + vec(out) + "," + vec(in) + "," + vec(6));
      }
      a.vector_unary(form::kSqrt, out, Source::of(in));
      line("vsqrtpd " + vec(out) + "," + vec(in));
      a.vector_unary_immediate(form::kRound, out, Source::of(in), 9);
      line(std::string(wide ? "vrndscalepd " : "vroundpd ") + vec(out) + "," + vec(in) + ",0x9");
      a.move(out, in);
      line("vmovapd " + vec(out) + "," + vec(in));
      a.shift_left(out, in, 52);
      line("vpsllq " + vec(out) + "," + vec(in) + ",0x34");
      a.shift_right(out, in, 52);
      line("vpsrlq " + vec(out) + "," + vec(in) + ",0x34");
    }
  for (const int reg : registers)
    for (const Gpr base : bases)
      for (const std::int32_t at : displacements) {
        a.load(reg, Source::at(base, at));
        line("vmovupd " + vec(reg) + "," + memory(base, at));
        a.store(base, at, reg);
        line("vmovupd " + memory(base, at) + "," + vec(reg));
        a.prefetch(base, at);
        line("prefetcht0 BYTE PTR " + address(base, at));
        if (!wide) continue;
        a.load(reg, Source::broadcast(base, at));
        line("vbroadcastsd " + vec(reg) + ",QWORD PTR " + address(base, at));
      }
  for (const Gpr index : {rbx, rbp, r11, r12, r13, r15})
    for (const Gpr base : {rsi, rdi, rdx})
      for (const std::int32_t at : displacements)
        for (const int reg : {registers.front(), registers.back()}) {
          const std::string vector_at = memory_size + address(base, at, index), double_at = address(base, at, index);
          a.vector(form::kAdd, reg, 3, Source::at(base, at).indexed(index));
          line("vaddpd " + vec(reg) + "," + vec(3) + "," + vector_at);
          a.load(reg, Source::at(base, at).indexed(index));
          line("vmovupd " + vec(reg) + "," + vector_at);
          a.store(Source::at(base, at).indexed(index), reg);
          line("vmovupd " + vector_at + "," + vec(reg));
          a.load(reg, Source::broadcast(base, at).indexed(index));
          line("vbroadcastsd " + vec(reg) + ",QWORD PTR " + double_at);
          if (!wide) continue;
          a.vector(form::kMul, reg, 3, Source::broadcast(base, at).indexed(index));
          line("vmulpd " + vec(reg) + "," + vec(3) + ",QWORD BCST " + double_at);
        }
  static const char* const gpr32[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi",
                                      "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};
  static const char* const gpr64[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                      "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
  for (const Gpr reg : {rbx, rbp, r11, r12, r15}) {
    a.push(reg);
    line(std::string("push ") + gpr64[reg]);
    a.pop(reg);
    line(std::string("pop ") + gpr64[reg]);
    a.load_gpr(reg, rdi, 264);
    line(std::string("mov ") + gpr64[reg] + ",QWORD PTR " + address(rdi, 264));
    a.store_gpr(rdi, -8, reg);
    line("mov QWORD PTR " + address(rdi, -8) + "," + gpr64[reg]);
    a.multiply(reg, rdi, 16, -3);
    line(std::string("imul ") + gpr32[reg] + ",DWORD PTR " + address(rdi, 16) + ",0xfffffffd");
    a.add_to_memory(rdi, 500, reg);
    line("add DWORD PTR " + address(rdi, 500) + "," + gpr32[reg]);
    a.add_gpr(reg, 576);
    line(std::string("add ") + gpr64[reg] + ",0x240");
    a.move_immediate(reg, 0);
    line(std::string("mov ") + gpr32[reg] + ",0x0");
  }
  a.add_immediate_to_memory(rdi, 72, -576);
  line("add QWORD PTR " + address(rdi, 72) + ",0xfffffffffffffdc0");
  a.store_wide_immediate(rdi, 72, 0);
  line("mov QWORD PTR " + address(rdi, 72) + ",0x0");
  a.decrement_memory(rdi, 20);
  line("dec DWORD PTR " + address(rdi, 20));
  if (wide) {
    const std::vector<std::pair<int, const char*>> predicates = {{0, "eq"}, {4, "neq"}, {0x11, "lt_oq"}, {0x12, "le_oq"}, {0x15, "nlt_uq"}, {0x16, "nle_uq"}, {0x19, "nge_uq"}, {0x1a, "ngt_uq"}, {0x1d, "ge_oq"}, {0x1e, "gt_oq"}};
    for (const auto& [predicate, suffix] : predicates)
      for (const int mask : {0, 1, 7}) {
        a.vector(form::kCompare, 5, 30, Source::of(9), static_cast<std::uint8_t>(predicate), mask);
        line(std::string("vcmp") + suffix + "pd k5" + (mask ? "{k" + std::to_string(mask) + "}" : "") + ",zmm30,zmm9");
        a.vector(form::kCompare, 0, 2, Source::broadcast(rdx, -1024), static_cast<std::uint8_t>(predicate), mask);
        line(std::string("vcmp") + suffix + "pd k0" + (mask ? "{k" + std::to_string(mask) + "}" : "") + ",zmm2,QWORD BCST [rdx-0x400]");
      }
    for (const int reg : registers) {
      a.vector(form::kBlend512, reg, 17, Source::of(4), 3);
      line("vblendmpd " + vec(reg) + "{k3},zmm17,zmm4");
      a.vector(form::kSub, reg, 11, Source::of(reg), 2);
      line("vsubpd " + vec(reg) + "{k2},zmm11," + vec(reg));
      a.vector(form::kXor, reg, reg, Source::broadcast(rdx, 8), 6);
      line("vxorpd " + vec(reg) + "{k6}," + vec(reg) + ",QWORD BCST [rdx+0x8]");
      a.vector(form::kRange, reg, 9, Source::of(19), 0xb, 0);
      line("vrangepd " + vec(reg) + ",zmm9,zmm19,0xb");
      a.vector_unary(form::kReciprocal, reg, Source::of(18));
      line("vrcp14pd " + vec(reg) + ",zmm18");
      a.vector_unary(form::kExponent, 29, Source::of(reg));
      line("vgetexppd zmm29," + vec(reg));
      a.vector_up(form::kMulAdd213, reg, 22, 5);
      line("vfmadd213pd " + vec(reg) + ",zmm22,zmm5{ru-sae}");
      a.vector(form::kMul, reg, 22, Source::of(7), 4);
      line("vmulpd " + vec(reg) + "{k4},zmm22,zmm7");
      a.vector(form::kTernary, reg, 21, Source::broadcast(rdx, 24), 0x78, 0);
      line("vpternlogq " + vec(reg) + ",zmm21,QWORD BCST [rdx+0x18],0x78");
      a.vector_unary(form::kSignMask, 4, Source::of(reg));
      line("vpmovq2m k4," + vec(reg));
      a.vector(form::kTestBits, 2, reg, Source::broadcast(rdx, 16));
      line("vptestmq k2," + vec(reg) + ",QWORD BCST [rdx+0x10]");
      a.vector(form::kTestBits, 0, reg, Source::broadcast(rdx, 16), 5);
      line("vptestmq k0{k5}," + vec(reg) + ",QWORD BCST [rdx+0x10]");
      a.vector(form::kTestNoBits, 3, reg, Source::broadcast(rdx, -8));
      line("vptestnmq k3," + vec(reg) + ",QWORD BCST [rdx-0x8]");
    }
    const std::vector<Named> masks = {{form::kMaskAnd, "kandb"}, {form::kMaskAndNot, "kandnb"}, {form::kMaskOr, "korb"}, {form::kMaskXor, "kxorb"}, {form::kMaskXnor, "kxnorb"}};
    for (const auto& [form, name] : masks) {
      a.mask_binary(form, 1, 7, 4);
      line(std::string(name) + " k1,k7,k4");
    }
    a.mask_not(7, 2);
    line("knotb k7,k2");
    a.mask_move(6, 1);
    line("kmovb k6,k1");
    a.mask_test(3, 5);
    line("kortestb k3,k5");
    for (const std::int32_t at : displacements) {
      a.mask_load(3, rdi, at);
      line("kmovb k3,BYTE PTR " + address(rdi, at));
      a.mask_store(rdi, at, 5);
      line("kmovb BYTE PTR " + address(rdi, at) + ",k5");
    }
  } else {
    a.vector(form::kCompare, 8, 15, Source::of(9), 0x11, 0);
    line("vcmplt_oqpd ymm8,ymm15,ymm9");
    for (const int reg : registers) {
      a.blend256(reg, 9, Source::of(12), 11);
      line("vblendvpd " + vec(reg) + ",ymm9,ymm12,ymm11");
      a.blend256(reg, 9, Source::at(rsi, 320), 1);
      line("vblendvpd " + vec(reg) + ",ymm9,YMMWORD PTR [rsi+0x140],ymm1");
      a.sign_bits(r11, reg);
      line("vmovmskpd r11d," + vec(reg));
    }
  }
  a.zero_upper();
  line("vzeroupper");
  for (const Gpr reg : {rax, rcx, rdi, r8, r11}) {
    a.add_gpr(reg, -5);
    line(std::string("add ") + gpr64[reg] + ",0xfffffffffffffffb");
    a.move_immediate(reg, 7);
    line(std::string("mov ") + gpr32[reg] + ",0x7");
    a.or_gpr(reg, r10);
    line(std::string("or ") + gpr32[reg] + ",r10d");
    a.or_gpr(r10, reg);
    line(std::string("or r10d,") + gpr32[reg]);
    a.or_immediate(reg, 0x1234567);
    line(std::string("or ") + gpr32[reg] + ",0x1234567");
    a.double_gpr(reg);
    line(std::string("add ") + gpr32[reg] + "," + gpr32[reg]);
    a.decrement(reg);
    line(std::string("dec ") + gpr32[reg]);
    a.test_gpr(reg);
    line(std::string("test ") + gpr32[reg] + "," + gpr32[reg]);
    a.test_gpr(reg, 0x1234567);
    line(std::string("test ") + gpr32[reg] + ",0x1234567");
    a.compare_gpr(reg, 0x1234567);
    line(std::string("cmp ") + gpr32[reg] + ",0x1234567");
    a.store_immediate(reg, 300, 5);
    line("mov DWORD PTR " + address(reg, 300) + ",0x5");
    a.increment(reg, 16);
    line("inc DWORD PTR " + address(reg, 16));
    a.compare_immediate(reg, 0, 77);
    line("cmp DWORD PTR " + address(reg, 0) + ",0x4d");
  }
  Label back, ahead;
  a.bind(back);
  const auto here = [&] { return static_cast<std::int64_t>(a.code().size()); };
  const std::int64_t start = here();
  const auto absolute = [&](std::int64_t at) { return hexadecimal(at).substr(1); };
  a.jump(back);
  line("jmp " + absolute(start));
  a.jump(Condition::zero, back);
  line("je " + absolute(start));
  a.call(back);
  line("call " + absolute(start));
  a.jump(Condition::not_zero, ahead);
  const std::size_t first_ahead = listing.lines.size();
  line("");
  a.jump(Condition::greater_or_equal, ahead);
  line("");
  a.jump(Condition::less, ahead);
  line("");
  a.jump(Condition::less_or_equal, ahead);
  line("");
  a.jump(Condition::greater, ahead);
  line("");
  a.bind(ahead);
  listing.lines[first_ahead] = "jne " + absolute(here());
  listing.lines[first_ahead + 1] = "jge " + absolute(here());
  listing.lines[first_ahead + 2] = "jl " + absolute(here());
  listing.lines[first_ahead + 3] = "jle " + absolute(here());
  listing.lines[first_ahead + 4] = "jg " + absolute(here());
  a.ret();
  line("ret");
  listing.bytes = a.code();
  return listing;
}

std::string single_spaced(const std::string& text) {
  std::istringstream words(text);
  std::string word, all;
  while (words >> word) all += (all.empty() ? "" : " ") + word;
  return all;
}

void encodes_what_a_disassembler_reads(jit::InstructionSet set, const char* name) {
  const Listing listing = instructions(set);
  if (std::system("objdump --version > /dev/null 2>&1") != 0) {
    std::printf("skipped: %s encodings: no objdump (Debian: apt-get install binutils)\n", name);
    return;
  }
  const std::string file = std::string(std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp") + "/extremum-jit-test-" +
                           name + std::to_string(std::random_device{}());
  std::FILE* const out = std::fopen(file.c_str(), "wb");
  CHECK(out != nullptr);
  if (!out) return;
  std::fwrite(listing.bytes.data(), 1, listing.bytes.size(), out);
  std::fclose(out);
  std::FILE* const pipe =
      popen(("objdump -D -b binary -m i386:x86-64 -M intel --insn-width=16 " + file).c_str(), "r");
  std::size_t at = 0, different = 0;
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, pipe)) {
    // "   0:\t62 f1 ...  \tvaddpd zmm0,zmm0,zmm0"
    const std::string text = buffer;
    const std::size_t tab = text.rfind('\t');
    if (text.find(":\t") == std::string::npos || tab == text.find('\t')) continue;
    std::string got = single_spaced(text.substr(tab + 1));
    // Said where a shorter encoding would do.
    if (got.starts_with("{evex} ")) got.erase(0, 7);
    // Some releases have a comma here.
    if (const std::size_t comma = got.find(",{ru-sae}"); comma != std::string::npos) got.erase(comma, 1);
    const std::string wanted = at < listing.lines.size() ? listing.lines[at] : "nothing";
    at++;
    if (got != wanted && different++ < 10) std::printf("%s: wanted \"%s\", objdump reads \"%s\"\n", name, wanted.c_str(), got.c_str());
  }
  pclose(pipe);
  std::remove(file.c_str());
  CHECK(at == listing.lines.size());
  if (different) failures++;
}

// --- programs

struct Assembly : ProgramWords<Assembly> {
  std::shared_ptr<const Program> load(const std::string& target) const {
    const auto all = words();
    std::string error;
    auto program = Program::load(all.data(), all.size(), constants.data(), constants.size(), *find_target(target), error);
    if (!program) std::printf("refused: %s\n", error.c_str());
    return program;
  }
};

std::vector<std::string> native_targets() {
  std::vector<std::string> targets;
  for (const char* target : {"avx512", "avx2"})
    if (NativeCode::supports(target)) targets.push_back(target);
  return targets;
}

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-3, 3);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = uniform(random);
  return numbers;
}

// By native code of every kind, and by the virtual machine.
void agrees(const Assembly& assembly, const std::vector<double>& candidates, const char* what,
            const std::vector<std::pair<Opcode, Assembly>>& functions = {}, bool flags_everywhere = false) {
  for (const std::string& target : native_targets()) {
    const auto reference = assembly.load(target);
    const Result expected = run(*reference, candidates);
    MathLibrary library(static_cast<std::size_t>(Opcode::kCount));
    for (const auto& [opcode, function] : functions) library[static_cast<std::size_t>(opcode)] = function.load(target);
    for (const unsigned vectors : {0u, 1u, 2u, 4u}) {
      const auto program = assembly.load(target);
      std::string reason;
      const NativeCode::Options options{target, vectors};
      auto code = NativeCode::compile(*program, library, options, reason);
      if (!code) {
        failures++;
        std::printf("%s: no native code: %s\n", what, reason.c_str());
        continue;
      }
      CHECK(program->attach(std::move(code)));
      for (const Layout layout : {Layout::kTiles, Layout::kRows})
        for (const unsigned threads : {1u, 3u})
          if (!(run(*program, candidates, threads, nullptr, layout) == expected)) {
            failures++;
            std::printf("%s: %s with %u vectors differs\n", what, target.c_str(), vectors);
          }
      // A group with a flag cannot be compared.
      const auto trust = program->native_code()->trust();
      if (trust != NativeCode::Trust::kTrusted && !(flags_everywhere && trust == NativeCode::Trust::kUnchecked)) {
        failures++;
        std::printf("%s: %s with %u vectors was not trusted\n", what, target.c_str(), vectors);
      }
    }
  }
}

void agrees_under_register_pressure() {
  // 90 values alive at once, f64 and masks, then all summed up in the other order.
  Assembly assembly;
  assembly.dimension = 9;
  assembly.registers = 100;
  assembly.masks = 40;
  assembly.constants = {1.5, 0.25};
  for (int i = 0; i < 90; i++) assembly.op(Opcode::k_mul_add, i, coordinate(i % 9), coordinate((i * 5 + 1) % 9), constant(i % 2));
  for (int i = 0; i < 40; i++) assembly.op(Opcode::k_lt, i, reg(i), reg(i + 40));
  assembly.op(Opcode::k_move, 99, constant(0));
  for (int i = 89; i >= 0; i--) {
    assembly.op(Opcode::k_select, 98, i % 40, reg(i), constant(1));
    assembly.op(Opcode::k_mul_add, 99, reg(99), constant(1), reg(98));
  }
  assembly.op(Opcode::k_return, reg(99));
  for (const std::size_t rows : {1u, 7u, 33u, 64u, 65u, 700u}) agrees(assembly, random_numbers(rows * 9, 3), "pressure");
}

#if defined(__unix__)
// Candidates that end where no memory is: a read beyond the last row, or tile, ends the process.
void reads_no_further(const Assembly& assembly, const std::vector<double>& candidates, Layout layout) {
  const auto size = static_cast<std::size_t>(assembly.dimension), page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const std::string& target : native_targets())
    for (const std::size_t count : {1, 16, 32, 33, 256, 300}) {
      const std::vector<double> rows(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count * size));
      const std::vector<double> laid_out = layout == Layout::kRows ? rows : tiles_of(rows, size);
      const std::size_t bytes = laid_out.size() * sizeof(double), mapped = (bytes + page - 1) / page * page;
      void* const pages = mmap(nullptr, mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      CHECK(pages != MAP_FAILED);
      CHECK(mprotect(static_cast<char*>(pages) + mapped, page, PROT_NONE) == 0);
      auto* const at = reinterpret_cast<double*>(static_cast<char*>(pages) + mapped - bytes);
      std::memcpy(at, laid_out.data(), bytes);
      const auto reference = assembly.load(target), program = assembly.load(target);
      std::string reason;
      auto code = NativeCode::compile(*program, {}, {target}, reason);
      CHECK(code && program->attach(std::move(code)));
      std::vector<double> values(count), expected(count);
      std::vector<std::uint8_t> status(count);
      evaluate(*reference, {at, count, expected.data(), status.data(), nullptr, layout}, 1, nullptr);
      evaluate(*program, {at, count, values.data(), status.data(), nullptr, layout}, 1, nullptr);
      CHECK(std::memcmp(values.data(), expected.data(), count * sizeof(double)) == 0);
      munmap(pages, mapped + page);
    }
}
#endif

// Candidates of every length around those of vectors, and groups that are given up between others.
void agrees_on_dimensions() {
  for (const int dimension : {1, 2, 3, 4, 5, 7, 8, 30, 63, 64, 65, 67}) {
    Assembly assembly;
    assembly.dimension = dimension;
    assembly.constants = {2.0, 5.0};
    assembly.op(Opcode::k_mul, 0, coordinate(dimension - 1), constant(0));
    // Coordinates in any order, each of some twice.
    for (int k = 0; k < dimension; k++) assembly.op(Opcode::k_sq_sub, 0, coordinate(k * 5 % dimension), reg(0));
    assembly.op(Opcode::k_check_lt, constant(1), coordinate(dimension / 2), 3, 1);
    for (int k = 0; k < dimension; k += 3) assembly.op(Opcode::k_mul_add, 0, reg(0), coordinate(k), constant(0));
    assembly.op(Opcode::k_return, reg(0));
    const auto size = static_cast<std::size_t>(dimension);
    std::vector<double> candidates = random_numbers(1037 * size, 3);
    for (const std::size_t flagged : {200, 333, 334, 640, 1030}) candidates[flagged * size + size / 2] = 7.0;
    agrees(assembly, candidates, "dimensions");
#if defined(__unix__)
    for (const Layout layout : {Layout::kTiles, Layout::kRows}) reads_no_further(assembly, candidates, layout);
#endif
  }
}

void agrees_on_calls() {
  // Stand-ins for library functions: what lives across a call, in every place, must survive it.
  Assembly one, two;
  one.registers = 30;
  for (int i = 0; i < 30; i++) one.op(Opcode::k_add, i, coordinate(0), i ? reg(i - 1) : coordinate(0));
  one.op(Opcode::k_mul, 0, reg(0), reg(29)).op(Opcode::k_exp, 1, reg(0));
  Assembly good = one;
  good.code.resize(good.code.size() - 5);
  good.op(Opcode::k_return, reg(0));
  two.dimension = 2;
  two.constants = {0.5};
  two.op(Opcode::k_lt, 0, coordinate(0), coordinate(1)).op(Opcode::k_sub, 1, coordinate(1), coordinate(0));
  two.op(Opcode::k_select, 0, 0, reg(1), coordinate(0)).op(Opcode::k_return, reg(0));
  for (const std::string& target : native_targets()) {
    // The stand-ins compute something else than the virtual machine does: only that they are noticed is tested here.
    Assembly caller;
    caller.op(Opcode::k_sin, 0, coordinate(0)).op(Opcode::k_return, reg(0));
    MathLibrary library(static_cast<std::size_t>(Opcode::kCount));
    const auto program = caller.load(target);
    std::string reason;
    CHECK(!NativeCode::compile(*program, library, {target, 0}, reason) && reason.find("lacks") != std::string::npos);
    library[static_cast<std::size_t>(Opcode::k_sin)] = good.load(target);
    auto code = NativeCode::compile(*program, library, {target, 0}, reason = "");
    CHECK(code && reason.empty());
    const std::vector<double> candidates = random_numbers(100, 4);
    const Result expected = run(*program, candidates);
    CHECK(program->attach(std::move(code)));
    CHECK(run(*program, candidates) == expected);
    CHECK(program->native_code()->trust() == NativeCode::Trust::kRejected);
    Assembly recursive = one;
    recursive.op(Opcode::k_return, reg(1));
    library[static_cast<std::size_t>(Opcode::k_sin)] = recursive.load(target);
    CHECK(!NativeCode::compile(*program, library, {target, 0}, reason) && reason.find("straight-line") != std::string::npos);
  }
  // fmod of the library is not at hand; a function that is what the virtual machine computes: hypot(x, 0) = |x|,
  // on values where its expansion is exact.
  Assembly hypot;
  hypot.dimension = 2;
  hypot.op(Opcode::k_abs, 0, coordinate(0)).op(Opcode::k_abs, 1, coordinate(1)).op(Opcode::k_add, 2, reg(0), reg(1));
  hypot.op(Opcode::k_return, reg(2));
  Assembly caller;
  caller.dimension = 2;
  caller.registers = 60;
  caller.masks = 10;
  caller.constants = {0.0, 1.0};
  caller.op(Opcode::k_sub, 50, coordinate(0), coordinate(0));
  for (int i = 0; i < 40; i++) caller.op(Opcode::k_mul_add, i, coordinate(i % 2), coordinate(1), i ? reg(i - 1) : coordinate(0));
  for (int i = 0; i < 10; i++) caller.op(Opcode::k_lt, i, reg(i), reg(i + 1));
  caller.op(Opcode::k_move, 51, constant(0));
  for (int i = 0; i < 40; i++) {
    caller.op(Opcode::k_hypot, 52, reg(50), reg(i)).op(Opcode::k_select, 53, i % 10, reg(52), reg(i));
    caller.op(Opcode::k_add, 51, reg(51), reg(53)).op(Opcode::k_hypot, 51, reg(51), reg(50));
  }
  caller.op(Opcode::k_return, reg(51));
  agrees(caller, random_numbers(2 * 200, 5), "calls", {{Opcode::k_hypot, hypot}});
}

void agrees_on_control_flow(bool often_flagged) {
  // What a lane gets must not depend on others, so whatever is read later is blended in branches and loops, as the
  // encoder does it. Checks at two depths, fuel that ends for some lanes, sides that are skipped, masks that come out.
  Assembly assembly;
  assembly.dimension = 3;
  assembly.constants = {0.0, 1.5, 2.0, 0.5, often_flagged ? -2.9 : -2.999, 1.0};
  assembly.registers = 6;
  assembly.masks = 4;
  assembly.op(Opcode::k_check_lt, coordinate(0), constant(4), 3, 7)
      .op(Opcode::k_bfill, 3, 1)
      .op(Opcode::k_lt, 0, coordinate(0), constant(1))
      .op(Opcode::k_if, 0)
      .op(Opcode::k_lt, 1, coordinate(1), constant(0))
      .op(Opcode::k_if, 1)
      .op(Opcode::k_move, 0, coordinate(1))
      .op(Opcode::k_bblend, 3, 0)
      .op(Opcode::k_else)
      .op(Opcode::k_check_le, coordinate(2), constant(4), 4, 8)
      .op(Opcode::k_blend, 0, constant(2))
      .op(Opcode::k_bblend, 3, 1)
      .op(Opcode::k_endif)
      .op(Opcode::k_else)
      .op(Opcode::k_lt, 2, coordinate(2), constant(4))
      .op(Opcode::k_check, 2, 5, 9)
      .op(Opcode::k_blend, 0, coordinate(2))
      .op(Opcode::k_endif)
      .op(Opcode::k_move, 1, coordinate(1))
      .op(Opcode::k_loop)
      .op(Opcode::k_mul_add, 2, reg(1), constant(3), reg(0))
      .op(Opcode::k_loop)
      .op(Opcode::k_mul, 5, reg(2), constant(3))
      .op(Opcode::k_lt, 0, constant(5), reg(5))
      .op(Opcode::k_blend, 2, reg(5))
      .op(Opcode::k_endloop, 0, 9, 12)
      .op(Opcode::k_mul, 4, reg(2), constant(often_flagged ? 5 : 3))
      .op(Opcode::k_blend, 1, reg(4))
      .op(Opcode::k_lt, 1, constant(3), reg(1))
      .op(Opcode::k_endloop, 1, 4, 13)
      .op(Opcode::k_select, 3, 3, reg(0), reg(1))
      .op(Opcode::k_add_mul, 3, reg(3), reg(1), coordinate(2))
      .op(Opcode::k_return, reg(3));
  for (unsigned seed = 1; seed <= 5; seed++) agrees(assembly, random_numbers(3 * 500, seed), "control flow", {}, often_flagged);
}

// The value, then the outputs, row by row: in tiles and beside them, some of them NaN of any kind, and groups that are
// given up between others. From a straight line, and from a loop that stores by its index.
void agrees_on_outputs() {
  for (const bool rolled : {false, true})
    for (const int outputs : {1, 2, 3, 7, 8, 9, 31, 64}) {
      Assembly assembly;
      assembly.dimension = 5;
      assembly.outputs = outputs;
      assembly.locals = outputs + 2;
      assembly.constants = {0.0, 2.5, -2.9};
      assembly.op(Opcode::k_check_lt, coordinate(4), constant(2), 3, 1).op(Opcode::k_sqrt, 0, coordinate(1)).op(Opcode::k_neg, 1, reg(0));
      assembly.op(Opcode::k_mul, ~assembly.form(Space::kLocal, outputs), coordinate(2), constant(1));
      if (rolled) assembly.op(Opcode::k_for, assembly.number(outputs));
      for (int k = 0; k < (rolled ? 1 : outputs); k++) {
        const auto terms = rolled ? std::vector<IndexTerm>{{0, 1}} : std::vector<IndexTerm>{};
        const int number = assembly.number(k, terms), to = assembly.form(Space::kLocal, k, terms);
        assembly.op(Opcode::k_mul_add, 2, coordinate(k % 5), element(number), reg(k % 3 == 1 ? 1 : 0));
        assembly.op(Opcode::k_add, ~to, reg(2), element(assembly.form(Space::kLocal, outputs)));
        assembly.op(Opcode::k_sq_add, ~to, element(to), coordinate(3));
      }
      if (rolled) assembly.op(Opcode::k_endfor);
      assembly.op(Opcode::k_return, reg(1));
      for (const std::size_t rows : {1u, 8u, 9u, 31u, 300u}) {
        std::vector<double> candidates = random_numbers(rows * 5, static_cast<unsigned>(outputs));
        // The first block has no flag.
        for (std::size_t row = 0; row < std::min<std::size_t>(rows, 64); row++) candidates[row * 5 + 4] = 1.0;
        agrees(assembly, candidates, "outputs");
      }
    }
}

// More addresses than registers, values and constants for more than all registers, and loops that are never entered.
void agrees_on_counted_loops() {
  for (const int streams : {2, 9})
    for (const int sums : {1, 5, 24}) {
      Assembly assembly;
      assembly.dimension = 40;
      assembly.registers = sums + 2;
      assembly.locals = 20;
      assembly.constants = {0.0, 1.25, -2.0, 0.75, 3.0};
      for (int k = 0; k < sums; k++) assembly.op(Opcode::k_move, k, coordinate(k));
      assembly.op(Opcode::k_for, assembly.number(4));
      assembly.op(Opcode::k_for, assembly.number(-2, {{0, 2}}));
      for (int k = 0; k < sums; k++) {
        const std::int64_t scale = 1 + k % streams % 5, of_outer = k % streams / 5;
        const int x = assembly.form(Space::kCoordinate, k % 3, {{0, 1 + of_outer}, {1, scale}});
        const int table = assembly.form(Space::kConstant, 4, {{1, -1}}), number = assembly.number(k, {{0, -7}, {1, 3}});
        const int local = assembly.form(Space::kLocal, 10, {{0, 2}, {1, -1}});
        assembly.op(Opcode::k_mul_add, ~local, element(x), element(k % 2 ? table : number), constant(1 + k % 4));
        assembly.op(Opcode::k_sub_add, k, reg((k + 1) % sums), constant(1 + (k + 1) % 4), element(local));
      }
      assembly.op(Opcode::k_endfor).op(Opcode::k_endfor);
      for (int k = 1; k < sums; k++) assembly.op(Opcode::k_add, 0, reg(0), reg(k));
      assembly.op(Opcode::k_return, reg(0));
      agrees(assembly, random_numbers(40 * 150, static_cast<unsigned>(100 * streams + sums)), "counted loops");
    }
}

constexpr std::uint64_t kLeast = std::uint64_t{1} << 52;

double number_of(std::uint64_t mantissa, int exponent, bool negative) {
  const double number = std::ldexp(static_cast<double>((mantissa & (kLeast - 1)) | kLeast), exponent - 52);
  return negative ? -number : number;
}

// Mantissas whose quotients lie nearest to the middle of two numbers: X 2^s = j + (2k + 1) Y for small j.
std::vector<std::uint64_t> hardest_dividends(double c, int most) {
  const std::uint64_t divisor = (std::bit_cast<std::uint64_t>(c) & (kLeast - 1)) | kLeast;
  const int twos = std::countr_zero(divisor);
  const std::uint64_t odd = divisor >> twos;
  std::vector<std::uint64_t> all;
  for (const int s : {53, 54}) {
    unsigned __int128 inverse = 1;
    for (int k = 0; k < s - twos; k++) inverse = inverse * ((odd + 1) / 2) % odd;
    for (int j = -most; j <= most; j++) {
      const std::int64_t divided = j >> std::min(twos, 30);
      if (divided << std::min(twos, 30) != j) continue;
      const auto positive = static_cast<unsigned __int128>(divided + static_cast<__int128>(odd) * most) % odd;
      const auto residue = static_cast<std::uint64_t>(positive * inverse % odd);
      const std::uint64_t below = residue < kLeast ? (kLeast - residue) / odd : 0;
      for (std::uint64_t x = residue + below * odd; x < 2 * kLeast && all.size() < 2000; x += odd)
        if (x >= kLeast) all.push_back(x);
    }
  }
  return all;
}

std::vector<double> divisors(std::mt19937_64& random) {
  std::vector<double> all = {763, 4000, 1e-3, 0.1, 0.3, 6.931, 1e30, -1e-30, 3.3e38, 3e-39, 3.5e38, 2.5e-39, 1e300, 1e-300, 5e-324,
                             1e-310, static_cast<double>(INFINITY), static_cast<double>(NAN), 0.0, -0.0, 4, -0.25};
  for (int k = 3; k < 60; k++) all.push_back(k % 3 == 0 ? -k : k);
  for (int k = 2; k <= 40; k++) all.push_back(std::sqrt(k));
  // Near one, near two, with zeros at the end, and any.
  for (std::uint64_t k = 0; k < 30; k++)
    for (const std::uint64_t mantissa : {k + 1, kLeast - 1 - k, random() << k, random()})
      all.push_back(number_of(mantissa, static_cast<int>(random() % 255) - 127, random() & 1));
  return all;
}

// The bits of the division, for dividends of every kind and mixed in all vectors.
void divides_by_constants() {
  std::mt19937_64 random(7);
  // 97 % of them.
  int by_products = 0;
  for (int k = 0; k < 2000; k++) by_products += jit::reciprocal_of(number_of(random(), 0, false)).has_value();
  CHECK(by_products > 1900);
  for (const double none : {1.0, 2.0, 0x1p-20, 0.0, 1e39, 1e-39, static_cast<double>(INFINITY), static_cast<double>(NAN)})
    CHECK(!jit::reciprocal_of(none));
  for (const double c : divisors(random)) {
    const double limit = std::fabs(c) < 1e300 && std::fabs(c) > 0 ? std::fabs(c) : 1.0;
    std::vector<double> dividends;
    const auto usual = [&] { return number_of(random(), static_cast<int>(random() % 60) - 30, random() & 1); };
    const auto with_rest = [&](double x) {
      dividends.push_back(x);
      // Mostly usual company: whole groups of it, and groups with one dividend of another kind.
      for (std::uint64_t k = random() % 40; k > 0; k--) dividends.push_back(usual());
    };
    for (const std::uint64_t x : hardest_dividends(c, 60)) {
      dividends.push_back(number_of(x, static_cast<int>(random() % 2046) - 1022, random() & 1));
      dividends.push_back(number_of(x, static_cast<int>(random() % 60) - 30, random() & 1));
    }
    for (const std::uint64_t x : hardest_dividends(c, 8))
      for (const int exponent : {-1022, -1000, -768, -767, -766, -512, -511, 0, 1022, 1023})
        dividends.push_back(number_of(x, exponent, random() & 1));
    for (int k = 0; k < 300; k++) dividends.push_back(std::bit_cast<double>(random()));
    for (const double x : {0.0, 5e-324, 1e-310, 0x1p-1022, 0x1p-767, 0x1.fffffffffffffp-768, 0x1p-900, 1e308, 0x1.fffffffffffffp1023,
                           static_cast<double>(INFINITY), static_cast<double>(NAN), c, 3 * c, 0x1p-1074 * 3 * limit, 0x1.8p-1073 * limit})
      for (const double sign : {1.0, -1.0}) with_rest(sign * x);
    for (int k = 0; k < 40; k++) {
      dividends.insert(dividends.end(), 32, k % 2 ? 0.0 : -0.0);
      const double small = number_of(random(), -static_cast<int>(768 + random() % 255), random() & 1);
      if (k > 4) dividends[dividends.size() - 1 - random() % 32] = small;
    }
    std::vector<double> expected;
    for (const double x : dividends) {
      const double quotient = x / c;
      expected.push_back(std::isnan(quotient) ? std::numeric_limits<double>::quiet_NaN() : quotient);
    }
    Assembly assembly;
    assembly.constants = {c};
    assembly.op(Opcode::k_div, 0, coordinate(0), constant(0)).op(Opcode::k_return, reg(0));
    for (const std::string& target : native_targets())
      for (const unsigned vectors : {1u, 2u, 4u})
        for (const bool fast : {false, true}) {
          const auto program = assembly.load(target);
          std::string reason;
          NativeCode::Options options{target, vectors};
          options.fast = fast;
          CHECK(program->attach(NativeCode::compile(*program, {}, options, reason)));
          const Result result = run(*program, dividends);
          CHECK(program->native_code()->trust() == NativeCode::Trust::kTrusted);
          bool agrees = true;
          for (std::size_t k = 0; k < dividends.size() && agrees; k++) {
            const double value = result.values[k], quotient = expected[k];
            // `fast` does not look for what underflows.
            const double room = fast && std::fabs(dividends[k]) < 0x1p-767 ? std::max(0x1p-1074, 0x1p-52 * std::fabs(quotient)) : 0;
            agrees = std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(quotient) || std::fabs(value - quotient) <= room;
          }
          if (agrees) continue;
          failures++;
          std::printf("divided by %a: %s with %u vectors differs\n", c, target.c_str(), vectors);
        }
  }
  // Dividends that live on and that do not, quotients in their place, with few registers left, in branches and loops.
  for (const int values : {3, 12, 40}) {
    Assembly assembly;
    assembly.dimension = 4;
    assembly.registers = values + 2;
    assembly.constants = {0.0, 3.0, -7.0, 763.0, 0.7, 1e-3, 10.0};
    for (int k = 0; k < values; k++) assembly.op(k % 2 ? Opcode::k_div : Opcode::k_mul, k, coordinate(k % 4), constant(1 + k % 6));
    for (int k = 0; k < values; k++) assembly.op(Opcode::k_div, k, reg(k % 3 ? k : (k + 1) % values), constant(1 + k % 5));
    assembly.op(Opcode::k_lt, 0, coordinate(0), constant(0)).op(Opcode::k_if, 0);
    assembly.op(Opcode::k_div, values, reg(0), constant(3)).op(Opcode::k_blend, 1, reg(values));
    assembly.op(Opcode::k_else).op(Opcode::k_div, values, coordinate(1), constant(2)).op(Opcode::k_blend, 2, reg(values));
    assembly.op(Opcode::k_endif);
    assembly.op(Opcode::k_for, assembly.number(5));
    for (int k = 0; k < values; k++)
      assembly.op(Opcode::k_div, values, reg(k), constant(1 + k % 6)).op(Opcode::k_sub, k, reg((k + 1) % values), reg(values));
    assembly.op(Opcode::k_endfor);
    for (int k = 1; k < values; k++) assembly.op(Opcode::k_add, 0, reg(0), reg(k));
    assembly.op(Opcode::k_return, reg(0));
    std::vector<double> candidates = random_numbers(4 * 700, static_cast<unsigned>(values));
    for (std::size_t k = 5; k < candidates.size(); k += 97) candidates[k] = k % 3 ? 0.0 : 1e-300;
    agrees(assembly, candidates, "division by constants");
  }
}

void refuses_what_is_too_large() {
  for (const std::string& target : native_targets()) {
    Assembly assembly;
    for (int i = 0; i < 5000; i++) assembly.op(Opcode::k_add, 0, coordinate(0), reg(0));
    assembly.op(Opcode::k_return, reg(0));
    std::string reason;
    const auto program = assembly.load(target);
    CHECK(!NativeCode::compile(*program, {}, {target, 4, 20000}, reason) && reason.find("too large") != std::string::npos);
    CHECK(!NativeCode::compile(*program, {}, {target, 4, 50000}, reason) && reason.find("too large") != std::string::npos);
    CHECK(!NativeCode::compile(*program, {}, {"scalar", 4}, reason) && reason.find("no native code") != std::string::npos);
    CHECK(!NativeCode::compile(*program, {}, {target, 5}, reason));
    Assembly branches;
    branches.registers = 20000;
    for (int i = 0; i < 3000; i++) branches.op(Opcode::k_if, 0).op(Opcode::k_else).op(Opcode::k_endif);
    branches.op(Opcode::k_return, reg(0));
    CHECK(!NativeCode::compile(*branches.load(target), {}, {target, 1}, reason) &&
          reason.find("control flow") != std::string::npos);
    const auto refused = [&](int count, std::int64_t scale, const char* why) {
      Assembly counted;
      const int rounds = counted.number(count), number = counted.number(1, {{0, scale}});
      counted.op(Opcode::k_for, rounds).op(Opcode::k_add, 0, reg(0), element(number)).op(Opcode::k_endfor);
      counted.op(Opcode::k_return, reg(0));
      CHECK(!NativeCode::compile(*counted.load(target), {}, {target, 1}, reason) && reason.find(why) != std::string::npos);
    };
    refused(0x7fffffff, 1, "too many rounds");
    refused(1 << 20, 1, "beyond what native code addresses");
  }
}

void cancels() {
  Assembly endless;
  endless.op(Opcode::k_bfill, 0, 1).op(Opcode::k_loop).op(Opcode::k_endloop, 0, 0x7fffffff, 1).op(Opcode::k_return, coordinate(0));
  for (const std::string& target : native_targets()) {
    const auto program = endless.load(target);
    std::string reason;
    CHECK(program->attach(NativeCode::compile(*program, {}, {target, 0}, reason)));
    std::atomic<std::int32_t> cancel{0};
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cancel = 1;
    });
    CHECK(run(*program, std::vector<double>(1000, 1.0), 2, &cancel).outcome == Outcome::kCancelled);
    other.join();
  }
}

// Random damage to a good program: what the verifier lets through compiles and runs without harm (sanitizers watch the
// compiler and the memory that the code is given).
void survives_hostile_programs() {
  Assembly good;
  start_with_control_flow(good);
  good.op(Opcode::k_exponent, 2, reg(0))
      .op(Opcode::k_bselect, 0, 1, 0, 1)
      .op(Opcode::k_select, 2, 0, reg(2), coordinate(1));
  add_counted_loops(good);
  good.op(Opcode::k_return, reg(2));
  const auto targets = native_targets();
  if (targets.empty()) return;
  const std::vector<std::int32_t> words = good.words();
  std::mt19937 random(9);
  const std::vector<double> candidates(3 * 40, 0.7);
  int compiled = 0;
  for (int round = 0; round < 20000; round++) {
    const std::vector<std::int32_t> damaged = damage(words, random);
    std::string error;
    const std::string& target = targets[below(random, targets.size())];
    const auto program = Program::load(damaged.data(), damaged.size(), good.constants.data(), good.constants.size(),
                                       *find_target(target), error);
    if (!program || program->dimension() * 40 > candidates.size()) continue;
    auto code = NativeCode::compile(*program, {}, {target, static_cast<unsigned>(below(random, 5))}, error);
    CHECK(!code == !error.empty());
    if (!code) continue;
    compiled++;
    CHECK(program->attach(std::move(code)));
    const std::atomic<std::int32_t> cancel{1};
    run(*program, candidates, 1, &cancel);
    if (!may_run_long(*program)) run(*program, candidates);
  }
  CHECK(compiled > 100);
}

}  // namespace

int main() {
  encodes_what_a_disassembler_reads(jit::InstructionSet::avx512, "avx512");
  encodes_what_a_disassembler_reads(jit::InstructionSet::avx2, "avx2");
  std::printf("native code for:");
  for (const std::string& target : native_targets()) std::printf(" %s", target.c_str());
  std::printf("\n");
  agrees_under_register_pressure();
  agrees_on_dimensions();
  agrees_on_calls();
  agrees_on_counted_loops();
  agrees_on_outputs();
  divides_by_constants();
  agrees_on_control_flow(false);
  agrees_on_control_flow(true);
  refuses_what_is_too_large();
  cancels();
  survives_hostile_programs();
  std::printf(failures == 0 ? "all checks passed\n" : "%d checks failed\n", failures);
  return failures == 0 ? 0 : 1;
}
