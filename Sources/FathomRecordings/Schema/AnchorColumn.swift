import Fathom

/// A column with the distances to one anchor, in a file with one row per epoch.
struct AnchorColumn: Sendable, Equatable {
  /// Index in the row, from 0.
  var field: Int
  /// Name of the anchor.
  var anchor: String
  /// Unit in the name of the column; nil if the name has none.
  var unit: DistanceUnit?

  /// Returns the columns of `names` that hold distances to anchors.
  ///
  /// A column is called like a declared anchor, or like `A0`, `r_AN0`, `dist_0`, `range 3`. One
  /// declared anchor or two other names make a file with one row per epoch.
  ///
  /// - Parameters:
  ///   - names: names of the columns.
  ///   - taken: indices of the columns with a known meaning.
  ///   - declared: names of the declared anchors; empty if none are declared.
  /// - Returns: The columns, in the order of the file; empty if there is one range per row.
  static func all(of names: [String], except taken: Set<Int>, declared: [String]) -> [AnchorColumn]
  {
    // Numbers are data, not names of columns, unless they are names of anchors beside other names.
    let hasNumbers = names.contains { Double($0) != nil }
    if hasNumbers, taken.isEmpty || declared.isEmpty { return [] }
    let declared = Set(declared)
    let open = names.indices.filter { !taken.contains($0) && !names[$0].isEmpty }
    var columns: [AnchorColumn] = []
    if !declared.isEmpty {
      for field in open {
        let (stem, unit) = stem(of: names[field])
        if let name = candidates(stem).first(where: declared.contains) {
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
    return columns.count >= 2 ? columns.filteredByName() : []
  }

  /// Returns `name` without the unit at its end, and the unit.
  private static func stem(of name: String) -> (String, DistanceUnit?) {
    let unit = ColumnName("", [], .length).unit(of: name).flatMap { DistanceUnit(rawValue: $0) }
    guard unit != nil else { return (name, nil) }
    let opening = name.lastIndex { $0 == "[" || $0 == "(" } ?? name.lastIndex { $0 == "_" }
    var stem = opening.map { name[..<$0] } ?? name[...]
    while let last = stem.last, last == " " || last == "_" { stem.removeLast() }
    return (String(stem), unit)
  }

  private static let prefixes = ["distance", "ranges", "range", "dist", "rng", "r", "d"]
  private static let devices = ["anchor", "beacon", "anc", "an", "bs", "a"]

  /// Returns the anchor that the column `stem` names; nil if it names none.
  private static func anchor(in stem: String) -> String? {
    if let rest = rest(of: stem, after: prefixes), isAnchor(rest) { return rest }
    if let rest = rest(of: stem, after: devices), Int(rest) != nil { return stem }
    return nil
  }

  /// Returns the names of anchors that the column `stem` can mean, the most literal first.
  private static func candidates(_ stem: String) -> [String] {
    var names = [stem]
    if let rest = rest(of: stem, after: prefixes) { names.append(rest) }
    if let last = names.last, let digits = rest(of: last, after: devices) { names.append(digits) }
    return names
  }

  /// Returns what follows one of `prefixes` and a separator, or a prefix and digits.
  private static func rest(of stem: String, after prefixes: [String]) -> String? {
    let lower = stem.lowercased()
    for prefix in prefixes where lower.hasPrefix(prefix) && lower.utf8.count == stem.utf8.count {
      var rest = stem.dropFirst(prefix.count)
      if let first = rest.first, first == "_" || first == " " || first == "-" {
        rest.removeFirst()
        if !rest.isEmpty { return String(rest) }
      } else if !rest.isEmpty, rest.allSatisfy(\.isNumber) {
        return String(rest)
      }
    }
    return nil
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
}
