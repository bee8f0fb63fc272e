// Elements of arrays at index forms, and counted loops: what `for` moves from round to round. Encoding:
// src/backends/native/opcodes.ts. The arithmetic of forms follows src/ir/index-form.ts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace extremum {

inline constexpr std::size_t kMaxForDepth = 64;
// Whole numbers beyond are no exact f64.
inline constexpr std::int64_t kMaxNumber = std::int64_t{1} << 53;

// Numbers as in the encoding.
enum class Space : std::uint8_t { kLocal, kCoordinate, kConstant, kNumber };

struct IndexTerm {
  std::uint32_t level;  // of the `for`, 0 the outermost
  std::int64_t scale;
};

// What lies at `offset + sum of scale * index`: a block of local arrays, a coordinate, a constant, or the number
// itself.
struct Element {
  Space space;
  std::int64_t offset;
  std::vector<IndexTerm> terms;  // by ascending level
};

// Operand `operand` (0 to 3: out, a, b, c) of a step is an element.
struct ElementUse {
  std::uint32_t step, operand, element;
};

// A `for`, and what changes there: from one round to the next by `delta`; when it is left, all is as it was before.
struct CountedLoop {
  std::uint32_t level, count;  // `count`: an element of the space kNumber
  std::int64_t most_rounds;    // never too small; below 1: it is never run
  struct OperandDelta {
    std::uint32_t step, operand;
    std::uint64_t delta;  // of `Operand::bits`
  };
  struct NumberDelta {
    std::uint32_t number;
    std::uint64_t delta;
  };
  std::vector<OperandDelta> operands;
  std::vector<NumberDelta> numbers;
};

// False, with the reason in `error`, where the words are no list of elements.
bool read_elements(const std::int32_t* words, std::size_t count, std::vector<Element>& elements, std::string& error);

// Smallest and largest value of a form inside the given loops, outermost first; never too narrow. False where it uses
// an index that is not there, or leaves the range of 64-bit numbers.
bool find_range(const Element& form, const std::vector<const CountedLoop*>& loops, const std::vector<Element>& elements,
                std::int64_t& smallest, std::int64_t& largest);

}  // namespace extremum
