#include "cuda/host.h"

#include <algorithm>
#include <map>

namespace extremum::cuda {

namespace {

constexpr int kOldestDriver = 12;

// Of a device's memory; see `check_local_memory`.
constexpr std::size_t kLocalShare = 4;

struct Losses {
  std::mutex mutex;
  std::map<int, std::string> reasons;
};

Losses& losses() {
  static Losses* const all = new Losses;  // outlives the threads that ask
  return *all;
}

std::string version_text(int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); }

// After one of these nothing works in the context any more, and only a new process gets another.
bool poisons_the_context(Result result) {
  switch (result) {
    case kDeinitialized:
    case kInvalidContext:
    case kEccUncorrectable:
    case kNvlinkUncorrectable:
    case kIllegalAddress:
    case kLaunchTimeout:
    case kContextIsDestroyed:
    case kAssert:
    case kHardwareStackError:
    case kIllegalInstruction:
    case kMisalignedAddress:
    case kInvalidAddressSpace:
    case kInvalidPc:
    case kLaunchFailed:
    case kUnknown:
      return true;
    default:
      return false;
  }
}

bool refuses_the_image(Result result) {
  return result == kInvalidImage || result == kNoBinaryForGpu || result == kInvalidPtx || result == kUnsupportedPtx ||
         result == kInvalidSource || result == kNotFound;
}

std::string lost_sentence(const std::string& device, const std::string& reason) {
  return device + " was lost (" + reason + "); it is not used until the process is started again";
}

}  // namespace

std::string mebibytes(std::size_t bytes) { return std::to_string((bytes + (std::size_t{1} << 20) - 1) >> 20) + " MiB"; }

std::string error_name(const Driver& driver, Result result) {
  const char* name = nullptr;
  if (driver.error_name(result, &name) != kSuccess || !name) return "CUDA error " + std::to_string(result);
  return name;
}

std::string loss_of(int ordinal) {
  const std::lock_guard lock(losses().mutex);
  const auto found = losses().reasons.find(ordinal);
  return found == losses().reasons.end() ? "" : found->second;
}

void mark_lost(int ordinal, const std::string& reason) {
  const std::lock_guard lock(losses().mutex);
  losses().reasons.emplace(ordinal, reason);
}

Device::Device(const Driver& driver_, int ordinal_, const DeviceFacts& facts_)
    : driver(driver_), ordinal(ordinal_), facts(facts_) {
  int handle = 0;
  check(driver.device(&handle, ordinal), "cuDeviceGet");
  check(driver.retain_context(&context_, handle), "cuDevicePrimaryCtxRetain");
}

Device::~Device() {
  // Nobody is left whom a failure would concern.
  int handle = 0;
  if (driver.device(&handle, ordinal) == kSuccess) driver.release_context(handle);
}

Device::Current::Current(Device& device) : driver_(device.driver) {
  const std::string loss = loss_of(device.ordinal);
  if (!loss.empty()) throw Failure(FailureKind::kLost, lost_sentence(device.describe(), loss));
  device.check(driver_.set_context(device.context_), "cuCtxSetCurrent");
}

std::size_t Device::threads() const {
  return static_cast<std::size_t>(facts.multiprocessors) * static_cast<std::size_t>(facts.threads_per_multiprocessor);
}

void Device::check_local_memory(std::size_t bytes) const {
  const std::size_t needed = bytes * threads(), limit = facts.memory_bytes / kLocalShare;
  if (needed <= limit) return;
  throw Failure(FailureKind::kUnavailable, "a candidate needs " + std::to_string(bytes) +
                                               " bytes of local memory, which is " + mebibytes(needed) +
                                               " for all threads of " + describe() + "; at most " + mebibytes(limit) +
                                               " are allowed");
}

std::string Device::describe() const { return "GPU " + std::to_string(ordinal) + " (" + facts.name + ")"; }

void Device::check(Result result, const char* call, const std::string& detail) {
  if (result == kSuccess) return;
  const std::string name = error_name(driver, result);
  const std::string where = name + " in " + call + (detail.empty() ? "" : ", " + detail);
  if (poisons_the_context(result)) {
    mark_lost(ordinal, where);
    throw Failure(FailureKind::kLost, lost_sentence(describe(), where), name);
  }
  if (result == kOutOfMemory)
    throw Failure(FailureKind::kOutOfMemory, describe() + " is out of memory (" + where + ")", name);
  if (refuses_the_image(result))
    throw Failure(FailureKind::kImage,
                  describe() + " does not take the kernel's machine code (" + where +
                      "): it is damaged, or the driver is older than the NVRTC that made it",
                  name);
  throw Failure(FailureKind::kFailed, describe() + " did not do what it was asked (" + where + ")", name);
}

Host& Host::instance() {
  static Host* const host = new Host;  // the driver may be gone when static objects are destroyed
  return *host;
}

