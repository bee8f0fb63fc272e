#define EXTREMUM_TARGET scalar
#define EXTREMUM_TARGET_NAME "scalar"
#include "simd/vector_scalar.h"
//
#include "linalg/kernels.inc"
