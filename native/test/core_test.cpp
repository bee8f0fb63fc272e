// Tests of the core without Node: loader, kernels of all targets, evaluator, thread pool. No framework: `check` counts.
// Equality with the reference interpreter is tested from TypeScript (test/conformance/).

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "extremum/evaluator.h"
#include "extremum/program.h"
#include "extremum/targets.h"
#include "extremum/thread_pool.h"
#include "test/harness.h"
#include "test/program_words.h"

namespace {

using namespace extremum;
using namespace extremum::test;

struct Assembler : ProgramWords<Assembler> {};

std::shared_ptr<const Program> load(const Assembler& assembler, std::string* error = nullptr,
                                    const KernelTable& target = default_target()) {
  const auto words = assembler.words();
  std::string message;
  auto program = Program::load(words.data(), words.size(), assembler.constants.data(), assembler.constants.size(),
                               target, message);
  if (error) *error = message;
  return program;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

std::vector<double> special_values() {
  const double inf = std::numeric_limits<double>::infinity();
  return {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.1, 3.0, -3.0, 1e300, -1e300, 1e-300, -1e-300, inf, -inf,
          std::nan(""), 5e-324, -5e-324, 0x1p-1022, 0x1p52, 0x1p53, -0x1p52 - 1, 4503599627370495.5, 4503599627370497.0,
          0.49999999999999994, -0.49999999999999994, 1.7976931348623157e308, 709.78, -745.2, 1647099.0, 1e22};
}

// FNV-1a over all that targets_agree has compared. Equal on all processors: scripts/check-arm.mjs.
std::uint64_t digest = 0xcbf29ce484222325u;
void add_to_digest(const std::vector<double>& values) {
  for (const double value : values) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    for (int shift = 0; shift < 64; shift += 8) digest = (digest ^ (bits >> shift & 0xff)) * 0x100000001b3u;
  }
}

// Every opcode with a result, on all pairs of special values and on numbers of ordinary size: all targets against the
// portable one.
void targets_agree() {
  const auto specials = special_values();
  std::vector<double> candidates;
  for (double a : specials)
    for (double b : specials) candidates.insert(candidates.end(), {a, b});
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; i++) {
    const double fraction = static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63;
    candidates.push_back(std::ldexp(fraction, static_cast<int>(random() % 24) - 8));
  }
  const KernelTable& reference = *available_targets().back();
  CHECK(std::string(reference.name) == "scalar");
  struct Info {
    Opcode opcode;
    std::string signature;
  };
  const Info all[] = {
#define EXTREMUM_OPCODE(name, signature, group) {Opcode::k_##name, signature},
#include "extremum/opcodes.generated.inc"
#undef EXTREMUM_OPCODE
  };
  int compared = 0;
  for (const auto& [opcode, signature] : all) {
    const bool floating = signature[0] == 'f', mask = signature[0] == 'm';
    if (!floating && !mask) continue;
    if (opcode == Opcode::k_if || opcode == Opcode::k_endloop || opcode == Opcode::k_check) continue;
    // Unspecified outside a guarded range (src/ir/ops.ts).
    if (opcode == Opcode::k_scale || opcode == Opcode::k_mantissa || opcode == Opcode::k_high ||
        opcode == Opcode::k_exponent)
      continue;
    for (int constants = 0; constants < 8; constants++) {
      Assembler assembler;
      assembler.dimension = 2;
      assembler.constants = {1.25, 0.0, 1.0};
      assembler.op(Opcode::k_lt, 0, coordinate(0), coordinate(1)).op(Opcode::k_lt, 1, coordinate(1), constant(0));
      assembler.op(Opcode::k_move, 0, coordinate(1));  // what `blend` finds in its output
      std::int32_t words[4] = {0, 0, 0, 0};
      int inputs = 0;
      bool possible = true;
      for (int i = 1; i < 4; i++) {
        if (signature[i] == 'm') words[i] = i % 2;
        if (signature[i] == 'i') words[i] = 1;
        if (signature[i] != 'F' && signature[i] != 'V') continue;
        const bool is_constant = constants >> inputs & 1;
        if (is_constant && signature[i] == 'F') possible = false;
        words[i] = is_constant ? constant(0) : coordinate(inputs % 2);
        inputs++;
      }
      if (!possible || constants >> inputs) continue;
      assembler.op(opcode, words[0], words[1], words[2], words[3]);
      if (mask) assembler.op(Opcode::k_select, 0, 0, constant(2), constant(1));
      assembler.op(Opcode::k_return, reg(0));
      std::string error;
      const auto expected_program = load(assembler, &error, reference);
      for (const KernelTable* target : available_targets()) {
        const auto program = load(assembler, nullptr, *target);
        CHECK(!program == !expected_program);
        if (!program) {
          CHECK(error.find("no kernel for these kinds of operands") != std::string::npos);
          continue;
        }
        const Result expected = run(*expected_program, candidates), actual = run(*program, candidates);
        if (!same_bits(expected.values, actual.values)) {
          failures++;
          std::printf("opcode %d, constants %d: %s differs from scalar\n", static_cast<int>(opcode), constants, target->name);
        }
        compared++;
      }
      if (expected_program) add_to_digest(run(*expected_program, candidates).values);
    }
  }
  CHECK(compared > 100);
}

