#define EXTREMUM_TARGET avx512
#define EXTREMUM_TARGET_NAME "avx512"
#include "simd/vector_avx512.h"
//
#include "linalg/kernels.inc"
