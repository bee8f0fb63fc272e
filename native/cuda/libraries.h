// Finds libcuda and libnvrtc on this host and opens them. They stay open until the process ends.
#pragma once

#include <string>
#include <vector>

#include "cuda/api.h"

namespace extremum::cuda {

struct Libraries {
  Driver driver;
  Compiler compiler;
  std::string compiler_path;
};

// Both throw `Failure` (kAbsent where there is no driver, else kUnavailable). `folders` come before the places where
// drivers and toolkits put them.
void open_driver(const std::vector<std::string>& folders, Libraries& libraries);

// A compiler of a major version that a driver for CUDA `driver_major` takes is preferred.
void open_compiler(const std::vector<std::string>& folders, int driver_major, Libraries& libraries);

}  // namespace extremum::cuda
