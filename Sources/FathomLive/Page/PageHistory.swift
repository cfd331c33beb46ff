import Fathom
import FathomRecordings

/// The positions of a stream so far, in bounded memory, for looking back.
struct PageHistory: Sendable {
  /// A position of a tag.
  struct Row: Sendable, Equatable {
    var time: Timestamp
    /// Index in ``names``.
    var tag: Int32
    var position: Vector<3>
    /// One standard deviation in the plane, in metres.
    var sigma: Float
    var status: PositionColumns.Status
  }

  /// The positions, in the order in which they came.
  private(set) var rows: [Row] = []
  /// The names of the tags.
  private(set) var names: [String] = []
  private var places: [String: Int32] = [:]
  /// The time of the last row of each tag; nil before it.
  private var last: [Timestamp?] = []
  /// The least time between rows of a tag, in seconds, which doubles whenever the rows are too many.
  private(set) var interval = 0.1
  private let most: Int

  /// Tags beyond this number are left out.
  private static let mostTags = 4096

  /// Creates a history without positions.
  ///
  /// - Parameter most: the greatest number of rows. 2^18 take 13 MB, and hold ten tags for 40 minutes
  ///   at 10 Hz or for a day at 0.2 Hz; half as many halve both.
  init(most: Int = 1 << 18) { self.most = most }

  /// Adds a position, unless it is nearer in time to the last one of its tag than the interval.
  mutating func add(
    _ name: String, _ time: Timestamp, _ position: Vector<3>, sigma: Double,
    _ status: PositionColumns.Status
  ) {
    guard let tag = place(of: name) else { return }
    if rows.count >= most { thin() }
    guard isDue(time, after: last[Int(tag)]) else { return }
    last[Int(tag)] = time
    rows.append(
      Row(time: time, tag: tag, position: position, sigma: Float(sigma), status: status))
  }

  /// Whether `time` is later than `last` by the interval; clocks may also step back.
  private func isDue(_ time: Timestamp, after last: Timestamp?) -> Bool {
    guard let last else { return true }
    // Times are rounded: half a millisecond early is in time.
    let gap = time.seconds(since: last)
    return gap >= interval - 5e-4 || gap <= -10
  }

  private mutating func place(of name: String) -> Int32? {
    if let place = places[name] { return place }
    guard names.count < Self.mostTags else { return nil }
    let place = Int32(names.count)
    places[name] = place
    names.append(name)
    last.append(nil)
    return place
  }

  /// Doubles the interval, and removes the rows that come too early for it.
  private mutating func thin() {
    interval *= 2
    var kept: [Timestamp?] = Array(repeating: nil, count: names.count)
    rows = rows.filter { row in
      guard isDue(row.time, after: kept[Int(row.tag)]) else { return false }
      kept[Int(row.tag)] = row.time
      return true
    }
    last = kept
  }

  /// The history as JSON: rows of tag, milliseconds, x, y, z, sigma and status.
  var text: String {
    let words = PositionColumns.Status.words.map(JSONText.string)
    let names = names.map(JSONText.string)
    let rows = rows.map { row in
      let numbers = (row.position.array + [Double(row.sigma)])
        .map { JSONText.number($0, digits: 3) }
      return "[\(row.tag),\(row.time.nanoseconds / 1_000_000),"
        + numbers.joined(separator: ",") + ",\(row.status.rawValue)]"
    }
    return "{\"names\":[\(names.joined(separator: ","))],"
      + "\"statuses\":[\(words.joined(separator: ","))],"
      + "\"rows\":[\(rows.joined(separator: ",\n"))]}"
  }
}
