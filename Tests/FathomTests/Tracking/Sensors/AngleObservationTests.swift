import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Predictions of the angles that a tag measures, and updates with them.
@Suite struct AngleObservationTests {
  private static func angle(
    isElevation: Bool, using generator: inout SeededGenerator
  ) -> AngleObservation {
    AngleObservation(
      anchor: 5 * Vector<3>.random(using: &generator), axes: .randomAxes(using: &generator),
      measured: Angle(radians: 6 * generator.uniform() - 3), isElevation: isElevation)
  }

  /// A tag that faces along x; the anchor is 45° to its left and 45° up.
  @Test func predictsAnglesOfAnUprightTag() {
    let axes = Sighting.upright(facing: .zero)
    for (isElevation, expected) in [(false, -45.0), (true, 45)] {
      let angle = AngleObservation(
        anchor: Vector([2, 2, 8.squareRoot()]), axes: axes, measured: .zero,
        isElevation: isElevation)
      let view = angle.view(from: .zero)
      #expect(isClose(view.residual, -Angle(degrees: expected).radians, within: 1e-12))
      // A heading error of -90°: the tag truly faces along y.
      let turned = angle.view(from: .zero, heading: .pi / 2)
      #expect(isClose(turned.residual, -Angle(degrees: 45).radians, within: 1e-12))
    }
  }

  /// Compares with the sighting of the tag from the anchor.
  @Test func residualsMatchSightings() throws {
    var generator = SeededGenerator(seed: 4101)
    for trial in 0..<200 {
      let angle = Self.angle(isElevation: trial % 2 == 0, using: &generator)
      let position = Vector<3>.random(using: &generator)
      let rows = SightingResiduals(
        Sighting.seen(
          from: angle.axes, of: angle.anchor,
          azimuth: angle.isElevation ? nil : angle.measured,
          elevation: angle.isElevation ? angle.measured : nil))
      let expected = try #require(rows.residuals(rows.view(of: position)).first)
      let view = angle.view(from: position)
      // That sighting has the elevation negated.
      let sign: Double = angle.isElevation ? -1 : 1
      #expect(isClose(view.residual, sign * expected, within: 1e-9), "seed 4101, trial \(trial)")
    }
  }

  @Test func derivativesMatchDifferences() {
    var generator = SeededGenerator(seed: 4102)
    let step = 1e-6
    for trial in 0..<200 {
      let angle = Self.angle(isElevation: trial % 2 == 0, using: &generator)
      let position = Vector<3>.random(using: &generator)
      let heading = 2 * generator.uniform() - 1
      let view = angle.view(from: position, heading: heading)
      func change(_ offset: Vector<3>, _ turn: Double) -> Double {
        let after = angle.view(from: position + offset, heading: heading + turn).residual
        let before = angle.view(from: position - offset, heading: heading - turn).residual
        // The residual falls as the expected angle rises.
        return Angle(radians: before).difference(from: Angle(radians: after)).radians / (2 * step)
      }
      let scale = 1 + view.slope.length
      for axis in 0..<3 {
        var offset = Vector<3>.zero
        offset[axis] = step
        #expect(
          isClose(view.slope[axis], change(offset, 0), within: 1e-5 * scale * scale),
          "seed 4102, trial \(trial)")
      }
      #expect(
        isClose(view.turn, change(.zero, step), within: 1e-5 * scale * scale),
        "seed 4102, trial \(trial)")
    }
  }

  /// K = P Hᵀ / S with dense matrices, with and without a heading error.
  @Test(arguments: [false, true])
  func conditioningMatchesTheKalmanFilter(_ hasHeading: Bool) throws {
    try TrackState.onRandomStates(seed: 4103, hasHeading: hasHeading) {
      state, modes, generator in
      for step in 0..<3 {
        let angle = Self.angle(isElevation: step == 1, using: &generator)
        let variance = generator.exponential(mean: 0.05)
        let (expectation, excess) = state.expectation(of: angle)
        state.condition(on: expectation, variance: .init(repeating: variance))
        for mode in 0..<2 {
          let spread = Self.condition(&modes[mode], state, on: angle, variance: variance)
          #expect(isClose(expectation.spread[mode], spread, within: 1e-10 * (1 + spread)))
          let square = expectation.spread[mode] * expectation.spread[mode]
          #expect(hasHeading || isClose(excess[mode], square, within: 1e-9 * (1 + square)))
        }
      }
    }
  }

  private static func condition(
    _ dense: inout DenseTrackState, _ state: TrackState, on angle: AngleObservation,
    variance: Double
  ) -> Double {
    var place = Vector<3>([0, 0, state.height])
    for axis in 0..<state.axes { place[axis] = dense.mean[axis, 0] }
    let view = angle.view(
      from: place, heading: state.hasHeading ? dense.mean[state.heading, 0] : 0)
    var derivative = DenseMatrix(rows: 1, columns: state.size)
    for axis in 0..<state.axes { derivative[0, axis] = view.slope[axis] }
    if state.hasHeading { derivative[0, state.heading] = view.turn }
    let column = dense.covariance * derivative.transposed()
    let spread = (derivative * column)[0, 0]
    for row in 0..<state.size {
      dense.mean[row, 0] += column[row, 0] * view.residual / (spread + variance)
      for other in 0..<state.size {
        dense.covariance[row, other] -= column[row, 0] * column[other, 0] / (spread + variance)
      }
    }
    return spread
  }

  /// Directly above an upright tag neither angle has a derivative.
  @Test func derivativesVanishOverhead() {
    for isElevation in [false, true] {
      let angle = AngleObservation(
        anchor: Vector([1, 2, 5]), axes: Sighting.upright(facing: .zero),
        measured: Angle(degrees: 20), isElevation: isElevation)
      let view = angle.view(from: Vector([1, 2, 3]))
      #expect(view.residual == 0 && view.slope == .zero && view.turn == 0)
    }
  }
}

extension Matrix where Rows == 3, Columns == 3 {
  /// The axes of an arbitrarily held device: products of rotations about the world axes.
  static func randomAxes(using generator: inout SeededGenerator) -> Self {
    var axes = Sighting.upright(facing: Angle(radians: 6.3 * generator.uniform()))
    for turn in 0..<2 {
      let angle = Angle(radians: 6.3 * generator.uniform())
      let (cosine, sine) = (angle.cosine, angle.sine)
      let about: Self =
        turn == 0
        ? Matrix([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])
        : Matrix([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])
      axes = about * axes
    }
    return axes
  }
}
