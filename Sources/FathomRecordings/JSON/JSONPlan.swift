/// The rows that objects of one shape stand for: their tables, and the cells of each.
///
/// Objects that are equal in all but their values have one plan, which is made from the first of them.
struct JSONPlan {
  /// A row of a table.
  struct Row {
    var kind: TableKind
    var members: JSONMembers
  }

  /// The rows; empty if the object is of no kind.
  private(set) var rows: [Row] = []
  /// The keys of the shape, one after the other, and the end of each with the kind of its value.
  private let keys: [UInt8]
  private let ends: [(key: Int, kind: JSONToken.Kind)]

  /// What an object can be.
  struct Rules {
    /// The table that the file is; nil for a file of mixed kinds.
    var wanted: TableKind?
    /// Whether the rows of ranges are only counted: the caller wants the other tables.
    var omitsRanges = false
    /// Whether objects that fit other kinds better are rows of that table, too.
    var isLenient = false
    /// Names of columns given by the caller, by known column.
    var renames: [String: String] = [:]
    /// Names of the declared anchors.
    var declared: [String] = []
  }

  /// Makes the plan of the object with `tokens` of `bytes`.
  init(_ tokens: [JSONToken], _ bytes: UnsafeBufferPointer<UInt8>, _ rules: Rules) {
    var keys: [UInt8] = []
    var ends: [(key: Int, kind: JSONToken.Kind)] = []
    for token in tokens {
      keys += bytes[token.key]
      ends.append((keys.count, token.kind))
    }
    (self.keys, self.ends) = (keys, ends)
    let builder = JSONPlanBuilder(tokens: tokens, bytes: bytes, rules: rules)
    rows = builder.rows(of: tokens[...], inside: JSONMembers(), level: 0)
  }

  /// Whether the object with `tokens` has the shape of the plan.
  func fits(_ tokens: [JSONToken], _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard tokens.count == ends.count else { return false }
    var begin = 0
    for (token, end) in zip(tokens, ends) {
      guard end.key - begin == token.key.count, token.kind.isNested == end.kind.isNested,
        !token.kind.isNested || token.kind == end.kind
      else { return false }
      var place = token.key.lowerBound
      while begin < end.key {
        if keys[begin] != bytes[place] { return false }
        begin += 1
        place += 1
      }
    }
    return true
  }
}

/// The rules by which the rows of an object are found.
///
/// The object alone is a row if its keys, and those of objects inside it, are of a kind. Otherwise each
/// element of its lists, and each object inside it, is a row together with the members of the object.
private final class JSONPlanBuilder {
  let tokens: [JSONToken]
  let bytes: UnsafeBufferPointer<UInt8>
  let rules: JSONPlan.Rules
  /// Kinds found so far, because the elements of a list mostly have equal keys.
  private var kinds: [[String]: TableKind?] = [:]

  init(tokens: [JSONToken], bytes: UnsafeBufferPointer<UInt8>, rules: JSONPlan.Rules) {
    (self.tokens, self.bytes, self.rules) = (tokens, bytes, rules)
  }

  /// Levels of lists in lists that are expanded.
  private static let mostLevels = 2

