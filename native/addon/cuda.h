#pragma once

#include <napi.h>

namespace extremum::addon {

void add_cuda(Napi::Env env, Napi::Object exports);

}  // namespace extremum::addon
