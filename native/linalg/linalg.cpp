// Weighted least squares for a quadratic model, and whitening of points: what lies around the kernels.
#include "extremum/linalg.h"

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "extremum/targets.h"

namespace extremum {

namespace scalar {
extern const linalg::Kernels kLinalg;
}
#ifdef EXTREMUM_X86_TARGETS
namespace avx2 {
extern const linalg::Kernels kLinalg;
}
namespace avx512 {
extern const linalg::Kernels kLinalg;
}
#endif

namespace linalg {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLanes = kAlignment / sizeof(double);

std::size_t padded(std::size_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

// Aligned memory that only grows.
class Buffer {
 public:
  double* reserve(std::size_t count) {
    if (count > capacity_) {
      memory_.reset(static_cast<double*>(::operator new(count * sizeof(double), std::align_val_t{kAlignment})));
      capacity_ = count;
    }
    return memory_.get();
  }

 private:
  struct Free {
    void operator()(double* memory) const { ::operator delete(memory, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<double, Free> memory_;
  std::size_t capacity_ = 0;
};

// Where the product of columns i <= j stands among the moments: [size (size + 1) / 2], row by row.
class Places {
 public:
  const std::uint32_t* of(ModelKind kind, std::size_t n, std::size_t size, std::size_t stride) {
    if (kind == kind_ && n == n_) return at_.data();
    kind_ = kind;
    n_ = n;
    at_.clear();
    at_.reserve(size * (size + 1) / 2);
    for (std::size_t i = 0; i < size; i++)
      for (std::size_t j = i; j < size; j++)
        at_.push_back(static_cast<std::uint32_t>(kind == ModelKind::kFull ? of_four(i, j, stride) : j * stride + i));
    return at_.data();
  }

 private:
  // The four factors, largest first: the first two name the row, the last two the column.
  static std::size_t of_four(std::size_t i, std::size_t j, std::size_t stride) {
    std::size_t factors[4];
    split(i, factors);
    split(j, factors + 2);
    for (int k = 1; k < 4; k++)
      for (int l = k; l > 0 && factors[l] > factors[l - 1]; l--) std::swap(factors[l], factors[l - 1]);
    return index(factors[0], factors[1]) * stride + index(factors[2], factors[3]);
  }
  static std::size_t index(std::size_t a, std::size_t b) { return a * (a + 1) / 2 + b; }
  static void split(std::size_t column, std::size_t* factors) {
    std::size_t a = 0;
    while (index(a + 1, 0) <= column) a++;
    factors[0] = a;
    factors[1] = column - index(a, 0);
  }

  ModelKind kind_ = ModelKind::kLinear;
  std::size_t n_ = 0;
  std::vector<std::uint32_t> at_;
};

struct Workspace {
  Buffer memory;
  Places places;
};

Workspace& workspace() {
  static thread_local Workspace own;
  return own;
}

}  // namespace

const Kernels* find_kernels(std::string_view name) {
  // What the CPU can run is asked in one place.
  if (find_target(name) == nullptr) return nullptr;
#ifdef EXTREMUM_X86_TARGETS
  if (name == avx512::kLinalg.name) return &avx512::kLinalg;
  if (name == avx2::kLinalg.name) return &avx2::kLinalg;
#endif
  return name == scalar::kLinalg.name ? &scalar::kLinalg : nullptr;
}

const Kernels& default_kernels() {
  static const Kernels& chosen = *find_kernels(default_target().name);
  return chosen;
}

std::size_t coefficient_count(ModelKind kind, std::size_t n) {
  switch (kind) {
    case ModelKind::kLinear: return n + 1;
    case ModelKind::kDiagonal: return 2 * n + 1;
    case ModelKind::kFull: break;
  }
  return (n + 1) * (n + 2) / 2;
}

// ORDER OF SUMS: src/linalg/quadratic-fit.ts is the same computation.
bool fit_quadratic(const QuadraticFit& task, const Kernels& kernels) {
  const std::size_t n = task.n, count = task.count;
  const std::size_t size = coefficient_count(task.kind, n);
  const std::size_t stride = padded(size + 1);  // the right-hand side is one more column
  const double offset = task.fitness[task.rows[0]];
  const double scale = task.fitness[task.rows[count - 1]] - offset;
  if (!(scale > 0 && scale < __builtin_inf())) return false;

  double* memory = workspace().memory.reserve(2 * count * stride + kLanes + 2 * size * stride + padded(count) + 3 * stride);
  double* const design = memory;
  double* const weighted = design + count * stride + kLanes;  // design rows spill over their end
  double* const sums = weighted + count * stride;
  double* const normal = sums + size * stride;
  double* const right = normal + size * stride;
  double* const inverse = right + stride;
  double* const solution = inverse + stride;
  double* const values = solution + stride;
  for (std::size_t k = 0; k < count; k++) {
    const std::size_t row = static_cast<std::size_t>(task.rows[k]);
    const double weight =
        task.best_weight - (task.best_weight - 1) * static_cast<double>(k) / static_cast<double>(count - 1);
    kernels.design_row(task.kind, n, size, stride, task.z + row * n, weight, design + k * stride, weighted + k * stride);
    values[k] = (task.fitness[row] - offset) / scale;
  }
  kernels.moments(task.kind, n, count, stride, design, weighted, sums);
  kernels.right_side(count, stride, values, weighted, right);

  const std::uint32_t* place = workspace().places.of(task.kind, n, size, stride);
  for (std::size_t i = 0; i < size; i++) {
    double* const row = normal + i * stride;
    for (std::size_t j = 0; j < i; j++) row[j] = 0;
    for (std::size_t j = i; j < size; j++) row[j] = sums[*place++];
    row[size] = right[i];
    for (std::size_t j = size + 1; j < stride; j++) row[j] = 0;
  }
  double trace = 0;
  for (std::size_t i = 0; i < size; i++) trace += normal[i * stride + i];
  const double ridge = task.ridge * trace / static_cast<double>(size);
  for (std::size_t i = 0; i < size; i++) normal[i * stride + i] += ridge;
  if (!kernels.cholesky(size, stride, normal, inverse)) return false;

  // U x = y, y in the last column. Sums in eight parts, by column.
  for (std::size_t i = size; i-- > 0;) {
    const double* const row = normal + i * stride;
    double parts[kLanes] = {};
    std::size_t j = i + 1;
    for (; j < size && j % kLanes != 0; j++) parts[j % kLanes] += row[j] * solution[j];
    for (; j + kLanes <= size; j += kLanes)
      for (std::size_t l = 0; l < kLanes; l++) parts[l] += row[j + l] * solution[j + l];
    for (; j < size; j++) parts[j % kLanes] += row[j] * solution[j];
    const double sum = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
    solution[i] = (row[size] - sum) * inverse[i];
  }
  for (std::size_t i = 0; i < size; i++) {
    if (!(__builtin_fabs(solution[i]) < __builtin_inf())) return false;
    task.coefficients[i] = solution[i];
  }
  return true;
}

// ORDER OF SUMS: src/linalg/whiten.ts is the same computation.
void whiten_rows(const Whitening& task, const Kernels& kernels) {
  const std::size_t n = task.n;
  double* const memory = workspace().memory.reserve((n + 1) * kWhitenLanes + 2 * padded(n));
  kernels.whiten(task, memory + (n + 1) * kWhitenLanes, memory + (n + 1) * kWhitenLanes + padded(n), memory);
}

}  // namespace linalg
}  // namespace extremum
