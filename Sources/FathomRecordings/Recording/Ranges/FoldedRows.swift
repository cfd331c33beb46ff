import Fathom

/// A table whose rows stand for several measurements each: lists in cells, or times of arrival in a column per
/// receiver.
///
/// Its rows become JSON objects, one per measurement, which are read as those of a file in JSON. Each stands on
/// the line of its row.
struct FoldedRows {
  /// What a row stands for.
  private enum Content {
    /// Ranges: the columns with lists, of which the first has anchors and the second distances.
    case lists([Int])
    /// Epochs: the column with distances to the anchors 0, 1, ..., as in `[7.31 3.56 4.12]`.
    case numbered(Int)
    /// Ranges: the column with distances by anchor, as in `{'A1': 7.31, 'A2': 3.56}`.
    case byAnchor(Int)
    /// Differences of the times of arrival in some columns, with the speed of the signal in m/s: the number in
    /// a column, or that of light.
    case arrivals([Int], speed: Int?, TimeUnit)
    /// Time differences, one a row.
    case differences
  }

  private let content: Content
  private let names: [String]
  private let delimiter: Delimiter

  /// How the rows are read, for the user.
  var note: String {
    switch content {
    case .lists(let columns):
      "rows have lists in the columns \(Excerpt.list(columns.map { names[$0] })): each element is a range"
    case .numbered(let column):
      "rows have lists of distances in the column \(Excerpt.quoted(names[column])): the elements are the"
        + " anchors 0, 1, ... in this order"
    case .byAnchor(let column):
      "rows have distances by anchor in the column \(Excerpt.quoted(names[column])): each is a range"
    case .differences: "rows are time differences"
    case .arrivals(let columns, let speed, let unit):
      "columns \(Excerpt.list(columns.map { names[$0] })) are times of arrival in \(unit.rawValue), at the speed"
        + (speed.map { " in column \(names[$0])" } ?? " of light")
        + ": rows become time differences to the first of them"
    }
  }

  /// Looks at the rows at the beginning of a file; nil if each is one measurement or an epoch of distances.
  init?(_ head: [UInt8], options: RecordingOptions) {
    // Most files: a range per row under Fathom's own names.
    let end = head.firstIndex(of: UInt8(ascii: "\n")) ?? head.count
    let renames = TableKind.differences.renames(options.columns)
    guard options.columns.isEmpty || renames.count == options.columns.count,
      TokenCursor(head, 0..<end).offset(of: "distance_m") == nil
    else { return nil }
    let sample = RowSample(head, delimiter: options.delimiter, columns: [:])
    guard sample.rowCount > 0 else { return nil }
    (names, delimiter) = (sample.firstCells, sample.delimiter)
    if Self.areDifferences(names, renames) {
      content = .differences
      return
    }
    guard options.columns.isEmpty else { return nil }
    if let lists = Self.lists(in: sample) {
      content = .lists(lists)
      return
    }
    if let column = Self.columnByAnchor(in: sample) {
      content = .byAnchor(column)
      return
    }
    if let column = Self.columnOfNumbers(in: sample) {
      content = .numbered(column)
      return
    }
    let unit = Self.unitOfArrivals(names)
    guard let columns = ColumnAdvice(sample, .ranges).arrivals(perSecond: unit.perSecond) else {
      return nil
    }
    let speed = names.firstIndex { name in
      Self.speeds.contains { ColumnName.normalized(name).contains($0) }
    }
    // At the speed of sound such differences would be a centimetre and less.
    let isLight = sample.greatestSpread(columns) / unit.perSecond < Self.mostLightSpread
    guard speed != nil || isLight else { return nil }
    content = .arrivals(columns, speed: speed, unit)
  }

  /// Whether `names` are those of time differences, and none is that of a distance.
  private static func areDifferences(_ names: [String], _ renames: [String: String]) -> Bool {
    let header = try? CSVHeader(
      names: names, columns: TableColumns.differences, renames: renames, path: "", line: nil)
    return header != nil
      && !names.contains { RangeField.columns[RangeField.distance.index].match($0) != nil }
  }

