import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Orientations with a common rotation error about the vertical.
@Suite struct HeadingRotationTests {
  private static let anchors: [Vector<3>] = [
    Vector([6, 1, 2]), Vector([2, 7, 0.5]), Vector([-4, 3, 2.5]), Vector([5, -5, 1]),
  ]

  /// Returns the measurements of all anchors by a device at `place` with the true `heading`,
  /// reported under `claimed`.
  ///
  /// `error` gives errors in standard deviations.
  private func sightings(
    at place: Vector<3>, heading: Angle, claimed: Angle, elevations: Bool = false,
    error: () -> Double = { 0 }
  ) throws -> [Sighting] {
    let truth = Sighting.upright(facing: heading)
    return try Self.anchors.map { anchor in
      let seen = try #require(FullSphere(truth.transposed() * (anchor - place)))
      return Sighting.seen(
        from: Sighting.upright(facing: claimed), of: anchor,
        range: seen.distance + 0.1 * error(),
        azimuth: seen.azimuth + Angle(degrees: 3 * error()),
        elevation: elevations ? seen.elevation + Angle(degrees: 3 * error()) : nil)
    }
  }

  @Test func rotationAndInverseCancel() {
    var generator = SeededGenerator(seed: 521)
    for _ in 0..<100 {
      let angle = Angle(degrees: generator.uniform(in: -400...400))
      let (anchor, place) = (
        Vector<3>.random(using: &generator), Vector<3>.random(using: &generator)
      )
      let back = HeadingRotation(angle).undone(place, about: anchor)
      #expect((HeadingRotation(angle).applied(to: back - anchor) + anchor - place).length < 1e-14)
      let step = Angle(radians: 1e-6)
      let ahead = HeadingRotation(angle + step).undone(place, about: anchor)
      let motion = HeadingRotation.motion(of: back, about: anchor)
      #expect((1e6 * (ahead - back) - motion).length < 1e-5)
    }
    #expect(HeadingRotation(.zero).undone(Vector([1, 2, 3]), about: .zero) == Vector([1, 2, 3]))
  }

  /// Without measurement errors, a heading error of 4° with an assumed σ of 5° is nearly corrected:
  /// the prior counts as one azimuth of 5° in addition to four of 3°.
  @Test func compassErrorIsEstimated() throws {
    let place = Vector<3>([1, 1, 1])
    let sightings = try sightings(
      at: place, heading: Angle(degrees: 64), claimed: Angle(degrees: 60))
    var options = RangesAndAngles.Options()
    let uncorrected = try #require(
      try RangesAndAngles.solve(sightings, options: options).fix.position)
    options.headingSigma = Angle(degrees: 5)
    let result = try RangesAndAngles.solve(sightings, options: options)
    let position = try #require(result.fix.position)
    #expect((position - place).length < 0.3 * (uncorrected - place).length)
    let turn = try #require(result.turn).degrees
    #expect(turn > 3 && turn < 4)
    let sigma = try #require(result.turnSigma).degrees
    #expect(sigma > 1 && sigma < 3)
  }

  /// Any true heading, reported as zero.
  @Test func unknownHeadingIsEstimated() throws {
    var generator = SeededGenerator(seed: 522)
    var options = RangesAndAngles.Options()
    options.headingSigma = .halfTurn
    for trial in 0..<60 {
      let place = Vector<3>([
        generator.uniform(in: -2...4), generator.uniform(in: -2...4), generator.uniform(in: 0...2),
      ])
      let heading = Angle(degrees: generator.uniform(in: -180...180))
      let sightings = try sightings(
        at: place, heading: heading, claimed: .zero, elevations: trial % 2 == 0)
      let result = try RangesAndAngles.solve(sightings, options: options)
      let position = try #require(result.fix.position, "seed 522, trial \(trial)")
      // The reported heading counts as an azimuth with σ = 180°.
      #expect((position - place).length < 0.01, "seed 522, trial \(trial)")
      let turn = try #require(result.turn)
      #expect(turn.difference(from: heading).magnitude.degrees < 0.1, "seed 522, trial \(trial)")
    }
  }

  /// Heading errors of σ = 5°, drawn for every epoch, with all anchors on one side.
  ///
  /// The covariance matches the errors; with headings assumed exact it does not.
  @Test(.releaseOnly) func covarianceIncludesCommonHeadingError() throws {
    var generator = SeededGenerator(seed: 523)
    var options = RangesAndAngles.Options()
    options.loss = .squared
    let place = Vector<3>([-12, 1, 1])
    func squares(_ sigma: Angle?) throws -> Consistency {
      options.headingSigma = sigma
      var squares: [Double] = []
      for _ in 0..<2000 {
        let claimed = Angle(degrees: 40 + 5 * generator.normal())
        let sightings = try sightings(
          at: place, heading: Angle(degrees: 40), claimed: claimed, elevations: true
        ) { generator.normal() }
        let fix = try RangesAndAngles.solve(sightings, options: options).fix
        let error = try #require(fix.position) - place
        let covariance = try #require(fix.covariance)
        squares.append(error.dot(try #require(Cholesky(covariance)).solve(error)))
      }
      return try #require(Consistency(normalizedSquares: squares, degreesOfFreedom: 3))
    }
    let shared = try squares(Angle(degrees: 5))
    let exact = try squares(nil)
    print("heading errors: NEES \(shared.meanPerDof) in \(shared.bounds99)")
    print("with headings assumed exact \(exact.meanPerDof)")
    #expect(shared.bounds99.contains(shared.meanPerDof), "seed 523")
    #expect(exact.meanPerDof > 1.5, "seed 523")
  }

  @Test func throwsForInvalidHeadingSigma() throws {
    let sightings = try sightings(at: Vector([1, 1, 1]), heading: .zero, claimed: .zero)
    var options = RangesAndAngles.Options()
    for degrees in [0, -1, .nan, .infinity, 180.001] {
      options.headingSigma = Angle(degrees: degrees)
      #expect(throws: TrilaterationError.headingSigmaNotInRange, "\(degrees)") {
        try RangesAndAngles.solve(sightings, options: options)
      }
    }
  }

  /// A range and an azimuth of one anchor leave a circle if the heading is unknown.
  @Test func unknownHeadingRequiresOneMoreMeasurement() throws {
    let all = try sightings(at: Vector([1, 1, 1]), heading: .zero, claimed: .zero)
    var options = RangesAndAngles.Options()
    options.height = 1
    let one = Array(all.prefix(1))
    #expect(try RangesAndAngles.solve(one, options: options).fix.verdict == .unique)
    options.headingSigma = .halfTurn
    let open = try RangesAndAngles.solve(one, options: options)
    #expect(open.fix.verdict == .tooFew && open.fix.position == nil && open.turn == nil)
  }
}
