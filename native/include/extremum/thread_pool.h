// Process-wide helper threads. Threads start when first wanted, sleep between jobs (where jobs follow one another
// closely, after looking around for some microseconds) and live as long as the process: the pool is never destroyed, so
// its code must stay mapped (the addon pins itself).
#pragma once

#include <cstddef>

namespace extremum {

using Work = void (*)(void* argument, std::size_t first, std::size_t count);

// Calls `work` for ranges of at most `most` units that together are 0 to `units` - 1, on the caller and at most
// `threads - 1` helpers, in any order; returns when all calls have returned. Ranges are handed out
// one by one, so a busy core slows nobody else down. Nothing is allocated except when a new helper thread starts;
// `work` must not throw. Units: below 2^31.
void parallel_for(std::size_t units, std::size_t most, unsigned threads, Work work, void* argument);

// How many of `threads` are worth having for work of so many seconds on one: waking another takes time.
unsigned useful_threads(unsigned threads, double seconds);

}  // namespace extremum
