// What one link goes through in `fathom process`, by hand: the smoothed distance with its standard
// deviation, the verdict on its freshest distances, zones, and what it loses, repeats and scatters over
// windows of five seconds. With the defaults, for time stamps in order.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

// A Kalman filter of distance and rate, which starts anew after a gap.
class LinkSmoother {
 public:
  double distance = 0, sigma = 0;

  void update(double measured, int64_t now) {
    const double interval = 1e-9 * static_cast<double>(now - last_);
    if (!isStarted_ || interval > kLongestGap) {
      distance = measured;
      rate_ = covariance_ = 0;
      variance_ = kNoise;
      rateVariance_ = kRateSigma * kRateSigma;
      lag_ = 0;
      rateLag_ = 1;
      isStarted_ = true;
    } else {
      distance += interval * rate_;
      lag_ += interval * rateLag_;
      variance_ += interval * (2 * covariance_ + interval * rateVariance_);
      covariance_ += interval * rateVariance_;
      const double power = kDensity * kDensity * interval;
      variance_ += power * interval * interval / 3;
      covariance_ += power * interval / 2;
      rateVariance_ += power;

      const double inverse = 1 / (variance_ + kNoise);
      const double gain = variance_ * inverse, rateGain = covariance_ * inverse;
      const double residual = measured - distance;
      distance += gain * residual;
      rate_ += rateGain * residual;
      rateLag_ -= rateGain * lag_;
      lag_ -= gain * lag_;
      if (std::fabs(lag_) < 1e-100 && std::fabs(rateLag_) < 1e-100) lag_ = rateLag_ = 0;
      rateVariance_ += rateGain * (rateGain * (variance_ + kNoise) - 2 * covariance_);
      rateVariance_ = rateVariance_ > 0 ? rateVariance_ : 0;
      covariance_ = (1 - gain) * (covariance_ - rateGain * variance_) + gain * kNoise * rateGain;
      variance_ = (1 - gain) * (1 - gain) * variance_ + gain * gain * kNoise;
    }
    last_ = now;
    sigma = std::sqrt(variance_);
  }

 private:
  static constexpr double kNoise = 0.01, kDensity = 0.5, kRateSigma = 1.5, kLongestGap = 2;
  double rate_ = 0, variance_ = 0, covariance_ = 0, rateVariance_ = 0, lag_ = 0, rateLag_ = 1;
  int64_t last_ = 0;
  bool isStarted_ = false;
};

// Good or close with nine different distances in two seconds, the newest below 50 or 10 m.
class LinkVerdict {
 public:
  enum Value { unknown, good, close };

  Value update(float distance, int64_t now) {
    if (count_ == 0 || fresh_[slot(count_ - 1)].distance != distance) {
      if (count_ == kNeeded) {
        fresh_[first_] = {now, distance};
        first_ = slot(1);
      } else {
        fresh_[slot(count_++)] = {now, distance};
      }
    }
    while (count_ > 0 && fresh_[first_].time < now - 2'000'000'000) {
      first_ = slot(1);
      --count_;
    }
    if (count_ < kNeeded) return unknown;
    const float last = fresh_[slot(count_ - 1)].distance;
    return last <= 10 ? close : last < 50 ? good : unknown;
  }

 private:
  static constexpr size_t kNeeded = 9;
  struct Fresh {
    int64_t time;
    float distance;
  };
  std::array<Fresh, kNeeded> fresh_;
  size_t first_ = 0, count_ = 0;

  size_t slot(size_t index) const {
    const size_t place = first_ + index;
    return place < kNeeded ? place : place - kNeeded;
  }
};

// Zones of 3 and 1.5 m, entered below that and left 0.3 m beyond it, both after half a second; all of
// them after two seconds of silence.
class LinkZones {
 public:
  int depth = 0;

  void update(double distance, int64_t now) {
    if (isStarted_ && now - last_ > 2'000'000'000) {
      depth = 0;
      since_[0] = since_[1] = kNever;
    }
    isStarted_ = true;
    last_ = now;
    const int before = depth;
    for (int zone = 0; zone < 2; ++zone) {
      const bool holds = zone < before;
      const bool isBeyond =
          holds ? distance >= kRadius[zone] + 0.3 : distance < kRadius[zone];
      if (!isBeyond) {
        since_[zone] = kNever;
        continue;
      }
      if (since_[zone] == kNever) since_[zone] = now;
      if (now - since_[zone] < 500'000'000) continue;
      since_[zone] = kNever;
      depth += holds ? -1 : 1;
    }
  }

