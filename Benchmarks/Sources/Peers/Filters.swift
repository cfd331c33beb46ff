import Fathom

private let step = 0.1
private let axis = WhiteNoiseAcceleration(density: 0.5)

/// Returns a filter of position and velocity, initially at rest, with a measurement standard
/// deviation of 0.1 m.
private func positionFilter() -> KalmanFilter<2, 1> {
  KalmanFilter(
    state: Gaussian(mean: .zero, covariance: .diagonal(Vector([100, 10]))),
    observation: Matrix([[1, 0]]), noise: Matrix([[0.01]]))
}

/// Updates and predicts over one series.
func filterTwoStates(_ workload: Workload, updates: Int) throws -> [Double] {
  let transition = axis.transition(over: step)
  let noise = axis.noise(over: step)
  var filter = positionFilter()
  var result: [Double] = []
  result.reserveCapacity(2 * updates)
  for index in 0..<updates {
    try filter.update(Vector<1>(repeating: workload.series[index]))
    result.append(filter.state.mean[0])
    result.append(filter.state.mean[1])
    filter.predict(transition: transition, processNoise: noise)
  }
  return result
}

/// Updates and predicts over 1024 independent series.
func filterBank(_ workload: Workload, updates: Int) throws -> [Double] {
  let transition = axis.transition(over: step)
  let noise = axis.noise(over: step)
  let count = 1024
  var filters = [KalmanFilter<2, 1>](repeating: positionFilter(), count: count)
  let steps = updates / count
  for step in 0..<steps {
    for index in 0..<count {
      if step > 0 { filters[index].predict(transition: transition, processNoise: noise) }
      try filters[index].update(Vector<1>(repeating: workload.bank[step * count + index]))
    }
  }
  return filters.flatMap { [$0.state.mean[0], $0.state.mean[1]] }
}

/// Updates and predicts in a filter bank.
///
/// The bank predicts before every update; the first prediction covers no time.
func filterLanes(_ workload: Workload, updates: Int) throws -> [Double] {
  let count = 1024
  let start = positionFilter()
  var bank = KalmanFilterBank(
    count: count, state: start.state, motion: axis, variance: start.noise[0, 0])
  let measurements = workload.bank.span
  for index in 0..<updates / count {
    bank.step(
      over: index > 0 ? step : 0,
      measurements: measurements.extracting(count * index..<count * (index + 1)))
  }
  return (0..<count).flatMap { [bank[$0].mean[0], bank[$0].mean[1]] }
}

/// Filters position and velocity in space: one prediction, then eight ranges one after the other.
func filterSixStates(_ workload: Workload, updates: Int) throws -> [Double] {
  let models = anchors(of: workload).map { RangeModel(anchor: $0) }
  let motion = ConstantVelocity(horizontalDensity: 0.5, verticalDensity: 0.5)
  let noise = Matrix<1, 1>([[0.01]])
  var state = Gaussian<6>(
    mean: Vector([10, 7.5, 1.2, 0, 0, 0]), covariance: .diagonal(Vector([25, 25, 25, 4, 4, 4])))
  var result: [Double] = []
  result.reserveCapacity(6 * updates / 8)
  for epoch in 0..<updates / 8 {
    state = motion.predict(state, over: step)
    for index in 0..<8 {
      let range = Vector<1>(repeating: workload.ranges[8 * epoch + index])
      try state.condition(on: range, of: models[index], noise: noise)
    }
    for index in 0..<6 { result.append(state.mean[index]) }
  }
  return result
}

/// Filters the same ranges with the tracker, which initialises itself and down-weights outliers.
func track(_ workload: Workload, updates: Int) throws -> [Double] {
  var tracker = try Tracker(anchors: anchors(of: workload).map { Anchor(position: $0) })
  var result: [Double] = []
  result.reserveCapacity(6 * updates / 8)
  for epoch in 0..<updates / 8 {
    let time = Timestamp(nanoseconds: 100_000_000 * Int64(epoch))
    for index in 0..<8 {
      _ = tracker.update(distance: workload.ranges[8 * epoch + index], anchor: index, at: time)
    }
    let estimate = tracker.estimate(at: time)
    for index in 0..<3 { result.append(estimate?.position[index] ?? .nan) }
    for index in 0..<3 { result.append(estimate?.velocity[index] ?? .nan) }
  }
  return result
}

/// Returns the most likely track through ranges, of which `count` share each instant, with the
/// tracker's default settings.
func smooth(
  _ distances: [Double], each count: Int, _ workload: Workload, ranges: Int
) throws -> [Double] {
  let step = 12_500_000 * Int64(count)
  let measurements = (0..<ranges).map { index in
    RangeMeasurement(
      time: Timestamp(nanoseconds: step * Int64(index / count)), anchor: index % 8,
      distance: distances[index])
  }
  let smoother = try TrackSmoother(anchors: anchors(of: workload).map { Anchor(position: $0) })
  guard let track = smoother.smoothed(measurements) else { return [] }
  var result: [Double] = []
  result.reserveCapacity(3 * track.estimates.count)
  for estimate in track.estimates {
    for index in 0..<3 { result.append(estimate.position[index]) }
  }
  return result
}
