#pragma once

#include <napi.h>

namespace extremum::addon {

void add_cuda(Napi::Env env, Napi::Object exports);

// Of `add_cuda`: populations that stay on a device.
void add_cuda_population(Napi::Env env, Napi::Object exports);

}  // namespace extremum::addon
