import FathomEvaluation
import RealModule

@testable import Fathom

/// A tag that turns in all directions as it walks, and measures range and direction of one anchor
/// at a time.
struct DirectionWalk: Sendable {
  var anchors: [Vector<3>]
  /// The known height; nil for a tag in space.
  var height: Double?
  /// The side of the plane y = -1 on which the tag is: 1 or -1.
  var side = 1.0
  /// Whether the tag repeatedly crosses that plane.
  var crosses = false
  /// Whether there are directions; every other stretch of 7 s has none.
  var directions = Directions.all
  /// Standard deviation of angles, radians.
  var sigma = 3 * Double.pi / 180
  /// The share of their variance that is correlated over a second.
  var persistentShare = 0.0
  /// The tracker's standard deviation of the heading, in radians; nil for none.
  var headingSigma: Angle?
  /// The true heading error in radians; nil for an arbitrary one.
  var headingError: Double? = 0
  /// The share of arbitrary directions, and of ranges that are up to 3 m too long.
  var wildShare = 0.0

  enum Directions: Sendable { case none, azimuths, elevations, all, inStretches }

  /// Three anchors in a row at different heights, in front of the plane y = -1.
  static let row: [Vector<3>] = [
    Vector([0, -1, 1.2]), Vector([4, -1, 2.4]), Vector([8, -1, 0.8]),
  ]
  /// Four anchors in the corners of a room, high and low.
  static let corners: [Vector<3>] = [
    Vector([0, 0, 0.5]), Vector([8, 0, 2.5]), Vector([8, 6, 0.4]), Vector([0, 6, 2.4]),
  ]
  private static let interval = 0.05

  /// The results of many walks.
  struct Score: CustomStringConvertible {
    /// Estimates with a resolved ambiguity and the status tracking.
    var scored = 0
    var ambiguous = 0
    /// Of these, estimates beyond three standard deviations, χ² with the tag's axes at 0.27 %.
    var far = 0
    /// Of these, estimates nearer to the mirror image than to the truth.
    var wrongSide = 0
    var squares = 0.0
    var normalized = 0.0
    /// Root mean square error, metres.
    var rootMeanSquare: Double { (squares / Double(scored)).squareRoot() }
    /// Mean square of the error over its variance, per axis.
    var consistency: Double { normalized / Double(scored) }
    var farShare: Double { Double(far) / Double(scored) }
    var wrongShare: Double { Double(wrongSide) / Double(scored) }
    var ambiguousShare: Double { Double(ambiguous) / Double(scored + ambiguous) }
    var description: String {
      "RMSE \(rootMeanSquare), NEES \(consistency), beyond 3 sigma \(farShare), "
        + "wrong side \(wrongShare), ambiguous \(ambiguousShare)"
    }
  }

  /// Simulates walks of a minute each, scored after 5 s.
  func score(walks: Int, seed: UInt64) throws -> Score {
    var score = Score()
    for walk in 0..<walks {
      var generator = SeededGenerator(seed: seed &+ UInt64(walk))
      try run(&score, using: &generator)
    }
    return score
  }

