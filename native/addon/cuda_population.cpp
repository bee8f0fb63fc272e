// The Node-API face of populations that stay on a device, typed in src/backends/cuda/driver.ts:
//
//   cudaPopulation(image: Uint8Array, device,
//                  { dimension, size, vectors, scalars, shared, work, constants, keyLow, keyHigh,
//                    readsGradients }, box: Float64Array): Promise<handle>
//   cudaPopulationPut(handle, part, numbers), cudaPopulationGet(handle, part, numbers)
//   cudaPopulationMove(handle, run, generation, before: Uint32Array)
//   cudaPopulationEvaluate(handle, first, count), cudaPopulationEvaluateGradients(handle, first, count)
//   cudaPopulationOdd(handle): number
//   cudaPopulationGetResults(handle, values, status), cudaPopulationPutResults(handle, values, status)
//   cudaPopulationRows(handle, rows: Uint32Array, candidates, values)
//   cudaPopulationAccept(handle, sign, after: Uint32Array): { best, lowest, highest, index, successes }
//   cudaPopulationState(handle): { chunkRows, deviceBytes, deviceSeconds }
//   cudaPopulationClose(handle)
//
// All but the first work on the calling thread.
#include <memory>
#include <string>
#include <vector>

#include "addon/arguments.h"
#include "addon/cuda.h"
#include "addon/cuda_calls.h"
#include "extremum/cuda.h"

