import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// A walking phone and an accessory that stands.
@Suite struct AccessoryLocatorTests {
  private static let seeds: UInt64 = 30
  private typealias Corner = SIMD3<Double>

  /// Two metres towards the accessory and five past it, at a distance of five metres.
  private static let sideways = [Corner(0, 0, 1.3), Corner(0, 2, 1.3), Corner(5, 2, 1.3)]

  /// Returns the walk of a seed past an accessory at a height like that of a table or a shelf.
  private func walk(
    _ corners: [SIMD3<Double>], to place: SIMD2<Double>, swing: Double,
    using generator: inout SeededGenerator
  ) -> WalkingPhone {
    let height = 1.3 + 0.6 * generator.normal()
    return WalkingPhone(
      corners: corners, accessory: SIMD3(place.x, place.y, height), swing: swing)
  }

  @Test(.releaseOnly) func findsAnAccessoryOnASidewaysWalk() throws {
    var (squares, errors) = (0.0, [Double]())
    for seed in 0..<Self.seeds {
      var generator = SeededGenerator(seed: 500 + seed)
      let walk = walk(Self.sideways, to: SIMD2(2.5, 7), swing: 0.3, using: &generator)
      let steps = walk.steps(using: &generator)
      var locator = AccessoryLocator()
      locator.follow(steps)
      locator.finish()
      let truth = try #require(steps.last).truth
      let found = try #require(locator.estimate, "seed \(seed)")
      squares += found.normalizedSquare(truth)
      errors.append(found.horizontalError(truth))
      let isBehind = found.alternatives.contains { ($0.position - found.position).length > 2 }
      #expect(!isBehind, "seed \(seed): an image on the other side")
      #expect(!locator.convergence.missing.contains(.sidewaysMovement), "seed \(seed)")
    }
    let count = Double(Self.seeds)
    let rms = (errors.reduce(0) { $0 + $1 * $1 } / count).squareRoot()
    print("sideways walk: horizontal rmse \(rms) m, NEES per coordinate \(squares / count)")
    #expect(rms < 0.2)
    #expect((0.5...2).contains(squares / count))
  }

  @Test(.releaseOnly) func reportsBothImagesUntilTheWalkTurns() throws {
    let straight = [Corner(-2.5, 0, 1.3), Corner(2.5, 0, 1.3)]
    for seed in 0..<Self.seeds {
      var generator = SeededGenerator(seed: 600 + seed)
      let walk = walk(
        straight + [Corner(2.5, 3, 1.3)], to: SIMD2(0.3, 5), swing: 0.3, using: &generator)
      let steps = walk.steps(using: &generator)
      var locator = AccessoryLocator()
      locator.follow(steps.prefix(150))
      let before = try #require(locator.estimate)
      let truth = steps[149].truth
      #expect(locator.convergence.missing.contains(.sidewaysMovement), "seed \(seed)")
      let places = [before.position] + before.alternatives.map(\.position)
      let distances = places.map { place in
        let error = place - truth
        return (error[0] * error[0] + error[1] * error[1]).squareRoot()
      }
      #expect(distances.contains { $0 < 1 }, "seed \(seed): neither is near: \(distances)")
      #expect(distances.contains { $0 > 8 }, "seed \(seed): no mirror image: \(distances)")
      locator.follow(steps.dropFirst(150))
      let after = try #require(locator.estimate)
      #expect(after.horizontalError(try #require(steps.last).truth) < 1, "seed \(seed)")
      #expect(!locator.convergence.missing.contains(.sidewaysMovement), "seed \(seed)")
    }
  }

  /// Walks of a hundred metres, in which the world of the poses drifts by a metre.
  @Test(.releaseOnly) func covarianceCountsDriftOfPoses() throws {
    var squares = 0.0
    let corners = (0..<40).map { index in
      let angle = 0.7 * Double(index)
      return Corner(4 * Double.cos(0.37 * angle), 3 * Double.sin(0.61 * angle), 1.3)
    }
    let count = UInt64(repetitions(10, long: 30))
    for seed in 0..<count {
      var generator = SeededGenerator(seed: 700 + seed)
      let walk = walk(corners, to: SIMD2(2, 6), swing: 0.2, using: &generator)
      let steps = walk.steps(using: &generator)
      var locator = AccessoryLocator()
      locator.follow(steps)
      squares += try #require(locator.estimate).normalizedSquare(try #require(steps.last).truth)
    }
    print("drift: NEES per coordinate \(squares / Double(count))")
    #expect((0.5...2).contains(squares / Double(count)))
  }

