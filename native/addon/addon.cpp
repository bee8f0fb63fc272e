// The Node-API face of the native core. No mathematics here: arguments are checked, then handed on.
//
//   targets(): string[]                         instruction sets usable here, best first
//   defaultTarget(): string
//   opcodes(): string[]                         names in order of number
//   load(program: Int32Array, constants: Float64Array, target?: string): handle
//   evaluate(handle, candidates: Float64Array, count, values: Float64Array [count, 1 + outputs], status: Uint8Array,
//            lines: Int32Array | null, tiled: boolean, threads, cancel: Int32Array | null): outcome
//   evaluateAsync(same arguments): Promise<outcome>
//   compile(handle, library: (handle | undefined)[] by opcode, target: string, vectors, fast, rows): null, or why there
//                is no native code
//   fitQuadratic(kind, n, count, rows: Int32Array, z: Float64Array, fitness: Float64Array, bestWeight, ridge,
//                coefficients: Float64Array, target?: string): boolean
//   whitenRows(n, count, entries: Int32Array, points: Float64Array, mean: Float64Array, scale: Float64Array,
//              factor: Float64Array, z: Float64Array, squaredLengths: Float64Array, target?: string)
//   lineOffset(buffer: ArrayBuffer): bytes from the start of a line of the cache to that of its memory
//   advanceTabuSearch(state: arrays of src/domains/solvers/assignment/tabu-search.ts, moves, stop: Int32Array | null)
//   createRouting(integers: Int32Array, reals: Float64Array): handle | null where they describe no problem
//   runRouting(handle, count, stop: Int32Array | null): offspring educated; fewer than `count` once stopped
//   routingState(handle): Float64Array: whether there is a best solution, its cost, offspring, offspring since it
//   routingBest(handle): Int32Array, as routing.h says
//   cuda...                                     in cuda.cpp
//   nativeCode(handle): null, or { target, vectors, bytes, trust: 'unchecked' | 'trusted' | 'rejected' }
//
// Outcome: 0 done, 1 cancelled, 2 out of memory. `evaluate` works on the calling thread (and helpers): meant for worker
// threads. `evaluateAsync` copies its inputs first and its outputs last, so it touches no JavaScript memory meanwhile.
// `cancel` is one element on a SharedArrayBuffer; any thread may set it non-zero.
// TypeScript checks the same arguments with better messages (src/backends/native/addon.ts); the checks here make
// sure that no call can read or write out of bounds.
#include <napi.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "addon/arguments.h"
#include "addon/cuda.h"
#include "addon/evaluate_worker.h"
#include "extremum/assignment.h"
#include "extremum/evaluator.h"
#include "extremum/linalg.h"
#include "extremum/native_code.h"
#include "extremum/program.h"
#include "extremum/routing.h"
#include "extremum/targets.h"

#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#endif