Facts Host::facts(const std::vector<std::string>& folders) {
  const std::lock_guard lock(mutex_);
  if (!opened_) open(folders);
  Facts now = facts_;
  for (std::size_t k = 0; k < now.devices.size(); ++k) {
    DeviceFacts& device = now.devices[k];
    const std::string loss = loss_of(static_cast<int>(k));
    const std::string description = "GPU " + std::to_string(k) + " (" + device.name + ")";
    device.lost = !loss.empty();
    if (device.lost) device.problem = lost_sentence(description, loss);
  }
  return now;
}

// Nothing is kept of an attempt that fails: the next one looks again.
void Host::open(const std::vector<std::string>& folders) {
  facts_ = Facts{};
  libraries_ = std::make_unique<Libraries>();
  open_driver(folders, *libraries_);
  start_driver();
  open_compiler(folders, facts_.driver_major, *libraries_);
  const Compiler& compiler = libraries_->compiler;
  if (compiler.version(&facts_.compiler_major, &facts_.compiler_minor) != kSuccess)
    throw Failure(FailureKind::kUnavailable, "NVRTC does not say which version it is");
  facts_.compiler_path = libraries_->compiler_path;
  if (facts_.compiler_major > facts_.driver_major)
    throw Failure(FailureKind::kUnavailable,
                  "the NVIDIA driver is too old for NVRTC " +
                      version_text(facts_.compiler_major, facts_.compiler_minor) + ": it supports CUDA " +
                      version_text(facts_.driver_major, facts_.driver_minor) +
                      "; update the driver, or install NVRTC " + std::to_string(facts_.driver_major));
  look_at_devices();
  try_compiler();
  devices_.assign(facts_.devices.size(), nullptr);
  opened_ = true;
}

void Host::start_driver() {
  const Driver& driver = libraries_->driver;
  const auto check = [&](Result result, const char* call) {
    if (result == kSuccess) return;
    const std::string name = error_name(driver, result);
    std::string message = "the NVIDIA driver does not start (" + name + " in " + call + ")";
    if (result == kNoDevice)
      message = "the NVIDIA driver is there, but sees no GPU (" + name +
                "): none is built in, or none is handed to this machine or container";
    if (result == kSystemDriverMismatch)
      message = "the NVIDIA driver's kernel module and its libcuda have different versions (" + name +
                "): restart the machine";
    if (result == kSystemNotReady) message = "the GPUs are not ready (" + name + "): is nvidia-fabricmanager running?";
    if (result == kStubLibrary)
      message = "libcuda is the toolkit's stub for linking (" + name + "): the driver's own must come first";
    throw Failure(FailureKind::kUnavailable, message, name);
  };
  int version = 0;
  check(driver.driver_version(&version), "cuDriverGetVersion");
  facts_.driver_major = version / 1000;
  facts_.driver_minor = version % 1000 / 10;
  if (facts_.driver_major < kOldestDriver)
    throw Failure(FailureKind::kUnavailable, "the NVIDIA driver is too old: it supports CUDA " +
                                                 version_text(facts_.driver_major, facts_.driver_minor) +
                                                 ", and 12.0 or later is needed");
  check(driver.init(0), "cuInit");
  int count = 0;
  check(driver.device_count(&count), "cuDeviceGetCount");
  if (count == 0) check(kNoDevice, "cuDeviceGetCount");
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int device = 0;
    char name[256] = "";
    DeviceFacts facts{};
    const auto attribute = [&](int which) {
      int value = 0;
      check(driver.device_attribute(&value, which, device), "cuDeviceGetAttribute");
      return value;
    };
    check(driver.device(&device, ordinal), "cuDeviceGet");
    check(driver.device_name(name, sizeof name - 1, device), "cuDeviceGetName");
    check(driver.device_memory(&facts.memory_bytes, device), "cuDeviceTotalMem");
    facts.name = name;
    facts.major = attribute(kCapabilityMajor);
    facts.minor = attribute(kCapabilityMinor);
    facts.multiprocessors = attribute(kMultiprocessors);
    facts.threads_per_multiprocessor = attribute(kThreadsPerMultiprocessor);
    facts_.devices.push_back(facts);
  }
}

void Host::look_at_devices() {
  const Compiler& compiler = libraries_->compiler;
  int count = 0;
  std::vector<int> known;
  if (compiler.architecture_count(&count) == kSuccess && count > 0) {
    known.resize(static_cast<std::size_t>(count));
    if (compiler.architectures(known.data()) != kSuccess) known.clear();
  }
  if (known.empty()) throw Failure(FailureKind::kUnavailable, "NVRTC does not say for which GPUs it compiles");
  std::string problem;
  bool usable = false;
  for (DeviceFacts& device : facts_.devices) {
    const bool takes = std::find(known.begin(), known.end(), 10 * device.major + device.minor) != known.end();
    if (!takes)
      device.problem = "NVRTC " + version_text(facts_.compiler_major, facts_.compiler_minor) +
                       " does not compile for the " + device.name + " (compute capability " +
                       version_text(device.major, device.minor) + "): another version of NVRTC is needed";
    usable = usable || takes;
    if (problem.empty()) problem = device.problem;
  }
  if (!usable) throw Failure(FailureKind::kUnavailable, problem);
}

