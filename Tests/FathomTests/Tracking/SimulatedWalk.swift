import FathomEvaluation
import RealModule

@testable import Fathom

/// A tag on a known path among anchors in turn, with one range every 1/``rate`` seconds.
struct SimulatedWalk: Sendable {
  /// One range in the form of a tracker's input.
  struct Range {
    var time: Timestamp
    var anchor: Int
    var distance: Double
    /// The true position of the tag.
    var truth: Vector<3>
  }

  var anchors: [Anchor]
  /// The position of the tag, seconds after the start.
  var path: @Sendable (Double) -> Vector<3>
  /// Total number of ranges per second, of all anchors.
  var rate = 40.0
  /// Standard deviation of the ranges, metres.
  var sigma = 0.10
  /// The share of the variance that is correlated between ranges of a link, over about a second.
  var correlatedShare = 0.0

  /// Six anchors in a room of 10 m x 8 m, at heights between 0.4 and 3 m.
  static let room = [
    Anchor(position: Vector([0, 0, 0.5])), Anchor(position: Vector([10, 0, 2.8])),
    Anchor(position: Vector([10, 8, 0.4])), Anchor(position: Vector([0, 8, 2.7])),
    Anchor(position: Vector([5, 4, 3])), Anchor(position: Vector([5, 0, 1.5])),
  ]

  /// Four anchors in the corners of its ceiling, 3 m up.
  static let ceiling = [
    Anchor(position: Vector([0, 0, 3])), Anchor(position: Vector([10, 0, 3])),
    Anchor(position: Vector([10, 8, 3])), Anchor(position: Vector([0, 8, 3])),
  ]

  /// A walk with up to 1.3 m/s and 0.7 m/s², between 0.8 and 1.6 m above the floor.
  static func stroll(_ seconds: Double) -> Vector<3> {
    Vector([
      5 + 3 * wave(0.3 * seconds), 4 + 2.5 * wave(0.4 * seconds + 1),
      1.2 + 0.4 * wave(0.5 * seconds + 2),
    ])
  }

  /// The same at a height of 1.2 m.
  static func levelStroll(_ seconds: Double) -> Vector<3> {
    var place = stroll(seconds)
    place[2] = 1.2
    return place
  }

  /// The ranges from `start` (included) to `end`, seconds.
  func ranges(
    from start: Double = 0, to end: Double, using generator: inout SeededGenerator
  ) -> [Range] {
    let first = Int((start * rate).rounded(.up))
    let last = Int((end * rate).rounded(.up))
    let interval = Double(anchors.count) / rate
    let memory = Double.exp(-interval)
    let (slow, fast) = (
      correlatedShare.squareRoot() * sigma, (1 - correlatedShare).squareRoot() * sigma
    )
    var persistent = anchors.map { _ in correlatedShare > 0 ? generator.normal() : 0 }
    return (first..<last).map { index in
      let seconds = Double(index) / rate
      let truth = path(seconds)
      let anchor = index % anchors.count
      let distance = (truth - anchors[anchor].position).length
      if correlatedShare > 0 {
        let fresh = (1 - memory * memory).squareRoot()
        persistent[anchor] = memory * persistent[anchor] + fresh * generator.normal()
      }
      let error = slow * persistent[anchor] + fast * generator.normal()
      return Range(
        time: instant(seconds), anchor: anchor, distance: max(0.01, distance + error),
        truth: truth)
    }
  }

  /// The ranges up to `end` seconds, each too long by the offset of its anchor in metres.
  func ranges(
    to end: Double, offsets: [Double], using generator: inout SeededGenerator
  ) -> [Range] {
    var ranges = ranges(to: end, using: &generator)
    for index in ranges.indices { ranges[index].distance += offsets[ranges[index].anchor] }
    return ranges
  }

  /// A wave of period 2π and height 1 made of parabolas: smooth enough for a walk.
  private static func wave(_ phase: Double) -> Double {
    let turn = phase / (2 * .pi)
    let part = turn - turn.rounded(.down)
    return part < 0.5 ? 16 * part * (0.5 - part) : -16 * (part - 0.5) * (1 - part)
  }
}

extension Tracker {
  /// Processes a range of a walk.
  @discardableResult
  mutating func update(_ range: SimulatedWalk.Range) -> TrackUpdate {
    update(distance: range.distance, anchor: range.anchor, at: range.time)
  }

  /// Processes ranges and readings of sensors in order of time; calls `body` after each range.
  mutating func update(
    _ ranges: [SimulatedWalk.Range], _ readings: SensorReadings,
    _ body: (SimulatedWalk.Range, inout Tracker) -> Void
  ) {
    var sensors = SensorQueue(readings)
    for range in ranges {
      while let reading = sensors.next(upTo: range.time) { update(reading) }
      update(range)
      body(range, &self)
    }
  }
}

extension TrackEstimate {
  /// Squared error of the position relative to its covariance; in the plane for a known z.
  func normalizedSquare(of truth: Vector<3>) -> Double? {
    let error = position - truth
    if covariance[2, 2] == 0 {
      let plane = Matrix<2, 2>([
        [covariance[0, 0], covariance[0, 1]], [covariance[1, 0], covariance[1, 1]],
      ])
      let planar = Vector<2>([error[0], error[1]])
      return Cholesky(plane).map { planar.dot($0.solve(planar)) }
    }
    return Cholesky(covariance).map { error.dot($0.solve(error)) }
  }
}

extension SimulatedWalk.Range {
  /// The range in the form of a smoother's input.
  var measurement: RangeMeasurement {
    RangeMeasurement(time: time, anchor: anchor, distance: distance)
  }
}

extension Tracker.Configuration {
  /// The defaults with a height, with a standard deviation or exact.
  static func withHeight(_ height: Double?, sigma: Double? = nil) -> Self {
    var configuration = Self()
    (configuration.height, configuration.heightSigma) = (height, sigma)
    return configuration
  }

  /// The textbook extended Kalman filter: one mode of motion, independent normal errors, and
  /// unscaled covariances.
  static var textbook: Self {
    var configuration = Self()
    configuration.modes.processNoiseRatio = 1
    configuration.errors.correlatedShare = 0
    configuration.errors.commonModeSigma = 0
    configuration.errors.degreesOfFreedom = .infinity
    configuration.calibratesCovariance = false
    return configuration
  }
}

/// The instant `seconds` after zero.
func instant(_ seconds: Double) -> Timestamp {
  Timestamp(nanoseconds: 0).advanced(bySeconds: seconds)
}
