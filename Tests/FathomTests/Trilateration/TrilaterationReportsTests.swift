import TestSupport
import Testing

@testable import Fathom

/// Failures reported by users of other libraries, with the correct results.
@Suite struct TrilaterationReportsTests {
  private static let losses = [RobustLoss.squared, .cauchy]

  /// https://github.com/lemmingapex/trilateration/issues/34: (6.40, -4.88) there.
  @Test(arguments: losses) func escapesLocalMinimum(_ loss: RobustLoss) throws {
    let anchors: [Vector<2>] = [Vector([0, 0]), Vector([10, 0]), Vector([-7, -4.2])]
    let tag = Vector<2>([5, 5])
    let fix = try solve(anchors.map { ($0 - tag).length }, anchors, loss)
    #expect((try #require(fix.position) - tag).length < 1e-9)
    #expect(fix.verdict == .unique)
  }

  /// https://github.com/lemmingapex/trilateration/issues/7: (-0.3, 0.3, 1) there, between both
  /// solutions.
  @Test(arguments: losses) func threeSpheresGiveTwoPositions(_ loss: RobustLoss) throws {
    let anchors: [Vector<3>] = [Vector([1, 1, 1]), Vector([1, -1, 1]), Vector([-1, -1, 1])]
    let fix = try solve([3, 3, 3].map { $0.squareRoot() }, anchors, loss)
    #expect(fix.verdict == .two)
    let found = [try #require(fix.position), try #require(fix.alternative)]
      .sorted { $0[2] < $1[2] }
    #expect((found[0] - Vector([0, 0, 0])).length < 1e-9)
    #expect((found[1] - Vector([0, 0, 2])).length < 1e-9)
  }

  /// Wayne82/Trilateration issue 2: z = 0 there.
  @Test(arguments: losses) func coplanarAnchorsGiveTwoPositions(_ loss: RobustLoss) throws {
    let anchors: [Vector<3>] = [
      Vector([0, 0, 0]), Vector([4.5, 0, 0]), Vector([4.5, 9.6, 0]), Vector([0, 9.6, 0]),
    ]
    let fix = try solve([6.09, 6.09, 6.09, 6.09], anchors, loss)
    #expect(fix.verdict == .two)
    for position in [fix.position, fix.alternative] {
      let position = try #require(position)
      #expect((Vector([position[0], position[1]]) - Vector<2>([2.25, 4.8])).length < 1e-9)
      // 6.09² - 2.25² - 4.8² = 8.9856.
      #expect(isClose(position[2].magnitude, 8.9856.squareRoot(), within: 1e-9))
    }
  }

  /// gheja/trilateration.js issue 2: NaN there, for tangent spheres.
  @Test(arguments: losses) func tangentSpheresGiveOnePosition(_ loss: RobustLoss) throws {
    let anchors: [Vector<3>] = [Vector([69, 0, 0]), Vector([0, 50, 0]), Vector([0, 80, 0])]
    let fix = try solve([69, 50, 80], anchors, loss)
    #expect(try #require(fix.position).length < 1e-5)
    #expect(fix.verdict == .unique)
  }

  /// mrJean1/PyGeodesy issue 49: an exception there, for spheres with a gap of micrometres.
  @Test(arguments: losses) func nearlyTangentSpheresGiveThePointBetween(_ loss: RobustLoss) throws {
    let anchors: [Vector<3>] = [Vector([2, 2, 0]), Vector([3, 3, 0]), Vector([1, 4, 0])]
    let fix = try solve([1, 1, 1.4142], anchors, loss)
    #expect((try #require(fix.position) - Vector([1.999_995, 3.000_005, 0])).length < 1e-6)
    #expect(fix.verdict == .unique)
  }

  private func solve(
    _ ranges: [Double], _ anchors: [Vector<2>], _ loss: RobustLoss
  ) throws -> PositionFix<2> {
    var options = Trilateration.Options()
    options.loss = loss
    return try Trilateration.solve(ranges: ranges, anchors: anchors, options: options)
  }

  private func solve(
    _ ranges: [Double], _ anchors: [Vector<3>], _ loss: RobustLoss
  ) throws -> PositionFix<3> {
    var options = Trilateration.Options()
    options.loss = loss
    return try Trilateration.solve(ranges: ranges, anchors: anchors, options: options)
  }
}
