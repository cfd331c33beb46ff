import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Settings with which a tracker cannot work are refused; all others give finite estimates.
@Suite struct ConfigurationErrorTests {
  private typealias Setting = WritableKeyPath<TrackerConfiguration, Double>

  private static var settings: [(path: Setting, name: String)] {
    [
      (\.modes.motion.horizontalDensity, "modes.motion.horizontalDensity"),
      (\.modes.motion.verticalDensity, "modes.motion.verticalDensity"),
      (\.modes.processNoiseRatio, "modes.processNoiseRatio"),
      (\.modes.switchingRate, "modes.switchingRate"), (\.errors.sigma, "errors.sigma"),
      (\.errors.correlatedShare, "errors.correlatedShare"),
      (\.errors.correlationTime, "errors.correlationTime"),
      (\.errors.repetitionTime, "errors.repetitionTime"),
      (\.errors.commonModeSigma, "errors.commonModeSigma"),
      (\.errors.commonModeTime, "errors.commonModeTime"), (\.errors.biasSigma, "errors.biasSigma"),
      (\.errors.scaleSigma, "errors.scaleSigma"),
      (\.errors.persistentSigma, "errors.persistentSigma"),
      (\.errors.remainingBiasSigma, "errors.remainingBiasSigma"),
      (\.errors.degreesOfFreedom, "errors.degreesOfFreedom"), (\.startWindow, "startWindow"),
      (\.startVelocitySigma, "startVelocitySigma"), (\.coastAfter, "coastAfter"),
      (\.longestGap, "longestGap"), (\.clockStep, "clockStep"),
    ]
  }

  @Test func everySettingIsChecked() {
    for (path, name) in Self.settings {
      for value in [Double.nan, -1, -Double.infinity] {
        var configuration = Tracker.Configuration()
        configuration[keyPath: path] = value
        let error = #expect(throws: ConfigurationError.self, "\(name) = \(value)") {
          try Tracker(anchors: SimulatedWalk.room, configuration: configuration)
        }
        guard case .outOfRange(let found, _, _) = error else {
          Issue.record("\(name) = \(value): \(String(describing: error))")
          continue
        }
        #expect(found == name)
        #expect(throws: ConfigurationError.self) {
          try TrackSmoother(anchors: SimulatedWalk.room, configuration: configuration)
        }
        #expect(throws: ConfigurationError.self) {
          try ReorderingTracker(
            anchors: SimulatedWalk.room, configuration: configuration, horizon: 1)
        }
      }
    }
  }

  @Test func whatIsNoNumberIsNamed() {
    var configuration = Tracker.Configuration()
    configuration.height = .nan
    #expect(throws: ConfigurationError.self) { try configuration.validate(for: []) }
    configuration.height = nil
    configuration.heightSigma = 0.1
    #expect(throws: ConfigurationError.heightSigmaWithoutHeight) {
      try configuration.validate(for: [])
    }
    configuration.heightSigma = nil
    configuration.bounds = PositionBounds(lower: Vector([0, 2, 0]), upper: Vector([1, 1, 1]))
    #expect(throws: ConfigurationError.emptyBounds) { try configuration.validate(for: []) }
    let anchor = Anchor(position: Vector([0, .nan, 0]))
    let error = #expect(throws: ConfigurationError.self) {
      try Tracker(anchors: SimulatedWalk.room + [anchor])
    }
    #expect(error?.description.hasPrefix("position.y of anchor 6 is nan") == true)
    #expect(throws: ConfigurationError.self) {
      try ReorderingTracker(anchors: SimulatedWalk.room, horizon: -.infinity)
    }
    #expect(throws: ConfigurationError.self) {
      try Tracker(anchors: [Anchor(position: .zero, scale: 0)])
    }
  }

  /// 1,000 random configurations, most of them with values out of range.
  @Test func aTrackerThrowsOrGivesFiniteEstimates() throws {
    var generator = SeededGenerator(seed: 4401)
    let walk = SimulatedWalk(anchors: SimulatedWalk.room, path: SimulatedWalk.stroll)
    let ranges = walk.ranges(to: 6, using: &generator)
    var (refused, started) = (0, 0)
    for number in 0..<1000 {
      var configuration = Tracker.Configuration()
      for (path, _) in Self.settings where generator.uniform(in: 0...1) < 0.3 {
        configuration[keyPath: path] = Self.value(near: configuration[keyPath: path], &generator)
      }
      if generator.uniform(in: 0...1) < 0.3 {
        configuration.height = Self.value(near: 1, &generator)
      }
      if generator.uniform(in: 0...1) < 0.2 {
        configuration.heightSigma = Self.value(near: 0.1, &generator)
      }
      guard var tracker = try? Tracker(anchors: walk.anchors, configuration: configuration) else {
        refused += 1
        continue
      }
      for range in ranges {
        tracker.update(range)
        guard let estimate = tracker.estimate(at: range.time) else { continue }
        started += 1
        try #require(Self.isFinite(estimate), "seed 4401, number \(number): \(configuration)")
      }
      let smoother = try TrackSmoother(anchors: walk.anchors, configuration: configuration)
      guard let track = smoother.smoothed(ranges.map(\.measurement)) else { continue }
      for estimate in track.estimates {
        try #require(Self.isFinite(estimate), "seed 4401, number \(number): \(configuration)")
      }
    }
    print("1000 configurations: \(refused) refused, \(started) estimates")
    #expect(refused > 300 && refused < 990 && started > 1000)
  }

  private static func isFinite(_ estimate: TrackEstimate) -> Bool {
    estimate.position.isFinite && estimate.velocity.isFinite && estimate.covariance.isFinite
      && (0..<3).allSatisfy { estimate.covariance[$0, $0] >= 0 }
  }

  private static func value(near usual: Double, _ generator: inout SeededGenerator) -> Double {
    let odd: [Double] = [.nan, .infinity, -.infinity, 0, -1, 1e300, 1e-300, -usual]
    if generator.uniform(in: 0...1) < 0.15 {
      return odd[min(odd.count - 1, Int(generator.uniform(in: 0...1) * Double(odd.count)))]
    }
    return usual * .pow(10, generator.uniform(in: -8...8))
  }
}
