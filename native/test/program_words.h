// Programs of the virtual machine, word by word, for tests. Format: src/backends/native/opcodes.ts.
#pragma once

#include <cstdint>
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
  std::int32_t dimension = 1, registers = 4, masks = 2, locals = 0;
  std::vector<double> constants;
  std::vector<std::int32_t> code, element_words;
  int elements = 0;

  Self& op(Opcode opcode, std::int32_t a = 0, std::int32_t b = 0, std::int32_t c = 0, std::int32_t d = 0) {
    code.insert(code.end(), {static_cast<std::int32_t>(opcode), a, b, c, d});
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
    std::vector<std::int32_t> all = {0x58545245, 2, dimension, registers, masks,
                                     static_cast<std::int32_t>(code.size() / 5),
                                     static_cast<std::int32_t>(constants.size()),
                                     static_cast<std::int32_t>(element_words.size()), locals};
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

}  // namespace extremum::test
