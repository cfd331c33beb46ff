import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct AnchorPlaneTests {
  private static let ceiling = SimulatedWalk.ceiling.map(\.position)

  /// The ceiling, tilted about the x axis through its edge at y = 0.
  private static func tilted(_ degrees: Double) -> [Vector<3>] {
    let angle = degrees * .pi / 180
    return ceiling.map { place in
      Vector([place[0], place[1] * .cos(angle), 3 + place[1] * .sin(angle)])
    }
  }

  @Test func fitsACeiling() throws {
    let plane = try #require(AnchorPlane(nearlyHorizontal: Self.ceiling))
    #expect((plane.normal - Vector([0, 0, 1])).length < 1e-12)
    #expect((plane.centre - Vector([5, 4, 3])).length < 1e-12 && plane.thickness < 1e-12)
    let (low, high) = (Vector<3>([2, 9, 2.9]), Vector<3>([2, 9, 3.1]))
    #expect(plane.isBeyond(high, from: .below) && !plane.isBeyond(low, from: .below))
    #expect(plane.isBeyond(low, from: .above) && !plane.isBeyond(high, from: .above))
  }

  /// Far from the origin as well, as with projected coordinates.
  @Test(arguments: [0.0, 5e6])
  func isNearlyHorizontalUpToThirtyDegrees(_ shift: Double) {
    for degrees in [-89.0, -60, -31, -29, -10, 0, 10, 29, 31, 60, 90] {
      let anchors = Self.tilted(degrees).map { $0 + Vector([shift, -shift, 0]) }
      let plane = AnchorPlane(nearlyHorizontal: anchors)
      #expect((plane != nil) == (degrees.magnitude < 30), "\(degrees)°")
      if let plane { #expect(plane.normal[2] > 0) }
    }
  }

  @Test func anchorsAtDifferentHeightsAreNoPlane() throws {
    #expect(AnchorPlane(nearlyHorizontal: SimulatedWalk.room.map(\.position)) == nil)
    let line = (0..<4).map { Vector<3>([Double($0), 2 * Double($0), 3]) }
    #expect(AnchorPlane(nearlyHorizontal: line) == nil)
    #expect(AnchorPlane(nearlyHorizontal: []) == nil)
    // Two rows 8 m apart, alternately a little higher and lower: a plane within a tenth of that.
    for (unevenness, isPlane) in [(0.3, true), (0.5, false)] {
      let anchors = Self.ceiling.enumerated().map { index, place in
        place + Vector([0, 0, index % 2 == 0 ? unevenness : -unevenness])
      }
      let plane = AnchorPlane(nearlyHorizontal: anchors)
      #expect((plane != nil) == isPlane, "\(unevenness) m")
      if let plane {
        #expect(isClose(plane.thickness, unevenness, within: 1e-12))
        #expect(!plane.isBeyond(Vector([5, 4, 3.2]), from: .below))
        #expect(plane.isBeyond(Vector([5, 4, 3.4]), from: .below))
      }
    }
  }

  /// A plane within a quarter of a metre may be thicker relative to its anchors.
  @Test func aWallIsAPlaneUpToTheLengthOfReflections() {
    for (offset, scale, isPlane) in [
      (0.2, 1.0, true), (0.3, 1, false), (0.2, 3, true), (0.5, 3, false),
    ] {
      // Two rows of two anchors each, 1.5 m above each other, alternately before and behind the wall.
      let wall = (0..<4).map { index in
        let place = Vector([index % 2 == 0 ? 0 : 6, 0, index < 2 ? 0 : 1.5])
        return scale * place + Vector([0, index % 3 == 0 ? offset : -offset, 0])
      }
      let plane = AnchorPlane(through: wall, isLevel: false)
      #expect((plane != nil) == isPlane, "\(offset) m, times \(scale)")
    }
  }

  // MARK: Side

  private static func sided(
    _ side: AnchorSide, _ anchors: [Vector<3>] = ceiling,
    _ change: (inout TrackerConfiguration) -> Void = { _ in }
  ) throws -> SidedPlane {
    var configuration = TrackerConfiguration()
    configuration.side = side
    change(&configuration)
    return try #require(SidedPlane(of: anchors, configuration))
  }

  @Test func knownHeightReplacesTheSide() throws {
    func isSided(_ side: AnchorSide?, height: Double?, sigma: Double? = nil) -> Bool {
      var configuration = TrackerConfiguration.withHeight(height, sigma: sigma)
      configuration.side = side
      return SidedPlane(of: Self.ceiling, configuration) != nil
    }
    #expect(!isSided(nil, height: nil) && isSided(.below, height: nil))
    #expect(!isSided(.below, height: 1) && !isSided(.below, height: 5))
    #expect(isSided(.below, height: 1, sigma: 0.5) && !isSided(.above, height: 1, sigma: 0.5))
  }

  /// Moments of the samples of a normal distribution that are on the side.
  @Test func truncatedDistributionHasTheMomentsOfItsPart() throws {
    var generator = SeededGenerator(seed: 8801)
    for side in AnchorSide.allCases {
      let anchors = Self.tilted(20)
      let sided = try Self.sided(side, anchors)
      let inwards = side == .below ? -sided.plane.normal : sided.plane.normal
      for depth in [0.0, 0.3, 1] {
        let mean = sided.plane.centre + depth * inwards
        let covariance = Matrix<3, 3>([[0.5, 0.1, 0.2], [0.1, 0.4, -0.1], [0.2, -0.1, 0.6]])
        let root = try #require(Cholesky(covariance)).factor
        var (count, sum, squares) = (0.0, Vector<3>.zero, Matrix<3, 3>.zero)
        for _ in 0..<200_000 {
          let noise = Vector<3>([generator.normal(), generator.normal(), generator.normal()])
          let offset = root * noise
          guard (mean + offset - sided.plane.centre).dot(inwards) >= 0 else { continue }
          count += 1
          sum += offset
          for row in 0..<3 {
            for column in 0..<3 { squares[row, column] += offset[row] * offset[column] }
          }
        }
        let average = (1 / count) * sum
        let found = sided.truncated(mean, covariance)
        #expect((found.position - mean - average).length < 0.01, "seed 8801, \(side), \(depth)")
        #expect(found.covariance == found.covariance.transposed())
        for row in 0..<3 {
          for column in 0..<3 {
            let expected = squares[row, column] / count - average[row] * average[column]
            #expect(
              isClose(found.covariance[row, column], expected, within: 0.01),
              "seed 8801, \(side), \(depth): \(row), \(column)")
          }
        }
      }
    }
  }

  @Test func farPositionsAreKeptOrReflected() throws {
    let sided = try Self.sided(.below)
    let covariance = Matrix<3, 3>([[0.01, 0, 0.002], [0, 0.01, 0], [0.002, 0, 0.02]])
    let kept = sided.truncated(Vector([2, 3, 1]), covariance)
    #expect((kept.position - Vector([2, 3, 1])).length < 1e-12)
    let turned = sided.truncated(Vector([2, 3, 5]), covariance)
    #expect((turned.position - Vector([2, 3, 1])).length < 1e-12)
    for row in 0..<3 {
      for column in 0..<3 {
        let sign: Double = (row == 2) == (column == 2) ? 1 : -1
        #expect(isClose(kept.covariance[row, column], covariance[row, column], within: 1e-12))
        #expect(
          isClose(turned.covariance[row, column], sign * covariance[row, column], within: 1e-12))
      }
    }
    // Without a variance there is nothing to truncate.
    let exact = sided.truncated(Vector([2, 3, 3]), .zero)
    #expect(exact.position == Vector([2, 3, 3]) && exact.covariance == .zero)
  }

  @Test func estimatesOnTheWrongSideAreReflected() throws {
    var configuration = Tracker.Configuration()
    configuration.side = .below
    let region = try #require(TagRegion(of: Self.ceiling, configuration))
    let estimate = TrackEstimate(
      time: instant(1), position: Vector([2, 3, 3.5]), velocity: Vector([1, 2, 0.5]),
      covariance: Matrix<3, 3>([[1, 0, 0.1], [0, 1, 0], [0.1, 0, 1]]), status: .tracking)
    var image = estimate
    region.keep(&image)
    #expect((image.position - Vector([2, 3, 2.5])).length < 1e-12)
    #expect((image.velocity - Vector([1, 2, -0.5])).length < 1e-12)
    #expect(isClose(image.covariance[0, 2], -0.1, within: 1e-12))
    #expect(image.time == estimate.time && image.status == estimate.status)
    image.position[2] = 2.9
    let before = image
    region.keep(&image)
    #expect(image == before)
  }
}
