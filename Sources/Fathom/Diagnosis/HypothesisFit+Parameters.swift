/// Parameters that all epochs share, fitted together with the positions.
extension HypothesisFit {
  /// Fits a parameter that all epochs share, together with the positions.
  mutating func fit(_ parameter: RangeHypothesis.Parameter) {
    for _ in 0..<12 {
      guard let step = step(of: parameter), step.change.allSatisfy(\.isFinite) else { return }
      hypothesis.add(step.change, to: parameter)
      used = UsedRanges(epochs, hypothesis)
      covariance = step.covariance
      for index in positions.indices { descend(index, sigma, steps: 2) }
      updateSigma()
      let isDone = zip(step.change, step.covariance.indices).allSatisfy {
        $0.magnitude < 0.02 * max(step.covariance[$1][$1], 0).squareRoot()
      }
      if isDone { break }
    }
    settle()
    if let step = step(of: parameter) { covariance = step.covariance }
    finish()
  }

  /// Returns the Gauss-Newton step of a parameter with the positions eliminated, and its covariance.
  func step(
    of parameter: RangeHypothesis.Parameter
  ) -> (change: [Double], covariance: [[Double]])? {
    let count = hypothesis.count(of: parameter)
    let isSpace = hypothesis.unknowns == 3
    var (matrix, right) = (SymmetricMatrix3(), SIMD3<Double>.zero)
    // How much of the gradient is due to each anchor's errors.
    var shared = [SIMD3<Double>](repeating: .zero, count: hypothesis.sites.count)
    for index in positions.indices {
      let place = positions[index]
      let own = equations(index, place, sigma)
      var information = own.information
      let trace = 1e-6 * information.trace
      information.xx += trace
      information.yy += trace
      information.zz += trace
      guard let inverse = information.inverse(isSpace: isSpace) else { continue }
      var (slopes, gradient) = (SymmetricMatrix3(), SIMD3<Double>.zero)
      // One column of the coupling with the position for each number of the parameter.
      var coupling = [SIMD3<Double>](repeating: .zero, count: count)
      for range in used.ranges(of: index) {
        let anchor = used.anchors[range]
        let offset = place - used.sites[range]
        let length = max((offset * offset).sum().squareRoot(), 1e-9)
        let direction = (hypothesis.gain / length) * offset
        let slope = slope(of: parameter, anchor, length, direction)
        let error = used.distances[range] - hypothesis.gain * length
        let weight = (Self.freedom + 1) / (Self.freedom * sigma * sigma + error * error)
        slopes.addOuterProduct(of: slope, times: weight)
        gradient += (weight * error) * slope
        var flat = direction
        if !isSpace { flat.z = 0 }
        for column in 0..<count { coupling[column] += (weight * slope[column]) * flat }
      }
      let weight = epochs.weights[index]
      for range in used.ranges(of: index) {
        let anchor = used.anchors[range]
        let offset = place - used.sites[range]
        let length = max((offset * offset).sum().squareRoot(), 1e-9)
        let direction = (hypothesis.gain / length) * offset
        var flat = direction
        if !isSpace { flat.z = 0 }
        let error = used.distances[range] - hypothesis.gain * length
        let own = weight * (Self.freedom + 1) / (Self.freedom * sigma * sigma + error * error)
        let slope = slope(of: parameter, anchor, length, direction)
        let moved = inverse * flat
        for column in 0..<count {
          shared[anchor][column] += own * (slope[column] - (coupling[column] * moved).sum())
        }
      }
      let moved = inverse * own.gradient
      for row in 0..<count {
        right[row] += weight * (gradient[row] - (coupling[row] * moved).sum())
        for column in 0...row {
          let product = (coupling[row] * (inverse * coupling[column])).sum()
          matrix.add(weight * (slopes[row, column] - product), row, column)
        }
      }
    }
    if count == 1 {
      (matrix.yy, matrix.zz) = (1, 1)
      (matrix.xy, matrix.xz, matrix.yz) = (0, 0, 0)
      guard matrix.xx > 0 else { return nil }
    }
    guard var inverse = matrix.inverse(isSpace: count != 2) else { return nil }
    let change = inverse * right
    let whole = inverse
    for share in shared { inverse.addOuterProduct(of: sigma * (whole * share), times: 1) }
    return (
      (0..<count).map { change[$0] },
      (0..<count).map { row in (0..<count).map { inverse[row, $0] } }
    )
  }

  /// Returns how much a distance depends on each number of a parameter.
  @inline(__always)
  func slope(
    of parameter: RangeHypothesis.Parameter, _ anchor: Int, _ length: Double,
    _ direction: SIMD3<Double>
  ) -> SIMD3<Double> {
    switch parameter {
    case .bias: return SIMD3(1, 0, 0)
    case .gain: return SIMD3(length, 0, 0)
    case .height: return SIMD3(direction.z, 0, 0)
    case .offset(let other): return SIMD3(other == anchor ? 1 : 0, 0, 0)
    case .site(let other, let isSpace):
      guard other == anchor else { return .zero }
      return !isSpace ? -SIMD3(direction.x, direction.y, 0) : -direction
    }
  }
}

extension SymmetricMatrix3 {
  /// The element in a row and a column.
  fileprivate subscript(row: Int, column: Int) -> Double {
    switch (max(row, column), min(row, column)) {
    case (0, _): xx
    case (1, 0): xy
    case (1, _): yy
    case (_, 0): xz
    case (_, 1): yz
    default: zz
    }
  }

  fileprivate mutating func add(_ value: Double, _ row: Int, _ column: Int) {
    switch (max(row, column), min(row, column)) {
    case (0, _): xx += value
    case (1, 0): xy += value
    case (1, _): yy += value
    case (_, 0): xz += value
    case (_, 1): yz += value
    default: zz += value
    }
  }
}
