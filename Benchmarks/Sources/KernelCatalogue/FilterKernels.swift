import Fathom

/// Returns the kernels of the linear filter, the extended filter and the tracker.
func filterKernels() -> [Kernel] {
  let hall = Hall()
  let prior = Gaussian(
    mean: Vector([3, 5, 1, 0.1, 0, 0]),
    covariance: .diagonal(Vector([1, 1, 1, 0.5, 0.5, 0.5])))
  let motion = ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.5)
  let axis = WhiteNoiseAcceleration(density: 0.5)

  return [
    Kernel("filter: two states, predict and update", items: 1000) {
      var filter = KalmanFilter(
        state: Gaussian(mean: Vector<2>.zero, covariance: .identity),
        observation: Matrix<1, 2>([[1, 0]]), noise: Matrix<1, 1>([[0.01]]))
      let transition = axis.transition(over: 0.1)
      let noise = axis.noise(over: 0.1)
      for index in 0..<1000 {
        filter.predict(transition: transition, processNoise: noise)
        _ = try? filter.update(Vector<1>(repeating: 0.01 * Double(index % 7)))
      }
      return filter.state.mean[0]
    },
    Kernel("filter: two states, predict", items: 1000) {
      var state = Gaussian(mean: Vector<2>.zero, covariance: .identity)
      let transition = axis.transition(over: 0.001)
      let noise = axis.noise(over: 0.001)
      for _ in 0..<1000 {
        state = state.predicted(transition: transition, processNoise: noise)
      }
      return state.covariance[0, 0]
    },
    Kernel("filter: six states, predict by whole matrices", items: 1000) {
      var state = prior
      var transition = Matrix<6, 6>.identity
      for row in 0..<3 { transition[row, row + 3] = 0.001 }
      let noise = Matrix<6, 6>.diagonal(Vector(repeating: 1e-6))
      for _ in 0..<1000 {
        state = state.predicted(transition: transition, processNoise: noise)
      }
      return state.covariance[0, 0]
    },
    Kernel("filter: six states, predict at constant velocity", items: 1000) {
      var state = prior
      for _ in 0..<1000 { state = motion.predict(state, over: 0.001) }
      return state.covariance[0, 0]
    },
    Kernel("filter: six states, expectation of a range", items: 1000) {
      let model = RangeModel(anchor: hall.anchors[0])
      var sum = 0.0
      for index in 0..<1000 {
        var mean = prior.mean
        mean[0] += 0.01 * Double(index)
        let (distance, derivative) = model.expectation(at: mean)
        sum += distance + derivative[0, 0]
      }
      return sum
    },
    Kernel("filter: six states, update by a range", items: 1000) {
      var state = prior
      for index in 0..<1000 {
        let model = RangeModel(anchor: hall.anchors[index % 8])
        let (distance, derivative) = model.expectation(at: state.mean)
        let noise = Matrix<1, 1>(repeating: model.variance(sigma: 0.1))
        guard
          let (posterior, _) = try? state.conditioned(
            onResidual: Vector<1>(repeating: hall.ranges[index][index % 8] - distance),
            observation: derivative, noise: noise)
        else { return 0 }
        // Keeps the prior covariance, so that every item does the same work.
        state.mean = posterior.mean
      }
      return state.mean[0]
    },
    Kernel("tracker: one range", items: 1000) {
      let anchors = hall.anchors.map { Anchor(position: $0) }
      guard var tracker = try? Tracker(anchors: anchors) else { return .nan }
      var sum = 0.0
      for index in 0..<1000 {
        let update = tracker.update(
          distance: hall.ranges[index][index % 8], anchor: index % 8,
          at: Timestamp(nanoseconds: 10_000_000 * Int64(index)))
        sum += update.innovation?.normalizedSquare ?? 0
      }
      return sum
    },
  ]
}
