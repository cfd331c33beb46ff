// Robust positions with Eigen's fixed-size matrices: what a careful C++ programmer would write for
// ranges of which some are late.
#include <Eigen/Dense>
#include <cmath>

#include "worker.hpp"

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int kAnchors = 8;
constexpr double kSigma = 0.10;   // metres
constexpr double kTuning = 2.385;  // standard deviations

using Anchors = Eigen::Matrix<double, 3, kAnchors>;
using Ranges = Eigen::Matrix<double, kAnchors, 1>;

// Cost, gradient and information JtWJ of Cauchy's loss at a position.
struct Expansion {
  double cost = 0;
  Vector3d descent = Vector3d::Zero();
  Matrix3d information = Matrix3d::Zero();

  Expansion(const Anchors &anchors, const Eigen::Map<const Ranges> &ranges, const Vector3d &here) {
    // One logarithm for all residuals.
    double product = 1;
    for (int i = 0; i < kAnchors; ++i) {
      const Vector3d offset = here - anchors.col(i);
      const double distance = offset.norm();
      const Vector3d unit = offset / distance;
      const double residual = ranges[i] - distance;
      const double ratio = residual / (kSigma * kTuning);
      const double growth = 1 + ratio * ratio;
      product *= growth;
      const double weight = 1 / growth;
      descent += weight * residual * unit;
      information.noalias() += weight * unit * unit.transpose();
    }
    cost = std::log(product);
  }
};

// Levenberg-Marquardt, re-weighted at every step, Nielsen's damping; to a step of 1e-6 m.
Vector3d levenbergMarquardt(const Anchors &anchors, const Eigen::Map<const Ranges> &ranges,
                            Vector3d position) {
  Expansion here(anchors, ranges, position);
  double damping = 1e-3 * here.information.diagonal().maxCoeff(), growth = 2;
  for (int iteration = 0; iteration < 100; ++iteration) {
    Matrix3d damped = here.information;
    damped.diagonal().array() += damping;
    const Vector3d step = damped.ldlt().solve(here.descent);
    const Expansion next(anchors, ranges, position + step);
    const bool isShort = step.squaredNorm() < 1e-12;
    if (next.cost <= here.cost) {
      // The gain that the quadratic model promised, in the units of the cost.
      const double promised =
          step.dot(damping * step + here.descent) / (kSigma * kSigma * kTuning * kTuning);
      const double ratio = promised > 0 ? (here.cost - next.cost) / promised : 1;
      position += step;
      here = next;
      const double shrink = 1 - std::pow(2 * ratio - 1, 3);
      damping *= shrink > 1.0 / 3 ? shrink : 1.0 / 3;
      growth = 2;
    } else {
      damping *= growth;
      growth *= 2;
    }
    if (isShort) break;
  }
  return position;
}

// `Start` gives the position to start from.
template <typename Start>
Numbers robust(const Workload &work, const Numbers &all, size_t items, Start start) {
  const Anchors anchors = Eigen::Map<const Anchors>(work.anchors.data());
  Numbers result(3 * items);
  for (size_t epoch = 0; epoch < items; ++epoch) {
    const Eigen::Map<const Ranges> ranges(&all[kAnchors * epoch]);
    Eigen::Map<Vector3d> position(&result[3 * epoch]);
    position = levenbergMarquardt(anchors, ranges, start(anchors, ranges));
  }
  return result;
}

Numbers fromMean(const Workload &work, const Numbers &all, size_t items) {
  return robust(work, all, items, [](const Anchors &anchors, const auto &) -> Vector3d {
    return anchors.rowwise().mean();
  });
}

// From the linear solution of each epoch: 2 (a - mean) p = |a|^2 - d^2 - mean, normal equations.
Numbers fromLinear(const Workload &work, const Numbers &all, size_t items) {
  return robust(work, all, items, [](const Anchors &anchors, const auto &ranges) -> Vector3d {
    const Vector3d mean = anchors.rowwise().mean();
    const Anchors centred = anchors.colwise() - mean;
    Ranges side = centred.colwise().squaredNorm().transpose() - ranges.cwiseAbs2();
    const Matrix3d normal = 2 * centred * centred.transpose();
    return mean + normal.ldlt().solve(centred * side);
  });
}

}  // namespace

int main(int argc, char **argv) {
  return serve(
      argc, argv,
      {{"from-mean", [](auto &work, size_t n) { return fromMean(work, work.ranges, n); }},
       {"from-linear", [](auto &work, size_t n) { return fromLinear(work, work.ranges, n); }},
       {"clean-from-mean", [](auto &work, size_t n) { return fromMean(work, work.clean, n); }},
       {"clean-from-linear", [](auto &work, size_t n) { return fromLinear(work, work.clean, n); }}});
}
