/// Gathers the first ranges of a tag until they determine a position.
struct TrackStart: Sendable {
  /// The newest range of each anchor, nil where there was none.
  private var newest: [Sample?]
  /// When the first range came.
  private var begin: Timestamp?

  private struct Sample: Sendable {
    var time: Timestamp
    var distance: Double
    var sigma: Double
  }

  init(anchorCount: Int) {
    newest = [Sample?](repeating: nil, count: anchorCount)
  }

  /// A belief to start from, and the other position that would explain the ranges as well.
  struct Found {
    var state: Gaussian<6>
    var alternative: Vector<3>?
  }

  /// Takes in a range; returns the belief to start from once the ranges of the last
  /// `startWindow` seconds determine one.
  ///
  /// A mirror image does not end the wait before one window has passed: another anchor may resolve it.
  /// After that the side is the lower one where the two differ in height (anchors hang above their
  /// tags more often than not), otherwise the more likely one.
  mutating func add(
    distance: Double, sigma: Double, anchor: Int, at time: Timestamp, anchors: [Anchor],
    configuration: Tracker.Configuration
  ) -> Found? {
    newest[anchor] = Sample(time: time, distance: distance, sigma: sigma)
    var oldest = time
    var ranges: [Double] = []
    var sigmas: [Double] = []
    var positions: [Vector<3>] = []
    for (index, sample) in newest.enumerated() {
      guard let sample, time.seconds(since: sample.time) <= configuration.startWindow else {
        continue
      }
      oldest = min(oldest, sample.time)
      ranges.append(sample.distance)
      sigmas.append(sample.sigma)
      positions.append(anchors[index].position)
    }
    // A stray range of long ago is not the beginning of these.
    let begin = ranges.count > 1 ? self.begin ?? time : time
    self.begin = begin

    var options = Trilateration.Options()
    options.height = configuration.height
    // The misfit of all ranges widens the start below.
    options.loss = .squared
    let fix = try? Trilateration.solve(
      ranges: ranges, anchors: positions, sigmas: sigmas, options: options)
    guard let fix, var position = fix.position, var covariance = fix.covariance else { return nil }

    // As many ranges as unknowns always fit, wrong ones too; one more is a check.
    let surplus =
      ranges.count - fix.discounted.count - (configuration.height == nil ? 3 : 2)
    let hasWaited = time.seconds(since: begin) >= configuration.startWindow
    guard hasWaited || (fix.alternative == nil && surplus > 0) else { return nil }
    var alternative = fix.alternative
    if let lower = fix.alternative, let lowerCovariance = fix.alternativeCovariance,
      lower[2] < position[2] - 1e-6
    {
      (alternative, position, covariance) = (position, lower, lowerCovariance)
    }
    if let misfit = fix.misfit, surplus > 0 {
      // Residuals beyond the assumed errors are the better measure of them.
      let mean = sigmas.reduce(0, +) / Double(sigmas.count)
      let ratio = misfit / mean
      covariance = max(1, ratio * ratio * Double(ranges.count) / Double(surplus)) * covariance
    }
    let drift = configuration.startVelocitySigma * time.seconds(since: oldest) / 2
    return Found(
      state: Self.belief(
        at: position, covariance: covariance, drift: drift, configuration: configuration),
      alternative: alternative)
  }

  /// The belief in a tag at `position` that may have moved `drift` metres meanwhile.
  private static func belief(
    at position: Vector<3>, covariance: Matrix<3, 3>, drift: Double,
    configuration: Tracker.Configuration
  ) -> Gaussian<6> {
    var state = Gaussian(mean: Vector<6>.zero, covariance: .zero)
    let free = configuration.height == nil ? 3 : 2
    for row in 0..<3 {
      state.mean[row] = position[row]
      for column in 0..<3 { state.covariance[row, column] = covariance[row, column] }
    }
    let velocityVariance = configuration.startVelocitySigma * configuration.startVelocitySigma
    for axis in 0..<free {
      state.covariance[axis, axis] += drift * drift
      state.covariance[axis + 3, axis + 3] = velocityVariance
    }
    return state
  }
}
