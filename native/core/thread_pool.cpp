#include "extremum/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
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

// Who waits looks a little longer before it sleeps: within a run the next batch, or the end of the last chunk, is often
// nearer than waking up takes. A pause is up to 45 ns, so this is at most 7 microseconds.
constexpr int kLooks = 150;
template <class Condition>
void look_for(Condition condition) {
  for (int look = 0; look < kLooks && !condition(); look++) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }
}

// Lives on the stack of the caller of parallel_for, linked into the pool's list while it still wants helpers.
struct Job {
  std::atomic<std::size_t> next{0};
  std::size_t chunks = 0;
  void (*chunk)(void*, std::size_t) = nullptr;
  void* argument = nullptr;
  // Guarded by the pool's mutex.
  unsigned wanted = 0;
  std::atomic<unsigned> active{0};
  bool listed = false;
  Job* previous = nullptr;
  Job* following = nullptr;
  std::condition_variable helpers_gone;

  void work() {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < chunks;) chunk(argument, i);
  }
};

class Pool {
 public:
  void run(Job& job, unsigned helpers) {
    {
      std::lock_guard lock(mutex_);
      helpers = std::min(helpers, start_threads(helpers));
      job.wanted = helpers;
      if (helpers > 0) list(job);
    }
    for (unsigned i = 0; i < helpers; i++) work_available_.notify_one();
    job.work();
    if (helpers > 0) look_for([&] { return job.active.load(std::memory_order_relaxed) == 0; });
    std::unique_lock lock(mutex_);
    if (job.listed) unlist(job);
    job.helpers_gone.wait(lock, [&] { return job.active == 0; });
  }

 private:
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

  [[noreturn]] void help() {
    for (;;) {
      look_for([&] { return listed_.load(std::memory_order_relaxed) != 0; });
      std::unique_lock lock(mutex_);
      work_available_.wait(lock, [&] { return first_ != nullptr; });
      Job& job = *first_;
      if (--job.wanted == 0) unlist(job);
      job.active++;
      lock.unlock();
      job.work();
      lock.lock();
      if (--job.active == 0) job.helpers_gone.notify_one();
    }
  }

  std::mutex mutex_;
  std::atomic<unsigned> listed_{0};  // changes under the mutex
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

void parallel_for(std::size_t chunks, unsigned threads, void (*chunk)(void*, std::size_t), void* argument) {
  if (threads > chunks) threads = static_cast<unsigned>(chunks);
  if (threads <= 1) {
    for (std::size_t i = 0; i < chunks; i++) chunk(argument, i);
    return;
  }
  Job job;
  job.chunks = chunks;
  job.chunk = chunk;
  job.argument = argument;
  pool().run(job, threads - 1);
}

}  // namespace extremum