// Kernels of narrow blocks against those of wide ones: a candidate's value must not depend on the size of its batch.
void block_sizes_agree() {
  Assembler assembler;
  assembler.dimension = 3;
  assembler.constants = {2.0};
  assembler.op(Opcode::k_exp, 0, coordinate(0))
      .op(Opcode::k_sub_sq, 1, coordinate(1), constant(0))
      .op(Opcode::k_lt, 0, coordinate(2), reg(1))
      .op(Opcode::k_select, 2, 0, reg(0), coordinate(2))
      .op(Opcode::k_mul_add, 0, reg(2), reg(1), reg(0))
      .op(Opcode::k_return, reg(0));
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-3, 3);
  for (const KernelTable* target : available_targets()) {
    const auto program = load(assembler, nullptr, *target);
    std::vector<double> candidates(600 * 3);
    for (double& x : candidates) x = uniform(random);
    const Result all = run(*program, candidates);
    for (std::size_t count : {0, 1, 15, 16, 17, 32, 33, 63, 64, 65, 96, 97, 255, 256, 257, 600}) {
      const Result some = run(*program, {candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count * 3)}, 2);
      CHECK(same_bits(some.values, {all.values.begin(), all.values.begin() + static_cast<std::ptrdiff_t>(count)}));
    }
  }
}

void transposes_every_dimension() {
  for (const KernelTable* target : available_targets())
    for (std::int32_t dimension = 1; dimension <= 40; dimension++)
      for (std::int32_t picked : {0, dimension / 2, dimension - 1}) {
        Assembler assembler;
        assembler.dimension = dimension;
        assembler.op(Opcode::k_return, coordinate(picked));
        const auto program = load(assembler, nullptr, *target);
        const std::size_t n = static_cast<std::size_t>(dimension);
        std::vector<double> candidates(n * 70);
        for (std::size_t i = 0; i < candidates.size(); i++) candidates[i] = static_cast<double>(i);
        const Result result = run(*program, candidates);
        bool right = true;
        for (std::size_t row = 0; row < 70; row++)
          right = right && result.values[row] == candidates[row * n + static_cast<std::size_t>(picked)];
        CHECK(right);
      }
}

void flags_and_loops() {
  // status 4, line 40 where x < 0; then halve x until it is at most 1, with fuel for 3 rounds (line 50).
  Assembler assembler;
  assembler.constants = {0.0, 0.5, 1.0};
  assembler.op(Opcode::k_check_lt, coordinate(0), constant(0), 4, 40)
      .op(Opcode::k_move, 0, coordinate(0))
      .op(Opcode::k_loop)
      .op(Opcode::k_mul, 1, reg(0), constant(1))
      .op(Opcode::k_lt, 0, constant(2), reg(1))
      .op(Opcode::k_blend, 0, reg(1))
      .op(Opcode::k_endloop, 0, 3, 50)
      .op(Opcode::k_return, reg(0));
  const auto program = load(assembler);
  const Result result = run(*program, {1, 2, 3, 8, 9, -1, 0.25});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(same_bits(result.values, {0.5, 1, 0.75, 1, nan, nan, 0.125}));
  CHECK((result.status == std::vector<std::uint8_t>{0, 0, 0, 0, 9, 4, 0}));
  CHECK((result.lines == std::vector<std::int32_t>{0, 0, 0, 0, 50, 40, 0}));
}

