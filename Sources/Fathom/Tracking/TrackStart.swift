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

  /// Takes in a range; returns the belief to start from once the ranges of the last
  /// `startWindow` seconds determine one.
  ///
  /// A mirror image does not end the wait before one window has passed: another anchor may resolve it.
  /// After that the side is the lower one where the two differ in height (anchors hang above their
  /// tags more often than not), otherwise the more likely one, and the track is marked ambiguous.
  mutating func add(
    distance: Double, sigma: Double, anchor: Int, at time: Timestamp, anchors: [Anchor],
    configuration: Tracker.Configuration
  ) -> (state: Gaussian<6>, isAmbiguous: Bool)? {
    newest[anchor] = Sample(time: time, distance: distance, sigma: sigma)
    let begin = begin ?? time
    self.begin = begin

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
    let unknowns = configuration.height == nil ? 3 : 2
    guard ranges.count >= unknowns else { return nil }
    var options = Trilateration.Options()
    options.height = configuration.height
    let fix = try? Trilateration.solve(
      ranges: ranges, anchors: positions, sigmas: sigmas, options: options)
    guard let fix, var position = fix.position, var covariance = fix.covariance else { return nil }

    // As many ranges as unknowns always fit, wrong ones too; one more is a check.
    let hasWaited = time.seconds(since: begin) >= configuration.startWindow
    guard hasWaited || (fix.verdict != .two && ranges.count > unknowns) else { return nil }
    if let alternative = fix.alternative, alternative[2] < position[2] - 1e-6 {
      position = alternative
    }
    if let misfit = fix.misfit {
      // Residuals beyond the assumed errors are the better measure of them.
      let mean = sigmas.reduce(0, +) / Double(sigmas.count)
      covariance = max(1, (misfit / mean) * (misfit / mean)) * covariance
    }
    let drift = configuration.startVelocitySigma * time.seconds(since: oldest) / 2
    return (
      Self.belief(
        at: position, covariance: covariance, drift: drift, configuration: configuration),
      fix.alternative != nil
    )
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
