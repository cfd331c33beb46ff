import Fathom

/// What to try if the header of a table lacks columns: the candidates with their first values, and the
/// `--columns` that names them.
struct ColumnAdvice {
  private let sample: RowSample
  private let kind: TableKind
  private let declared: [String]
  /// Names in the header; empty cells stay.
  private let names: [String]

  /// Creates the advice for a table that begins with `sample`.
  init(_ sample: RowSample, _ kind: TableKind, declared: [String] = []) {
    (self.sample, self.kind, self.declared) = (sample, kind, declared)
    names = sample.firstCells
  }

  /// Returns the end of the message about the columns `missing`; empty if nothing can be advised.
  func text(_ missing: [ColumnName]) -> String {
    if sample.names != nil || names.count < 2 || sample.rowCount == 0 { return "" }
    if let field = names.indices.first(where: { isList($0) }) {
      return
        "; column \(Excerpt.quoted(names[field])) has lists in its cells: write a column for each"
        + " anchor, such as A0,A1"
    }
    if kind == .ranges, let columns = arrivals() {
      return
        "; \(Excerpt.list(columns.map { names[$0] })) look like times of arrival, one column per"
        + " receiver: write tdoa.csv with time_s,anchor_a,anchor_b,difference_m, where difference_m is"
        + " the speed of the signal times the time of a minus that of b"
    }
    let isHeader = !names.contains { Double($0) != nil }
    if isHeader, kind == .ranges, let differences = differences() { return differences }
    var taken = isHeader ? known : []
    var pairs: [(column: String, field: Int)] = []
    var isComplete = true
    // Times first: in few rows distances may rise like them.
    let open = missing + implied(missing, isHeader: isHeader)
    let times = open.filter { $0.quantity == .time }
    for column in times + open.filter({ $0.quantity != .time }) {
      guard let field = candidates(for: column, except: taken).first else {
        if missing.contains(where: { $0.name == column.name }), column.isRequired {
          isComplete = false
        }
        continue
      }
      taken.insert(field)
      pairs.append((column.stems[0], field))
    }
    var text = ""
    let shown = names.indices.filter { !known.contains($0) && !sample.cells($0).isEmpty }
    if isHeader, !shown.isEmpty {
      let list = shown.prefix(6).map { "\(Excerpt.quoted(names[$0])) \(firstValues($0))" }
      text += "; first values: \(list.joined(separator: "; "))"
      if shown.count > 6 { text += " and \(shown.count - 6) more columns" }
    }
    if !isHeader, kind == .ranges, let epoch = epoch() { return text + epoch }
    if isHeader, kind == .ranges, let pair = onlyDistance(missing, taken) {
      pairs.append(pair)
      isComplete = true
    }
    guard isComplete, !pairs.isEmpty else { return text }
    return text + "; try \(option(pairs, isHeader: isHeader))"
  }

  /// Returns a warning about an ignored column that rises like times, in a file whose times are made up.
  func ignoredTimes(among header: CSVHeader) -> [String] {
    let ignored = Set(header.ignored)
    let other = ["seq", "index", "idx", "frame", "count", "row", "number", "block", "id", "round"]
    let found = header.names.indices.first { field in
      let name = header.names[field].lowercased()
      return ignored.contains(header.names[field]) && !name.isEmpty
        && !other.contains(where: name.contains) && isTime(field)
    }
    guard let found else { return [] }
    let pair = ("time", found)
    return [
      "column \(Excerpt.plain(header.names[found])) rises and is ignored: if it is the time, try"
        + " \(option([pair], isHeader: true)), with --time-unit if it is not in seconds"
    ]
  }

  /// Returns what to try if two columns name anchors and one has differences, of which some are negative; nil for
  /// other rows.
  private func differences() -> String? {
    func mentions(_ field: Int, _ words: [String]) -> Bool {
      words.contains { names[field].lowercased().contains($0) }
    }
    let anchors = names.indices.filter { field in
      Self.isIdentifier(names[field]) && !mentions(field, ["tag"])
        && Set(sample.cells(field).map { Array($0) }).count > 1
        && sample.share(field) { declared.contains(String(decoding: $0, as: UTF8.self)) } > 0.5
    }
    let differences = names.indices.filter { field in
      mentions(field, ["tdoa", "diff"]) && !anchors.contains(field)
        && sample.numbers(field).contains { $0 < 0 }
    }
    guard anchors.count == 2, differences.count == 1 else { return nil }
    var pairs = [
      ("anchor_a", anchors[0]), ("anchor_b", anchors[1]), ("difference", differences[0]),
    ]
    if let time = names.indices.first(where: {
      !anchors.contains($0) && !differences.contains($0) && isTime($0)
    }) {
      pairs.append(("time", time))
    }
    return "; if \(Excerpt.quoted(names[differences[0]])) is the distance to"
      + " \(Excerpt.quoted(names[anchors[0]])) minus that to \(Excerpt.quoted(names[anchors[1]])), try"
      + " \(option(pairs, isHeader: true)); exchange anchor_a and anchor_b if it is the opposite"
  }

