import FathomEvaluation

@testable import Fathom

/// A random linear problem of four states and two measurements, with irregular steps and missing
/// measurements, on which all filters must agree.
struct LinearRun {
  var prior: Gaussian<4>
  var observation: Matrix<2, 4>
  var noise: Matrix<2, 2>
  var motion: LinearMotion<4>
  var steps: [(seconds: Double, measured: Vector<2>?)]
  /// The estimate of ``KalmanFilter`` after every step.
  var filtered: [Gaussian<4>] = []
  var joint: JointTrajectory

  var model: LinearModel<4, 2> { LinearModel(observation: observation) }

  init(seed: UInt64, steps count: Int = 25) throws {
    var generator = SeededGenerator(seed: seed)
    prior = Gaussian(
      mean: .random(using: &generator), covariance: .randomCovariance(floor: 0.2, using: &generator)
    )
    noise = .randomCovariance(floor: 0.2, using: &generator)
    observation = .random(using: &generator)
    let drift = Matrix<4, 4>.random(using: &generator)
    let spread = Matrix<4, 4>.randomCovariance(floor: 0.2, using: &generator)
    motion = LinearMotion(
      transition: { .identity + (0.3 * $0) * drift }, noise: { $0 * spread })
    steps = (0..<count).map { index in
      let seconds = generator.uniform(in: 0.2...1)
      return (seconds, index % 3 == 2 ? nil : 3 * Vector<2>.random(using: &generator))
    }
    joint = JointTrajectory(prior: prior.mean.array, covariance: prior.covariance.dense)
    var filter = KalmanFilter(state: prior, observation: observation, noise: noise)
    for step in steps {
      let transition = motion.transition(step.seconds)
      let processNoise = motion.noise(step.seconds)
      filter.predict(transition: transition, processNoise: processNoise)
      joint.append(
        transition: transition.dense, processNoise: processNoise.dense,
        push: [Double](repeating: 0, count: 4))
      try filter.update(step.measured)
      if let measured = step.measured {
        joint.measure(measured.array, observation: observation.dense, noise: noise.dense)
      }
      filtered.append(filter.state)
    }
  }

  /// Returns the largest relative difference from the joint solution, from the instant `first` on.
  func jointDisagreement(
    of smoothed: [Gaussian<4>], from first: Int = 0
  ) throws -> Double {
    var largest = 0.0
    for index in first..<smoothed.count {
      let (mean, covariance) = try joint.marginal(of: index)
      let estimate = smoothed[index]
      largest = max(
        largest,
        DenseMatrix(column: estimate.mean.array).distance(to: mean)
          / max(1, mean.greatestMagnitude),
        estimate.covariance.dense.distance(to: covariance) / covariance.greatestMagnitude)
    }
    return largest
  }

  /// Returns the largest difference from `estimates`, relative to the largest element of each.
  func disagreement(of estimates: [Gaussian<4>]) -> Double {
    guard estimates.count == filtered.count else { return .infinity }
    return zip(estimates, filtered).map { relativeDifference($0, $1) }.max() ?? .infinity
  }
}

/// Returns the largest difference of means and covariances, each relative to its largest element or
/// 1.
func relativeDifference(_ first: Gaussian<4>, _ second: Gaussian<4>) -> Double {
  let mean = DenseMatrix(column: second.mean.array)
  let spread = second.covariance.dense
  return max(
    DenseMatrix(column: first.mean.array).distance(to: mean) / max(1, mean.greatestMagnitude),
    first.covariance.dense.distance(to: spread) / max(1, spread.greatestMagnitude))
}
