// Evaluates a batch in libuv's pool. Inputs are copied first and outputs last, so that no JavaScript memory is touched
// meanwhile.
#pragma once

#include <napi.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "addon/arguments.h"

namespace extremum::addon {

// What an exception of native code becomes.
using Translate = Napi::Value (*)(Napi::Env, std::exception_ptr);

inline Napi::Value plain_error(Napi::Env env, std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return Napi::Error::New(env, error.what()).Value();
  }
}

template <class Run>
class EvaluateWorker final : public Napi::AsyncWorker {
 public:
  EvaluateWorker(const Napi::CallbackInfo& info, const char* name, const BatchCall& call, const Napi::Value& cancel,
                 Run&& run, Translate translate)
      : Napi::AsyncWorker(info.Env(), name),
        deferred_(Napi::Promise::Deferred::New(info.Env())),
        call_(call),
        run_(std::move(run)),
        translate_(translate),
        candidates_(call.batch.candidates, call.batch.candidates + call.numbers()),
        values_(call.batch.count * call.results),
        status_(call.batch.count),
        lines_(call.batch.count) {
    outputs_ = Napi::Persistent(Napi::Array::New(info.Env(), 4).As<Napi::Object>());
    for (std::uint32_t i = 0; i < 3; i++) outputs_.Set(i, info[3 + i]);
    outputs_.Set(3u, cancel);  // keeps the cell's memory
  }

  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override {
    const Batch batch{candidates_.data(), call_.batch.count, values_.data(), status_.data(),
                      call_.batch.lines ? lines_.data() : nullptr, call_.batch.layout};
    try {
      outcome_ = run_(batch, call_.cancel);
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  void OnOK() override {
    const Napi::HandleScope scope(Env());
    if (thrown_) return deferred_.Reject(translate_(Env(), thrown_));
    const std::size_t count = call_.batch.count;
    const auto values = typed_array<double, napi_float64_array>(outputs_.Get(0u), "values");
    const auto status = typed_array<std::uint8_t, napi_uint8_array>(outputs_.Get(1u), "status");
    // An array that was detached meanwhile has length 0.
    if (values.length < values_.size() || status.length < count) return fail("an output array was detached");
    std::copy(values_.begin(), values_.end(), values.data);
    std::copy(status_.begin(), status_.end(), status.data);
    const Napi::Value lines_value = outputs_.Get(2u);
    if (!lines_value.IsNull()) {
      const auto lines = typed_array<std::int32_t, napi_int32_array>(lines_value, "lines");
      if (lines.length < count) return fail("an output array was detached");
      std::copy(lines_.begin(), lines_.end(), lines.data);
    }
    deferred_.Resolve(Napi::Number::New(Env(), static_cast<int>(outcome_)));
  }

  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  void fail(const char* message) { deferred_.Reject(Napi::Error::New(Env(), message).Value()); }

  Napi::Promise::Deferred deferred_;
  const BatchCall call_;
  Run run_;
  const Translate translate_;
  std::vector<double> candidates_, values_;
  std::vector<std::uint8_t> status_;
  std::vector<std::int32_t> lines_;
  Napi::ObjectReference outputs_;
  Outcome outcome_ = Outcome::kDone;
  std::exception_ptr thrown_;
};

// `run`: Outcome(const Batch&, const std::atomic<std::int32_t>* cancel), on another thread; it owns what it needs.
template <class Run>
Napi::Promise evaluate_off_thread(const Napi::CallbackInfo& info, const char* name, const BatchCall& call,
                                  const Napi::Value& cancel, Run run, Translate translate = plain_error) {
  auto* const worker = new EvaluateWorker<Run>(info, name, call, cancel, std::move(run), translate);  // deletes itself
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

}  // namespace extremum::addon
