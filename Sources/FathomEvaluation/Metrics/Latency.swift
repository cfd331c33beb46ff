import Fathom
import FathomRecordings

/// The delay of estimates behind the true motion.
///
/// The delay is the shift s that minimises Σ |estimate(t) - truth(t - s)|². It is found on a grid
/// over the window, then by golden-section search [Press et al. 2007, Sec. 10.2] about the best
/// grid point. All shifts use the same estimates: those whose truth is known over the whole window.
public struct Latency: Sendable, Equatable, Codable {
  /// Delay, seconds; positive when the estimate shows an earlier position.
  public var delayS: Double
  /// Standard deviation of the delay, seconds.
  ///
  /// Computed from the scatter of the gradient of the sum over blocks of time, which accounts for
  /// time-correlated errors.
  public var sigmaS: Double
  /// Remaining RMSE at this shift, metres.
  public var rmseM: Double

  /// Estimates the latency of `poses`; nil when the motion does not determine it.
  ///
  /// The latency is determined when three conditions hold. The minimum lies inside the window. A
  /// shift by the whole window in either direction raises the mean square by at least a quarter.
  /// The standard deviation is at most a quarter of the window. More than 5000 poses are thinned to
  /// at most 5000 by a constant stride.
  init?(_ poses: [MatchedPose], _ compared: ComparedTracks) {
    let settings = compared.settings
    let window = settings.longestLatency
    guard window > 0, !poses.isEmpty else { return nil }
    var truths: [String: PositionTrack] = [:]
    for entry in compared.entries { truths[entry.tag] = entry.truth }
    let stride = (poses.count + 4999) / 5000
    let candidates = Swift.stride(from: 0, to: poses.count, by: stride).map { poses[$0] }

    let half = 20
    let step = window / Double(half)
    var sums = [Double](repeating: 0, count: 2 * half + 1)
    var samples: [Sample] = []
    for pose in candidates {
      guard let truth = truths[pose.tag] else { continue }
      let sample = Sample(pose: pose, truth: truth, settings: settings)
      let squares = (-half...half).map { sample.square(at: Double($0) * step) }
      guard !squares.contains(where: \.isNaN) else { continue }
      for index in sums.indices { sums[index] += squares[index] }
      samples.append(sample)
    }
    guard let least = sums.min(), let best = sums.firstIndex(of: least), best > 0,
      best < 2 * half, min(sums[0], sums[2 * half]) >= 1.25 * least,
      min(sums[0], sums[2 * half]) > 0
    else { return nil }

    let shift = Self.minimum(
      from: Double(best - 1 - half) * step, to: Double(best + 1 - half) * step
    ) { shift in samples.reduce(0) { $0 + $1.square(at: shift) } }
    let sum = samples.reduce(0) { $0 + $1.square(at: shift) }
    guard let sigma = Self.sigma(samples, at: shift, step: step), sigma <= window / 4 else {
      return nil
    }
    delayS = shift
    sigmaS = sigma
    rmseM = (sum / Double(samples.count)).squareRoot()
  }

  /// One estimate and the true trajectory of its tag.
  private struct Sample {
    var pose: MatchedPose
    var truth: PositionTrack
    var settings: EvaluationSettings

    /// Returns the error for a delay of `shift` seconds; nil when truth is unknown at that time.
    func error(at shift: Double) -> Vector<3>? {
      let time = pose.time.advanced(bySeconds: -shift)
      return truth.position(at: time, longestGap: settings.longestGap).map { pose.estimate - $0 }
    }

    /// Returns the square of that error; NaN when unknown.
    func square(at shift: Double) -> Double {
      guard let error = error(at: shift) else { return .nan }
      let magnitude = settings.magnitude(error)
      return magnitude * magnitude
    }
  }

  /// Returns the minimiser of `function` between `low` and `high`, to within a microsecond.
  private static func minimum(
    from low: Double, to high: Double, of function: (Double) -> Double
  ) -> Double {
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (low, high)
    var left = high - ratio * (high - low)
    var right = low + ratio * (high - low)
    var (atLeft, atRight) = (function(left), function(right))
    while high - low > 1e-6 {
      if atLeft < atRight {
        (high, right, atRight) = (right, left, atLeft)
        left = high - ratio * (high - low)
        atLeft = function(left)
      } else {
        (low, left, atLeft) = (left, right, atRight)
        right = low + ratio * (high - low)
        atRight = function(right)
      }
    }
    return (low + high) / 2
  }

  /// Returns the standard deviation of the minimum.
  ///
  /// It is the root of the sum over blocks of (Σ v·e)², divided by Σ v·v, where v is the true
  /// velocity and e the remaining error.
  private static func sigma(_ samples: [Sample], at shift: Double, step: Double) -> Double? {
    guard let first = samples.map(\.pose.time).min(), let last = samples.map(\.pose.time).max()
    else { return nil }
    let block = min(5, last.seconds(since: first) / 10)
    guard block > 0 else { return nil }
    var slopes: [String: [Int: Double]] = [:]
    var information = 0.0
    for sample in samples {
      guard let error = sample.error(at: shift), let before = sample.error(at: shift - step / 2),
        let after = sample.error(at: shift + step / 2)
      else { continue }
      let velocity = (1 / step) * (after - before)
      var slope = 0.0
      for axis in 0..<sample.settings.dimensions {
        slope += velocity[axis] * error[axis]
        information += velocity[axis] * velocity[axis]
      }
      let place = Int(sample.pose.time.seconds(since: first) / block)
      slopes[sample.pose.tag, default: [:]][place, default: 0] += slope
    }
    guard information > 0 else { return nil }
    // Sorted by block, so that the sum is reproducible bit by bit.
    let squares = slopes.sorted { $0.key < $1.key }.flatMap { _, blocks in
      blocks.sorted { $0.key < $1.key }.map { $0.value * $0.value }
    }
    return squares.reduce(0, +).squareRoot() / information
  }
}
