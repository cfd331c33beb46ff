import Fathom

/// A range in a line of a device log.
///
/// NaN marks an absent number.
struct LogRange: Sendable {
  /// Name of the measuring tag; empty if the log names none.
  var tag: ArraySlice<UInt8> = []
  /// Name of the anchor; empty if the log names none.
  var anchor: ArraySlice<UInt8> = []
  /// Distance in metres, valid or not.
  var distance = Double.nan
  /// Standard deviation of the distance, in metres.
  var sigma = Double.nan
  /// Direction of the anchor as the device reports it, in radians.
  var azimuth = Double.nan
  var elevation = Double.nan
  /// Levels of the signal and of its first path, in dBm.
  var rssi = Double.nan
  var firstPathRSSI = Double.nan
  /// Degree of obstruction, 0 to 1.
  var nonLineOfSight = Double.nan

  /// The numbers besides the distance.
  fileprivate var numbers: PerQuantity<Double> {
    var numbers = PerQuantity<Double>.none
    if sigma > 0 { numbers[.sigma] = sigma }
    (numbers[.azimuth], numbers[.elevation]) = (azimuth, elevation)
    (numbers[.rssi], numbers[.firstPathRSSI]) = (rssi, firstPathRSSI)
    numbers[.nonLineOfSight] = nonLineOfSight
    return numbers
  }
}

/// A range of a device log, with its names by index.
struct LogEntry: Sendable {
  /// Index of the tag in ``LogRows/names``; negative if the log names none.
  var tag: Int32
  /// Index of the anchor in ``LogRows/names``; negative if the log names none.
  var anchor: Int32
  /// The distance and the other numbers, as in ``LogRange``.
  var distance: Double
  var numbers: PerQuantity<Double>
  /// Physical line, or frame, from 1.
  var line: Int
  /// Index in ``LogRows/epochs``.
  var epoch: Int
}

/// The time that a log states for some ranges.
enum LogClock: Sendable, Equatable {
  /// None: the rows of the epoch are simultaneous.
  case none
  /// None: an epoch is a round, in which each anchor occurs once.
  case round
  /// An instant, in nanoseconds.
  case instant(Int64)
  /// A clock of the device that restarts with it, in nanoseconds.
  case sinceStart(Int64)
  /// A number of blocks of equal duration, in a session.
  case block(Int64, session: Int64)
}

/// Simultaneous ranges of a log.
struct LogEpoch: Sendable {
  /// Number in the log, from 1.
  fileprivate(set) var number = 0
  /// Time that the log states.
  var clock: LogClock
  /// Time that the host wrote in front of the line.
  var host: HostTime?
}

/// A row of a log that cannot be used.
struct RejectedLogRow: Sendable {
  var line: Int
  var reason: String
  var text: String
}

/// The position of an anchor in a log, in metres.
struct LogAnchor: Sendable {
  var name: ArraySlice<UInt8>
  var position: Vector<3>
  var line: Int
}

/// What a reader found in some lines of a log.
struct LogRows: Sendable {
  var epochs: [LogEpoch] = []
  var ranges: [LogEntry] = []
  /// Names of tags and anchors in the log so far.
  private(set) var names = NameTable()
  var rejected: [RejectedLogRow] = []
  /// Positions of anchors, if ``collectsAnchors``.
  var anchors: [LogAnchor] = []
  /// Whether positions of anchors are collected, instead of ranges.
  var collectsAnchors = false
  /// Rejected rows that the device reports as failed.
  private(set) var failures = 0
  /// Lines without a measurement, such as echoed commands.
  private(set) var otherLines = 0
  private var epochCount = 0
  private var last: LogEpoch?

  /// Begins an epoch in `line`: the next ranges belong to it.
  mutating func beginEpoch(_ clock: LogClock, in line: LogLine) {
    beginEpoch(clock, host: line.host)
  }

  /// Begins an epoch.
  mutating func beginEpoch(_ clock: LogClock, host: HostTime?) {
    epochCount += 1
    let epoch = LogEpoch(number: epochCount, clock: clock, host: host)
    last = epoch
    epochs.append(epoch)
  }

  /// Adds a range to the current epoch.
  mutating func append(_ range: LogRange, line: Int) {
    if collectsAnchors { return }
    // An epoch can continue after ``removeAll()``.
    if epochs.isEmpty {
      epochs.append(last ?? LogEpoch(number: epochCount, clock: .none, host: nil))
    }
    ranges.append(
      LogEntry(
        tag: range.tag.isEmpty ? -1 : names.place(of: range.tag),
        anchor: range.anchor.isEmpty ? -1 : names.place(of: range.anchor),
        distance: range.distance, numbers: range.numbers, line: line, epoch: epochs.count - 1))
  }

  /// Counts a line that has no range.
  mutating func skip() { otherLines += 1 }

  /// Rejects a measurement that the device reports as failed with `status`.
  mutating func fail(line: Int, _ status: String, _ text: ArraySlice<UInt8>) {
    failures += 1
    reject(line: line, "the measurement failed, \(status)", text)
  }

  /// Rejects `line`, or a measurement in it.
  mutating func reject(_ line: LogLine, _ reason: String) {
    reject(line: line.number, reason, line.cursor.bytes[line.whole])
  }

  /// Rejects a row that begins on `line`.
  mutating func reject(line: Int, _ reason: String, _ text: ArraySlice<UInt8>) {
    rejected.append(RejectedLogRow(line: line, reason: reason, text: Excerpt.text(text)))
  }

  /// Notes the position of an anchor.
  mutating func appendAnchor(_ name: ArraySlice<UInt8>, at position: Vector<3>, line: Int) {
    if collectsAnchors { anchors.append(LogAnchor(name: name, position: position, line: line)) }
  }

  /// A place to which the rows can be cut back.
  var mark: (epochs: Int, ranges: Int, anchors: Int) {
    (epochs.count, ranges.count, anchors.count)
  }

  /// Removes what was added after `mark`: a line is used as a whole or not at all.
  mutating func cut(to mark: (epochs: Int, ranges: Int, anchors: Int)) {
    epochs.removeLast(epochs.count - mark.epochs)
    ranges.removeLast(ranges.count - mark.ranges)
    anchors.removeLast(anchors.count - mark.anchors)
  }

  /// Forgets the names in the log; call between blocks.
  mutating func forgetNames() { names = NameTable() }

  /// Removes everything, but keeps the memory.
  mutating func removeAll() {
    epochs.removeAll(keepingCapacity: true)
    ranges.removeAll(keepingCapacity: true)
    rejected.removeAll(keepingCapacity: true)
    anchors.removeAll(keepingCapacity: true)
    otherLines = 0
    failures = 0
  }
}
