import Fathom

/// A column with the distances to one anchor, in a file with one row per epoch.
struct AnchorColumn: Sendable, Equatable {
  /// Index in the row, from 0.
  var field: Int
  /// Name of the anchor.
  var anchor: String
  /// Unit in the name of the column; nil if the name has none.
  var unit: DistanceUnit?

  /// Returns the columns of `names` that hold distances to anchors, in the order of the file.
  ///
  /// A column is called like a declared anchor, or like `A0`, `r_AN0`, `dist_0`, `range 3`,
  /// `anchor1_distance`, `uwb1`, `uwb_range_0`, `ranging.distance0`. One declared anchor or two
  /// other names make a file with one row per epoch. Empty if there is one range per row. `taken`
  /// are the indices of the columns with a known meaning.
  static func all(of names: [String], except taken: Set<Int>, declared: [String]) -> [AnchorColumn]
  {
    // Numbers are data, not names of columns, unless they are names of anchors beside other names.
    let hasNumbers = names.contains { Double($0) != nil }
    if hasNumbers, taken.isEmpty || declared.isEmpty { return [] }
    let known = Set(declared)
    let open = names.indices.filter { !taken.contains($0) && !names[$0].isEmpty }
    var columns: [AnchorColumn] = []
    if !declared.isEmpty {
      for field in open {
        let (stem, unit) = stem(of: names[field])
        if let name = candidates(stem).first(where: known.contains) {
          columns.append(AnchorColumn(field: field, anchor: name, unit: unit))
        }
      }
      if !columns.isEmpty { return columns.filteredByName() }
    }
    if hasNumbers { return [] }
    for field in open {
      let (stem, unit) = stem(of: names[field])
      if let name = anchor(in: stem) {
        columns.append(AnchorColumn(field: field, anchor: name, unit: unit))
      }
    }
    columns = columns.filteredByName()
    if columns.count < 2 { return [] }
    return columns.numbered(as: declared) ?? columns
  }

  /// Returns `name` without the unit at its end, and the unit.
  private static func stem(of name: String) -> (String, DistanceUnit?) {
    let name = lastOfPath(name)
    let unit = ColumnName("", [], .length).unit(of: name).flatMap { DistanceUnit(rawValue: $0) }
    guard unit != nil else { return (name, nil) }
    let opening = name.lastIndex { $0 == "[" || $0 == "(" } ?? name.lastIndex { $0 == "_" }
    var stem = opening.map { name[..<$0] } ?? name[...]
    while let last = stem.last, last == " " || last == "_" { stem.removeLast() }
    return (String(stem), unit)
  }

  /// Returns the last word of the path of a message, without brackets around an index:
  /// `field.ranges[0]` is `ranges0`.
  private static func lastOfPath(_ name: String) -> String {
    var text = name[...]
    if let point = name.lastIndex(of: ".") {
      let last = name[name.index(after: point)...]
      // Of other paths only a word for distances: `ranging.distance0`, but not `anchor.1`.
      if name.hasPrefix("field.") || rest(of: String(last), after: distances) != nil { text = last }
    }
    guard text.last == "]", let opening = text.lastIndex(of: "["), opening != text.startIndex else {
      return String(text)
    }
    let index = text[text.index(after: opening)...].dropLast()
    return index.allSatisfy(\.isNumber) ? String(text[..<opening]) + index : String(text)
  }

  private static let distances = [
    "distance_to", "range_to", "dist_to", "distances", "distance", "ranges", "range", "dist", "rng",
  ]
  private static let prefixes = distances + ["to", "r", "d"]
  /// Words before the word for a distance, as in `uwb_range_0` and `raw_dist_1`.
  private static let kinds = ["uwb", "twr", "tof", "rtt", "ftm", "raw", "measured", "meas", "tag"]
  private static let suffixes = ["distance", "range", "dist", "rng", "d", "r"]
  private static let devices = [
    "anchor", "beacon", "anch", "anc", "an", "bs", "ap", "uwb", "node", "a",
  ]