// Sum over i < 4 and j <= i of x[3 - i + j] * table[i - j] * (10 i - j): a triangle, with scales below zero.
Assembler triangle() {
  Assembler assembler;
  assembler.dimension = 4;
  assembler.constants = {0.0, 2.0, 3.0, 5.0, 7.0};
  const int rows = assembler.number(4), columns = assembler.number(1, {{0, 1}}), weight = assembler.number(0, {{0, 10}, {1, -1}});
  const int x = assembler.form(Space::kCoordinate, 3, {{0, -1}, {1, 1}});
  const int table = assembler.form(Space::kConstant, 1, {{0, 1}, {1, -1}});
  assembler.op(Opcode::k_move, 0, constant(0))
      .op(Opcode::k_for, rows)
      .op(Opcode::k_for, columns)
      .op(Opcode::k_mul_mul, 1, element(x), element(table), element(weight))
      .op(Opcode::k_add, 0, reg(0), reg(1))
      .op(Opcode::k_endfor)
      .op(Opcode::k_endfor)
      .op(Opcode::k_return, reg(0));
  return assembler;
}

void counts() {
  const auto program = load(triangle());
  const double x[4] = {1.5, -2, 0.25, 3}, table[4] = {2, 3, 5, 7};
  double expected = 0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j <= i; j++) expected += x[3 - i + j] * table[i - j] * (10 * i - j);
  std::vector<double> candidates;
  for (int k = 0; k < 100; k++) candidates.insert(candidates.end(), x, x + 4);
  for (int round = 0; round < 2; round++)
    for (double value : run(*program, candidates, 2).values) CHECK(value == expected);
  CHECK(program->work() > 4 * 4 * 2 && program->work() < 100);

  // A cancelled run leaves no operand where it was.
  const std::atomic<std::int32_t> cancel{1};
  CHECK(run(*program, candidates, 1, &cancel).outcome == Outcome::kCancelled);
  for (double value : run(*program, candidates).values) CHECK(value == expected);
}

// a[i] = 10,000 - i, then the sum of x * a[9,999 - i] with no round at all of another loop in between.
void keeps_local_arrays() {
  Assembler assembler;
  assembler.locals = 10000;
  assembler.constants = {0.0};
  const int length = assembler.number(10000), none = assembler.number(-3), value = assembler.number(10000, {{0, -1}});
  const int forward = assembler.form(Space::kLocal, 0, {{0, 1}}), backward = assembler.form(Space::kLocal, 9999, {{0, -1}});
  assembler.op(Opcode::k_for, length)
      .op(Opcode::k_mul, ~forward, coordinate(0), element(value))
      .op(Opcode::k_endfor)
      .op(Opcode::k_move, 0, constant(0))
      .op(Opcode::k_for, none)
      .op(Opcode::k_move, 0, element(assembler.number(1, {{0, 1}})))
      .op(Opcode::k_endfor)
      .op(Opcode::k_for, length)
      .op(Opcode::k_add, 0, reg(0), element(backward))
      .op(Opcode::k_endfor)
      .op(Opcode::k_return, reg(0));
  const auto program = load(assembler);
  const Result result = run(*program, {1.0, 2.0, -3.0});
  CHECK(same_bits(result.values, {50005000.0, 100010000.0, -150015000.0}));
}

