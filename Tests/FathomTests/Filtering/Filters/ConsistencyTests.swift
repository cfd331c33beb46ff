import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// Checks that errors and innovations match their covariances when the models are correct.
///
/// A tag in a hall, one range at a time to eight anchors; 40 runs of 60 steps. The sum of
/// normalised squares is chi-square distributed. The errors at the end of each run are independent
/// and have 6 degrees of freedom; the innovations have one per range.
@Suite(.releaseOnly) struct ConsistencyTests {
  private static let anchors: [Vector<3>] = (0..<8).map { index in
    Vector([
      index % 2 == 0 ? 0 : 20, index / 2 % 2 == 0 ? 0 : 15, index / 4 == 0 ? 0.3 : 6,
    ])
  }
  private static let motion = ConstantVelocity(horizontalDensity: 0.3, verticalDensity: 0.3)
  private static let noise = Matrix<1, 1>([[0.01]])
  private static let start = Gaussian<6>(
    mean: Vector([10, 7, 3, 0, 0, 0]),
    covariance: .diagonal(Vector([0.25, 0.25, 0.25, 0.25, 0.25, 0.25])))
  private static let runs = 40
  private static let steps = 60

  /// One run: the truth at every step and the ranges to two anchors.
  private static func run(
    using generator: inout SeededGenerator
  ) throws -> [(truth: Vector<6>, ranges: [(anchor: Int, range: Double)])] {
    let startRoot = start.covariance.semidefiniteRoot()
    let root = motion.noise(at: .zero, over: 0.1).semidefiniteRoot()
    var truth = start.mean + startRoot * Vector.random(using: &generator)
    return (0..<steps).map { step in
      truth = motion.moved(truth, over: 0.1) + root * Vector.random(using: &generator)
      let ranges = [2 * step % 8, (2 * step + 1) % 8].map { anchor in
        (
          anchor,
          RangeModel(anchor: anchors[anchor]).measurement(at: truth)[0] + 0.1 * generator.normal()
        )
      }
      return (truth, ranges)
    }
  }

  @Test func filterErrorsAndInnovationsAreConsistent() throws {
    var generator = SeededGenerator(seed: 321)
    var errors = [Double](repeating: 0, count: 4)
    var innovations = [Double](repeating: 0, count: 4)
    for _ in 0..<Self.runs {
      var extended = ExtendedKalmanFilter(state: Self.start)
      var iterated = IteratedExtendedKalmanFilter(state: Self.start)
      var unscented = UnscentedKalmanFilter(state: Self.start, rule: .merwe(order: 6, alpha: 0.6))
      var cubature = CubatureKalmanFilter(state: Self.start)
      let run = try Self.run(using: &generator)
      for instant in run {
        extended.predict(by: Self.motion, over: 0.1)
        iterated.predict(by: Self.motion, over: 0.1)
        unscented.predict(by: Self.motion, over: 0.1)
        cubature.predict(by: Self.motion, over: 0.1)
        for (anchor, range) in instant.ranges {
          let model = RangeModel(anchor: Self.anchors[anchor])
          let measured = Vector<1>([range])
          let told = [
            try extended.update(measured, of: model, noise: Self.noise),
            try iterated.update(measured, of: model, noise: Self.noise),
            try unscented.update(measured, of: model, noise: Self.noise),
            try cubature.update(measured, of: model, noise: Self.noise),
          ]
          for (index, innovation) in told.enumerated() {
            innovations[index] += innovation?.normalizedSquare ?? .nan
          }
        }
      }
      let truth = try #require(run.last).truth
      let states = [extended.state, iterated.state, unscented.state, cubature.state]
      for (index, state) in states.enumerated() {
        errors[index] += try Self.square(of: truth - state.mean, in: state.covariance)
      }
    }
    for index in 0..<4 {
      expectChiSquare(errors[index], degrees: 6 * Self.runs, "errors of filter \(index)")
      expectChiSquare(
        innovations[index], degrees: 2 * Self.steps * Self.runs, "innovations of filter \(index)")
    }
  }

