// A function around a generation program that was compiled for the processor: whole runs, as a device would do them.
// `host-generations.ts` includes it once for each program, in a namespace of its own.
//
//   run RESULTS size n generations key_low key_high, then n lower bounds, n upper bounds, then for a program with steps
//       LAUNCHES CONSTANTS shared work constants
//
// LAUNCHES: for each generation how many steps there are before the move and after the acceptance, then step, threads
// and turn of each; CONSTANTS: double each.
//
// Writes for each generation: best, lowest, highest, index, successes, odd candidates (double each), then the best
// candidate [n]; at the end all vectors and scalars, in tiles, or what the individuals share, where there are steps.
// Every array is an allocation of its own, for the address sanitizer. EVALUATE_GRADIENT: the kernel of the objective's
// gradient, where the program reads it.
static int run(int argc, char **argv) {
  if (argc < 7) return 2;
  std::FILE *out = std::fopen(argv[1], "wb");
  const auto number = [&](int k) { return static_cast<unsigned>(std::strtoul(argv[k], nullptr, 10)); };
  const unsigned size = number(2), n = number(3), generations = number(4);
  const unsigned blocks = (size + kTile - 1) / kTile;
  const std::size_t tiled = std::size_t{blocks} * kTile;
  constexpr int step_arguments = GENERATION_HAS_STEPS ? 5 : 0;
  if (out == nullptr || argc != static_cast<int>(7 + 2 * n) + step_arguments) return 2;
  const auto box = std::make_unique<double[]>(3 * n);
  for (unsigned k = 0; k < 2 * n; ++k) box[k] = std::strtod(argv[7 + k], nullptr);
  for (unsigned i = 0; i < n; ++i) box[2 * n + i] = box[n + i] - box[i];
  const auto vectors = std::make_unique<double[]>(kVectors * tiled * n);
  const auto scalars = std::make_unique<double[]>(kScalars * tiled);
  const auto candidates = std::make_unique<double[]>(tiled * n), values = std::make_unique<double[]>(tiled);
  const auto status = std::make_unique<unsigned char[]>(size), reading_status = std::make_unique<unsigned char[]>(size);
  const auto readings = std::make_unique<double[]>(tiled * (n + 1));
  const auto odd = std::make_unique<unsigned>(), index = std::make_unique<unsigned>();
  const auto best = std::make_unique<double[]>(n);
  const auto statistics = std::make_unique<Statistics[]>(size), combined = std::make_unique<Statistics[]>(blocks);
  Population p{n, size, 0, 0, number(5), number(6), vectors.get(), scalars.get()};
  p.readings = readings.get();
  p.widths = box.get() + 2 * n;
#if GENERATION_HAS_STEPS
  const int own = static_cast<int>(7 + 2 * n);
  const auto shared = std::make_unique<double[]>(number(own + 2)), work = std::make_unique<double[]>(number(own + 3));
  const auto constants = std::make_unique<double[]>(number(own + 4));
  p.shared = shared.get();
  p.work = work.get();
  p.constants = constants.get();
  std::FILE *const launches = std::fopen(argv[own], "rb"), *const numbers = std::fopen(argv[own + 1], "rb");
  if (launches == nullptr || numbers == nullptr ||
      std::fread(constants.get(), sizeof(double), number(own + 4), numbers) != number(own + 4))
    return 2;
  std::fclose(numbers);
  unsigned counts[2] = {0, 0};
  const auto launch_steps = [&](unsigned count) {
    for (unsigned k = 0; k < count; ++k) {
      unsigned each[3];
      if (std::fread(each, sizeof(unsigned), 3, launches) != 3) std::abort();
      launch((each[1] + kTile - 1) / kTile, kTile, [&] { step(p, each[0], each[2]); });
    }
  };
#endif
  for (; p.generation < generations; ++p.generation) {
#if GENERATION_HAS_STEPS
    if (std::fread(counts, sizeof(unsigned), 2, launches) != 2) return 2;
    launch_steps(counts[0]);
#endif
    launch(blocks, kTile, [&] { move(p, box.get(), candidates.get(), odd.get()); });
    launch(blocks, kTile, [&] { evaluate(candidates.get(), size, values.get(), status.get(), nullptr); });
#ifdef EVALUATE_GRADIENT
    launch(blocks, kTile, [&] {
      EVALUATE_GRADIENT(candidates.get(), size, readings.get(), reading_status.get(), nullptr);
    });
#endif
    launch(blocks, kTile, [&] { count_odd(size, values.get(), status.get(), odd.get()); });
    launch(blocks, kTile, [&] { accept(p, 1, values.get(), status.get(), statistics.get()); });
#if GENERATION_HAS_STEPS
    launch_steps(counts[1]);
#endif
    Statistics *from = statistics.get(), *to = combined.get();
    for (unsigned count = size; count > 1; count = (count + kTile - 1) / kTile) {
      const unsigned left = (count + kTile - 1) / kTile;
      launch((left + kTile - 1) / kTile, kTile, [&] { combine(from, count, to); });
      std::swap(from, to);
    }
    const Statistics &all = from[0];
    const double numbers[] = {all.best, all.lowest, all.highest, double(all.index), double(all.successes),
                              double(*odd)};
    std::fwrite(numbers, sizeof(double), 6, out);
    *index = all.index;
    launch(1, kTile, [&] { gather(candidates.get(), n, index.get(), 1, best.get()); });
    std::fwrite(best.get(), sizeof(double), n, out);
  }
#if GENERATION_HAS_STEPS
  std::fclose(launches);
  std::fwrite(shared.get(), sizeof(double), number(own + 2), out);
#else
  std::fwrite(vectors.get(), sizeof(double), kVectors * tiled * n, out);
  std::fwrite(scalars.get(), sizeof(double), kScalars * tiled, out);
#endif
  return std::fclose(out);
}
