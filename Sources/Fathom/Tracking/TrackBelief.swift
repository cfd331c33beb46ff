/// What a tracker believes in one mode of motion: where the tag is, and how wrong the ranges are.
///
/// The state is one column of numbers,
///
///     position x y z (m), velocity x y z (m/s), bias b (m) and scale s of all ranges,
///     one correlated error per link (m), at the place that ``LinkErrors`` gave it,
///
/// and a range to anchor a is expected to read (1 + s) |p - a| + b + e(link). The covariance lies in full,
/// row after row with a fixed stride, so that all work on it is on whole rows two numbers at a time.
/// What is not estimated (a bias, a height that is known) has zero variance and stays put.
///
/// Symmetric to the bit: every operation treats an element and its mirror alike.
struct TrackBelief: Sendable {
  /// Numbers per row, and the most that a state has.
  static let stride = 24
  /// Index of the common bias.
  static let bias = 6
  /// Index of the common scale.
  static let scale = 7
  /// Index of the first link's error.
  static let links = 8
  /// How many links have an error of their own at most.
  static let linkCapacity = stride - links

  /// The state, `stride` numbers.
  private(set) var mean: [Double]
  /// Its covariance, `stride` rows.
  private(set) var covariance: [Double]
  /// Numbers in use; even, since rows are worked on in pairs.
  private(set) var size: Int
  /// The covariance of the whole state with the distance last expected.
  private var gain: [Double]

  /// A belief about position and velocity alone.
  init(_ kinematics: Gaussian<6>) {
    mean = Array(repeating: 0, count: Self.stride)
    covariance = Array(repeating: 0, count: Self.stride * Self.stride)
    gain = mean
    size = Self.links
    for row in 0..<6 {
      mean[row] = kinematics.mean[row]
      for column in 0..<6 {
        covariance[Self.stride * row + column] = kinematics.covariance[row, column]
      }
    }
  }

  /// Position and velocity.
  var kinematics: Gaussian<6> {
    var result = Gaussian(mean: Vector<6>.zero, covariance: .zero)
    for row in 0..<6 {
      result.mean[row] = mean[row]
      for column in 0..<6 {
        result.covariance[row, column] = covariance[Self.stride * row + column]
      }
    }
    return result
  }

  /// The variance of number `index` of the state.
  func variance(of index: Int) -> Double { covariance[(Self.stride + 1) * index] }

  /// Makes number `index` of the state an unknown around `value`, independent of all others.
  mutating func introduce(_ index: Int, value: Double = 0, variance: Double) {
    for other in 0..<Self.stride {
      covariance[Self.stride * index + other] = 0
      covariance[Self.stride * other + index] = 0
    }
    mean[index] = value
    covariance[(Self.stride + 1) * index] = variance
    size = max(size, (index + 2) & ~1)
  }

  /// Runs `body` over state and covariance, unchecked: indices below `size` and rows below `stride`.
  @inline(__always)
  private mutating func withElements(
    _ body: (UnsafeMutablePointer<Double>, UnsafeMutablePointer<Double>) -> Void
  ) {
    mean.withUnsafeMutableBufferPointer { mean in
      covariance.withUnsafeMutableBufferPointer { covariance in
        guard let mean = mean.baseAddress, let covariance = covariance.baseAddress else { return }
        body(mean, covariance)
      }
    }
  }

  /// The same with the column of ``gain``.
  @inline(__always)
  private mutating func withGain(
    _ body: (
      UnsafeMutablePointer<Double>, UnsafeMutablePointer<Double>, UnsafeMutablePointer<Double>
    ) -> Void
  ) {
    gain.withUnsafeMutableBufferPointer { gain in
      mean.withUnsafeMutableBufferPointer { mean in
        covariance.withUnsafeMutableBufferPointer { covariance in
          guard let mean = mean.baseAddress, let covariance = covariance.baseAddress,
            let gain = gain.baseAddress
          else { return }
          body(mean, covariance, gain)
        }
      }
    }
  }
}

// MARK: - Prediction

extension TrackBelief {
  /// Carries the belief over a step of `seconds` of nearly constant velocity.
  ///
  /// - Parameters:
  ///   - seconds: the step, not negative.
  ///   - motion: densities of the acceleration.
  ///   - memory: what is left of a link's error after the step, 0 to 1.
  ///   - linkVariance: variance of a link's error on its own, m².
  mutating func predict(
    over seconds: Double, motion: ConstantVelocity, memory: Double, linkVariance: Double
  ) {
    let noises = (
      WhiteNoiseAcceleration(density: motion.horizontalDensity).moments(over: seconds),
      WhiteNoiseAcceleration(density: motion.verticalDensity).moments(over: seconds)
    )
    let size = size
    withElements { mean, p in
      for axis in 0..<3 {
        mean[axis] += seconds * mean[axis + 3]
        Row(p, axis).add(Row(p, axis + 3), times: seconds, count: size)
      }
      for row in 0..<size {
        let elements = p + Self.stride * row
        for axis in 0..<3 { elements[axis] += seconds * elements[axis + 3] }
      }
      // Here alone the two orders of summing differ.
      for row in 1..<3 {
        for column in 0..<row { p[Self.stride * column + row] = p[Self.stride * row + column] }
      }
      for axis in 0..<3 {
        let noise = axis < 2 ? noises.0 : noises.1
        p[Self.stride * axis + axis] += noise.position
        p[Self.stride * axis + axis + 3] += noise.cross
        p[Self.stride * (axis + 3) + axis] += noise.cross
        p[(Self.stride + 1) * (axis + 3)] += noise.velocity
      }
      Self.forget(mean, p, size: size, memory: memory, linkVariance: linkVariance)
    }
  }

