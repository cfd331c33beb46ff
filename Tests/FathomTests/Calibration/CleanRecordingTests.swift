import FathomEvaluation
import RealModule
import TestSupport
import Testing

@testable import Fathom

/// Recordings of moving tags with independent noise and nothing else, in which nothing is to be
/// corrected.
@Suite(.releaseOnly) struct CleanRecordingTests {
  /// The recording of the benchmarks: four tags in circles at 1.6 m/s, eight anchors polled in turn
  /// within 8 ms, one tag after the other.
  ///
  /// The epochs that were kept all ended with the same anchor, which showed offsets of up to 0.1 m and
  /// moved every tag by 0.13 m.
  @Test func pollingInTurnShowsNoOffsets() throws {
    let anchors = [0.0, 20].flatMap { x in
      [0.0, 15].flatMap { y in [0.0, 3].map { Anchor(position: Vector([x, y, $0])) } }
    }
    for tag in 0..<4 {
      var generator = SeededGenerator(seed: 1600 + UInt64(tag))
      var walk = CleanWalk(anchors: anchors, noise: 0.1)
      for index in 0..<400_000 where index / 8 % 4 == tag {
        let seconds = 1e-3 * Double(index)
        let phase = 0.3 * seconds + 1.5 * Double(tag)
        walk.append(
          Vector([
            10 + 6 * .cos(phase), 7.5 + 5 * .sin(phase),
            1.2 + 0.3 * .sin(0.1 * seconds + Double(tag)),
          ]), index % 8, at: seconds, &generator)
      }
      let found = TrackerCalibration.calibrated(on: walk.ranges, anchors: anchors)
      #expect(found.offsets.isEmpty && found.scale == 0, "tag \(tag): \(found)")
      #expect(found.bias.magnitude < 0.01, "tag \(tag): \(found.bias)")
      let error = try walk.error(anchors: found.corrected(anchors), found.configuration)
      #expect(error.filter < 0.095 && error.smoother < 0.035, "tag \(tag): \(error)")
    }
  }

  /// Random layouts, paths and orders of polling: nothing is called certain, and what is subtracted
  /// costs less than 3 % of the error that the true, empty model of errors gives.
  @Test func nothingIsCorrected() throws {
    for seed in 1...repetitions(24, long: 200) {
      var generator = SeededGenerator(seed: UInt64(seed))
      let walk = CleanWalk(using: &generator)
      var given = Tracker.Configuration()
      given.height = walk.height
      let found = TrackerCalibration.calibrated(
        on: walk.ranges, anchors: walk.anchors, from: given)
      #expect(found.offsets.isEmpty && found.scale == 0, "seed \(seed): \(found.offsets)")
      #expect(found.errors?.bias?.isCorrected != true, "seed \(seed): \(found.bias)")
      let error = try walk.error(anchors: found.corrected(walk.anchors), found.configuration)
      let least = try walk.error(anchors: walk.anchors, found.configuration)
      #expect(error.filter < 1.03 * least.filter, "seed \(seed): \(error), \(least)")
      #expect(error.smoother < 1.03 * least.smoother, "seed \(seed): \(error), \(least)")
    }
  }
}

/// A tag on a smooth path, and its ranges with independent normal errors.
struct CleanWalk {
  let anchors: [Anchor]
  let noise: Double
  /// The exact height, of anchors in one plane, metres.
  var height: Double?
  private(set) var ranges: [RangeMeasurement] = []
  private var truth: [Vector<3>] = []

  init(anchors: [Anchor], noise: Double) {
    self.anchors = anchors
    self.noise = noise
  }

  /// Creates a walk of a random kind: 5 to 12 anchors, 0.01 to 0.3 m of noise, 4 to 30 rounds a second
  /// in bursts or evenly, in one order or in random ones.
  init(using generator: inout SeededGenerator) {
    func uniform(_ low: Double, _ high: Double) -> Double {
      Double.random(in: low..<high, using: &generator)
    }
    let count = Int.random(in: 5...12, using: &generator)
    let (width, depth, top) = (uniform(6, 26), uniform(5, 17), uniform(2.5, 5.5))
    let isLevel = uniform(0, 1) < 0.3
    let anchors = (0..<count).map { index -> Anchor in
      let side = (Double(index) + 0.5 * uniform(0, 1)) / Double(count) * 2 * (width + depth)
      var place = Vector<3>([side, 0, 2])
      if side > 2 * width + depth {
        place = Vector([0, 2 * (width + depth) - side, 2])
      } else if side > width + depth {
        place = Vector([2 * width + depth - side, depth, 2])
      } else if side > width {
        place = Vector([width, side - width, 2])
      }
      if !isLevel { place[2] = index % 2 == 0 ? uniform(0.3, 0.7) : top - uniform(0, 0.5) }
      return Anchor(position: place)
    }
    self.init(anchors: anchors, noise: .exp(uniform(.log(0.01), .log(0.3))))
    height = isLevel ? 1.2 : nil
    let rates = [4.0, 8, 15, 30]
    let rate = rates[Int.random(in: 0..<4, using: &generator)]
    let isBurst = uniform(0, 1) < 0.5
    let isInOrder = uniform(0, 1) < 0.7
    let turn = uniform(0.3, 2) / (0.3 * min(width, depth))
    let (phase, ratio) = (uniform(0, 6), uniform(0.6, 1.7))
    var order = Array(0..<count)
    for round in 0..<min(Int(90 * rate), 16_000 / count) {
      if !isInOrder { order.shuffle(using: &generator) }
      for (place, anchor) in order.enumerated() {
        let share = (isBurst ? 0.2 : 1) * Double(place) / Double(count)
        let seconds = (Double(round) + share) / rate
        append(
          Vector([
            (0.5 + 0.33 * .cos(turn * seconds + phase)) * width,
            (0.5 + 0.33 * .sin(ratio * turn * seconds)) * depth,
            height ?? 1.2 + 0.3 * .sin(0.1 * seconds),
          ]), anchor, at: seconds, &generator)
      }
    }
  }

  /// Adds a range from a place to an anchor.
  mutating func append(
    _ place: Vector<3>, _ anchor: Int, at seconds: Double, error: Double = 0,
    _ generator: inout SeededGenerator
  ) {
    let distance = (place - anchors[anchor].position).length + error + noise * generator.normal()
    ranges.append(
      RangeMeasurement(
        time: Timestamp(nanoseconds: Int64((1e9 * seconds).rounded())), anchor: anchor,
        distance: max(0.01, distance)))
    truth.append(place)
  }

  /// Returns the root mean square error of the filter and of the smoother after five seconds, metres.
  func error(
    anchors: [Anchor], _ configuration: Tracker.Configuration
  ) throws -> (filter: Double, smoother: Double) {
    var tracker = try Tracker(anchors: anchors, configuration: configuration)
    let track = try TrackSmoother(anchors: anchors, configuration: configuration).smoothed(ranges)
    let begin = ranges[0].time.advanced(bySeconds: 5)
    var (filtered, smoothed, count) = (0.0, 0.0, 0.0)
    for (range, place) in zip(ranges, truth) {
      _ = tracker.update(range)
      guard range.time > begin, let estimate = tracker.estimate(at: range.time),
        let later = track?.estimate(at: range.time)
      else { continue }
      let (one, other) = (estimate.position - place, later.position - place)
      filtered += one.dot(one)
      smoothed += other.dot(other)
      count += 1
    }
    return ((filtered / count).squareRoot(), (smoothed / count).squareRoot())
  }
}
