import Fathom
import FathomEvaluation
import FathomRecordings
import TestSupport
import Testing

@Suite struct RigidAlignmentTests {
  /// Returns the sum of squared distances between `truths` and `estimates` transformed by `move`.
  private func cost(
    _ estimates: [Vector<3>], _ truths: [Vector<3>], _ move: (Vector<3>) -> Vector<3>
  ) -> Double {
    zip(estimates, truths).reduce(0) { sum, pair in
      let error = move(pair.0) - pair.1
      return sum + error.dot(error)
    }
  }

  /// A rotation by 90° about z, scaled by 2, and a shift by one up: (1, 0, 0) maps to (0, 2, 1).
  @Test func matchesHandComputedValue() throws {
    let estimates = [point(0, 0, 0), point(1, 0, 0), point(0, 1, 0), point(0, 0, 1)]
    let truths = [point(0, 0, 1), point(0, 2, 1), point(-2, 0, 1), point(0, 0, 3)]
    let alignment = try RigidAlignment(of: estimates, with: truths, isScaled: true)
    #expect(isClose(alignment.scale, 2, within: 1e-14))
    let expected = [[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]
    for row in 0..<3 {
      for column in 0..<3 {
        #expect(isClose(alignment.rotation[row, column], expected[row][column], within: 1e-14))
      }
      #expect(isClose(alignment.translation[row], [0.0, 0, 1][row], within: 1e-14))
    }
  }

  @Test func recoversRandomTransformations() throws {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<200 {
      let rotation = randomRotation(&generator)
      let translation = normalPoint(&generator, sigma: 20)
      let scale = generator.uniform(in: 0.1...10)
      let truths = (0..<12).map { _ in normalPoint(&generator, sigma: 3) }
      for isScaled in [false, true] {
        let factor = isScaled ? 1 / scale : 1
        // truth = factor R e + t solved for e.
        let estimates = truths.map { (1 / factor) * (rotation.transposed() * ($0 - translation)) }
        let found = try RigidAlignment(of: estimates, with: truths, isScaled: isScaled)
        #expect(isClose(found.scale, factor, within: 1e-12 * factor), "seed 21")
        #expect((found.translation - translation).length < 1e-11, "seed 21")
        let difference = found.rotation - rotation
        for row in 0..<3 { #expect(difference.row(row).length < 1e-12, "seed 21") }
      }
    }
  }

  /// With noise, no transformation nearby has a lower cost than the solution.
  @Test func noNearbyTransformationIsBetter() throws {
    var generator = SeededGenerator(seed: 22)
    for _ in 0..<50 {
      let truths = (0..<10).map { _ in normalPoint(&generator, sigma: 2) }
      let turn = randomRotation(&generator)
      let estimates = truths.map { turn * $0 + normalPoint(&generator, sigma: 0.5) }
      let found = try RigidAlignment(of: estimates, with: truths)
      let best = cost(estimates, truths) { found.applied(to: $0) }
      for _ in 0..<20 {
        let step = normalPoint(&generator, sigma: 1e-3)
        // A small rotation about z, then x, exact to the third order in the angles.
        let (a, b) = (1e-3 * generator.normal(), 1e-3 * generator.normal())
        let aboutZ = Matrix<3, 3>([[1 - a * a / 2, -a, 0], [a, 1 - a * a / 2, 0], [0, 0, 1]])
        let aboutX = Matrix<3, 3>([[1, 0, 0], [0, 1 - b * b / 2, -b], [0, b, 1 - b * b / 2]])
        let other = cost(estimates, truths) { (aboutZ * aboutX) * found.applied(to: $0) + step }
        #expect(other > best - 1e-9, "seed 22")
      }
    }
  }

  /// Mirrored points fit a reflection best; the solution is nevertheless a rotation.
  @Test func excludesReflections() throws {
    var generator = SeededGenerator(seed: 23)
    for _ in 0..<50 {
      let truths = (0..<8).map { _ in normalPoint(&generator, sigma: 1) }
      let mirrored = truths.map { point($0[0], $0[1], -$0[2]) }
      let r = try RigidAlignment(of: mirrored, with: truths).rotation
      let determinant =
        r[0, 0] * (r[1, 1] * r[2, 2] - r[1, 2] * r[2, 1])
        - r[0, 1] * (r[1, 0] * r[2, 2] - r[1, 2] * r[2, 0])
        + r[0, 2] * (r[1, 0] * r[2, 1] - r[1, 1] * r[2, 0])
      #expect(isClose(determinant, 1, within: 1e-12), "seed 23")
    }
    // The same in the plane, where two points and their mirror image fit equally well.
    let flat = [point(0, 0, 0), point(1, 0, 0), point(0, 2, 0)]
    let mirrored = flat.map { point($0[0], -$0[1], 0) }
    let r = try RigidAlignment(of: mirrored, with: flat, isHorizontal: true).rotation
    #expect(isClose(r[0, 0] * r[1, 1] - r[0, 1] * r[1, 0], 1, within: 1e-12))
  }

  @Test func acceptsCoplanarPoints() throws {
    var generator = SeededGenerator(seed: 24)
    let flat = (0..<6).map { _ in point(generator.normal(), generator.normal(), 0) }
    let turn = randomRotation(&generator)
    let found = try RigidAlignment(of: flat, with: flat.map { turn * $0 })
    let difference = found.rotation - turn
    for row in 0..<3 { #expect(difference.row(row).length < 1e-12) }
  }

  @Test func rejectsUndeterminedAlignments() {
    let line = (0..<9).map { point(Double($0), 2 * Double($0), 0) }
    let curve = (0..<9).map { placeOnCurve(at: Double($0)) }
    #expect(throws: AlignmentError.tooFewPoses(count: 2, needed: 3)) {
      try RigidAlignment(of: [.zero, .zero], with: [.zero, .zero])
    }
    let same = [Vector<3>](repeating: point(1, 2, 3), count: 9)
    #expect(throws: AlignmentError.withoutExtent) { try RigidAlignment(of: same, with: curve) }
    #expect(throws: AlignmentError.withoutExtent) { try RigidAlignment(of: curve, with: same) }
    #expect(throws: AlignmentError.notFinite) {
      try RigidAlignment(of: [point(.nan, 0, 0)] + curve.dropFirst(), with: curve)
    }
    do throws(AlignmentError) {
      _ = try RigidAlignment(of: curve, with: line)
      Issue.record("points on a line do not determine a rotation")
    } catch {
      guard case .collinear(let direction) = error else {
        Issue.record("\(error)")
        return
      }
      // Along (1, 2, 0) / sqrt 5, in either direction.
      #expect(isClose(direction[0].magnitude, 0.447_213_595_499_957_9, within: 1e-9))
      #expect(isClose(direction[1].magnitude, 0.894_427_190_999_915_9, within: 1e-9))
      #expect(isClose(direction[2], 0, within: 1e-9))
    }
    // In the plane, points on a line are sufficient.
    #expect(throws: Never.self) { try RigidAlignment(of: line, with: line, isHorizontal: true) }
  }

  /// Horizontal alignment keeps heights, known or unknown.
  @Test func horizontalAlignmentKeepsHeights() throws {
    let estimates = [point(0, 0, 5), point(1, 0, .nan), point(0, 1, 7)]
    let truths = [point(0, 0, 0), point(0, 1, 0), point(-1, 0, 0)]
    let alignment = try RigidAlignment(of: estimates, with: truths, isHorizontal: true)
    let moved = estimates.map { alignment.applied(to: $0) }
    #expect(isClose(moved[1][1], 1, within: 1e-14) && moved[1][2].isNaN)
    #expect(moved[0][2] == 5 && moved[2][2] == 7)
  }

  /// After alignment, the evaluation including NEES is independent of the frame of the estimates.
  @Test(arguments: [31, 32, 33] as [UInt64], [false, true])
  func alignedEvaluationIsIndependentOfFrame(_ seed: UInt64, _ isScaled: Bool) throws {
    var generator = SeededGenerator(seed: seed)
    let truth = curveTruth(until: 30)
    let seconds = (0...280).map { 0.5 + Double($0) / 10 }
    let positions = seconds.map { placeOnCurve(at: $0) + normalPoint(&generator, sigma: 0.2) }
    let covariance = Matrix<3, 3>([[0.05, 0.01, 0], [0.01, 0.04, 0.005], [0, 0.005, 0.03]])
    let turn = randomRotation(&generator)
    let step = normalPoint(&generator, sigma: 10)
    let scale = isScaled ? 3.0 : 1.0
    let plain = EstimatedTrack(
      times: seconds.map(instant), positions: positions,
      covariances: positions.map { _ in covariance })
    let turned = EstimatedTrack(
      times: seconds.map(instant), positions: positions.map { scale * (turn * $0) + step },
      covariances: positions.map { _ in
        (scale * scale) * (turn * covariance).timesTransposed(turn)
      })
    let first = try TrajectoryEvaluation.aligned(["": plain], truth: truth, isScaled: isScaled)
    let second = try TrajectoryEvaluation.aligned(["": turned], truth: truth, isScaled: isScaled)
    let (a, b) = (try #require(first.accuracy), try #require(second.accuracy))
    #expect(isClose(a.rmseM, b.rmseM, within: 1e-11), "seed \(seed)")
    #expect(isClose(a.p95M, b.p95M, within: 1e-11), "seed \(seed)")
    let (c, d) = (try #require(first.consistency), try #require(second.consistency))
    #expect(isClose(c.meanPerDof, d.meanPerDof, within: 1e-9), "seed \(seed)")
    #expect(first.availability == second.availability)
    let unaligned = try #require(TrajectoryEvaluation(["": plain], truth: truth).accuracy)
    #expect(a.rmseM <= unaligned.rmseM, "seed \(seed)")
  }
}
