import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct AlphaBetaSmootherTests {
  /// Compares Kalata's closed form with the Riccati recursion that it solves, iterated to
  /// convergence, for an acceleration that is constant over an interval with standard deviation
  /// q/√T.
  @Test(arguments: [(0.1, 0.5, 0.1), (0.1, 0.5, 0.01), (0.05, 3, 0.5), (0.3, 0.2, 1.9)])
  func gainsMatchSteadyStateKalmanFilter(
    _ sigma: Double, _ density: Double, _ interval: Double
  ) throws {
    let acceleration = density * density / interval
    var (p00, p01, p11) = (sigma * sigma, 0.0, 1.0)
    var gains = (0.0, 0.0)
    for _ in 0..<20_000 {
      p00 += 2 * interval * p01 + interval * interval * p11
      p01 += interval * p11
      let half = interval * interval / 2
      p00 += acceleration * half * half
      p01 += acceleration * half * interval
      p11 += acceleration * interval * interval
      gains = (p00 / (p00 + sigma * sigma), p01 / (p00 + sigma * sigma))
      (p00, p01, p11) = ((1 - gains.0) * p00, (1 - gains.0) * p01, p11 - gains.1 * p01)
    }

    var smoother = AlphaBetaSmoother(
      gains: .noise(rangeSigma: sigma, accelerationDensity: density))
    _ = smoother.update(2, at: Timestamp(nanoseconds: 0))
    let time = try #require(Timestamp(seconds: interval))
    // From rest at 2 m, a residual of 1 m gives both gains.
    let smoothed = try required(smoother.update(3, at: time))
    #expect(isClose(smoothed.distance - 2, gains.0, within: 1e-9))
    #expect(isClose(try #require(smoothed.rate), gains.1, within: 1e-9))
  }

  @Test func followsConstantRateWithoutLag() throws {
    var smoother = AlphaBetaSmoother()
    var last: SmoothedDistance?
    for tenths in 0..<600 {
      let time = Timestamp(nanoseconds: Int64(tenths) * 100_000_000)
      last = smoother.update(1 + 0.12 * Double(tenths), at: time)
    }
    let smoothed = try #require(last)
    #expect(isClose(smoothed.distance, 1 + 0.12 * 599, within: 1e-9))
    #expect(isClose(try #require(smoothed.rate), 1.2, within: 1e-9))
    #expect(isClose(smoothed.lag, 0, within: 1e-9))
  }

  @Test func usesGivenGainsUnchanged() throws {
    var smoother = AlphaBetaSmoother(gains: .fixed(alpha: 0.5, beta: 0.25, interval: 0.125))
    _ = smoother.update(2, at: Timestamp(nanoseconds: 0))
    // Residual 1: 2 + 0.5 and 0.25/0.25 m/s.
    let second = try required(smoother.update(3, at: Timestamp(nanoseconds: 250_000_000)))
    #expect(second.distance == 2.5)
    #expect(second.rate == 1)
    // Predicted 2.5 + 0.25, residual 0.25: 2.875 m and 1 + 0.25 · 1 m/s.
    let third = try required(smoother.update(3, at: Timestamp(nanoseconds: 500_000_000)))
    #expect(third.distance == 2.875)
    #expect(third.rate == 1.25)
  }

  @Test func limitsRateGainForCloselySpacedRanges() throws {
    for gains in [
      AlphaBetaSmoother.Gains.fixed(alpha: 0.5, beta: 0.2, interval: 0.1),
      .noise(rangeSigma: 0.1, accelerationDensity: 0.5),
    ] {
      var smoother = AlphaBetaSmoother(gains: gains)
      _ = smoother.update(2, at: Timestamp(nanoseconds: 0))
      // 0.1 m within a microsecond is noise, not 100 km/s. Given gains: 0.2/0.1 · 0.1 = 0.2 m/s.
      let smoothed = try required(smoother.update(2.1, at: Timestamp(nanoseconds: 1000)))
      #expect(try #require(smoothed.rate) <= 0.2 + 1e-12)
    }
  }

  @Test func clampsNegativeDistanceToZero() throws {
    var smoother = AlphaBetaSmoother(gains: .fixed(alpha: 0.5, beta: 0.5, interval: 0.1))
    var smallest = Double.infinity
    for tenths in 0..<40 {
      let distance = max(4 - 0.3 * Double(tenths), 0.01)
      let time = Timestamp(nanoseconds: Int64(tenths) * 100_000_000)
      smallest = min(smallest, try required(smoother.update(distance, at: time)).distance)
    }
    #expect(smallest == 0)
  }
}