  // MARK: Rows without a header

  /// Returns what to try if the rows have numbers only, the first of which rise like times and of which the others
  /// can be the distances to the declared anchors, or to several; nil for other rows.
  private func epoch() -> String? {
    let others = Array(names.indices.dropFirst())
    let anchors = declared.isEmpty ? others.map { "A\($0 - 1)" } : declared
    guard others.count > 2, others.count == anchors.count, isTime(0),
      others.allSatisfy({ field in
        let numbers = sample.numbers(field)
        return !numbers.isEmpty
          && numbers.allSatisfy { $0.isNaN || $0 >= -1 && $0 < 1e7 }
          && numbers.contains { $0 > 0 }
      })
    else { return nil }
    let list = ["1=time"] + zip(others, anchors).map { "\($0 + 1)=\($1)" }
    return "; if these are a time and the distances to the anchors in their order, try --columns"
      + " \(Excerpt.shellWord(list.joined(separator: ",")))"
  }

  /// Returns the only column with a decimal comma that can be the missing distance; nil without one.
  private func onlyDistance(
    _ missing: [ColumnName], _ taken: Set<Int>
  ) -> (column: String, field: Int)? {
    guard missing.count == 1, missing[0].name == RangeField.distance.name else { return nil }
    let open = names.indices.filter { field in
      let numbers = sample.numbers(field, separator: .comma).filter(\.isFinite)
      return !taken.contains(field) && !known.contains(field) && numbers.contains { $0 > 0 }
        && numbers.allSatisfy { $0 >= -1 && $0 < 1e7 } && Set(numbers).count > 1
        && 10 * numbers.count >= 9 * sample.cells(field).count && !isTime(field)
    }
    return open.count == 1 ? open.first.map { (missing[0].stems[0], $0) } : nil
  }

  // MARK: Candidates

  /// The columns whose meaning is known.
  private var known: Set<Int> {
    Set(names.indices.filter { field in kind.columns.contains { $0.match(names[field]) != nil } })
  }

  /// The columns that are named beside the missing ones if their names leave them open, as the cells of a row
  /// of data do, whatever they are called.
  private func implied(_ missing: [ColumnName], isHeader: Bool) -> [ColumnName] {
    guard kind == .ranges else { return [] }
    let wanted = [RangeField.time, .anchor].map { RangeField.columns[$0.index] }
    return wanted.filter { column in
      !missing.contains { $0.name == column.name }
        && (!isHeader || !names.contains { column.match($0) != nil })
    }
  }

  /// Returns the columns that can be `column`, the likeliest first.
  private func candidates(for column: ColumnName, except taken: Set<Int>) -> [Int] {
    let open = names.indices.filter { !taken.contains($0) && !sample.cells($0).isEmpty }
    let scored = open.compactMap { field in
      score(of: field, for: column).map { (field: field, score: $0) }
    }
    // A stable order: the first of equally likely columns.
    return scored.sorted { ($1.score, $0.field) < ($0.score, $1.field) }.map(\.field)
  }

