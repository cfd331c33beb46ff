import Fathom

/// What the cells of a ranges file say about its columns.
extension CSVHeader {
  /// Share of the cells of a column that must name declared anchors: the others are damaged, or
  /// foreign anchors.
  private static let leastShare = 0.9

  /// Takes the column whose cells name the declared anchors as that of the anchor, unless the one
  /// found by its name does.
  ///
  /// The columns `stated` by the caller stay. Returns notes for the user.
  mutating func assignAnchors(
    _ sample: RowSample, declared: [String], stated: [String: String]
  ) -> [String] {
    let columns = RangeField.columns
    let anchor = RangeField.anchor.index
    if declared.count < 2 || matches[RangeField.distance.index] == nil
      || stated.keys.contains(where: { columns[anchor].match($0) != nil })
    {
      return []
    }
    let names = Set(declared)
    func name(_ cell: ArraySlice<UInt8>) -> String {
      String(decoding: LoggedName.content(of: cell), as: UTF8.self)
    }
    if let field = matches[anchor]?.field, sample.contains(field, { names.contains(name($0)) }) {
      return []
    }
    let spellings = AnchorSpellings(declared)
    func isName(_ cell: ArraySlice<UInt8>, isExact: Bool) -> Bool {
      let name = name(cell)
      return names.contains(name) || !isExact && spellings.near(name) != nil
    }
    if let field = matches[anchor]?.field,
      sample.contains(field, { isName($0, isExact: false) })
    {
      return []
    }
    guard matches[anchor].map({ columns[anchor].match($0.given)?.rank != 1 }) ?? true else {
      return []
    }
    // The names of the others state their meaning.
    let kept = matches.indices.compactMap { index in
      index == anchor
        || (matches[index].flatMap { columns[index].match($0.given) }?.rank ?? 0)
          >= ColumnName.rankOfGuesses
        ? nil : matches[index]?.field
    }
    for isExact in [true, false] {
      var found = self.names.indices.filter { field in
        !kept.contains(field)
          && sample.share(field) { isName($0, isExact: isExact) } >= Self.leastShare
          && Set(sample.cells(field).map { Array($0) }).count > 1
      }
      if found.count > 1 { found = found.filter { ColumnAdvice.isIdentifier(self.names[$0]) } }
      // An object and its member can both have a column: `header_frame_id` and `frame_id`.
      if let first = found.first, found.allSatisfy({ sample.cells($0) == sample.cells(first) }) {
        found = [first]
      }
      guard found.count == 1, let field = found.first else { continue }
      let old = matches[anchor]?.field
      if matches[RangeField.tag.index]?.field == field {
        assign(nil, to: RangeField.tag.index, columns[RangeField.tag.index])
        if let old {
          assign(nil, to: anchor, columns[anchor])
          assign(old, to: RangeField.tag.index, columns[RangeField.tag.index])
        }
      }
      for index in matches.indices where index != anchor && matches[index]?.field == field {
        assign(nil, to: index, columns[index])
      }
      assign(field, to: anchor, columns[anchor])
      return [
        "column \(self.names[field]) is the anchor: its values are the declared names (--columns"
          + " states another)"
      ]
    }
    return []
  }

  /// Returns notes on the columns whose names only suggest their meaning.
  func guessNotes(stated: [String: String]) -> [String] {
    RangeField.allCases.compactMap { field in
      let column = RangeField.columns[field.index]
      // The column's own name is no guess.
      guard let match = matches[field.index], match.given != column.name,
        let found = column.match(match.given),
        found.rank >= ColumnName.rankOfGuesses,
        !stated.keys.contains(where: { column.match($0) != nil })
      else { return nil }
      return "column \(match.given) is read as the \(column.stems[0]) (--columns states another)"
    }
  }

  /// The column with the nanoseconds of times whose whole seconds are a column of their own, as in messages of ROS;
  /// nil for other times.
  var restOfTimes: (field: Int, note: String)? {
    func last(_ name: String) -> String {
      let words = name.lowercased().split { $0 == "." || $0 == "/" || $0 == "_" || $0 == " " }
      return words.last.map(String.init) ?? ""
    }
    guard let time = matches[RangeField.time.index],
      ["sec", "secs", "seconds"].contains(last(time.given)),
      let rest = ignored.first(where: {
        ["nsec", "nsecs", "nanosec", "nanosecs", "nanoseconds"].contains(last($0))
      }), let field = names.firstIndex(of: rest)
    else { return nil }
    return (field, "times are the seconds in column \(time.given) and the nanoseconds in \(rest)")
  }

  /// Leaves out a column of ticks that are too few for those of a DW1000: their unit is unknown.
  mutating func removeUnknownTicks(_ sample: RowSample?, stated: TimeUnit?) -> [String] {
    let time = RangeField.time.index
    guard stated == nil, let match = matches[time], match.unit == TimeUnit.ticks.rawValue,
      let sample, !sample.numbers(match.field).contains(where: { $0 >= 4_294_967_296 })
    else { return [] }
    assign(nil, to: time, RangeField.columns[time])
    return [
      "column \(match.given) is not used: its unit is unknown; if it is the time, try --columns"
        + " time=\(match.given) --time-unit ms"
    ]
  }
}

