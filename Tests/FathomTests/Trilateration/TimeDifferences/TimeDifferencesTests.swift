import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct TimeDifferencesTests {
  private let hall: [Vector<3>] = [
    Vector([0, 0, 0.5]), Vector([20, 0, 5.5]), Vector([20, 15, 0.4]), Vector([0, 15, 5.4]),
    Vector([10, 7, 6]), Vector([10, 0, 1]),
  ]

  /// Returns the differences of all other anchors from the reference.
  private func star(_ arrivals: [Double], from reference: Int = 0) -> [TimeDifference] {
    arrivals.indices.filter { $0 != reference }.map {
      TimeDifference(first: $0, second: reference, difference: arrivals[$0] - arrivals[reference])
    }
  }

  private func allPairs(_ arrivals: [Double]) -> [TimeDifference] {
    arrivals.indices.flatMap { first in
      (first + 1..<arrivals.count).map {
        TimeDifference(first: first, second: $0, difference: arrivals[first] - arrivals[$0])
      }
    }
  }

  private func solve<let D: Int>(
    differences: [TimeDifference], anchors: [Vector<D>], sigmas: [Double]? = nil,
    options: TimeDifferences.Options = TimeDifferences.Options()
  ) throws -> PositionFix<D> {
    try TimeDifferences.solve(
      differences: differences, anchors: anchors, sigmas: sigmas, options: options
    ).fix
  }

  @Test func collinearAnchorsGiveMirrorImages() throws {
    // Distances of (4, ±3) from (0, 0), (4, 0) and (8, 0): 5, 3 and 5.
    let anchors: [Vector<2>] = [Vector([0, 0]), Vector([4, 0]), Vector([8, 0])]
    let fix = try solve(differences: star([5, 3, 5]), anchors: anchors)
    #expect(fix.verdict == .two)
    let found = [try #require(fix.position), try #require(fix.alternative)].sorted { $0[1] < $1[1] }
    #expect((found[0] - Vector([4, -3])).length < 1e-9)
    #expect((found[1] - Vector([4, 3])).length < 1e-9)
    #expect(try #require(fix.misfit) < 1e-12)
  }

  @Test func covarianceAtCentreOfSquare() throws {
    // Unit vectors (±1, ±1)/√2 have mean zero: JᵀJ = 2 I as for ranges, σ² = 0.01, hence 0.005 m².
    let anchors: [Vector<2>] = [
      Vector([0, 0]), Vector([8, 0]), Vector([8, 8]), Vector([0, 8]),
    ]
    let fix = try solve(differences: star([7, 7, 7, 7]), anchors: anchors)
    let covariance = try #require(fix.covariance)
    #expect((try #require(fix.position) - Vector([4, 4])).length < 1e-9)
    #expect(isClose(covariance[0, 0], 0.005, within: 1e-9))
    #expect(isClose(covariance[0, 1], 0, within: 1e-9))
    #expect(isClose(covariance[1, 1], 0.005, within: 1e-9))
    #expect(fix.verdict == .unique)
    #expect(isClose(try #require(fix.dilution).position, 1, within: 1e-9))
  }

  @Test func exactDifferencesGiveExactPosition() throws {
    var generator = SeededGenerator(seed: 41)
    for trial in 0..<150 {
      let offset = [0, 5e5, 1e7][trial % 3]
      let count = 5 + Int(4 * generator.uniform())
      let anchors = (0..<count).map { _ in
        Vector<3>([
          offset + generator.uniform(in: 0...30), offset + generator.uniform(in: 0...20),
          generator.uniform(in: 0...8),
        ])
      }
      let tag = Vector<3>([
        offset + generator.uniform(in: 0...30), offset + generator.uniform(in: 0...20),
        generator.uniform(in: 0...8),
      ])
      let arrivals = anchors.map { ($0 - tag).length }
      let differences = trial % 2 == 0 ? star(arrivals) : allPairs(arrivals)
      let fix = try solve(differences: differences, anchors: anchors)
      let position = try #require(fix.position, "seed 41, trial \(trial)")
      let miss = min(
        (position - tag).length, ((fix.alternative ?? position) - tag).length)
      // Random anchors can magnify the rounding of the coordinates a thousand times.
      #expect(miss < 1e-7 + 1e4 * offset.ulp, "seed 41, trial \(trial): \(tag), \(fix)")
      #expect(fix.verdict == .unique || fix.verdict == .two)
    }
  }

  @Test func resultIsIndependentOfReference() throws {
    var generator = SeededGenerator(seed: 42)
    for _ in 0..<10 {
      let tag = Vector<3>([
        generator.uniform(in: 2...18), generator.uniform(in: 2...13), generator.uniform(in: 0...3),
      ])
      let arrivals = hall.map { ($0 - tag).length + 0.1 * generator.normal() }
      let fixes = try [
        star(arrivals), star(arrivals, from: 3), allPairs(arrivals),
      ].map { try solve(differences: $0, anchors: hall) }
      // Ranges with an unknown offset are the same problem, solved with one additional unknown.
      let ranges = try PseudoRanges.solve(ranges: arrivals.map { $0 - 77 }, anchors: hall)
      let position = try #require(ranges.fix.position)
      let covariance = try #require(ranges.fix.covariance)
      for fix in fixes {
        #expect((try #require(fix.position) - position).length < 1e-6, "seed 42: \(tag)")
        let other = try #require(fix.covariance)
        for axis in 0..<3 {
          #expect(
            isClose(other[axis, axis] / covariance[axis, axis], 1, within: 1e-5), "seed 42: \(tag)")
        }
        #expect(fix.verdict == ranges.fix.verdict)
      }
    }
  }

  @Test func knownHeightSelectsMirrorImage() throws {
    let anchors = hall.prefix(5).map { Vector<3>([$0[0], $0[1], 3]) }
    let tag = Vector<3>([7, 4, 1.2])
    let differences = star(anchors.map { ($0 - tag).length })
    let both = try solve(differences: differences, anchors: anchors)
    #expect(both.verdict == .two)
    let heights = [try #require(both.position)[2], try #require(both.alternative)[2]].sorted()
    #expect(isClose(heights[0], 1.2, within: 1e-6))
    #expect(isClose(heights[1], 4.8, within: 1e-6))
    var options = TimeDifferences.Options()
    options.height = 1.2
    let fix = try solve(
      differences: differences, anchors: anchors, options: options)
    #expect(fix.verdict == .unique)
    #expect((try #require(fix.position) - tag).length < 1e-8)
    #expect(fix.position?[2] == 1.2)
    #expect(fix.covariance?[2, 2] == 0)
  }

  @Test func varianceAcrossAnchorPlaneIsBounded() throws {
    let anchors = hall.prefix(5).map { Vector<3>([$0[0], $0[1], 3]) }
    let tag = Vector<3>([7, 4, 3])
    let fix = try solve(
      differences: star(anchors.map { ($0 - tag).length }), anchors: anchors)
    #expect((try #require(fix.position) - tag).length < 0.05)
    let variance = try #require(fix.covariance)[2, 2]
    // k = 1/d: a standard deviation of the squared offset of some decimetres times metres.
    #expect(variance > 0.1 && variance < 10)
  }

  @Test func planeWaveGivesContinuum() throws {
    let anchors: [Vector<2>] = [Vector([0, 0]), Vector([8, 0]), Vector([8, 8]), Vector([0, 8])]
    let arrivals = anchors.map { 0.6 * $0[0] + 0.8 * $0[1] }
    let fix = try solve(differences: star(arrivals), anchors: anchors)
    #expect(fix.verdict == .continuum, "\(fix)")
    #expect(fix.position == nil && fix.covariance == nil)
  }

  @Test func solvesGroupsWithoutCommonAnchor() throws {
    let anchors: [Vector<2>] = [
      Vector([0, 0]), Vector([10, 0]), Vector([10, 10]), Vector([0, 10]),
    ]
    let tag = Vector<2>([3, 4])
    let arrivals = anchors.map { ($0 - tag).length }
    let differences = [(0, 1), (2, 3)].map { pair in
      TimeDifference(
        first: pair.0, second: pair.1, difference: arrivals[pair.0] - arrivals[pair.1])
    }
    let fix = try solve(differences: differences, anchors: anchors)
    let position = try #require(fix.position)
    let miss = min((position - tag).length, ((fix.alternative ?? position) - tag).length)
    #expect(miss < 1e-8, "\(fix)")
  }

  @Test func rejectsInvalidDifferences() throws {
    let arrivals = hall.map { ($0 - Vector([5, 5, 1])).length }
    var differences = star(arrivals)
    differences.insert(TimeDifference(first: 1, second: 2, difference: .nan), at: 1)
    differences.append(TimeDifference(first: 4, second: 4, difference: 1))
    let fix = try solve(differences: differences, anchors: hall)
    #expect(fix.discounted == [1, 6])
    #expect(fix.residuals[1] == nil && fix.residuals[0] != nil)
    #expect((try #require(fix.position) - Vector([5, 5, 1])).length < 1e-8)
    let few = try solve(
      differences: Array(star(arrivals).prefix(2)), anchors: hall)
    #expect(few.verdict == .tooFew && few.position == nil)
    var options = TimeDifferences.Options()
    options.height = .nan
    #expect(throws: TrilaterationError.heightNotFinite) {
      try solve(differences: differences, anchors: hall, options: options)
    }
    #expect(throws: TrilaterationError.sigmaNotPositive(index: 2)) {
      try solve(
        differences: differences, anchors: hall, sigmas: [1, 1, 0, 1, 1, 1])
    }
  }

  /// Double(draws) draws with σ = 10 cm.
  ///
  /// The mean squared error over the Cramér-Rao bound has a standard error of about 2 %; the mean
  /// NEES has its own 99 % bounds.
  @Test(.releaseOnly) func errorsReachTheBoundAndMatchTheirCovariance() throws {
    var generator = SeededGenerator(seed: 43)
    let tag = Vector<3>([8, 6, 2.5])
    // The bound with the offset eliminated: centred unit vectors, (Σ u uᵀ)⁻¹ σ².
    let units = hall.map { (1 / (tag - $0).length) * (tag - $0) }
    let mean = (1 / Double(units.count)) * units.reduce(Vector<3>.zero, +)
    var information = Matrix<3, 3>.zero
    for unit in units {
      for row in 0..<3 {
        for column in 0..<3 {
          information[row, column] += (unit - mean)[row] * (unit - mean)[column] / 0.01
        }
      }
    }
    let bound = try #require(Cholesky(information)).inverse().trace
    var squares: [Double] = []
    var sum = 0.0
    var options = TimeDifferences.Options()
    options.loss = .squared
    let draws = repetitions(1000, long: 4000)
    for _ in 0..<draws {
      let arrivals = hall.map { ($0 - tag).length + 0.1 * generator.normal() }
      let fix = try solve(differences: star(arrivals), anchors: hall, options: options)
      let position = try #require(fix.position)
      let nearer =
        ((fix.alternative ?? position) - tag).length < (position - tag).length
      let error = (nearer ? fix.alternative ?? position : position) - tag
      let covariance = try #require(nearer ? fix.alternativeCovariance : fix.covariance)
      sum += error.dot(error) / Double(draws)
      squares.append(error.dot(try #require(Cholesky(covariance)).solve(error)))
    }
    let consistency = try #require(Consistency(normalizedSquares: squares, degreesOfFreedom: 3))
    print(
      "TDOA: NEES \(consistency.meanPerDof) in \(consistency.bounds99), MSE/CRLB \(sum / bound)")
    #expect(consistency.bounds99.contains(consistency.meanPerDof), "seed 43")
    #expect(isClose(sum / bound, 1, within: 0.06), "seed 43")
  }

  /// Returns the least sum of squares that damped steps reach from `start`; nil if they diverge.
  ///
  /// The damping is a row √λ per unknown, solved by LAPACK: independent of the solver's descent.
  private func localMinimum(
    from start: [Double], _ residuals: ([Double]) -> [Double],
    _ jacobian: ([Double]) -> DenseMatrix
  ) -> Double? {
    func sum(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } }
    var (place, damping) = (start, 1e-3)
    for _ in 0..<200 {
      let (here, slopes) = (residuals(place), jacobian(place))
      let rows = place.indices.map { row in
        place.indices.map { $0 == row ? damping.squareRoot() : 0 }
      }
      let solution = try? leastSquares(
        DenseMatrix((0..<slopes.rows).map { slopes.row($0) } + rows),
        DenseMatrix(column: here.map { -$0 } + place.map { _ in 0 }))
      guard let step = solution?.coefficients.column(0) else { return nil }
      if sum(step) < 1e-18 { return sum(here) }
      let next = zip(place, step).map { $0 + $1 }
      guard sum(next) < 1e8 else { return nil }
      let isLower = sum(residuals(next)) <= sum(here)
      if isLower { place = next }
      damping *= isLower ? 0.1 : 10
    }
    return nil
  }

  /// No refinement from 50 random starts is better than the result of the eigenvalue start.
  @Test(.releaseOnly) func globalStartFindsGlobalMinimum() throws {
    var generator = SeededGenerator(seed: 44)
    var (worse, compared) = (0, 0)
    var options = TimeDifferences.Options()
    options.loss = .squared
    options.rangeSigma = 0.3
    for trial in 0..<500 {
      let count = 4 + Int(4 * generator.uniform())
      let anchors = (0..<count).map { _ in
        Vector<2>([generator.uniform(in: 0...20), generator.uniform(in: 0...20)])
      }
      let tag = Vector<2>([generator.uniform(in: -5...25), generator.uniform(in: -5...25)])
      let arrivals = anchors.map { ($0 - tag).length + 0.3 * generator.normal() }
      func residuals(_ at: [Double]) -> [Double] {
        anchors.indices.map {
          at[2] + (anchors[$0] - Vector([at[0], at[1]])).length - arrivals[$0]
        }
      }
      func jacobian(_ at: [Double]) -> DenseMatrix {
        DenseMatrix(
          anchors.map {
            let offset = Vector<2>([at[0], at[1]]) - $0
            return [offset[0] / offset.length, offset[1] / offset.length, 1]
          })
      }
      let result = try TimeDifferences.solve(
        differences: star(arrivals), anchors: anchors, options: options)
      // Skips epochs with arrivals that no tag position can cause.
      guard result.discountedArrivals.isEmpty else { continue }
      let fix = result.fix
      compared += 1
      var best = Double.infinity
      for _ in 0..<50 {
        let start = [
          generator.uniform(in: -20...40), generator.uniform(in: -20...40),
          generator.uniform(in: -10...10),
        ]
        best = min(best, localMinimum(from: start, residuals, jacobian) ?? .infinity)
      }
      guard let position = fix.position else { continue }
      let distances = anchors.map { ($0 - position).length }
      let offset =
        zip(arrivals, distances).reduce(0) { $0 + $1.0 - $1.1 } / Double(arrivals.count)
      let cost = residuals([position[0], position[1], offset]).reduce(0) { $0 + $1 * $1 }
      if cost > best * (1 + 1e-6) + 1e-9 {
        worse += 1
        print("seed 44, trial \(trial): \(cost) against \(best)")
      }
    }
    #expect(worse == 0 && compared > 450, "seed 44: \(compared)")
  }
}
