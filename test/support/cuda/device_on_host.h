// Lets the text of CUDA kernels be compiled as plain C++20 for the processor: qualifiers that mean nothing there, the
// coordinates of a thread, and the intrinsics that generated text uses, as the CUDA C++ Programming Guide and the CUDA
// Math API define them. `launch` runs the threads of a grid one after the other; there are no barriers and no shuffles.
//
// Compile with -ffp-contract=off for text that is meant for --fmad=false.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

// C++ has overloads of these; C only has the ones for double.
using std::ceil;
using std::fabs;
using std::floor;
using std::rint;
using std::sqrt;
using std::trunc;

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
// Also a word of the GNU C++ library, whose headers are above.
#define __noinline__
#define __launch_bounds__(...)

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

inline thread_local dim3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim, gridDim;

inline int __double2hiint(double a) { return static_cast<int>(std::bit_cast<std::uint64_t>(a) >> 32); }
inline int __double2loint(double a) { return static_cast<int>(std::bit_cast<std::uint64_t>(a)); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low));
}
inline double __longlong_as_double(long long a) { return std::bit_cast<double>(a); }
inline long long __double_as_longlong(double a) { return std::bit_cast<long long>(a); }
inline float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
inline int __float_as_int(float a) { return std::bit_cast<int>(a); }

// Toward zero; 0 for what is no number, and the nearest integer for what is beyond the range.
inline int __double2int_rz(double a) {
  if (!(a == a)) return 0;
  if (a <= std::numeric_limits<int>::min()) return std::numeric_limits<int>::min();
  if (a >= std::numeric_limits<int>::max()) return std::numeric_limits<int>::max();
  return static_cast<int>(a);
}

inline unsigned atomicAdd(unsigned *at, unsigned more) {
  const unsigned before = *at;
  *at += more;
  return before;
}

// One thread after the other; `kernel` is called without arguments.
template <class Kernel>
void launch(unsigned blocks, unsigned threads, Kernel kernel) {
  gridDim = {blocks, 1, 1};
  blockDim = {threads, 1, 1};
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
    for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) kernel();
  }
}
