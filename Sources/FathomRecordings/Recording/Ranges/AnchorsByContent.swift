import Fathom

/// What the cells of a ranges file say about its columns.
extension CSVHeader {
  /// Share of the cells of a column that must name declared anchors: the others are damaged, or
  /// foreign anchors.
  private static let leastShare = 0.9

  /// Takes the column whose cells name the declared anchors as that of the anchor, unless the one
  /// found by its name does.
  ///
  /// - Parameters:
  ///   - sample: the first rows.
  ///   - declared: names of the declared anchors.
  ///   - stated: names of columns given by the caller, which stay.
  /// - Returns: Notes for the user.
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

  /// Returns a warning if the times are whole seconds whose fractions are in a column of their own.
  var dividedTimes: [String] {
    func last(_ name: String) -> String {
      let words = name.lowercased().split { $0 == "." || $0 == "/" || $0 == "_" || $0 == " " }
      return words.last.map(String.init) ?? ""
    }
    guard let time = matches[RangeField.time.index],
      ["sec", "secs", "seconds"].contains(last(time.given)),
      let rest = ignored.first(where: {
        ["nsec", "nsecs", "nanosec", "nanosecs", "nanoseconds", "usec", "usecs"].contains(last($0))
      })
    else { return [] }
    return [
      "column \(time.given) has whole seconds, and column \(rest), the rest of them, is ignored: join both"
        + " to one column of times"
    ]
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

extension RangesLayout {
  /// Returns why a file without a column of anchors cannot be read, with what to try; nil if it can.
  func reasonWithoutAnchors(declared: [String], _ sample: RowSample) -> String? {
    guard self[.anchor] == nil, anchorColumns.isEmpty, declared.count > 1 else { return nil }
    let advice = ColumnAdvice(sample, .ranges, declared: declared)
    return "the header lacks the column anchor, but \(declared.count) anchors are declared"
      + advice.text([RangeField.columns[RangeField.anchor.index]])
  }
}