  @Test(.releaseOnly) func outliersAndDirections() throws {
    for seed in 0..<10 as Range<UInt64> {
      var generator = SeededGenerator(seed: 800 + seed)
      var walk = walk(Self.sideways, to: SIMD2(2.5, 7), swing: 0.3, using: &generator)
      walk.outlierShare = 0.1
      let steps = walk.steps(using: &generator)
      var locator = AccessoryLocator()
      locator.follow(steps)
      let place = try #require(steps.last).truth
      let hit = try #require(locator.estimate)
      // A mirror image may still come first, but then the locator says that it may be one.
      let isGiven = locator.convergence.missing.contains(.sidewaysMovement)
      let others = hit.alternatives.map { ($0.position - place).length }
      #expect(hit.horizontalError(place) < 1.5 || isGiven, "seed \(seed)")
      #expect(([hit.horizontalError(place)] + others).contains { $0 < 1.5 }, "seed \(seed)")
      // A direction decides between the images of a straight walk.
      var seen = walk
      (seen.corners, seen.outlierShare) = ([Corner(0, 0, 1.3), Corner(3, 0, 1.3)], 0)
      seen.hasDirections = true
      let views = seen.steps(using: &generator)
      var other = AccessoryLocator()
      other.follow(views)
      let found = try #require(other.estimate)
      let truth = try #require(views.last).truth
      #expect(found.horizontalError(truth) < 1, "seed \(seed)")
      #expect(!found.alternatives.contains { ($0.position - found.position).length > 2 })
    }
  }

  @Test func aStandingPhoneDeterminesNothing() {
    var locator = AccessoryLocator()
    #expect(locator.convergence == .unknown)
    for step in 0..<300 {
      let time = instant(0.1 * Double(step))
      locator.update(TimedPose(time: time, position: Vector([1, 2, 1.3])))
      locator.update(range: 5 + 0.001 * Double(step % 7), at: time)
    }
    #expect(locator.estimate == nil)
    #expect(locator.convergence == .notConverged([.movement]))
  }

  @Test func invalidInputChangesNothing() {
    var generator = SeededGenerator(seed: 900)
    let walk = walk(Self.sideways, to: SIMD2(2.5, 7), swing: 0.3, using: &generator)
    let steps = walk.steps(using: &generator)
    var (clean, dirty) = (AccessoryLocator(), AccessoryLocator())
    var used = [dirty.update(range: 3, at: instant(0))]
    for (index, step) in steps.enumerated() {
      clean.follow([step])
      dirty.follow([step])
      let time = step.pose.time
      let numbers = [Double.nan, .infinity, -.infinity, 1e300, -1]
      let number = numbers[index % numbers.count]
      if number != -1 {
        used.append(dirty.update(TimedPose(time: time, position: Vector([0, number, 1]))))
      }
      used.append(dirty.update(range: number, at: time))
      used.append(dirty.update(range: 3, sigma: number, at: time))
      // A pose that is a little late, and ranges from before and long after all poses.
      used.append(dirty.update(TimedPose(time: time.advanced(bySeconds: -0.5), position: .zero)))
      used.append(dirty.update(range: 3, at: time.advanced(bySeconds: -60)))
      used.append(dirty.update(range: 3, at: time.advanced(bySeconds: 60)))
    }
    #expect(!used.contains(true))
    #expect(clean.estimate != nil)
    #expect(clean.estimate == dirty.estimate)
    #expect(dirty.restarts == 0)
  }

