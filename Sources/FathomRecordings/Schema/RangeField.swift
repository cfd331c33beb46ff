/// A column of a row of ranges, whatever the row comes from.
package enum RangeField: Hashable, Sendable, CaseIterable {
  case time, tag, anchor, distance
  case number(RangeQuantity)
  case event

  /// All columns, in the order in which a header is matched with them.
  package static let allCases: [RangeField] =
    [.time, .tag, .anchor, .distance] + RangeQuantity.allCases.map { .number($0) } + [.event]

  /// Name of the only tag or anchor when a source has no column for it.
  static let onlyName: ArraySlice<UInt8> = [UInt8(ascii: "0")]

  /// Index in ``allCases``.
  var index: Int {
    switch self {
    case .time: 0
    case .tag: 1
    case .anchor: 2
    case .distance: 3
    case .number(let quantity): 4 + quantity.rawValue
    case .event: 4 + RangeQuantity.count
    }
  }

  /// Names of the columns, in the order of ``allCases``.
  static let columns = allCases.map(\.column)
  /// The same, none of which is required.
  static let optionalColumns = columns.map {
    ColumnName($0.name, $0.stems, $0.quantity, isRequired: false, guesses: $0.guesses)
  }

  /// Returns the field that the elements of a list called `name` are; nil for a list of something else.
  static func ofList(called name: String) -> RangeField? {
    let element = singular(name)
    if columns[RangeField.distance.index].match(element) != nil { return .distance }
    let isAnchor =
      columns[RangeField.anchor.index].match(element) != nil
      || ["id", "name", "address", "addr"].contains(element)
    return isAnchor ? .anchor : nil
  }

  /// Returns the name of the column of the element at `place` of a list of distances called `name`, with the unit
  /// of the list.
  static func distanceName(_ place: Int, ofList name: String) -> String {
    let unit = columns[distance.index].unit(of: name)
    return "range\(place)" + (unit.map { "_\($0)" } ?? "")
  }

  /// Returns the name of one element of a list called `name`: `ranges_mm` has elements `range_mm`.
  static func singular(_ name: String) -> String {
    let words = ColumnName.normalized(name).split(separator: "_").map { word in
      word.hasSuffix("sses")
        ? word.dropLast(2)
        : word.count > 2 && word.hasSuffix("s") && !word.hasSuffix("ss") ? word.dropLast() : word
    }
    return words.joined(separator: "_")
  }

  /// Name in Fathom's own files.
  package var name: String { Self.columns[index].name }

  private var column: ColumnName {
    switch self {
    case .time:
      .init(
        "time_s", TableColumns.timeNames, .time, isRequired: true,
        // A unit alone, or a word that can be something else.
        guesses: [
          "ticks", "device_time", "seconds", "sec", "secs", "ms", "us", "ns", "msec", "usec",
          "clock", "hora", "date", "tm", "rx_time", "rx_timestamp", "tow",
        ])
    case .tag:
      .init(
        "tag",
        [
          "tag", "tag_id", "tagid", "tag_name", "tag_addr", "tag_address", "initiator",
          "initiator_id",
        ],
        guesses: ["id1", "id_1", "uwb_id1", "node1", "node_1", "from", "from_id", "src", "source"])
    case .anchor:
      .init(
        "anchor",
        [
          "anchor", "anchor_id", "anchorid", "accessory", "accessory_id", "peer", "peer_id",
          "tanchor", "anchor_name", "anchor_addr", "anchor_address", "anchor_mac", "responder",
          "responder_id", "beacon", "beacon_id", "ap_mac_address", "ap_mac", "bssid",
          "mac_address", "mac", "peer_address", "peer_mac",
        ],
        guesses: [
          "id2", "id_2", "uwb_id2", "node2", "node_2", "to", "to_id", "dst", "dest", "destination",
          "ap", "station",
        ])
    case .distance:
      .init(
        "distance_m",
        [
          "distance", "range", "dist", "observed", "uwb_range", "uwb_distance", "uwb_dist",
          "rtt_distance", "rtt_range", "ftm_distance", "twr_distance", "measured_distance",
          "measured_range", "distance_measured", "range_measured", "distance_raw",
          "raw_distance", "range_raw", "raw_range", "rng", "anchor_distance", "tag_distance",
        ], .length, isRequired: true)
    case .number(let quantity): quantity.column
    case .event: .init("event", ["event"])
    }
  }

  /// Returns the column that a table in memory calls `text`: by its own name, or by an alias with the
  /// same unit, such as `true_distance_m`; nil for another name.
  ///
  /// A column in another unit is not found: tables in memory have SI units.
  package init?(named text: String) {
    let found = Self.allCases.first { field in
      let column = Self.columns[field.index]
      guard let match = column.match(text) else { return false }
      return match.rank == 0 || match.unit == column.unit(of: column.name)
    }
    guard let found else { return nil }
    self = found
  }

  /// Returns why `name` is not the name of a tag or anchor; nil when it is one.
  ///
  /// `isShown` says whether the name is to be part of the reason.
  static func problem(
    ofName name: ArraySlice<UInt8>
  ) -> (what: String, isShown: Bool)? {
    if name.isEmpty { return ("is missing", false) }
    if name.count > RecordingLimits.longestName {
      return ("is longer than \(RecordingLimits.longestName) bytes", false)
    }
    var isASCII = true
    let hasNUL = name.withUnsafeBufferPointer { bytes in
      for byte in bytes {
        if byte == 0 { return true }
        if byte >= 0x80 { isASCII = false }
      }
      return false
    }
    if hasNUL { return ("contains a NUL byte", true) }
    if !isASCII, String(validating: name, as: UTF8.self) == nil {
      return ("is not valid UTF-8", true)
    }
    return nil
  }
}

extension RowFault {
  /// Creates the fault of the column called `name`: `NAME WHAT: TEXT (HINT)`.
  init(_ name: String, _ what: String, _ text: String? = nil, hint: String? = nil) {
    self.init(
      column: name,
      reason: "\(name) \(what)" + (text.map { ": \($0)" } ?? "") + (hint.map { " (\($0))" } ?? ""))
  }
}
