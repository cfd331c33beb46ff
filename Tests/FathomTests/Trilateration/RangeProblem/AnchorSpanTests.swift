import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct AnchorSpanTests {
  /// Points, lines, planes and space, also at large offsets, in random orientations so that no
  /// coordinate is exact.
  @Test(arguments: [0.0, 5e5, 1e9], [0, 1, 2, 3])
  func rankIsDimensionOfSpan(_ shift: Double, _ dimension: Int) {
    var generator = SeededGenerator(seed: 281)
    for _ in 0..<100 {
      let anchors = anchors(spanning: dimension, using: &generator)
        .map { $0 + Vector<3>([shift, -shift, shift / 3]) }
      let span = AnchorSpan(of: anchors, free: 3)
      #expect(span.rank == dimension, "seed 281: \(anchors)")
      expectOrthonormal(span.axes, "seed 281")
    }
  }

  @Test func rankIsInvariantUnderRotationAndScaling() {
    var generator = SeededGenerator(seed: 282)
    for _ in 0..<200 {
      let dimension = Int(generator.uniform(in: 0...3.999))
      let anchors = anchors(spanning: dimension, using: &generator)
      let rotation = rotation(using: &generator)
      for scale in [1e-6, 1e-2, 1, 1e4, 1e8] {
        let span = AnchorSpan(of: anchors.map { scale * (rotation * $0) }, free: 3)
        #expect(span.rank == dimension, "seed 282: \(scale), \(anchors)")
        let unscaled = AnchorSpan(of: anchors, free: 3).spread
        #expect(isClose(span.spread, scale * unscaled, within: 1e-12 * scale * unscaled))
      }
    }
  }

  @Test func centreAndSpreadOfRectangle() {
    // (±3, ±4) around (10, 20): the mean square distance is 25.
    let anchors = [(13.0, 24.0), (7.0, 24.0), (7.0, 16.0), (13.0, 16.0)]
      .map { Vector<2>([$0.0, $0.1]) }
    let span = AnchorSpan(of: anchors, free: 2)
    #expect(span.centre == Vector<2>([10, 20]))
    #expect(span.rank == 2)
    // The spread is that of the widest axis: y, with a mean square of 16.
    #expect(isClose(span.spread, 4, within: 1e-14))
    #expect(span.axes.row(0)[1].magnitude == 1)
  }

  @Test func coordinatesAndOffsetsAreInverse() {
    var generator = SeededGenerator(seed: 283)
    for _ in 0..<100 {
      let anchors = anchors(spanning: 3, using: &generator)
      let span = AnchorSpan(of: anchors, free: 3)
      let offset = 10 * Vector<3>.random(using: &generator)
      let coordinates = span.coordinates(of: offset)
      #expect((span.offset(of: coordinates) - offset).length < 1e-13, "seed 283")
      #expect(isClose(coordinates.length, offset.length, within: 1e-13), "seed 283")
    }
    // Coplanar anchors have no extent along the normal, the last axis.
    let plane = anchors(spanning: 2, using: &generator)
    let span = AnchorSpan(of: plane, free: 3)
    for anchor in plane {
      #expect(isClose(span.coordinates(of: anchor - span.centre)[2], 0, within: 1e-13))
    }
  }

  @Test func knownCoordinateIsLastAxisAndIgnored() {
    // In plan view these lie on a line, whatever their heights.
    let line: [Vector<3>] = [Vector([0, 0, 1]), Vector([2, 2, 9]), Vector([5, 5, -4])]
    let span = AnchorSpan(of: line, free: 2)
    #expect(span.rank == 1)
    #expect(span.axes.row(2) == Vector<3>([0, 0, 1]) || span.axes.row(2) == Vector<3>([0, 0, -1]))
    #expect(span.centre[2] == 2)
    expectOrthonormal(span.axes, "given height")
    let triangle = line + [Vector([5, 0, 1])]
    #expect(AnchorSpan(of: triangle, free: 2).rank == 2)
  }

  @Test func spanOfZeroOrOneAnchorsHasRankZero() {
    let none = AnchorSpan(of: [Vector<3>](), free: 3)
    #expect(none.rank == 0 && none.spread == 0 && none.centre == .zero)
    let one = AnchorSpan(of: [Vector<3>([1e9, 2, 3])], free: 3)
    #expect(one.rank == 0 && one.spread == 0 && one.centre == Vector([1e9, 2, 3]))
    expectOrthonormal(one.axes, "one anchor")
  }

  // MARK: Harness

  /// Returns anchors within ±20 m that span `dimension` dimensions in a random orientation: two
  /// more than necessary.
  private func anchors(
    spanning dimension: Int, using generator: inout SeededGenerator
  ) -> [Vector<3>] {
    let axes = rotation(using: &generator)
    let base = 5 * Vector<3>.random(using: &generator)
    return (0..<dimension + 3).map { index in
      var anchor = base
      for axis in 0..<dimension {
        // The first anchors lie along the axes, so that no extent is smaller than metres.
        let along = index == axis ? 8 : generator.uniform(in: -4...4)
        anchor += along * axes.row(axis)
      }
      return anchor
    }
  }

  /// Returns orthonormal rows in a random orientation: the axes of a random symmetric matrix.
  private func rotation(using generator: inout SeededGenerator) -> Matrix<3, 3> {
    PrincipalAxes(of: Matrix<3, 3>.random(using: &generator).symmetrized()).axes
  }

  private func expectOrthonormal(_ axes: Matrix<3, 3>, _ comment: Comment) {
    #expect(axes.timesTransposed(axes).dense.distance(to: .identity(3)) < 1e-14, comment)
  }
}
