// Threads that use kernels of native/cuda/ at once, on the stand-in libraries, under sanitizers.
//
//   several_threads FOLDER KERNEL
//
// FOLDER has the stand-ins; KERNEL is the text of a kernel that sums three squares. Prints failures, which are expected
// where the stand-ins are told to fail, `wrong` for a value that is, and `done`.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "extremum/cuda.h"
#include "extremum/program.h"

namespace {

namespace cuda = extremum::cuda;

constexpr int kThreads = 4, kRounds = 5;
constexpr std::size_t kDimension = 3;

void evaluate(cuda::Kernel &kernel, std::size_t count, double first, bool with_lines, bool in_tiles) {
  const std::size_t tiles = (count + extremum::kTileLanes - 1) / extremum::kTileLanes;
  std::vector<double> candidates(kDimension * (in_tiles ? tiles * extremum::kTileLanes : count)), values(count);
  std::vector<std::uint8_t> status(count);
  std::vector<std::int32_t> lines(count);
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i] = first + static_cast<double>(i);
  kernel.evaluate({candidates.data(), count, values.data(), status.data(), with_lines ? lines.data() : nullptr,
                   in_tiles ? extremum::Layout::kTiles : extremum::Layout::kRows},
                  nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    const double *const x = &candidates[in_tiles ? extremum::tiled_start(i, kDimension) : kDimension * i];
    const std::size_t apart = in_tiles ? extremum::kTileLanes : 1;
    const double y = x[apart], z = x[2 * apart];
    if (values[i] != x[0] * x[0] + y * y + z * z) std::puts("wrong");
  }
}

void work(const std::string &folder, const std::string &text, int number) {
  for (int round = 0; round < kRounds; ++round) {
    try {
      cuda::facts({folder});
      const std::string image = cuda::compile(text, {"--gpu-architecture=sm_90", "--fmad=false"});
      const std::size_t chunk = round % 2 == 0 ? 0 : 64;
      const auto kernel =
          cuda::Kernel::load(image, "evaluate", cuda::least_loaded_device(), {kDimension, 1, 64, chunk});
      for (const std::size_t count : {1, 63, 64, 65, 700, 5000}) {
        evaluate(*kernel, count, number, round % 3 != 0, false);
        evaluate(*kernel, count, number, round % 3 != 0, true);
      }
      kernel->state();
    } catch (const cuda::Failure &failure) {
      std::puts(failure.what());
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  std::ifstream file(argv[2]);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number) threads.emplace_back(work, argv[1], text, number);
  for (std::thread &thread : threads) thread.join();
  cuda::release();
  std::puts("done");
}
