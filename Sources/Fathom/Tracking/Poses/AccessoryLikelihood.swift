import RealModule

/// The likelihood of the position of an accessory, given the distances of groups of ranges with
/// correlated errors.
///
/// The errors of the distances r, from the places q with the unit vectors u to the accessory, have the
/// covariance
///
///     R = white + link (time-correlated) + common + bias + scale + drift of the poses
///
/// where the drift moves and turns earlier places against the present one [Thrun et al. 2005, Sec.
/// 5.4]: with the length w of the path since then, uᵢᵀuⱼ min(wᵢ, wⱼ) of the variance of a metre, and
/// the products of the displacements by a turn at every place in between.
struct AccessoryLikelihood {
  let groups: [RangeGroup]
  let configuration: AccessoryLocator.Configuration
  /// What outliers add to the variance of each group, m².
  private(set) var inflation: [Double]
  /// Weights of the groups, from 0 to 1.
  private(set) var weights: [Double]
  /// The factor L of R = L Lᵀ by rows; R above the diagonal.
  private var factor: [Double] = []
  /// The logarithm of the determinant of R.
  private var logDeterminant = 0.0

  /// A most likely horizontal position at a given height.
  struct Point {
    var place: SIMD2<Double>
    /// Minus twice the log-likelihood.
    var cost: Double
    /// The information of the horizontal position.
    var information = SymmetricMatrix3()

    var determinant: Double {
      information.xx * information.yy - information.xy * information.xy
    }
  }

  /// Variance of every range beside that of its errors, m²: keeps R positive definite.
  private static let leastVariance = 1e-8
  /// Damping after the first step uphill, relative to the diagonal: few steps are made.
  private static let firstDamping = 0.1
  /// The increase of a cost that is ignored as rounding.
  private static let level = 1e-9
  /// The length of a step at which a position has converged, metres.
  private static let accuracy = 1e-4
  /// Information of a horizontal position without ranges, 1/m²: a hundred metres.
  private static let leastInformation = 1e-4
  /// Standard deviations within which a bias is likely.
  private static let likelyBias = 3.0
  /// Correlated directions count as one in four.
  private static let directionFactor = 4.0

  init(_ groups: [RangeGroup], _ configuration: AccessoryLocator.Configuration) {
    self.groups = groups
    self.configuration = configuration
    inflation = Array(repeating: 0, count: groups.count)
    weights = Array(repeating: 1, count: groups.count)
  }

  /// The mean height of the places.
  var meanHeight: Double {
    groups.reduce(0) { $0 + $1.position.z } / Double(max(1, groups.count))
  }

  /// Computes the covariance of the errors for an accessory at `position`; returns whether it is
  /// positive definite.
  mutating func linearise(at position: SIMD3<Double>) -> Bool {
    let (errors, poses) = (configuration.errors, configuration.poseErrors)
    let count = groups.count
    guard let last = groups.last else { return false }
    let units = groups.map { sight($0, from: position).unit }
    let scales = (0..<count).map {
      poses.scaleSigma * (units[$0] * (groups[$0].position - last.position)).sum()
    }
    // How far a turn of the path after each place moves an earlier one along its line of sight.
    var turns = [Double](repeating: 0, count: count * count)
    for row in 0..<count {
      for step in row..<max(row, count - 1) {
        let (here, next) = (groups[step], groups[step + 1])
        let centre = 0.5 * (here.position + next.position)
        let arm = groups[row].position - centre
        let width = poses.headingNoise * max(0, next.way - here.way).squareRoot()
        turns[row * count + step] = width * (units[row].y * arm.x - units[row].x * arm.y)
      }
    }
    let constant =
      errors.biasSigma * errors.biasSigma + errors.persistentSigma * errors.persistentSigma
      + errors.remainingBiasSigma * errors.remainingBiasSigma
    let metre = poses.distanceNoise * poses.distanceNoise
    let transient = errors.commonModeSigma * errors.commonModeSigma
    factor = [Double](repeating: 0, count: count * count)
    for row in 0..<count {
      let own = groups[row]
      for column in 0...row {
        let other = groups[column]
        let seconds = own.time.seconds(since: other.time).magnitude
        var sum = constant
        sum += errors.scaleSigma * errors.scaleSigma * own.distance * other.distance
        sum += transient * errors.commonModeMemory(over: seconds)
        sum +=
          own.correlatedFactor * other.correlatedFactor * errors.linkErrorVariance
          * errors.memory(over: seconds)
        sum += metre * (last.way - own.way) * (units[row] * units[column]).sum()
        sum += scales[row] * scales[column]
        for step in row..<max(row, count - 1) {
          sum += turns[row * count + step] * turns[column * count + step]
        }
        if row == column { sum += own.whiteVariance + inflation[row] + Self.leastVariance }
        factor[row * count + column] = sum
      }
    }
    let isPositive = factor.withUnsafeMutableBufferPointer {
      $0.baseAddress.map { CholeskyLoops.factor($0, into: $0, count) } ?? true
    }
    guard isPositive else { return false }
    logDeterminant = (0..<count).reduce(0) { $0 + 2 * Double.log(factor[$1 * count + $1]) }
    return true
  }

