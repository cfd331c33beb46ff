import Benchmark
import Fathom
import FathomEvaluation

/// Filters, trilateration and least squares.
func benchmarkPositions() {
  // Only plain numbers go into `blackHole`: values of generic integer shape crash the compiler there
  // (Swift 6.3.1).
  let hall = Hall()

  Benchmark("Kalman filter, two states, predict and update") { _ in
    var filter = KalmanFilter(
      state: Gaussian(mean: Vector<2>.zero, covariance: .identity),
      observation: Matrix<1, 2>([[1, 0]]), noise: Matrix<1, 1>([[0.01]]))
    let motion = WhiteNoiseAcceleration(density: 0.5)
    for index in 0..<1000 {
      filter.predict(
        transition: motion.transition(over: 0.1), processNoise: motion.noise(over: 0.1))
      _ = try? filter.update(Vector<1>(repeating: 0.01 * Double(index % 7)))
    }
    blackHole(filter.state.mean[0])
  }
  Benchmark("constant velocity, six states, predict") { _ in
    var state = Gaussian(mean: Vector<6>.zero, covariance: .identity)
    let motion = ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.5)
    for _ in 0..<1000 { state = motion.predict(state, over: 0.001) }
    blackHole(state.covariance[0, 0])
  }
  Benchmark("tracker, one range") { _ in
    var tracker = Tracker(anchors: hall.anchors.map { Anchor(position: $0) })
    for index in 0..<1000 {
      let update = tracker.update(
        distance: hall.ranges[index][index % 8], anchor: index % 8,
        at: Timestamp(nanoseconds: 10_000_000 * Int64(index)))
      blackHole(update.innovation?.normalizedSquare)
    }
  }
  Benchmark("trilateration, eight ranges in space") { _ in
    for index in 0..<1000 {
      let fix = try? Trilateration.solve(ranges: hall.ranges[index], anchors: hall.anchors)
      blackHole(fix?.misfit)
    }
  }
  Benchmark("trilateration, eight ranges, known height") { _ in
    var options = Trilateration.Options()
    options.height = 1
    for index in 0..<1000 {
      let fix = try? Trilateration.solve(
        ranges: hall.ranges[index], anchors: hall.anchors, options: options)
      blackHole(fix?.misfit)
    }
  }
  let matrix = DenseMatrix(hall.anchors.map { $0.array })
  for (name, driver) in [
    ("dgels", LeastSquaresDriver.qr), ("dgelsy", .pivotedQR), ("dgelsd", .singularValues),
  ] {
    Benchmark("least squares 8 x 3, \(name)") { _ in
      for index in 0..<1000 {
        blackHole(
          try? leastSquares(matrix, DenseMatrix(column: hall.ranges[index]), using: driver))
      }
    }
  }
}

/// Eight anchors in a hall of 20 x 15 x 3 m, and a thousand epochs of ranges with 5 cm of noise.
private struct Hall: Sendable {
  let anchors: [Vector<3>] = [
    Vector([0, 0, 2.5]), Vector([20, 0, 0.4]), Vector([20, 15, 2.4]), Vector([0, 15, 0.5]),
    Vector([10, 0, 3]), Vector([10, 15, 0.3]), Vector([0, 7, 2.8]), Vector([20, 7, 0.2]),
  ]
  let ranges: [[Double]]

  init() {
    var generator = SeededGenerator(seed: 2)
    var ranges: [[Double]] = []
    for index in 0..<1000 {
      let tag: Vector<3> = Vector([3 + 0.01 * Double(index), 5, 1])
      ranges.append(anchors.map { ($0 - tag).length + 0.05 * generator.normal() })
    }
    self.ranges = ranges
  }
}
