import TestSupport
import Testing

@testable import Fathom

@Suite struct UncheckedRangesTests {
  /// Four anchors on the walls of a hall, between 2.05 and 2.40 m high.
  private static let anchors: [Vector<3>] = [
    Vector([0.10, 0.15, 2.10]), Vector([9.90, 0.10, 2.35]), Vector([9.85, 7.90, 2.05]),
    Vector([0.15, 7.85, 2.40]),
  ]

  /// The image on the other side is excluded, or an alternative of its own: the covariance does not
  /// reach it a second time.
  @Test(arguments: [nil, AnchorSide.below])
  func covarianceDoesNotReachTheImage(_ side: AnchorSide?) throws {
    var options = PositionOptions()
    options.side = side
    let fix = try Trilateration.solve(
      ranges: [3.20, 8.61, 10.12, 6.31], anchors: Self.anchors, options: options)
    #expect(fix.verdict == (side == nil ? .two : .unique))
    let (position, covariance) = try (#require(fix.position), #require(fix.covariance))
    // The images are at z = 0.24 and 4.10.
    #expect(isClose(position[2], 0.243, within: 1e-3))
    #expect(position[2] + 5 * covariance[2, 2].squareRoot() < 4.10)
  }

  /// The circles of the two other ranges bound what a wrong range can do.
  @Test func covarianceEndsWhereOtherRangesEnd() throws {
    var options = PositionOptions()
    options.height = 0.3
    options.rangeSigma = 0.194
    let ranges = [6.28, 6.81, 7.03]
    let fix = try Trilateration.solve(
      ranges: ranges, anchors: Array(Self.anchors.prefix(3)), options: options)
    let covariance = try #require(fix.covariance)
    let farthest = 2 * (ranges.max() ?? 0)
    for axis in 0..<2 { #expect(5 * covariance[axis, axis].squareRoot() < farthest) }
  }

  /// Positions with and without a common offset that differ by less than their uncertainty are one
  /// answer, as images are.
  @Test func nearbyPositionWithACommonOffsetIsNoAlternative() throws {
    var options = PositionOptions()
    options.height = 0.3
    let fix = try Trilateration.solve(
      ranges: [6.28, 6.81, 7.03, 6.52], anchors: Self.anchors, options: options)
    // They differ by 0.04 m, with standard deviations of 0.1 m.
    #expect(fix.verdict == .unique)
    #expect(fix.commonOffset != nil)
  }
}
