import Fathom
import FathomRecordings
import Foundation

/// Makes the recording of a scenario.
///
/// The same scenario and seed give the same recording. Random numbers and arithmetic are IEEE 754
/// operations, equal on every machine; sines and cosines may differ in the last place between
/// libraries, which rounding to the decimals of the files hides. (Not with certainty: a value would have
/// to lie within about 1e-14 of a tie.)
public struct RangeSimulator: Sendable {
  private let scenario: Scenario

  /// The simulator of `scenario`.
  public init(_ scenario: Scenario) {
    self.scenario = scenario
  }

  /// The recording, ranges and truth.
  ///
  /// Cost: proportional to the rows; all are held in memory.
  public func recording() -> SimulatedRecording {
    var recording = Recording(name: scenario.name)
    recording.notes = [
      "Simulated by fathom simulate: scenario \(scenario.name), seed \(scenario.seed)."
    ]
    switch scenario.setting {
    case .anchored(let anchored):
      recording.height = anchored.height
      recording.tagNames = anchored.tags.map(\.name)
      recording.anchorNames = anchored.anchors.map(\.name)
      // A survey finds where an anchor is, not what its ranges suffer from.
      recording.anchors = anchored.anchors.map { Anchor(position: $0.anchor.position) }
    case .phone(let phone):
      recording.notes.append(
        "truth.csv has the accessory in the device frame: x right, y up, -z ahead.")
      recording.tagNames = [phone.tag.name]
      recording.anchorNames = [phone.accessory]
      recording.ranges.direction = RangeColumns.DirectionColumns()
    }
    measure(&recording)
    recording.rowsRead = recording.ranges.count + recording.events.count
    var simulated = SimulatedRecording(recording)
    simulated.truth = truth()
    return simulated
  }

  // MARK: Measurements

  private func measure(_ recording: inout Recording) {
    var generator = SeededGenerator(seed: scenario.seed)
    let links = recording.tagNames.count * recording.anchorNames.count
    var last = [Double?](repeating: nil, count: links)
    var events = scenario.events[...]
    var silent = false
    var line = 1

    func announce(until time: Double) {
      while let event = events.first, event.time <= time {
        events.removeFirst()
        silent = !event.event.allowsRanging
        // Nothing is repeated across an interruption.
        last = [Double?](repeating: nil, count: links)
        for tag in recording.tagNames.indices {
          line += 1
          recording.events.append(
            RecordedEvent(
              time: Self.instant(event.time), tag: Int32(tag), anchor: nil, event: event.event,
              line: line))
        }
      }
    }

    for poll in 0..<Self.wholeIntervals(scenario.duration, scenario.polling.rate) {
      let jitter = scenario.polling.jitter * generator.uniform(in: -1...1)
      let time = Self.instant((Double(poll) + 0.5) / scenario.polling.rate + jitter)
      announce(until: time.seconds)
      let turn =
        switch scenario.polling.mode {
        case .roundRobin: poll % links..<poll % links + 1
        case .scan: 0..<links
        }
      for link in turn {
        let draw = LinkDraw(using: &generator, withDirection: recording.ranges.direction != nil)
        guard !silent else { continue }
        let (tag, anchor) = link.quotientAndRemainder(dividingBy: recording.anchorNames.count)
        guard let reading = reading(time, tag: tag, anchor: anchor, draw, last: &last[link])
        else { continue }
        line += 1
        recording.ranges.time.append(time)
        recording.ranges.tag.append(Int32(tag))
        recording.ranges.anchor.append(Int32(anchor))
        recording.ranges.distance.append(reading.distance)
        recording.ranges.line.append(line)
        recording.ranges.direction?.append(reading.direction)
      }
    }
    announce(until: scenario.duration)
  }

  /// What the link reads at `time`: a distance, and a direction where the device sees one.
  private func reading(
    _ time: Timestamp, tag: Int, anchor: Int, _ draw: LinkDraw, last: inout Double?
  ) -> (distance: Double, direction: Vector<3>?)? {
    switch scenario.setting {
    case .anchored(let anchored):
      let radio = anchored.anchors[anchor].anchor
      let way =
        radio.position - anchored.tags[tag].trajectory.motion(at: time.seconds).position
      return draw.noise.reading(
        of: radio.scale * way.length + radio.bias, scenario.noise, last: &last
      ).map { ($0, nil) }
    case .phone(let phone):
      let way = devicePosition(phone, at: time)
      let distance = way.length
      guard let reading = draw.noise.reading(of: distance, scenario.noise, last: &last) else {
        return nil
      }
      guard distance > 0, -way[2] >= distance * cos(phone.fieldOfView) else {
        return (reading, nil)
      }
      let seen = (1 / distance) * way + phone.directionSigma * draw.direction
      return (reading, ((1 / seen.length) * seen).rounded(decimals: 6))
    }
  }

  private func devicePosition(_ phone: Scenario.Phone, at time: Timestamp) -> Vector<3> {
    phone.attitude.devicePosition(
      of: phone.accessoryPosition, from: phone.tag.trajectory.motion(at: time.seconds),
      at: time.seconds)
  }

  // MARK: Truth

  private func truth() -> [SimulatedRecording.TruthSample] {
    var truth: [SimulatedRecording.TruthSample] = []
    for row in 0...Self.wholeIntervals(scenario.duration, scenario.truthRate) {
      let time = Self.instant(Double(row) / scenario.truthRate)
      func append(_ position: Vector<3>, _ name: String) {
        truth.append(
          SimulatedRecording.TruthSample(
            time: time, position: position.rounded(decimals: 4), name: name))
      }
      switch scenario.setting {
      case .anchored(let anchored):
        for tag in anchored.tags {
          append(tag.trajectory.motion(at: time.seconds).position, tag.name)
        }
      case .phone(let phone):
        append(devicePosition(phone, at: time), phone.accessory)
      }
    }
    return truth
  }

  // MARK: Time

  /// How many intervals of `rate` fit into `duration`; 28.999999999999996 counts as 29.
  private static func wholeIntervals(_ duration: Double, _ rate: Double) -> Int {
    Int((duration * rate + 1e-6).rounded(.down))
  }

  /// The instant to the microsecond, as files have it: truth belongs to the written time.
  private static func instant(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64((seconds * 1e6).rounded(.toNearestOrEven)) * 1000)
  }
}

/// The random numbers of one measurement of a link.
private struct LinkDraw {
  let noise: NoiseDraw
  let direction: Vector<3>

  init(using generator: inout SeededGenerator, withDirection: Bool) {
    noise = NoiseDraw(using: &generator)
    direction =
      withDirection
      ? Vector([generator.normal(), generator.normal(), generator.normal()]) : .zero
  }
}

extension RangeColumns.DirectionColumns {
  /// Adds a direction, or an absent one.
  fileprivate mutating func append(_ direction: Vector<3>?) {
    x.append(direction?[0] ?? .nan)
    y.append(direction?[1] ?? .nan)
    z.append(direction?[2] ?? .nan)
  }
}

extension Vector {
  /// Every element rounded to `decimals` decimals.
  fileprivate func rounded(decimals: Int) -> Self {
    var result = self
    for index in 0..<Count { result[index] = result[index].rounded(decimals: decimals) }
    return result
  }
}