namespace {

using extremum::Batch;
using extremum::Outcome;
using extremum::addon::BatchCall;
using extremum::addon::evaluate_off_thread;
using extremum::addon::read_batch;
using extremum::addon::shared_cell;
using extremum::addon::typed_array;
using extremum::addon::View;
using extremum::addon::whole_number;
using extremum::Program;
using ProgramPointer = std::shared_ptr<const Program>;

constexpr napi_type_tag kProgramTag = {0x6d6d757572747865, 0x6d6172676f72706d};
constexpr std::size_t kMaxThreads = 1024;

const ProgramPointer& program_of(const Napi::Value& value) {
  void* pointer = nullptr;
  bool is_program = false;
  // An external value first: only objects can be asked for tags.
  if (napi_get_value_external(value.Env(), value, &pointer) != napi_ok ||
      napi_check_object_type_tag(value.Env(), value, &kProgramTag, &is_program) != napi_ok || !is_program)
    throw Napi::TypeError::New(value.Env(), "not a program handle");
  return *static_cast<const ProgramPointer*>(pointer);
}

struct Arguments {
  ProgramPointer program;
  BatchCall call;
  unsigned threads;
};

Arguments read_arguments(const Napi::CallbackInfo& info) {
  if (info.Length() != 9) throw Napi::TypeError::New(info.Env(), "evaluate takes 9 arguments");
  const ProgramPointer& program = program_of(info[0]);
  const auto threads = static_cast<unsigned>(whole_number(info[7], "threads", kMaxThreads));
  return {program, read_batch(info, program->dimension(), program->results(), info[6], info[8]), threads == 0 ? 1 : threads};
}

Napi::Value evaluate(const Napi::CallbackInfo& info) {
  const Arguments arguments = read_arguments(info);
  const Outcome outcome =
      extremum::evaluate(*arguments.program, arguments.call.batch, arguments.threads, arguments.call.cancel);
  return Napi::Number::New(info.Env(), static_cast<int>(outcome));
}

Napi::Value evaluate_async(const Napi::CallbackInfo& info) {
  const Arguments arguments = read_arguments(info);
  return evaluate_off_thread(info, "extremum.evaluate", arguments.call, info[8],
                             [program = arguments.program, threads = arguments.threads](const Batch& batch, const auto* cancel) {
                               return extremum::evaluate(*program, batch, threads, cancel);
                             });
}

Napi::Value load(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 2) throw Napi::TypeError::New(env, "load takes a program and its constants");
  const auto words = typed_array<const std::int32_t, napi_int32_array>(info[0], "program");
  const auto constants = typed_array<const double, napi_float64_array>(info[1], "constants");
  const extremum::KernelTable* target = &extremum::default_target();
  if (info.Length() > 2 && !info[2].IsUndefined()) {
    if (!info[2].IsString()) throw Napi::TypeError::New(env, "target must be a string");
    target = extremum::find_target(info[2].As<Napi::String>().Utf8Value());
    if (!target) throw Napi::RangeError::New(env, "this target cannot run here");
  }
  std::string error;
  ProgramPointer program =
      Program::load(words.data, words.length, constants.data, constants.length, *target, error);
  if (!program) throw Napi::Error::New(env, "the program is invalid: " + error);
  auto handle = Napi::External<ProgramPointer>::New(env, new ProgramPointer(std::move(program)),
                                                    [](Napi::Env, ProgramPointer* pointer) { delete pointer; });
  handle.TypeTag(&kProgramTag);
  return handle;
}

Napi::Value compile(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() != 6 || !info[1].IsArray() || !info[2].IsString() || !info[4].IsBoolean())
    throw Napi::TypeError::New(env, "compile takes a program, a library, a target, a number of vectors, whether to fuse and rows");
  const ProgramPointer& program = program_of(info[0]);
  const auto functions = info[1].As<Napi::Array>();
  extremum::MathLibrary library(static_cast<std::size_t>(extremum::Opcode::kCount));
  for (std::uint32_t i = 0; i < std::min<std::size_t>(functions.Length(), library.size()); i++) {
    const Napi::Value function = functions.Get(i);
    if (!function.IsUndefined()) library[i] = program_of(function);
  }
  extremum::NativeCode::Options options;
  options.target = info[2].As<Napi::String>().Utf8Value();
  options.vectors = static_cast<unsigned>(whole_number(info[3], "vectors", 4));
  options.fast = info[4].As<Napi::Boolean>();
  options.rows_at_once = whole_number(info[5], "rows", 9007199254740991.0);
  std::string reason;
  std::unique_ptr<const extremum::NativeCode> code = extremum::NativeCode::compile(*program, library, options, reason);
  if (code && !program->attach(std::move(code))) reason = "the program has native code already";
  if (reason.empty()) return env.Null();
  return Napi::String::New(env, reason);
}

Napi::Value native_code(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() != 1) throw Napi::TypeError::New(env, "nativeCode takes a program");
  const extremum::NativeCode* const code = program_of(info[0])->native_code();
  if (!code) return env.Null();
  const char* const trust[] = {"unchecked", "trusted", "rejected"};
  auto facts = Napi::Object::New(env);
  facts.Set("target", code->target());
  facts.Set("vectors", static_cast<double>(code->vectors()));
  facts.Set("bytes", static_cast<double>(code->code_bytes()));
  facts.Set("trust", trust[static_cast<int>(code->trust())]);
  return facts;
}

