// What both stand-in libraries have: faults on demand, and a report at the end of the process.
//
// STAND_IN_FAULTS: `call:nth:code`, several separated by commas. The nth call of that function (from 1; 0: every one)
// gives the code instead of doing its work. Calls are counted anew when the setting changes.
// STAND_IN_REPORT: a file to which each library adds one line of JSON.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <atomic>
#include <map>
#include <mutex>
#include <sstream>
#include <string>

#define STAND_IN_API extern "C" __attribute__((visibility("default")))

namespace stand_in {

inline std::string setting(const char *name, const std::string &otherwise) {
  const char *const value = std::getenv(name);
  return value && *value ? value : otherwise;
}

// Faults that were given.
inline std::atomic<int> faults{0};

// The code of this call of `name`; 0: it does its work. Counts the calls.
inline int fault(const std::string &name) {
  static std::mutex mutex;
  static std::map<std::string, int> calls;
  static std::string wanted;
  const std::lock_guard lock(mutex);
  const std::string now = setting("STAND_IN_FAULTS", "");
  if (now != wanted) calls.clear();
  wanted = now;
  const int call = ++calls[name];
  std::istringstream rest(wanted);
  for (std::string each; std::getline(rest, each, ',');) {
    const std::size_t first = each.find(':'), second = each.find(':', first + 1);
    const int nth = std::atoi(each.substr(first + 1, second - first - 1).c_str());
    if (each.substr(0, first) != name || (nth != 0 && nth != call)) continue;
    ++faults;
    return std::atoi(each.substr(second + 1).c_str());
  }
  return 0;
}

inline void report(const std::string &line) {
  const std::string path = setting("STAND_IN_REPORT", "");
  if (path.empty()) return;
  if (std::FILE *const file = std::fopen(path.c_str(), "a")) {
    std::fputs((line + "\n").c_str(), file);
    std::fclose(file);
  }
}

}  // namespace stand_in
