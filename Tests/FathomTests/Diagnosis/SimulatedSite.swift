import RealModule

@testable import Fathom

/// A recording of a random layout of anchors with one mistake, for tests of diagnoses.
///
/// Ranges have independent noise, an error of each link that lasts, a common bias, and bursts of late
/// ranges.
struct SimulatedSite {
  /// A mistake in the input.
  enum Mistake: String, CaseIterable {
    case none, offset, exchanged, ring, misplaced, height, unit, roundTrip, bias, scale
    case stuck, silent, clockStep, timesRepeat, writtenTwice, plane
  }

  private(set) var sample = RangeSample()
  private var ranges: [RangeMeasurement] = []
  private(set) var anchors: [Anchor] = []
  private(set) var options = RangeDiagnosis.Options()
  private(set) var expected: Diagnosis.Code?
  /// The anchors to name; empty if none or any.
  private(set) var culprits: Set<String> = []
  /// What the message says, for a unit.
  private(set) var words = ""
  /// The value to find, for a height, metres.
  private(set) var truth = 0.0
  private var random: Random

  /// The diagnosis of the recording.
  var diagnosis: RangeDiagnosis {
    RangeDiagnosis(
      of: sample, anchors: anchors, names: anchors.indices.map { "A\($0)" }, tagNames: ["T"],
      options: options)
  }

  /// The errors of the ranges, as a recording is calibrated after its diagnosis.
  func errors(after diagnosis: RangeDiagnosis) -> RangeErrorEstimate? {
    var positions = PositionOptions()
    positions.height = options.height
    let epochs = SpreadEpochs.sample(
      [ranges.filter { !diagnosis.unusableAnchors.contains($0.anchor) }],
      anchors: anchors, fewest: options.height == nil ? 4 : 3)
    return RangeErrorEstimate.estimated(
      from: epochs, anchors: anchors.map(\.position), options: positions,
      searchesForCommonErrors: !diagnosis.isLayoutWrong)
  }

  /// All diagnoses, with those of errors common to all ranges, as a recording is processed.
  var diagnoses: [Diagnosis] {
    let contradictions = diagnosis
    let errors = errors(after: contradictions)
    return (contradictions.diagnoses + (errors.map(Diagnosis.commonErrors) ?? [])).inOrder
  }

  /// Whether exactly the mistake was found.
  var isRight: Bool {
    let found = diagnoses
    guard let expected else { return found.isEmpty }
    return found.map(\.code) == [expected] && (words.isEmpty || found[0].message.contains(words))
      && (culprits.isEmpty || Set(found[0].anchors) == culprits)
  }