constexpr double kMaxModelDimension = 1000;
constexpr double kMaxPoints = 1 << 24;

const extremum::linalg::Kernels& kernels_of(const Napi::CallbackInfo& info, std::size_t argument) {
  if (info.Length() <= argument || info[argument].IsUndefined()) return extremum::linalg::default_kernels();
  const auto* const named = extremum::linalg::find_kernels(info[argument].ToString().Utf8Value());
  if (!named) throw Napi::RangeError::New(info.Env(), "no such target here");
  return *named;
}

void check_length(Napi::Env env, std::size_t length, std::size_t needed, const char* name) {
  if (length < needed) throw Napi::RangeError::New(env, std::string(name) + " is too short");
}

void check_rows(Napi::Env env, View<std::int32_t> rows, std::size_t count, std::size_t limit) {
  check_length(env, rows.length, count, "rows");
  std::size_t largest = 0;
  for (std::size_t k = 0; k < count; k++) largest = std::max(largest, std::size_t{static_cast<std::uint32_t>(rows.data[k])});
  if (count > 0 && largest >= limit) throw Napi::RangeError::New(env, "a row is out of range");
}

Napi::Value fit_quadratic(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 9) throw Napi::TypeError::New(env, "fitQuadratic takes nine arguments");
  extremum::linalg::QuadraticFit task;
  task.kind = static_cast<extremum::linalg::ModelKind>(whole_number(info[0], "kind", 2));
  task.n = whole_number(info[1], "n", kMaxModelDimension);
  task.count = whole_number(info[2], "count", kMaxPoints);
  if (task.kind == extremum::linalg::ModelKind::kFull && task.n > extremum::linalg::kMaxFullDimension)
    throw Napi::RangeError::New(env, "n is too large for a full model");
  if (task.n == 0 || task.count < 2) throw Napi::RangeError::New(env, "n or count is too small");
  const auto rows = typed_array<std::int32_t, napi_int32_array>(info[3], "rows");
  const auto z = typed_array<double, napi_float64_array>(info[4], "z");
  const auto fitness = typed_array<double, napi_float64_array>(info[5], "fitness");
  const auto coefficients = typed_array<double, napi_float64_array>(info[8], "coefficients");
  check_rows(env, rows, task.count, std::min(z.length / task.n, fitness.length));
  check_length(env, coefficients.length, extremum::linalg::coefficient_count(task.kind, task.n), "coefficients");
  task.rows = rows.data;
  task.z = z.data;
  task.fitness = fitness.data;
  task.best_weight = info[6].As<Napi::Number>().DoubleValue();
  task.ridge = info[7].As<Napi::Number>().DoubleValue();
  task.coefficients = coefficients.data;
  try {
    return Napi::Boolean::New(env, extremum::linalg::fit_quadratic(task, kernels_of(info, 9)));
  } catch (const std::bad_alloc&) {
    throw Napi::Error::New(env, "fitQuadratic: out of memory");
  }
}

void whiten_rows(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 9) throw Napi::TypeError::New(env, "whitenRows takes nine arguments");
  extremum::linalg::Whitening task;
  task.n = whole_number(info[0], "n", kMaxModelDimension);
  task.count = whole_number(info[1], "count", kMaxPoints);
  if (task.n == 0) throw Napi::RangeError::New(env, "n is too small");
  const auto entries = typed_array<std::int32_t, napi_int32_array>(info[2], "entries");
  const auto points = typed_array<double, napi_float64_array>(info[3], "points");
  const auto mean = typed_array<double, napi_float64_array>(info[4], "mean");
  const auto scale = typed_array<double, napi_float64_array>(info[5], "scale");
  const auto factor = typed_array<double, napi_float64_array>(info[6], "factor");
  const auto z = typed_array<double, napi_float64_array>(info[7], "z");
  const auto lengths = typed_array<double, napi_float64_array>(info[8], "squaredLengths");
  check_rows(env, entries, task.count, points.length / task.n);
  check_length(env, mean.length, task.n, "mean");
  check_length(env, scale.length, task.n, "scale");
  check_length(env, factor.length, task.n * task.n, "factor");
  check_length(env, z.length, task.count * task.n, "z");
  check_length(env, lengths.length, task.count, "squaredLengths");
  task.entries = entries.data;
  task.points = points.data;
  task.mean = mean.data;
  task.scale = scale.data;
  task.factor = factor.data;
  task.z = z.data;
  task.squared_lengths = lengths.data;
  try {
    extremum::linalg::whiten_rows(task, kernels_of(info, 9));
  } catch (const std::bad_alloc&) {
    throw Napi::Error::New(env, "whitenRows: out of memory");
  }
}

