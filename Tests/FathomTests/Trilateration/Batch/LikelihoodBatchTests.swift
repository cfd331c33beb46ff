import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import Fathom

@Suite struct LikelihoodBatchTests {
  /// Every loss with its default tuning.
  private static let losses: [LikelihoodBatch.Loss] = [
    .squared, .huber(), .cauchy(), .gemanMcClure(), .tukey(),
  ]

  /// Both refine the linear solution or the centre; the rare epochs in which they reach different
  /// maxima are counted.
  @Test(arguments: [LikelihoodBatch.Start.linear, .centre])
  func agreesWithScalarRefinement(_ start: LikelihoodBatch.Start) throws {
    let epochs = BatchEpochs.hall(count: 501, noise: 0.1, outliers: 0.05, absent: 0.03, seed: 511)
    let sigmas = [0.1, 0.2, 0.1, 0.1, 0.3, 0.1, 0.15, 0.1]
    var options = LikelihoodBatch.Options()
    options.start = start
    options.reconsidersDoubtful = false
    let positions = try LikelihoodBatch(
      anchors: epochs.anchors, sigmas: sigmas, options: options
    ).solve(epochs.columns)
    var elsewhere = 0
    for epoch in 0..<501 {
      let position = try #require(positions[epoch], "seed 511")
      let problem = Self.problem(epochs, epoch, sigmas: sigmas, free: 3)
      let left = try Self.newtonStep(of: problem, at: position - problem.span.centre)
      #expect(left.length < 1e-9, "seed 511: \(left)")
      let other = problem.refine(
        from: Self.start(of: problem, start, among: epochs.anchors), limit: 500)
      let apart = (problem.span.centre + other.position - position).length
      // Gauss-Newton steps can stop early at the precision of the cost.
      if apart > 1e-6 { elsewhere += 1 }
    }
    #expect(elsewhere <= 5, "seed 511")
  }

  /// If both reach the same maximum, it agrees to 1e-9 m after a Newton step.
  ///
  /// They differ only if rounding decides which of two maxima is more likely.
  @Test(arguments: losses)
  func agreesWithTrilaterationSolve(_ loss: LikelihoodBatch.Loss) throws {
    let epochs = BatchEpochs.hall(count: 400, noise: 0.1, outliers: 0.05, absent: 0.02, seed: 521)
    for height in [nil, 1.2] {
      var options = LikelihoodBatch.Options()
      options.loss = loss
      let solver = try LikelihoodBatch(anchors: epochs.anchors, height: height, options: options)
      let positions = solver.solve(epochs.columns)
      #expect(positions.reconsidered > 5 && positions.reconsidered < 300, "seed 521")
      var scalar = Trilateration.Options()
      scalar.loss = solver.robustLoss
      scalar.height = height
      var elsewhere = 0
      for epoch in 0..<400 {
        let fix = try Trilateration.solve(
          ranges: epochs.ranges(epoch), anchors: epochs.anchors, options: scalar)
        guard let expected = fix.position else {
          #expect(positions[epoch] == nil, "seed 521")
          continue
        }
        let position = try #require(positions[epoch], "seed 521")
        guard (position - expected).length < 1e-5 else {
          elsewhere += 1
          continue
        }
        var problem = Self.problem(
          epochs, epoch, sigmas: [Double](repeating: 0.1, count: 8), free: height == nil ? 3 : 2,
          height: height ?? 0)
        problem.loss = solver.robustLoss
        // Not `refine`, which stops where rounding of the cost hides the decrease of a step.
        let polished = try [position, expected].map { place in
          var offset = place - problem.span.centre
          if height != nil { offset[2] = problem.given[2] }
          for _ in 0..<2 {
            let here = problem.expansion(at: offset)
            offset += try #require(Cholesky(here.curvature), "a minimum").solve(here.descent)
          }
          return offset
        }
        #expect((polished[0] - polished[1]).length < 1e-9, "seed 521: epoch \(epoch)")
      }
      #expect(elsewhere <= 2, "seed 521: \(elsewhere)")
    }
  }

