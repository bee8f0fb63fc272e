// What the calls of native/cuda/ from JavaScript have in common: failures as errors, and work in libuv's pool.
#pragma once

#include <napi.h>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "extremum/cuda.h"

namespace extremum::addon {

inline const char* kind_name(cuda::FailureKind kind) {
  switch (kind) {
    case cuda::FailureKind::kAbsent:
      return "absent";
    case cuda::FailureKind::kUnavailable:
      return "unavailable";
    case cuda::FailureKind::kCompile:
      return "compile";
    case cuda::FailureKind::kImage:
      return "image";
    case cuda::FailureKind::kOutOfMemory:
      return "out-of-memory";
    case cuda::FailureKind::kFailed:
      return "failed";
    case cuda::FailureKind::kLost:
      return "lost";
  }
  return "failed";
}

inline Napi::Value translate(Napi::Env env, std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const cuda::Failure& failure) {
    const Napi::Error error = Napi::Error::New(env, failure.what());
    error.Value().Set("kind", kind_name(failure.kind()));
    if (!failure.error().empty()) error.Value().Set("cudaError", failure.error());
    return error.Value();
  } catch (const std::bad_alloc&) {
    const Napi::Error error = Napi::Error::New(env, "the host is out of memory");
    error.Value().Set("kind", "out-of-memory");
    return error.Value();
  } catch (const std::exception& other) {
    return Napi::Error::New(env, other.what()).Value();
  }
}

// Runs `execute` in libuv's pool, then `finish` on the thread of JavaScript.
template <class Result>
class Task final : public Napi::AsyncWorker {
 public:
  Task(Napi::Env env, const char* name, std::function<Result()> execute,
       std::function<Napi::Value(Napi::Env, Result&)> finish)
      : Napi::AsyncWorker(env, name),
        deferred_(Napi::Promise::Deferred::New(env)),
        execute_(std::move(execute)),
        finish_(std::move(finish)) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override {
    try {
      result_ = execute_();
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  void OnOK() override {
    const Napi::HandleScope scope(Env());
    if (thrown_)
      deferred_.Reject(translate(Env(), thrown_));
    else
      deferred_.Resolve(finish_(Env(), *result_));
  }

  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  Napi::Promise::Deferred deferred_;
  const std::function<Result()> execute_;
  const std::function<Napi::Value(Napi::Env, Result&)> finish_;
  std::optional<Result> result_;
  std::exception_ptr thrown_;
};

template <class Result>
Napi::Value off_thread(Napi::Env env, const char* name, std::function<Result()> execute,
                       std::function<Napi::Value(Napi::Env, Result&)> finish) {
  auto* const task = new Task<Result>(env, name, std::move(execute), std::move(finish));  // deletes itself
  const Napi::Promise promise = task->promise();
  task->Queue();
  return promise;
}

inline void expect(const Napi::CallbackInfo& info, std::size_t arguments, const char* name) {
  if (info.Length() != arguments)
    throw Napi::TypeError::New(info.Env(), std::string(name) + " takes " + std::to_string(arguments) + " arguments");
}

inline Napi::Value number(Napi::Env env, double value) { return Napi::Number::New(env, value); }

[[noreturn]] inline void throw_translated(Napi::Env env) {
  throw Napi::Error(env, translate(env, std::current_exception()));
}

}  // namespace extremum::addon
