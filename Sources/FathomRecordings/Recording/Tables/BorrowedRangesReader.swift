import Fathom

/// A reader of the rows of ``BorrowedRanges``.
///
/// A row becomes what it would in a file: the numbers are checked by ``RangeQuantity``, and
/// ``RangeSink`` decides the rest. A row that breaks a rule is rejected, with its line, its column and
/// the reason.
struct BorrowedRangesReader {
  private let table: BorrowedRanges
  /// The optional numbers of the rows.
  private let quantities: [RangeQuantity]
  private var sink: RangeSink
  private let tags: Names
  private let anchors: Names
  /// Index in the recording of each name of the table; negative before its first row, and for tags
  /// in the column of the anchors.
  private var tagPlaces: [Int32]
  private var anchorPlaces: [Int32]

  /// The names of a column of the table.
  private struct Names {
    let field: RangeField
    /// Index of the name of each row; nil if the table lacks the column.
    let codes: BorrowedRanges.Column<Int32>?
    let names: [ArraySlice<UInt8>]
    /// Whether each name is one.
    let isName: [Bool]

    init(_ field: RangeField, _ codes: BorrowedRanges.Column<Int32>?, _ names: [String]) {
      (self.field, self.codes) = (field, codes)
      self.names = names.map { Array($0.utf8)[...] }
      isName = self.names.map { RangeField.problem(ofName: $0) == nil }
    }

    /// Returns the index of the name of `row`; nil if the table lacks the column, -1 without a name.
    func code(_ row: Int) -> Int? {
      codes.map { names.indices.contains(Int($0[row])) ? Int($0[row]) : -1 }
    }

    /// Returns the same for a row that must have a valid name.
    func checkedCode(_ row: Int) throws(RowFault) -> Int? {
      guard let code = code(row) else { return nil }
      guard code >= 0 else { throw RowFault(field.name, "is missing") }
      if !isName[code], let (what, isShown) = RangeField.problem(ofName: names[code]) {
        throw RowFault(field.name, what, isShown ? Excerpt.quoted(names[code]) : nil)
      }
      return code
    }
  }

  /// Reads the rows of `table`, whose anchors are `declared`, or any if there are none.
  ///
  /// `name` is the path in an error about too many tags or anchors.
  static func read(
    _ table: BorrowedRanges, name: String, declared: [String]
  ) throws(RecordingError) -> ParsedRanges {
    let rows = try read(table, name: name, declared: declared, tagAnchors: [])
    // As in a file: a tag is what has a row of its own.
    if rows.tagAnchors.isEmpty { return rows }
    var again = try read(table, name: name, declared: declared, tagAnchors: rows.tagAnchors)
    again.tagRanges.resolve(rows.tagAnchors, tags: again.tagNames)
    return again
  }

  private static func read(
    _ table: BorrowedRanges, name: String, declared: [String], tagAnchors: [String]
  ) throws(RecordingError) -> ParsedRanges {
    var reader = Self(table, RangeRules(declared: declared, tagAnchors: tagAnchors), declared)
    for row in 0..<table.count {
      do throws(RowFault) {
        try reader.process(row)
      } catch {
        reader.sink.reject(
          RejectedRow(
            line: reader.line(row), column: error.column, reason: error.reason,
            text: reader.text(row)))
      }
      if let reason = reader.sink.reasonTooManyNames {
        throw .badData(path: name, line: reader.line(row), reason: reason)
      }
    }
    var rows = reader.sink.rows
    rows.tagNames = reader.sink.names.tags.names
    rows.anchorNames = reader.sink.names.anchors.names
    rows.tagAnchors = reader.sink.tagAnchors
    rows.undeclared = reader.sink.undeclaredMessage
    return rows
  }

  private init(_ table: BorrowedRanges, _ rules: RangeRules, _ declared: [String]) {
    self.table = table
    let layout = table.layout
    quantities = layout.numbers.map(\.quantity)
    var rows = ParsedRanges(layout: layout)
    rows.ranges.reserveCapacity(table.count)
    sink = RangeSink(rules, names: RangesNames(declared: declared), into: rows)
    tags = Names(.tag, table.tag, table.tagNames)
    anchors = Names(.anchor, table.anchor, table.anchorNames)
    tagPlaces = Array(repeating: -1, count: table.tagNames.count)
    anchorPlaces = Array(repeating: -1, count: table.anchorNames.count)
  }

  // MARK: Rows

