// Fathom from C++17: owners of the handles of fathom.h, and exceptions for its statuses.

#ifndef FATHOM_HPP
#define FATHOM_HPP

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fathom.h"

namespace fathom {

// A failed call: its status and the message of fathom_last_error.
class error : public std::runtime_error {
 public:
  error(int32_t status, const char *reason) : std::runtime_error(reason), status_(status) {}
  int32_t status() const { return status_; }

 private:
  int32_t status_;
};

inline void check(int32_t status) {
  if (status != FATHOM_OK) throw error(status, fathom_last_error());
}

namespace detail {

struct releaser {
  void operator()(fathom_recording *handle) const { fathom_recording_free(handle); }
  void operator()(fathom_result *handle) const { fathom_result_free(handle); }
  void operator()(fathom_tracker *handle) const { fathom_tracker_free(handle); }
  void operator()(fathom_truth *handle) const { fathom_truth_free(handle); }
  void operator()(char *text) const { fathom_text_free(text); }
};

template <typename Handle>
using owner = std::unique_ptr<Handle, releaser>;

inline const char *c_string(const std::string &text) { return text.empty() ? nullptr : text.c_str(); }

inline std::string taken(char *text, int64_t count = -1) {
  owner<char> owned(text);
  return count < 0 ? std::string(text) : std::string(text, static_cast<size_t>(count));
}

}  // namespace detail

// Anchors in columns, for as long as a call needs them.
class anchors {
 public:
  void add(std::string name, double x, double y, double z) {
    names_.push_back(std::move(name));
    x_.push_back(x);
    y_.push_back(y);
    z_.push_back(z);
  }

  size_t size() const { return names_.size(); }

  fathom_anchors view() const {
    pointers_.clear();
    for (const auto &name : names_) pointers_.push_back(name.c_str());
    fathom_anchors view{};
    view.count = static_cast<int64_t>(names_.size());
    view.name = pointers_.data();
    view.x_m = x_.data();
    view.y_m = y_.data();
    view.z_m = z_.data();
    return view;
  }

 private:
  std::vector<std::string> names_;
  std::vector<double> x_, y_, z_;
  mutable std::vector<const char *> pointers_;
};

// The results of a recording. Columns are pointers into it.
class result {
 public:
  explicit result(fathom_result *handle) : handle_(handle) {}

  fathom_positions positions() const {
    fathom_positions view{};
    check(fathom_result_positions(handle_.get(), &view));
    return view;
  }

  fathom_distances distances() const {
    fathom_distances view{};
    check(fathom_result_distances(handle_.get(), &view));
    return view;
  }

  std::string summary() const {
    char *text = nullptr;
    check(fathom_result_summary(handle_.get(), &text));
    return detail::taken(text);
  }

  // The text of a file of results, such as FATHOM_POSITIONS.
  std::string text(int32_t table) const {
    char *text = nullptr;
    int64_t count = 0;
    check(fathom_result_text(handle_.get(), table, &text, &count));
    return detail::taken(text, count);
  }

  const fathom_result *get() const { return handle_.get(); }

 private:
  detail::owner<fathom_result> handle_;
};

// Ranges with their anchors.
class recording {
 public:
  explicit recording(fathom_recording *handle) : handle_(handle) {}

  // Reads a folder, a ranges file or a device log.
  static recording read(
      const std::string &path, const std::string &anchors = "", const std::string &options = "") {
    fathom_recording *handle = nullptr;
    check(fathom_recording_read(
        path.c_str(), detail::c_string(anchors), detail::c_string(options), &handle));
    return recording(handle);
  }

  // Copies rows in memory; metadata is JSON with the keys of recording.json.
  static recording create(
      const std::string &name, const fathom_ranges &ranges, const anchors &anchors,
      const std::string &metadata = "") {
    fathom_recording *handle = nullptr;
    const fathom_anchors view = anchors.view();
    check(fathom_recording_create(
        name.c_str(), &ranges, &view, detail::c_string(metadata), &handle));
    return recording(handle);
  }

  // Computes positions and smoothed distances; settings are JSON, such as {"method": "smooth"}.
  result process(
      const std::string &settings = "", fathom_progress progress = nullptr,
      void *context = nullptr) const {
    fathom_result *found = nullptr;
    check(fathom_process(handle_.get(), detail::c_string(settings), progress, context, &found));
    return result(found);
  }

  std::string info() const {
    char *text = nullptr;
    check(fathom_recording_info(handle_.get(), &text));
    return detail::taken(text);
  }

  const fathom_recording *get() const { return handle_.get(); }

 private:
  detail::owner<fathom_recording> handle_;
};

// The track of one tag, range by range.
class tracker {
 public:
  explicit tracker(const anchors &anchors, const std::string &settings = "") {
    fathom_tracker *handle = nullptr;
    const fathom_anchors view = anchors.view();
    check(fathom_tracker_create(&view, detail::c_string(settings), &handle));
    handle_.reset(handle);
  }

  // Processes a range to the anchor of an index, and returns its outcome, such as "used".
  const char *update(
      int64_t time_ns, int32_t anchor, double distance_m,
      double sigma_m = std::numeric_limits<double>::quiet_NaN()) {
    int32_t outcome = 0;
    check(fathom_tracker_update(handle_.get(), time_ns, anchor, distance_m, sigma_m, &outcome));
    return fathom_word(FATHOM_OUTCOME, outcome);
  }

  // Processes a measurement of any kind, and returns its outcome.
  const char *update(const fathom_measurement &measurement) {
    int32_t outcome = 0;
    check(fathom_tracker_measure(handle_.get(), 1, &measurement, &outcome));
    return fathom_word(FATHOM_OUTCOME, outcome);
  }

  // Returns the estimate at a time; none before the start.
  std::optional<fathom_estimate> estimate(int64_t time_ns) const {
    fathom_estimate found{};
    const int32_t status = fathom_tracker_estimate(handle_.get(), time_ns, &found);
    if (status == -1) return std::nullopt;
    check(status);
    return found;
  }

  void reset() { check(fathom_tracker_reset(handle_.get())); }

 private:
  detail::owner<fathom_tracker> handle_;
};

}  // namespace fathom

#endif