void refuses_bad_elements() {
  const auto refused = [](Assembler assembler, const char* reason) {
    std::string error;
    if (load(assembler, &error)) error = "accepted";
    if (error.find(reason) == std::string::npos) {
      failures++;
      std::printf("expected \"%s\", got \"%s\"\n", reason, error.c_str());
    }
  };
  // `for` of `count` rounds that reads `space` at the form.
  const auto loop = [](Space space, std::int64_t count, std::int64_t offset, std::vector<IndexTerm> terms) {
    Assembler assembler;
    assembler.dimension = 5;
    assembler.locals = 7;
    assembler.constants = {1.0, 2.0};
    const int rounds = assembler.number(count), read = assembler.form(space, offset, std::move(terms));
    return assembler.op(Opcode::k_for, rounds)
        .op(Opcode::k_add, 0, reg(0), element(read))
        .op(Opcode::k_endfor)
        .op(Opcode::k_return, coordinate(0));
  };
  CHECK(load(loop(Space::kCoordinate, 5, 0, {{0, 1}})) != nullptr);
  CHECK(load(loop(Space::kCoordinate, 0, 0, {{0, 1}})) != nullptr);
  CHECK(load(loop(Space::kLocal, 7, 6, {{0, -1}})) != nullptr);
  CHECK(load(loop(Space::kConstant, 2, 0, {{0, 1}})) != nullptr);
  refused(loop(Space::kCoordinate, 6, 0, {{0, 1}}), "outside its array");
  refused(loop(Space::kCoordinate, 5, -1, {{0, 1}}), "outside its array");
  refused(loop(Space::kCoordinate, 2, 1, {{0, -2}}), "outside its array");
  refused(loop(Space::kConstant, 3, 0, {{0, 1}}), "outside its array");
  refused(loop(Space::kLocal, 8, 0, {{0, 1}}), "outside its array");
  refused(loop(Space::kCoordinate, 5, 0, {{1, 1}}), "index that is not there");
  refused(loop(Space::kNumber, kMaxNumber, 0, {{0, kMaxNumber}}), "too large");
  refused(loop(Space::kNumber, 3, kMaxNumber - 1, {{0, 1}}), "too large");
  refused(loop(Space::kNumber, 3, kMaxNumber + 1, {{0, 1}}), "offset out of range");
  refused(loop(Space::kNumber, 3, 0, {{0, 0}}), "scale out of range");
  refused(loop(Space::kNumber, 3, 0, {{0, 1}, {0, 1}}), "do not ascend");
  refused(loop(Space::kNumber, 3, 0, {{64, 1}}), "level out of range");
  refused(loop(static_cast<Space>(4), 3, 0, {}), "unknown space");
  const auto ended = [](Assembler assembler) { return assembler.op(Opcode::k_return, coordinate(0)); };
  const auto with = [](Space space) {
    Assembler assembler;
    assembler.locals = 1;
    assembler.constants = {1.0};
    assembler.form(space, 0);
    return assembler;
  };
  refused(ended(with(Space::kLocal).op(Opcode::k_for, 0).op(Opcode::k_endfor)), "no number");
  refused(ended(with(Space::kNumber).op(Opcode::k_for, 1).op(Opcode::k_endfor)), "no number");
  refused(ended(with(Space::kNumber).op(Opcode::k_for, 0)), "`return` inside");
  refused(ended(with(Space::kNumber).op(Opcode::k_endfor)), "`endfor` without `for`");
  refused(ended(with(Space::kNumber).op(Opcode::k_for, 0).op(Opcode::k_loop).op(Opcode::k_endfor)), "`endfor` without `for`");
  refused(ended(with(Space::kCoordinate).op(Opcode::k_move, ~0, coordinate(0))), "only local arrays");
  refused(ended(with(Space::kLocal).op(Opcode::k_move, ~1, coordinate(0))), "element out of range");
  refused(ended(with(Space::kLocal).op(Opcode::k_move, 0, element(1))), "element out of range");
  refused(ended(with(Space::kConstant).op(Opcode::k_sqrt, 0, element(0))), "moved first");
  refused(ended(with(Space::kConstant).op(Opcode::k_add, 0, element(0), element(0))), "no kernel");
  Assembler deep = with(Space::kNumber);
  for (int i = 0; i < 65; i++) deep.op(Opcode::k_for, 0);
  refused(deep, "too many `for`");
  Assembler large = ended(Assembler{});
  large.locals = 1 << 20;
  refused(large, "too large");
  large.locals = 65536;
  refused(large, "too many registers");
  Assembler cut = ended(with(Space::kNumber));
  cut.element_words.pop_back();
  refused(cut, "ends early");
}

