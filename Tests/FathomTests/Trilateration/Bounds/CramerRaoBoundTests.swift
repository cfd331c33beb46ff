import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct CramerRaoBoundTests {
  private let square: [Anchor] = [
    Anchor(position: Vector([0, 0, 1])), Anchor(position: Vector([8, 0, 1])),
    Anchor(position: Vector([8, 8, 1])), Anchor(position: Vector([0, 8, 1])),
  ]
  private let centre = Vector<3>([4, 4, 1])

  // MARK: Analytic values

  @Test func boundAtCentreOfSquare() throws {
    // Unit vectors (±1, ±1)/√2: JᵀJ = diag(2, 2). With σ = 0.1: variances 0.01 / 2 per axis,
    // horizontal error √(0.005 + 0.005) = 0.1, PDOP 1.
    let bound = try CramerRaoBound(
      at: centre, anchors: square, measuring: ExpectedMeasurements(.range), isHeightKnown: true)
    let covariance = try #require(bound.covariance)
    #expect(isClose(covariance[0, 0], 0.005, within: 1e-15) && covariance[2, 2] == 0)
    #expect(isClose(covariance[1, 1], 0.005, within: 1e-15))
    #expect(isClose(covariance[0, 1], 0, within: 1e-15))
    #expect(isClose(try #require(bound.horizontalSigma), 0.1, within: 1e-15))
    #expect(bound.verticalSigma == nil && bound.offsetSigma == nil && bound.undetermined.isEmpty)
    #expect(bound.measurements == 4)
    // Equal errors of √0.005 in both axes: half of them within √(2 ln 2) times that, 0.083255.
    #expect(isClose(try #require(bound.radius(holding: 0.5)), 0.083_255_461, within: 1e-8))
    let dilution = try #require(bound.dilution)
    #expect(isClose(dilution.position, 1, within: 1e-15))
    #expect(isClose(dilution.geometric, 1, within: 1e-15) && dilution.vertical == nil)
  }

  @Test func arrivalsAddOffsetToGeometricDilution() throws {
    // The sums of the unit vectors vanish: the offset has σ = 0.1/√4 independent of the position,
    // and GDOP is √(1 + 1/4).
    let bound = try CramerRaoBound(
      at: centre, anchors: square, measuring: ExpectedMeasurements(.arrival), isHeightKnown: true)
    #expect(isClose(try #require(bound.horizontalSigma), 0.1, within: 1e-15))
    #expect(isClose(try #require(bound.offsetSigma), 0.05, within: 1e-15))
    #expect(isClose(try #require(bound.dilution).geometric, 1.25.squareRoot(), within: 1e-15))
    #expect(isClose(try #require(bound.dilution).position, 1, within: 1e-15))
  }

  @Test func rangeAndAnglesOfOneAnchorDeterminePosition() throws {
    // Tag 10 m along x: x from the range, y from the azimuth over 10 m, z from the elevation over
    // 10 m.
    var measured = ExpectedMeasurements([.range, .azimuth, .elevation])
    measured.rangeSigma = 0.2
    measured.azimuthSigma = Angle(radians: 0.01)
    measured.elevationSigma = Angle(radians: 0.03)
    var bound = try CramerRaoBound(
      at: Vector([10, 0, 0]), anchors: [Anchor(position: .zero)], measuring: measured)
    var covariance = try #require(bound.covariance)
    #expect(isClose(covariance[0, 0], 0.04, within: 1e-15))
    #expect(isClose(covariance[1, 1], 0.01, within: 1e-15))
    #expect(isClose(covariance[2, 2], 0.09, within: 1e-15))
    #expect(isClose(try #require(bound.verticalSigma), 0.3, within: 1e-15))
    // A single range has no dilution.
    #expect(bound.dilution == nil && bound.measurements == 3)
    // An anchor with σ = 0.1 m per axis adds 0.01 to each variance.
    bound = try CramerRaoBound(
      at: Vector([10, 0, 0]), anchors: [Anchor(position: .zero, positionSigma: 0.1)],
      measuring: measured)
    covariance = try #require(bound.covariance)
    #expect(isClose(covariance[0, 0], 0.05, within: 1e-15))
    #expect(isClose(covariance[1, 1], 0.02, within: 1e-15))
    #expect(isClose(covariance[2, 2], 0.1, within: 1e-15))
  }

  @Test func distanceDependentErrorsAddInformation() throws {
    // Along x from one side only; σ² = 0.03² + (0.004 · 10)² = 0.05². The variance itself depends
    // on the distance: its information is 2 (b² d / σ²)² = 2 (1.6e-4 / 2.5e-3)² = 8.192e-3 in
    // addition to 400.
    var measured = ExpectedMeasurements([.range, .azimuth])
    measured.rangeSigma = 0.03
    measured.rangeSigmaPerMetre = 0.004
    let bound = try CramerRaoBound(
      at: Vector([10, 0, 0]), anchors: [Anchor(position: .zero)], measuring: measured,
      isHeightKnown: true)
    #expect(isClose(bound.information[0, 0], 400.008_192, within: 1e-9))
  }

  @Test func roundsDoNotAverageAnchorErrors() throws {
    // 25 rounds of 0.1 m: 0.02 m. With an anchor σ of 0.03 m: 0.0004 + 0.0009 per range, and not
    // (0.01 + 0.0009) / 25. In the centre of the square both axes have half of that.
    var measured = ExpectedMeasurements(.range)
    measured.rounds = 25
    let anchors = square.map { Anchor(position: $0.position, positionSigma: 0.03) }
    let bound = try CramerRaoBound(
      at: centre, anchors: anchors, measuring: measured, isHeightKnown: true)
    #expect(isClose(try #require(bound.covariance)[0, 0], 0.00065, within: 1e-15))
  }

  // MARK: Invariants

  /// A rotation about the vertical and a large translation rotate the bounds.
  @Test func boundIsInvariantUnderRotationAndTranslation() throws {
    var generator = SeededGenerator(seed: 761)
    for _ in 0..<40 {
      let layout = RandomLayout(
        6, kinds: [[.range, .azimuth], .arrival, .angles], placement: 0.1, using: &generator)
      let angle = Angle(radians: generator.uniform(in: 0...6))
      let turn = Matrix<3, 3>([
        [angle.cosine, -angle.sine, 0], [angle.sine, angle.cosine, 0], [0, 0, 1],
      ])
      let shift = Vector<3>([4e5, 5e6, 0])
      let bound = try CramerRaoBound(
        at: layout.tag, anchors: layout.anchors, measuring: layout.measured)
      let turned = try CramerRaoBound(
        at: turn * layout.tag + shift,
        anchors: layout.anchors.map {
          Anchor(position: turn * $0.position + shift, positionSigma: $0.positionSigma)
        }, measuring: layout.measured)
      let expected = turn * (try #require(bound.covariance)) * turn.transposed()
      let covariance = try #require(turned.covariance)
      for row in 0..<3 {
        for column in 0..<3 {
          // Coordinates of 5e6 m have steps of 1e-9 m.
          #expect(
            isClose(
              covariance[row, column], expected[row, column], within: 1e-6 * expected.trace),
            "seed 761")
        }
      }
      #expect(
        isClose(
          try #require(turned.radius(holding: 0.95)), try #require(bound.radius(holding: 0.95)),
          within: 1e-6), "seed 761")
    }
  }

  // MARK: Undetermined directions

  @Test func heightIsUndeterminedInAnchorPlane() throws {
    let bound = try CramerRaoBound(
      at: centre, anchors: square, measuring: ExpectedMeasurements(.range))
    #expect(bound.covariance == nil && bound.verticalSigma == nil && bound.dilution == nil)
    #expect(isClose(try #require(bound.horizontalSigma), 0.1, within: 1e-15))
    #expect(bound.undetermined.map { $0.array } == [[0, 0, 1]])
  }

  @Test func fewAnchorsLeaveDirectionsUndetermined() throws {
    // One range in the plane: nothing across. Directly below an anchor: only the height.
    let one = try CramerRaoBound(
      at: Vector([3, 4, 0]), anchors: [Anchor(position: .zero)],
      measuring: ExpectedMeasurements(.range), isHeightKnown: true)
    let across = try #require(one.undetermined.first)
    #expect(one.horizontalCovariance == nil && one.undetermined.count == 1)
    #expect(isClose(across.dot(Vector([0.6, 0.8, 0])), 0, within: 1e-12) && across[2] == 0)
    let below = try CramerRaoBound(
      at: .zero, anchors: [Anchor(position: Vector([0, 0, 3]))],
      measuring: ExpectedMeasurements([.range, .azimuth, .elevation]))
    #expect(isClose(try #require(below.verticalSigma), 0.1, within: 1e-15))
    #expect(below.horizontalSigma == nil && below.undetermined.count == 2)
    // Two arrivals give one hyperbola; three in the plane suffice.
    for count in 2...3 {
      let bound = try CramerRaoBound(
        at: Vector([3, 2, 1]), anchors: Array(square.prefix(count)),
        measuring: ExpectedMeasurements(.arrival), isHeightKnown: true)
      #expect((bound.covariance != nil) == (count == 3))
      #expect((bound.offsetSigma != nil) == (count == 3))
    }
    // Angles from one anchor give a direction; the distance is undetermined.
    let ray = try CramerRaoBound(
      at: Vector([1, 2, 2]), anchors: [Anchor(position: .zero)],
      measuring: ExpectedMeasurements(.angles))
    let open = try #require(ray.undetermined.first)
    #expect(ray.undetermined.count == 1 && ray.horizontalSigma == nil)
    #expect(isClose(open.dot(Vector([1, 2, 2])).magnitude, 3, within: 1e-9))
    #expect(ray.verticalSigma == nil)
  }

  @Test func ignoresAnchorsOutOfReach() throws {
    var measured = ExpectedMeasurements([.range, .angles])
    measured.maximumRange = 5
    for position: Vector<3> in [centre, Vector([.nan, 0, 0]), Vector([1e200, 0, 0])] {
      let bound = try CramerRaoBound(at: position, anchors: square, measuring: measured)
      #expect(bound.measurements == 0 && bound.covariance == nil && bound.undetermined.count == 3)
    }
    measured.maximumRange = 6
    let ranged = try CramerRaoBound(at: centre, anchors: square, measuring: measured)
    #expect(ranged.measurements == 12 && ranged.covariance != nil)
    // An anchor contributes nothing at its own position.
    let there = try CramerRaoBound(
      at: square[0].position, anchors: square, measuring: ExpectedMeasurements(.range),
      isHeightKnown: true)
    #expect(there.measurements == 3 && there.covariance != nil)
    let none = try CramerRaoBound(
      at: centre, anchors: [], measuring: ExpectedMeasurements(.range))
    #expect(none.covariance == nil && none.undetermined.count == 3)
  }

  @Test func throwsForInvalidInput() throws {
    let good = ExpectedMeasurements(.range)
    func failure(_ anchors: [Anchor], _ measured: [ExpectedMeasurements]) -> TrilaterationError? {
      do throws(TrilaterationError) {
        _ = try CramerRaoBound(at: centre, anchors: anchors, measuring: measured)
        return nil
      } catch { return error }
    }
    #expect(failure(square, [good]) == .countMismatch(ranges: 1, anchors: 4))
    for broken in [
      Anchor(position: Vector([.nan, 0, 0])), Anchor(position: .zero, positionSigma: -1),
      Anchor(position: .zero, positionSigma: .infinity),
    ] {
      #expect(failure([square[0], broken], [good, good]) == .anchorNotFinite(index: 1))
    }
    var mistakes = [ExpectedMeasurements](repeating: good, count: 8)
    mistakes[0].rangeSigma = 0
    mistakes[1].rangeSigma = 1e-200
    mistakes[2].rangeSigma = .nan
    mistakes[3].rangeSigmaPerMetre = -0.1
    mistakes[4].azimuthSigma = .zero
    mistakes[5].elevationSigma = Angle(radians: .infinity)
    mistakes[6].maximumRange = 0
    mistakes[7].rounds = 0
    for mistake in mistakes {
      #expect(failure([square[0]], [mistake]) == .sigmaNotPositive(index: 0), "\(mistake)")
    }
  }
}
