// A libnvrtc for tests on machines without a GPU: `device_on_host.h` and g++ make a shared object of a kernel's text,
// which `stand_in_cuda.cpp` runs. As the real one, it needs its builtins library when it first compiles.
//
// Settings: STAND_IN_INCLUDE (folder of device_on_host.h), STAND_IN_KEEP (folder where shared objects are kept between
// processes, so that tests need not wait for g++ so often), STAND_IN_NVRTC (13.0), and `stand_in.h`.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

#include "stand_in.h"

using stand_in::fault;
using stand_in::setting;

namespace {

constexpr int kCompilation = 6, kBuiltins = 7;

struct Counts {
  std::atomic<int> compiled{0}, programs{0};
  ~Counts() {
    stand_in::report("{\"library\": \"nvrtc\", \"compiled\": " + std::to_string(compiled) +
                     ", \"programs\": " + std::to_string(programs) + "}");
  }
} counts;

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int major_version() { return std::atoi(setting("STAND_IN_NVRTC", "13.0").c_str()); }
int minor_version() {
  const std::string version = setting("STAND_IN_NVRTC", "13.0");
  return std::atoi(version.substr(version.find('.') + 1).c_str());
}

// The entry that the stand-in driver calls for kernels of the backend's form.
const char *const kEntry = R"(
extern "C" void stand_in_run_evaluate(unsigned blocks, unsigned threads, void *tiles, unsigned count, void *values,
                                      unsigned char *status, int *lines) {
  launch(blocks, threads, [=] { evaluate((const double *)tiles, count, (double *)values, status, lines); });
}
)";

// Those for the kernels of a population, whose arguments differ: they take the arguments now, and run later.
const char *const kPopulationHead = "#include <functional>\n#include <tuple>\n";
const char *const kPopulationEntries = R"(
template <class... P>
static void *stand_in_bound(void (*kernel)(P...), void **arguments) {
  std::size_t k = 0;
  const std::tuple<P...> values{*static_cast<P *>(arguments[k++])...};
  return new std::function<void(unsigned, unsigned)>([=](unsigned blocks, unsigned threads) {
    launch(blocks, threads, [&] { std::apply(kernel, values); });
  });
}
#define STAND_IN_BIND(name) \
  extern "C" void *stand_in_bind_##name(void **arguments) { return stand_in_bound(name, arguments); }
STAND_IN_BIND(move)
STAND_IN_BIND(count_odd)
STAND_IN_BIND(accept)
STAND_IN_BIND(combine)
STAND_IN_BIND(gather)
)";
const char *const kStepEntry = "STAND_IN_BIND(step)\n";
const char *const kGradientEntry = "using slopes::evaluate_gradient;\nSTAND_IN_BIND(evaluate_gradient)\n";

}  // namespace

struct Program {
  std::string text, log, image;
};

STAND_IN_API const char *nvrtcGetErrorString(int result) {
  return result == 0              ? "NVRTC_SUCCESS"
         : result == 1            ? "NVRTC_ERROR_OUT_OF_MEMORY"
         : result == kCompilation ? "NVRTC_ERROR_COMPILATION"
         : result == kBuiltins    ? "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"
                                  : "NVRTC_ERROR unknown";
}

STAND_IN_API int nvrtcVersion(int *major, int *minor) {
  *major = major_version();
  *minor = minor_version();
  return fault("nvrtcVersion");
}

STAND_IN_API int nvrtcGetNumSupportedArchs(int *count) {
  *count = 2;
  return fault("nvrtcGetNumSupportedArchs");
}

STAND_IN_API int nvrtcGetSupportedArchs(int *architectures) {
  architectures[0] = 80;
  architectures[1] = std::atoi(setting("STAND_IN_ARCHITECTURE", "90").c_str());
  return 0;
}

STAND_IN_API int nvrtcCreateProgram(Program **program, const char *text, const char *, int, const char *const *,
                                    const char *const *) {
  if (const int code = fault("nvrtcCreateProgram")) return code;
  counts.programs++;
  *program = new Program{text, "", ""};
  return 0;
}

