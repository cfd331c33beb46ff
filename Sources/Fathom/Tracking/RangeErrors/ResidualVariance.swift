/// Estimates the variance of range errors from the residuals of a smoothed track.
///
/// The residuals of each link are summed over stretches of ten seconds. Every range enters with the
/// variance V of an independent error with the same effect. The squared sum of n residuals, divided
/// by n V, then has the mean 1, apart from the part that the track follows. Of L links, the track
/// follows as many combinations as a position has coordinates. The sum of the squares divided by
/// the remaining degrees of freedom is a variance factor [Koch 1999, Ch. 3]. It measures the errors
/// that affect a track, not those of single ranges.
struct ResidualVarianceEstimator: Sendable {
  /// Length of a stretch over which the residuals of a link are summed, in seconds; long relative
  /// to the correlation time.
  private static let length = 10.0
  /// Minimum number of degrees of freedom for an estimate.
  private static let leastDegrees = 4.0
  /// The 1/40 quantile of the standard normal distribution.
  private static let normalFortieth = -1.959_963_984_540
  /// Smallest factor: the rounding of a noiseless recording does not measure its errors.
  private static let leastFactor = 0.01

  private struct Sum: Sendable {
    var total = 0.0
    var count = 0.0
  }

  /// Number of coordinates of a position.
  private let axes: Int
  private var sums: [Sum]
  private var start: Timestamp?
  /// Totals over stretches: squared sums, number of links, and degrees of freedom after the track.
  private var squares = 0.0
  private var links = 0.0
  private var degrees = 0.0
  /// Totals over ranges, relative to the variance of a single range: squared residuals, and the
  /// variances used.
  private var single = 0.0
  private var entered = 0.0

  init(anchorCount: Int, axes: Int) {
    self.axes = axes
    sums = Array(repeating: Sum(), count: anchorCount)
  }

  /// Processes the residual of a range, measured minus expected distance, in metres.
  ///
  /// `single` is the variance of a single range, `effective` the one used for this range, both in
  /// m². `time` is not before the previous ones.
  mutating func add(
    _ residual: Double, single: Double, effective: Double, anchor: Int, at time: Timestamp
  ) {
    let begin = start ?? time
    if time.seconds(since: begin) >= Self.length {
      close()
      start = time
    } else {
      start = begin
    }
    sums[anchor].total += residual / effective.squareRoot()
    sums[anchor].count += 1
    self.single += residual * residual / single
    entered += effective / single
  }

  private mutating func close() {
    var ranged = 0.0
    var sum = 0.0
    for index in sums.indices where sums[index].count > 0 {
      ranged += 1
      sum += sums[index].total * sums[index].total / sums[index].count
      sums[index] = Sum()
    }
    guard ranged > Double(axes) else { return }
    squares += sum
    links += ranged
    degrees += ranged - Double(axes)
  }

  /// Returns the error model after the last residual.
  ///
  /// - Parameter unknowns: The number of common unknowns of the track, each weighted by the
  ///   fraction that the ranges determined.
  /// - Returns: The error model; the assumed one if there are too few degrees of freedom.
  mutating func errors(unknowns: Double) -> ResidualErrorModel {
    close()
    let free = degrees - unknowns
    guard free > Self.leastDegrees, entered > 0 else { return ResidualErrorModel() }
    // The lower quantile of the chi-square distribution: a small sum may be due to chance, and must
    // not make the covariance of the track too small.
    let least = chiSquarePoint(degreesOfFreedom: free, normal: Self.normalFortieth)
    let factor = min(1, max(Self.leastFactor, squares / least))
    // The track follows a part of single residuals as well: scale by the same ratio.
    let fast = single * links / degrees
    return ResidualErrorModel(factor: factor, slowShare: max(0, 1 - fast / (factor * entered)))
  }
}

/// The error model of a track's ranges, estimated from the residuals.
struct ResidualErrorModel: Sendable, Equatable {
  /// The estimated variance of the errors that affect a track over the assumed one, at most 1;
  /// ``ConsistencyScale`` handles errors that are correlated for longer than assumed.
  var factor = 1.0
  /// Their share that is correlated between ranges, 0 to 1.
  var slowShare = 0.0

  /// Below this bandwidth the factor is 1; the inverse may overflow.
  private static let leastBandwidth = 1e-9

  /// Returns the factor on the covariance of a track that moves with its correlated errors,
  /// relative to errors with an infinite correlation time.
  ///
  /// A smoothed track at nearly constant velocity follows errors of angular frequency ω with the
  /// gain 1 / (1 + (ω/ω₀)⁴), where ω₀² is the variance of the velocity over that of the position.
  /// Three quarters of its covariance come from the ranges, one quarter from the motion. Errors
  /// with the autocorrelation exp(-t/τ) have the spectral density 1 / (1 + ω²τ²), relative to
  /// independent errors with the same effect on a slow track. The factor is the integral of the
  /// product in closed form. It is 0.25 to 1 for the `bandwidth` (ω₀ τ)², and 1 if that is not
  /// finite or too small.
  func bandwidthFactor(_ bandwidth: Double) -> Double {
    guard bandwidth > Self.leastBandwidth, bandwidth.isFinite else { return 1 }
    let square = bandwidth * bandwidth
    let pole = 1 / (1 + 1 / square)
    let root = (32 / bandwidth).squareRoot()
    let kept =
      (pole * pole * root + (4 * pole * (1 - bandwidth) + 3 - bandwidth) / (1 + square)) / 3
    return 0.25 + 0.75 * (1 - slowShare + slowShare * min(1, max(0, kept)))
  }
}
