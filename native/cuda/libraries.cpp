#include "cuda/libraries.h"

#include "extremum/cuda.h"

#if defined(__unix__)
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#endif

namespace extremum::cuda {

#if defined(__unix__)

namespace {

constexpr int kNewestMajor = 13, kOldestMajor = 12;

// Where drivers and toolkits put libraries that the dynamic loader does not look for itself.
const char* const kDriverFolders[] = {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64"};
const char* const kToolkitFolders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda-13/lib64", "/usr/local/cuda-12/lib64"};

[[noreturn]] void unavailable(const std::string& message) { throw Failure(FailureKind::kUnavailable, message); }

std::string loader_message() {
  const char* const message = dlerror();
  return message ? message : "no reason given";
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// A library, or null; `problem` collects what the loader says about a file that is there.
void* try_open(const std::string& path, std::string& problem) {
  const bool is_path = path.find('/') != std::string::npos;
  if (is_path && !exists(path)) return nullptr;
  if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const std::string message = loader_message();
  // The loader says the same of a name that it does not find and of a dependency that is missing.
  const bool absent = !is_path && message.rfind(path + ": cannot open shared object file: No such file", 0) == 0;
  if (!absent && problem.empty()) problem = message;
  return nullptr;
}

std::string places(const std::vector<std::string>& folders) {
  std::string list;
  for (const std::string& folder : folders) list += folder + ", ";
  return list + "the loader's path";
}

void* symbol(void* library, const char* name, const char* second) {
  void* const found = dlsym(library, name);
  return found || std::string(second) == "none" ? found : dlsym(library, second);
}

#define EXTREMUM_RESOLVE(field, name, second, ...)                                        \
  table.field = reinterpret_cast<decltype(table.field)>(symbol(library, #name, #second)); \
  if (!table.field && missing.empty()) missing = #name;

std::string resolve(void* library, Driver& table) {
  std::string missing;
  EXTREMUM_DRIVER_FUNCTIONS(EXTREMUM_RESOLVE)
  return missing;
}

std::string resolve(void* library, Compiler& table) {
  std::string missing;
  EXTREMUM_COMPILER_FUNCTIONS(EXTREMUM_RESOLVE)
  return missing;
}

// NVRTC looks for its builtins by a bare name when it first compiles. One that is loaded already is taken.
void open_builtins(const std::string& folder, int major) {
  const std::string prefix = "libnvrtc-builtins.so." + std::to_string(major);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().filename().string().rfind(prefix, 0) == 0 && dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL))
      return;
  }
}

std::string folder_of(const void* address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) return "";
  const std::string path = info.dli_fname;
  const std::size_t end = path.rfind('/');
  return end == std::string::npos ? "" : path.substr(0, end);
}

void* find_compiler(const std::vector<std::string>& folders, int major, std::string& problem) {
  const std::string name = "libnvrtc.so." + std::to_string(major);
  const auto in_folder = [&](const std::string& folder) -> void* {
    if (!exists(folder + "/" + name)) return nullptr;
    open_builtins(folder, major);
    return try_open(folder + "/" + name, problem);
  };
  for (const std::string& folder : folders)
    if (void* const library = in_folder(folder)) return library;
  if (void* const library = try_open(name, problem)) return library;
  for (const char* const folder : kToolkitFolders)
    if (void* const library = in_folder(folder)) return library;
  return nullptr;
}

}  // namespace

void open_driver(const std::vector<std::string>& folders, Libraries& libraries) {
  std::vector<std::string> candidates;
  for (const std::string& folder : folders) candidates.push_back(folder + "/libcuda.so.1");
  candidates.push_back("libcuda.so.1");
  for (const char* const folder : kDriverFolders) candidates.push_back(std::string(folder) + "/libcuda.so.1");
  std::string problem;
  void* library = nullptr;
  for (const std::string& path : candidates)
    if (!library) library = try_open(path, problem);
  if (!library && !problem.empty()) unavailable("the NVIDIA driver's libcuda.so.1 does not load: " + problem);
  if (!library)
    throw Failure(FailureKind::kAbsent, "there is no NVIDIA driver here: libcuda.so.1 was not found (looked in " +
                                            places(folders) + ")");
  const std::string missing = resolve(library, libraries.driver);
  if (!missing.empty())
    unavailable("the NVIDIA driver is too old: its libcuda has no " + missing + "; it must support CUDA 12.0 or later");
}

void open_compiler(const std::vector<std::string>& folders, int driver_major, Libraries& libraries) {
  std::vector<int> majors;
  for (int major = kNewestMajor; major >= kOldestMajor; --major) majors.push_back(major);
  // What the driver takes first, newest first.
  std::stable_partition(majors.begin(), majors.end(), [&](int major) { return major <= driver_major; });
  std::string problem;
  void* library = nullptr;
  int found = 0;
  for (const int major : majors) {
    if (!library && (library = find_compiler(folders, major, problem))) found = major;
  }
  if (!library && !problem.empty()) unavailable("NVRTC does not load: " + problem);
  if (!library)
    unavailable("NVRTC is missing: neither libnvrtc.so.13 nor libnvrtc.so.12 was found (looked in " + places(folders) +
                " and the folders of the CUDA toolkit); set EXTREMUM_CUDA_LIBRARY_PATH to the folder that has it");
  const std::string missing = resolve(library, libraries.compiler);
  if (!missing.empty()) unavailable("NVRTC is too old: libnvrtc has no " + missing);
  const std::string folder = folder_of(reinterpret_cast<const void*>(libraries.compiler.version));
  libraries.compiler_path = folder;
  if (!folder.empty()) open_builtins(folder, found);
}

#else

void open_driver(const std::vector<std::string>&, Libraries&) {
  throw Failure(FailureKind::kAbsent, "CUDA is used on Linux only");
}

void open_compiler(const std::vector<std::string>&, int, Libraries&) {}

#endif

}  // namespace extremum::cuda