  private mutating func process(_ row: Int) throws(RowFault) {
    if let event = table.event?[row], event >= 0 { return try processEvent(Int(event), row) }
    let time = try time(row)
    let tag = try tags.checkedCode(row)
    let anchor = try anchors.checkedCode(row)
    let distance = try distance(row)
    // All cells are checked before any name is added.
    let numbers = try numbers(row)
    let peer = try peer(anchor, of: tag, row)
    sink.append(
      at: time, tag: place(ofTag: tag), peer: peer, distance: distance, line: line(row), numbers)
  }

  private mutating func processEvent(_ event: Int, _ row: Int) throws(RowFault) {
    guard event < SessionEvent.allCases.count else {
      throw RowFault(RangeField.event.name, "is unknown", "\(event)")
    }
    let time = try time(row)
    let tag = try tags.checkedCode(row).map { tags.names[$0] }
    let isNamed = anchors.code(row).map { $0 >= 0 } ?? false
    let anchor = isNamed ? try anchors.checkedCode(row).map { anchors.names[$0] } : nil
    let distance = table.distance?[row] ?? .nan
    let absence = MeasuredDistance.absence(of: distance, zeroIsDistance: table.zeroIsDistance)
    try sink.append(
      SessionEvent.allCases[event], at: time, tag: tag, anchor: anchor,
      columns: (RangeField.event.name, RangeField.anchor.name), hasDistance: absence == nil,
      line: line(row))
  }

  private func line(_ row: Int) -> Int { table.line.map { Int($0[row]) } ?? row + 2 }

  /// Returns the row for the table of rejected rows: time, tag, anchor and distance.
  private func text(_ row: Int) -> String {
    func name(_ column: Names) -> String {
      guard let code = column.code(row), code >= 0 else { return "" }
      return String(decoding: column.names[code], as: UTF8.self)
    }
    let time = table.nanoseconds.map { "\($0[row])" } ?? table.seconds.map { "\($0[row])" } ?? ""
    let distance = table.distance.map { "\($0[row])" } ?? ""
    return [time, name(tags), name(anchors), distance].joined(separator: ",")
  }

  // MARK: Names

  private mutating func place(ofTag code: Int?) -> Int32 {
    guard let code else { return sink.tag(nil) }
    if tagPlaces[code] < 0 { tagPlaces[code] = sink.tag(tags.names[code]) }
    return tagPlaces[code]
  }

  private mutating func peer(
    _ code: Int?, of tag: Int?, _ row: Int
  ) throws(RowFault) -> RangeSink.Peer {
    if let code, anchorPlaces[code] >= 0 { return .anchor(anchorPlaces[code]) }
    let peer = try sink.peer(
      code.map { anchors.names[$0] }, of: tag.map { tags.names[$0] },
      column: RangeField.anchor.name, line: line(row))
    if let code, case .anchor(let place) = peer { anchorPlaces[code] = place }
    return peer
  }

  // MARK: Numbers

  private func time(_ row: Int) throws(RowFault) -> Timestamp {
    let name = RangeField.time.name
    if let nanoseconds = table.nanoseconds {
      // The least number is that of a missing time in NumPy.
      guard nanoseconds[row] != .min else { throw RowFault(name, "is missing") }
      return Timestamp(nanoseconds: nanoseconds[row])
    }
    let seconds = table.seconds?[row] ?? .nan
    guard !seconds.isNaN else { throw RowFault(name, "is missing") }
    guard let time = Timestamp(decimalSeconds: seconds) else {
      throw RowFault(name, "is out of range", "\(seconds)")
    }
    return time
  }

  private func distance(_ row: Int) throws(RowFault) -> Double {
    let value = table.distance?[row] ?? .nan
    guard
      let absence = MeasuredDistance.absence(of: value, zeroIsDistance: table.zeroIsDistance)
    else { return value }
    let (what, hint) = absence.problem(of: value)
    throw RowFault(
      RangeField.distance.name, what, absence == .notANumber ? nil : "\(value)", hint: hint)
  }

  /// Returns the optional numbers of a row.
  private func numbers(_ row: Int) throws(RowFault) -> PerQuantity<Double> {
    var numbers = PerQuantity<Double>.none
    for quantity in quantities {
      // A sentinel stands for no number.
      if let value = table[quantity]?[row], value.magnitude < MeasuredDistance.smallestSentinel {
        numbers[quantity] = try quantity.checked(
          value, unitHint: "degrees? tables have radians", quantity.name, "\(value)")
      }
      if quantity == .directionZ { try numbers.checkDirection(\.name) }
    }
    return numbers
  }
}
