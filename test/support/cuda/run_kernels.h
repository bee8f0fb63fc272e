// The program around kernels that were compiled for the processor. `KERNELS(X)` lists their numbers as X(number).
//
// Reads jobs from the file argv[1], each: kernel, count, dimension, width (uint32), then the tiles (double). Writes to
// the file argv[2] for each job: the tiles of values (double), status (uint8 [count]), lines (int32 [count]). Every
// array is an allocation of its own and no longer than a driver would make it, so that the address sanitizer sees what
// lies behind it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "device_on_host.h"

#define DECLARE(number) \
  extern "C" void evaluate_##number(const double *, unsigned, double *, unsigned char *, int *);
KERNELS(DECLARE)

namespace {

constexpr unsigned kTile = 64;

[[noreturn]] void fail(const char *what, unsigned kernel) {
  std::fprintf(stderr, "kernel %u: %s\n", kernel, what);
  std::exit(3);
}

using Kernel = void (*)(const double *, unsigned, double *, unsigned char *, int *);

// Lanes behind the last candidate keep it, and so must be untouched.
constexpr double kUntouched = 12345.0;

void run(Kernel kernel, unsigned number, unsigned count, unsigned width, const std::vector<double> &tiles,
         std::FILE *out) {
  const unsigned blocks = (count + kTile - 1) / kTile;
  const std::size_t length = std::size_t{blocks} * kTile * width;
  const auto input = std::make_unique<double[]>(tiles.size());
  std::copy(tiles.begin(), tiles.end(), input.get());
  const auto values = std::make_unique<double[]>(length);
  std::fill_n(values.get(), length, kUntouched);
  const auto status = std::make_unique<unsigned char[]>(count);
  const auto lines = std::make_unique<int[]>(count);
  launch(blocks, kTile, [&] { kernel(input.get(), count, values.get(), status.get(), lines.get()); });
  for (std::size_t k = 0; k < length; ++k) {
    const std::size_t candidate = k / (kTile * width) * kTile + k % kTile;
    if (candidate >= count && values[k] != kUntouched) fail("it wrote behind the last candidate", number);
  }
  // Nobody has to ask for lines.
  launch(1, kTile, [&] { kernel(input.get(), count > kTile ? kTile : count, values.get(), status.get(), nullptr); });
  std::fwrite(values.get(), sizeof(double), length, out);
  std::fwrite(status.get(), 1, count, out);
  std::fwrite(lines.get(), sizeof(int), count, out);
}

}  // namespace

int main(int argc, char **argv) {
  std::FILE *in = argc == 3 ? std::fopen(argv[1], "rb") : nullptr;
  std::FILE *out = argc == 3 ? std::fopen(argv[2], "wb") : nullptr;
  if (in == nullptr || out == nullptr) return 2;
  for (unsigned head[4]; std::fread(head, sizeof(head), 1, in) == 1;) {
    const auto [number, count, dimension, width] = head;
    const unsigned blocks = (count + kTile - 1) / kTile;
    std::vector<double> tiles(std::size_t{blocks} * kTile * dimension);
    if (std::fread(tiles.data(), sizeof(double), tiles.size(), in) != tiles.size()) return 2;
    switch (number) {
#define RUN(kernel)                                           \
  case kernel:                                                \
    run(evaluate_##kernel, kernel, count, width, tiles, out); \
    break;
      KERNELS(RUN)
      default: fail("there is none", number);
    }
  }
  std::fclose(in);
  return std::fclose(out);
}