  /// Returns the unit that two names at least have, and no other; seconds otherwise.
  private static func unitOfArrivals(_ names: [String]) -> TimeUnit {
    let units = names.filter { RangeField.columns[RangeField.time.index].match($0) == nil }
      .compactMap { anyTime.unit(of: $0).flatMap { TimeUnit(rawValue: $0) } }
    return units.count > 1 && Set(units).count == 1 && units[0] != .ticks ? units[0] : .seconds
  }

  private static let anyTime = ColumnName("", [], .time)

  /// Returns the name of the receiver in that of a column of arrivals.
  private static func receiver(_ name: String, _ unit: TimeUnit) -> String {
    guard anyTime.unit(of: name) == unit.rawValue,
      let end = name.lastIndex(where: { $0 == "_" || $0 == "[" || $0 == "(" })
    else { return name }
    let stem = name[..<end]
    return String(stem.last == " " ? stem.dropLast() : stem)
  }

  /// Names of columns of the speed of a signal.
  private static let speeds = ["speed", "velocity"]
  /// The largest difference of times of arrival that is one of light, seconds: three kilometres.
  private static let mostLightSpread = 1e-5
  /// The speed of light in air, m/s.
  private static let speedOfLight = 299_702_547.0

  /// Returns the columns whose cells are lists of equal length: anchors, distances, then others; nil without
  /// the first two.
  ///
  /// Most rows decide: the lists of a damaged one differ in length or are not there.
  private static func lists(in sample: RowSample) -> [Int]? {
    let names = sample.firstCells
    // A column of lists is called like several things, or has brackets in most cells.
    func isList(_ field: Int) -> Bool {
      let cells = sample.cells(field)
      guard cells.contains(where: { elements($0).count > 1 }) else { return false }
      return RangeField.singular(names[field]) != ColumnName.normalized(names[field])
        || 2 * cells.count { $0.first == UInt8(ascii: "[") } > cells.count
    }
    func column(_ field: RangeField) -> Int? {
      names.indices.first { RangeField.ofList(called: names[$0]) == field && isList($0) }
    }
    guard let distances = column(.distance), let anchors = column(.anchor) else { return nil }
    func isParallel(_ field: Int) -> Bool {
      let equal = sample.pairs(field, distances).count { elements($0).count == elements($1).count }
      return 2 * equal > sample.rowCount
    }
    guard isParallel(anchors) else { return nil }
    let others = names.indices.filter { field in
      field != anchors && field != distances && isParallel(field)
        && sample.cells(field).contains { elements($0).count > 1 }
    }
    return [anchors, distances] + others
  }

  /// Returns the elements of a list in a cell: in brackets or not, between commas, semicolons, bars or blanks.
  private static func elements(_ cell: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let inner = trimmed(cell)
    let separator = ",;|".utf8.first { inner.contains($0) }
    let parts =
      separator.map { inner.split(separator: $0, omittingEmptySubsequences: false) }
      ?? inner.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return parts.map(trimmed)
  }

  /// Returns `part` without blanks, brackets and quotes around it.
  private static func trimmed(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isAround(_ byte: UInt8) -> Bool { " \t[](){}'\"".utf8.contains(byte) }
    var part = part
    while let byte = part.first, isAround(byte) { part = part.dropFirst() }
    while let byte = part.last, isAround(byte) { part = part.dropLast() }
    return part
  }

  /// Returns the column in most of whose cells distances have the names of their anchors; nil without one.
  private static func columnByAnchor(in sample: RowSample) -> Int? {
    sample.firstCells.indices.first { field in
      RangeField.ofList(called: sample.firstCells[field]) == .distance
        && 2 * sample.cells(field).count { !byAnchor($0).isEmpty } > sample.rowCount
    }
  }

