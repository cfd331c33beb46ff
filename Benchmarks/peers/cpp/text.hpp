// Text in and out of the floor of `fathom process --method filter`.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

// Names of up to eight bytes, numbered as they come.
struct Names {
  std::vector<uint64_t> keys;
  std::vector<std::string> names;
  size_t last = 0;
  size_t number(std::string_view name) {
    uint64_t key = 0;
    std::memcpy(&key, name.data(), name.size() < 8 ? name.size() : 8);
    if (last < keys.size() && keys[last] == key) return last;
    for (last = 0; last < keys.size(); ++last)
      if (keys[last] == key) return last;
    keys.push_back(key);
    names.emplace_back(name);
    return last;
  }
};

// Text on its way to a file, a megabyte at a time.
class Output {
 public:
  Output(const std::string &path, const char *header)
      : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644)), buffer_(1 << 20) {
    XXH64_reset(&sum_, 0);
    text(header, std::strlen(header));
  }
  ~Output() {
    flush();
    close(file_);
  }
  void row() {
    if (end_ + 512 > buffer_.size()) flush();
  }
  void text(const char *bytes, size_t count) {
    std::memcpy(&buffer_[end_], bytes, count);
    end_ += count;
  }
  void text(const std::string &bytes) { text(bytes.data(), bytes.size()); }
  void byte(char value) { buffer_[end_++] = value; }
  // `value` with so many decimals, which are `scale` apart, to the nearest; large ones by the library.
  void decimal(double value, int decimals, double scale) {
    if (!(std::fabs(value) < 1e9)) {
      char *begin = &buffer_[end_];
      end_ += static_cast<size_t>(
          std::to_chars(begin, begin + 400, value, std::chars_format::fixed, decimals).ptr - begin);
      return;
    }
    const auto units = static_cast<int64_t>(std::llrint(std::fabs(value) * scale));
    if (value < 0 && units != 0) byte('-');
    const auto factor = static_cast<int64_t>(scale);
    whole(static_cast<uint64_t>(units / factor));
    byte('.');
    fraction(static_cast<uint64_t>(units % factor), decimals);
  }
  void whole(uint64_t value) {
    char *begin = &buffer_[end_];
    end_ += static_cast<size_t>(std::to_chars(begin, begin + 20, value).ptr - begin);
  }
  void fraction(uint64_t value, int digits) {
    for (int i = digits - 1; i >= 0; --i, value /= 10)
      buffer_[end_ + static_cast<size_t>(i)] = static_cast<char>('0' + value % 10);
    end_ += static_cast<size_t>(digits);
  }
  void flush() {
    for (size_t done = 0; done < end_;) {
      const ssize_t count = write(file_, &buffer_[done], end_ - done);
      if (count <= 0) std::exit(74);
      done += static_cast<size_t>(count);
    }
    XXH64_update(&sum_, buffer_.data(), end_);
    end_ = 0;
  }
  uint64_t checkSum() {
    flush();
    return XXH64_digest(&sum_);
  }

 private:
  int file_;
  XXH64_state_t sum_;
  std::vector<char> buffer_;
  size_t end_ = 0;
};

[[noreturn]] inline void endAtBadRow(const char *at, const char *begin) {
  std::fprintf(stderr, "no row of ranges at byte %td\n", at - begin);
  std::exit(65);
}

// The plain decimal numbers and names of a text that is known to end with a line.
struct Cells {
  const char *at, *const begin;

  bool isDigit() const { return static_cast<unsigned char>(*at - '0') < 10; }

  // A number times 10 to the nine, of 18 digits at most, and `separator` after it.
  int64_t number(char separator) {
    static constexpr int64_t kPower[] = {1,         10,         100,         1'000,        10'000,
                                         100'000,   1'000'000,  10'000'000,  100'000'000,  1'000'000'000};
    const char *const start = at;
    int64_t digits = 0;
    for (; isDigit(); ++at) digits = 10 * digits + (*at - '0');
    const ptrdiff_t whole = at - start;
    ptrdiff_t decimals = 0;
    if (*at == '.') {
      const char *const point = at++;
      for (; isDigit(); ++at) digits = 10 * digits + (*at - '0');
      decimals = at - point - 1;
    }
    if (whole + decimals == 0 || whole > 9 || decimals > 9 || *at != separator) endAtBadRow(at, begin);
    ++at;
    return digits * kPower[9 - decimals];
  }

  // The bytes up to a comma, eight at most.
  std::string_view name() {
    const char *const start = at;
    while (*at != ',' && *at != '\n') ++at;
    const auto length = static_cast<size_t>(at - start);
    if (*at != ',' || length == 0 || length > 8) endAtBadRow(start, begin);
    ++at;
    return {start, length};
  }
};

struct Text {
  const char *begin = nullptr, *end = nullptr;
  explicit Text(const std::string &path) {
    const int file = open(path.c_str(), O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) return;
    const auto size = static_cast<size_t>(status.st_size);
    void *map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    close(file);
    if (map == MAP_FAILED) return;
    begin = static_cast<const char *>(map);
    end = begin + size;
  }
};

inline const char *behindLine(const char *at) {
  while (*at++ != '\n') {}
  return at;
}