  /// Holds the position over a gap of `seconds` in which the tag may have gone anywhere at `speed`
  /// metres per second, and forgets the velocity.
  ///
  /// The covariance is that of the `followed` seconds over which the velocity is still believed, enlarged
  /// by how far the tag may have gone altogether, so that it never shrinks as a gap grows.
  mutating func hold(
    over seconds: Double, followed: Double, motion: ConstantVelocity, speed: Double,
    memory: Double, linkVariance: Double
  ) {
    let place = (mean[0], mean[1], mean[2])
    predict(
      over: min(seconds, followed), motion: motion, memory: memory, linkVariance: linkVariance)
    (mean[0], mean[1], mean[2]) = place
    let size = size
    withElements { mean, p in
      for axis in 0..<3 {
        let velocity = axis + 3
        // A height that is known stays known.
        let isFree = p[(Self.stride + 1) * velocity] > 0
        mean[velocity] = 0
        for other in 0..<size {
          p[Self.stride * velocity + other] = 0
          p[Self.stride * other + velocity] = 0
        }
        guard isFree else { continue }
        p[(Self.stride + 1) * axis] += speed * speed * seconds * seconds
        p[(Self.stride + 1) * velocity] = speed * speed
      }
    }
  }

  /// Lets the errors of links relax towards zero mean and their own variance.
  private static func forget(
    _ mean: UnsafeMutablePointer<Double>, _ p: UnsafeMutablePointer<Double>, size: Int,
    memory: Double, linkVariance: Double
  ) {
    guard size > links else { return }
    for link in links..<size {
      mean[link] *= memory
      Row(p, link).multiply(by: memory, count: size)
    }
    for row in 0..<size {
      let elements = p + stride * row
      for link in links..<size { elements[link] *= memory }
    }
    let renewed = (1 - memory * memory) * linkVariance
    for link in links..<size { p[(stride + 1) * link] += renewed }
  }
}

// MARK: - Update

extension TrackBelief {
  /// A range as it looks from a belief.
  struct Expectation {
    /// Measured less expected distance, metres.
    var residual: Double
    /// Variance of the expected distance, m², without that of the range itself.
    var spread: Double
    /// What `spread` is the sum of, without regard to correlations, m²: it is not known to more than
    /// rounding makes of these.
    var terms: Double
  }

  /// Compares a range with the belief.
  ///
  /// - Parameters:
  ///   - distance: the range, metres.
  ///   - anchor: position of its anchor.
  ///   - link: index of the link's error in the state, nil for a link without one.
  /// - Returns: How far off the range is, and what spread was expected.
  mutating func expectation(
    of distance: Double, anchor: Vector<3>, link: Int?
  ) -> Expectation {
    var result = Expectation(residual: 0, spread: 0, terms: 0)
    let size = size
    withGain { mean, p, gain in
      let x = mean[0] - anchor[0]
      let y = mean[1] - anchor[1]
      let z = mean[2] - anchor[2]
      let metres = (x * x + y * y + z * z).squareRoot()
      let stretch = 1 + mean[Self.scale]
      // At the anchor itself the direction does not exist; the x axis stands in for it.
      let slope = metres > 0 ? stretch / metres : 0
      let (hx, hy, hz) = (metres > 0 ? slope * x : stretch, slope * y, slope * z)
      let columns = Row(gain, 0)
      let (rowX, rowY, rowZ) = (Row(p, 0), Row(p, 1), Row(p, 2))
      let (rowBias, rowScale) = (Row(p, Self.bias), Row(p, Self.scale))
      for pair in 0..<size / 2 {
        let moved = hx * rowX[pair] + hy * rowY[pair] + hz * rowZ[pair]
        columns[pair] = moved + rowBias[pair] + metres * rowScale[pair]
      }
      result.residual = distance - stretch * metres - mean[Self.bias]
      if let link {
        columns.add(Row(p, link), times: 1, count: size)
        result.residual -= mean[link]
      }
      var spread = hx * gain[0] + hy * gain[1] + hz * gain[2] + gain[Self.bias]
      spread += metres * gain[Self.scale]
      if let link { spread += gain[link] }
      result.spread = max(0, spread)
      let diagonal = Self.stride + 1
      var terms = hx * hx * p[0] + hy * hy * p[diagonal] + hz * hz * p[2 * diagonal]
      terms += p[diagonal * Self.bias] + metres * metres * p[diagonal * Self.scale]
      if let link { terms += p[diagonal * link] }
      result.terms = terms
    }
    return result
  }

