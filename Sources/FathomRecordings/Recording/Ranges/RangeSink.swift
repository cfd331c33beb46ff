import Fathom

/// The rules for the rows of a source of ranges.
struct RangeRules {
  /// Number of declared anchors; when it is zero, the anchors are those of the source.
  let declaredCount: Int
  /// Declared anchors, for messages.
  let spellings: AnchorSpellings
  /// Index of each name that the column of the anchors has for a tag; see
  /// ``RecordingOptions/tagAnchors``.
  let tagAnchors: [[UInt8]: Int32]
  /// Whether all rejected rows are collected, not only the first.
  let packsRejected: Bool

  /// Creates the rules for anchors of the names `declared` and for tags that respond, `tagAnchors`.
  init(declared: [String], tagAnchors: [String], packsRejected: Bool = false) {
    declaredCount = declared.count
    spellings = AnchorSpellings(declared)
    self.tagAnchors = Dictionary(
      tagAnchors.enumerated().map { (Array($0.element.utf8), Int32($0.offset)) },
      uniquingKeysWith: { first, _ in first })
    self.packsRejected = packsRejected
  }
}

/// The known names at the start of a run of rows.
struct RangesNames {
  /// Names of tags and of anchors.
  var tags: NameTable
  var anchors: NameTable
  /// Index of the only tag when the file has no column for it; nil before the first row.
  var onlyTag: Int32? = nil
  /// Index of the only anchor when the file has no column for it; nil before the first row.
  var onlyAnchor: Int32? = nil

  /// Creates the names before the first row, of which anchors of the names `declared` are known.
  init(declared: [String]) { self.init(tags: NameTable(), anchors: NameTable(declared)) }

  /// Creates tables of known names.
  init(tags: NameTable, anchors: NameTable) {
    self.tags = tags
    self.anchors = anchors
  }

  /// Name of the only tag or anchor when a source has no column for it.
  static let only = RangeField.onlyName

  /// Forgets the names of the tags at the indices `places`, which the next new tags then have.
  mutating func forget(tags places: [Int32]) {
    tags.forget(places)
    if let only = onlyTag, places.contains(only) { onlyTag = nil }
  }
}

/// The place that decides what a row is: a range, a range between tags, an event, or a rejected row.
///
/// The rows of files, of device logs and of tables in memory pass through it once their cells are
/// valid. A rejected row has no other effect and adds no names.
struct RangeSink {
  /// The partner of a range.
  enum Peer {
    /// Index of an anchor.
    case anchor(Int32)
    /// Index of the name of another tag, in ``RangeRules/tagAnchors``.
    case tag(Int32)
  }

  let rules: RangeRules
  /// Known names.
  var names: RangesNames
  /// Rows so far.
  var rows: ParsedRanges
  /// Rows rejected because of undeclared anchors.
  var undeclared = UndeclaredAnchors()

  /// Names with the punctuation of a log, and the declared anchors that they are; at most
  /// ``mostLogged``.
  private(set) var logged: [String: String] = [:]
  private static let mostLogged = 1000

  /// Creates a sink that knows `names` and appends to `rows`, which must be empty.
  init(_ rules: RangeRules, names: RangesNames, into rows: ParsedRanges) {
    self.rules = rules
    self.names = names
    self.rows = rows
  }

  /// Why the names are too many for one recording; nil when they are not.
  var reasonTooManyNames: String? {
    RecordingLimits.reasonTooMany(tags: names.tags.count, anchors: names.anchors.count)
  }

  /// Names in the column of the anchors that are those of tags.
  var tagAnchors: [String] { undeclared.tagAnchors(among: names.tags.names) }

  /// The message about rows of undeclared anchors, which were rejected; nil without such rows.
  var undeclaredMessage: String? { undeclared.message(rules.spellings) }

  /// Note on names with the punctuation of a log; nil without such names.
  var loggedNote: String? {
    guard let first = logged.min(by: { $0.key < $1.key }) else { return nil }
    return "names of anchors are read without the punctuation of a log:"
      + " \(Excerpt.quoted(first.key)) is \(Excerpt.quoted(first.value))"
  }

  // MARK: Names

  /// Returns the index of the tag called `name`, which is added if it is new; nil stands for a
  /// source without names of tags.
  mutating func tag(_ name: ArraySlice<UInt8>?) -> Int32 {
    if let name { return names.tags.place(of: name) }
    let place = names.tags.place(of: RangesNames.only)
    names.onlyTag = place
    return place
  }

