// A libcuda for tests on machines without a GPU: its devices run kernels, which `stand_in_nvrtc.cpp` makes, on the
// processor. Stricter than a driver:
//
//   - nothing that a stream is given happens before somebody waits for it: whoever does not wait gets old bytes;
//   - device memory has red zones, looked at after each kernel and at the end of its life;
//   - memory must not be given back while a stream has work;
//   - calls want a current context.
//
// At the end of the process it reports what is still alive, and what was done wrongly.
// Settings: STAND_IN_DEVICES, STAND_IN_DRIVER (13000), STAND_IN_FREE (bytes), STAND_IN_LOCAL (bytes per thread), and
// `stand_in.h`. Faults of the device itself, found when somebody waits: the calls `kernel`, `copy`; `flip` makes the
// first value of a launch wrong by a bit, its code from 1 for the lowest one, which nobody is told.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "stand_in.h"

using stand_in::fault;
using stand_in::setting;

namespace {

using Result = int;
using DevicePointer = unsigned long long;

constexpr Result kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3, kInvalidContext = 201, kInvalidImage = 200,
                 kNotFound = 500, kIllegalAddress = 700;
constexpr std::size_t kZone = 512;
constexpr unsigned char kFill = 0xA5;

// Number of a device's context: the device's and 1. Everything belongs to one.
struct Event {
  int context;
  bool recorded = false, happened = false;
};

// Something that a stream is to do, and the buffers that it needs until then.
struct Step {
  std::function<Result()> run;
  std::vector<const void *> uses;
};

struct Stream {
  int context;
  std::deque<Step> work;
};

struct Module {
  int context;
  void *library;
};

using Run = void (*)(unsigned, unsigned, void *, unsigned, void *, unsigned char *, int *);
// Kernels of other forms: takes the arguments of a launch.
using Bind = void *(*)(void **);
using Bound = std::function<void(unsigned, unsigned)>;

struct Allocation {
  int context;
  std::unique_ptr<unsigned char[]> memory;
  std::size_t bytes;
};

struct World {
  std::recursive_mutex mutex;
  bool initialized = false;
  int contexts = 0;
  std::map<int, Result> poison;  // by context
  std::map<DevicePointer, Allocation> device;
  std::map<unsigned char *, Allocation> pinned;
  std::set<Module *> modules;
  std::set<void *> binders;  // functions of the form `Bind`
  std::set<Stream *> streams;
  std::set<Event *> events;
  std::size_t launches = 0, most_device_bytes = 0;
  std::vector<std::string> mistakes;

  ~World() {
    std::string list;
    for (const std::string &mistake : mistakes) list += (list.empty() ? "\"" : ", \"") + mistake + "\"";
    std::ostringstream line;
    line << "{\"library\": \"cuda\", \"contexts\": " << contexts << ", \"deviceBuffers\": " << device.size()
         << ", \"pinnedBuffers\": " << pinned.size() << ", \"modules\": " << modules.size()
         << ", \"streams\": " << streams.size() << ", \"events\": " << events.size() << ", \"launches\": " << launches
         << ", \"mostDeviceBytes\": " << most_device_bytes << ", \"faults\": " << stand_in::faults
         << ", \"mistakes\": [" << list << "]}";
    stand_in::report(line.str());
  }

  void mistake(const std::string &what) { mistakes.push_back(what); }

  void check_zones(const Allocation &allocation) {
    const unsigned char *const start = allocation.memory.get();
    for (std::size_t k = 0; k < kZone; ++k)
      if (start[k] != kFill || start[kZone + allocation.bytes + k] != kFill) return mistake("written outside a buffer");
  }

  bool is_needed(const void *buffer) const {
    for (const Stream *stream : streams)
      for (const Step &step : stream->work)
        if (std::find(step.uses.begin(), step.uses.end(), buffer) != step.uses.end()) return true;
    return false;
  }

