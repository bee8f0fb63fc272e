// Loads libraries of compiled fixtures and evaluates them on command, for bench/micro/translations.mjs:
//   values <library> <function> <tiles> <dimension>          writes the values as text, one per line
//   time <library> <function> <tiles> <dimension> <rounds>   writes the processor time of all rounds in seconds
// `tiles`: a file of kRows candidates in tiles of 64. The function: (tiles, candidates, values).
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

constexpr unsigned long kRows = 4096;
alignas(64) static double values[kRows];

static double seconds() {
  timespec at;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
  return static_cast<double>(at.tv_sec) + 1e-9 * static_cast<double>(at.tv_nsec);
}

int main() {
  char command[16], library[512], name[64], file[512];
  unsigned long dimension;
  while (std::scanf("%15s %511s %63s %511s %lu", command, library, name, file, &dimension) == 5) {
    double* const tiles = static_cast<double*>(std::aligned_alloc(64, kRows * dimension * sizeof(double)));
    std::FILE* const from = std::fopen(file, "rb");
    if (!from || std::fread(tiles, sizeof(double), kRows * dimension, from) != kRows * dimension) return 1;
    std::fclose(from);
    void* const handle = dlopen(library, RTLD_NOW);
    if (!handle) return 1;
    const auto evaluate = reinterpret_cast<void (*)(const double*, unsigned long, double*)>(dlsym(handle, name));
    if (!evaluate) return 1;
    evaluate(tiles, kRows, values);
    if (std::strcmp(command, "values") == 0) {
      // Infinities as JavaScript reads them.
      for (const double value : values) {
        if (std::isinf(value)) std::printf(value > 0 ? "Infinity\n" : "-Infinity\n");
        else std::printf("%.17g\n", value);
      }
    } else {
      int rounds = 0;
      if (std::scanf("%d", &rounds) != 1) return 1;
      const double start = seconds();
      for (int round = 0; round < rounds; round++) evaluate(tiles, kRows, values);
      std::printf("%.9f\n", seconds() - start);
    }
    std::fflush(stdout);
    std::free(tiles);
  }
  return 0;
}
