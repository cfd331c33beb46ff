import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct EpochMotionTests {
  private typealias Room = LocatedRoom

  /// Places every 0.1 s along a path from time 0 on, with errors of a standard deviation.
  private func motion(
    of count: Int, sigma: Double, _ generator: inout SeededGenerator, _ path: (Double) -> Vector<3>
  ) -> EpochMotion {
    var motion = EpochMotion()
    for number in 0..<count {
      let seconds = 0.1 * Double(number)
      var place = path(seconds)
      for axis in 0..<3 { place[axis] += sigma * generator.normal() }
      motion.append(place, sigma * sigma * .identity, at: instant(seconds))
    }
    return motion
  }

  /// On a line without errors the velocity is exact, and the place is where the line leads.
  @Test func findsTheVelocityOfALine() throws {
    var generator = SeededGenerator(seed: 1)
    let velocity = Vector<3>([1.5, -0.5, 0.25])
    let motion = motion(of: 11, sigma: 0, &generator) { Room.tag + $0 * velocity }
    let found = try #require(motion.velocity(within: 0.2, before: instant(1.1)))
    #expect((found.velocity - velocity).length < 1e-9)
    #expect((found.place - Room.tag - 1.1 * velocity).length < 1e-9)
    #expect(found.covariance.trace < 1e-12)
  }

  /// A tag that stands has a motion in at most one of eight epochs: noise alone exceeds the limit in one of
  /// nine.
  @Test func aTagThatStandsDoesNotMove() {
    let seed: UInt64 = 20_931
    var generator = SeededGenerator(seed: seed)
    let count = repetitions(400, long: 10_000)
    var moving = 0
    for _ in 0..<count {
      let motion = motion(of: 11, sigma: 0.1, &generator) { _ in Room.tag }
      // Five places 0.2 s apart, which are independent here.
      if motion.velocity(within: 0.2, before: instant(1)) != nil { moving += 1 }
    }
    #expect(Double(moving) < 0.125 * Double(count), "\(moving) of \(count), seed \(seed)")
  }

  /// The error of the velocity has the size of its covariance: by noise on a line, and by the turn on a
  /// parabola.
  @Test(arguments: [0.0, 2.0]) func theCovarianceCoversTheError(acceleration: Double) throws {
    let seed: UInt64 = 31_507
    var generator = SeededGenerator(seed: seed)
    let count = repetitions(200, long: 5000)
    var (sum, found) = (0.0, 0)
    for _ in 0..<count {
      let motion = motion(of: 11, sigma: 0.02, &generator) {
        Room.tag + Vector([2 * $0, 0.5 * acceleration * $0 * $0, 0])
      }
      guard let one = motion.velocity(within: 0.2, before: instant(1)) else { continue }
      let error = one.velocity - Vector([2, acceleration, 0])
      found += 1
      for axis in 0..<3 { sum += error[axis] * error[axis] / one.covariance[axis, axis] / 3 }
    }
    #expect(Double(found) > 0.9 * Double(count))
    let ratio = sum / Double(found)
    #expect((0.5...2).contains(ratio), "\(ratio), seed \(seed)")
  }

  /// One wrong place of five, 5 m off, leaves the velocity: its distance from the line counts as a turn
  /// across it, and none along it.
  @Test func aWrongPlaceIsIgnored() throws {
    var motion = EpochMotion()
    for number in 0..<5 {
      var place = Room.tag + Vector([0.2 * Double(number), 0, 0])
      if number == 2 { place[1] += 5 }
      motion.append(place, 1e-4 * .identity, at: instant(0.2 * Double(number)))
    }
    let found = try #require(motion.velocity(within: 0.2, before: instant(1)))
    #expect((found.velocity - Vector([1, 0, 0])).length < 0.01)
    #expect(found.covariance[1, 1] > 100 * found.covariance[0, 0])
  }

  /// Of a moving tag whose anchors are polled one after the other, positions are at the end of the epoch: their
  /// lag falls from a mean age of ranges to less than a third of it.
  @Test func polledAnchorsDoNotDelayPositions() throws {
    let velocity = Vector<3>([1.2, 0.9, 0])
    var room = try Room(window: 0.4)
    var errors: [Double] = []
    for number in 0..<80 {
      let seconds = 0.1 * Double(number)
      let tag = Vector<3>([1, 1, 1]) + seconds / 2 * velocity
      room.add(number % 4, Room.distance(to: number % 4, from: tag), sigma: 0.02, at: seconds)
      room.solve(at: seconds)
      guard number >= 40, let fix = room.epochs.last?.fix, let position = fix.position else {
        continue
      }
      errors.append((position - tag).length)
    }
    let mean = errors.reduce(0, +) / Double(errors.count)
    // The ranges of an epoch are 0 to 0.4 s old, 0.15 or 0.2 s on average; the tag moves at 0.75 m/s.
    #expect(errors.count == 40 && mean < 0.05, "mean error \(mean) m")
  }

  /// Ranges of one instant stay as they are, whatever the tag did before.
  @Test func motionDoesNotChangeRangesOfOneInstant() throws {
    var room = try Room(window: 0.4)
    for number in 0..<40 {
      let seconds = 0.5 * Double(number)
      let tag = Vector<3>([1, 1, 1]) + 0.1 * seconds * Vector<3>([1, 1, 0])
      room.solve(at: seconds, from: tag)
      let epoch = try #require(room.epochs.last)
      #expect(epoch.ranges.map(\.distance) == (0..<4).map { Room.distance(to: $0, from: tag) })
    }
  }
}
