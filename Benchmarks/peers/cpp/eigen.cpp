// The tasks with Eigen's fixed-size matrices, as a C++ programmer would write them.
#include <Eigen/Dense>

#include "worker.hpp"

namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Vector6d = Eigen::Matrix<double, 6, 1>;

constexpr int kAnchors = 8;

using Anchors = Eigen::Matrix<double, 3, kAnchors>;
using Ranges = Eigen::Matrix<double, kAnchors, 1>;

Anchors anchors(const Workload &work) { return Eigen::Map<const Anchors>(work.anchors.data()); }

template <typename Vector>
void store(double *place, const Vector &vector) {
  Eigen::Map<Vector> target(place);
  target = vector;
}

// Gauss-Newton from the mean of the anchors; `Solve` gives the step from Jacobian and residuals.
template <typename Solve>
Numbers gaussNewton(const Workload &work, size_t items, Solve solve) {
  const Anchors at = anchors(work);
  const Vector3d start = at.rowwise().mean();
  Numbers result(3 * items);
  Eigen::Matrix<double, kAnchors, 3> jacobian;
  for (size_t epoch = 0; epoch < items; ++epoch) {
    const Eigen::Map<const Ranges> ranges(&work.ranges[kAnchors * epoch]);
    Vector3d position = start;
    for (int iteration = 0; iteration < 50; ++iteration) {
      Ranges residuals;
      for (int i = 0; i < kAnchors; ++i) {
        const Vector3d offset = position - at.col(i);
        const double distance = offset.norm();
        jacobian.row(i) = offset.transpose() / distance;
        residuals[i] = ranges[i] - distance;
      }
      const Vector3d step = solve(jacobian, residuals);
      position += step;
      if (step.squaredNorm() < 1e-12) break;
    }
    store<Vector3d>(&result[3 * epoch], position);
  }
  return result;
}

Numbers trilaterationLdlt(const Workload &work, size_t items) {
  return gaussNewton(work, items, [](const auto &jacobian, const auto &residuals) -> Vector3d {
    const Matrix3d information = jacobian.transpose() * jacobian;
    return information.ldlt().solve(jacobian.transpose() * residuals);
  });
}

Numbers trilaterationQr(const Workload &work, size_t items) {
  return gaussNewton(work, items, [](const auto &jacobian, const auto &residuals) -> Vector3d {
    return jacobian.colPivHouseholderQr().solve(residuals);
  });
}

// Differences of squares against anchor 0, one factorisation per epoch.
Numbers linear(const Workload &work, size_t items) {
  const Anchors at = anchors(work);
  Eigen::Matrix<double, kAnchors - 1, 3> matrix;
  Eigen::Matrix<double, kAnchors - 1, 1> offset;
  for (int i = 1; i < kAnchors; ++i) {
    matrix.row(i - 1) = 2 * (at.col(i) - at.col(0)).transpose();
    offset[i - 1] = at.col(i).squaredNorm() - at.col(0).squaredNorm();
  }
  Numbers result(3 * items);
  for (size_t epoch = 0; epoch < items; ++epoch) {
    const Eigen::Map<const Ranges> ranges(&work.ranges[kAnchors * epoch]);
    const Eigen::Matrix<double, kAnchors - 1, 1> side =
        (offset.array() - ranges.tail<kAnchors - 1>().array().square() + ranges[0] * ranges[0]);
    store<Vector3d>(&result[3 * epoch], matrix.colPivHouseholderQr().solve(side));
  }
  return result;
}

Numbers kf2(const Workload &work, size_t items) {
  constexpr double dt = 0.1, power = 0.25, noise = 0.01;
  Matrix2d transition, added, covariance;
  transition << 1, dt, 0, 1;
  added << dt * dt * dt / 3, dt * dt / 2, dt * dt / 2, dt;
  added *= power;
  covariance << 100, 0, 0, 10;
  const Eigen::RowVector2d observation(1, 0);
  Vector2d mean = Vector2d::Zero();
  Numbers result(2 * items);
  for (size_t k = 0; k < items; ++k) {
    const Vector2d cross = covariance * observation.transpose();
    const double variance = observation * cross + noise;
    const Vector2d gain = cross / variance;
    mean += gain * (work.series[k] - observation * mean);
    const Matrix2d remainder = Matrix2d::Identity() - gain * observation;
    covariance = (remainder * covariance).eval();
    store<Vector2d>(&result[2 * k], mean);
    mean = (transition * mean).eval();
    covariance = (transition * covariance * transition.transpose() + added).eval();
  }
  return result;
}