  /// Returns the distance of an accessory at `position` from a group, and the direction to it; see
  /// ``RangeModel/direction(of:)``.
  private func sight(
    _ group: RangeGroup, from position: SIMD3<Double>
  ) -> (length: Double, unit: SIMD3<Double>) {
    let (length, unit) = RangeModel.direction(of: Vector(simd: position - group.position))
    return (length, unit.simd)
  }

  /// Returns cost, information and descent at a position.
  private func expansion(
    _ place: SIMD2<Double>, height: Double
  ) -> (point: Point, descent: SIMD2<Double>) {
    let position = SIMD3(place.x, place.y, height)
    var point = Point(place: place, cost: logDeterminant)
    var descent = SIMD2<Double>.zero
    let count = groups.count
    // Residuals and both derivatives, whitened together.
    var white = [SIMD4<Double>](repeating: .zero, count: count)
    let noise = configuration.directionSigma
    for row in 0..<count {
      let group = groups[row]
      let (length, unit) = sight(group, from: position)
      var sum = SIMD4(group.distance - length, unit.x, unit.y, 0)
      for inner in 0..<row { sum -= factor[row * count + inner] * white[inner] }
      sum /= factor[row * count + row]
      white[row] = sum
      point.cost += sum.x * sum.x
      point.information.addOuterProduct(of: SIMD3(sum.y, sum.z, 0), times: 1)
      descent += sum.x * SIMD2(sum.y, sum.z)
      guard let direction = group.direction, length > 0 else { continue }
      let way = (groups.last?.way ?? 0) - group.way
      let turned = configuration.poseErrors.headingNoise * configuration.poseErrors.headingNoise
      let variance = Self.directionFactor * noise * noise + turned * way
      let gap = direction - unit
      let square = (gap * gap).sum()
      // Reflections come from anywhere: a bounded cost, with the weight of its derivative.
      let ratio = square / (4 * variance)
      point.cost += 4 * Double.log(onePlus: ratio)
      let information = 1 / (variance * (1 + ratio))
      let scaled = information / (length * length)
      point.information.xx += scaled * (1 - unit.x * unit.x)
      point.information.xy -= scaled * unit.x * unit.y
      point.information.yy += scaled * (1 - unit.y * unit.y)
      let pull = gap - (gap * unit).sum() * unit
      descent += (information / length) * SIMD2(pull.x, pull.y)
    }
    point.information.xx += Self.leastInformation
    point.information.yy += Self.leastInformation
    return (point, descent)
  }

  /// Returns the most likely horizontal position at `height` near `start`; nil without one.
  ///
  /// Damped Gauss-Newton steps on the plane of that height, see ``MarquardtDamping``.
  func settled(_ start: SIMD2<Double>, height: Double, steps: Int) -> Point? {
    var (here, slope) = expansion(start, height: height)
    guard here.cost.isFinite else { return nil }
    var damping = MarquardtDamping()
    damping.first = Self.firstDamping
    _ = descend(
      limit: steps, &damping, curvature: { 1 },
      step: { damping in
        var information = here.information
        information.xx *= 1 + damping
        information.yy *= 1 + damping
        return information.solution(of: SIMD3(slope, 0), isSpace: false)
      },
      attempt: { step, _ in
        let (next, nextSlope) = expansion(here.place + SIMD2(step.x, step.y), height: height)
        guard next.cost <= here.cost + Self.level else { return .higher }
        (here, slope) = (next, nextSlope)
        return (step * step).sum() < Self.accuracy * Self.accuracy ? .settled : .lower
      })
    return here
  }

  /// Sets the weights of the groups by their residuals from `position`.
  ///
  /// Those of a Student density; a group loses its weight by an additional variance of its own.
  /// Returns minus the logarithm of that density, up to a constant.
  mutating func reweigh(at position: SIMD3<Double>) -> Double {
    let errors = configuration.errors
    guard errors.degreesOfFreedom.isFinite, !groups.isEmpty else { return 0 }
    let density = StudentDensity(freedom: errors.degreesOfFreedom)
    var cost = 0.0
    let transient = errors.commonModeSigma * errors.commonModeSigma
    let residuals = groups.map { group in
      group.distance - sight(group, from: position).length
    }
    // A common bias is no outlier.
    let limit = Self.likelyBias * errors.biasSigma
    let bias = min(limit, max(-limit, residuals.sorted()[residuals.count / 2]))
    for index in groups.indices {
      let group = groups[index]
      let residual = residuals[index] - bias
      let variance =
        group.whiteVariance + transient
        + group.correlatedFactor * group.correlatedFactor * errors.linkErrorVariance
      let square = residual * residual / variance
      let weight = density.weight(square)
      weights[index] = weight
      inflation[index] = variance * (1 / weight - 1)
      cost += density.tail(square)
    }
    return cost
  }
}