extension CSVHeader {
  /// Whether the times are ticks of a DW1000 by their values; nil if they are no counter of an unknown unit.
  ///
  /// Counts between 10¹¹ and 2⁴⁰ that are minutes apart in milliseconds are nanoseconds or ticks. They are
  /// ticks if they begin again, or if the name of the column is that of a time of reception or transmission.
  func isTicks(_ sample: RowSample?, stated: TimeUnit?) -> Bool? {
    guard stated == nil, let sample, let time = matches[RangeField.time.index], time.unit == nil,
      sample.isCounter(time.field)
    else { return nil }
    let words = time.given.lowercased().split { !$0.isLetter }
    return sample.wraps(time.field)
      || words.contains { ["rx", "tx", "tick", "ticks"].contains($0) }
  }

  /// Leaves out the column of times, a counter of an unknown unit; returns a note on it.
  mutating func removeUnknownCounter() -> [String] {
    let time = RangeField.time.index
    guard let match = matches[time] else { return [] }
    assign(nil, to: time, RangeField.columns[time])
    return [
      "column \(match.given) is not used: its unit is unknown; if it is the time, try --time-unit ns or"
        + " --time-unit ticks"
    ]
  }

  /// Returns the unit of distances that a column called `unit` states in all of its cells, and a note on it;
  /// nil without such a column, or if the name of the distances has a unit.
  func unitInCells(_ sample: RowSample) -> (unit: DistanceUnit, note: String)? {
    guard matches[RangeField.distance.index].map({ $0.unit == nil }) ?? true,
      let place = names.firstIndex(where: {
        ["unit", "units", "distance_unit", "range_unit", "dist_unit"].contains(
          ColumnName.normalized($0))
      }), let first = sample.cells(place).first
    else { return nil }
    let text = String(decoding: first, as: UTF8.self)
    guard let name = ColumnName.Quantity.length.unit(ColumnName.normalized(text)),
      let unit = DistanceUnit(rawValue: name), sample.share(place, { $0 == first }) == 1
    else { return nil }
    return (unit, "distances are in \(name), as column \(names[place]) states")
  }
}

extension [AnchorColumn] {
  /// Returns what to try if the columns are called like none of as many declared anchors; empty otherwise.
  func advice(declared: [String], names: [String], time: Int?) -> String {
    guard count > 1, count == declared.count, !contains(where: { declared.contains($0.anchor) })
    else { return "" }
    var list = time.map { ["\($0 + 1)=time"] } ?? []
    list += zip(self, declared).map { "\($0.field + 1)=\($1)" }
    let units = Set(map(\.unit))
    let unit = units.count == 1 ? units.first.flatMap { $0 } : nil
    return "; if they are in the order of the anchors, try --columns"
      + " \(Excerpt.shellWord(list.joined(separator: ",")))"
      + (unit.map { " --distance-unit \($0.rawValue)" } ?? "")
  }
}

extension RangesLayout {
  /// Returns why a file without a column of anchors cannot be read, with what to try; nil if it can.
  func reasonWithoutAnchors(
    declared: [String], _ sample: RowSample, path: String = ""
  ) -> String? {
    guard self[.anchor] == nil, anchorColumns.isEmpty, declared.count > 1 else { return nil }
    let advice = ColumnAdvice(sample, .ranges, declared: declared)
    return "the header lacks the column anchor, but \(declared.count) anchors are declared"
      + (adviceOnFiles(declared, path)
        ?? advice.text([RangeField.columns[RangeField.anchor.index]]))
  }

  /// Returns how the files of a recording with one file for each anchor are joined, if the name of this file is
  /// that of a declared anchor with a word around it; nil otherwise.
  private func adviceOnFiles(_ declared: [String], _ path: String) -> String? {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    let folder = path.dropLast(name.count)
    func isPlain(_ text: Substring) -> Bool {
      text.utf8.allSatisfy { byte in
        byte | 0x20 &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
          || "_-./".utf8.contains(byte)
      }
    }
    guard let point = name.lastIndex(of: "."), delimiter != .blank,
      let anchor = declared.filter({ name[..<point].hasSuffix($0) }).max(by: { $0.count < $1.count }
      )
    else { return nil }
    let begin = name[..<point].dropLast(anchor.count)
    let end = name[point...]
    guard isPlain(folder), isPlain(begin), isPlain(end) else { return nil }
    let mark = delimiter == .tab ? "\\t" : String(UnicodeScalar(delimiter.byte))
    return "; if each anchor has a file, join them: awk '{ sub(/\\r$/, \"\") } NR == 1 { print $0"
      + " \"\(mark)anchor\" } FNR > 1 { n = FILENAME; sub(/^.*\\//, \"\", n);"
      + " print $0 \"\(mark)\" substr(n, \(begin.count + 1),"
      + " length(n) - \(begin.count + end.count)) }' \(folder)\(begin)*\(end) > ranges.csv"
  }
}
