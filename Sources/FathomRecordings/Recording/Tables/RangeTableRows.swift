import Fathom

/// The rows of a ``RangeTable`` as a recording: the rules are those of ``RangesReader``.
///
/// A row that breaks one is rejected, with its line, its column and the reason.
struct RangeTableRows {
  private let table: RangeTable
  private let declared: [String]
  private let spellings: AnchorSpellings
  /// Index of each name of the table in the recording; -1 before its first row.
  private var tagPlaces: [Int32]
  private var anchorPlaces: [Int32]
  private var undeclared = UndeclaredAnchors()
  private(set) var tagNames: [String] = []
  private(set) var anchorNames: [String]
  private(set) var ranges = RangeColumns()
  /// The ranges between tags.
  private(set) var tagRanges = TagRangeColumns()
  /// The names in the column of the anchors that are those of tags, with their places among them.
  private let tagAnchors: [String: Int32]
  private(set) var events: [RecordedEvent] = []
  private(set) var rejected = RejectedRows()

  /// Index of a name that no row has had yet, and of an anchor that is not declared.
  private static let unseen: Int32 = -1
  private static let unknown: Int32 = -2

  /// Reads the rows of `table`, whose anchors are `declared`, or any if there are none.
  ///
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` with the path `name` if there are too
  ///   many tags or anchors.
  static func read(
    _ table: RangeTable, name: String, declared: [String]
  ) throws(RecordingError) -> Self {
    let first = try Self(table, name: name, declared: declared, tagAnchors: [])
    // As in a file: a tag is what has a row of its own.
    let found = first.undeclared.tagAnchors(among: first.tagNames)
    guard !found.isEmpty else { return first }
    var second = try Self(table, name: name, declared: declared, tagAnchors: found)
    second.tagRanges.resolve(found, tags: second.tagNames)
    return second
  }

  private init(
    _ table: RangeTable, name: String, declared: [String], tagAnchors: [String]
  ) throws(RecordingError) {
    self.table = table
    self.declared = declared
    self.tagAnchors = Dictionary(
      zip(tagAnchors, Int32(0)...), uniquingKeysWith: { first, _ in first })
    spellings = AnchorSpellings(declared)
    tagPlaces = Array(repeating: Self.unseen, count: table.tagNames.count)
    anchorNames = declared
    if declared.isEmpty {
      anchorPlaces = Array(repeating: Self.unseen, count: table.anchorNames.count)
    } else {
      let places = Dictionary(
        zip(declared, Int32(0)...), uniquingKeysWith: { first, _ in first })
      anchorPlaces = table.anchorNames.map { places[$0] ?? Self.unknown }
    }
    addColumns()
    for row in 0..<table.count {
      do throws(RowFault) {
        try take(row)
      } catch {
        rejected.append(
          RejectedRow(line: line(row), column: error.column, reason: error.reason, text: text(row)))
      }
      let reason = RecordingLimits.reasonTooMany(tags: tagNames.count, anchors: anchorNames.count)
      if let reason { throw .badData(path: name, line: line(row), reason: reason) }
    }
  }

  /// Message about rows of undeclared anchors; nil without such rows.
  var undeclaredMessage: String? { undeclared.message(spellings) }

  /// Notes on the columns and on anchors without ranges.
  var notes: [String] {
    var notes: [String] = []
    if let note = SpreadsheetFormula.note(on: tagNames + anchorNames) { notes.append(note) }
    if table.tag == nil { notes.append("no column tag: one tag, called 0") }
    if table.anchor == nil {
      notes.append("no column anchor: one anchor, called \(declared.first ?? "0")")
    }
    if table.count == 0 {
      notes.append("the table has no rows")
    } else if ranges.count == 0 {
      notes.append("the table has no usable ranges")
    }
    var isSeen = [Bool](repeating: false, count: anchorNames.count)
    for anchor in ranges.anchor { isSeen[Int(anchor)] = true }
    let unseen = declared.indices.filter { !isSeen[$0] }
    if !unseen.isEmpty {
      notes.append("declared anchors without ranges: \(Excerpt.list(unseen.map { declared[$0] }))")
    }
    return notes
  }

  private mutating func addColumns() {
    if table.sigma != nil { ranges.sigma = [] }
    if table.azimuth != nil { ranges.azimuth = [] }
    if table.elevation != nil { ranges.elevation = [] }
    if table.horizontalAngle != nil { ranges.horizontalAngle = [] }
    if table.hasDirection { ranges.direction = .init() }
    if table.verticalEstimate != nil { ranges.verticalEstimate = [] }
    if table.rssi != nil { ranges.rssi = [] }
    if table.firstPathRSSI != nil { ranges.firstPathRSSI = [] }
    if table.nonLineOfSight != nil { ranges.nonLineOfSight = [] }
    if table.trueDistance != nil { ranges.trueDistance = [] }
    if table.height != nil { ranges.height = [] }
    ranges.reserveCapacity(table.count)
  }

  // MARK: Rows

  private mutating func take(_ row: Int) throws(RowFault) {
    if let event = table.event?[row], event >= 0 { return try takeEvent(Int(event), row) }
    let time = try time(row)
    try requireTag(row)
    let distance = try distance(row)
    // All cells are checked before any is stored, so that the columns keep equal lengths.
    var cells = OptionalCells()
    cells.sigma = try sigma(row)
    cells.azimuth = try angle(table.azimuth, "azimuth_rad", row)
    cells.elevation = try angle(table.elevation, "elevation_rad", row)
    cells.horizontalAngle = try angle(table.horizontalAngle, "horizontal_angle_rad", row)
    cells.direction = try direction(row)
    cells.verticalEstimate = try verticalEstimate(row)
    cells.nonLineOfSight = try nonLineOfSight(row)
    cells.rssi = number(table.rssi, row)
    cells.firstPathRSSI = number(table.firstPathRSSI, row)
    cells.trueDistance = number(table.trueDistance, row)
    cells.height = number(table.height, row)
    if try takeTagRange(row, at: time, distance: distance, sigma: cells.sigma) { return }
    let anchor = try anchorPlace(row)
    ranges.time.append(time)
    ranges.tag.append(tagPlace(row))
    ranges.anchor.append(anchor)
    ranges.distance.append(distance)
    ranges.line.append(line(row))
    cells.append(to: &ranges)
  }

  /// Appends a range to another tag; returns false for a range to an anchor.
  private mutating func takeTagRange(
    _ row: Int, at time: Timestamp, distance: Double, sigma: Double
  ) throws(RowFault) -> Bool {
    guard !tagAnchors.isEmpty, let anchor = table.anchor,
      table.anchorNames.indices.contains(Int(anchor[row])),
      let other = tagAnchors[table.anchorNames[Int(anchor[row])]]
    else { return false }
    let name = table.anchorNames[Int(anchor[row])]
    guard name != (table.tag.map { table.tagNames[Int($0[row])] } ?? "0") else {
      throw RowFault(
        column: "anchor", reason: "a tag has no range to itself: \(Excerpt.quoted(name))")
    }
    tagRanges.append(
      at: time, from: tagPlace(row), to: other, distance: distance, sigma: sigma, line: line(row))
    return true
  }

  private mutating func takeEvent(_ event: Int, _ row: Int) throws(RowFault) {
    guard event < SessionEvent.allCases.count else {
      throw RowFault(column: "event", reason: "event is unknown: \(event)")
    }
    let time = try time(row)
    try requireTag(row)
    if let distance = table.distance?[row],
      MeasuredDistance.absence(of: distance, zeroIsDistance: table.zeroIsDistance) == nil
    {
      throw RowFault(
        column: "event",
        reason: "row has both an event and a distance; write them on separate rows")
    }
    let isNamed = table.anchor.map { table.anchorNames.indices.contains(Int($0[row])) } ?? false
    let anchor = isNamed ? try anchorPlace(row) : nil
    events.append(
      RecordedEvent(
        time: time, tag: tagPlace(row), anchor: anchor, event: SessionEvent.allCases[event],
        line: line(row)))
  }

  private func line(_ row: Int) -> Int { table.line.map { Int($0[row]) } ?? row + 2 }

  /// Returns the row for the table of rejected rows: time, tag, anchor and distance.
  private func text(_ row: Int) -> String {
    func name(_ names: [String], _ column: RangeTable.Column<Int32>?) -> String {
      column.flatMap { names.indices.contains(Int($0[row])) ? names[Int($0[row])] : nil } ?? ""
    }
    let time = table.nanoseconds.map { "\($0[row])" } ?? table.seconds.map { "\($0[row])" } ?? ""
    let distance = table.distance.map { "\($0[row])" } ?? ""
    return [
      time, name(table.tagNames, table.tag), name(table.anchorNames, table.anchor), distance,
    ].joined(separator: ",")
  }

  // MARK: Names

  private func requireTag(_ row: Int) throws(RowFault) {
    guard let tag = table.tag else { return }
    guard table.tagNames.indices.contains(Int(tag[row])) else {
      throw RowFault(column: "tag", reason: "tag is missing")
    }
    try Self.check(table.tagNames[Int(tag[row])], "tag")
  }

  private static func check(_ name: String, _ column: String) throws(RowFault) {
    let count = name.utf8.count
    if count == 0 { throw RowFault(column: column, reason: "\(column) is missing") }
    if count > RecordingLimits.longestName {
      throw RowFault(
        column: column,
        reason: "\(column) is longer than \(RecordingLimits.longestName) bytes")
    }
  }

  private mutating func tagPlace(_ row: Int) -> Int32 {
    guard let tag = table.tag else {
      if tagNames.isEmpty { tagNames = ["0"] }
      return 0
    }
    let index = Int(tag[row])
    if tagPlaces[index] == Self.unseen {
      tagPlaces[index] = Int32(tagNames.count)
      tagNames.append(table.tagNames[index])
    }
    return tagPlaces[index]
  }

  private mutating func anchorPlace(_ row: Int) throws(RowFault) -> Int32 {
    guard let anchor = table.anchor else {
      if anchorNames.isEmpty { anchorNames = ["0"] }
      // Without a column there is at most one declared anchor, to which the row then belongs.
      guard declared.count <= 1 else {
        throw RowFault(column: "anchor", reason: "anchor is missing")
      }
      return 0
    }
    guard table.anchorNames.indices.contains(Int(anchor[row])) else {
      throw RowFault(column: "anchor", reason: "anchor is missing")
    }
    let index = Int(anchor[row])
    if anchorPlaces[index] >= 0 { return anchorPlaces[index] }
    let name = table.anchorNames[index]
    try Self.check(name, "anchor")
    if anchorPlaces[index] == Self.unknown {
      undeclared.append(name, line: line(row))
      throw RowFault(column: "anchor", reason: UndeclaredAnchors.reason(name, spellings))
    }
    anchorPlaces[index] = Int32(anchorNames.count)
    anchorNames.append(name)
    return anchorPlaces[index]
  }

  // MARK: Numbers

  private func time(_ row: Int) throws(RowFault) -> Timestamp {
    if let nanoseconds = table.nanoseconds {
      // The least number is that of a missing time in NumPy.
      guard nanoseconds[row] != .min else {
        throw RowFault(column: "time_s", reason: "time_s is missing")
      }
      return Timestamp(nanoseconds: nanoseconds[row])
    }
    let seconds = table.seconds?[row] ?? .nan
    guard !seconds.isNaN else { throw RowFault(column: "time_s", reason: "time_s is missing") }
    guard let time = Timestamp(decimalSeconds: seconds) else {
      throw RowFault(
        column: "time_s", reason: "time_s is out of range: \(seconds)")
    }
    return time
  }

  private func distance(_ row: Int) throws(RowFault) -> Double {
    let value = table.distance?[row] ?? .nan
    let absence = MeasuredDistance.absence(of: value, zeroIsDistance: table.zeroIsDistance)
    guard let absence else { return value }
    let what =
      switch absence {
      case .notANumber: "is missing"
      case .sentinel where value.isInfinite: "is out of range: \(value)"
      case .sentinel: "is a sentinel for a failed measurement: \(value)"
      case .negative: "is negative: \(value)"
      case .zero: "is zero: \(value) (most devices write zero for a failed measurement)"
      }
    throw RowFault(column: "distance_m", reason: "distance_m \(what)")
  }

  /// Returns an optional number; NaN if it is absent or a sentinel.
  private func number(_ column: RangeTable.Column<Double>?, _ row: Int) -> Double {
    guard let value = column?[row], value.magnitude < MeasuredDistance.smallestSentinel else {
      return .nan
    }
    return value
  }

  private func sigma(_ row: Int) throws(RowFault) -> Double {
    let value = number(table.sigma, row)
    if value < 0 {
      throw RowFault(column: "sigma_m", reason: "sigma_m is negative: \(value)")
    }
    return value == 0 ? .nan : value
  }

  private func angle(
    _ column: RangeTable.Column<Double>?, _ name: String, _ row: Int
  ) throws(RowFault) -> Double {
    let value = number(column, row)
    if value.magnitude > RangesRow.largestAngle {
      throw RowFault(column: name, reason: "\(name) is beyond ±2π: \(value)")
    }
    return value
  }

  private func direction(_ row: Int) throws(RowFault) -> (x: Double, y: Double, z: Double) {
    guard table.hasDirection else { return (.nan, .nan, .nan) }
    let x = number(table.directionX, row)
    let y = number(table.directionY, row)
    let z = number(table.directionZ, row)
    if x.isNaN, y.isNaN, z.isNaN { return (.nan, .nan, .nan) }
    for (value, name) in [(x, "direction_x"), (y, "direction_y"), (z, "direction_z")]
    where value.isNaN {
      throw RowFault(
        column: name, reason: "\(name) is missing although other components are present")
    }
    if x == 0, y == 0, z == 0 { return (.nan, .nan, .nan) }
    let length = (x * x + y * y + z * z).squareRoot()
    guard (length - 1).magnitude <= RangesRow.directionTolerance else {
      throw RowFault(
        reason: "the direction is not a unit vector: its length is"
          + " \((length * 1000).rounded() / 1000)")
    }
    return (x, y, z)
  }

  private func verticalEstimate(_ row: Int) throws(RowFault) -> UInt8 {
    let value = number(table.verticalEstimate, row)
    if value.isNaN { return 0 }
    guard let raw = UInt8(exactly: value), raw <= 4 else {
      throw RowFault(
        column: "vertical_estimate", reason: "vertical_estimate is unknown: \(value) (0 to 4)")
    }
    return raw
  }

  private func nonLineOfSight(_ row: Int) throws(RowFault) -> Double {
    let value = number(table.nonLineOfSight, row)
    if value == 255 { return .nan }
    if value < 0 || value > 1 {
      throw RowFault(column: "nlos", reason: "nlos must be from 0 to 1: \(value)")
    }
    return value
  }
}
