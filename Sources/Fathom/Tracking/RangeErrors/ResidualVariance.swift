/// How large errors of ranges that last are, from what is left of the ranges beside a smoothed
/// track.
///
/// The residuals of each link are summed over stretches of ten seconds. Where every range enters
/// with the variance V of an independent error that would hurt as much, the square of a sum of n of
/// them over n V is 1 in the mean, as far as the track cannot follow: of L links it follows as many
/// combinations as a position has coordinates. The sum of the squares over what is left of their
/// number is a variance factor, of the errors that matter to a track, and not of single ranges
/// [Koch 1999, Ch. 3].
struct ResidualVarianceEstimator: Sendable {
  /// How long residuals of a link are summed, seconds: long beside the errors that are taken to
  /// last.
  private static let length = 10.0
  /// With fewer degrees of freedom, residuals say nothing.
  private static let leastDegrees = 4.0
  /// One link counts three standard deviations at most.
  private static let mostSquare = 9.0
  /// One in forty of normal numbers is less.
  private static let normalFortieth = -1.959_963_984_540
  /// Rounding of a noiseless recording is not its errors.
  private static let leastFactor = 0.01

  private struct Sum: Sendable {
    var total = 0.0
    var count = 0.0
  }

  /// Coordinates of a position.
  private let axes: Int
  private var sums: [Sum]
  private var start: Timestamp?
  /// Of sums over stretches: their squares, how many there are, and how many the track left.
  private var squares = 0.0
  private var links = 0.0
  private var degrees = 0.0
  /// Of single residuals, and the variances with which they entered, over those of single ranges.
  private var single = 0.0
  private var entered = 0.0

  init(anchorCount: Int, axes: Int) {
    self.axes = axes
    sums = Array(repeating: Sum(), count: anchorCount)
  }

  /// Takes in what is left of a range.
  ///
  /// - Parameters:
  ///   - residual: measured minus expected distance, metres.
  ///   - single: the variance of a single range, m².
  ///   - effective: the variance with which it entered, m².
  ///   - anchor: index of the anchor.
  ///   - time: when it was measured; not before those taken in.
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
    var heard = 0.0
    var sum = 0.0
    for index in sums.indices where sums[index].count > 0 {
      heard += 1
      sum += min(Self.mostSquare, sums[index].total * sums[index].total / sums[index].count)
      sums[index] = Sum()
    }
    guard heard > Double(axes) else { return }
    squares += sum
    links += heard
    degrees += heard - Double(axes)
  }

  /// What the residuals say, once all are taken in.
  ///
  /// - Parameter unknowns: how many numbers the track has in common for all ranges, each counted by
  ///   the share of it that the ranges determined.
  /// - Returns: The errors; those that were assumed where too little is left to tell.
  mutating func errors(unknowns: Double) -> ResidualErrorModel {
    close()
    let free = degrees - unknowns
    guard free > Self.leastDegrees, entered > 0 else { return ResidualErrorModel() }
    // What a sum of so many squares exceeds 39 times out of 40: few may be small by chance, and a
    // track must not promise what chance said.
    let least = chiSquarePoint(degreesOfFreedom: free, normal: Self.normalFortieth)
    let factor = min(1, max(Self.leastFactor, squares / least))
    // Of a single residual, too, no less is left than what no position could follow.
    let fast = single * links / degrees
    return ResidualErrorModel(factor: factor, slowShare: max(0, 1 - fast / (factor * entered)))
  }
}

/// What residuals say about the errors of the ranges of a track.
struct ResidualErrorModel: Sendable, Equatable {
  /// The variance of errors that matter over what it was taken to be, at most 1: that errors last
  /// longer than assumed is for ``ConsistencyScale`` to say.
  var factor = 1.0
  /// The share of them that lasts from range to range, 0 to 1.
  var slowShare = 0.0

  /// Below it nothing shrinks, and its inverse may overflow.
  private static let leastBandwidth = 1e-9

  /// By how much less than errors that never end those of ``slowShare`` hurt a track that moves
  /// with them for so long, as a factor on its covariance.
  ///
  /// A smoothed track at nearly constant velocity follows errors of angular frequency ω by 1 / (1 +
  /// (ω/ω₀)⁴), where ω₀² is the variance of the velocity over that of the position. Three quarters
  /// of its covariance come from the ranges, one from the motion. Errors with the memory exp(-t/τ)
  /// have the density 1 / (1 + ω²τ²) of those that are independent and hurt a slow track as much:
  /// the integral of both, in closed form.
  ///
  /// - Parameter bandwidth: (ω₀ τ)²; 1 comes of what is none.
  /// - Returns: The factor, 0.25 to 1.
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