Napi::Value line_offset(const Napi::CallbackInfo& info) {
  constexpr std::uintptr_t kLineBytes = 64;
  if (info.Length() != 1 || !info[0].IsArrayBuffer()) throw Napi::TypeError::New(info.Env(), "lineOffset takes an ArrayBuffer");
  const auto address = reinterpret_cast<std::uintptr_t>(info[0].As<Napi::ArrayBuffer>().Data());
  return Napi::Number::New(info.Env(), static_cast<double>(address % kLineBytes));
}

constexpr double kMaxFacilities = 2000;

void advance_tabu_search(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() != 3 || !info[0].IsObject()) throw Napi::TypeError::New(env, "advanceTabuSearch takes three arguments");
  const auto state = info[0].As<Napi::Object>();
  extremum::assignment::TabuSearch search;
  search.n = whole_number(state.Get("n"), "n", kMaxFacilities);
  if (search.n == 0) throw Napi::RangeError::New(env, "n is too small");
  const auto square = [&](const char* name) {
    const auto matrix = typed_array<double, napi_float64_array>(state.Get(name), name);
    check_length(env, matrix.length, search.n * search.n, name);
    return matrix.data;
  };
  search.flow = square("flow");
  search.flow_t = square("flowT");
  search.placed = square("placed");
  search.placed_t = square("placedT");
  search.linear = square("linear");
  search.delta = square("delta");
  search.tabu = square("tabu");
  const auto places = typed_array<std::int32_t, napi_int32_array>(state.Get("places"), "places");
  check_rows(env, places, search.n, search.n);
  const auto best = typed_array<std::int32_t, napi_int32_array>(state.Get("best"), "best");
  check_length(env, best.length, search.n, "best");
  const auto numbers = typed_array<double, napi_float64_array>(state.Get("numbers"), "numbers");
  check_length(env, numbers.length, 3, "numbers");
  const auto random = typed_array<std::int32_t, napi_int32_array>(state.Get("random"), "random");
  check_length(env, random.length, 4, "random");
  search.places = places.data;
  search.best = best.data;
  search.numbers = numbers.data;
  search.random = reinterpret_cast<std::uint32_t*>(random.data);
  extremum::assignment::advance(search, whole_number(info[1], "moves", 1e12), shared_cell(info[2], "stop"));
}

constexpr napi_type_tag kRoutingTag = {0x6d6d757572747865, 0x676e6974756f7221};
using RoutingPointer = std::unique_ptr<extremum::routing::Search>;

extremum::routing::Search& routing_of(const Napi::Value& value) {
  if (!value.IsExternal()) throw Napi::TypeError::New(value.Env(), "not a routing handle");
  const auto handle = value.As<Napi::External<RoutingPointer>>();
  if (!handle.CheckTypeTag(&kRoutingTag)) throw Napi::TypeError::New(value.Env(), "not a routing handle");
  return **handle.Data();
}

Napi::Value create_routing(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 2) throw Napi::TypeError::New(env, "createRouting takes two arrays");
  const auto integers = typed_array<const std::int32_t, napi_int32_array>(info[0], "integers");
  const auto reals = typed_array<const double, napi_float64_array>(info[1], "reals");
  try {
    RoutingPointer search = extremum::routing::create(integers.data, integers.length, reals.data, reals.length);
    if (!search) return env.Null();
    auto handle = Napi::External<RoutingPointer>::New(env, new RoutingPointer(std::move(search)),
                                                      [](Napi::Env, RoutingPointer* pointer) { delete pointer; });
    handle.TypeTag(&kRoutingTag);
    return handle;
  } catch (const std::bad_alloc&) {
    throw Napi::Error::New(env, "createRouting: out of memory");
  }
}

