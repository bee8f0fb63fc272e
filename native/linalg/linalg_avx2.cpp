#define EXTREMUM_TARGET avx2
#define EXTREMUM_TARGET_NAME "avx2"
#include "simd/vector_avx2.h"
//
#include "linalg/kernels.inc"
