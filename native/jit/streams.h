// Where the elements of arrays are in native code. The part of an address that indices of counted loops make up is kept
// in a general register, or in the frame: a stream. Elements that differ by a constant share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "extremum/program.h"

namespace extremum::jit {

struct Streams {
  static constexpr std::int32_t kNone = -1;

  // By element of the program: the address is start of the space + displacement + stream. Numbers are entries of
  // tables.
  struct Place {
    Space space = Space::kNumber;
    std::int32_t stream = kNone, displacement = 0;
  };
  std::vector<Place> places;

  // How often each is used, inner loops counting for more.
  std::vector<double> weights;

  // By loop of the program: what each round adds to streams that are used in it.
  struct Delta {
    std::int32_t stream, delta;
  };
  std::vector<std::vector<Delta>> deltas;

  // Constants of the program, then the values of numbers; empty where no element is one.
  std::vector<double> tables;
};

// `local_stride`, `coordinate_stride`: bytes from one element to the next. False, with the reason, where native code
// cannot address what the program does.
bool plan_streams(const Program& program, std::int32_t local_stride, std::int32_t coordinate_stride, Streams& streams,
                  std::string& reason);

}  // namespace extremum::jit