  @Test func knownHeightIsExact() throws {
    let epochs = BatchEpochs.hall(count: 99, noise: 0.1, absent: 0.1, seed: 512)
    let positions = try LikelihoodBatch(anchors: epochs.anchors, height: 1.25).solve(epochs.columns)
    let sigmas = [Double](repeating: 0.1, count: 8)
    for epoch in 0..<99 {
      let position = try #require(positions[epoch], "seed 512")
      #expect(position[2] == 1.25)
      let problem = Self.problem(epochs, epoch, sigmas: sigmas, free: 2, height: 1.25)
      var start = position - problem.span.centre
      start[2] = problem.given[2]
      let polished = problem.refine(from: start, limit: 500).position
      #expect((polished - start).length < 1e-9, "seed 512")
    }
  }

  @Test func planeEqualsSpaceAtHeightZero() throws {
    let anchors: [Vector<2>] = [Vector([0, 0]), Vector([8, 0]), Vector([8, 6]), Vector([0, 6])]
    let tag = Vector<2>([2, 1])
    let ranges = EpochColumns(rows: anchors.map { ($0 - tag).length }, anchorCount: 4)
    let position = try #require(try LikelihoodBatch(anchors: anchors).solve(ranges)[0])
    #expect((position - Vector([2, 1, 0])).length < 1e-12)
  }

  /// The gradient and the second differences of the loss, computed here.
  @Test(arguments: losses)
  func positionIsLocalMinimumOfLoss(_ loss: LikelihoodBatch.Loss) throws {
    let epochs = BatchEpochs.hall(count: 300, noise: 0.1, outliers: 0.1, absent: 0.03, seed: 513)
    var options = LikelihoodBatch.Options()
    options.loss = loss
    options.reconsidersDoubtful = false
    let positions = try LikelihoodBatch(anchors: epochs.anchors, options: options)
      .solve(epochs.columns)
    var solved = 0
    for epoch in 0..<300 {
      guard let position = positions[epoch] else { continue }
      solved += 1
      let ranges = epochs.ranges(epoch)
      func cost(_ point: Vector<3>) -> Double {
        var sum = 0.0
        for (range, anchor) in zip(ranges, epochs.anchors) where !range.isNaN {
          sum += Self.loss((range - (point - anchor).length) / 0.1, loss)
        }
        return sum
      }
      let here = cost(position)
      for axis in 0..<3 {
        for side in [-1e-4, 1e-4] {
          var beside = position
          beside[axis] += side
          // A minimum, within the rounding of the sums.
          #expect(cost(beside) >= here - 1e-12 * here, "seed 513: epoch \(epoch), \(axis)")
        }
      }
    }
    #expect(solved >= 297, "seed 513")
  }

  @Test func robustLossesReduceErrorsOfLateArrivals() throws {
    let epochs = BatchEpochs.hall(count: 2000, noise: 0.1, outliers: 0.05, seed: 514)
    func error(_ loss: LikelihoodBatch.Loss) throws -> Double {
      var options = LikelihoodBatch.Options()
      options.loss = loss
      let positions = try LikelihoodBatch(anchors: epochs.anchors, options: options)
        .solve(epochs.columns)
      var (sum, count) = (0.0, 0.0)
      for epoch in 0..<2000 {
        guard let position = positions[epoch] else { continue }
        let offset = position - epochs.truth[epoch]
        sum += offset.dot(offset)
        count += 1
      }
      #expect(count >= 1990)
      return (sum / count).squareRoot()
    }
    let squared = try error(.squared)
    #expect(try error(.huber()) < 0.75 * squared, "seed 514")
    #expect(try error(.cauchy()) < 0.75 * squared, "seed 514")
  }

