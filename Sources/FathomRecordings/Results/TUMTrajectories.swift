import Fathom

/// Trajectories in the layout of the TUM RGB-D benchmark, one text per tag.
///
/// The layout is that of [Sturm et al. 2012].
///
/// A row is `timestamp tx ty tz qx qy qz qw`: seconds, metres, and the identity for the attitude, which is
/// not known. Times and positions have the decimals that they have in CSV. A position that is not
/// determined in all three coordinates has no row.
struct TUMTrajectories: Sendable {
  /// The texts, each with the place of its tag among the names.
  private(set) var tracks: [(place: Int, text: TextBuffer)] = []
  /// Positions left out since they are not complete.
  private(set) var omitted = 0

  /// No rows.
  init() {}

  /// The place of each of `names`; of two that are the same, that of the first.
  static func places(of names: [String]) -> [String: Int] {
    Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
  }

  /// The rows of `columns`.
  ///
  /// - Parameters:
  ///   - columns: positions in order of time.
  ///   - places: the place of each name; names that are not among them have no track.
  ///   - timeDecimals: decimals of their times.
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
          tracks.append((place, TextBuffer()))
        }
        current = (columns.tag[row], index)
      }
      tracks[current.index].text.writeRow(most: 4 * FixedDecimal.mostBytes + 16) { cursor in
        cursor.append(columns.time[row], of: &times)
        for axis in 0..<3 {
          cursor.append(" ")
          cursor.append(position[axis], decimals: 4)
        }
        cursor.append(" 0 0 0 1\n")
      }
    }
  }
}

extension ResultWriter {
  /// The name of the file of each track of the recording `name`.
  ///
  /// `NAME.positions.tum` for a single track, `NAME.positions.TAG.tum` for each of several. Bytes of
  /// TAG other than ASCII letters, digits, `-` and `_` are written as `%` and two hexadecimal digits, so
  /// that no name leads elsewhere. Where that is longer than 100 bytes, or differs from that of an earlier
  /// tag in the case of letters only, it is cut and numbered.
  ///
  /// - Parameters:
  ///   - name: the recording's.
  ///   - tags: the names of what is located, all different.
  /// - Returns: A name for each of them, all different, also where case does not count.
  static func trackNames(of name: String, tags: [String]) -> [String] {
    if tags.count == 1 { return ["\(name).positions.tum"] }
    // A recording called `NAME.positions` has a track of this name.
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
        // No name has a tilde of its own.
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