void refuses_bad_programs() {
  const auto refused = [](Assembler assembler, const char* reason) {
    std::string error;
    if (load(assembler, &error)) error = "accepted";
    if (error.find(reason) == std::string::npos) {
      failures++;
      std::printf("expected \"%s\", got \"%s\"\n", reason, error.c_str());
    }
  };
  const auto ended = [](Assembler assembler) { return assembler.op(Opcode::k_return, coordinate(0)); };
  refused(Assembler{}, "length");
  refused(Assembler{}.op(Opcode::k_move, 0, coordinate(0)), "does not end with `return`");
  refused(ended(Assembler{}.op(Opcode::k_move, 4, coordinate(0))), "register out of range");
  refused(ended(Assembler{}.op(Opcode::k_move, -1, coordinate(0))), "element out of range");
  refused(ended(Assembler{}.op(Opcode::k_move, 0, coordinate(1))), "coordinate out of range");
  refused(ended(Assembler{}.op(Opcode::k_move, 0, constant(0))), "constant out of range");
  refused(ended(Assembler{}.op(Opcode::k_move, 0, coordinate(0), 1)), "unused operand");
  refused(ended(Assembler{}.op(Opcode::k_not, 2, 0)), "mask register out of range");
  refused(ended(Assembler{}.op(static_cast<Opcode>(-1))), "unknown opcode");
  refused(ended(Assembler{}.op(Opcode::kCount)), "unknown opcode");
  refused(ended(Assembler{}.op(Opcode::k_else)), "`else` without `if`");
  refused(ended(Assembler{}.op(Opcode::k_if, 0).op(Opcode::k_endif)), "`endif` without `else`");
  refused(ended(Assembler{}.op(Opcode::k_endloop, 0, 1, 1)), "`endloop` without `loop`");
  refused(ended(Assembler{}.op(Opcode::k_loop).op(Opcode::k_endloop, 0, 0, 1)), "fuel");
  refused(ended(Assembler{}.op(Opcode::k_check, 0, 0, 1)), "lane status");
  refused(ended(Assembler{}.op(Opcode::k_loop)), "`return` inside");
  refused(Assembler{}.op(Opcode::k_return, coordinate(0)).op(Opcode::k_return, coordinate(0)), "after `return`");
  Assembler deep;
  for (int i = 0; i < 2000; i++) deep.op(Opcode::k_loop);
  refused(deep, "nested too deeply");
  Assembler large = ended(Assembler{});
  large.registers = 1 << 30;
  refused(large, "register count");
  large.registers = 60000;
  large.masks = 60000;
  refused(large, "too many registers");
  Assembler constants;
  constants.constants = {1.0, 2.0};
  constants.op(Opcode::k_add, 0, constant(0), constant(1)).op(Opcode::k_return, reg(0));
  refused(constants, "no kernel");
}

// The value, then the outputs, row by row, in blocks of every size; NaN where flagged.
void delivers_outputs() {
  Assembler assembler;
  assembler.dimension = 2;
  assembler.locals = 3;
  assembler.outputs = 2;
  assembler.constants = {0};
  assembler.op(Opcode::k_lt, 0, coordinate(0), constant(0))
      .op(Opcode::k_check, 0, 5, 9)
      .op(Opcode::k_sq, ~assembler.form(Space::kLocal, 0), coordinate(0))
      .op(Opcode::k_sq, ~assembler.form(Space::kLocal, 1), coordinate(1))
      .op(Opcode::k_sq, ~assembler.form(Space::kLocal, 2), coordinate(1))
      .op(Opcode::k_add, 0, coordinate(0), coordinate(1))
      .op(Opcode::k_return, reg(0));
  const auto program = load(assembler);
  CHECK(program != nullptr);
  if (!program) return;
  for (const std::size_t count : {1, 8, 33, 700}) {
    std::vector<double> candidates, expected;
    for (std::size_t row = 0; row < count; row++) {
      const double x = row % 5 == 4 ? -1 : static_cast<double>(row), y = 3;
      candidates.insert(candidates.end(), {x, y});
      for (const double result : {x + y, x * x, y * y}) expected.push_back(x < 0 ? std::nan("") : result);
    }
    CHECK(same_bits(run(*program, candidates, 2).values, expected));
  }
  assembler.outputs = 4;
  std::string error;
  CHECK(load(assembler, &error) == nullptr && error.find("outputs are no local array") != std::string::npos);
}

