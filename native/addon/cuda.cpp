// The Node-API face of native/cuda/, typed in src/backends/cuda/driver.ts:
//
//   cudaFacts(folders: string[]): Promise<facts>
//   cudaDevice(): number                        the usable device with the fewest kernels
//   cudaCompile(text, options: string[]): Promise<Uint8Array>
//   cudaLoad(image: Uint8Array, name, device,
//            { dimension, results, singlePrecision, blockThreads, chunkRows }): Promise<handle>
//   cudaEvaluate(handle, candidates, count, values, status, lines, tiled: boolean, cancel): outcome
//   cudaEvaluateAsync(same arguments): Promise<outcome>
//   cudaState(handle): { device, localBytes, registers, chunkRows, deviceBytes, pinnedBytes, deviceSeconds }
//   cudaClose(handle)                           what is being evaluated is finished first
//
// Failures are errors with `kind`, and `cudaError` where a call of CUDA failed.
#include "addon/cuda.h"

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "addon/arguments.h"
#include "addon/cuda_calls.h"
#include "addon/evaluate_worker.h"
#include "extremum/cuda.h"

namespace extremum::addon {

namespace {

constexpr napi_type_tag kKernelTag = {0x6d6d757572747865, 0x6c656e72656b4355};
constexpr double kMaxWidth = 1 << 24;
using KernelPointer = std::shared_ptr<cuda::Kernel>;

// Threads of JavaScript that have used CUDA. When the last one ends, contexts are given back: not later, since the
// driver must not be called once static objects are destroyed.
struct Users {
  std::mutex mutex;
  std::set<napi_env> environments;
};

Users& users() {
  static Users* const all = new Users;
  return *all;
}

void note_user(Napi::Env env) {
  const std::lock_guard lock(users().mutex);
  const napi_env raw = env;
  if (!users().environments.insert(raw).second) return;
  env.AddCleanupHook([raw] {
    const std::lock_guard inner(users().mutex);
    users().environments.erase(raw);
    if (users().environments.empty()) cuda::release();
  });
}

std::vector<std::string> strings(const Napi::Value& value, const char* name) {
  if (!value.IsArray()) throw Napi::TypeError::New(value.Env(), std::string(name) + " must be a list of strings");
  const auto list = value.As<Napi::Array>();
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < list.Length(); i++) {
    const Napi::Value each = list.Get(i);
    if (!each.IsString()) throw Napi::TypeError::New(value.Env(), std::string(name) + " must be a list of strings");
    all.push_back(each.As<Napi::String>().Utf8Value());
  }
  return all;
}

std::string string(const Napi::Value& value, const char* name) {
  if (!value.IsString()) throw Napi::TypeError::New(value.Env(), std::string(name) + " must be a string");
  return value.As<Napi::String>().Utf8Value();
}

Napi::Value device_value(Napi::Env env, const cuda::DeviceFacts& device) {
  auto value = Napi::Object::New(env);
  value.Set("name", device.name);
  value.Set("major", number(env, device.major));
  value.Set("minor", number(env, device.minor));
  value.Set("memoryBytes", number(env, static_cast<double>(device.memory_bytes)));
  value.Set("multiprocessors", number(env, device.multiprocessors));
  value.Set("threadsPerMultiprocessor", number(env, device.threads_per_multiprocessor));
  value.Set("isLost", Napi::Boolean::New(env, device.lost));
  value.Set("problem", device.problem.empty() ? env.Null() : Napi::Value(Napi::String::New(env, device.problem)));
  return value;
}

Napi::Value facts(const Napi::CallbackInfo& info) {
  expect(info, 1, "cudaFacts");
  note_user(info.Env());
  return off_thread<cuda::Facts>(
      info.Env(), "extremum.cudaFacts", [folders = strings(info[0], "folders")] { return cuda::facts(folders); },
      [](Napi::Env env, cuda::Facts& found) -> Napi::Value {
        auto value = Napi::Object::New(env);
        value.Set("driverMajor", number(env, found.driver_major));
        value.Set("driverMinor", number(env, found.driver_minor));
        value.Set("compilerMajor", number(env, found.compiler_major));
        value.Set("compilerMinor", number(env, found.compiler_minor));
        value.Set("compilerPath", found.compiler_path);
        auto devices = Napi::Array::New(env, found.devices.size());
        for (std::uint32_t i = 0; i < found.devices.size(); i++) devices.Set(i, device_value(env, found.devices[i]));
        value.Set("devices", devices);
        return value;
      });
}

Napi::Value device(const Napi::CallbackInfo& info) {
  try {
    return number(info.Env(), cuda::least_loaded_device());
  } catch (const cuda::Failure&) {
    throw_translated(info.Env());
  }
}

Napi::Value compile(const Napi::CallbackInfo& info) {
  expect(info, 2, "cudaCompile");
  return off_thread<std::string>(
      info.Env(), "extremum.cudaCompile",
      [text = string(info[0], "text"), options = strings(info[1], "options")] { return cuda::compile(text, options); },
      [](Napi::Env env, std::string& image) -> Napi::Value {
        auto bytes = Napi::Uint8Array::New(env, image.size());
        std::copy(image.begin(), image.end(), bytes.Data());
        return bytes;
      });
}

cuda::KernelShape shape_of(const Napi::Value& value) {
  if (!value.IsObject()) throw Napi::TypeError::New(value.Env(), "a kernel's shape is missing");
  const auto given = value.As<Napi::Object>();
  cuda::KernelShape shape;
  shape.dimension = whole_number(given.Get("dimension"), "dimension", kMaxWidth);
  shape.results = whole_number(given.Get("results"), "results", kMaxWidth);
  shape.block_threads = static_cast<unsigned>(whole_number(given.Get("blockThreads"), "blockThreads", 1024));
  shape.chunk_rows = whole_number(given.Get("chunkRows"), "chunkRows", 1 << 30);
  if (shape.dimension == 0 || shape.results == 0 || shape.block_threads == 0)
    throw Napi::RangeError::New(value.Env(), "a kernel has coordinates, results and threads");
  return shape;
}

Napi::Value load(const Napi::CallbackInfo& info) {
  expect(info, 4, "cudaLoad");
  const auto bytes = typed_array<const std::uint8_t, napi_uint8_array>(info[0], "image");
  const std::string image(reinterpret_cast<const char*>(bytes.data), bytes.length);
  if (image.empty()) throw Napi::RangeError::New(info.Env(), "the image is empty");
  return off_thread<KernelPointer>(
      info.Env(), "extremum.cudaLoad",
      [image, name = string(info[1], "name"), ordinal = static_cast<int>(whole_number(info[2], "device", 1024)),
       shape = shape_of(info[3])] { return cuda::Kernel::load(image, name.c_str(), ordinal, shape); },
      [](Napi::Env env, KernelPointer& kernel) -> Napi::Value {
        auto handle = Napi::External<KernelPointer>::New(env, new KernelPointer(std::move(kernel)),
                                                         [](Napi::Env, KernelPointer* pointer) { delete pointer; });
        handle.TypeTag(&kKernelTag);
        return handle;
      });
}

KernelPointer& pointer_of(const Napi::Value& value) {
  if (!value.IsExternal()) throw Napi::TypeError::New(value.Env(), "not a kernel handle");
  const auto handle = value.As<Napi::External<KernelPointer>>();
  if (!handle.CheckTypeTag(&kKernelTag)) throw Napi::TypeError::New(value.Env(), "not a kernel handle");
  return *handle.Data();
}

const KernelPointer& kernel_of(const Napi::Value& value) {
  const KernelPointer& kernel = pointer_of(value);
  if (!kernel) throw Napi::Error::New(value.Env(), "the kernel is closed");
  return kernel;
}

BatchCall read_call(const Napi::CallbackInfo& info, const cuda::Kernel& kernel) {
  expect(info, 8, "cudaEvaluate");
  return read_batch(info, kernel.dimension(), kernel.results(), info[6], info[7]);
}

Napi::Value evaluate(const Napi::CallbackInfo& info) {
  const KernelPointer kernel = kernel_of(info[0]);
  const BatchCall call = read_call(info, *kernel);
  try {
    return number(info.Env(), static_cast<int>(kernel->evaluate(call.batch, call.cancel)));
  } catch (const cuda::Failure&) {
    throw_translated(info.Env());
  }
}

Napi::Value evaluate_async(const Napi::CallbackInfo& info) {
  const KernelPointer kernel = kernel_of(info[0]);
  return evaluate_off_thread(
      info, "extremum.cudaEvaluate", read_call(info, *kernel), info[7],
      [kernel](const Batch& batch, const std::atomic<std::int32_t>* cancel) { return kernel->evaluate(batch, cancel); },
      translate);
}

Napi::Value state(const Napi::CallbackInfo& info) {
  const cuda::Kernel::State now = kernel_of(info[0])->state();
  const Napi::Env env = info.Env();
  auto value = Napi::Object::New(env);
  value.Set("device", number(env, now.device));
  value.Set("localBytes", number(env, static_cast<double>(now.local_bytes)));
  value.Set("registers", number(env, now.registers));
  value.Set("chunkRows", number(env, static_cast<double>(now.chunk_rows)));
  value.Set("deviceBytes", number(env, static_cast<double>(now.device_bytes)));
  value.Set("pinnedBytes", number(env, static_cast<double>(now.pinned_bytes)));
  value.Set("deviceSeconds", number(env, now.device_seconds));
  return value;
}

void close(const Napi::CallbackInfo& info) { pointer_of(info[0]).reset(); }

}  // namespace

void add_cuda(Napi::Env env, Napi::Object exports) {
  exports.Set("cudaFacts", Napi::Function::New(env, facts, "cudaFacts"));
  exports.Set("cudaDevice", Napi::Function::New(env, device, "cudaDevice"));
  exports.Set("cudaCompile", Napi::Function::New(env, compile, "cudaCompile"));
  exports.Set("cudaLoad", Napi::Function::New(env, load, "cudaLoad"));
  exports.Set("cudaEvaluate", Napi::Function::New(env, evaluate, "cudaEvaluate"));
  exports.Set("cudaEvaluateAsync", Napi::Function::New(env, evaluate_async, "cudaEvaluateAsync"));
  exports.Set("cudaState", Napi::Function::New(env, state, "cudaState"));
  exports.Set("cudaClose", Napi::Function::New(env, close, "cudaClose"));
  add_cuda_population(env, exports);
}

}  // namespace extremum::addon
