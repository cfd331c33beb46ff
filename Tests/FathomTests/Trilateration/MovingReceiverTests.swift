import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct MovingReceiverTests {
  /// A way up and down stairs and around: it spans all of space.
  private func way(_ count: Int) -> [Vector<3>] {
    (0..<count).map { index in
      let part = Double(index) / Double(count)
      let angle = Angle(radians: 9 * part)
      return Vector([(4 + 2 * part) * angle.cosine, 5 * angle.sine, 1 + 2 * angle.sine * part])
    }
  }

  @Test func exactRangesGiveTheExactPosition() throws {
    var generator = SeededGenerator(seed: 81)
    for _ in 0..<20 {
      let tag = Vector<3>([
        generator.uniform(in: -8...8), generator.uniform(in: -8...8), generator.uniform(in: 0...3),
      ])
      let fix = try MovingReceiver.solve(
        way(25).map { PosedRange(position: $0, range: ($0 - tag).length) })
      #expect((try #require(fix.position) - tag).length < 1e-7, "seed 81: \(tag)")
      #expect(fix.verdict == .unique)
      #expect(fix.discounted.isEmpty)
    }
  }

  @Test func aFlatWayLeavesAMirrorImageUnlessTheHeightIsKnown() throws {
    let tag = Vector<3>([1, 2, 0.4])
    let observations = way(20).map { place in
      let carried = Vector<3>([place[0], place[1], 1.3])
      return PosedRange(position: carried, range: (carried - tag).length)
    }
    let both = try MovingReceiver.solve(observations)
    #expect(both.verdict == .two)
    let heights = [try #require(both.position)[2], try #require(both.alternative)[2]].sorted()
    // 1.3 ∓ 0.9.
    #expect(isClose(heights[0], 0.4, within: 1e-6))
    #expect(isClose(heights[1], 2.2, within: 1e-6))
    var options = MovingReceiver.Options()
    options.height = 0.4
    let fix = try MovingReceiver.solve(observations, options: options)
    #expect(fix.verdict == .unique && fix.position?[2] == 0.4)
    #expect((try #require(fix.position) - tag).length < 1e-7)
  }

  @Test func aStraightWayLeavesACircle() throws {
    let observations = (0..<10).map { index in
      PosedRange(
        position: Vector([Double(index), 0, 1]), range: (Double(index * index) + 4).squareRoot())
    }
    let fix = try MovingReceiver.solve(observations)
    #expect(fix.verdict == .continuum && fix.position == nil)
  }

  @Test func wrongRangesAreSetAside() throws {
    var generator = SeededGenerator(seed: 82)
    for trial in 0..<10 {
      let tag = Vector<3>([
        generator.uniform(in: -8...8), generator.uniform(in: -8...8), generator.uniform(in: 0...3),
      ])
      var wrong: Set<Int> = []
      let observations = way(40).enumerated().map { index, place in
        var range = (place - tag).length + 0.05 * generator.normal()
        // Three in ten are late by metres.
        if index % 10 < 3 {
          range += generator.uniform(in: 1...6)
          wrong.insert(index)
        }
        return PosedRange(position: place, range: range, sigma: 0.05)
      }
      let fix = try MovingReceiver.solve(observations)
      let error = try #require(fix.position) - tag
      #expect(error.length < 0.25, "seed 82, trial \(trial): \(error)")
      #expect(wrong.isSubset(of: Set(fix.discounted)), "seed 82, trial \(trial)")
      #expect(fix.discounted.count <= wrong.count + 3, "seed 82, trial \(trial)")
      #expect(
        fix.residuals.indices.allSatisfy {
          (fix.residuals[$0] == nil) == fix.discounted.contains($0)
        })
      var options = MovingReceiver.Options()
      options.rejectsOutliers = false
      let plain = try MovingReceiver.solve(observations, options: options)
      #expect(plain.verdict == .inconsistent)
      #expect((try #require(plain.position) - tag).length > error.length, "seed 82, trial \(trial)")
    }
  }

  @Test func theVarianceOfAPoseCountsAlongTheLineOfSight() throws {
    // Six poses on the axes at 5 m around the tag: JᵀWJ = 2 w I. Along x the poses are uncertain by
    // 0.3 m along the line of sight: 1 / (2 · 1/(0.01 + 0.09)) = 0.05; along y across it only, which
    // costs nothing: 0.005.
    let spread = Matrix<3, 3>([[0.09, 0, 0], [0, 0, 0], [0, 0, 0]])
    let places: [Vector<3>] = [
      Vector([5, 0, 0]), Vector([-5, 0, 0]), Vector([0, 5, 0]), Vector([0, -5, 0]),
      Vector([0, 0, 5]), Vector([0, 0, -5]),
    ]
    let fix = try MovingReceiver.solve(
      places.map { PosedRange(position: $0, range: 5, sigma: 0.1, positionCovariance: spread) })
    let covariance = try #require(fix.covariance)
    #expect(isClose(covariance[0, 0], 0.05, within: 1e-6))
    #expect(isClose(covariance[1, 1], 0.005, within: 1e-6))
    #expect(isClose(covariance[2, 2], 0.005, within: 1e-6))
  }

  @Test func badInputIsSetAsideOrThrown() throws {
    let tag = Vector<3>([1, 2, 0.4])
    var observations = way(12).map { PosedRange(position: $0, range: ($0 - tag).length) }
    observations.insert(PosedRange(position: .zero, range: .nan), at: 2)
    observations.append(PosedRange(position: .zero, range: -1))
    let fix = try MovingReceiver.solve(observations)
    #expect(fix.discounted == [2, 13])
    #expect((try #require(fix.position) - tag).length < 1e-7)
    #expect(throws: TrilaterationError.sigmaNotPositive(index: 0)) {
      try MovingReceiver.solve([PosedRange(position: .zero, range: 1, sigma: -1)])
    }
    #expect(throws: TrilaterationError.anchorNotFinite(index: 0)) {
      try MovingReceiver.solve([PosedRange(position: Vector([.nan, 0, 0]), range: 1)])
    }
    #expect(try MovingReceiver.solve([]).verdict == .tooFew)
  }
}