  /// The least noise of a range as a share of the variances that it looks at: with less, rounding could
  /// leave a covariance that is none.
  private static let leastNoise = 1e-12

  /// Takes in the range that `expectation` is about, with noise of the given variance, m².
  mutating func condition(on expectation: Expectation, variance: Double) {
    let noise = max(variance, Self.leastNoise * expectation.terms)
    let inverse = 1 / (expectation.spread + noise)
    let root = inverse.squareRoot()
    let step = inverse * expectation.residual
    let size = size
    withGain { mean, p, gain in
      for index in 0..<size {
        mean[index] += step * gain[index]
        gain[index] *= root
      }
      let columns = Row(gain, 0)
      for row in 0..<size {
        Row(p, row).add(columns, times: -gain[row], count: size)
        // What rounding can make of a variance that all but vanishes.
        p[(Self.stride + 1) * row] = max(0, p[(Self.stride + 1) * row])
      }
    }
  }

  /// Multiplies the standard deviations of position and velocity by `factor`.
  mutating func widen(by factor: Double) {
    let size = size
    withElements { _, p in
      for axis in 0..<6 { Row(p, axis).multiply(by: factor, count: size) }
      for row in 0..<size {
        for axis in 0..<6 { p[Self.stride * row + axis] *= factor }
      }
    }
  }

  /// Replaces position and velocity by their image in the plane through `centre` across `normal`, a
  /// unit vector.
  mutating func reflect(in centre: Vector<3>, normal: Vector<3>) {
    let size = size
    let shift = 2 * centre.dot(normal)
    withElements { mean, p in
      for first in [0, 3] {
        let along =
          mean[first] * normal[0] + mean[first + 1] * normal[1] + mean[first + 2] * normal[2]
        for axis in 0..<3 {
          mean[first + axis] += ((first == 0 ? shift : 0) - 2 * along) * normal[axis]
        }
        for column in 0..<size {
          let a = p + Self.stride * first + column
          let sum = a[0] * normal[0] + a[Self.stride] * normal[1] + a[2 * Self.stride] * normal[2]
          for axis in 0..<3 { a[Self.stride * axis] -= 2 * sum * normal[axis] }
        }
      }
      for row in 0..<size {
        for first in [0, 3] {
          let a = p + Self.stride * row + first
          let sum = a[0] * normal[0] + a[1] * normal[1] + a[2] * normal[2]
          for axis in 0..<3 { a[axis] -= 2 * sum * normal[axis] }
        }
      }
      for row in 0..<size {
        for column in 0..<row { p[Self.stride * column + row] = p[Self.stride * row + column] }
      }
    }
  }

  /// Mixes two beliefs: each becomes the moment-matched mixture of both.
  ///
  /// - Parameters:
  ///   - first: the belief in one mode.
  ///   - second: the belief in the other.
  ///   - share: the weight of the first in the new first.
  ///   - otherShare: the weight of the first in the new second.
  static func mix(
    _ first: inout Self, _ second: inout Self, share: Double, otherShare: Double
  ) {
    let size = max(first.size, second.size)
    first.size = size
    second.size = size
    let spread = share * (1 - share)
    let otherSpread = otherShare * (1 - otherShare)
    first.withGain { meanA, a, difference in
      second.withElements { meanB, b in
        for index in 0..<size {
          let (x, y) = (meanA[index], meanB[index])
          difference[index] = x - y
          meanA[index] = y + share * (x - y)
          meanB[index] = y + otherShare * (x - y)
        }
        let columns = Row(difference, 0)
        for row in 0..<size {
          let (rowA, rowB) = (Row(a, row), Row(b, row))
          let own = difference[row]
          for pair in 0..<size / 2 {
            let (x, y) = (rowA[pair], rowB[pair])
            let square = own * columns[pair]
            rowA[pair] = y + share * (x - y) + spread * square
            rowB[pair] = y + otherShare * (x - y) + otherSpread * square
          }
        }
      }
    }
  }
}

/// One row of numbers, two at a time.
private struct Row {
  private let start: UnsafeMutableRawPointer

  @inline(__always)
  init(_ elements: UnsafeMutablePointer<Double>, _ row: Int) {
    start = UnsafeMutableRawPointer(elements + TrackBelief.stride * row)
  }

  @inline(__always)
  subscript(pair: Int) -> SIMD2<Double> {
    get { start.loadUnaligned(fromByteOffset: 16 * pair, as: SIMD2<Double>.self) }
    nonmutating set {
      start.storeBytes(of: newValue, toByteOffset: 16 * pair, as: SIMD2<Double>.self)
    }
  }

  @inline(__always)
  func add(_ other: Row, times factor: Double, count: Int) {
    for pair in 0..<count / 2 { self[pair] = self[pair] + factor * other[pair] }
  }

  @inline(__always)
  func multiply(by factor: Double, count: Int) {
    for pair in 0..<count / 2 { self[pair] = factor * self[pair] }
  }
}