  @Test func aJumpOfThePosesBeginsANewWorld() {
    var generator = SeededGenerator(seed: 901)
    let walk = walk(Self.sideways, to: SIMD2(2.5, 7), swing: 0.3, using: &generator)
    let steps = walk.steps(using: &generator)
    var locator = AccessoryLocator()
    locator.follow(steps)
    #expect(locator.estimate != nil)
    guard let last = steps.last else { return }
    var jumped = last.pose
    jumped.time = last.pose.time.advanced(bySeconds: 0.03)
    jumped.position[0] += 3
    // One pose elsewhere may be damaged: the next one tells.
    let before = locator.estimate
    let isJumpUsed = locator.update(jumped)
    #expect(!isJumpUsed && locator.restarts == 0 && locator.estimate == before)
    var back = last.pose
    back.time = last.pose.time.advanced(bySeconds: 0.06)
    let isBackUsed = locator.update(back)
    #expect(isBackUsed && locator.restarts == 0)
    for step in [0.09, 0.12] {
      jumped.time = last.pose.time.advanced(bySeconds: step)
      locator.update(jumped)
    }
    #expect(locator.restarts == 1 && locator.estimate == nil)
    #expect(locator.convergence == .unknown)
    // A clock that steps back, and a world that was lost for long.
    jumped.time = instant(-100)
    locator.update(jumped)
    #expect(locator.restarts == 2)
    jumped.time = instant(100)
    locator.update(jumped)
    #expect(locator.restarts == 3)
    locator.reset()
    #expect(locator.restarts == 3)
  }

  @Test(.releaseOnly) func anAccessoryThatWasMovedIsFoundAgain() throws {
    var generator = SeededGenerator(seed: 902)
    let first = WalkingPhone(
      corners: Self.sideways + [Corner(5, 5, 1.3), Corner(0, 5, 1.3)],
      accessory: SIMD3(2.5, 9, 0.8), swing: 0.3, bias: 0)
    var second = first
    second.accessory = SIMD3(-3, 2, 1)
    // The same errors, with the accessory elsewhere from the corner on.
    var copy = generator
    let (steps, later) = (first.steps(using: &generator), second.steps(using: &copy))
    var locator = AccessoryLocator()
    locator.follow(steps.prefix(230))
    locator.follow(later.dropFirst(230))
    let truth = try #require(later.last).truth
    let found = try #require(locator.estimate)
    let places = [found.position] + found.alternatives.map(\.position)
    #expect(places.contains { ($0 - truth).length < 1.5 }, "\(places), \(truth)")
  }

  @Test func configurationIsValidated() throws {
    var configuration = AccessoryLocator.Configuration()
    _ = try AccessoryLocator(configuration: configuration)
    configuration.heightSigma = .nan
    let error = #expect(throws: ConfigurationError.self) {
      try AccessoryLocator(configuration: configuration)
    }
    guard case .outOfRange(name: "heightSigma", _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    configuration = AccessoryLocator.Configuration()
    configuration.errors.sigma = 0
    #expect(throws: ConfigurationError.self) {
      try AccessoryLocator(configuration: configuration)
    }
  }

  @Test func bearingIsThatOfThePhone() throws {
    let estimate = AccessoryEstimate(
      time: instant(0), position: Vector([4, 3, 1.2]), covariance: 0.01 * .identity,
      alternatives: [], probability: 1, convergence: .converged)
    // Upright and facing y: x to the right, y of the device up.
    let half = 0.5.squareRoot()
    let upright = try #require(Attitude(w: half, x: half, y: 0, z: 0))
    let pose = TimedPose(time: instant(0), position: Vector([1, 0, 1.3]), attitude: upright)
    let bearing = estimate.bearing(from: pose)
    #expect((try #require(bearing.horizontalAngle).radians - .pi / 4).magnitude < 1e-12)
    // 0.1 m across at 4.24 m.
    let sigma = try #require(bearing.horizontalSigma).radians
    #expect((sigma - 0.1 / 18.0.squareRoot()).magnitude < 1e-12)
    #expect(bearing.vertical == .same)
    // On a table, with the top edge to y, the angle is the same.
    let table = TimedPose(
      time: instant(0), position: pose.position, attitude: Attitude(w: 1, x: 0, y: 0, z: 0))
    #expect(estimate.bearing(from: table).horizontalAngle == bearing.horizontalAngle)
    let unknown = TimedPose(time: instant(0), position: Vector([4, 2, 4]))
    #expect(estimate.bearing(from: unknown).horizontalAngle == nil)
    #expect(estimate.bearing(from: unknown).vertical == .below)
    var image = estimate
    image.alternatives = [
      PositionAlternative(position: Vector([4, 3, 6.8]), covariance: estimate.covariance)
    ]
    #expect(image.bearing(from: unknown).vertical == .aboveOrBelow)
  }
}
