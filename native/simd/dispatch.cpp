#include <cstdlib>

#include "extremum/targets.h"

namespace extremum {

namespace scalar {
extern const KernelTable kTable;
}
#if defined(__aarch64__)
namespace neon {
extern const KernelTable kTable;
}
#endif
#ifdef EXTREMUM_X86_TARGETS
namespace avx2 {
extern const KernelTable kTable;
}
namespace avx512 {
extern const KernelTable kTable;
}
#endif

const std::vector<const KernelTable*>& available_targets() {
  static const std::vector<const KernelTable*>& targets = *new std::vector<const KernelTable*>([] {
    std::vector<const KernelTable*> found;
#ifdef EXTREMUM_X86_TARGETS
    __builtin_cpu_init();  // these tests include the operating system's support for the registers
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
      found.push_back(&avx512::kTable);
    if (__builtin_cpu_supports("avx2")) found.push_back(&avx2::kTable);
#endif
#if defined(__aarch64__)
    found.push_back(&neon::kTable);
#endif
    found.push_back(&scalar::kTable);
    return found;
  }());
  return targets;
}

const KernelTable* find_target(std::string_view name) {
  for (const KernelTable* target : available_targets())
    if (name == target->name) return target;
  return nullptr;
}

const KernelTable& default_target() {
  static const KernelTable& chosen = [&]() -> const KernelTable& {
    const char* const wanted = std::getenv("EXTREMUM_SIMD");
    const KernelTable* const named = wanted ? find_target(wanted) : nullptr;
    return named ? *named : *available_targets().front();
  }();
  return chosen;
}

}  // namespace extremum
