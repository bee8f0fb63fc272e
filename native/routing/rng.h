// xoshiro128** (Blackman and Vigna 2021), seeded through splitmix64: integers only, so equal on every machine.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace extremum::routing {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) {
    for (int i = 0; i < 4; i += 2) {
      seed += 0x9e3779b97f4a7c15u;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      z ^= z >> 31;
      s_[i] = static_cast<std::uint32_t>(z);
      s_[i + 1] = static_cast<std::uint32_t>(z >> 32);
    }
  }

  std::uint32_t next() {
    const std::uint32_t result = rotate(s_[1] * 5, 7) * 9;
    const std::uint32_t t = s_[1] << 9;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = rotate(s_[3], 11);
    return result;
  }

  // 0 .. bound - 1, by multiplication (Lemire 2019); the bias is below 2^-32 bound.
  int below(int bound) {
    return static_cast<int>((static_cast<std::uint64_t>(next()) * static_cast<std::uint32_t>(bound)) >> 32);
  }

  // In [0, 1), a multiple of 2^-32.
  double uniform() { return next() * (1.0 / 4294967296.0); }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (int i = static_cast<int>(values.size()) - 1; i > 0; i--) std::swap(values[i], values[below(i + 1)]);
  }

 private:
  static std::uint32_t rotate(std::uint32_t x, int by) { return (x << by) | (x >> (32 - by)); }
  std::uint32_t s_[4];
};

}  // namespace extremum::routing