  /// Returns the column with lists of distances alone, all of them equally long, of three elements at least; nil
  /// without one, or beside a column that names the anchor.
  private static func columnOfNumbers(in sample: RowSample) -> Int? {
    let names = sample.firstCells
    let anchor = RangeField.columns[RangeField.anchor.index]
    if names.contains(where: { anchor.match($0) != nil || RangeField.ofList(called: $0) == .anchor }
    ) {
      return nil
    }
    return names.indices.first { field in
      guard RangeField.ofList(called: names[field]) == .distance else { return false }
      let counts = sample.cells(field).map { cell in
        cell.first == UInt8(ascii: "[") ? elements(cell).count : 0
      }
      guard let count = counts.first, count > 2 else { return false }
      return 10 * counts.count { $0 == count } >= 9 * sample.rowCount
    }
  }

  /// Returns the anchors and distances in a cell such as `{'A1': 7.31}`; empty for another cell.
  private static func byAnchor(
    _ cell: ArraySlice<UInt8>
  ) -> [(anchor: ArraySlice<UInt8>, distance: ArraySlice<UInt8>)] {
    guard cell.first == UInt8(ascii: "{"), cell.last == UInt8(ascii: "}") else { return [] }
    var found: [(anchor: ArraySlice<UInt8>, distance: ArraySlice<UInt8>)] = []
    for element in elements(cell) {
      // Addresses have colons, too.
      guard let colon = element.lastIndex(of: UInt8(ascii: ":")) else { return [] }
      found.append((trimmed(element[..<colon]), trimmed(element[(colon + 1)...])))
    }
    return found
  }

  // MARK: Objects

  /// Returns the rows of `input` as objects, with its checksum.
  func objects(of input: StoredInput) throws(RecordingError) -> StoredInput {
    var text: [UInt8] = []
    var source = try DecompressedText(input)
    try source.append(to: &text, upTo: RecordingLimits.mostBytes)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    var scanner = CSVScanner(text, delimiter: delimiter)
    var result: [UInt8] = []
    var line = 1
    _ = scanner.next()
    while scanner.next() {
      while line < scanner.line {
        result.append(UInt8(ascii: "\n"))
        line += 1
      }
      append(scanner, to: &result)
    }
    let file = SourceFile(
      path: input.path, bytes: source.storedCount, xxh3: source.storedHash.text)
    return StoredInput(
      path: input.path, bytes: result, origin: TextOrigin(file: file, lines: LineMap()))
  }

  /// Appends the objects of a row; a row that has none is an object of its cells, which the reader rejects.
  private func append(_ scanner: CSVScanner, to text: inout [UInt8]) {
    let cells = scanner.fields.prefix(names.count).map { scanner.content($0)[...] }
    switch content {
    case .lists(let columns):
      let lists = columns.map { cells.indices.contains($0) ? Self.elements(cells[$0]) : [] }
      let plain = cells.indices.filter { !columns.contains($0) }
      let count = lists[0].count == lists[1].count ? lists[0].count : 0
      for element in 0..<count {
        var members = plain.map { (names[$0], cells[$0]) }
        members.append(("anchor", lists[0][element]))
        for (column, list) in zip(columns, lists).dropFirst() where list.count == count {
          members.append((RangeField.singular(names[column]), list[element]))
        }
        JSONText.appendObject(members, to: &text)
      }
      if count == 0 { appendDamaged(cells, columns, to: &text) }
    case .byAnchor(let column):
      let found = cells.indices.contains(column) ? Self.byAnchor(cells[column]) : []
      let plain = cells.indices.filter { $0 != column }.map { (names[$0], cells[$0]) }
      for (anchor, distance) in found {
        let range = [("anchor", anchor), (RangeField.singular(names[column]), distance)]
        JSONText.appendObject(plain + range, to: &text)
      }
      if found.isEmpty { appendDamaged(cells, [column], to: &text) }
    case .numbered(let column):
      let elements = cells.indices.contains(column) ? Self.elements(cells[column]) : []
      let plain = cells.indices.filter { $0 != column }.map { (names[$0], cells[$0]) }
      let ranges = elements.enumerated().map { place, element in
        (RangeField.distanceName(place, ofList: names[column]), element)
      }
      JSONText.appendObject(plain + ranges, to: &text)
    case .differences: JSONText.appendObject(zip(names, cells).map { ($0, $1) }, to: &text)
    case .arrivals(let columns, let speed, let unit):
      appendDifferences(cells, columns, speed, unit, to: &text)
    }
  }