  @Test func smootherErrorsAreConsistent() throws {
    var generator = SeededGenerator(seed: 322)
    var errors = [0.0, 0.0, 0.0]
    var (filteredSquares, smoothedSquares) = (0.0, 0.0)
    for _ in 0..<Self.runs {
      var extended = ExtendedKalmanFilter(state: Self.start)
      var cubature = CubatureKalmanFilter(state: Self.start)
      var smoothers = [RauchTungStriebelSmoother<6>](
        repeating: RauchTungStriebelSmoother(start: Self.start), count: 2)
      let run = try Self.run(using: &generator)
      var steps: [IteratedSmoother<6, 1>.Step] = []
      for instant in run {
        let reversals = [
          extended.predictReversibly(by: Self.motion, over: 0.1),
          cubature.predictReversibly(by: Self.motion, over: 0.1),
        ]
        for (index, (anchor, range)) in instant.ranges.enumerated() {
          let model = RangeModel(anchor: Self.anchors[anchor])
          let measured = Vector<1>([range])
          try extended.update(measured, of: model, noise: Self.noise)
          try cubature.update(measured, of: model, noise: Self.noise)
          steps.append(
            IteratedSmoother<6, 1>.Step(
              seconds: index == 0 ? 0.1 : 0, measurement: measured, noise: Self.noise))
        }
        smoothers[0].append(extended.state, reversal: reversals[0])
        smoothers[1].append(cubature.state, reversal: reversals[1])
      }
      let iterated = try IteratedSmoother<6, 1>(prior: Self.start).smoothed(
        steps, by: Self.motion,
        of: { RangeModel(anchor: Self.anchors[run[$0 / 2].ranges[$0 % 2].anchor]) })
      #expect(iterated.isConverged)
      // In the middle of the run, where smoothing reduces the error most.
      let middle = Self.steps / 2
      let truth = run[middle].truth
      let states = [
        smoothers[0].smoothed()[middle + 1], smoothers[1].smoothed()[middle + 1],
        iterated.states[2 * middle + 1],
      ]
      for (index, state) in states.enumerated() {
        errors[index] += try Self.square(of: truth - state.mean, in: state.covariance)
      }
      let filtered = smoothers[0].filtered[middle + 1]
      for axis in 0..<3 {
        filteredSquares += (truth[axis] - filtered.mean[axis]) * (truth[axis] - filtered.mean[axis])
        let error = truth[axis] - states[0].mean[axis]
        smoothedSquares += error * error
      }
    }
    for index in 0..<3 {
      expectChiSquare(errors[index], degrees: 6 * Self.runs, "errors of smoother \(index)")
    }
    #expect(smoothedSquares < 0.7 * filteredSquares)
  }

  /// A tag moves straight, turns sharply and moves straight again: two models against each alone.
  @Test func mixtureOutperformsSingleModels() throws {
    var generator = SeededGenerator(seed: 323)
    let calm = ConstantVelocity(horizontalDensity: 0.02, verticalDensity: 0.02)
    let wild = ConstantVelocity(horizontalDensity: 3, verticalDensity: 0.02)
    let start = Gaussian<6>(
      mean: Vector([2, 2, 1, 1, 0, 0]), covariance: .diagonal(Vector(repeating: 0.01)))
    var squares = [Double](repeating: 0, count: 4)
    for _ in 0..<20 {
      var single = [ExtendedKalmanFilter(state: start), ExtendedKalmanFilter(state: start)]
      var mixture = InteractingMultipleModel<2, 6>(
        state: start, probabilities: Vector([0.95, 0.05]))
      var smoother = RauchTungStriebelSmoother(start: mixture.state)
      var truths: [Vector<6>] = []
      var truth = start.mean
      for step in 0..<160 {
        // Between 8 and 9.6 s the tag turns left by two right angles; otherwise it moves straight.
        let turn = CoordinatedTurn(acceleration: calm, turnDensity: 0)
        let rate = step >= 80 && step < 96 ? Double.pi / 1.6 : 0
        let turned = turn.moved(
          Vector([truth[0], truth[1], truth[2], truth[3], truth[4], truth[5], rate]), over: 0.1)
        truth = Vector(InlineArray { turned[$0] })
        truths.append(truth)
        single[0].predict(by: calm, over: 0.1)
        single[1].predict(by: wild, over: 0.1)
        let switching = Matrix<2, 2>.dwelling(seconds: Vector([8, 2]), over: 0.1)
        let reversal = mixture.predictReversibly(switching: switching) { model, estimate in
          var filter = ExtendedKalmanFilter(state: estimate)
          let reversal = filter.predictReversibly(by: model == 0 ? calm : wild, over: 0.1)
          estimate = filter.state
          return reversal
        }
        for offset in 0..<2 {
          let model = RangeModel(anchor: Self.anchors[(2 * step + offset) % 8])
          let measured = model.measurement(at: truth) + Vector([0.1 * generator.normal()])
          for index in 0..<2 {
            try single[index].update(measured, of: model, noise: Self.noise)
          }
          try mixture.update { _, estimate throws(FilteringError) in
            try estimate.condition(on: measured, of: model, noise: Self.noise)
          }
        }
        smoother.append(mixture.state, reversal: reversal)
        for (index, state) in [single[0].state, single[1].state, mixture.state].enumerated() {
          squares[index] += Self.horizontalSquare(truth, state)
        }
      }
      for (truth, smoothed) in zip(truths, smoother.smoothed().dropFirst()) {
        squares[3] += Self.horizontalSquare(truth, smoothed)
      }
    }
    #expect(squares[2] < 0.8 * squares[0] && squares[2] < 0.8 * squares[1], "\(squares)")
    #expect(squares[3] < 0.6 * squares[2], "\(squares)")
  }

  // MARK: Harness

  private static func horizontalSquare(_ truth: Vector<6>, _ state: Gaussian<6>) -> Double {
    let (x, y) = (truth[0] - state.mean[0], truth[1] - state.mean[1])
    return x * x + y * y
  }

  private static func square(of error: Vector<6>, in covariance: Matrix<6, 6>) throws -> Double {
    let whitened = try #require(Cholesky(covariance)).forward(error)
    return whitened.dot(whitened)
  }

  /// Expects a sum inside the central 99 % of the chi-square distribution.
  private func expectChiSquare(_ sum: Double, degrees: Int, _ comment: String) {
    let freedom = Double(degrees)
    let low = ChiSquare.quantile(0.005, degreesOfFreedom: freedom)
    let high = ChiSquare.quantile(0.995, degreesOfFreedom: freedom)
    #expect(sum > low && sum < high, "\(comment): \(sum / freedom) per degree")
  }
}
