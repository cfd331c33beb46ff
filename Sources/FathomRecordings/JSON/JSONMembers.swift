/// Where the cell of a row comes from.
enum JSONCell: Equatable {
  /// The value of the token with this index.
  case value(Int)
  /// Its key: an object by anchors has their names as keys.
  case key(Int)
}

/// The members of an object that become the cells of one row.
struct JSONMembers {
  /// Keys with their cells, in the order of the text; no key occurs twice.
  private(set) var cells: [(key: String, cell: JSONCell)] = []
  private var places: [String: Int] = [:]

  var keys: [String] { cells.map(\.key) }

  /// Whether a key names the anchor of a range literally.
  var hasAnchor: Bool { cells.contains { Self.isAnchor($0.key) } }

  /// Adds a cell; replaces that of the same key if `replaces` is set.
  mutating func add(_ key: String, _ cell: JSONCell, replaces: Bool = true) {
    let name = ColumnName.normalized(key)
    if name.isEmpty || key.utf8.count > RecordingLimits.longestName { return }
    if let place = places[name] {
      if replaces { cells[place].cell = cell }
    } else {
      places[name] = cells.count
      cells.append((key, cell))
    }
  }

  /// Adds the members of an element to those of the object around it.
  ///
  /// The element's members replace those of the same key. The name of the object is that of the tag if
  /// the element has a name, too.
  func adding(_ element: JSONMembers) -> JSONMembers {
    var all = JSONMembers()
    let hasTag = (cells + element.cells).contains { Self.isTag($0.key) }
    for (key, cell) in cells {
      let isName = Self.names.contains(ColumnName.normalized(key))
      let isRepeated = element.places.keys.contains { Self.names.contains($0) || $0 == "anchor" }
      all.add(isName && isRepeated && !hasTag ? "tag" : key, cell)
    }
    for (key, cell) in element.cells { all.add(key, cell) }
    return all
  }

  /// Renames the key that names the anchor of a range, such as `id`, if no key does so literally.
  ///
  /// - Parameter isElement: whether the object is one of several around which another names the tag.
  mutating func nameAnchor(isElement: Bool) {
    guard !hasAnchor,
      isElement || cells.contains(where: { Self.isTag($0.key) }),
      let place = cells.indices.first(where: {
        Self.names.contains(ColumnName.normalized(cells[$0].key))
      })
    else { return }
    rename(place, "anchor")
  }

  /// Renames the keys `a` and `d` of the element of a list, the anchor and the distance; returns whether it has
  /// both a key `d` and one that names the anchor.
  mutating func nameShortKeys() -> Bool {
    guard let distance = places["d"] else { return false }
    if !hasAnchor, let anchor = places["a"] { rename(anchor, "anchor") }
    guard hasAnchor || cells.contains(where: { Self.names.contains(ColumnName.normalized($0.key)) })
    else { return false }
    rename(distance, "distance")
    return true
  }

  private mutating func rename(_ place: Int, _ key: String) {
    places[ColumnName.normalized(cells[place].key)] = nil
    places[key] = place
    cells[place].key = key
  }

  /// Keys that name what an object is about.
  private static let names: Set<String> = ["id", "name", "addr", "address", "mac", "mac_address"]

  private static func isTag(_ key: String) -> Bool {
    RangeField.columns[RangeField.tag.index].match(key) != nil
  }

  private static func isAnchor(_ key: String) -> Bool {
    RangeField.columns[RangeField.anchor.index].match(key) != nil
  }
}

extension JSONMembers {
  /// Collects the members of the object of `tokens`, with those of the objects and lists of numbers
  /// inside it.
  ///
  /// A member of an object inside is found under its own key, and behind the key of that object:
  /// `x` of `{"acc":{"x":1}}` also as `acc_x`. Those of a quaternion are also found as `qw` to
  /// `qz`. The value of `{"distance":{"value":3}}` and the name in `{"anchor":{"id":1}}` have the key
  /// of the object. Objects and lists with an index in `left` are left out; `name` returns the key of
  /// a token.
  init(_ tokens: ArraySlice<JSONToken>, except left: Set<Int> = [], name: (Int) -> String) {
    self.init()
    var nested: [Int] = []
    for index in Self.children(of: tokens) where !left.contains(index) {
      if tokens[index].kind.isNested {
        nested.append(index)
      } else {
        add(name(index), .value(index))
      }
    }
    for index in nested {
      let outer = name(index)
      let inner = Self.children(of: tokens[(index + 1)..<tokens[index].end])
      guard inner.allSatisfy({ !tokens[$0].kind.isNested }) || tokens[index].kind == .object else {
        continue
      }
      if addInstant(outer, inner, name) { continue }
      let value = tokens[index].kind == .object ? Self.value(of: outer, inner, name) : nil
      if let value { add(outer, .value(value), replaces: false) }
      let isTurn = Self.turns.contains(ColumnName.normalized(outer))
      for child in inner where tokens[child].kind == .object {
        _ = addInstant(
          name(child), Self.children(of: tokens[(child + 1)..<tokens[child].end]), name)
      }
      for (place, child) in inner.enumerated() where !tokens[child].kind.isNested && child != value
      {
        if tokens[index].kind == .object {
          let key = name(child)
          add("\(outer)_\(key)", .value(child), replaces: false)
          if isTurn { add("q\(key)", .value(child), replaces: false) }
          add(key, .value(child), replaces: false)
        } else if inner.count == 2 || inner.count == 3 {
          let axis = ["x", "y", "z"][place]
          add("\(outer)_\(axis)", .value(child), replaces: false)
          add(axis, .value(child), replaces: false)
        }
      }
    }
  }

  /// Returns the member that stands for an object called `outer`: its value, or the name of an anchor or a
  /// tag; nil for another object.
  private static func value(of outer: String, _ members: [Int], _ name: (Int) -> String) -> Int? {
    let isNamed = isAnchor(outer) || isTag(outer)
    return members.first { member in
      let key = ColumnName.normalized(name(member))
      return key == "value" || isNamed && names.contains(key)
    }
  }

  /// Adds an instant of ROS, an object of whole seconds and nanoseconds called `outer`; returns whether the
  /// `members` are those of one.
  private mutating func addInstant(
    _ outer: String, _ members: [Int], _ name: (Int) -> String
  ) -> Bool {
    guard members.count == 2, ["sec", "secs"].contains(name(members[0])),
      ["nsec", "nsecs", "nanosec"].contains(name(members[1]))
    else { return false }
    add("\(outer)_secs", .value(members[0]), replaces: false)
    // The name is that of no column: both are joined by the reader of the rows.
    add("\(outer)_rest_nsec", .value(members[1]), replaces: false)
    return true
  }

  /// Names of an object that holds a quaternion.
  private static let turns: Set<String> = [
    "orientation", "rotation", "attitude", "quaternion", "quat", "q",
  ]

  /// Returns the indices of the tokens directly inside the object or list with the tokens `inside`.
  static func children(of inside: ArraySlice<JSONToken>) -> [Int] {
    var children: [Int] = []
    var index = inside.startIndex
    while index < inside.endIndex {
      children.append(index)
      index = inside[index].end
    }
    return children
  }
}