  init(_ mistake: Mistake, seed: UInt64) {
    random = Random(seed: seed)
    let hasHeight = mistake == .height || mistake != .plane && random.uniform() < 0.6
    let count = mistake == .plane ? 5 : hasHeight ? 4 + random.index(5) : 6 + random.index(3)
    let widest = hasHeight && mistake != .height ? 30.0 : 14
    let (width, depth) = (random.uniform(6, widest), random.uniform(6, widest))
    let lowest = mistake == .height || mistake == .plane ? 2.3 : 0.2
    let highest = mistake == .plane ? 2.4 : hasHeight ? 3.5 : 4.5
    var sites: [SIMD3<Double>] = []
    repeat {
      sites = []
      while sites.count < count {
        let site = SIMD3(
          random.uniform(0, width), random.uniform(0, depth), random.uniform(lowest, highest))
        if sites.allSatisfy({ Self.distance($0, site) > 0.2 * min(width, depth) }) {
          sites.append(site)
        }
      }
      // Without a height, only the layout in one plane leaves the side open.
    } while mistake != .plane && !hasHeight
      && AnchorPlane(nearlyHorizontal: sites.map { Vector([$0.x, $0.y, $0.z]) }) != nil
    let height = random.uniform(0, mistake == .height ? 0.8 : 1.5)
    let stands = random.uniform() < 0.25 && (mistake == .none || mistake == .offset)
    let noise = random.uniform(0.02, 0.12)
    let persistent = sites.map { _ in 0.08 * random.normal() }
    let bias = mistake == .bias ? random.uniform(0.5, 1) : random.uniform(-0.05, 0.05)
    let late = random.uniform(0, 0.1)
    let ranged = random.uniform(0.85, 1)
    let culprit = random.index(count)
    let offset = random.uniform(1.5, 20)
    let scale = mistake == .scale ? random.uniform(1.1, 1.2) : 1
    var unit = 1.0
    var told = sites
    switch mistake {
    case .offset: (expected, culprits) = (.anchorOffset, ["A\(culprit)"])
    case .exchanged:
      var other = random.index(count)
      while Self.distance(sites[culprit], sites[other]) < 3 { other = random.index(count) }
      told.swapAt(culprit, other)
      (expected, culprits) = (.anchorsExchanged, ["A\(culprit)", "A\(other)"])
    case .ring:
      // From three anchors on; with all of them no name is right.
      let size = 3 + random.index(count - 2)
      for index in 1..<size { told.swapAt(index - 1, index) }
      (expected, culprits) = (.anchorsExchanged, Set((0..<size).map { "A\($0)" }))
    case .misplaced:
      let (angle, size) = (random.uniform(0, 2 * .pi), random.uniform(2, 6))
      told[culprit] += SIMD3(size * .cos(angle), size * .sin(angle), 0)
      (expected, culprits) = (.anchorMisplaced, ["A\(culprit)"])
    case .unit:
      unit = [1000, 100, 10, 1 / 0.3048][random.index(4)]
      if random.uniform() < 0.5 {
        for index in told.indices { told[index] *= unit }
        unit = 1
      }
      (expected, words) = (.unitSuspect, unit == 1 ? "are the anchors in" : "are the ranges in")
    case .roundTrip:
      unit = random.uniform() < 0.5 ? 2 : 0.5
      (expected, words) = (.unitSuspect, unit == 2 ? "there and back" : "halved twice")
    case .height: (expected, truth) = (.heightContradicted, height)
    case .bias: expected = .rangeBias
    case .scale: expected = .rangeScale
    case .stuck: (expected, culprits) = (.linkStuck, ["A\(culprit)"])
    case .silent: (expected, culprits) = (.linkSilent, ["A\(culprit)"])
    case .clockStep: expected = .clockStep
    case .timesRepeat, .writtenTwice: expected = .timesRepeat
    case .plane: expected = .geometryWeak
    case .none: break
    }
    anchors = told.map { Anchor(position: Vector([$0.x, $0.y, $0.z])) }
    if hasHeight { options.height = height }
    if mistake == .height {
      options.height = height + random.uniform(1.2, 2.5) * (random.uniform() < 0.5 ? -1 : 1)
    }
    var place = SIMD3(random.uniform(0, width), random.uniform(0, depth), height)
    var goal = place
    var burst = [Int](repeating: 0, count: count)
    var lateBy = [Double](repeating: 0, count: count)
    var line = 1
    var stuck = 0.0
    for step in 0..<400 {
      if !stands {
        let (way, left) = (goal - place, Self.distance(goal, place))
        if left < 0.3 {
          let rise = hasHeight ? 0 : random.uniform(0, 1.5)
          goal = SIMD3(random.uniform(0, width), random.uniform(0, depth), height + rise)
        } else {
          place += way * min(1, 0.3 / left)
        }
      }
      var seconds = 0.1 * Double(step)
      if mistake == .timesRepeat { seconds = seconds.rounded(.down) }
      for anchor in sites.indices {
        if burst[anchor] > 0 {
          burst[anchor] -= 1
        } else if random.uniform() < late / 3 {
          burst[anchor] = 1 + random.index(5)
          lateBy[anchor] = -.log(1 - random.uniform())
        }
        if random.uniform() > ranged { continue }
        if mistake == .silent, anchor == culprit, step > 250 { continue }
        var range = scale * Self.distance(place, sites[anchor]) + bias + persistent[anchor]
        range += noise * random.normal() + (burst[anchor] > 0 ? lateBy[anchor] : 0)
        if mistake == .offset, anchor == culprit { range += offset }
        range = max(0.01, (100 * range * unit).rounded() / 100)
        if mistake == .stuck, anchor == culprit, (200..<230).contains(step) {
          if stuck == 0 { stuck = range }
          range = stuck
        }
        line += 1
        // Two programs that write one file write a row after the other.
        let late = mistake == .writtenTwice ? 0.002 * Double(anchor) : 0
        let time = Timestamp(nanoseconds: Int64(1e9 * (seconds + late)))
        sample.add(range, tag: 0, anchor: anchor, at: time, line: line)
        if mistake == .writtenTwice {
          sample.add(
            range, tag: 0, anchor: anchor, at: time.advanced(bySeconds: 0.001), line: line)
        }
        ranges.append(RangeMeasurement(time: time, anchor: anchor, distance: range))
        let isBack = mistake == .clockStep && step >= 200
        sample.addRow(
          tag: 0, anchor: anchor, at: isBack ? time.advanced(bySeconds: -3600) : time, line: line)
      }
    }
  }

  private static func distance(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> Double {
    let offset = one - other
    return (offset * offset).sum().squareRoot()
  }

  /// A linear congruential generator.
  private struct Random {
    var state: UInt64

    init(seed: UInt64) {
      state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
      for _ in 0..<4 { _ = uniform() }
    }

    mutating func uniform(_ lower: Double = 0, _ upper: Double = 1) -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return lower + (upper - lower) * (Double(state >> 11) + 0.5) / Double(1 << 53)
    }

    mutating func normal() -> Double {
      (-2 * Double.log(uniform())).squareRoot() * .cos(2 * .pi * uniform())
    }

    mutating func index(_ count: Int) -> Int { min(count - 1, Int(uniform(0, Double(count)))) }
  }
}
