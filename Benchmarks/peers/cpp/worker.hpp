// What the C++ workers share: the workload's files, the clock and the protocol, see ../README.md.
#pragma once

#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using Numbers = std::vector<double>;

// A file of doubles, or nothing where it cannot be read.
inline Numbers numbers(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  Numbers result(static_cast<size_t>(file.tellg()) / sizeof(double));
  file.seekg(0);
  file.read(reinterpret_cast<char *>(result.data()),
            static_cast<std::streamsize>(result.size() * sizeof(double)));
  return result;
}

struct Workload {
  explicit Workload(const std::string &folder)
      : folder(folder),
        anchors(numbers(folder + "/anchors.f64")),
        ranges(numbers(folder + "/ranges.f64")),
        clean(numbers(folder + "/clean.f64")),
        series(numbers(folder + "/series.f64")),
        bank(numbers(folder + "/bank.f64")),
        walk(numbers(folder + "/walk.f64")) {}
  std::string folder;
  Numbers anchors, ranges, clean, series, bank, walk;
};

inline double processSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What a task leaves: its results, or what makes them of it when the clock has stopped.
struct Outcome {
  Outcome(Numbers results) : results(std::move(results)) {}
  Outcome(std::function<Numbers()> later) : later(std::move(later)) {}
  Numbers results;
  std::function<Numbers()> later;
};

// A task works through the first `items` items.
using Task = std::function<Outcome(const Workload &, size_t items)>;

// Answers "task items file" lines on standard input until it ends.
inline int serve(int argc, char **argv, const std::map<std::string, Task> &tasks) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 64;
  }
  const Workload workload(argv[1]);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream fields(line);
    std::string name, path;
    size_t items = 0;
    fields >> name >> items >> path;
    const auto task = tasks.find(name);
    if (task == tasks.end()) {
      std::printf("{\"error\": \"no such task\"}\n");
    } else {
      const double start = processSeconds();
      const Outcome outcome = task->second(workload, items);
      const double seconds = processSeconds() - start;
      const Numbers result = outcome.later ? outcome.later() : outcome.results;
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char *>(result.data()),
                 static_cast<std::streamsize>(result.size() * sizeof(double)));
      std::printf("{\"seconds\": %.9f}\n", seconds);
    }
    std::fflush(stdout);
  }
  return 0;
}