  private func run(_ score: inout Score, using generator: inout SeededGenerator) throws {
    var configuration = Tracker.Configuration()
    configuration.height = height
    configuration.headingSigma = headingSigma
    var tracker = try Tracker(
      anchors: anchors.map { Anchor(position: $0) }, configuration: configuration)
    let heading = headingError ?? (2 * generator.uniform() - 1) * .pi
    let phases = (0..<3).map { _ in 2 * .pi * generator.uniform() }
    let rate = 0.2 + 0.6 * generator.uniform()
    var persistent = [SIMD2<Double>](repeating: .zero, count: anchors.count)
    let memory = Double.exp(-Self.interval * Double(anchors.count))
    for index in anchors.indices { persistent[index] = Self.pair(using: &generator) }
    for step in 0..<1200 {
      let time = Self.interval * Double(step)
      let place = place(at: time, phases)
      let axes = Self.axes(at: time, phases, rate: rate)
      let index = step % anchors.count
      let late = generator.uniform() < wildShare ? 3 * generator.uniform() : 0
      let offset = anchors[index] - place
      _ = tracker.update(
        distance: offset.length + 0.1 * generator.normal() + late, anchor: index,
        at: instant(time))
      persistent[index] =
        memory * persistent[index]
        + (1 - memory * memory).squareRoot() * Self.pair(using: &generator)
      let errors =
        sigma
        * (persistentShare.squareRoot() * persistent[index]
          + (1 - persistentShare).squareRoot() * Self.pair(using: &generator))
      let isWild = generator.uniform() < wildShare
      let wild = SIMD2((2 * generator.uniform() - 1) * .pi, 2 * generator.uniform() - 1)
      if isMeasured(at: time) {
        let seen = axes.transposed() * offset
        let level = Double.hypot(seen[0], seen[2])
        let angles =
          isWild
          ? wild
          : SIMD2(.atan2(y: seen[0], x: -seen[2]), .atan2(y: seen[1], x: level)) + errors
        _ = tracker.update(
          azimuth: directions == .elevations ? nil : Angle(radians: angles[0]),
          elevation: directions == .azimuths ? nil : Angle(radians: angles[1]),
          attitude: Self.turn(2, by: -heading) * axes, sigma: Angle(radians: sigma),
          anchor: index, at: instant(time))
      }
      guard time > 5, let estimate = tracker.estimate(at: instant(time)) else { continue }
      count(estimate, place, &score)
    }
  }

  private func count(_ estimate: TrackEstimate, _ place: Vector<3>, _ score: inout Score) {
    guard estimate.status != .ambiguous else {
      score.ambiguous += 1
      return
    }
    let error = estimate.position - place
    var image = place
    image[1] = -2 - image[1]
    score.scored += 1
    score.squares += error.dot(error)
    if (estimate.position - image).length < error.length, error.length > 0.5 {
      score.wrongSide += 1
    }
    let square: Double
    if height == nil {
      square = estimate.normalizedSquare(of: place) ?? .infinity
    } else {
      let covariance = estimate.covariance
      let (xx, xy, yy) = (covariance[0, 0], covariance[0, 1], covariance[1, 1])
      let (x, y) = (error[0], error[1])
      square = (yy * x * x - 2 * xy * x * y + xx * y * y) / (xx * yy - xy * xy)
    }
    score.normalized += square / (height == nil ? 3 : 2)
    // Chi-square with 2 and 3 degrees of freedom at 0.27 %.
    if square > (height == nil ? 14.16 : 11.83) { score.far += 1 }
  }

  private func isMeasured(at time: Double) -> Bool {
    switch directions {
    case .none: false
    case .inStretches: Int(time / 7) % 2 == 0
    default: true
    }
  }

  private func place(at time: Double, _ phases: [Double]) -> Vector<3> {
    let angle = time / 4
    let across =
      crosses ? 3 * .sin(0.8 * angle + phases[1]) : side * (4 + 2 * .sin(1.3 * angle + phases[1]))
    return Vector([
      4 + 2.5 * .cos(angle + phases[2]), across - 1, height ?? 1 + 0.3 * .sin(0.7 * angle),
    ])
  }

  /// The axes of the tag: it turns about the vertical, and tilts by up to half a radian in every
  /// direction.
  private static func axes(
    at time: Double, _ phases: [Double], rate: Double
  ) -> Matrix<3, 3> {
    turn(2, by: rate * time + phases[0]) * turn(0, by: 0.5 * .sin(0.3 * time + phases[1]))
      * turn(1, by: 0.6 * .sin(0.45 * time + phases[0])) * Sighting.upright(facing: .zero)
  }

  private static func turn(_ axis: Int, by angle: Double) -> Matrix<3, 3> {
    let (cosine, sine) = (Double.cos(angle), Double.sin(angle))
    return switch axis {
    case 0: Matrix([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])
    case 1: Matrix([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])
    default: Matrix([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
    }
  }

  private static func pair(using generator: inout SeededGenerator) -> SIMD2<Double> {
    SIMD2(generator.normal(), generator.normal())
  }
}
