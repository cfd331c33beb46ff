import Fathom
import FathomEvaluation
import FathomRecordings
import TestSupport
import Testing

@Suite struct LatencyTests {
  /// Estimates on the curve, ten a second, each with the position `delay` seconds earlier.
  private func found(
    delay: Double, noise: Double = 0, until end: Double = 60, speed: Double = 1, seed: UInt64 = 1,
    _ change: (inout EvaluationSettings) -> Void = { _ in }
  ) -> Latency? {
    var generator = SeededGenerator(seed: seed)
    func place(_ seconds: Double) -> Vector<3> { placeOnCurve(at: speed * seconds) }
    let seconds = (0...Int(end * 10)).map { Double($0) / 10 }
    let truth = Truth(tracks: [
      "": PositionTrack(times: seconds.map(instant), positions: seconds.map(place))
    ])
    let track = EstimatedTrack(
      times: seconds.map(instant),
      positions: seconds.map { place($0 - delay) + normalPoint(&generator, sigma: noise) })
    var settings = EvaluationSettings()
    change(&settings)
    return TrajectoryEvaluation(["": track], truth: truth, settings: settings).latency
  }

  /// Interpolating truth has an error of about a (0.1 s)² / 8, with a below 1.5 m/s².
  @Test(arguments: [-1.2, -0.3, 0, 0.05, 0.35, 1.7])
  func estimatesDelays(_ delay: Double) throws {
    let latency = try #require(found(delay: delay))
    #expect(isClose(latency.delayS, delay, within: 2e-3))
    #expect(latency.rmseM < 0.003 && latency.sigmaS < 0.01)
  }

  @Test func sigmaMatchesScatterOfDelay() throws {
    var squares = 0.0
    for seed in 1...20 as ClosedRange<UInt64> {
      let latency = try #require(found(delay: 0.4, noise: 0.5, until: 40, seed: seed))
      let ratio = (latency.delayS - 0.4) / latency.sigmaS
      squares += ratio * ratio
      #expect(ratio.magnitude < 5, "seed \(seed)")
    }
    // Sigma is determined to about a quarter from ten blocks.
    #expect(squares / 20 > 0.2 && squares / 20 < 4)
  }

  @Test func latencyIsNilAtRest() {
    #expect(found(delay: 0.5, speed: 0) == nil)
    #expect(found(delay: 0.5, noise: 0.2, speed: 0) == nil)
    // The motion is too slow to be visible in the noise within the window.
    #expect(found(delay: 0.5, noise: 1, speed: 0.02) == nil)
  }

  @Test func latencyIsNilOutsideTheWindow() {
    #expect(found(delay: 3) == nil)
    let wide = found(delay: 3) { $0.longestLatency = 5 }
    #expect(isClose(wide?.delayS ?? .nan, 3, within: 2e-3))
    #expect(found(delay: 0) { $0.longestLatency = 0 } == nil)
  }

  @Test func timeOffsetOfTruthShiftsTheDelay() {
    let shifted = found(delay: 0.5) { $0.timeOffset = 0.2 }
    // Truth stamped 0.2 s later is closer to a delayed estimate.
    #expect(isClose(shifted?.delayS ?? .nan, 0.3, within: 2e-3))
  }
}