STAND_IN_API int nvrtcDestroyProgram(Program **program) {
  counts.programs--;
  delete *program;
  *program = nullptr;
  return 0;
}

STAND_IN_API int nvrtcCompileProgram(Program *program, int count, const char *const *options) {
  const std::string builtins =
      "libnvrtc-builtins.so." + std::to_string(major_version()) + "." + std::to_string(minor_version());
  if (!dlopen(builtins.c_str(), RTLD_NOW)) {
    program->log =
        "nvrtc: error: failed to open " + builtins + ".\n  Make sure that " + builtins + " is installed correctly.";
    return kBuiltins;
  }
  bool exact = false;
  for (int k = 0; k < count; ++k) exact = exact || std::strcmp(options[k], "--fmad=false") == 0;
  const bool is_kernel = program->text.find("unsigned count") != std::string::npos;
  if (!is_kernel) {
    program->image = "STANDIN1";
    return 0;
  }
  counts.compiled++;
  if (const int code = fault("nvrtcCompileProgram")) {
    program->log = "kernel.cu(12): error: expected a \";\"\n\n1 error detected in the compilation of \"kernel.cu\".\n";
    return code;
  }
  const bool has_population = program->text.find("accept(Population") != std::string::npos;
  const bool has_steps = program->text.find("step(Population p, unsigned which, unsigned turn) {") != std::string::npos;
  const bool has_gradients = program->text.find("evaluate_gradient") != std::string::npos;
  const std::string source = (has_population ? kPopulationHead : "") + std::string("#include \"device_on_host.h\"\n") +
                             program->text + kEntry + (has_population ? kPopulationEntries : "") +
                             (has_steps ? kStepEntry : "") + (has_gradients ? kGradientEntry : "");
  const std::string flags = exact ? "-ffp-contract=off" : "-ffp-contract=fast";
  const std::string keep = setting("STAND_IN_KEEP", "/tmp");
  const std::string path = keep + "/" + std::to_string(std::hash<std::string>()(source + flags)) + ".so";
  std::string bytes = read(path);
  if (bytes.empty()) {
    char folder[] = "/tmp/extremum-stand-in-XXXXXX";
    if (!mkdtemp(folder)) return 1;
    const std::string work = folder;
    std::ofstream(work + "/k.cpp") << source;
    // A kernel may have the name of a function of the C library, as `accept`.
    const std::string command = "g++ -std=c++20 -O1 -w -shared -fPIC -Wl,-Bsymbolic " + flags + " -I '" +
                                setting("STAND_IN_INCLUDE", ".") + "' " + work + "/k.cpp -o " + work + "/k.so 2> " +
                                work + "/log";
    const int failed = std::system(command.c_str());
    program->log = read(work + "/log");
    bytes = read(work + "/k.so");
    if (failed == 0) std::rename((work + "/k.so").c_str(), path.c_str());
    for (const char *name : {"/k.cpp", "/k.so", "/log"}) unlink((work + name).c_str());
    rmdir(folder);
    if (failed != 0) return kCompilation;
  }
  const std::uint64_t length = bytes.size();
  program->image = "STANDIN1" + std::string(reinterpret_cast<const char *>(&length), sizeof length) + bytes;
  return 0;
}

STAND_IN_API int nvrtcGetProgramLogSize(Program *program, std::size_t *bytes) {
  *bytes = program->log.size() + 1;
  return 0;
}

STAND_IN_API int nvrtcGetProgramLog(Program *program, char *log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return 0;
}

STAND_IN_API int nvrtcGetCUBINSize(Program *program, std::size_t *bytes) {
  *bytes = program->image.size();
  return fault("nvrtcGetCUBINSize");
}

STAND_IN_API int nvrtcGetCUBIN(Program *program, char *image) {
  std::memcpy(image, program->image.data(), program->image.size());
  return 0;
}
