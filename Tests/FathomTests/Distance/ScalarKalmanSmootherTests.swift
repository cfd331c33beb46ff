import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct ScalarKalmanSmootherTests {
  /// A constant distance is estimated as the mean of n ranges, with standard deviation σ/√n.
  @Test func constantPositionWithoutProcessNoiseIsMean() throws {
    var generator = SeededGenerator(seed: 81)
    var smoother = ScalarKalmanSmoother(
      motion: .constantPosition(rateDensity: 0), rangeSigma: 0.2)
    var sum = 0.0
    for count in 1...500 {
      let distance = 5 + 0.2 * generator.normal()
      sum += distance
      // Two ranges with the same time stamp are independent measurements.
      let time = Timestamp(nanoseconds: Int64(count / 2) * 100_000_000)
      let smoothed = try required(smoother.update(distance, at: time))
      #expect(isClose(smoothed.distance, sum / Double(count), within: 1e-12))
      #expect(
        isClose(try #require(smoothed.sigma), 0.2 / Double(count).squareRoot(), within: 1e-13))
      #expect(smoothed.rate == nil)
    }
  }

  /// A constant rate with the prior 0 ± s gives the least-squares line with that additional
  /// equation.
  @Test(arguments: [0.5, 1.5, 1000])
  func constantVelocityWithoutProcessNoiseIsLeastSquaresLine(_ rateSigma: Double) throws {
    var generator = SeededGenerator(seed: 82)
    let sigma = 0.1
    var smoother = ScalarKalmanSmoother(
      motion: .constantVelocity(accelerationDensity: 0, rateSigma: rateSigma), rangeSigma: sigma)
    var ranges: [(time: Double, distance: Double)] = []
    var seconds = 0.0
    for _ in 0..<60 {
      let time = try #require(Timestamp(seconds: seconds))
      ranges.append((time.seconds, 4 + 0.8 * seconds + sigma * generator.normal()))
      seconds += generator.exponential(mean: 0.15)
      let smoothed = try required(smoother.update(ranges[ranges.count - 1].distance, at: time))

      // Distance at the first range a, rate b: normal equations, prior b = 0 ± rateSigma. The
      // filter's prior applies at the first range, where distance and rate are independent.
      var (n, t, tt, d, td) = (0.0, 0.0, 0.0, 0.0, 0.0)
      for range in ranges {
        n += 1
        t += range.time
        tt += range.time * range.time
        d += range.distance
        td += range.time * range.distance
      }
      tt += sigma * sigma / (rateSigma * rateSigma)
      let determinant = n * tt - t * t
      let start = (tt * d - t * td) / determinant
      let rate = (n * td - t * d) / determinant
      let now = time.seconds
      let variance = sigma * sigma * (tt - 2 * now * t + now * now * n) / determinant
      #expect(isClose(smoothed.distance, start + rate * now, within: 1e-8))
      #expect(isClose(try #require(smoothed.rate), rate, within: 1e-8))
      #expect(isClose(try #require(smoothed.sigma), variance.squareRoot(), within: 1e-8))
    }
  }

  /// Constant position at a steady rate: p⁻ solves p⁻² = Q (p⁻ + R), and p = p⁻ R / (p⁻ + R).
  @Test func constantPositionReachesKnownSteadyState() throws {
    var smoother = ScalarKalmanSmoother(
      motion: .constantPosition(rateDensity: 0.5), rangeSigma: 0.1)
    var last: SmoothedDistance?
    for tenths in 0..<200 {
      last = smoother.update(3, at: Timestamp(nanoseconds: Int64(tenths) * 100_000_000))
    }
    let (process, noise) = (0.25 * 0.1, 0.01)
    let predicted = (process + (process * process + 4 * process * noise).squareRoot()) / 2
    let sigma = (predicted * noise / (predicted + noise)).squareRoot()
    let gain = predicted / (predicted + noise)
    let smoothed = try #require(last)
    #expect(isClose(try #require(smoothed.sigma), sigma, within: 1e-13))
    #expect(isClose(smoothed.lag, 0.1 * (1 - gain) / gain, within: 1e-13))
  }

  /// The short textbook form with its covariance as a full matrix, step by step.
  @Test func matchesTextbookRecursion() throws {
    var generator = SeededGenerator(seed: 83)
    var smoother = ScalarKalmanSmoother()
    var (x, v) = (0.0, 0.0)
    var p = [[0.0, 0], [0, 0]]
    var previous: Timestamp?
    var time = Timestamp(nanoseconds: 5_000_000_000)
    for index in 0..<500 {
      if index % 4 != 3 { time = time.advanced(bySeconds: generator.uniform(in: 0.001...0.8)) }
      let measured = 5 + generator.normal()
      if let previous {
        let step = time.seconds(since: previous)
        let q = 0.5 * 0.5
        x += v * step
        let f = [[1, step], [0, 1]]
        func times(_ a: [[Double]], _ b: [[Double]]) -> [[Double]] {
          a.map { row in [0, 1].map { row[0] * b[0][$0] + row[1] * b[1][$0] } }
        }
        p = times(times(f, p), [[1, 0], [step, 1]])
        p[0][0] += q * step * step * step / 3
        p[0][1] += q * step * step / 2
        p[1][0] += q * step * step / 2
        p[1][1] += q * step
        let s = p[0][0] + 0.01
        let k = [p[0][0] / s, p[1][0] / s]
        let residual = measured - x
        x += k[0] * residual
        v += k[1] * residual
        p = times([[1 - k[0], 0], [-k[1], 1]], p)
      } else {
        x = measured
        p = [[0.01, 0], [0, 2.25]]
      }
      previous = time
      let smoothed = try required(smoother.update(measured, at: time))
      #expect(isClose(smoothed.distance, x, within: 1e-9))
      #expect(isClose(try #require(smoothed.rate), v, within: 1e-9))
      #expect(isClose(try #require(smoothed.sigma), p[0][0].squareRoot(), within: 1e-9))
    }
  }

  /// For a truth that follows the model, the mean of (estimate - truth)²/sigma² is 1.
  @Test func sigmaIsConsistentForMatchingMotion() throws {
    var generator = SeededGenerator(seed: 84)
    var smoother = ScalarKalmanSmoother()
    var (distance, rate) = (100_000.0, 0.0)
    var time = Timestamp(nanoseconds: 0)
    var sum = 0.0
    let count = 20_000
    for _ in 0..<count {
      let measured = distance + 0.1 * generator.normal()
      let smoothed = try required(smoother.update(measured, at: time))
      let error = try (smoothed.distance - distance) / #require(smoothed.sigma)
      sum += error * error
      // White acceleration of 0.5 (m/s²)/√Hz over T: the rate gains u and the distance u T/2 + w,
      // with variances 0.25 T and 0.25 T³/12.
      let step = generator.uniform(in: 0.05...0.25)
      let gain = 0.5 * step.squareRoot() * generator.normal()
      let offset = 0.5 * (step * step * step / 12).squareRoot() * generator.normal()
      distance += rate * step + gain * step / 2 + offset
      rate += gain
      time = time.advanced(bySeconds: step)
    }
    // Errors are correlated over about 5 ranges: standard error √(2 · 5 / 20 000) = 0.022.
    #expect(isClose(sum / Double(count), 1, within: 0.08))
  }

  /// Subnormal numbers, with which processors compute a hundred times slower, never occur.
  @Test func decayedLagIsZero() throws {
    var smoother = ScalarKalmanSmoother()
    var wasSubnormal = false
    var last = 1.0
    for step in 0..<20_000 {
      let time = Timestamp(nanoseconds: 100_000_000 * Int64(step))
      last = try required(smoother.update(3, at: time)).lag
      if last.isSubnormal { wasSubnormal = true }
    }
    #expect(!wasSubnormal && last == 0)
  }
}
