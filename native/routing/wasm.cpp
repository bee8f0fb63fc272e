// The face of the routing search as a WebAssembly module, for hosts without the addon. One module instance holds one
// search. Built by scripts/build-routing-wasm.mjs.
#include <cstdint>
#include <cstdlib>

#include "extremum/routing.h"

namespace {
std::unique_ptr<extremum::routing::Search> search;
std::vector<std::int32_t> best;
}  // namespace

#define EXPORTED(name) extern "C" __attribute__((export_name(#name)))

EXPORTED(allocate) void* allocate(std::size_t bytes) { return std::malloc(bytes); }

EXPORTED(open) int open_search(const std::int32_t* integers, std::size_t integer_count, double* reals, std::size_t real_count) {
  search = extremum::routing::create(integers, integer_count, reals, real_count);
  std::free(reals);
  return search != nullptr;
}
EXPORTED(run) double run(double count) { return static_cast<double>(search->run(static_cast<std::int64_t>(count), nullptr)); }
EXPORTED(hasBest) int has_best() { return search->has_best(); }
EXPORTED(bestCost) double best_cost() { return search->best_cost(); }
EXPORTED(offspring) double offspring() { return static_cast<double>(search->offspring()); }
EXPORTED(sinceBest) double since_best() { return static_cast<double>(search->since_best()); }
EXPORTED(bestLength) std::size_t best_length() {
  best = search->best();
  return best.size();
}
EXPORTED(bestList) const std::int32_t* best_list() { return best.data(); }
