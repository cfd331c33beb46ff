import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Compares the extended and the unscented filter with other libraries; see
/// Oracles/kalman/SOURCE.md.
@Suite struct NonlinearOracleTests {
  // MARK: Extended

  @Test func rangesToFourAnchorsMatchOracle() throws {
    let reference = try oracle("kalman/ekf01_range4_2d.json", as: FourRangesCase.self, in: .module)
    var filter = ExtendedKalmanFilter(state: try reference.prior())
    let motion = try reference.motion()
    for (step, ranges) in reference.z.enumerated() {
      filter.predict(by: motion, over: reference.dt)
      let innovation = try reference.update(ranges) { try filter.update($0, of: $1, noise: $2) }
      try expectClose(
        filter.state.mean.array, filter.state.covariance.array, reference.expected, step,
        within: 1e-9)
      if let square = innovation?.normalizedSquare, let expected = reference.expected.NIS?[step] {
        #expect(isClose(square, expected, within: 1e-9 * max(1, expected)), "step \(step)")
      }
    }
  }

  @Test(.needsReference("oracles/kalman/ekf02_filterpy_radar.json"))
  func radarMatchesOracle() throws {
    let reference = try oracle(
      at: Reference.url("oracles/kalman/ekf02_filterpy_radar.json"), as: RadarFile.self)
    var filter = ExtendedKalmanFilter(
      state: Gaussian(
        mean: try Vector<3>(oracle: reference.x0),
        covariance: try Matrix<3, 3>(oracle: reference.P0)))
    let (transition, noise) = (
      try Matrix<3, 3>(oracle: reference.F), try Matrix<3, 3>(oracle: reference.Q)
    )
    let motion = LinearMotion(transition: { _ in transition }, noise: { _ in noise })
    for (step, range) in reference.z.enumerated() {
      try filter.update(
        Vector<1>([range]), of: SlantRange(), noise: Matrix(repeating: reference.R[step]))
      filter.predict(by: motion, over: 0.05)
      try expectClose(
        filter.state.mean.array, filter.state.covariance.array, reference.expected, step,
        within: 1e-7)
    }
  }

  /// Elevation, bearing and range from one sensor in world axes: an upright device at the sensor
  /// that looks along +x.
  @Test(.needsReference("oracles/kalman/stonesoup01_ekf_el_az_range.json"))
  func elevationBearingAndRangeMatchOracle() throws {
    let reference = try oracle(
      at: Reference.url("oracles/kalman/stonesoup01_ekf_el_az_range.json"), as: SensorFile.self)
    // The reference orders position and velocity of each axis adjacently.
    let order = [0, 2, 4, 1, 3, 5]
    func reordered(_ matrix: [[Double]]) -> [[Double]] {
      order.map { row in order.map { matrix[row][$0] } }
    }
    var filter = ExtendedKalmanFilter(
      state: Gaussian(
        mean: try Vector<6>(oracle: order.map { reference.x0[$0] }),
        covariance: try Matrix<6, 6>(oracle: reordered(reference.P0))))
    let density = 0.5.squareRoot()
    let motion = ConstantVelocity(horizontalDensity: density, verticalDensity: density)
    let model = RangeAnglesModel<6>(
      device: .upright(at: try Vector<3>(oracle: reference.sensor)), convention: .bearing)
    // The order is range, bearing, elevation instead of elevation, bearing, range.
    let noise = Matrix<3, 3>.diagonal(
      Vector([reference.R[2][2], reference.R[1][1], reference.R[0][0]]))
    for (step, z) in reference.z.enumerated() {
      filter.predict(by: motion, over: reference.dt[step])
      try filter.update(Vector<3>([z[2], z[1], z[0]]), of: model, noise: noise)
      let expected = Moments(
        x: [order.map { reference.expected.x[step][$0] }],
        P: [reordered(reference.expected.P[step])])
      try expectClose(
        filter.state.mean.array, filter.state.covariance.array, expected, 0, within: 1e-6)
    }
  }

  // MARK: Unscented

