#include "extremum/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <signal.h>
#define EXTREMUM_POSIX_SIGNALS 1
#endif

namespace extremum {
namespace {

using Clock = std::chrono::steady_clock;

// What waking a thread takes, about (27 to 50 microseconds were measured in a virtual machine). Who waits looks around
// for as long before it sleeps, where it has reason to.
constexpr std::chrono::microseconds kLook{50};
// Work (seconds on one thread) that another thread is worth while for: one that is looking, and one that is to be
// woken.
constexpr double kWorthSharing = 12e-6, kWorthWaking = 60e-6;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Whether the condition came true within kLook.
template <class Condition>
bool look_for(Condition condition) {
  const Clock::time_point end = Clock::now() + kLook;
  do {
    for (int look = 0; look < 16; look++) {
      if (condition()) return true;
      pause();
    }
  } while (Clock::now() < end);
  return false;
}

// Lives on the stack of the caller of parallel_for, linked into the pool's list while it still wants helpers.
struct Job {
  // Units that were taken: low half by the caller, from the first on; high half by helpers, from the last on. So a
  // thread finds what it touched the last time in its own caches.
  std::atomic<std::uint64_t> taken{0};
  std::uint64_t units = 0, most = 0;
  unsigned threads = 0;
  Clock::time_point published;
  Work work = nullptr;
  void* argument = nullptr;
  // Guarded by the pool's mutex.
  unsigned wanted = 0;
  std::atomic<unsigned> active{0};
  bool listed = false;
  Job* previous = nullptr;
  Job* following = nullptr;
  std::condition_variable helpers_gone;

  // Takes less at a time as less is left, so that all end together.
  void help(bool from_the_first) {
    std::uint64_t before = taken.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t first = before & 0xffffffffu, last = before >> 32, left = units - first - last;
      if (left == 0) return;
      const std::uint64_t count = std::clamp<std::uint64_t>(left / (2 * threads), 1, most);
      if (!taken.compare_exchange_weak(before, before + (from_the_first ? count : count << 32), std::memory_order_relaxed)) continue;
      work(argument, static_cast<std::size_t>(from_the_first ? first : units - last - count), static_cast<std::size_t>(count));
      before = taken.load(std::memory_order_relaxed);
    }
  }
};

class Pool {
 public:
  // Whether helpers would be of use to so much work: it is long, or they are awake, or will be for the next.
  bool worth_sharing(double seconds) {
    if (seconds >= kWorthWaking) return true;
    if (seconds < kWorthSharing) return false;
    if (looking_.load(std::memory_order_relaxed) > 0) return true;
    const Clock::rep now = Clock::now().time_since_epoch().count(), before = wished_.exchange(now, std::memory_order_relaxed);
    return now - before < Clock::duration(2 * kLook).count();
  }

  void run(Job& job, unsigned helpers) {
    job.published = Clock::now();
    {
      const std::unique_lock lock = acquire();
      helpers = std::min(helpers, start_threads(helpers));
      job.wanted = helpers;
      if (helpers > 0) list(job);
    }
    for (unsigned i = 0; i < helpers; i++) work_available_.notify_one();
    job.help(true);
    if (job.active.load(std::memory_order_relaxed) > 0) look_for([&] { return job.active.load(std::memory_order_relaxed) == 0; });
    std::unique_lock lock = acquire();
    if (job.listed) unlist(job);
    job.helpers_gone.wait(lock, [&] { return job.active == 0; });
  }

 private:
  // Who holds the mutex lets it go at once, and sleeping takes far longer.
  std::unique_lock<std::mutex> acquire() {
    for (int look = 0; look < 100; look++) {
      if (mutex_.try_lock()) return {mutex_, std::adopt_lock};
      pause();
    }
    return std::unique_lock(mutex_);
  }

  void list(Job& job) {
    job.listed = true;
    listed_.fetch_add(1, std::memory_order_relaxed);
    job.previous = last_;
    job.following = nullptr;
    (last_ ? last_->following : first_) = &job;
    last_ = &job;
  }

  void unlist(Job& job) {
    job.listed = false;
    listed_.fetch_sub(1, std::memory_order_relaxed);
    (job.previous ? job.previous->following : first_) = job.following;
    (job.following ? job.following->previous : last_) = job.previous;
  }

  // Makes sure that `count` helpers exist if the system allows; returns how many there are.
  unsigned start_threads(unsigned count) {
    const unsigned limit = std::max(1u, std::thread::hardware_concurrency());
    count = std::min(count, limit);
    if (threads_ >= count) return threads_;
#ifdef EXTREMUM_POSIX_SIGNALS
    // Signals are for the host program's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
#endif
    while (threads_ < count) {
      try {
        std::thread([this] { help(); }).detach();
        threads_++;
      } catch (const std::system_error&) {
        break;
      }
    }
#ifdef EXTREMUM_POSIX_SIGNALS
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
#endif
    return threads_;
  }

  // Looks around for the next job only where the last came soon after the one before: nobody spins while the process is
  // idle.
  [[noreturn]] void help() {
    bool looks = false;
    for (;;) {
      const Clock::time_point idle_since = Clock::now();
      if (looks) {
        looking_.fetch_add(1, std::memory_order_relaxed);
        looks = look_for([&] { return listed_.load(std::memory_order_relaxed) != 0; });
        looking_.fetch_sub(1, std::memory_order_relaxed);
      }
      std::unique_lock lock = acquire();
      if (!first_) {
        work_available_.wait(lock);
        // Woken, and all is done already: short jobs follow one another.
        looks = !first_;
        if (!first_) continue;
      }
      Job& job = *first_;
      if (--job.wanted == 0) unlist(job);
      job.active++;
      looks = looks || job.published - idle_since < kLook;
      lock.unlock();
      job.help(false);
      lock = acquire();
      if (--job.active == 0) job.helpers_gone.notify_one();
    }
  }

  std::mutex mutex_;
  std::atomic<unsigned> listed_{0};  // changes under the mutex
  std::atomic<unsigned> looking_{0};
  std::atomic<Clock::rep> wished_{0};  // when there was last work that a helper at hand would have been of use to
  std::condition_variable work_available_;
  Job* first_ = nullptr;
  Job* last_ = nullptr;
  unsigned threads_ = 0;
};

Pool& pool() {
  static Pool* const instance = new Pool;  // never destroyed: helpers use it until the process ends
  return *instance;
}

}  // namespace

unsigned useful_threads(unsigned threads, double seconds) {
  return threads > 1 && pool().worth_sharing(seconds) ? threads : 1;
}

void parallel_for(std::size_t units, std::size_t most, unsigned threads, Work work, void* argument) {
  if (threads > units) threads = static_cast<unsigned>(units);
  if (threads <= 1) {
    for (std::size_t i = 0; i < units; i += most) work(argument, i, std::min(most, units - i));
    return;
  }
  Job job;
  job.units = units;
  job.most = most;
  job.threads = threads;
  job.work = work;
  job.argument = argument;
  pool().run(job, threads - 1);
}

}  // namespace extremum