// Random words and random damage to a good program: each is refused or runs without harm (sanitizers watch).
void survives_hostile_programs() {
  Assembler good;
  start_with_control_flow(good);
  good.op(Opcode::k_pow, 2, reg(0), coordinate(0));
  add_counted_loops(good);
  good.op(Opcode::k_return, reg(2));
  const std::vector<std::int32_t> words = good.words();
  std::mt19937 random(7);
  const std::vector<double> candidates(3 * 40, 0.7);
  int accepted = 0, looped = 0;
  for (int round = 0; round < 20000; round++) {
    std::vector<std::int32_t> damaged = damage(words, random);
    if (below(random, 10) == 0) damaged.resize(below(random, damaged.size() + 1));
    std::string error;
    const auto program = Program::load(damaged.data(), damaged.size(), good.constants.data(), good.constants.size(),
                                       *available_targets()[static_cast<std::size_t>(round) % available_targets().size()], error);
    CHECK(!program == !error.empty());
    if (!program) continue;
    // Damaged fuel may ask for 2^31 rounds: the cancel flag ends them at the first.
    const std::atomic<std::int32_t> cancel{1};
    accepted++;
    if (program->dimension() * 40 <= candidates.size()) run(*program, candidates, 1, &cancel);
    const bool long_running = may_run_long(*program);
    looped += !long_running && program->work() > program->steps().size();
    if (!long_running && program->dimension() * 40 <= candidates.size()) run(*program, candidates);
  }
  CHECK(accepted > 100);
  CHECK(looped > 100);
}

void clears_the_leftovers_of_other_programs() {
  Assembler writer;
  writer.constants = {42.0};
  writer.op(Opcode::k_move, 0, constant(0)).op(Opcode::k_return, reg(0));
  Assembler reader;
  reader.op(Opcode::k_return, reg(0));
  const auto first = load(writer), second = load(reader);
  CHECK(run(*first, {1.0}).values[0] == 42.0);
  CHECK(run(*second, {1.0}).values[0] == 0.0);
}

void shares_work_among_threads() {
  for (unsigned threads : {1u, 2u, 5u})
    for (std::size_t most : {1, 7, 5000}) {
      struct Context {
        std::vector<std::atomic<int>> calls;
        std::size_t most;
        std::atomic<bool> too_many{false};
      } context{std::vector<std::atomic<int>>(1000), most};
      const auto work = [](void* argument, std::size_t first, std::size_t count) {
        Context& context = *static_cast<Context*>(argument);
        if (count < 1 || count > context.most) context.too_many = true;
        for (std::size_t i = first; i < first + count; i++) context.calls.at(i)++;
      };
      parallel_for(context.calls.size(), most, threads, work, &context);
      bool once = !context.too_many;
      for (const auto& count : context.calls) once = once && count == 1;
      CHECK(once);
    }
  // Many callers at once, each with helpers of its own.
  std::vector<std::thread> callers;
  std::atomic<long> total{0};
  const auto add = [](void* sum, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; i++) *static_cast<std::atomic<long>*>(sum) += static_cast<long>(i);
  };
  for (int caller = 0; caller < 8; caller++)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; round++) parallel_for(7, 1, 3, add, &total);
    });
  for (auto& caller : callers) caller.join();
  CHECK(total == 8L * 200 * 21);
}

void wakes_threads_for_work_that_pays() {
  CHECK(useful_threads(1, 1.0) == 1);
  CHECK(useful_threads(3, 1.0) == 3);
  CHECK(useful_threads(3, 1e-6) == 1);
}

void cancels() {
  Assembler endless;
  endless.op(Opcode::k_bfill, 0, 1).op(Opcode::k_loop).op(Opcode::k_endloop, 0, 0x7fffffff, 1).op(Opcode::k_return, coordinate(0));
  const auto program = load(endless);
  std::atomic<std::int32_t> cancel{0};
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel = 1;
  });
  CHECK(run(*program, std::vector<double>(1000, 1.0), 2, &cancel).outcome == Outcome::kCancelled);
  other.join();
}

}  // namespace

int main() {
  std::printf("targets:");
  for (const KernelTable* target : available_targets()) std::printf(" %s", target->name);
  std::printf("\n");
  targets_agree();
  block_sizes_agree();
  transposes_every_dimension();
  flags_and_loops();
  counts();
  keeps_local_arrays();
  refuses_bad_elements();
  refuses_bad_programs();
  delivers_outputs();
  survives_hostile_programs();
  clears_the_leftovers_of_other_programs();
  shares_work_among_threads();
  wakes_threads_for_work_that_pays();
  cancels();
  std::printf("digest: %016llx\n", static_cast<unsigned long long>(digest));
  std::printf(failures == 0 ? "all checks passed\n" : "%d checks failed\n", failures);
  return failures == 0 ? 0 : 1;
}