// The extended filter of position and velocity in space.
struct SpaceFilter {
  Matrix6d transition = Matrix6d::Identity(), added = Matrix6d::Zero(), covariance = Matrix6d::Zero();
  Vector6d mean;

  explicit SpaceFilter(double dt) {
    constexpr double power = 0.25;
    transition.topRightCorner<3, 3>().diagonal().setConstant(dt);
    added.topLeftCorner<3, 3>().diagonal().setConstant(power * dt * dt * dt / 3);
    added.topRightCorner<3, 3>().diagonal().setConstant(power * dt * dt / 2);
    added.bottomLeftCorner<3, 3>().diagonal().setConstant(power * dt * dt / 2);
    added.bottomRightCorner<3, 3>().diagonal().setConstant(power * dt);
    covariance.topLeftCorner<3, 3>().diagonal().setConstant(25);
    covariance.bottomRightCorner<3, 3>().diagonal().setConstant(4);
    mean << 10, 7.5, 1.2, 0, 0, 0;
  }

  void predict() {
    mean = (transition * mean).eval();
    covariance = (transition * covariance * transition.transpose() + added).eval();
    // Rounding makes it a little asymmetric, and the updates would let that grow.
    covariance = (0.5 * (covariance + covariance.transpose())).eval();
  }

  void update(double range, const Vector3d &anchor) {
    constexpr double noise = 0.01;
    const Vector3d offset = mean.head<3>() - anchor;
    const double distance = offset.norm();
    Eigen::Matrix<double, 1, 6> observation = Eigen::Matrix<double, 1, 6>::Zero();
    observation.head<3>() = offset.transpose() / distance;
    const Vector6d cross = covariance * observation.transpose();
    const double variance = observation * cross + noise;
    const Vector6d gain = cross / variance;
    mean += gain * (range - distance);
    covariance -= (gain * cross.transpose()).eval();
  }
};

Numbers ekf6(const Workload &work, size_t items) {
  const Anchors at = anchors(work);
  SpaceFilter filter(0.1);
  const size_t epochs = items / kAnchors;
  Numbers result(6 * epochs);
  for (size_t epoch = 0; epoch < epochs; ++epoch) {
    filter.predict();
    for (int i = 0; i < kAnchors; ++i)
      filter.update(work.ranges[kAnchors * epoch + static_cast<size_t>(i)], at.col(i));
    store<Vector6d>(&result[6 * epoch], filter.mean);
  }
  return result;
}

// Position and velocity in space at every instant, which so many ranges share: the extended filter
// forwards, Rauch, Tung and Striebel's smoother backwards.
Numbers smooth(const Workload &work, const Numbers &ranges, size_t each, size_t items) {
  const size_t count = items / each;
  const Anchors at = anchors(work);
  SpaceFilter filter(0.0125 * static_cast<double>(each));
  struct Step {
    Vector6d predicted, mean;
    Matrix6d predictedCovariance, covariance;
  };
  std::vector<Step> steps(count);
  for (size_t k = 0; k < count; ++k) {
    Step &step = steps[k];
    filter.predict();
    step.predicted = filter.mean;
    step.predictedCovariance = filter.covariance;
    for (size_t i = each * k; i < each * (k + 1); ++i)
      filter.update(ranges[i], at.col(static_cast<int>(i % kAnchors)));
    step.mean = filter.mean;
    step.covariance = filter.covariance;
  }
  Numbers result(3 * count);
  Vector6d mean = filter.mean;
  Matrix6d covariance = filter.covariance;
  for (size_t k = count; k-- > 0;) {
    const Step &step = steps[k];
    if (k + 1 < count) {
      const Step &next = steps[k + 1];
      const Matrix6d gain =
          next.predictedCovariance.llt().solve(filter.transition * step.covariance).transpose();
      mean = (step.mean + gain * (mean - next.predicted)).eval();
      covariance =
          (step.covariance + gain * (covariance - next.predictedCovariance) * gain.transpose()).eval();
    }
    store<Vector3d>(&result[3 * k], mean.head<3>());
  }
  return result;
}

Numbers smoother(const Workload &work, size_t items) { return smooth(work, work.ranges, 8, items); }
Numbers smootherApart(const Workload &work, size_t items) { return smooth(work, work.walk, 1, items); }

}  // namespace

int main(int argc, char **argv) {
  return serve(argc, argv,
               {{"trilateration-ldlt", trilaterationLdlt},
                {"trilateration-qr", trilaterationQr},
                {"linear", linear},
                {"kf2", kf2},
                {"ekf6", ekf6},
                {"smoother", smoother},
                {"smoother-apart", smootherApart}});
}
