/// Names of the files of a recording, for other modules.
package enum RecordingFile {
  /// Names of the file of the anchors, the preferred one first.
  package static let anchors = TableKind.anchors.fileNames
  /// Names of the files of ranges and of time differences.
  package static let measurements = TableKind.ranges.fileNames + TableKind.differences.fileNames
  /// Names of the file of true positions.
  package static let truth = TableKind.truth.fileNames
  /// Names of all tables.
  package static let tables = TableKind.allCases.flatMap(\.fileNames)
}

/// A kind of table of a recording: the file that holds it, its columns, and the keys that tell an
/// object of the kind from others.
///
/// This is the only list of the tables and of the names of their files.
enum TableKind: String, Sendable, CaseIterable {
  case ranges
  case differences = "tdoa"
  case anchors
  case heights
  case odometry
  case inertial = "imu"
  case poses
  case truth

  /// Name of the table's file in a recording that Fathom writes.
  var fileName: String { "\(rawValue).csv" }

  /// The number of names at the beginning of ``fileNames`` that are those of CSV.
  static let csvNameCount = 2

  /// Names that the table's file can have in a folder, the preferred one first.
  var fileNames: [String] { Self.fileNames[self] ?? [] }

  private static let fileNames = Dictionary(
    uniqueKeysWithValues: allCases.map { kind in
      let yaml = kind == .anchors ? ["yaml", "yml"] : []
      let names = (["csv", "jsonl", "json"] + yaml).map { "\(kind.rawValue).\($0)" }
      return (kind, names.flatMap { [$0, "\($0).gz"] })
    })

  /// The columns that its reader knows.
  var columns: [ColumnName] {
    switch self {
    case .ranges: RangeField.columns
    case .differences: TableColumns.differences
    case .anchors: TableColumns.anchors
    case .heights: TableColumns.heights
    case .odometry: TableColumns.odometry
    case .inertial: TableColumns.inertial
    case .poses: TableColumns.poses
    case .truth: TableColumns.truth
    }
  }

  /// The columns that tell objects apart, in the order in which they are tried.
  ///
  /// `distance` is a name of both a range and an increment of odometry, `x,y,z` are those of an
  /// anchor, a pose and a position: a kind with more telling columns is tried first. Only an anchor
  /// has no time, unless its key is literally `anchor`.
  private static let marks: [(kind: TableKind, columns: Set<String>)] = [
    (.ranges, ["anchor", "distance_m"]),
    (.poses, ["time_s", "qw", "qx", "qy", "qz"]),
    (
      .inertial,
      [
        "acc_x_mps2", "acc_y_mps2", "acc_z_mps2", "gyro_x_radps", "gyro_y_radps", "gyro_z_radps",
      ]
    ),
    (.differences, ["anchor_a", "anchor_b", "difference_m"]),
    (.odometry, ["time_s", "forward_m", "turn_rad"]),
    (.odometry, ["time_s", "v_right_mps", "v_left_mps", "wheel_distance_m"]),
    (.odometry, ["time_s", "v_forward_mps", "turn_rate_radps"]),
    (.odometry, ["time_s", "v_forward_mps", "turn_rate_dps"]),
    (.ranges, ["distance_m"]),
    (.ranges, ["time_s", "event"]),
    (.anchors, ["=anchor", "x", "y"]),
    (.truth, ["time_s", "x", "y"]),
    (.anchors, ["id", "x", "y"]),
    (.anchors, ["id", "latitude_deg", "longitude_deg"]),
    (.heights, ["time_s", "height_m"]),
  ]

  /// Finds the kind of an object with the given keys, also those of objects inside it; nil if it is
  /// of none.
  ///
  /// `renames` are names of columns of ranges given by the caller, by known column.
  static func of(keys: [String], renames: [String: String]) -> TableKind? {
    var found: [TableKind: Set<String>] = [:]
    return marks.first { mark in
      if found[mark.kind] == nil { found[mark.kind] = mark.kind.found(keys, renames) }
      return found[mark.kind]?.isSuperset(of: mark.columns) ?? false
    }?.kind
  }

  /// Whether the keys are those of this kind, whatever other kinds they fit.
  func accepts(_ keys: [String], renames: [String: String]) -> Bool {
    let found = found(keys, renames)
    return Self.marks.contains { $0.kind == self && found.isSuperset(of: $0.columns) }
  }

  /// Whether the keys are those of an epoch with a column for each anchor.
  static func isEpoch(_ keys: [String], declared: [String]) -> Bool {
    let known = keys.indices.filter { place in
      RangeField.columns.contains { $0.match(keys[place]) != nil }
    }
    return !AnchorColumn.all(of: keys, except: Set(known), declared: declared).isEmpty
  }

  /// Returns the names of the known columns among `keys`, and the keys themselves behind `=`.
  private func found(_ keys: [String], _ renames: [String: String]) -> Set<String> {
    var found = Set(keys.map { "=\(ColumnName.normalized($0))" })
    for key in keys {
      for column in columns where match(key, column, renames) != nil { found.insert(column.name) }
    }
    return found
  }

  /// Returns how `key` matches `column`; nil when it does not.
  func match(
    _ key: String, _ column: ColumnName, _ renames: [String: String]
  ) -> (rank: Int, unit: String?)? {
    if !renames.isEmpty,
      renames.contains(where: {
        knownKey($0.key).map { column.match($0) != nil } ?? false
          && ColumnName.normalized($0.value) == ColumnName.normalized(key)
      })
    {
      return (-1, column.unit(of: key))
    }
    return column.match(key)
  }
}

/// Names of columns that the caller states, `time=Timestamp`, for all tables of a recording.
extension TableKind {
  /// Returns the names of columns among `all` that are for this table.
  ///
  /// A key that begins with the name of a table, `truth.time`, is for this table only. Any other
  /// key is for each table that knows it; besides the main table, for those that have the column.
  /// Both dictionaries are by known column. `names` are the columns of the file; nil for the main
  /// table, in which a stated column must exist.
  func renames(_ all: [String: String], among names: [String]? = nil) -> [String: String] {
    if all.isEmpty { return all }
    let present = names.map { Set($0.map(ColumnName.normalized)) }
    var found: [String: String] = [:]
    for (key, name) in all {
      guard let known = knownKey(key) else {
        // A key that neither anchors nor truth know is a mistake, which the main table reports.
        let others = key.contains(".") ? Self.allCases : [.anchors, .truth]
        if present == nil, !others.contains(where: { $0.knownKey(key) != nil }) {
          found[key] = name
        }
        continue
      }
      if known == key, let present {
        guard Int(known) == nil, present.contains(ColumnName.normalized(name)) else { continue }
      }
      found[known] = name
    }
    return found
  }

  /// Returns `key` without the name of this table in front of it; nil if it is not for this table.
  private func knownKey(_ key: String) -> String? {
    if let point = key.firstIndex(of: "."), let table = TableKind(rawValue: String(key[..<point])) {
      return table == self ? String(key[key.index(after: point)...]) : nil
    }
    return knows(key) || Int(key) != nil ? key : nil
  }

  private func knows(_ key: String) -> Bool { columns.contains { $0.match(key) != nil } }
}
