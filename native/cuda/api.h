// The functions of libcuda and libnvrtc that are used, declared here so that building needs no CUDA toolkit. Prototypes
// and constants are compared with NVIDIA's headers by test/support/cuda/check_declarations.cpp.
//
// Symbols are those of the drivers from CUDA 12 on. Where an older symbol does the same, it stands beside as the second
// choice; `none`: there is no other.
#pragma once

#include <cstddef>
#include <type_traits>

namespace extremum::cuda {

using Result = int;
using DevicePointer = unsigned long long;
using Context = struct ContextObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Stream = struct StreamObject*;
using Event = struct EventObject*;
using Compilation = struct CompilationObject*;

// X(field, symbol, second choice, prototype)
#define EXTREMUM_DRIVER_FUNCTIONS(X)                                                                                  \
  X(init, cuInit, none, Result(unsigned))                                                                             \
  X(driver_version, cuDriverGetVersion, none, Result(int*))                                                           \
  X(error_name, cuGetErrorName, none, Result(Result, const char**))                                                   \
  X(device_count, cuDeviceGetCount, none, Result(int*))                                                               \
  X(device, cuDeviceGet, none, Result(int*, int))                                                                     \
  X(device_name, cuDeviceGetName, none, Result(char*, int, int))                                                      \
  X(device_attribute, cuDeviceGetAttribute, none, Result(int*, int, int))                                             \
  X(device_memory, cuDeviceTotalMem_v2, cuDeviceTotalMem, Result(std::size_t*, int))                                  \
  X(retain_context, cuDevicePrimaryCtxRetain, none, Result(Context*, int))                                            \
  X(release_context, cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease, Result(int))                            \
  X(set_context, cuCtxSetCurrent, none, Result(Context))                                                              \
  X(memory_info, cuMemGetInfo_v2, cuMemGetInfo, Result(std::size_t*, std::size_t*))                                   \
  X(allocate, cuMemAlloc_v2, cuMemAlloc, Result(DevicePointer*, std::size_t))                                         \
  X(free, cuMemFree_v2, cuMemFree, Result(DevicePointer))                                                             \
  X(allocate_host, cuMemHostAlloc, none, Result(void**, std::size_t, unsigned))                                       \
  X(free_host, cuMemFreeHost, none, Result(void*))                                                                    \
  X(copy_to_device, cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync, Result(DevicePointer, const void*, std::size_t, Stream)) \
  X(copy_to_host, cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync, Result(void*, DevicePointer, std::size_t, Stream))         \
  X(load_module, cuModuleLoadDataEx, none, Result(Module*, const void*, unsigned, int*, void**))                      \
  X(unload_module, cuModuleUnload, none, Result(Module))                                                              \
  X(module_function, cuModuleGetFunction, none, Result(Function*, Module, const char*))                               \
  X(function_attribute, cuFuncGetAttribute, none, Result(int*, int, Function))                                        \
  X(create_stream, cuStreamCreate, none, Result(Stream*, unsigned))                                                   \
  X(destroy_stream, cuStreamDestroy_v2, cuStreamDestroy, Result(Stream))                                              \
  X(wait_for_stream, cuStreamSynchronize, none, Result(Stream))                                                       \
  X(create_event, cuEventCreate, none, Result(Event*, unsigned))                                                      \
  X(destroy_event, cuEventDestroy_v2, cuEventDestroy, Result(Event))                                                  \
  X(record_event, cuEventRecord, none, Result(Event, Stream))                                                         \
  X(wait_for_event, cuEventSynchronize, none, Result(Event))                                                          \
  X(elapsed_ms, cuEventElapsedTime, cuEventElapsedTime_v2, Result(float*, Event, Event))                              \
  X(launch, cuLaunchKernel, none,                                                                                     \
    Result(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**))

#define EXTREMUM_COMPILER_FUNCTIONS(X)                                                                                \
  X(version, nvrtcVersion, none, Result(int*, int*))                                                                  \
  X(error_name, nvrtcGetErrorString, none, const char*(Result))                                                       \
  X(architecture_count, nvrtcGetNumSupportedArchs, none, Result(int*))                                                \
  X(architectures, nvrtcGetSupportedArchs, none, Result(int*))                                                        \
  X(create, nvrtcCreateProgram, none,                                                                                 \
    Result(Compilation*, const char*, const char*, int, const char* const*, const char* const*))                      \
  X(destroy, nvrtcDestroyProgram, none, Result(Compilation*))                                                         \
  X(compile, nvrtcCompileProgram, none, Result(Compilation, int, const char* const*))                                 \
  X(log_size, nvrtcGetProgramLogSize, none, Result(Compilation, std::size_t*))                                        \
  X(log, nvrtcGetProgramLog, none, Result(Compilation, char*))                                                        \
  X(image_size, nvrtcGetCUBINSize, none, Result(Compilation, std::size_t*))                                           \
  X(image, nvrtcGetCUBIN, none, Result(Compilation, char*))

#define EXTREMUM_FIELD(field, symbol, second, ...) std::add_pointer_t<__VA_ARGS__> field = nullptr;
struct Driver {
  EXTREMUM_DRIVER_FUNCTIONS(EXTREMUM_FIELD)
};
struct Compiler {
  EXTREMUM_COMPILER_FUNCTIONS(EXTREMUM_FIELD)
};
#undef EXTREMUM_FIELD

// X(name, NVIDIA's name, value)
#define EXTREMUM_CUDA_CONSTANTS(X)                                                         \
  X(kSuccess, CUDA_SUCCESS, 0)                                                             \
  X(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY, 2)                                             \
  X(kDeinitialized, CUDA_ERROR_DEINITIALIZED, 4)                                           \
  X(kStubLibrary, CUDA_ERROR_STUB_LIBRARY, 34)                                             \
  X(kNoDevice, CUDA_ERROR_NO_DEVICE, 100)                                                  \
  X(kInvalidImage, CUDA_ERROR_INVALID_IMAGE, 200)                                          \
  X(kInvalidContext, CUDA_ERROR_INVALID_CONTEXT, 201)                                      \
  X(kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                    \
  X(kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE, 214)                                  \
  X(kInvalidPtx, CUDA_ERROR_INVALID_PTX, 218)                                              \
  X(kNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)                            \
  X(kUnsupportedPtx, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)                              \
  X(kInvalidSource, CUDA_ERROR_INVALID_SOURCE, 300)                                        \
  X(kNotFound, CUDA_ERROR_NOT_FOUND, 500)                                                  \
  X(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS, 700)                                      \
  X(kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                        \
  X(kContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                             \
  X(kAssert, CUDA_ERROR_ASSERT, 710)                                                       \
  X(kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                             \
  X(kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                              \
  X(kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS, 716)                                \
  X(kInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                           \
  X(kInvalidPc, CUDA_ERROR_INVALID_PC, 718)                                                \
  X(kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED, 719)                                          \
  X(kSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY, 802)                                     \
  X(kSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803)                         \
  X(kUnknown, CUDA_ERROR_UNKNOWN, 999)                                                     \
  X(kMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                        \
  X(kThreadsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)     \
  X(kCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                    \
  X(kCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                    \
  X(kFunctionThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)                          \
  X(kFunctionLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)                            \
  X(kFunctionRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                     \
  X(kNonBlockingStream, CU_STREAM_NON_BLOCKING, 1)                                         \
  X(kCompilationFailed, NVRTC_ERROR_COMPILATION, 6)                                        \
  X(kBuiltinsFailed, NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)

#define EXTREMUM_CONSTANT(name, theirs, value) inline constexpr int name = value;
EXTREMUM_CUDA_CONSTANTS(EXTREMUM_CONSTANT)
#undef EXTREMUM_CONSTANT

}  // namespace extremum::cuda
