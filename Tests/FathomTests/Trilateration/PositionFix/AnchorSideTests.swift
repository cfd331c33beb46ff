import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct AnchorSideTests {
  /// A wall surveyed to two centimetres.
  private static let wall: [Vector<3>] = [
    Vector([0.02, 0, 0.5]), Vector([-0.02, 6, 0.5]), Vector([-0.02, 0, 3]), Vector([0, 6, 3.1]),
  ]

  private let tag = Vector<3>([3, 2.5, 1.2])

  private func fix(
    _ anchors: [Vector<3>], _ side: AnchorSide?, height: Double? = nil
  ) throws -> PositionFix<3> {
    var options = PositionOptions()
    (options.side, options.height) = (side, height)
    return try Trilateration.solve(
      ranges: anchors.map { ($0 - tag).length }, anchors: anchors, options: options)
  }

  @Test func selectsBetweenImagesUnderACeiling() throws {
    let ceiling: [Vector<3>] = [
      Vector([0, 0, 3]), Vector([10, 0, 3]), Vector([0, 8, 3]), Vector([10, 8, 3]),
    ]
    #expect(try fix(ceiling, nil).verdict == .two)
    for (side, height) in [(AnchorSide.below, 1.2), (.above, 4.8)] {
      let found = try fix(ceiling, side)
      #expect(found.verdict == .unique && found.alternative == nil)
      #expect(isClose(try #require(found.position)[2], height, within: 1e-6))
    }
  }

  /// The images in front of and behind a surveyed wall differ in height by centimetres only, which
  /// no side means.
  @Test(arguments: AnchorSide.allCases)
  func doesNotSelectInFrontOfAWall(_ side: AnchorSide) throws {
    let found = try fix(Self.wall, side)
    let other = try #require(found.alternative)
    #expect(found.verdict == .two)
    #expect(abs((try #require(found.position))[2] - other[2]) > 0.01)
  }

  /// Nor do the solvers of other measurements.
  @Test(arguments: AnchorSide.allCases)
  func doesNotSelectInFrontOfAWallByDifferences(_ side: AnchorSide) throws {
    let ranges = Self.wall.map { ($0 - tag).length }
    var options = TimeDifferences.Options()
    options.side = side
    let result = try TimeDifferences.solve(
      differences: (1..<4).map {
        TimeDifference(first: $0, second: 0, difference: ranges[$0] - ranges[0])
      }, anchors: Self.wall, options: options)
    #expect(result.fix.verdict == .two)
  }

  /// Slopes of 29° and 31° of a plane of anchors.
  @Test func actsUpToThirtyDegrees() throws {
    for (degrees, acts) in [(29.0, true), (31, false)] {
      let angle = degrees * Double.pi / 180
      let roof = [(0.0, 0.0), (8, 0), (0, 8), (8, 8)].map { x, y in
        Vector<3>([x, y * .cos(angle), 3 + y * .sin(angle)])
      }
      #expect((try fix(roof, .below).verdict == .unique) == acts, "\(degrees)°")
    }
  }

  /// The same to the bit, as it is solved in the same way.
  @Test func hasNoEffectWithAnExactHeight() throws {
    let anchors: [Vector<3>] = [
      Vector([0, 0, 2]), Vector([9, 1, 2.4]), Vector([1, 7, 0.4]), Vector([8, 8, 1.1]),
    ]
    let plain = try fix(anchors, nil, height: 1.2)
    for side in AnchorSide.allCases {
      #expect(try fix(anchors, side, height: 1.2) == plain)
    }
  }
}
