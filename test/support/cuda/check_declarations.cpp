// Compiles where the addon's own declarations of CUDA agree with NVIDIA's headers: constants by value, functions by the
// number, size and kind of their parameters.
#include <cuda.h>
#include <nvrtc.h>

#include <type_traits>

#include "cuda/api.h"

namespace extremum::cuda {

template <class Ours, class Theirs>
constexpr bool kSameKind = sizeof(Ours) == sizeof(Theirs) &&
                           std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
                           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;

template <class Ours, class Theirs>
struct SameShape : std::false_type {};

template <class R, class... P, class S, class... Q>
struct SameShape<R(P...), S(Q...)> {
  static constexpr bool compare() {
    if constexpr (sizeof...(P) != sizeof...(Q)) return false;
    else return kSameKind<R, S> && (kSameKind<P, Q> && ...);
  }
  static constexpr bool value = compare();
};

#define SAME_FUNCTION(field, symbol, second, ...) \
  static_assert(SameShape<__VA_ARGS__, std::remove_pointer_t<decltype(&::symbol)>>::value, #symbol);
EXTREMUM_DRIVER_FUNCTIONS(SAME_FUNCTION)
EXTREMUM_COMPILER_FUNCTIONS(SAME_FUNCTION)

#define SAME_CONSTANT(name, theirs, value) static_assert((value) == static_cast<int>(theirs), #theirs);
EXTREMUM_CUDA_CONSTANTS(SAME_CONSTANT)

static_assert(!SameShape<int(int), int(void *)>::value && !SameShape<int(int), int(int, int)>::value);

}  // namespace extremum::cuda