  /// Returns how well the column `field` fits `column`; nil if it does not.
  private func score(of field: Int, for column: ColumnName) -> Int? {
    let name = names[field].lowercased()
    func mentions(_ words: [String]) -> Int { words.contains(where: name.contains) ? 2 : 0 }
    let numbers = sample.numbers(field).filter(\.isFinite)
    let isNumeric = Double(numbers.count) >= 0.9 * Double(sample.cells(field).count)
    let distinct = Set(sample.cells(field).map { Array($0) }).count
    switch column.quantity {
    case .time:
      return isTime(field) ? 1 + mentions(["time", "stamp", "clock", "date", "sec"]) : nil
    case .length where kind == .ranges || kind == .differences:
      guard isNumeric, !isTime(field) || sample.rowCount < 3 else { return nil }
      let named = mentions(["rang", "dist", "rng", "meas", "twr", "rtt", "tof", "length"])
      let isPositive = kind == .differences || numbers.allSatisfy { $0 >= 0 && $0 < 1e7 }
      guard isPositive, named > 0 || !sample.isWhole(field) && distinct > 1 else { return nil }
      return named + (distinct > 1 ? 1 : 0) + (sample.isWhole(field) ? 0 : 1)
    case .length, .angle:
      guard isNumeric else { return nil }
      let axis = column.stems[0]
      let words = name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
      let isNamed = words.contains { $0.hasPrefix(axis) || $0.hasSuffix(axis) }
      return isNamed ? 2 : Self.isIdentifier(name) ? nil : 0
    default:
      if column.name == "anchor" || column.name == "id" || column.name == "tag" {
        let isNamed = Self.isIdentifier(name)
        let isWord = !isNumeric || sample.isWhole(field)
        let isKnown =
          declared.count > 1
          && sample.share(field) { declared.contains(String(decoding: $0, as: UTF8.self)) } > 0.5
        guard isWord, distinct > 1 || isNamed else { return nil }
        return (isKnown ? 8 : 0) + (isNamed ? 4 : 0) + (isNumeric ? 0 : 1) + (distinct > 1 ? 1 : 0)
      }
      return nil
    }
  }

  /// Whether the cells of the column rise like times, or are dates or times of day.
  private func isTime(_ field: Int) -> Bool {
    let numbers = sample.numbers(field)
    if numbers.allSatisfy({ $0.isNaN }) {
      return sample.times(field, separator: .point).times == .clock
    }
    // Without a header the first row is one more.
    let least = names.contains { Double($0) != nil } ? 2 : 3
    guard numbers.count >= least, let first = numbers.first, let last = numbers.last, last > first
    else {
      return false
    }
    return zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 }
  }

  private func isList(_ field: Int) -> Bool {
    sample.cells(field).first.map { cell in
      cell.first == UInt8(ascii: "[") && cell.contains { $0 == 44 || $0 == 32 || $0 == 59 }
    } ?? false
  }

  /// Returns the columns of a matrix of arrival times: at least three whose rows rise together, with
  /// smaller differences between the columns than between the rows.
  func arrivals(perSecond: Double = 1) -> [Int]? {
    let open = names.indices.filter { !known.contains($0) && !names[$0].isEmpty }
    let columns = open.filter { isTimeLike($0) }
    guard columns.count >= 3 else { return nil }
    let rows = columns.map { sample.numbers($0) }
    guard let count = rows.first?.count, count >= 2, rows.allSatisfy({ $0.count == count }) else {
      return nil
    }
    for row in 0..<count {
      let values = rows.map { $0[row] }
      guard let least = values.min(), let most = values.max(), most - least < perSecond
      else { return nil }
      guard row > 0 else { continue }
      for column in rows where column[row] - column[row - 1] <= most - least { return nil }
    }
    return columns
  }

  private func isTimeLike(_ field: Int) -> Bool {
    let numbers = sample.numbers(field)
    return numbers.count >= 2 && numbers.allSatisfy(\.isFinite) && !sample.isWhole(field)
      && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// Whether the column is called like one of identifiers.
  static func isIdentifier(_ name: String) -> Bool {
    let words = [
      "anchor", "anc", "id", "mac", "addr", "peer", "node", "beacon", "name", "ap", "dev",
    ]
    let name = name.lowercased()
    return words.contains { name.contains($0) }
  }

  // MARK: Text

  /// Bytes of the longest name that a proposed option repeats.
  private static let longestPasted = 128

  private func firstValues(_ field: Int) -> String {
    sample.cells(field).prefix(2).map { Excerpt.text($0, limit: 24) }.joined(separator: ", ")
  }

  /// Returns the option that names `pairs`, quoted for a shell where that is necessary, or other names for columns
  /// whose own cannot be pasted.
  private func option(_ pairs: [(column: String, field: Int)], isHeader: Bool) -> String {
    let unusable = pairs.map(\.field).sorted().filter { field in
      names[field].utf8.count > Self.longestPasted || names[field].contains("\u{FFFD}")
    }
    if isHeader, !unusable.isEmpty {
      let columns = unusable.map { "\($0 + 1)" }.joined(separator: " and ")
      return "a short name in plain text for column \(columns)"
    }
    let table = kind == .ranges ? "" : "\(kind.rawValue)."
    let list = pairs.sorted { $0.field < $1.field }.map { column, field in
      isHeader ? "\(table)\(column)=\(names[field])" : "\(table)\(field + 1)=\(column)"
    }.joined(separator: ",")
    return "--columns \(Excerpt.shellWord(list))"
  }
}