  /// Appends the object of a row whose lists, in `columns`, are not of equal length, or are not there: it has no
  /// anchor, so that the reader rejects it.
  private func appendDamaged(
    _ cells: [ArraySlice<UInt8>], _ columns: [Int], to text: inout [UInt8]
  ) {
    var members = cells.indices.filter { !columns.contains($0) }.map { (names[$0], cells[$0]) }
    members.append(("anchor", []))
    // The distances are the last of the two columns, or the only one.
    if let column = columns.prefix(2).last {
      members.append(
        (RangeField.singular(names[column]), cells.indices.contains(column) ? cells[column] : []))
    }
    JSONText.appendObject(members, to: &text)
  }

  private func appendDifferences(
    _ cells: [ArraySlice<UInt8>], _ columns: [Int], _ speed: Int?, _ unit: TimeUnit,
    to text: inout [UInt8]
  ) {
    func number(_ column: Int) -> Double? {
      guard cells.indices.contains(column) else { return nil }
      let value = Double(String(decoding: cells[column], as: UTF8.self))
      return value.flatMap { $0.isFinite ? $0 : nil }
    }
    let metresPerSecond = speed.map { number($0) } ?? Self.speedOfLight
    let arrivals = columns.compactMap { column in number(column).map { (column, $0) } }
    guard let metresPerSecond, metresPerSecond > 0, let first = arrivals.first, arrivals.count > 1
    else {
      return JSONText.appendObject(zip(names, cells).map { ($0, $1) }, to: &text)
    }
    let tag = cells.indices.first {
      RangeField.columns[RangeField.tag.index].match(names[$0]) != nil
    }
    for (column, time) in arrivals.dropFirst() {
      let difference = (time - first.1) / unit.perSecond * metresPerSecond
      var members: [(String, ArraySlice<UInt8>)] = [
        ("time_s", Array("\(first.1 / unit.perSecond)".utf8)[...]),
        ("anchor_a", Array(Self.receiver(names[column], unit).utf8)[...]),
        ("anchor_b", Array(Self.receiver(names[first.0], unit).utf8)[...]),
        ("difference_m", Array("\(difference)".utf8)[...]),
      ]
      if let tag { members.append(("tag", cells[tag])) }
      JSONText.appendObject(members, to: &text)
    }
  }
}

extension JSONTables {
  /// Reads the tables of a file whose rows stand for several measurements; nil if they do not.
  init?(
    foldedRowsOf input: StoredInput, head: [UInt8], options: RecordingOptions, declared: [String]
  ) throws(RecordingError) {
    guard input.origin == nil, let folded = FoldedRows(head, options: options) else { return nil }
    let objects = try folded.objects(of: input)
    try self.init(objects, renames: options.columns, declared: declared)
    (origin, note) = (objects.origin?.file, folded.note)
  }
}

extension RowSample {
  /// Returns the greatest difference between the numbers of a row in the columns `fields`.
  fileprivate func greatestSpread(_ fields: [Int]) -> Double {
    let columns = fields.map { numbers($0) }
    let count = columns.map(\.count).min() ?? 0
    return (0..<count).map { row in
      let values = columns.map { $0[row] }
      return (values.max() ?? 0) - (values.min() ?? 0)
    }.max() ?? 0
  }
}
