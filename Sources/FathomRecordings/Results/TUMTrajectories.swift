import Fathom

/// Trajectories in the layout of the TUM RGB-D benchmark, one text per tag.
///
/// The layout is that of [Sturm et al. 2012]. A row is `timestamp tx ty tz qx qy qz qw`: seconds,
/// metres, and the identity in place of the unknown attitude. Times and positions have the same
/// decimals as in CSV. A position with an undetermined coordinate has no row.
struct TUMTrajectories: Sendable {
  /// The texts, each with the index of its tag's name.
  private(set) var tracks: [(place: Int, text: CSVBuffer)] = []
  /// Number of positions omitted because they are incomplete.
  private(set) var omitted = 0

  /// Creates an empty set of trajectories.
  init() {}

  /// Returns the index of each of `names`; for a repeated name, that of its first occurrence.
  static func places(of names: [String]) -> [String: Int] {
    Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
  }

  /// Creates the rows of `columns`, positions in order of time with `timeDecimals` decimals of
  /// time.
  ///
  /// `places` are the indices of the names; those that are missing there have no track.
  init(_ columns: PositionColumns, places: [String: Int], timeDecimals: Int) {
    var indices: [Int: Int] = [:]
    var current = (name: "", index: -1)
    var times = TimeColumn(decimals: timeDecimals)
    for row in 0..<columns.count {
      let position = columns.position[row]
      guard position[0].isFinite, position[1].isFinite, position[2].isFinite else {
        omitted += 1
        continue
      }
      if current.index < 0 || columns.tag[row] != current.name {
        guard let place = places[columns.tag[row]] else { continue }
        let index = indices[place] ?? tracks.count
        if index == tracks.count {
          indices[place] = index
          tracks.append((place, CSVBuffer(rows: 0, of: 0)))
        }
        current = (columns.tag[row], index)
      }
      let most = 8 * (FixedDecimal.mostBytes + 1)
      tracks[current.index].text.writeRow(most: most, separator: UInt8(ascii: " ")) { cursor in
        cursor.append(columns.time[row], of: &times)
        for axis in 0..<3 { cursor.append(position[axis], decimals: 4) }
        // The identity in place of the unknown attitude.
        for element in 0..<4 { cursor.append(element < 3 ? 0 : 1) }
      }
    }
  }
}

extension ResultWriter {
  /// Returns the file name of each track of the recording `name`.
  ///
  /// A single track is named `NAME.positions.tum`, each of several `NAME.positions.TAG.tum`. Bytes
  /// of TAG other than ASCII letters, digits, `-` and `_` are written as `%` and two hexadecimal
  /// digits, so that no name leaves the folder. A TAG longer than 100 bytes, or equal to an earlier
  /// one apart from case, is truncated and numbered. Tags are all different, and so are the names,
  /// also on case-insensitive file systems.
  static func trackNames(of name: String, tags: [String]) -> [String] {
    if tags.count == 1 { return ["\(name).positions.tum"] }
    // Reserved, because a recording called `NAME.positions` has a track of this name.
    var taken: Set<String> = ["positions"]
    return tags.enumerated().map { place, tag in
      var text = ""
      for byte in tag.utf8 {
        if isPlain(byte) {
          text.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
          let digits = String(byte, radix: 16, uppercase: true)
          text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
        }
      }
      if text.utf8.count > 100 || !taken.insert(text.lowercased()).inserted {
        // A tilde in a tag's name is escaped, so the numbered names are unique.
        text = "\(text.prefix(90))~\(place + 1)"
      }
      return "\(name).positions.\(text).tum"
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