  // Whether the bytes lie in one buffer.
  bool holds(DevicePointer at, std::size_t bytes) const {
    auto after = device.upper_bound(at);
    if (after == device.begin()) return false;
    const auto &[start, allocation] = *--after;
    return at + bytes <= start + allocation.bytes;
  }

  bool is_pinned(const void *at) const {
    auto *const start = static_cast<unsigned char *>(const_cast<void *>(at));
    return pinned.count(start) == 1;
  }

  // Does a stream's work until `done`, or until something fails: then nothing works any more.
  template <class Done>
  Result advance(Stream &stream, Done done) {
    Result &lost = poison[stream.context];
    while (lost == 0 && !stream.work.empty() && !done()) {
      const Step step = std::move(stream.work.front());
      stream.work.pop_front();
      lost = step.run();
    }
    return lost;
  }
};

World world;
thread_local int current_context = 0;

template <class T>
T *known(const std::set<T *> &all, void *given) {
  const auto found = all.find(static_cast<T *>(given));
  return found == all.end() ? nullptr : *found;
}

// The checks that all calls with a context have in common.
#define ENTER(name)                                                   \
  const std::lock_guard lock(world.mutex);                            \
  if (const int code = fault(name)) return poisoned(code);            \
  if (!world.initialized) return kNotInitialized;                     \
  if (const Result lost = world.poison[current_context]) return lost; \
  if (current_context == 0 || world.contexts == 0) {                  \
    world.mistake(std::string(name) + " without a context");          \
    return kInvalidContext;                                           \
  }

// Faults that end a context stay.
Result poisoned(int code) {
  if (code >= 700 && code != 701) world.poison[current_context] = code;
  return code;
}

Stream *stream_of(void *given) { return known(world.streams, given); }

std::size_t device_bytes() {
  std::size_t sum = 0;
  for (const auto &each : world.device) sum += each.second.bytes;
  return sum;
}

}  // namespace

STAND_IN_API Result cuInit(unsigned) {
  const std::lock_guard lock(world.mutex);
  if (const int code = fault("cuInit")) return code;
  world.initialized = true;
  return 0;
}

// The real NVRTC asks the driver for internal tables when there is one.
STAND_IN_API Result cuGetExportTable(const void **table, const void *) {
  *table = nullptr;
  return kNotFound;
}

STAND_IN_API Result cuDriverGetVersion(int *version) {
  *version = std::atoi(setting("STAND_IN_DRIVER", "13000").c_str());
  return fault("cuDriverGetVersion");
}

