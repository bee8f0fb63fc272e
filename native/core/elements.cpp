#include "extremum/elements.h"

#include <array>
#include <limits>

namespace extremum {
namespace {

constexpr std::size_t kElementWords = 4, kTermWords = 3;

std::int64_t wide(const std::int32_t* words) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(words[1])) << 32 |
                                   static_cast<std::uint32_t>(words[0]));
}
bool is_number(std::int64_t value) { return value >= -kMaxNumber && value <= kMaxNumber; }

// sum += a * b; false on overflow.
bool add_product(std::int64_t& sum, std::int64_t a, std::int64_t b) {
  std::int64_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

// Largest value of `sign * form`. Each index, innermost first, is replaced by the end of its range that gives more: 0,
// or its count - 1, a form of the indices further out.
bool find_largest(const Element& form, std::int64_t sign, const std::vector<const CountedLoop*>& loops,
                  const std::vector<Element>& elements, std::int64_t& largest) {
  std::array<std::int64_t, kMaxForDepth> scales{};
  for (const IndexTerm& term : form.terms) {
    if (term.level >= loops.size()) return false;
    scales[term.level] = sign * term.scale;
  }
  largest = sign * form.offset;
  for (std::size_t level = loops.size(); level-- > 0;) {
    const std::int64_t scale = scales[level];
    if (scale <= 0) continue;
    const Element& count = elements[loops[level]->count];
    if (!add_product(largest, scale, count.offset - 1)) return false;
    for (const IndexTerm& term : count.terms)
      if (!add_product(scales[term.level], scale, term.scale)) return false;
  }
  return largest != std::numeric_limits<std::int64_t>::min();
}

}  // namespace

bool read_elements(const std::int32_t* words, std::size_t count, std::vector<Element>& elements, std::string& error) {
  const auto fail = [&](const char* message) {
    error = "element " + std::to_string(elements.size()) + ": " + message;
    return false;
  };
  for (std::size_t at = 0; at < count;) {
    if (count - at < kElementWords) return fail("it ends early");
    const std::int32_t space = words[at], terms = words[at + 1];
    if (space < 0 || space > static_cast<std::int32_t>(Space::kNumber)) return fail("unknown space");
    if (terms < 0 || static_cast<std::size_t>(terms) > kMaxForDepth) return fail("number of terms out of range");
    Element element{static_cast<Space>(space), wide(words + at + 2), {}};
    at += kElementWords;
    if (!is_number(element.offset)) return fail("offset out of range");
    if (count - at < static_cast<std::size_t>(terms) * kTermWords) return fail("it ends early");
    for (std::int32_t k = 0; k < terms; k++, at += kTermWords) {
      const std::int32_t level = words[at];
      const std::int64_t scale = wide(words + at + 1);
      if (level < 0 || static_cast<std::size_t>(level) >= kMaxForDepth) return fail("level out of range");
      if (k > 0 && static_cast<std::uint32_t>(level) <= element.terms.back().level) return fail("levels do not ascend");
      if (!is_number(scale) || scale == 0) return fail("scale out of range");
      element.terms.push_back({static_cast<std::uint32_t>(level), scale});
    }
    elements.push_back(std::move(element));
  }
  return true;
}

bool find_range(const Element& form, const std::vector<const CountedLoop*>& loops, const std::vector<Element>& elements,
                std::int64_t& smallest, std::int64_t& largest) {
  if (!find_largest(form, -1, loops, elements, smallest)) return false;
  smallest = -smallest;
  return find_largest(form, 1, loops, elements, largest);
}

}  // namespace extremum