namespace extremum::addon {

namespace {

constexpr napi_type_tag kPopulationTag = {0x6d6d757572747865, 0x6e6f6974616c7550};
// Of a program's vectors and scalars, by far.
constexpr double kMaxParts = 64;
// Of a program's numbers beside those of individuals, by far.
constexpr double kMaxNumbers = 1 << 28;
using PopulationPointer = std::shared_ptr<cuda::Population>;

cuda::PopulationShape shape_of(const Napi::Value& value) {
  if (!value.IsObject()) throw Napi::TypeError::New(value.Env(), "a population's shape is missing");
  const auto given = value.As<Napi::Object>();
  const auto number_in = [&](const char* name, double largest) { return whole_number(given.Get(name), name, largest); };
  const cuda::PopulationShape shape{number_in("dimension", 1 << 24),
                                    number_in("size", 1 << 20),
                                    number_in("vectors", kMaxParts),
                                    number_in("scalars", kMaxParts),
                                    number_in("shared", kMaxNumbers),
                                    number_in("work", kMaxNumbers),
                                    number_in("constants", kMaxNumbers),
                                    static_cast<std::uint32_t>(number_in("keyLow", 4294967295.0)),
                                    static_cast<std::uint32_t>(number_in("keyHigh", 4294967295.0)),
                                    given.Get("readsGradients").ToBoolean()};
  if (shape.dimension == 0 || shape.size == 0 || shape.vectors == 0 || shape.scalars == 0)
    throw Napi::RangeError::New(value.Env(), "a population has coordinates, individuals and a state");
  return shape;
}

Napi::Value load(const Napi::CallbackInfo& info) {
  expect(info, 4, "cudaPopulation");
  const auto bytes = typed_array<const std::uint8_t, napi_uint8_array>(info[0], "image");
  const std::string image(reinterpret_cast<const char*>(bytes.data), bytes.length);
  const cuda::PopulationShape shape = shape_of(info[2]);
  const auto box = typed_array<const double, napi_float64_array>(info[3], "box");
  if (image.empty() || box.length != 3 * shape.dimension + shape.constants)
    throw Napi::RangeError::New(info.Env(), "a population needs machine code and a box");
  return off_thread<PopulationPointer>(
      info.Env(), "extremum.cudaPopulation",
      [image, ordinal = static_cast<int>(whole_number(info[1], "device", 1024)), shape,
       bounds = std::vector<double>(box.data, box.data + box.length)] {
        return cuda::Population::load(image, ordinal, shape, bounds.data());
      },
      [](Napi::Env env, PopulationPointer& population) -> Napi::Value {
        auto handle = Napi::External<PopulationPointer>::New(
            env, new PopulationPointer(std::move(population)),
            [](Napi::Env, PopulationPointer* pointer) { delete pointer; });
        handle.TypeTag(&kPopulationTag);
        return handle;
      });
}

PopulationPointer& pointer_of(const Napi::Value& value) {
  if (!value.IsExternal()) throw Napi::TypeError::New(value.Env(), "not a population");
  const auto handle = value.As<Napi::External<PopulationPointer>>();
  if (!handle.CheckTypeTag(&kPopulationTag)) throw Napi::TypeError::New(value.Env(), "not a population");
  return *handle.Data();
}

// Calls `work` with the population of a call of so many arguments.
template <class Work>
auto with_population(const Napi::CallbackInfo& info, std::size_t arguments, const char* name, Work work) {
  expect(info, arguments, name);
  const PopulationPointer population = pointer_of(info[0]);
  if (!population) throw Napi::Error::New(info.Env(), "the population is closed");
  try {
    return work(*population);
  } catch (const cuda::Failure&) {
    throw_translated(info.Env());
  }
}

void require(const Napi::CallbackInfo& info, bool holds) {
  if (!holds) throw Napi::RangeError::New(info.Env(), "an argument does not suit the population");
}

// Launches, three numbers each.
std::pair<const cuda::Launch*, std::size_t> steps_of(const Napi::CallbackInfo& info, std::size_t argument,
                                                     const cuda::PopulationShape& shape) {
  static_assert(sizeof(cuda::Launch) == 3 * sizeof(std::uint32_t));
  const auto numbers = typed_array<const std::uint32_t, napi_uint32_array>(info[argument], "steps");
  require(info, numbers.length % 3 == 0 && (numbers.length == 0 || shape.shared > 0));
  const auto* const steps = reinterpret_cast<const cuda::Launch*>(numbers.data);
  for (std::size_t k = 0; k < numbers.length / 3; k++) require(info, steps[k].threads > 0);
  return {steps, numbers.length / 3};
}

// A part of the state and an array of its length.
template <class Number>
std::pair<std::size_t, Number*> part_of(const Napi::CallbackInfo& info, const cuda::PopulationShape& shape) {
  const std::size_t part = whole_number(info[1], "part", 2 * kMaxParts);
  const auto numbers = typed_array<Number, napi_float64_array>(info[2], "numbers");
  const std::size_t rows = (shape.size + kTileLanes - 1) / kTileLanes * kTileLanes;
  const std::size_t own = shape.vectors + shape.scalars;
  const std::size_t length = part == own ? shape.shared : rows * (part < shape.vectors ? shape.dimension : 1);
  require(info, part <= own && length > 0 && numbers.length == length);
  return {part, numbers.data};
}

void put(const Napi::CallbackInfo& info) {
  with_population(info, 3, "cudaPopulationPut", [&](cuda::Population& population) {
    const auto [part, numbers] = part_of<const double>(info, population.shape);
    population.put(part, numbers);
  });
}

void get(const Napi::CallbackInfo& info) {
  with_population(info, 3, "cudaPopulationGet", [&](cuda::Population& population) {
    const auto [part, numbers] = part_of<double>(info, population.shape);
    population.get(part, numbers);
  });
}

void move(const Napi::CallbackInfo& info) {
  with_population(info, 4, "cudaPopulationMove", [&](cuda::Population& population) {
    const auto word = [&](int k, const char* name) {
      return static_cast<std::uint32_t>(whole_number(info[k], name, 4294967295.0));
    };
    const auto [before, count] = steps_of(info, 3, population.shape);
    population.move(word(1, "run"), word(2, "generation"), before, count);
  });
}

// A part of the population.
std::pair<std::size_t, std::size_t> chunk_of(const Napi::CallbackInfo& info, const cuda::PopulationShape& shape) {
  const double size = static_cast<double>(shape.size);
  const std::size_t first = whole_number(info[1], "first", size), count = whole_number(info[2], "count", size);
  require(info, first % kTileLanes == 0 && count > 0 && first + count <= shape.size);
  return {first, count};
}

void evaluate(const Napi::CallbackInfo& info) {
  with_population(info, 3, "cudaPopulationEvaluate", [&](cuda::Population& population) {
    const auto [first, count] = chunk_of(info, population.shape);
    population.evaluate(first, count);
  });
}

void evaluate_gradients(const Napi::CallbackInfo& info) {
  with_population(info, 3, "cudaPopulationEvaluateGradients", [&](cuda::Population& population) {
    require(info, population.shape.reads_gradients);
    const auto [first, count] = chunk_of(info, population.shape);
    population.evaluate_gradients(first, count);
  });
}

Napi::Value odd(const Napi::CallbackInfo& info) {
  return with_population(info, 1, "cudaPopulationOdd", [&](cuda::Population& population) {
    return number(info.Env(), static_cast<double>(population.odd()));
  });
}

void get_results(const Napi::CallbackInfo& info) {
  with_population(info, 3, "cudaPopulationGetResults", [&](cuda::Population& population) {
    const auto values = typed_array<double, napi_float64_array>(info[1], "values");
    const auto status = typed_array<std::uint8_t, napi_uint8_array>(info[2], "status");
    require(info, values.length == population.shape.size && status.length == population.shape.size);
    population.get_results(values.data, status.data);
  });
}

void put_results(const Napi::CallbackInfo& info) {
  with_population(info, 3, "cudaPopulationPutResults", [&](cuda::Population& population) {
    const auto values = typed_array<const double, napi_float64_array>(info[1], "values");
    const auto status = typed_array<const std::uint8_t, napi_uint8_array>(info[2], "status");
    require(info, values.length == population.shape.size && status.length == population.shape.size);
    population.put_results(values.data, status.data);
  });
}

void rows(const Napi::CallbackInfo& info) {
  with_population(info, 4, "cudaPopulationRows", [&](cuda::Population& population) {
    const auto wanted = typed_array<const std::uint32_t, napi_uint32_array>(info[1], "rows");
    const auto candidates = typed_array<double, napi_float64_array>(info[2], "candidates");
    const auto values = typed_array<double, napi_float64_array>(info[3], "values");
    require(info, candidates.length == wanted.length * population.shape.dimension && values.length == wanted.length);
    for (std::size_t k = 0; k < wanted.length; k++) require(info, wanted.data[k] < population.shape.size);
    population.rows(wanted.data, wanted.length, candidates.data, values.data);
  });
}

Napi::Value accept(const Napi::CallbackInfo& info) {
  return with_population(info, 3, "cudaPopulationAccept", [&](cuda::Population& population) -> Napi::Value {
    const Napi::Env env = info.Env();
    const double sign = info[1].IsNumber() ? info[1].As<Napi::Number>().DoubleValue() : 0;
    require(info, sign == 1 || sign == -1);
    const auto [after, count] = steps_of(info, 2, population.shape);
    const cuda::GenerationStatistics all = population.accept(sign, after, count);
    auto value = Napi::Object::New(env);
    value.Set("best", number(env, all.best));
    value.Set("lowest", number(env, all.lowest));
    value.Set("highest", number(env, all.highest));
    value.Set("index", number(env, all.index));
    value.Set("successes", number(env, all.successes));
    return value;
  });
}

Napi::Value state(const Napi::CallbackInfo& info) {
  return with_population(info, 1, "cudaPopulationState", [&](cuda::Population& population) -> Napi::Value {
    const Napi::Env env = info.Env();
    const cuda::Population::State now = population.state();
    auto value = Napi::Object::New(env);
    value.Set("chunkRows", number(env, static_cast<double>(now.chunk_rows)));
    value.Set("deviceBytes", number(env, static_cast<double>(now.device_bytes)));
    value.Set("deviceSeconds", number(env, now.device_seconds));
    return value;
  });
}

void close(const Napi::CallbackInfo& info) { pointer_of(info[0]).reset(); }

}  // namespace

void add_cuda_population(Napi::Env env, Napi::Object exports) {
  const auto add = [&](const char* name, auto function) {
    exports.Set(name, Napi::Function::New(env, function, name));
  };
  add("cudaPopulation", load);
  add("cudaPopulationPut", put);
  add("cudaPopulationGet", get);
  add("cudaPopulationMove", move);
  add("cudaPopulationEvaluate", evaluate);
  add("cudaPopulationEvaluateGradients", evaluate_gradients);
  add("cudaPopulationOdd", odd);
  add("cudaPopulationGetResults", get_results);
  add("cudaPopulationPutResults", put_results);
  add("cudaPopulationRows", rows);
  add("cudaPopulationAccept", accept);
  add("cudaPopulationState", state);
  add("cudaPopulationClose", close);
}

}  // namespace extremum::addon