STAND_IN_API Result cuGetErrorName(Result result, const char **name) {
  static const std::map<Result, const char *> names = {{1, "CUDA_ERROR_INVALID_VALUE"},
                                                       {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                       {3, "CUDA_ERROR_NOT_INITIALIZED"},
                                                       {34, "CUDA_ERROR_STUB_LIBRARY"},
                                                       {100, "CUDA_ERROR_NO_DEVICE"},
                                                       {200, "CUDA_ERROR_INVALID_IMAGE"},
                                                       {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                       {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                                       {500, "CUDA_ERROR_NOT_FOUND"},
                                                       {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                       {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                                                       {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
                                                       {719, "CUDA_ERROR_LAUNCH_FAILED"},
                                                       {802, "CUDA_ERROR_SYSTEM_NOT_READY"},
                                                       {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
                                                       {999, "CUDA_ERROR_UNKNOWN"}};
  const auto found = names.find(result);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? kInvalidValue : 0;
}

STAND_IN_API Result cuDeviceGetCount(int *count) {
  if (const int code = fault("cuDeviceGetCount")) return code;
  *count = std::atoi(setting("STAND_IN_DEVICES", "1").c_str());
  return world.initialized ? 0 : kNotInitialized;
}

STAND_IN_API Result cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return fault("cuDeviceGet");
}

STAND_IN_API Result cuDeviceGetName(char *name, int length, int device) {
  std::snprintf(name, static_cast<std::size_t>(length), "Stand-in %c", 'A' + device);
  return fault("cuDeviceGetName");
}

STAND_IN_API Result cuDeviceGetAttribute(int *value, int attribute, int) {
  // Multiprocessors, threads of each, compute capability: 1,024 threads at once, and sm_90.
  *value = attribute == 16 ? 2 : attribute == 39 ? 512 : attribute == 75 ? 9 : 0;
  return fault("cuDeviceGetAttribute");
}

STAND_IN_API Result cuDeviceTotalMem_v2(std::size_t *bytes, int) {
  *bytes = std::size_t{1} << 30;
  return fault("cuDeviceTotalMem_v2");
}

STAND_IN_API Result cuDevicePrimaryCtxRetain(void **context, int device) {
  const std::lock_guard lock(world.mutex);
  if (const int code = fault("cuDevicePrimaryCtxRetain")) return code;
  world.contexts++;
  *context = reinterpret_cast<void *>(static_cast<std::uintptr_t>(device + 1));
  return 0;
}

// What a lost context had goes with it; a sound one must have been left empty.
STAND_IN_API Result cuDevicePrimaryCtxRelease_v2(int device) {
  const std::lock_guard lock(world.mutex);
  world.contexts--;
  const int context = device + 1;
  if (world.poison[context] == 0) return 0;
  const auto of_map = [&](const auto &entry) { return entry.second.context == context; };
  const auto of_set = [&](const auto *entry) {
    const bool goes = entry->context == context;
    if (goes) delete entry;
    return goes;
  };
  std::erase_if(world.device, of_map);
  std::erase_if(world.pinned, of_map);
  std::erase_if(world.modules, of_set);
  std::erase_if(world.streams, of_set);
  std::erase_if(world.events, of_set);
  return 0;
}

STAND_IN_API Result cuCtxSetCurrent(void *context) {
  if (const int code = fault("cuCtxSetCurrent")) return poisoned(code);
  current_context = static_cast<int>(reinterpret_cast<std::uintptr_t>(context));
  return 0;
}

STAND_IN_API Result cuMemGetInfo_v2(std::size_t *free, std::size_t *total) {
  ENTER("cuMemGetInfo_v2")
  *total = std::size_t{1} << 30;
  *free = std::strtoull(setting("STAND_IN_FREE", "536870912").c_str(), nullptr, 10);
  return 0;
}

STAND_IN_API Result cuMemAlloc_v2(DevicePointer *address, std::size_t bytes) {
  ENTER("cuMemAlloc_v2")
  if (bytes == 0) return kInvalidValue;
  auto memory = std::make_unique<unsigned char[]>(bytes + 2 * kZone);
  std::memset(memory.get(), kFill, bytes + 2 * kZone);
  *address = reinterpret_cast<DevicePointer>(memory.get() + kZone);
  world.device.emplace(*address, Allocation{current_context, std::move(memory), bytes});
  world.most_device_bytes = std::max(world.most_device_bytes, device_bytes());
  return 0;
}

STAND_IN_API Result cuMemFree_v2(DevicePointer address) {
  ENTER("cuMemFree_v2")
  if (world.is_needed(reinterpret_cast<void *>(address))) world.mistake("device memory given back that a stream needs");
  const auto found = world.device.find(address);
  if (found == world.device.end()) return kInvalidValue;
  world.check_zones(found->second);
  world.device.erase(found);
  return 0;
}

STAND_IN_API Result cuMemHostAlloc(void **address, std::size_t bytes, unsigned) {
  ENTER("cuMemHostAlloc")
  auto memory = std::make_unique<unsigned char[]>(bytes);
  auto *const start = memory.get();
  *address = start;
  world.pinned.emplace(start, Allocation{current_context, std::move(memory), bytes});
  return 0;
}

STAND_IN_API Result cuMemFreeHost(void *address) {
  ENTER("cuMemFreeHost")
  if (world.is_needed(address)) world.mistake("pinned memory given back that a stream needs");
  return world.pinned.erase(static_cast<unsigned char *>(address)) == 1 ? 0 : kInvalidValue;
}

STAND_IN_API Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from, std::size_t bytes, void *stream) {
  ENTER("cuMemcpyHtoDAsync_v2")
  if (!world.is_pinned(from)) world.mistake("copied from memory that is not pinned");
  if (!world.holds(to, bytes) || !stream_of(stream)) return kInvalidValue;
  const auto run = [=] {
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
    return fault("copy");
  };
  stream_of(stream)->work.push_back({run, {reinterpret_cast<void *>(to), from}});
  return 0;
}

STAND_IN_API Result cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, std::size_t bytes, void *stream) {
  ENTER("cuMemcpyDtoHAsync_v2")
  if (!world.is_pinned(to)) world.mistake("copied to memory that is not pinned");
  if (!world.holds(from, bytes) || !stream_of(stream)) return kInvalidValue;
  const auto run = [=] {
    std::memcpy(to, reinterpret_cast<void *>(from), bytes);
    return fault("copy");
  };
  stream_of(stream)->work.push_back({run, {to, reinterpret_cast<void *>(from)}});
  return 0;
}

STAND_IN_API Result cuModuleLoadDataEx(void **module, const void *image, unsigned, int *, void **) {
  ENTER("cuModuleLoadDataEx")
  // `stand_in_nvrtc.cpp` writes the length before the shared object.
  if (std::memcmp(image, "STANDIN1", 8) != 0) return kInvalidImage;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, static_cast<const char *>(image) + 8, 8);
  char path[] = "/tmp/extremum-stand-in-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return kInvalidImage;
  const bool written = write(file, static_cast<const char *>(image) + 16, bytes) == static_cast<ssize_t>(bytes);
  ::close(file);
  void *const library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(path);
  if (!library) return kInvalidImage;
  auto *const loaded = new Module{current_context, library};
  world.modules.insert(loaded);
  *module = loaded;
  return 0;
}

STAND_IN_API Result cuModuleUnload(void *module) {
  ENTER("cuModuleUnload")
  Module *const loaded = known(world.modules, module);
  if (!loaded) return kInvalidValue;
  dlclose(loaded->library);
  world.modules.erase(loaded);
  delete loaded;
  return 0;
}

STAND_IN_API Result cuModuleGetFunction(void **function, void *module, const char *name) {
  ENTER("cuModuleGetFunction")
  void *const library = static_cast<Module *>(module)->library;
  *function = dlsym(library, (std::string("stand_in_run_") + name).c_str());
  if (*function) world.binders.erase(*function);
  if (*function) return 0;
  *function = dlsym(library, (std::string("stand_in_bind_") + name).c_str());
  if (*function) world.binders.insert(*function);
  return *function ? 0 : kNotFound;
}

STAND_IN_API Result cuFuncGetAttribute(int *value, int attribute, void *) {
  ENTER("cuFuncGetAttribute")
  *value = attribute == 0 ? 1024 : attribute == 3 ? std::atoi(setting("STAND_IN_LOCAL", "0").c_str()) : 32;
  return 0;
}

STAND_IN_API Result cuStreamCreate(void **stream, unsigned) {
  ENTER("cuStreamCreate")
  auto *const made = new Stream{current_context, {}};
  world.streams.insert(made);
  *stream = made;
  return 0;
}

STAND_IN_API Result cuStreamDestroy_v2(void *stream) {
  ENTER("cuStreamDestroy_v2")
  Stream *const known_stream = stream_of(stream);
  if (!known_stream) return kInvalidValue;
  if (!known_stream->work.empty()) world.mistake("a stream with work was destroyed");
  world.streams.erase(known_stream);
  delete known_stream;
  return 0;
}

STAND_IN_API Result cuStreamSynchronize(void *stream) {
  ENTER("cuStreamSynchronize")
  return stream_of(stream) ? world.advance(*stream_of(stream), [] { return false; }) : kInvalidValue;
}

STAND_IN_API Result cuEventCreate(void **event, unsigned) {
  ENTER("cuEventCreate")
  auto *const made = new Event{current_context};
  world.events.insert(made);
  *event = made;
  return 0;
}

STAND_IN_API Result cuEventDestroy_v2(void *event) {
  ENTER("cuEventDestroy_v2")
  Event *const known_event = known(world.events, event);
  if (!known_event) return kInvalidValue;
  world.events.erase(known_event);
  delete known_event;
  return 0;
}

STAND_IN_API Result cuEventRecord(void *event, void *stream) {
  ENTER("cuEventRecord")
  Event *const recorded = known(world.events, event);
  if (!recorded || !stream_of(stream)) return kInvalidValue;
  recorded->recorded = true;
  recorded->happened = false;
  const auto run = [recorded] {
    recorded->happened = true;
    return 0;
  };
  stream_of(stream)->work.push_back({run, {}});
  return 0;
}

STAND_IN_API Result cuEventSynchronize(void *event) {
  ENTER("cuEventSynchronize")
  Event *const awaited = known(world.events, event);
  if (!awaited || !awaited->recorded) return kInvalidValue;
  for (Stream *stream : world.streams) {
    if (stream->context != awaited->context) continue;
    if (const Result result = world.advance(*stream, [&] { return awaited->happened; })) return result;
  }
  return awaited->happened ? 0 : kInvalidValue;
}

STAND_IN_API Result cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  ENTER("cuEventElapsedTime")
  const Event *const from = known(world.events, start), *const to = known(world.events, end);
  if (!from || !to || !from->happened || !to->happened) return kInvalidValue;
  *milliseconds = 0.5;
  return 0;
}

STAND_IN_API Result cuLaunchKernel(void *function, unsigned blocks, unsigned by, unsigned bz, unsigned threads,
                                   unsigned ty, unsigned tz, unsigned shared, void *stream, void **arguments, void **) {
  ENTER("cuLaunchKernel")
  if (by != 1 || bz != 1 || ty != 1 || tz != 1 || shared != 0 || blocks == 0 || threads == 0 || threads > 1024)
    return kInvalidValue;
  if (!stream_of(stream)) return kInvalidValue;
  world.launches++;
  // Parameters are taken at the launch, as a driver does.
  if (world.binders.count(function) == 1) {
    const std::shared_ptr<Bound> kernel(static_cast<Bound *>(reinterpret_cast<Bind>(function)(arguments)));
    std::vector<const void *> uses;
    for (const auto &each : world.device)
      if (each.second.context == current_context) uses.push_back(reinterpret_cast<void *>(each.first));
    const auto run = [=] {
      if (const int code = fault("kernel")) return code;
      (*kernel)(blocks, threads);
      for (const auto &each : world.device) world.check_zones(each.second);
      return 0;
    };
    stream_of(stream)->work.push_back({run, uses});
    return 0;
  }
  void *tiles, *values;
  unsigned count;
  unsigned char *status;
  int *lines;
  std::memcpy(&tiles, arguments[0], sizeof tiles);
  std::memcpy(&count, arguments[1], sizeof count);
  std::memcpy(&values, arguments[2], sizeof values);
  std::memcpy(&status, arguments[3], sizeof status);
  std::memcpy(&lines, arguments[4], sizeof lines);
  if (!world.holds(reinterpret_cast<DevicePointer>(status), count)) return kIllegalAddress;
  const auto kernel = reinterpret_cast<Run>(function);
  const auto run = [=] {
    if (const int code = fault("kernel")) return code;
    kernel(blocks, threads, tiles, count, values, status, lines);
    if (const int bit = fault("flip")) static_cast<unsigned char *>(values)[(bit - 1) / 8] ^= 1 << ((bit - 1) % 8);
    for (const auto &each : world.device) world.check_zones(each.second);
    return 0;
  };
  stream_of(stream)->work.push_back({run, {tiles, values, status, lines}});
  return 0;
}