  /// Lanes are independent: the order of epochs changes no bit.
  @Test func resultsAreIndependentOfNeighbours() throws {
    let epochs = BatchEpochs.hall(count: 101, noise: 0.1, outliers: 0.2, absent: 0.1, seed: 515)
    var options = LikelihoodBatch.Options()
    options.loss = .cauchy()
    let solver = try LikelihoodBatch(anchors: epochs.anchors, options: options)
    let positions = solver.solve(epochs.columns)
    var backwards = epochs
    backwards.rows = (0..<101).reversed().flatMap(epochs.ranges)
    let others = solver.solve(backwards.columns)
    for epoch in 0..<101 {
      #expect(positions[epoch] == others[100 - epoch])
      #expect(positions.verdicts[epoch] == others.verdicts[100 - epoch])
      let alone = solver.solve(EpochColumns(rows: epochs.ranges(epoch), anchorCount: 8))
      #expect(positions[epoch] == alone[0])
    }
  }

  @Test func coplanarAnchorsGiveUpperPosition() throws {
    var epochs = BatchEpochs(anchors: [
      Vector([0, 0, 2]), Vector([8, 0, 2]), Vector([8, 6, 2]), Vector([0, 6, 2]),
      Vector([4, 1, 2]),
    ])
    var generator = SeededGenerator(seed: 516)
    for _ in 0..<50 {
      let tag = Vector<3>([
        generator.uniform(in: -2...10), generator.uniform(in: -2...8),
        generator.uniform(in: 2.5...5),
      ])
      epochs.truth.append(tag)
      epochs.rows += epochs.anchors.map { ($0 - tag).length }
    }
    let positions = try LikelihoodBatch(anchors: epochs.anchors).solve(epochs.columns)
    #expect(positions.hasMirror)
    for epoch in 0..<50 {
      let position = try #require(positions[epoch], "seed 516")
      #expect((position - epochs.truth[epoch]).length < 1e-9, "seed 516")
    }
    #expect(
      !(try LikelihoodBatch(anchors: epochs.anchors, height: 1).solve(epochs.columns).hasMirror))
  }

  @Test func covarianceAndMisfitFollowFromWeightedJacobian() throws {
    let epochs = BatchEpochs.hall(count: 60, noise: 0.1, outliers: 0.1, absent: 0.05, seed: 517)
    for height in [nil, 1.0] {
      var options = LikelihoodBatch.Options()
      options.loss = .cauchy(scale: 2)
      options.hasCovariance = true
      options.hasMisfit = true
      let positions = try LikelihoodBatch(
        anchors: epochs.anchors, height: height, options: options
      ).solve(epochs.columns)
      for epoch in 0..<60 {
        guard let position = positions[epoch] else { continue }
        let covariance = try #require(positions.covariance(at: epoch))
        let free = height == nil ? 3 : 2
        var information = DenseMatrix(rows: free, columns: free)
        var (squares, count) = (0.0, 0.0)
        var kept = 0
        for (range, anchor) in zip(epochs.ranges(epoch), epochs.anchors) where !range.isNaN {
          let offset = position - anchor
          let residual = range - offset.length
          squares += residual * residual
          count += 1
          let weight = 100 / (1 + 25 * residual * residual)
          kept += weight >= 50 ? 1 : 0
          for row in 0..<free {
            for column in 0..<free {
              information[row, column] +=
                weight * offset[row] * offset[column] / offset.dot(offset)
            }
          }
        }
        #expect(
          isClose(positions.misfits[epoch], (squares / count).squareRoot(), within: 1e-12))
        let correction = RobustLoss(.cauchy, tuning: 2).consistency(ranges: kept, unknowns: free)
        // The product with the information, corrected for the loss, is the identity.
        for row in 0..<free {
          for column in 0..<free {
            var sum = 0.0
            for inner in 0..<free { sum += covariance[row, inner] * information[inner, column] }
            sum *= correction
            #expect(isClose(sum, row == column ? 1 : 0, within: 1e-9), "seed 517")
          }
        }
        if free == 2 { #expect(covariance[2, 2] == 0) }
      }
    }
    let plain = try LikelihoodBatch(anchors: epochs.anchors).solve(epochs.columns)
    #expect(plain.covariance(at: 0) == nil)
    #expect(plain.misfits.isEmpty)
  }

  @Test(arguments: losses)
  func covariancesAgreeWithSingleFixes(_ loss: LikelihoodBatch.Loss) throws {
    let epochs = BatchEpochs.hall(count: 100, noise: 0.1, outliers: 0.05, absent: 0.05, seed: 521)
    var options = LikelihoodBatch.Options()
    options.loss = loss
    options.hasCovariance = true
    let batch = try LikelihoodBatch(anchors: epochs.anchors, options: options)
    var single = Trilateration.Options()
    single.loss = batch.robustLoss
    let positions = batch.solve(epochs.columns)
    var compared = 0
    for epoch in 0..<100 {
      let fix = try Trilateration.solve(
        ranges: epochs.ranges(epoch), anchors: epochs.anchors, options: single)
      guard let position = positions[epoch], let place = fix.position,
        (position - place).length < 1e-6, let covariance = positions.covariance(at: epoch),
        let expected = fix.covariance
      else { continue }
      compared += 1
      let difference = (covariance - expected).array.joined().map(\.magnitude).max() ?? 0
      #expect(difference <= 1e-5 * expected.trace, "seed 521, \(epoch)")
    }
    #expect(compared > 90, "seed 521: \(compared)")
  }

  /// For normal errors, the mean normalised error squared is the number of unknowns.
  @Test(.releaseOnly) func covariancesAreConsistentUnderRobustLoss() throws {
    let epochs = BatchEpochs.hall(count: 20_000, noise: 0.1, seed: 522)
    var options = LikelihoodBatch.Options()
    options.loss = .cauchy()
    options.hasCovariance = true
    let positions = try LikelihoodBatch(
      anchors: epochs.anchors, height: nil, options: options
    ).solve(epochs.columns)
    var (sum, count) = (0.0, 0.0)
    for epoch in 0..<epochs.truth.count {
      guard let position = positions[epoch], let covariance = positions.covariance(at: epoch),
        let root = Cholesky(covariance)
      else { continue }
      let error = position - epochs.truth[epoch]
      sum += error.dot(root.solve(error))
      count += 1
    }
    print("batch under Cauchy's loss, seed 522: NEES \(sum / count) of 3 in \(count) epochs")
    #expect(count > 19_900, "seed 522: \(count)")
    #expect(isClose(sum / count, 3, within: 0.15), "seed 522: \(sum / count)")
  }

  @Test func undeterminedEpochsHaveNoPosition() throws {
    let hall = BatchEpochs.hall(count: 3, noise: 0, seed: 518)
    var columns = hall.columns
    for anchor in 0..<8 { columns[0, anchor] = nil }
    for anchor in 2..<8 { columns[1, anchor] = nil }
    let positions = try LikelihoodBatch(anchors: hall.anchors).solve(columns)
    #expect(positions.verdicts == [.undetermined, .undetermined, .solved])
    #expect(positions[0] == nil)

    let line = (0..<5).map { Vector<3>([Double($0), 0, 0]) }
    let onLine = EpochColumns(rows: [5, 5, 5, 5, 5], anchorCount: 5)
    #expect(try LikelihoodBatch(anchors: line).solve(onLine).verdicts == [.undetermined])
    let none = try LikelihoodBatch(anchors: [Vector<3>]()).solve(EpochColumns(columns: []))
    #expect(none.count == 0)
    let noAnchors = try LikelihoodBatch(anchors: [Vector<3>]())
      .solve(EpochColumns(count: 2, anchorCount: 0))
    #expect(noAnchors.verdicts == [.undetermined, .undetermined])
  }

  @Test func unconvergedEpochsHaveNoPosition() throws {
    let hall = BatchEpochs.hall(count: 9, noise: 0.1, seed: 519)
    var options = LikelihoodBatch.Options()
    options.maximumIterations = 1
    let positions = try LikelihoodBatch(anchors: hall.anchors, options: options).solve(hall.columns)
    #expect(positions.verdicts.allSatisfy { $0 == .unconverged })
    #expect(positions.iterations.allSatisfy { $0 == 1 })
    #expect(positions[0] == nil)
  }

  @Test func positionsAreFiniteForExtremeInput() throws {
    var generator = SeededGenerator(seed: 520)
    func number() -> Double {
      switch generator.next() % 4 {
      case 0: return Double(bitPattern: generator.next())
      case 1: return generator.exponential(mean: 1e-9)
      case 2: return generator.exponential(mean: 1e9)
      default: return generator.uniform(in: 0...20)
      }
    }
    for _ in 0..<300 {
      let count = Int(generator.uniform(in: 1...9.999))
      let anchors = (0..<count).map { _ in
        var anchor = Vector<3>.zero
        for axis in 0..<3 {
          let coordinate = number()
          anchor[axis] = coordinate.isFinite ? coordinate : 1
        }
        return anchor
      }
      let epochs = EpochColumns(rows: (0..<7 * count).map { _ in number() }, anchorCount: count)
      for loss in [LikelihoodBatch.Loss.squared, .huber(), .cauchy(), .tukey()] {
        var options = LikelihoodBatch.Options()
        options.loss = loss
        options.hasCovariance = true
        for height in [nil, 1.0] {
          let positions = try LikelihoodBatch(anchors: anchors, height: height, options: options)
            .solve(epochs)
          let linear = try LinearBatch(anchors: anchors, height: height).solve(epochs)
          for epoch in 0..<7 {
            let position = positions[epoch] ?? .zero
            #expect(position.isFinite, "seed 520")
            let covariance = positions.covariance(at: epoch) ?? .zero
            #expect(covariance.isFinite, "seed 520")
            let point = linear[epoch] ?? .zero
            #expect(point.isFinite, "seed 520")
          }
        }
      }
    }
  }

  // MARK: Harness

  /// Returns twice the loss of a residual of x standard deviations.
  private static func loss(_ x: Double, _ loss: LikelihoodBatch.Loss) -> Double {
    switch loss {
    case .squared: return x * x
    case .huber(let k): return x.magnitude <= k ? x * x : 2 * k * x.magnitude - k * k
    case .cauchy(let c):
      let y = x / c
      return c * c * log1p(y * y)
    case .gemanMcClure(let c): return x * x / (1 + x * x / (c * c))
    case .tukey(let c):
      let rest = max(0, 1 - x * x / (c * c))
      return c * c / 3 * (1 - rest * rest * rest)
    }
  }

  /// Returns the step to the stationary point, to second order, by the full second derivatives: Σ w
  /// ((1 - r/ρ) I + (r/ρ) u uᵀ).
  private static func newtonStep(
    of problem: RangeProblem<3>, at position: Vector<3>
  ) throws -> Vector<3> {
    var gradient = Vector<3>.zero
    var hessian = Matrix<3, 3>.zero
    for index in 0..<problem.count {
      let offset = position - problem.anchors[index]
      let distance = offset.length
      let ratio = problem.distances[index] / distance
      let weight = 1 / (problem.sigmas[index] * problem.sigmas[index])
      gradient += (weight * (ratio - 1)) * offset
      for row in 0..<3 {
        hessian[row, row] += weight * (1 - ratio)
        for column in 0..<3 {
          hessian[row, column] +=
            weight * ratio * offset[row] * offset[column] / (distance * distance)
        }
      }
    }
    return try #require(Cholesky(hessian), "not a maximum of the likelihood").solve(gradient)
  }

  private static func problem(
    _ epochs: BatchEpochs, _ epoch: Int, sigmas: [Double], free: Int, height: Double = 0
  ) -> RangeProblem<3> {
    let ranges = epochs.ranges(epoch)
    let present = ranges.indices.filter { !ranges[$0].isNaN }
    return RangeProblem(
      distances: present.map { ranges[$0] }, anchors: present.map { epochs.anchors[$0] },
      sigmas: present.map { sigmas[$0] }, free: free, known: Vector([0, 0, height]))
  }

  private static func start(
    of problem: RangeProblem<3>, _ start: LikelihoodBatch.Start, among anchors: [Vector<3>]
  ) -> Vector<3> {
    // The centre of all anchors, including those without a range.
    if start == .centre { return AnchorSpan(of: anchors, free: 3).centre - problem.span.centre }
    guard let coordinates = problem.linearCoordinates(dimensions: 3) else { return .zero }
    return problem.span.offset(of: coordinates)
  }
}
