// Reads arguments of calls from JavaScript. Everything that would let a call read or write out of bounds is refused.
#pragma once

#include <napi.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "extremum/evaluator.h"

namespace extremum::addon {

static_assert(std::atomic<std::int32_t>::is_always_lock_free && sizeof(std::atomic<std::int32_t>) == 4);

template <class T>
struct View {
  T* data = nullptr;
  std::size_t length = 0;
};

// These ask Node directly whether a value has the type that is wanted: Napi::Value's questions go through all types.
template <class T, napi_typedarray_type kType>
View<T> typed_array(const Napi::Value& value, const char* name) {
  napi_typedarray_type type;
  std::size_t length = 0;
  void* data = nullptr;
  if (napi_get_typedarray_info(value.Env(), value, &type, &length, &data, nullptr, nullptr) != napi_ok || type != kType)
    throw Napi::TypeError::New(value.Env(), std::string(name) + " has the wrong type");
  // An empty or detached array may come with any pointer.
  return {length == 0 ? nullptr : static_cast<T*>(data), length};
}

inline std::size_t whole_number(const Napi::Value& value, const char* name, double largest) {
  double number = 0;
  if (napi_get_value_double(value.Env(), value, &number) != napi_ok ||
      !(number >= 0 && number <= largest && number == std::trunc(number)))
    throw Napi::TypeError::New(value.Env(), std::string(name) + " must be a whole number in range");
  return static_cast<std::size_t>(number);
}

inline bool is_null(const Napi::Value& value) {
  napi_value null;
  bool is_null = false;
  return napi_get_null(value.Env(), &null) == napi_ok && napi_strict_equals(value.Env(), value, null, &is_null) == napi_ok && is_null;
}

// A cell that other threads may set while native code runs; null for null.
inline const std::atomic<std::int32_t>* shared_cell(const Napi::Value& value, const char* name) {
  if (is_null(value)) return nullptr;
  const auto cell = typed_array<std::int32_t, napi_int32_array>(value, name);
  // Memory of an ordinary ArrayBuffer can be taken away while we look at it. A script can replace the property `buffer`.
  napi_value buffer;
  bool is_ordinary = true;
  if (cell.length == 0 ||
      napi_get_typedarray_info(value.Env(), value, nullptr, nullptr, nullptr, &buffer, nullptr) != napi_ok ||
      napi_is_arraybuffer(value.Env(), buffer, &is_ordinary) != napi_ok || is_ordinary)
    throw Napi::TypeError::New(value.Env(), std::string(name) + " must lie on a SharedArrayBuffer");
  return reinterpret_cast<const std::atomic<std::int32_t>*>(cell.data);
}

// A batch to evaluate: arguments 1 to 5 of a call, whether its candidates lie in tiles, and the cell that ends it
// early.
struct BatchCall {
  Batch batch;
  std::size_t dimension, results;
  const std::atomic<std::int32_t>* cancel;
  std::size_t numbers() const {
    const std::size_t lanes = batch.layout == Layout::kRows ? 1 : kTileLanes;
    return (batch.count + lanes - 1) / lanes * lanes * dimension;
  }
};

inline BatchCall read_batch(const Napi::CallbackInfo& info, std::size_t dimension, std::size_t results,
                            const Napi::Value& tiled, const Napi::Value& cancel) {
  const auto candidates = typed_array<const double, napi_float64_array>(info[1], "candidates");
  const std::size_t count = whole_number(info[2], "count", 9007199254740991.0);
  const auto values = typed_array<double, napi_float64_array>(info[3], "values");
  const auto status = typed_array<std::uint8_t, napi_uint8_array>(info[4], "status");
  View<std::int32_t> lines;
  const bool has_lines = !is_null(info[5]);
  if (has_lines) lines = typed_array<std::int32_t, napi_int32_array>(info[5], "lines");
  bool in_tiles;
  if (napi_get_value_bool(info.Env(), tiled, &in_tiles) != napi_ok) throw Napi::TypeError::New(info.Env(), "tiled must be a boolean");
  const std::size_t room = candidates.length / dimension;
  if (count > (in_tiles ? room / kTileLanes * kTileLanes : room) || count > values.length / results || count > status.length ||
      (has_lines && count > lines.length))
    throw Napi::RangeError::New(info.Env(), "an array is shorter than count needs");
  return {{candidates.data, count, values.data, status.data, lines.data, in_tiles ? Layout::kTiles : Layout::kRows},
          dimension,
          results,
          shared_cell(cancel, "cancel")};
}

}  // namespace extremum::addon
