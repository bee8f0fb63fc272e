// What generation programs share on a device (docs/adr/0050-generation-programs.md): CUDA text, which the tests compile
// for the processor. It says what src/strategies/generations/ says, operation by operation, to equal bits.
//
// All [size, n] arrays lie in tiles of 64. A text is this file, a program, and kernels.h, in that order. A program
// defines kVectors, kScalars, kAsked (as `GenerationProgram`), and
//
//   static __device__ void move_one(const Population &p, unsigned k)
//   static __device__ void accept_one(const Population &p, unsigned k, double value)
//
// and where the individuals share something (`WholeRules`) a kernel for the steps of `launches`, each behind all that
// was launched before it:
//
//   extern "C" __global__ void step(Population p, unsigned which, unsigned turn)
//
// One that reads gradients finds them by `gradient`, only while it accepts.

constexpr unsigned kTile = 64;

struct Population {
  unsigned n, size, generation, run, key_low, key_high;
  double *vectors;  // kVectors arrays of whole tiles, one behind the other
  double *scalars;  // kScalars arrays of whole tiles
  double *shared;   // what individuals share
  double *work;     // of the steps, within a generation
  const double *constants;
  // Of a program that reads gradients: the results of the reading, tiles of n + 1 numbers, and the widths of the box.
  const double *readings, *widths;
};

enum Purpose : unsigned { kStart, kIndices, kCoordinates, kParameters, kPurposes };

struct Words {
  unsigned word[4];
};

// Philox4x32-10: Salmon, Moraes, Dror and Shaw, SC 2011.
static __device__ Words philox(unsigned c0, unsigned c1, unsigned c2, unsigned c3, unsigned k0, unsigned k1) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xd2511f53ULL * c0, b = 0xcd9e8d57ULL * c2;
    c0 = (unsigned)(b >> 32) ^ c1 ^ k0;
    c1 = (unsigned)b;
    c2 = (unsigned)(a >> 32) ^ c3 ^ k1;
    c3 = (unsigned)a;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return {{c0, c1, c2, c3}};
}

static __device__ Words draw(const Population &p, unsigned k, unsigned block, unsigned purpose) {
  return philox(k, p.generation, block, purpose + kPurposes * p.run, p.key_low, p.key_high);
}

static __device__ double uniform32(unsigned word) { return word * 2.3283064365386963e-10; }
static __device__ double uniform53(unsigned high, unsigned low) {
  return ((high >> 5) * 67108864.0 + (low >> 6)) * 1.1102230246251565e-16;
}
static __device__ unsigned index_below(unsigned word, unsigned size) {
  return (unsigned)((unsigned long long)word * size >> 32);
}

static __device__ unsigned tiled_size(const Population &p) { return (p.size + kTile - 1) / kTile * kTile; }
// Where coordinate i of individual k is, in tiles of n numbers each.
static __device__ unsigned long long at(unsigned n, unsigned k, unsigned i) {
  return (unsigned long long)(k / kTile * kTile) * n + i * kTile + k % kTile;
}
static __device__ double *vector(const Population &p, unsigned j) {
  return p.vectors + (unsigned long long)j * tiled_size(p) * p.n;
}
static __device__ double *scalar(const Population &p, unsigned j) {
  return p.scalars + (unsigned long long)j * tiled_size(p);
}
static __device__ unsigned thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
// Of what individual k has asked for, in units of the unit box.
static __device__ double gradient(const Population &p, unsigned k, unsigned i) {
  return p.widths[i] * p.readings[at(p.n + 1, k, i + 1)];
}
// A GPU has no instruction for it: the sequence that stands for one fuses products with sums, and rounds correctly.
static __device__ __forceinline__ double quotient(double a, double b) { return a / b; }
static __device__ double infinity() { return __longlong_as_double(0x7ff0000000000000LL); }
