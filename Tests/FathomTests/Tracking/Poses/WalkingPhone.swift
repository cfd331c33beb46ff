import FathomEvaluation
import RealModule

@testable import Fathom

/// A phone that walks with visual odometry and measures ranges to an accessory that stands.
struct WalkingPhone {
  /// Corners of the path in the true world, metres.
  var corners: [SIMD3<Double>]
  var accessory: SIMD3<Double>
  /// Amplitude of up and down movements, metres.
  var swing = 0.0
  /// The bias of all ranges in metres; drawn from the assumed ones if nil.
  var bias: Double?
  var outlierShare = 0.0
  /// Whether directions are measured, with the attitude of an upright phone.
  var hasDirections = false

  /// Metres per second.
  private static let speed = 1.0
  /// Time between poses and between ranges, in seconds.
  private static let poseInterval = 1.0 / 30
  private static let posesPerRange = 3

  /// An instant of the walk.
  struct Step {
    var pose: TimedPose
    var range: Double?
    var direction: Direction?
    /// The accessory in the phone's world at this time.
    var truth: Vector<3>
  }

  /// Returns the steps of the walk, with errors as `configuration` assumes them.
  func steps(
    _ configuration: AccessoryLocator.Configuration = .init(),
    using generator: inout SeededGenerator
  ) -> [Step] {
    let (errors, poses) = (configuration.errors, configuration.poseErrors)
    let bias = bias ?? errors.biasSigma * generator.normal()
    let scale = 1 + poses.scaleSigma * generator.normal()
    var heading = generator.uniform(in: -3...3)
    var link = errors.correlatedVariance.squareRoot() * generator.normal()
    var common = errors.commonModeSigma * generator.normal()
    func turned(_ v: SIMD3<Double>) -> SIMD3<Double> {
      let (c, s) = (Double.cos(heading), Double.sin(heading))
      return SIMD3(c * v.x - s * v.y, s * v.x + c * v.y, v.z)
    }
    func noise() -> SIMD3<Double> {
      SIMD3(generator.normal(), generator.normal(), generator.normal())
    }
    var result: [Step] = []
    var last = place(0) ?? .zero
    var shown = 5 * noise()
    var count = 0
    while let here = place(Double(count) * Self.poseInterval * Self.speed) {
      let time = Double(count) * Self.poseInterval
      var place = here
      place.z += swing * Double.sin(2 * .pi * time / 3)
      let moved = place - last
      let root = (moved * moved).sum().squareRoot().squareRoot()
      shown += scale * turned(moved) + poses.distanceNoise * root * noise()
      heading += poses.headingNoise * root * generator.normal()
      last = place
      let offset = accessory - place
      var step = Step(
        pose: TimedPose(
          time: instant(time), position: Vector(simd: shown),
          attitude: Attitude(heading: Angle(radians: heading))),
        truth: Vector(simd: shown + turned(offset)))
      if count % Self.posesPerRange == 0 {
        let seconds = Self.poseInterval * Double(Self.posesPerRange)
        let (own, other) = (errors.memory(over: seconds), errors.commonModeMemory(over: seconds))
        link =
          own * link
          + (errors.correlatedVariance * (1 - own * own)).squareRoot() * generator.normal()
        common =
          other * common
          + errors.commonModeSigma * (1 - other * other).squareRoot() * generator.normal()
        var range = (offset * offset).sum().squareRoot() + bias + link + common
        range += errors.whiteVariance(of: errors.sigma).squareRoot() * generator.normal()
        if generator.uniform() < outlierShare { range += generator.uniform(in: 0.5...3.5) }
        step.range = range
        if hasDirections {
          // The attitude turns by the heading only: the device frame is that of the true world.
          let seen = offset / (offset * offset).sum().squareRoot() + 0.05 * noise()
          step.direction = Direction(Vector(simd: seen))
        }
      }
      result.append(step)
      count += 1
    }
    return result
  }

  /// Returns the point of the path after `way` metres; nil beyond its end.
  private func place(_ way: Double) -> SIMD3<Double>? {
    var rest = way
    for (first, second) in zip(corners, corners.dropFirst()) {
      let leg = second - first
      let length = (leg * leg).sum().squareRoot()
      if rest <= length { return first + (rest / length) * leg }
      rest -= length
    }
    return nil
  }
}

extension AccessoryLocator {
  /// Processes the steps of a walk.
  mutating func follow(_ steps: some Sequence<WalkingPhone.Step>) {
    for step in steps {
      update(step.pose)
      if let range = step.range {
        update(range: range, direction: step.direction, at: step.pose.time)
      }
    }
  }
}

extension AccessoryEstimate {
  /// The squared error over its covariance, per coordinate.
  func normalizedSquare(_ truth: Vector<3>) -> Double {
    guard let root = Cholesky(covariance) else { return .infinity }
    let error = root.forward(position - truth)
    return error.dot(error) / 3
  }

  /// The horizontal distance from `truth`, metres.
  func horizontalError(_ truth: Vector<3>) -> Double {
    let error = position - truth
    return (error[0] * error[0] + error[1] * error[1]).squareRoot()
  }
}
