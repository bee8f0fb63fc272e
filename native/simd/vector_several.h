// Two vectors at once, or twice two, for the functions of the mathematics library: these are long chains, and one
// vector alone waits for each result. Primitives as in the vector headers; a plain vector stands for a constant.
// Pairs of pairs, for the compiler keeps arrays in memory.
#pragma once

namespace extremum::EXTREMUM_TARGET {

template <class Half>
struct Pair {
  Half first, second;
};
template <class Half>
struct MaskPair {
  Half first, second;
};
template <class Half>
MaskPair(Half, Half) -> MaskPair<Half>;

inline Vector first_of(Vector a) { return a; }
inline Vector second_of(Vector a) { return a; }
template <class Half>
inline const Half& first_of(const Pair<Half>& a) { return a.first; }
template <class Half>
inline const Half& second_of(const Pair<Half>& a) { return a.second; }

#define EXTREMUM_PAIR_UNARY(name) \
  template <class Half>           \
  inline Pair<Half> name(const Pair<Half>& a) { return {name(a.first), name(a.second)}; }
#define EXTREMUM_PAIR_BINARY(name, Result)                                                                               \
  template <class Half>                                                                                                  \
  inline auto name(const Pair<Half>& a, const Pair<Half>& b) { return Result{name(a.first, b.first), name(a.second, b.second)}; } \
  template <class Half>                                                                                                  \
  inline auto name(const Pair<Half>& a, Vector b) { return Result{name(a.first, b), name(a.second, b)}; }                \
  template <class Half>                                                                                                  \
  inline auto name(Vector a, const Pair<Half>& b) { return Result{name(a, b.first), name(a, b.second)}; }
#define EXTREMUM_PAIR_MASKS(name) \
  template <class Half>           \
  inline MaskPair<Half> name(const MaskPair<Half>& a, const MaskPair<Half>& b) { return {name(a.first, b.first), name(a.second, b.second)}; }

EXTREMUM_PAIR_UNARY(sqrt)
EXTREMUM_PAIR_UNARY(neg)
EXTREMUM_PAIR_UNARY(abs)
EXTREMUM_PAIR_UNARY(floor)
EXTREMUM_PAIR_UNARY(trunc)
EXTREMUM_PAIR_UNARY(exponent)
EXTREMUM_PAIR_UNARY(mantissa)
EXTREMUM_PAIR_UNARY(high)
EXTREMUM_PAIR_BINARY(add, Pair<Half>)
EXTREMUM_PAIR_BINARY(sub, Pair<Half>)
EXTREMUM_PAIR_BINARY(mul, Pair<Half>)
EXTREMUM_PAIR_BINARY(div, Pair<Half>)
EXTREMUM_PAIR_BINARY(scale, Pair<Half>)
EXTREMUM_PAIR_BINARY(lt, MaskPair)
EXTREMUM_PAIR_BINARY(le, MaskPair)
EXTREMUM_PAIR_BINARY(eq, MaskPair)
EXTREMUM_PAIR_BINARY(ne, MaskPair)
EXTREMUM_PAIR_MASKS(and_)
EXTREMUM_PAIR_MASKS(or_)
EXTREMUM_PAIR_MASKS(xor_)
template <class Half>
inline auto signbit(const Pair<Half>& a) { return MaskPair{signbit(a.first), signbit(a.second)}; }
template <class Half>
inline auto bit(const Pair<Half>& a, int k) { return MaskPair{bit(a.first, k), bit(a.second, k)}; }
template <class Half, class A>
inline Pair<A> negate_where(const MaskPair<Half>& m, const Pair<A>& a) {
  return {negate_where(m.first, a.first), negate_where(m.second, a.second)};
}
template <class Half, class A, class B>
inline auto sub_where(const MaskPair<Half>& m, const A& a, const B& b) {
  const auto first = sub_where(m.first, first_of(a), first_of(b));
  return Pair<std::remove_const_t<decltype(first)>>{first, sub_where(m.second, second_of(a), second_of(b))};
}
template <class Half>
inline MaskPair<Half> not_(const MaskPair<Half>& a) { return {not_(a.first), not_(a.second)}; }
template <class Half, class A, class B>
inline auto select(const MaskPair<Half>& m, const A& a, const B& b) {
  const auto first = select(m.first, first_of(a), first_of(b));
  return Pair<std::remove_const_t<decltype(first)>>{first, select(m.second, second_of(a), second_of(b))};
}

#undef EXTREMUM_PAIR_UNARY
#undef EXTREMUM_PAIR_BINARY
#undef EXTREMUM_PAIR_MASKS

// kCount vectors from memory and to it.
template <std::size_t kCount>
inline auto load_several(const double* p) {
  if constexpr (kCount == 1) {
    return load(p);
  } else {
    const auto first = load_several<kCount / 2>(p);
    return Pair<std::remove_const_t<decltype(first)>>{first, load_several<kCount / 2>(p + kCount / 2 * kWidth)};
  }
}
inline std::size_t store_several(double* p, Vector a) { return store(p, a), kWidth; }
template <class Half>
inline std::size_t store_several(double* p, const Pair<Half>& a) {
  const std::size_t lanes = store_several(p, a.first);
  return lanes + store_several(p + lanes, a.second);
}

}  // namespace extremum::EXTREMUM_TARGET