  /// Returns the anchor that the column `stem` names; nil if it names none.
  private static func anchor(in stem: String) -> String? {
    if let inner = rest(of: stem, after: kinds), let rest = rest(of: inner, after: distances),
      isAnchor(rest)
    {
      return rest
    }
    if let rest = rest(of: stem, after: prefixes), isAnchor(rest) { return rest }
    if let rest = rest(of: stem, before: suffixes), isDevice(rest) || Int(rest) != nil {
      return rest
    }
    return isDevice(stem) ? stem : nil
  }

  /// Whether `name` is the word for an anchor and a number.
  private static func isDevice(_ name: String) -> Bool {
    rest(of: name, after: devices).map { Int($0) != nil } ?? false
  }

  /// Returns the names of anchors that the column `stem` can mean, the most literal first.
  private static func candidates(_ stem: String) -> [String] {
    var names = [stem]
    if let rest = rest(of: stem, after: prefixes) { names.append(rest) }
    if let inner = rest(of: stem, after: kinds), let rest = rest(of: inner, after: distances) {
      names.append(rest)
    }
    if let rest = rest(of: stem, before: suffixes) { names.append(rest) }
    for name in names { if let digits = rest(of: name, after: devices) { names.append(digits) } }
    return names
  }

  /// Returns what follows one of `prefixes` and a separator, or a prefix and digits, or a capital
  /// after a prefix in small letters.
  private static func rest(of stem: String, after prefixes: [String]) -> String? {
    let lower = stem.lowercased()
    for prefix in prefixes where lower.hasPrefix(prefix) && lower.utf8.count == stem.utf8.count {
      var rest = stem.dropFirst(prefix.count)
      if let first = rest.first, isSeparator(first) {
        rest.removeFirst()
        if !rest.isEmpty { return String(rest) }
      } else if !rest.isEmpty, rest.allSatisfy(\.isNumber) {
        return String(rest)
      } else if prefix.count > 2, rest.first?.isUppercase == true, rest.last?.isNumber == true {
        return String(rest)
      }
    }
    return nil
  }

  /// Returns what precedes one of `suffixes` behind a separator, or behind a number.
  private static func rest(of stem: String, before suffixes: [String]) -> String? {
    let lower = stem.lowercased()
    for suffix in suffixes where lower.hasSuffix(suffix) && lower.utf8.count == stem.utf8.count {
      var rest = stem.dropLast(suffix.count)
      if let last = rest.last, isSeparator(last) {
        rest.removeLast()
        if !rest.isEmpty { return String(rest) }
      } else if suffix.count > 1, rest.last?.isNumber == true {
        return String(rest)
      }
    }
    return nil
  }

  private static func isSeparator(_ letter: Character) -> Bool {
    letter == "_" || letter == " " || letter == "-"
  }

  /// Whether `name` has a digit, or is one letter: `total` is no anchor.
  private static func isAnchor(_ name: String) -> Bool {
    name.utf8.count <= 32 && (name.contains(where: \.isNumber) || name.count == 1)
  }
}

extension [AnchorColumn] {
  /// Returns the columns without those whose anchor an earlier one has.
  fileprivate func filteredByName() -> [AnchorColumn] {
    var names: Set<String> = []
    return filter { names.insert($0.anchor).inserted }
  }

  /// Returns the columns under the names of the declared anchors with the same numbers: `d1` and
  /// `d2` are `North1` and `South2`; nil unless each column has one.
  fileprivate func numbered(as declared: [String]) -> [AnchorColumn]? {
    func number(_ name: String) -> Int? {
      Int(String(name.reversed().prefix { $0.isNumber }.reversed()))
    }
    var names: [Int: String] = [:]
    for name in declared {
      guard let number = number(name), names.updateValue(name, forKey: number) == nil else {
        return nil
      }
    }
    var columns = self
    for place in indices {
      guard let name = number(self[place].anchor).flatMap({ names[$0] }) else { return nil }
      columns[place].anchor = name
    }
    return columns
  }
}