  /// Returns what the name in the column of the anchor stands for, which is added if it is new.
  ///
  /// `name` and `tag` are nil for a source without such names; `column` is that of the name, for
  /// the reason. Rejects the row if the anchor is not declared while others are, or the tag
  /// measured to itself.
  mutating func peer(
    _ name: ArraySlice<UInt8>?, of tag: ArraySlice<UInt8>?, column: String, line: Int
  ) throws(RowFault) -> Peer {
    if let name, !rules.tagAnchors.isEmpty, let other = rules.tagAnchors[Array(name)] {
      guard name != tag ?? RangesNames.only else {
        throw RowFault(
          column: column,
          reason: "a tag has no range to itself: "
            + Excerpt.quoted(String(decoding: name, as: UTF8.self)))
      }
      return .tag(other)
    }
    return .anchor(try anchor(name, column: column, line: line))
  }

  /// Returns the index of the anchor called `name`, which is added if it is new; nil stands for a
  /// source without names of anchors.
  ///
  /// - Throws: the reason for which the row is rejected: the anchor is not declared while others are.
  mutating func anchor(
    _ name: ArraySlice<UInt8>?, column: String, line: Int
  ) throws(RowFault) -> Int32 {
    guard let name else {
      // Without a column there is at most one declared anchor, to which the row then belongs.
      guard rules.declaredCount <= 1 else { throw RowFault(column, "is missing") }
      let place = rules.declaredCount == 1 ? 0 : names.anchors.place(of: RangesNames.only)
      names.onlyAnchor = place
      return place
    }
    if rules.declaredCount == 0 { return names.anchors.place(of: name) }
    if let place = names.anchors.knownPlace(of: name) { return place }
    let content = LoggedName.content(of: name)
    if content.count < name.count, let place = names.anchors.knownPlace(of: content) {
      if logged.count < Self.mostLogged {
        logged[String(decoding: name, as: UTF8.self)] = String(decoding: content, as: UTF8.self)
      }
      return place
    }
    let text = String(decoding: name, as: UTF8.self)
    undeclared.append(text, line: line)
    throw RowFault(column: column, reason: UndeclaredAnchors.reason(text, rules.spellings))
  }

  /// Adds the names with punctuation of the next part of the file.
  mutating func addLogged(of next: RangeSink) {
    for (name, content) in next.logged where logged.count < Self.mostLogged {
      logged[name] = content
    }
  }

  // MARK: Rows

  /// Appends a range of `tag`, with its optional `numbers`.
  mutating func append(
    at time: Timestamp, tag: Int32, peer: Peer, distance: Double, line: Int,
    _ numbers: PerQuantity<Double>
  ) {
    rows.rowsRead += 1
    switch peer {
    case .anchor(let anchor):
      rows.ranges.append(
        at: time, tag: tag, anchor: anchor, distance: distance, line: line, numbers)
    case .tag(let other):
      rows.tagRanges.append(
        at: time, from: tag, to: other, distance: distance, sigma: numbers[.sigma], line: line)
    }
  }

  /// Appends an event, of all links of the tag if the row names no anchor.
  ///
  /// `tag` is nil for a source without names of tags. `columns` are those of the event and of the
  /// anchor, for the reason; `hasDistance` says whether the row has a distance, too.
  mutating func append(
    _ event: SessionEvent, at time: Timestamp, tag: ArraySlice<UInt8>?, anchor: ArraySlice<UInt8>?,
    columns: (event: String, anchor: String), hasDistance: Bool, line: Int
  ) throws(RowFault) {
    if hasDistance {
      throw RowFault(
        column: columns.event,
        reason: "row has both an event and a distance; write them on separate rows")
    }
    var place: Int32?
    if let anchor { place = try self.anchor(anchor, column: columns.anchor, line: line) }
    rows.rowsRead += 1
    rows.events.append(
      RecordedEvent(time: time, tag: self.tag(tag), anchor: place, event: event, line: line))
  }

  /// Appends a rejected row.
  mutating func reject(_ row: RejectedRow) {
    rows.rowsRead += 1
    rows.rejected.append(row)
    if rules.packsRejected { rows.packedRejected.append(row) }
  }
}