  /// Returns the rows of the object whose tokens are `inside`, in an object with the members `outer`.
  func rows(
    of inside: ArraySlice<JSONToken>, inside outer: JSONMembers, level: Int
  ) -> [JSONPlan.Row] {
    let parallel = elementsOfParallelLists(in: inside, inside: outer)
    if !parallel.isEmpty { return parallel }
    let own = JSONMembers(inside, name: name)
    var members = outer.adding(own)
    if let kind = kind(of: &members, isElement: level > 0) {
      // Distances by anchor beside a position that the device computed from them.
      let isEpoch =
        (kind == .truth || kind == .heights) && (rules.wanted == nil || rules.wanted == .ranges)
        && TableKind.isEpoch(members.keys, declared: rules.declared)
      return [JSONPlan.Row(kind: isEpoch ? .ranges : kind, members: members)]
    }
    if level > 0, members.nameShortKeys(), let kind = kind(of: &members, isElement: true) {
      return [JSONPlan.Row(kind: kind, members: members)]
    }
    if let members = numberedDistances(in: inside, inside: outer) {
      return [JSONPlan.Row(kind: .ranges, members: members)]
    }
    if level < Self.mostLevels {
      let rows = elements(of: inside, inside: outer, level: level)
      if !rows.isEmpty { return rows }
    }
    if rules.wanted == nil || rules.wanted == .ranges,
      TableKind.isEpoch(members.keys, declared: rules.declared)
    {
      return [JSONPlan.Row(kind: .ranges, members: members)]
    }
    // A row that lacks a column is rejected by the reader, which says what is missing.
    if let wanted = rules.wanted, level == 0,
      TableKind.of(keys: members.keys, renames: rules.renames) == nil,
      wanted.columns.contains(where: { column in
        members.keys.contains { wanted.match($0, column, rules.renames) != nil }
      })
    {
      return [JSONPlan.Row(kind: wanted, members: members)]
    }
    return []
  }

  /// Returns the ranges of lists of equal length, one of anchors and one of distances; empty without such.
  private func elementsOfParallelLists(
    in inside: ArraySlice<JSONToken>, inside outer: JSONMembers
  ) -> [JSONPlan.Row] {
    guard rules.wanted == nil || rules.wanted == .ranges else { return [] }
    let lists = JSONMembers.children(of: inside).filter { tokens[$0].kind == .list }
    guard lists.count > 1 else { return [] }
    let elements = lists.map { JSONMembers.children(of: tokens[($0 + 1)..<tokens[$0].end]) }
    let fields = lists.map { RangeField.ofList(called: name($0)) }
    guard let distances = fields.firstIndex(of: .distance),
      let anchors = fields.firstIndex(of: .anchor), !elements[anchors].isEmpty,
      elements[anchors].count == elements[distances].count,
      (elements[anchors] + elements[distances]).allSatisfy({ !tokens[$0].kind.isNested })
    else { return [] }
    let plain = outer.adding(JSONMembers(inside, except: Set(lists), name: name))
    return elements[anchors].indices.compactMap { element in
      var members = plain
      for (place, list) in lists.enumerated()
      where elements[place].count == elements[anchors].count {
        let key = place == anchors ? "anchor" : RangeField.singular(name(list))
        members.add(key, .value(elements[place][element]))
      }
      return kind(of: &members, isElement: true).map { JSONPlan.Row(kind: $0, members: members) }
    }
  }

  /// Returns the members of an epoch whose distances are a list without names: each is called by its place, from
  /// 0; nil without such a list, or beside a list of anchors.
  private func numberedDistances(
    in inside: ArraySlice<JSONToken>, inside outer: JSONMembers
  ) -> JSONMembers? {
    guard rules.wanted == nil || rules.wanted == .ranges, !outer.hasAnchor else { return nil }
    let lists = JSONMembers.children(of: inside).filter { tokens[$0].kind == .list }
    func isDistances(_ list: Int) -> Bool {
      let key = name(list)
      return RangeField.ofList(called: key) == .distance || key == "d" || key == "r"
    }
    guard !lists.contains(where: { RangeField.ofList(called: name($0)) == .anchor }),
      let list = lists.first(where: isDistances)
    else { return nil }
    let elements = JSONMembers.children(of: tokens[(list + 1)..<tokens[list].end])
    guard elements.count > 2, elements.allSatisfy({ !tokens[$0].kind.isNested }) else { return nil }
    var members = outer.adding(JSONMembers(inside, except: Set(lists), name: name))
    if members.hasAnchor { return nil }
    for (place, element) in elements.enumerated() {
      members.add(RangeField.distanceName(place, ofList: name(list)), .value(element))
    }
    return TableKind.isEpoch(members.keys, declared: rules.declared) ? members : nil
  }