Napi::Value run_routing(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() < 3) throw Napi::TypeError::New(env, "runRouting takes three arguments");
  auto& search = routing_of(info[0]);
  const std::size_t count = whole_number(info[1], "count", 1e9);
  const auto* stop = shared_cell(info[2], "stop");
  try {
    return Napi::Number::New(env, static_cast<double>(search.run(static_cast<std::int64_t>(count), stop)));
  } catch (const std::bad_alloc&) {
    throw Napi::Error::New(env, "runRouting: out of memory");
  }
}

Napi::Value routing_state(const Napi::CallbackInfo& info) {
  const auto& search = routing_of(info[0]);
  auto state = Napi::Float64Array::New(info.Env(), 4);
  state[0] = search.has_best() ? 1 : 0;
  state[1] = search.best_cost();
  state[2] = static_cast<double>(search.offspring());
  state[3] = static_cast<double>(search.since_best());
  return state;
}

Napi::Value routing_best(const Napi::CallbackInfo& info) {
  const auto best = routing_of(info[0]).best();
  auto list = Napi::Int32Array::New(info.Env(), best.size());
  std::copy(best.begin(), best.end(), list.Data());
  return list;
}

Napi::Value targets(const Napi::CallbackInfo& info) {
  const auto& available = extremum::available_targets();
  auto names = Napi::Array::New(info.Env(), available.size());
  for (std::size_t i = 0; i < available.size(); i++)
    names.Set(static_cast<std::uint32_t>(i), Napi::String::New(info.Env(), available[i]->name));
  return names;
}

Napi::Value default_target(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), extremum::default_target().name);
}

Napi::Value opcodes(const Napi::CallbackInfo& info) {
  const char* const names[] = {
#define EXTREMUM_OPCODE(name, signature, group) #name,
#include "extremum/opcodes.generated.inc"
#undef EXTREMUM_OPCODE
  };
  auto list = Napi::Array::New(info.Env(), std::size(names));
  for (std::size_t i = 0; i < std::size(names); i++)
    list.Set(static_cast<std::uint32_t>(i), Napi::String::New(info.Env(), names[i]));
  return list;
}

// Node unloads an addon when the last thread that loaded it ends, but the helper threads go on living.
void stay_loaded() {
#if defined(__unix__) || defined(__APPLE__)
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&kProgramTag), &self) && self.dli_fname)
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NODELETE | RTLD_NOLOAD);
#endif
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  static const bool pinned = (stay_loaded(), true);
  (void)pinned;
  exports.Set("targets", Napi::Function::New(env, targets, "targets"));
  exports.Set("defaultTarget", Napi::Function::New(env, default_target, "defaultTarget"));
  exports.Set("opcodes", Napi::Function::New(env, opcodes, "opcodes"));
  exports.Set("load", Napi::Function::New(env, load, "load"));
  exports.Set("evaluate", Napi::Function::New(env, evaluate, "evaluate"));
  exports.Set("evaluateAsync", Napi::Function::New(env, evaluate_async, "evaluateAsync"));
  exports.Set("compile", Napi::Function::New(env, compile, "compile"));
  exports.Set("fitQuadratic", Napi::Function::New(env, fit_quadratic, "fitQuadratic"));
  exports.Set("whitenRows", Napi::Function::New(env, whiten_rows, "whitenRows"));
  exports.Set("lineOffset", Napi::Function::New(env, line_offset, "lineOffset"));
  exports.Set("advanceTabuSearch", Napi::Function::New(env, advance_tabu_search, "advanceTabuSearch"));
  exports.Set("createRouting", Napi::Function::New(env, create_routing, "createRouting"));
  exports.Set("runRouting", Napi::Function::New(env, run_routing, "runRouting"));
  exports.Set("routingState", Napi::Function::New(env, routing_state, "routingState"));
  exports.Set("routingBest", Napi::Function::New(env, routing_best, "routingBest"));
  exports.Set("nativeCode", Napi::Function::New(env, native_code, "nativeCode"));
  extremum::addon::add_cuda(env, exports);
  return exports;
}

}  // namespace

NODE_API_MODULE(extremum, init)