  @Test(.needsReference("oracles/kalman/ukf01_sigma_points.json"))
  func sigmaPointsAndWeightsMatchOracle() throws {
    let reference = try oracle(
      at: Reference.url("oracles/kalman/ukf01_sigma_points.json"), as: PointsFile.self)
    for one in reference.cases {
      switch one.n {
      case 1: try check(one, Vector<1>.zero)
      case 2: try check(one, Vector<2>.zero)
      case 4: try check(one, Vector<4>.zero)
      default: Issue.record("no shape for \(one.n) numbers")
      }
    }
  }

  @Test(.needsReference("oracles/kalman/ukf02_range4_2d_merwe.json"))
  func sigmaPointUpdateMatchesOracleForFourRanges() throws {
    let reference = try oracle(
      at: Reference.url("oracles/kalman/ukf02_range4_2d_merwe.json"), as: FourRangesCase.self)
    // The case does not record α, β and κ; these values reproduce its first state to 1e-13.
    let rule = SigmaPointRule.merwe(order: 4, alpha: 0.1, beta: 2, kappa: -1)
    var filter = UnscentedKalmanFilter(state: try reference.prior(), rule: rule)
    var reusing = UnscentedKalmanFilter(
      state: try reference.prior(), rule: rule, points: .reused)
    let motion = try reference.motion()
    var largest = 0.0
    for (step, ranges) in reference.z.enumerated() {
      filter.predict(by: motion, over: reference.dt)
      reusing.predict(by: motion, over: reference.dt)
      _ = try reference.update(ranges) { try filter.update($0, of: $1, noise: $2) }
      _ = try reference.update(ranges) { try reusing.update($0, of: $1, noise: $2) }
      try expectClose(
        filter.state.mean.array, filter.state.covariance.array, reference.expected, step,
        within: 1e-8)
      largest = max(largest, (filter.state.mean - reusing.state.mean).length)
    }
    // The other convention gives another filter: according to the reference, up to 0.0068 away in a
    // component.
    #expect(largest > 1e-4 && largest < 0.02)
  }

  // MARK: Harness

  private func check<let N: Int>(_ one: PointsFile.Case, _ shape: Vector<N>) throws {
    let rule: SigmaPointRule
    switch one.kind {
    case "merwe":
      rule = .merwe(
        order: N, alpha: one.alpha ?? .nan, beta: one.beta ?? .nan, kappa: one.kappa ?? .nan)
    case "julier": rule = .julier(order: N, kappa: one.kappa ?? .nan)
    default: rule = .simplex(order: N)
    }
    let state = Gaussian(
      mean: try Vector<N>(oracle: one.x), covariance: try Matrix<N, N>(oracle: one.P))
    let points = SigmaPoints(state, rule: rule)
    // Mean first, then ahead, then behind; the last corner of a simplex is the central point here.
    var rows = [points.centre.array]
    for index in 0..<N { rows.append(points.ahead.row(index).array) }
    if rule.pattern == .pairs {
      for index in 0..<N { rows.append(points.behind.row(index).array) }
    } else {
      rows.append(rows.removeFirst())
    }
    compare(rows.flatMap { $0 }, one.points.flatMap { $0 }, 1e-10, one.kind)
    let others = [Double](repeating: rule.weight, count: rows.count - 1)
    let scale = max(1, one.Wc.map(\.magnitude).max() ?? 0)
    if rule.pattern == .pairs {
      compare([rule.centralMeanWeight] + others, one.Wm, 1e-9 * scale, one.kind)
      compare([rule.centralCovarianceWeight] + others, one.Wc, 1e-9 * scale, one.kind)
    } else {
      compare(others + [rule.centralMeanWeight], one.Wm, 1e-14, one.kind)
    }
    // The points reproduce the moments of their distribution.
    let deviations = points.carried(through: { $0 })
    let tolerance = scale > 1e5 ? 1e-7 : 1e-10
    compare(deviations.mean.array, one.x, tolerance, one.kind)
    let covariance = deviations.covariance.array.flatMap { $0 }
    // The weights of Merwe's covariance do not sum to one, which does not matter for deviations
    // from the mean.
    compare(covariance, one.P.flatMap { $0 }, tolerance, one.kind)
  }

