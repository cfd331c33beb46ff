import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// The bound against independent computations.
@Suite struct CramerRaoBoundOracleTests {
  private static let kinds: [[ExpectedMeasurements.Kinds]] = [
    [.range], [.arrival], [.angles], [.azimuth, .elevation], [.range, .azimuth],
    [[.range, .angles]], [.range, .arrival], [[.range, .arrival], .arrival, .angles],
  ]

  /// Second differences of the divergence, with exact anchors.
  @Test(arguments: Self.kinds)
  func informationEqualsSecondDifferencesOfDivergence(_ kinds: [ExpectedMeasurements.Kinds]) throws
  {
    var generator = SeededGenerator(seed: 771)
    for _ in 0..<12 {
      let layout = RandomLayout(6, kinds: kinds, using: &generator)
      let step = 1e-3
      func value(_ moves: [Double]) -> Double {
        layout.divergence(
          tag: layout.tag + Vector([moves[0], moves[1], moves[2]]), offset: moves[3])
      }
      let order = layout.hasOffset ? 4 : 3
      var joint = DenseMatrix(rows: order, columns: order)
      for one in 0..<order {
        for other in 0..<order {
          var sum = 0.0
          for (a, b) in [(1.0, 1.0), (1, -1), (-1, 1), (-1, -1)] {
            var moves = [0.0, 0, 0, 0]
            moves[one] += a * step
            moves[other] += b * step
            sum += a * b * value(moves)
          }
          joint[one, other] = sum / (4 * step * step)
        }
      }
      let inverse = try DenseCholesky(joint).solve(.identity(order))
      let bound = try CramerRaoBound(
        at: layout.tag, anchors: layout.anchors, measuring: layout.measured)
      let covariance = try #require(bound.covariance, "seed 771")
      for row in 0..<3 {
        for column in 0..<3 {
          #expect(
            isClose(
              covariance[row, column], inverse[row, column], within: 1e-4 * covariance.trace),
            "seed 771: \(layout)")
        }
      }
      if order == 4 {
        let sigma = try #require(bound.offsetSigma)
        #expect(isClose(sigma * sigma, inverse[3, 3], within: 1e-4 * inverse[3, 3]), "seed 771")
      }
    }
  }

  /// The joint information of all unknowns, anchors included, inverted by LAPACK.
  @Test(arguments: Self.kinds, [false, true])
  func uncertainAnchorsEqualJointInformation(
    _ kinds: [ExpectedMeasurements.Kinds], _ isHeightKnown: Bool
  ) throws {
    var generator = SeededGenerator(seed: 772)
    for rounds in [1, 7] {
      for _ in 0..<6 {
        var layout = RandomLayout(6, kinds: kinds, placement: 0.2, using: &generator)
        for index in layout.measured.indices { layout.measured[index].rounds = rounds }
        let joint = try layout.jointCovariance(isHeightKnown: isHeightKnown)
        let bound = try CramerRaoBound(
          at: layout.tag, anchors: layout.anchors, measuring: layout.measured,
          isHeightKnown: isHeightKnown)
        let covariance = try #require(bound.covariance, "seed 772")
        let free = isHeightKnown ? 2 : 3
        for row in 0..<free {
          for column in 0..<free {
            #expect(
              isClose(
                covariance[row, column], joint[row, column], within: 1e-6 * covariance.trace),
              "seed 772: \(layout)")
          }
        }
        if let sigma = bound.offsetSigma {
          #expect(isClose(sigma * sigma, joint[free, free], within: 1e-6 * joint[free, free]))
        }
      }
    }
  }

  /// Adding the anchor's variance to every single range is exact for one range, and too optimistic
  /// for several.
  @Test func addedAnchorVarianceIsExactOnlyForSingleRanges() throws {
    var generator = SeededGenerator(seed: 773)
    for _ in 0..<50 {
      var layout = RandomLayout(5, kinds: [.range], placement: 0.1, using: &generator)
      for index in layout.measured.indices { layout.measured[index].rangeSigmaPerMetre = 0 }
      for rounds in [1, 10] {
        var added = layout
        for index in layout.measured.indices {
          layout.measured[index].rounds = rounds
          added.measured[index].rounds = rounds
          let sigma = layout.anchors[index].positionSigma ?? 0
          let range = layout.measured[index].rangeSigma
          added.measured[index].rangeSigma = (range * range + sigma * sigma).squareRoot()
          added.anchors[index].positionSigma = nil
        }
        let exact = try #require(
          CramerRaoBound(at: layout.tag, anchors: layout.anchors, measuring: layout.measured)
            .covariance)
        let naive = try #require(
          CramerRaoBound(at: added.tag, anchors: added.anchors, measuring: added.measured)
            .covariance)
        if rounds == 1 {
          #expect(isClose(exact.trace, naive.trace, within: 1e-9 * exact.trace), "seed 773")
        } else {
          #expect(naive.trace < exact.trace, "seed 773")
        }
      }
    }
  }

  /// Differences with the covariance of common arrivals, inverted by LAPACK, and the covariances of
  /// the solvers for exact measurements.
  @Test func differencesAndArrivalsHaveEqualBounds() throws {
    var generator = SeededGenerator(seed: 774)
    for _ in 0..<30 {
      var layout = RandomLayout(6, kinds: [.arrival], using: &generator)
      for index in 0..<6 { layout.measured[index].rangeSigmaPerMetre = 0 }
      let sigmas = layout.measured.map(\.rangeSigma)
      let bound = try CramerRaoBound(
        at: layout.tag, anchors: layout.anchors, measuring: layout.measured)
      let covariance = try #require(bound.covariance, "seed 774")

      // Differences to the first anchor: A S Aᵀ is S without the first, plus its variance in every
      // element.
      var spread = DenseMatrix(rows: 5, columns: 5)
      var slopes = DenseMatrix(rows: 5, columns: 3)
      let units = layout.anchors.map { anchor -> Vector<3> in
        let offset = layout.tag - anchor.position
        return (1 / offset.length) * offset
      }
      for row in 0..<5 {
        for column in 0..<5 { spread[row, column] = sigmas[0] * sigmas[0] }
        spread[row, row] += sigmas[row + 1] * sigmas[row + 1]
        for axis in 0..<3 { slopes[row, axis] = units[row + 1][axis] - units[0][axis] }
      }
      let information = slopes.transposed() * (try DenseCholesky(spread).solve(slopes))
      let inverse = try DenseCholesky(information).solve(.identity(3))
      let distances = layout.anchors.map { ($0.position - layout.tag).length }
      let pseudo = try PseudoRanges.solve(
        ranges: distances.map { $0 + 12 }, anchors: layout.anchors.map(\.position),
        sigmas: sigmas)
      let differences = try TimeDifferences.solve(
        differences: (1..<6).map {
          TimeDifference(first: $0, second: 0, difference: distances[$0] - distances[0])
        }, anchors: layout.anchors.map(\.position), sigmas: sigmas)
      for fix in [pseudo.fix, differences.fix] {
        // With two positions, either may be first.
        let isFirst = ((fix.position ?? .zero) - layout.tag).length < 1e-6
        guard let claimed = isFirst ? fix.covariance : fix.alternativeCovariance else { continue }
        for row in 0..<3 {
          for column in 0..<3 {
            #expect(
              isClose(
                claimed[row, column], covariance[row, column], within: 1e-4 * covariance.trace),
              "seed 774")
          }
        }
      }
      for row in 0..<3 {
        for column in 0..<3 {
          #expect(
            isClose(
              inverse[row, column], covariance[row, column], within: 1e-8 * covariance.trace),
            "seed 774")
        }
      }
      let dilution = try #require(bound.dilution)
      if let claimed = pseudo.fix.dilution, pseudo.fix.alternative == nil {
        #expect(isClose(dilution.geometric, claimed.geometric, within: 1e-5 * claimed.geometric))
        #expect(isClose(dilution.position, claimed.position, within: 1e-5 * claimed.position))
      }
    }
  }

  /// The covariances of ``Trilateration`` and ``RangesAndAngles`` for exact measurements.
  @Test func solverCovariancesEqualTheBound() throws {
    var generator = SeededGenerator(seed: 775)
    for _ in 0..<30 {
      var layout = RandomLayout(6, kinds: [[.range, .angles]], placement: 0.1, using: &generator)
      for index in 0..<6 { layout.measured[index].rangeSigmaPerMetre = 0 }
      let upright = Sighting.upright(facing: Angle(degrees: 40))
      let sightings = zip(layout.anchors, layout.measured).map { anchor, one in
        let device = upright.transposed() * (layout.tag - anchor.position)
        let sigma = anchor.positionSigma ?? 0
        return Sighting(
          anchor: anchor.position, orientation: upright, range: device.length,
          azimuth: Angle(radians: .atan2(y: device[0], x: -device[2])),
          elevation: Angle(radians: .atan2(y: device[1], x: .hypot(device[0], device[2]))),
          rangeSigma: one.rangeSigma, azimuthSigma: one.azimuthSigma,
          elevationSigma: one.elevationSigma,
          anchorCovariance: .diagonal(Vector(repeating: sigma * sigma)))
      }
      let fix = try RangesAndAngles.solve(sightings).fix
      let bound = try CramerRaoBound(
        at: layout.tag, anchors: layout.anchors, measuring: layout.measured)
      let covariance = try #require(bound.covariance)
      let claimed = try #require(fix.covariance, "seed 775")
      for row in 0..<3 {
        for column in 0..<3 {
          #expect(
            isClose(
              claimed[row, column], covariance[row, column], within: 1e-5 * covariance.trace),
            "seed 775")
        }
      }
      // The dilution for ranges alone equals that of a fix.
      let ranges = try Trilateration.solve(
        ranges: layout.anchors.map { ($0.position - layout.tag).length },
        anchors: layout.anchors.map(\.position))
      let dilution = try #require(bound.dilution)
      if let other = ranges.dilution, ((ranges.position ?? .zero) - layout.tag).length < 1e-6 {
        #expect(isClose(dilution.position, other.position, within: 1e-6 * other.position))
        #expect(isClose(dilution.horizontal, other.horizontal, within: 1e-6 * other.position))
        #expect(
          isClose(
            try #require(dilution.vertical), try #require(other.vertical),
            within: 1e-6 * other.position))
      }
    }
  }

  /// The maximum-likelihood position, 20 000 times with σ = 10 cm, in four geometries.
  @Test(.releaseOnly) func maximumLikelihoodReachesTheBound() throws {
    let hall: [Vector<3>] = [
      Vector([0, 0, 3]), Vector([20, 0, 0.5]), Vector([20, 15, 3]), Vector([0, 15, 0.5]),
    ]
    let more = hall + [Vector([10, 0, 4]), Vector([9, 7, 6])]
    let cases: [(name: String, anchors: [Vector<3>], tag: Vector<3>, height: Double?)] = [
      ("centre", hall, Vector([10, 7, 1]), 1), ("corner", hall, Vector([2, 13, 1]), 1),
      ("outside", hall, Vector([27, 9, 1]), 1), ("space", more, Vector([8, 6, 1.5]), nil),
    ]
    var options = Trilateration.Options()
    options.loss = .squared
    for (number, one) in cases.enumerated() {
      var generator = SeededGenerator(seed: 780 + UInt64(number))
      options.height = one.height
      let bound = try CramerRaoBound(
        at: one.tag, anchors: one.anchors.map { Anchor(position: $0) },
        measuring: ExpectedMeasurements(.range), isHeightKnown: one.height != nil)
      var (horizontal, vertical) = (0.0, 0.0)
      let count = 20_000
      for _ in 0..<count {
        let ranges = one.anchors.map { ($0 - one.tag).length + 0.1 * generator.normal() }
        let fix = try Trilateration.solve(ranges: ranges, anchors: one.anchors, options: options)
        let error = try #require(fix.position) - one.tag
        horizontal += error[0] * error[0] + error[1] * error[1]
        vertical += error[2] * error[2]
      }
      let measured = (horizontal / Double(count)).squareRoot()
      let expected = try #require(bound.horizontalSigma)
      print("\(one.name): \(measured) m, bound \(expected) m")
      #expect(isClose(measured, expected, within: 0.02 * expected), "\(one.name)")
      if let expected = bound.verticalSigma {
        let measured = (vertical / Double(count)).squareRoot()
        print("\(one.name), vertical: \(measured) m, bound \(expected) m")
        #expect(isClose(measured, expected, within: 0.02 * expected), "\(one.name)")
      }
    }
  }
}
