import Fathom

@testable import FathomRecordings

/// A range of a handmade recording.
struct MadeRange {
  var seconds: Double
  var tag = "T"
  var anchor: String
  var distance: Double
}

/// An event of a handmade recording; without an anchor it applies to all links of the tag.
struct MadeEvent {
  var seconds: Double
  var tag = "T"
  var anchor: String?
  var event: SessionEvent
}

extension Recording {
  /// Returns a recording whose file has `ranges` in the order given, then `events`.
  static func made(
    anchors: [(name: String, anchor: Anchor)] = [], ranges: [MadeRange], events: [MadeEvent] = []
  ) -> Recording {
    var recording = Recording(name: "made")
    recording.anchorNames = anchors.map(\.name)
    recording.anchors = anchors.map(\.anchor)
    func place(_ name: String, in names: inout [String]) -> Int32 {
      if let place = names.firstIndex(of: name) { return Int32(place) }
      names.append(name)
      return Int32(names.count - 1)
    }
    for (index, range) in ranges.enumerated() {
      recording.ranges.time.append(at(range.seconds))
      recording.ranges.tag.append(place(range.tag, in: &recording.tagNames))
      recording.ranges.anchor.append(place(range.anchor, in: &recording.anchorNames))
      recording.ranges.distance.append(range.distance)
      recording.ranges.line.append(index + 2)
    }
    for (index, event) in events.enumerated() {
      recording.events.append(
        RecordedEvent(
          time: at(event.seconds), tag: place(event.tag, in: &recording.tagNames),
          anchor: event.anchor.map { place($0, in: &recording.anchorNames) }, event: event.event,
          line: ranges.count + index + 2))
    }
    recording.rowsRead = ranges.count + events.count
    return recording
  }
}

/// Returns the instant `seconds` after the origin; the origin if `seconds` is out of range.
func at(_ seconds: Double) -> Timestamp {
  Timestamp(seconds: seconds) ?? Timestamp(nanoseconds: 0)
}

/// Four anchors at the corners of a room of 8 x 6 m, at different heights.
let roomAnchors: [(name: String, anchor: Anchor)] = [
  ("A", Anchor(position: Vector([0, 0, 0.5]))), ("B", Anchor(position: Vector([8, 0, 2.5]))),
  ("C", Anchor(position: Vector([8, 6, 0.4]))), ("D", Anchor(position: Vector([0, 6, 2.4]))),
]

/// A position in that room, metres.
let roomTag = Vector<3>([3, 2, 1])

/// Returns the distance from `tag` to an anchor of ``roomAnchors``, metres.
///
/// Each step adds a nanometre, because an unchanged value counts as a repeated reading.
func roomDistance(to anchor: Int, from tag: Vector<3> = roomTag, step: Int = 0) -> Double {
  (roomAnchors[anchor].anchor.position - tag).length + 1e-9 * Double(step)
}

/// Returns exact ranges from `tag` to ``roomAnchors``, polled in turn every `interval` seconds from
/// `start`.
///
/// Each round adds a nanometre, see `roomDistance`.
func polledRanges(
  from tag: Vector<3>, rounds: Int, interval: Double = 0.025, start: Double = 0
) -> [MadeRange] {
  (0..<rounds * roomAnchors.count).map { step in
    let (round, anchor) = step.quotientAndRemainder(dividingBy: roomAnchors.count)
    return MadeRange(
      seconds: start + Double(step) * interval, anchor: roomAnchors[anchor].name,
      distance: roomDistance(to: anchor, from: tag, step: round))
  }
}