void Host::try_compiler() {
  const auto usable = std::find_if(facts_.devices.begin(), facts_.devices.end(),
                                   [](const auto& device) { return device.problem.empty(); });
  const std::string architecture = "sm_" + std::to_string(usable->major) + std::to_string(usable->minor);
  try {
    run_compiler("extern \"C\" __global__ void evaluate(double *x) { x[0] = sqrt(x[0]); }\n",
                 {"--gpu-architecture=" + architecture});
  } catch (const Failure& failure) {
    const std::string message = failure.what();
    const std::string version = version_text(facts_.compiler_major, facts_.compiler_minor);
    const bool builtins = message.find("builtin") != std::string::npos || message.find("BUILTIN") != std::string::npos;
    throw Failure(FailureKind::kUnavailable,
                  builtins ? "NVRTC " + version + " lacks its builtins: libnvrtc-builtins.so." + version +
                                 " must lie beside it in " + facts_.compiler_path + " (" + failure.error() + ")"
                           : "NVRTC " + version + " does not compile: " + message,
                  failure.error());
  }
}

std::shared_ptr<Device> Host::device(int ordinal) {
  const std::lock_guard lock(mutex_);
  if (!opened_ || ordinal < 0 || static_cast<std::size_t>(ordinal) >= devices_.size())
    throw Failure(FailureKind::kUnavailable, "there is no GPU " + std::to_string(ordinal));
  const DeviceFacts& facts = facts_.devices[static_cast<std::size_t>(ordinal)];
  if (!facts.problem.empty()) throw Failure(FailureKind::kUnavailable, facts.problem);
  std::shared_ptr<Device>& device = devices_[static_cast<std::size_t>(ordinal)];
  if (!device) device = std::make_shared<Device>(libraries_->driver, ordinal, facts);
  return device;
}

int Host::least_loaded() {
  const std::lock_guard lock(mutex_);
  int best = -1, fewest = 0;
  for (std::size_t k = 0; opened_ && k < devices_.size(); ++k) {
    const int kernels = devices_[k] ? devices_[k]->kernels.load() : 0;
    if (!facts_.devices[k].problem.empty() || !loss_of(static_cast<int>(k)).empty()) continue;
    if (best < 0 || kernels < fewest) best = static_cast<int>(k), fewest = kernels;
  }
  if (best < 0) throw Failure(FailureKind::kUnavailable, "no GPU is left");
  return best;
}

std::string Host::compile(const std::string& text, const std::vector<std::string>& options) {
  {
    const std::lock_guard lock(mutex_);
    if (!opened_) throw Failure(FailureKind::kUnavailable, "NVRTC is not open");
  }
  return run_compiler(text, options);
}

// From here on the libraries stay as they are: any number of threads may compile.
std::string Host::run_compiler(const std::string& text, const std::vector<std::string>& options) {
  const Compiler& compiler = libraries_->compiler;
  const auto fail = [&](Result result, const char* call, const std::string& log) {
    const std::string name = compiler.error_name(result) ? compiler.error_name(result) : "NVRTC error";
    throw Failure(FailureKind::kCompile,
                  "NVRTC does not compile the kernel (" + name + " in " + call + ")" + (log.empty() ? "" : ": " + log),
                  name);
  };
  Compilation program = nullptr;
  if (const Result result = compiler.create(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr);
      result != kSuccess)
    fail(result, "nvrtcCreateProgram", "");
  struct Destroyer {
    const Compiler& compiler;
    Compilation& program;
    ~Destroyer() { compiler.destroy(&program); }
  } const destroyer{compiler, program};
  const auto fetch = [&](auto size, auto bytes) {
    std::size_t length = 0;
    std::string fetched;
    if (size(program, &length) != kSuccess) return fetched;
    fetched.resize(length);
    if (length > 0 && bytes(program, fetched.data()) != kSuccess) fetched.clear();
    return fetched;
  };
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  if (const Result result = compiler.compile(program, static_cast<int>(words.size()), words.data());
      result != kSuccess) {
    std::string log = fetch(compiler.log_size, compiler.log);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    fail(result, "nvrtcCompileProgram", log);
  }
  std::string image = fetch(compiler.image_size, compiler.image);
  if (image.empty()) throw Failure(FailureKind::kCompile, "NVRTC gave no machine code for the kernel", "");
  return image;
}

void Host::release() {
  const std::lock_guard lock(mutex_);
  for (auto& device : devices_) device.reset();
}

Facts facts(const std::vector<std::string>& folders) { return Host::instance().facts(folders); }
int least_loaded_device() { return Host::instance().least_loaded(); }
std::string compile(const std::string& text, const std::vector<std::string>& options) {
  return Host::instance().compile(text, options);
}
void release() { Host::instance().release(); }

}  // namespace extremum::cuda
