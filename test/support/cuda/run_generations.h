// A function around a generation program that was compiled for the processor: whole runs, as a device would do them.
// `host-generations.ts` includes it once for each program, in a namespace of its own.
//
//   run RESULTS size n generations key_low key_high, then n lower bounds, n upper bounds
//
// Writes for each generation: best, lowest, highest, index, successes, odd candidates (double each), then the best
// candidate [n]; at the end all vectors and scalars, in tiles. Every array is an allocation of its own, for the address
// sanitizer.
static int run(int argc, char **argv) {
  if (argc < 7) return 2;
  std::FILE *out = std::fopen(argv[1], "wb");
  const auto number = [&](int k) { return static_cast<unsigned>(std::strtoul(argv[k], nullptr, 10)); };
  const unsigned size = number(2), n = number(3), generations = number(4);
  const unsigned blocks = (size + kTile - 1) / kTile;
  const std::size_t tiled = std::size_t{blocks} * kTile;
  if (out == nullptr || argc != static_cast<int>(7 + 2 * n)) return 2;
  const auto box = std::make_unique<double[]>(3 * n);
  for (unsigned k = 0; k < 2 * n; ++k) box[k] = std::strtod(argv[7 + k], nullptr);
  for (unsigned i = 0; i < n; ++i) box[2 * n + i] = box[n + i] - box[i];
  const auto vectors = std::make_unique<double[]>(kVectors * tiled * n);
  const auto scalars = std::make_unique<double[]>(kScalars * tiled);
  const auto candidates = std::make_unique<double[]>(tiled * n), values = std::make_unique<double[]>(tiled);
  const auto status = std::make_unique<unsigned char[]>(size);
  const auto odd = std::make_unique<unsigned>(), index = std::make_unique<unsigned>();
  const auto best = std::make_unique<double[]>(n);
  const auto statistics = std::make_unique<Statistics[]>(size), combined = std::make_unique<Statistics[]>(blocks);
  Population p{n, size, 0, 0, number(5), number(6), vectors.get(), scalars.get()};
  for (; p.generation < generations; ++p.generation) {
    launch(blocks, kTile, [&] { move(p, box.get(), candidates.get(), odd.get()); });
    launch(blocks, kTile, [&] { evaluate(candidates.get(), size, values.get(), status.get(), nullptr); });
    launch(blocks, kTile, [&] { count_odd(size, values.get(), status.get(), odd.get()); });
    launch(blocks, kTile, [&] { accept(p, 1, values.get(), status.get(), statistics.get()); });
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
  std::fwrite(vectors.get(), sizeof(double), kVectors * tiled * n, out);
  std::fwrite(scalars.get(), sizeof(double), kScalars * tiled, out);
  return std::fclose(out);
}
