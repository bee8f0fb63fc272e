// Process-wide helper threads. Threads start when first wanted, sleep between jobs (after looking around for some
// microseconds) and live as long as
// the process: the pool is never destroyed, so its code must stay mapped (the addon pins itself).
#pragma once

#include <cstddef>

namespace extremum {

// Calls `chunk(argument, i)` once for each i < chunks, on the caller and at most `threads - 1` helpers, in any order;
// returns when all calls have returned. Chunks are handed out one by one, so a busy core slows nobody else down.
// Nothing is allocated except when a new helper thread starts; `chunk` must not throw.
void parallel_for(std::size_t chunks, unsigned threads, void (*chunk)(void* argument, std::size_t index),
                  void* argument);

}  // namespace extremum