  private func compare(
    _ values: [Double], _ expected: [Double], _ tolerance: Double, _ name: String
  ) {
    #expect(values.count == expected.count, "\(name)")
    for (value, wanted) in zip(values, expected) {
      #expect(isClose(value, wanted, within: tolerance), "\(name)")
    }
  }

  private func expectClose(
    _ mean: [Double], _ covariance: [[Double]], _ expected: Moments, _ step: Int,
    within tolerance: Double
  ) throws {
    for (value, wanted) in zip(mean, expected.x[step]) {
      #expect(isClose(value, wanted, within: tolerance), "step \(step)")
    }
    for (value, wanted) in zip(covariance.joined(), expected.P[step].joined()) {
      #expect(isClose(value, wanted, within: tolerance), "step \(step)")
    }
  }
}

// MARK: - Models of the cases

/// Distance and height of an aircraft above a radar: state distance, speed, height.
private struct SlantRange: MeasurementModel {
  func measurement(at state: Vector<3>) -> Vector<1> {
    Vector([(state[0] * state[0] + state[2] * state[2]).squareRoot()])
  }

  func derivative(at state: Vector<3>) -> Matrix<1, 3> {
    let range = measurement(at: state)[0]
    return Matrix([[state[0] / range, 0, state[2] / range]])
  }
}

/// Ranges to all four anchors in the plane; state x, vx, y, vy.
private struct FourRanges: MeasurementModel {
  var anchors: [[Double]]

  func measurement(at state: Vector<4>) -> Vector<4> {
    Vector(InlineArray { offset(state, $0).length })
  }

  func derivative(at state: Vector<4>) -> Matrix<4, 4> {
    var result = Matrix<4, 4>.zero
    for row in 0..<4 {
      let away = offset(state, row)
      result[row, 0] = away[0] / away.length
      result[row, 2] = away[1] / away.length
    }
    return result
  }

  private func offset(_ state: Vector<4>, _ index: Int) -> Vector<2> {
    Vector([state[0] - anchors[index][0], state[2] - anchors[index][1]])
  }
}

// MARK: - Formats of the cases

extension FourRangesCase {
  fileprivate func motion() throws -> LinearMotion<4> {
    let (transition, noise) = (try Matrix<4, 4>(oracle: F), try Matrix<4, 4>(oracle: Q))
    return LinearMotion(transition: { _ in transition }, noise: { _ in noise })
  }

  /// Updates with all available ranges at once; an absent range gets a variance so large that it
  /// has no influence.
  fileprivate func update(
    _ ranges: [Double?],
    _ body: (Vector<4>, FourRanges, Matrix<4, 4>) throws -> Innovation<4>?
  ) throws -> Innovation<4>? {
    var measured = Vector<4>.zero
    var noise = Matrix<4, 4>.zero
    for (row, range) in ranges.enumerated() {
      measured[row] = range ?? 5
      noise[row, row] = range == nil ? 1e18 : R_diag
    }
    return try body(measured, FourRanges(anchors: anchors), noise)
  }
}

private struct RadarFile: Decodable {
  var x0: [Double]
  var P0: [[Double]]
  var F: [[Double]]
  var Q: [[Double]]
  var R: [Double]
  var z: [Double]
  var expected: Moments
}

private struct SensorFile: Decodable {
  var dt: [Double]
  var x0: [Double]
  var P0: [[Double]]
  var R: [[Double]]
  var sensor: [Double]
  var z: [[Double]]
  var expected: Moments
}

private struct PointsFile: Decodable {
  struct Case: Decodable {
    var kind: String
    var n: Int
    var alpha: Double?
    var beta: Double?
    var kappa: Double?
    var x: [Double]
    var P: [[Double]]
    var points: [[Double]]
    var Wm: [Double]
    var Wc: [Double]
  }

  var cases: [Case]
}
