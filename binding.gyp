# The addon by node-gyp: the second way to build what CMakeLists.txt builds. Keep the lists of sources and flags equal.
{
  "variables": {
    "float_flags": ["-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"],
    "common_flags": ["-std=c++20", "-O3", "-fvisibility=hidden"],
  },
  "target_defaults": {
    "include_dirs": ["native/include", "native"],
    "cflags_cc!": ["-std=gnu++17", "-std=gnu++20", "-fno-exceptions", "-fno-rtti", "-O2"],
    "cflags!": ["-O2"],
    "cflags_cc": ["<@(common_flags)", "-fexceptions", "-fPIC"],
    "xcode_settings": {
      "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
      "CLANG_CXX_LANGUAGE_STANDARD": "c++20",
      "OTHER_CPLUSPLUSFLAGS": ["<@(common_flags)", "<@(float_flags)"],
    },
  },
  "targets": [
    {
      "target_name": "extremum",
      # build-native.mjs makes it extremum.node, in one step.
      "product_name": "extremum-draft",
      "sources": ["native/addon/addon.cpp", "native/addon/cuda.cpp", "native/addon/cuda_population.cpp"],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")"],
      "defines": ["NAPI_VERSION=8", "NAPI_CPP_EXCEPTIONS", "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"],
      "dependencies": ["extremum_core"],
    },
    {
      "target_name": "extremum_core",
      "type": "static_library",
      "cflags_cc": ["<@(float_flags)"],
      "sources": [
        "native/assignment/tabu_search.cpp",
        "native/core/elements.cpp",
        "native/core/evaluator.cpp",
        "native/core/program.cpp",
        "native/core/thread_pool.cpp",
        "native/cuda/host.cpp",
        "native/cuda/kernel.cpp",
        "native/cuda/libraries.cpp",
        "native/cuda/population.cpp",
        "native/jit/assembler.cpp",
        "native/jit/compiler.cpp",
        "native/jit/operations.cpp",
        "native/jit/reciprocal.cpp",
        "native/jit/schedule.cpp",
        "native/jit/streams.cpp",
        "native/linalg/linalg.cpp",
        "native/linalg/linalg_scalar.cpp",
        "native/routing/plain_search.cpp",
        "native/routing/genetic.cpp",
        "native/routing/local_search.cpp",
        "native/routing/problem.cpp",
        "native/routing/routing.cpp",
        "native/routing/ruin.cpp",
        "native/routing/solution.cpp",
        "native/routing/tour.cpp",
        "native/simd/dispatch.cpp",
        "native/simd/target_neon.cpp",
        "native/simd/target_scalar.cpp",
      ],
      "conditions": [
        ["target_arch=='x64'", {
          "defines": ["EXTREMUM_X86_TARGETS"],
          "dependencies": ["extremum_avx2", "extremum_avx512"],
          "export_dependent_settings": ["extremum_avx2", "extremum_avx512"],
        }],
      ],
    },
  ],
  "conditions": [
    ["target_arch=='x64'", {
      "targets": [
        {
          "target_name": "extremum_avx2",
          "type": "static_library",
          "cflags_cc": ["<@(float_flags)", "-mavx2"],
          "xcode_settings": {"OTHER_CPLUSPLUSFLAGS": ["-mavx2"]},
          "sources": ["native/linalg/linalg_avx2.cpp", "native/simd/target_avx2.cpp"],
        },
        {
          "target_name": "extremum_avx512",
          "type": "static_library",
          "cflags_cc": ["<@(float_flags)", "-mavx512f", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512"],
          "xcode_settings": {"OTHER_CPLUSPLUSFLAGS": ["-mavx512f", "-mavx512dq", "-mavx512vl"]},
          "sources": ["native/linalg/linalg_avx512.cpp", "native/simd/target_avx512.cpp"],
        },
      ],
    }],
  ],
}
