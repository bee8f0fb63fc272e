// Linear algebra of the strategies. The order of every sum is fixed and the same in src/linalg, which computes equal
// bits without the addon; grep ORDER OF SUMS. All targets give equal bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace extremum::linalg {

enum class ModelKind : int { kLinear = 0, kDiagonal = 1, kFull = 2 };

// Columns of the design matrix: n + 1, 2 n + 1, (n + 1)(n + 2) / 2.
std::size_t coefficient_count(ModelKind kind, std::size_t n);

struct QuadraticFit {
  ModelKind kind;
  std::size_t n;
  // Points used, best first: `rows` [count] are rows of `z` [., n] and entries of `fitness`.
  std::size_t count;
  const std::int32_t* rows;
  const double* z;
  const double* fitness;
  // Weight of the best point where the worst has 1; linear in rank.
  double best_weight;
  // Ridge, relative to the mean diagonal of the normal equations.
  double ridge;
  // [coefficient_count]
  double* coefficients;
};

struct Whitening {
  std::size_t n;
  std::size_t count;
  // `entries` [count]: rows of `points` [., n].
  const std::int32_t* entries;
  const double* points;
  const double* mean;
  // [n]
  const double* scale;
  // [n, n] row-major, lower triangular.
  const double* factor;
  // [count, n], [count]
  double* z;
  double* squared_lengths;
};

// One set of kernels per instruction set, compiled from kernels.inc.
struct Kernels {
  const char* name;
  // One row of the design matrix, padded with zeros: 1 and z; also squares; or all products of two of (1, z), row by
  // row of their triangle. `weighted` = weight times it. Up to seven entries behind the row are overwritten.
  void (*design_row)(ModelKind kind, std::size_t n, std::size_t size, std::size_t stride, const double* z, double weight,
                     double* row, double* weighted);
  // moments[r, c] = sum over k of weighted[k, r] design[k, c], as far as the layout of `kind` needs them; all with
  // `stride`.
  void (*moments)(ModelKind kind, std::size_t n, std::size_t count, std::size_t stride, const double* design,
                  const double* weighted, double* moments);
  // right[r] = sum over k of values[k] weighted[k, r].
  void (*right_side)(std::size_t count, std::size_t stride, const double* values, const double* weighted, double* right);
  // A = U^T U in the upper triangle of `a` [size rows, stride], in place; further columns are solved along. `inverse`
  // [size]: 1 / U_ii. False where a pivot is not positive.
  bool (*cholesky)(std::size_t size, std::size_t stride, double* a, double* inverse);
  // `lanes` [., kWhitenLanes] scratch of n rows.
  void (*whiten)(const Whitening& task, double* inverse_diagonal, double* inverse_scale, double* lanes);
};

constexpr std::size_t kMaxFullDimension = 100;
constexpr std::size_t kWhitenLanes = 16;
constexpr double kRelativePivot = 1e-15;

// Null where the CPU cannot run it.
const Kernels* find_kernels(std::string_view name);
const Kernels& default_kernels();

// False where the equations cannot be solved. Memory of the calling thread is kept for the next call.
bool fit_quadratic(const QuadraticFit& task, const Kernels& kernels);
void whiten_rows(const Whitening& task, const Kernels& kernels);

}  // namespace extremum::linalg
