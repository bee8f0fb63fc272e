// Programs of the virtual machine, word by word, for tests. Format: src/backends/native/opcodes.ts.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "extremum/program.h"

namespace extremum::test {

constexpr std::int32_t reg(int index) { return index << 2; }
constexpr std::int32_t coordinate(int index) { return index << 2 | 1; }
constexpr std::int32_t constant(int index) { return index << 2 | 2; }
constexpr std::int32_t element(int index) { return index << 2 | 3; }

// `Self`: the class derived from it.
template <class Self>
struct ProgramWords {
  std::int32_t dimension = 1, registers = 4, masks = 2, locals = 0, outputs = 0;
  std::vector<double> constants;
  std::vector<std::int32_t> code, element_words;
  int elements = 0;

  Self& op(Opcode opcode, std::int32_t a = 0, std::int32_t b = 0, std::int32_t c = 0, std::int32_t d = 0) {
    for (const std::int32_t word : {static_cast<std::int32_t>(opcode), a, b, c, d}) code.push_back(word);
    return static_cast<Self&>(*this);
  }
  // Adds an element; its number.
  int form(Space space, std::int64_t offset, const std::vector<IndexTerm>& terms = {}) {
    const auto wide = [&](std::int64_t value) {
      element_words.push_back(static_cast<std::int32_t>(value));
      element_words.push_back(static_cast<std::int32_t>(value >> 32));
    };
    element_words.push_back(static_cast<std::int32_t>(space));
    element_words.push_back(static_cast<std::int32_t>(terms.size()));
    wide(offset);
    for (const auto& [level, scale] : terms) {
      element_words.push_back(static_cast<std::int32_t>(level));
      wide(scale);
    }
    return elements++;
  }
  int number(std::int64_t offset, const std::vector<IndexTerm>& terms = {}) { return form(Space::kNumber, offset, terms); }

  std::vector<std::int32_t> words() const {
    std::vector<std::int32_t> all = {0x58545245, 3, dimension, registers, masks,
                                     static_cast<std::int32_t>(code.size() / 5),
                                     static_cast<std::int32_t>(constants.size()),
                                     static_cast<std::int32_t>(element_words.size()), locals, outputs};
    all.insert(all.end(), code.begin(), code.end());
    all.insert(all.end(), element_words.begin(), element_words.end());
    return all;
  }
};

// Every way to take an element, with loops and branches around; 3 coordinates. Registers 0 to 2 and both masks are set.
template <class Self>
void add_counted_loops(Self& program) {
  program.locals = 4;
  program.op(Opcode::k_for, program.number(3))
      .op(Opcode::k_for, program.number(1, {{0, 1}}))
      .op(Opcode::k_mul_add, ~program.form(Space::kLocal, 3, {{0, -1}, {1, 1}}),
          element(program.form(Space::kCoordinate, 0, {{0, 1}, {1, -1}})), element(program.number(0, {{1, 5}})), reg(2))
      .op(Opcode::k_if, 0)
      .op(Opcode::k_blend, 2, element(program.form(Space::kConstant, 0, {{1, 1}})))
      .op(Opcode::k_else)
      .op(Opcode::k_blend, ~program.form(Space::kLocal, 0, {{0, 1}}), element(program.form(Space::kLocal, 1, {{0, 1}})))
      .op(Opcode::k_endif)
      .op(Opcode::k_endfor)
      .op(Opcode::k_endfor);
}

// A branch with a check, and a loop with fuel; 3 coordinates. Sets registers 0 and 1 and both masks.
template <class Self>
void start_with_control_flow(Self& program) {
  program.dimension = 3;
  program.constants = {0.0, 1.5, 2.0};
  program.op(Opcode::k_lt, 0, coordinate(0), constant(1))
      .op(Opcode::k_if, 0)
      .op(Opcode::k_move, 0, coordinate(1))
      .op(Opcode::k_else)
      .op(Opcode::k_check_lt, coordinate(2), constant(0), 3, 8)
      .op(Opcode::k_blend, 0, constant(2))
      .op(Opcode::k_endif)
      .op(Opcode::k_loop)
      .op(Opcode::k_mul_add, 1, reg(0), coordinate(2), constant(1))
      .op(Opcode::k_le, 1, reg(1), constant(2))
      .op(Opcode::k_blend, 0, reg(1))
      .op(Opcode::k_endloop, 1, 5, 9);
}

inline std::size_t below(std::mt19937& random, std::size_t bound) { return static_cast<std::size_t>(random() % bound); }

// One to three words changed: any number, a small one, the next one, or a bit.
inline std::vector<std::int32_t> damage(std::vector<std::int32_t> words, std::mt19937& random) {
  for (std::size_t k = 1 + below(random, 3); k > 0; k--) {
    std::int32_t& word = words[below(random, words.size())];
    switch (below(random, 4)) {
      case 0: word = static_cast<std::int32_t>(random()); break;
      case 1: word = static_cast<std::int32_t>(below(random, 100)); break;
      case 2: word += 1; break;
      default: word ^= 1 << below(random, 31);
    }
  }
  return words;
}

// Damaged fuel and counts may ask for 2^31 rounds.
inline bool may_run_long(const Program& program) {
  bool fuel = false;
  for (const Step& step : program.steps()) fuel = fuel || (step.opcode == Opcode::k_endloop && step.imm > 1000);
  return fuel || program.work() > 10000;
}

}  // namespace extremum::test
