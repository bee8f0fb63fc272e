// Vehicle routing by hybrid genetic search and by ruin and recreate. The same sources make the addon and the WebAssembly
// module (scripts/build-routing-wasm.mjs); both give equal bits: integers for chance, doubles without contraction, no
// library function whose result a platform may choose.
//
// Life: `create` from numbers that the caller checked (layout in problem.h), `run` as often as wanted, `best` in between.
// One search belongs to one thread.
#pragma once

#ifndef __wasm__
#include <atomic>
#endif
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace extremum::routing {

// Null stop cell: nothing stops it. Under WebAssembly the host is asked instead.
#ifdef __wasm__
using StopCell = const std::int32_t*;
#else
using StopCell = const std::atomic<std::int32_t>*;
#endif

class Search {
 public:
  virtual ~Search() = default;
  // Educates up to `count` further offspring. Returns how many; fewer only when stopped. The split into calls changes
  // no bit of the search.
  virtual std::int64_t run(std::int64_t count, StopCell stop) = 0;
  // Whether `best` satisfies every limit.
  virtual bool has_best() const = 0;
  // In the objective of the search.
  virtual double best_cost() const = 0;
  // Slot, length, customers (from 0), for each route in use; then the customers without a route: -1, length, customers.
  virtual std::vector<std::int32_t> best() const = 0;
  // Offspring so far, and those since the best one.
  virtual std::int64_t offspring() const = 0;
  virtual std::int64_t since_best() const = 0;
};

// Null where the numbers do not describe a problem: lengths, indices, a version of the layout that is not ours.
std::unique_ptr<Search> create(const std::int32_t* integers, std::size_t integer_count, const double* reals,
                               std::size_t real_count);

}  // namespace extremum::routing