 private:
  static constexpr double kRadius[2] = {3, 1.5};
  static constexpr int64_t kNever = INT64_MIN;
  int64_t since_[2] = {kNever, kNever}, last_ = 0;
  bool isStarted_ = false;
};

// Loss, repeats and scatter over the last five seconds, 512 ranges at most.
class LinkStatistics {
 public:
  // Means over the windows judged.
  double loss = 0, hold = 0, spread = 0;
  size_t judged = 0;

  void record(double distance, int64_t now) {
    if (count_ == 0 && judged == 0) next_ = now;
    if (now >= next_) {
      judge(next_);
      next_ = now + kWindow;
    }
    remove(now);
    if (count_ == kCapacity) removeFirst();
    samples_[slot(count_++)] = {now, distance};
  }

  // Judges the window that ends at `now`, in which enough ranges came.
  void judge(int64_t now) {
    remove(now);
    if (count_ < 5) return;
    size_t intervals = 0, changes = 0;
    Sample before = samples_[first_];
    changes_[changes++] = before;
    for (size_t index = 1; index < count_; ++index) {
      const Sample &sample = samples_[slot(index)];
      changes_[changes] = sample;
      changes += sample.distance != before.distance;
      scratch_[intervals] = 1e-9 * static_cast<double>(sample.time - before.time);
      intervals += sample.time > before.time;
      before = sample;
    }
    if (intervals < 4 || changes < 5) return;
    hold += static_cast<double>(count_ - changes) / static_cast<double>(count_ - 1);
    const double usual = median(intervals);
    double missing = 0;
    const auto missed = [&](double interval) {
      if (interval >= 1.4 * usual) missing += std::max(std::round(interval / usual) - 1, 0.0);
    };
    for (size_t index = 0; index < intervals; ++index) missed(scratch_[index]);
    missed(1e-9 * static_cast<double>(now - before.time));
    if (hasPrevious_) {
      const int64_t first = samples_[first_].time;
      missed(1e-9 * static_cast<double>(std::min(first - previous_, kWindow - (now - first))));
    }
    loss += missing / (missing + static_cast<double>(intervals + 1));
    for (size_t index = 0; index + 2 < changes; ++index) {
      const Sample &left = changes_[index], &middle = changes_[index + 1], &right = changes_[index + 2];
      const auto span = static_cast<double>(right.time - left.time);
      const double share = span > 0 ? static_cast<double>(middle.time - left.time) / span : 0.5;
      const double line = left.distance + (right.distance - left.distance) * share;
      scratch_[index] = std::fabs(middle.distance - line) /
                        std::sqrt(1 + share * share + (1 - share) * (1 - share));
    }
    spread += 1.4826 * median(changes - 2);
    ++judged;
  }

 private:
  static constexpr int64_t kWindow = 5'000'000'000;
  static constexpr size_t kCapacity = 512;
  struct Sample {
    int64_t time;
    double distance;
  };
  std::array<Sample, kCapacity> samples_, changes_;
  std::array<double, kCapacity> scratch_;
  size_t first_ = 0, count_ = 0;
  int64_t next_ = 0, previous_ = 0;
  bool hasPrevious_ = false;

  size_t slot(size_t index) const { return (first_ + index) % kCapacity; }
  void removeFirst() {
    previous_ = samples_[first_].time;
    hasPrevious_ = true;
    first_ = slot(1);
    --count_;
  }
  void remove(int64_t now) {
    while (count_ > 0 && now - samples_[first_].time > kWindow) removeFirst();
  }
  double median(size_t count) {
    const auto middle = scratch_.begin() + static_cast<ptrdiff_t>((count - 1) / 2);
    std::nth_element(scratch_.begin(), middle, scratch_.begin() + static_cast<ptrdiff_t>(count));
    return *middle;
  }
};

struct Link {
  LinkSmoother smoother;
  LinkVerdict verdict;
  LinkZones zones;
  LinkStatistics statistics;
};