  /// Returns the rows of the elements of all lists and objects directly among the tokens `inside`.
  private func elements(
    of inside: ArraySlice<JSONToken>, inside outer: JSONMembers, level: Int
  ) -> [JSONPlan.Row] {
    let nested = JSONMembers.children(of: inside).filter { tokens[$0].kind.isNested }
    if nested.isEmpty { return [] }
    // Other objects, such as one with the time, belong to the row.
    let plain = outer.adding(JSONMembers(inside, except: Set(nested), name: name))
    let found = nested.filter { !elements(of: $0, inside: plain, level: level).isEmpty }
    let around = outer.adding(JSONMembers(inside, except: Set(found), name: name))
    return (found.isEmpty ? nested : found).flatMap {
      elements(of: $0, inside: around, level: level)
    }
  }

  /// Returns the rows of the elements of the list or object at `index`.
  private func elements(
    of index: Int, inside outer: JSONMembers, level: Int
  ) -> [JSONPlan.Row] {
    let inside = tokens[(index + 1)..<tokens[index].end]
    let children = JSONMembers.children(of: inside)
    let isObject = tokens[index].kind == .object
    let distance = isObject ? Self.distance(name(index)) : nil
    if children.allSatisfy({ !tokens[$0].kind.isNested }) {
      if let distance, !outer.hasAnchor {
        return children.compactMap { child in
          var members = outer
          members.add("anchor", .key(child))
          members.add(distance, .value(child))
          return kind(of: &members, isElement: true).map {
            JSONPlan.Row(kind: $0, members: members)
          }
        }
      }
      guard isObject, rules.wanted == .anchors else { return [] }
      return rows(of: inside, inside: outer.adding(Self.named(index)), level: level + 1)
    }
    // An object around a list, such as the payload of a message, adds its members to the elements.
    if isObject, distance == nil, rules.wanted != .anchors,
      children.contains(where: { tokens[$0].kind == .list })
    {
      let rows = rows(of: inside, inside: outer, level: level + 1)
      if !rows.isEmpty { return rows }
    }
    // Objects in an object of ranges or anchors have their names as keys.
    let areNamed = isObject && (distance != nil || rules.wanted == .anchors)
    return children.filter { tokens[$0].kind == .object }.flatMap { child in
      rows(
        of: tokens[(child + 1)..<tokens[child].end],
        inside: areNamed ? outer.adding(Self.named(child)) : outer, level: level + 1)
    }
  }

  private static func named(_ index: Int) -> JSONMembers {
    var members = JSONMembers()
    members.add("id", .key(index))
    return members
  }

  /// Returns the kind of a row; nil if it has none or is not wanted.
  private func kind(of members: inout JSONMembers, isElement: Bool) -> TableKind? {
    let keys = members.keys
    let found = kinds[keys] ?? kind(of: keys)
    kinds[keys] = .some(found)
    if found == .ranges { members.nameAnchor(isElement: isElement) }
    return found
  }

  private func kind(of keys: [String]) -> TableKind? {
    if rules.isLenient, let wanted = rules.wanted,
      wanted.accepts(keys, renames: rules.renames)
    {
      return wanted
    }
    return TableKind.of(keys: keys, renames: rules.renames)
  }

  /// Returns the name of the column of distances in an object by anchors called `key`; nil if it has
  /// another name.
  private static func distance(_ key: String) -> String? {
    guard let (_, unit) = byAnchor.match(key) else { return nil }
    return unit.map { "distance_\($0)" } ?? "distance"
  }

  private static let byAnchor = ColumnName(
    "ranges",
    [
      "ranges", "range", "distances", "distance", "dists", "dist", "anchors", "measurements",
      "meas",
    ],
    .length)

  /// Returns the key of the token at `index`.
  private func name(_ index: Int) -> String {
    let token = tokens[index]
    let raw = UnsafeBufferPointer(rebasing: bytes[token.key])
    guard token.hasEscapedKey else { return String(decoding: raw, as: UTF8.self) }
    var text: [UInt8] = []
    JSONText.append(raw, to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
