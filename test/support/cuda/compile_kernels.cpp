// Compiles kernels with NVRTC, which needs no GPU and no toolkit: for tests and for figures on paper.
//
//   compile_kernels FOLDER ARCHITECTURE < jobs
//
// FOLDER has libnvrtc and its builtins. Each line of the input: the text's path, where the machine code goes, where the
// log goes, then options, all separated by tabs. For each a line comes out: NVRTC's result code and the milliseconds
// that it took. The first line names NVRTC's version.
#include <dlfcn.h>
#include <glob.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Program = struct NvrtcProgram *;

[[noreturn]] void fail(const std::string &what) {
  std::cerr << what << '\n';
  std::exit(2);
}

void *open(const std::string &pattern) {
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) != 0) fail("there is no " + pattern);
  void *library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) fail(dlerror());
  globfree(&found);
  return library;
}

template <class Function>
Function symbol(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (found == nullptr) fail(std::string("there is no ") + name);
  return reinterpret_cast<Function>(found);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) fail("usage: compile_kernels FOLDER ARCHITECTURE < jobs");
  const std::string folder = argv[1];
  // First, and by its path: libnvrtc would look for it elsewhere.
  open(folder + "/libnvrtc-builtins.so.*");
  void *nvrtc = open(folder + "/libnvrtc.so.*");
  const auto version = symbol<int (*)(int *, int *)>(nvrtc, "nvrtcVersion");
  const auto create = symbol<int (*)(Program *, const char *, const char *, int, const char *const *,
                                     const char *const *)>(nvrtc, "nvrtcCreateProgram");
  const auto compile = symbol<int (*)(Program, int, const char *const *)>(nvrtc, "nvrtcCompileProgram");
  const auto destroy = symbol<int (*)(Program *)>(nvrtc, "nvrtcDestroyProgram");
  using Size = int (*)(Program, std::size_t *);
  using Text = int (*)(Program, char *);
  const auto log_size = symbol<Size>(nvrtc, "nvrtcGetProgramLogSize");
  const auto log_text = symbol<Text>(nvrtc, "nvrtcGetProgramLog");
  const auto cubin_size = symbol<Size>(nvrtc, "nvrtcGetCUBINSize");
  const auto cubin_bytes = symbol<Text>(nvrtc, "nvrtcGetCUBIN");
  const auto get = [](Size size, Text text, Program program) {
    std::size_t length = 0;
    if (size(program, &length) != 0) return std::string();
    std::string bytes(length, '\0');
    return text(program, bytes.data()) == 0 ? bytes : std::string();
  };

  int major = 0, minor = 0;
  version(&major, &minor);
  std::cout << "NVRTC " << major << '.' << minor << std::endl;
  const std::string architecture = std::string("--gpu-architecture=") + argv[2];
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> words;
    std::istringstream rest(line);
    for (std::string word; std::getline(rest, word, '\t');) words.push_back(word);
    if (words.size() < 3) fail("a job needs three paths");
    std::ifstream file(words[0], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    std::vector<const char *> options{architecture.c_str()};
    for (std::size_t k = 3; k < words.size(); ++k) options.push_back(words[k].c_str());
    Program program = nullptr;
    if (create(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0) fail("nvrtcCreateProgram");
    const auto started = std::chrono::steady_clock::now();
    const int result = compile(program, static_cast<int>(options.size()), options.data());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started;
    if (result == 0) std::ofstream(words[1], std::ios::binary) << get(cubin_size, cubin_bytes, program);
    std::ofstream(words[2]) << get(log_size, log_text, program).c_str();
    destroy(&program);
    std::cout << result << ' ' << took.count() << std::endl;
  }
}
