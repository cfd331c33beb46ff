import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Ranges that cannot be, whatever the position.
@Suite struct ImpossibleRangesTests {
  private static let anchors = [
    Vector<3>([0, 0, 0.3]), Vector([8, 0, 2.6]), Vector([8, 6.5, 0.2]), Vector([0, 6.5, 2.8]),
    Vector([4, 8, 1.4]),
  ]
  private static let tag = Vector<3>([3, 2, 1.2])

  private static func ranges(_ count: Int) -> [Double] {
    anchors.prefix(count).map { (tag - $0).length }
  }

  /// A range from a counter that overflowed leaves the position to the others.
  @Test(arguments: 0..<5) func anOverflowIsDiscounted(_ wrong: Int) throws {
    var ranges = Self.ranges(5)
    ranges[wrong] = 338_210.5
    let fix = try Trilateration.solve(ranges: ranges, anchors: Self.anchors)
    #expect(fix.discounted == [wrong])
    let positions = [try #require(fix.position)] + fix.alternatives.map(\.position)
    #expect(positions.contains { ($0 - Self.tag).length < 1e-6 })
  }

  /// Three ranges with such a one determine no position in space.
  @Test func tooFewAreLeft() throws {
    var ranges = Self.ranges(3)
    ranges[1] = 338_210.5
    let fix = try Trilateration.solve(ranges: ranges, anchors: Array(Self.anchors.prefix(3)))
    #expect(fix.position == nil)
    #expect(fix.verdict == .tooFew)
    #expect(fix.discounted.contains(1))
  }

  /// Of two that contradict each other by less than the layout, neither is discounted: which one is wrong is
  /// left to the loss.
  @Test func twoThatNearlyAgreeAreKept() throws {
    let anchors = [Vector<2>([0, 0]), Vector([10, 0])]
    let sigmas = [0.1, 0.1]
    let fix = try Trilateration.solve(ranges: [13, 2], anchors: anchors, sigmas: sigmas)
    #expect(fix.verdict == .inconsistent)
    #expect(fix.position != nil)
    // Beyond, the longer one cannot be.
    let far = try Trilateration.solve(ranges: [2300, 2], anchors: anchors, sigmas: sigmas)
    #expect(far.position == nil && far.discounted.contains(0))
  }

  /// Ranges of a real place are never discounted, wherever it is.
  @Test func possibleRangesAreKept() throws {
    var generator = SeededGenerator(seed: 4804)
    for _ in 0..<500 {
      let count = 3 + Int(generator.uniform() * 5)
      func place(_ size: Double) -> Vector<3> {
        Vector([size * generator.normal(), size * generator.normal(), size * generator.normal()])
      }
      let anchors = (0..<count).map { _ in place(5) }
      let tag = place(20)
      let ranges = anchors.map { max(0.01, (tag - $0).length + 0.1 * generator.normal()) }
      var usable = try UsableRanges(
        ranges, anchors, [Double](repeating: 0.1, count: count), PositionOptions())
      usable.discountImpossible()
      #expect(usable.indices.count == count)
    }
  }

  /// A fix outside of the box is moved into it, with a covariance that reaches where it was.
  @Test func fixesStayInTheBox() throws {
    var configuration = EpochLocator.Configuration()
    configuration.bounds = PositionBounds(lower: .zero, upper: Vector([8, 8, 3]))
    var locator = try EpochLocator(
      anchors: Self.anchors.map { Anchor(position: $0) }, configuration: configuration)
    let outside = Vector<3>([9, 4, 1])
    for (index, anchor) in Self.anchors.enumerated() {
      let distance = (outside - anchor).length
      locator.update(
        .range(RangeMeasurement(time: instant(1), anchor: index, distance: distance)))
    }
    let fix = try #require(locator.solve(at: instant(1))?.fix)
    let position = try #require(fix.position)
    let covariance = try #require(fix.covariance)
    #expect(position[0] <= 8 && (position - outside).length < 1.5)
    #expect(covariance[0, 0] > 0.1)
  }
}
