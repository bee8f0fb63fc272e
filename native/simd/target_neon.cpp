// Part of the baseline of 64-bit ARM: no flags, and nothing elsewhere.
#if defined(__aarch64__)
#define EXTREMUM_TARGET neon
#define EXTREMUM_TARGET_NAME "neon"
#include "simd/vector_neon.h"
//
#include "simd/target.inc"
#endif
