import CFathom
import Fathom
import FathomRecordings

/// The ranges and events of a recording as rows, with one column each that C can hold on to.
///
/// Rows are in the order of the file. The columns are made when they are first asked for, because
/// most callers only process the recording.
final class RangeRows: Sendable {
  private struct Columns: Sendable {
    var time: FixedColumn<Int64>
    var tag: FixedColumn<Int32>
    var anchor: FixedColumn<Int32>
    var distance: FixedColumn<Double>
    var line: FixedColumn<Int64>
    var event: FixedColumn<Int32>?
    var numbers: [RangeQuantity: FixedColumn<Double>] = [:]
  }

  private let count: Int
  private let recording: Recording
  private let columns = Locked<Columns?>(nil)

  init(_ recording: Recording) {
    self.recording = recording
    count = recording.ranges.count + recording.events.count
  }

  /// Returns pointers into the columns.
  func view(tags: CStrings, anchors: CStrings) -> fathom_ranges {
    let columns = columns.withLock { columns in
      let made = columns ?? Self.columns(of: recording)
      columns = made
      return made
    }
    var view = fathom_ranges()
    view.count = Int64(count)
    view.time_ns = columns.time.address
    view.tag = columns.tag.address
    view.tag_count = Int64(tags.count)
    view.tag_name = tags.pointers
    view.anchor = columns.anchor.address
    view.anchor_count = Int64(anchors.count)
    view.anchor_name = anchors.pointers
    view.distance_m = columns.distance.address
    view.line = columns.line.address
    view.event = columns.event?.address
    for quantity in RangeQuantity.allCases {
      view[keyPath: quantity.column] = columns.numbers[quantity]?.address
    }
    return view
  }

  private static func columns(of recording: Recording) -> Columns {
    let (ranges, events) = (recording.ranges, recording.events)
    // Events take the places that their lines give them.
    var order = Array(0..<ranges.count + events.count)
    func line(_ place: Int) -> Int {
      place < ranges.count ? ranges.line[place] : events[place - ranges.count].line
    }
    if !events.isEmpty { order.sort { (line($0), $0) < (line($1), $1) } }
    func column<Element>(
      _ ofRange: (Int) -> Element, _ ofEvent: (RecordedEvent) -> Element
    ) -> FixedColumn<Element> {
      FixedColumn(
        order.map { $0 < ranges.count ? ofRange($0) : ofEvent(events[$0 - ranges.count]) })
    }
    let kinds = SessionEvent.allCases
    var columns = Columns(
      time: column({ ranges.time[$0].nanoseconds }, { $0.time.nanoseconds }),
      tag: column({ ranges.tag[$0] }, { $0.tag }),
      anchor: column({ ranges.anchor[$0] }, { $0.anchor ?? -1 }),
      distance: column({ ranges.distance[$0] }, { _ in .nan }),
      line: column({ Int64(ranges.line[$0]) }, { Int64($0.line) }),
      event: events.isEmpty
        ? nil
        : column({ _ in -1 }, { event in Int32(kinds.firstIndex(of: event.event) ?? 0) }))
    for quantity in ranges.quantities {
      guard let numbers = ranges[quantity] else { continue }
      columns.numbers[quantity] = column({ numbers[$0] }, { _ in .nan })
    }
    return columns
  }
}

/// The anchors of a recording in columns.
final class AnchorRows: Sendable {
  private let count: Int
  private let numbers: [FixedColumn<Double>]
  private let isPlanar: Bool

  init(_ recording: Recording) {
    let anchors = recording.anchors
    count = anchors.count
    isPlanar = recording.isPlanar
    numbers = [
      FixedColumn(anchors.map { $0.position[0] }), FixedColumn(anchors.map { $0.position[1] }),
      FixedColumn(anchors.map { $0.position[2] }),
      FixedColumn(anchors.map { $0.positionSigma ?? .nan }),
      FixedColumn(anchors.map(\.bias)), FixedColumn(anchors.map(\.scale)),
    ]
  }

  /// Returns pointers into the columns.
  func view(names: CStrings) -> fathom_anchors {
    var view = fathom_anchors()
    view.count = Int64(count)
    view.name = names.pointers
    view.x_m = numbers[0].address
    view.y_m = numbers[1].address
    view.z_m = isPlanar ? nil : numbers[2].address
    view.sigma_m = numbers[3].address
    view.bias_m = numbers[4].address
    view.scale = numbers[5].address
    return view
  }
}

/// The tracks of truth as rows, tag by tag.
final class TrackRows: Sendable {
  private let count: Int
  private let time: FixedColumn<Int64>
  private let tag: FixedColumn<Int32>?
  private let names: CStrings
  private let numbers: [FixedColumn<Double>]

  init(_ truth: Truth) {
    let tags = truth.tracks.keys.sorted()
    let tracks = tags.compactMap { truth.tracks[$0] }
    count = tracks.reduce(0) { $0 + $1.count }
    time = FixedColumn(tracks.flatMap { $0.times.map(\.nanoseconds) })
    names = CStrings(tags)
    tag =
      tags == [""]
      ? nil
      : FixedColumn(
        tracks.enumerated().flatMap { Array(repeating: Int32($0.offset), count: $0.element.count) })
    let positions = tracks.flatMap(\.positions)
    numbers = (0..<3).map { axis in FixedColumn(positions.map { $0[axis] }) }
  }

  /// Pointers into the columns.
  var view: fathom_trajectory {
    var view = fathom_trajectory()
    view.count = Int64(count)
    view.time_ns = time.address
    view.tag = tag?.address
    view.tag_count = tag == nil ? 0 : Int64(names.count)
    view.tag_name = tag == nil ? nil : names.pointers
    view.x_m = numbers[0].address
    view.y_m = numbers[1].address
    view.z_m = numbers[2].address
    return view
  }
}
