import Fathom

/// Formats rows of results as JSON Lines: one object per row, with the columns of the CSV file as
/// keys.
///
/// Every row has every key, so a few rows show the whole schema. An undetermined number is `null`.
/// Numbers have the same decimals as in CSV.
enum JSONLines {
  /// Returns `text` as a JSON string, for texts that are written many times.
  ///
  /// Quotes, backslashes and control characters are escaped; all other characters remain as UTF-8.
  static func field(_ text: String) -> [UInt8] {
    var field = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): field += [UInt8(ascii: "\\"), byte]
      case 0..<0x20, 0x7F:
        field += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: field.append(byte)
      }
    }
    return field + [UInt8(ascii: "\"")]
  }

  private static let digits = Array("0123456789abcdef".utf8)

  /// Appends the rows of `columns` to a text of positions.
  ///
  /// - Parameters:
  ///   - columns: the positions.
  ///   - timeDecimals: decimals of their times.
  ///   - geodetic: additional columns; nil without them.
  ///   - hasAlternative: whether rows have the other position.
  ///   - text: the buffer to append to.
  static func append(
    _ columns: PositionColumns, timeDecimals: Int, geodetic: GeodeticColumns? = nil,
    hasAlternative: Bool = false, to text: inout TextBuffer
  ) {
    var times = TimeColumn(decimals: timeDecimals)
    var name = (text: "", field: [UInt8]())
    for index in 0..<columns.count {
      if columns.tag[index] != name.text || name.field.isEmpty {
        name = (columns.tag[index], field(columns.tag[index]))
      }
      let position = columns.position[index]
      let covariance = columns.covariance[index].withPositiveDigits
      text.writeRow(most: mostBytes + name.field.count) { row in
        row.append("{\"time_s\":")
        row.append(columns.time[index], of: &times)
        row.append(",\"tag\":")
        row.append(name.field)
        row.append(",\"x_m\":", position[0], decimals: 4)
        row.append(",\"y_m\":", position[1], decimals: 4)
        row.append(",\"z_m\":", position[2], decimals: 4)
        row.append(",\"sxx\":", covariance[0, 0], decimals: 8)
        row.append(",\"sxy\":", covariance[0, 1], decimals: 8)
        row.append(",\"sxz\":", covariance[0, 2], decimals: 8)
        row.append(",\"syy\":", covariance[1, 1], decimals: 8)
        row.append(",\"syz\":", covariance[1, 2], decimals: 8)
        row.append(",\"szz\":", covariance[2, 2], decimals: 8)
        row.append(",\"ranges_used\":")
        row.append(columns.used[index])
        row.append(",\"ranges_rejected\":")
        row.append(columns.rejected[index])
        row.append(",\"status\":\"")
        row.append(word: columns.status[index].rawValue)
        row.append("\"")
        if let geodetic {
          let values = geodetic.values(of: position)
          row.append(",\"latitude_deg\":", values.latitude, decimals: GeodeticColumns.decimals)
          row.append(",\"longitude_deg\":", values.longitude, decimals: GeodeticColumns.decimals)
          row.append(",\"altitude_m\":", values.altitude, decimals: 4)
        }
        if hasAlternative {
          let other = columns.alternatives[index] ?? .undetermined
          row.append(",\"alt_x_m\":", other[0], decimals: 4)
          row.append(",\"alt_y_m\":", other[1], decimals: 4)
          row.append(",\"alt_z_m\":", other[2], decimals: 4)
        }
        row.append("}\n")
      }
    }
  }

  /// Appends one row to a text of distances; `tag` and `anchor` are results of ``field(_:)``.
  @inline(__always)
  static func append(
    time: Timestamp, tag: [UInt8], anchor: [UInt8], distance: Double, _ result: RangeResult,
    angles: (azimuth: Double, elevation: Double), _ times: inout TimeColumn,
    to text: inout TextBuffer
  ) {
    text.writeRow(most: mostBytes + tag.count + anchor.count) { row in
      row.append("{\"time_s\":")
      row.append(time, of: &times)
      row.append(",\"tag\":")
      row.append(tag)
      row.append(",\"anchor\":")
      row.append(anchor)
      row.append(",\"distance_m\":", distance, decimals: 4)
      row.append(",\"smoothed_m\":", result.smoothed, decimals: 4)
      row.append(",\"sigma_m\":", result.sigma, decimals: 4)
      row.append(",\"quality\":\"")
      row.append(word: result.quality.rawValue)
      row.append("\",\"zone\":\"")
      row.append(word: result.zone.rawValue)
      row.append("\",\"azimuth_rad\":", angles.azimuth, decimals: 6)
      row.append(",\"elevation_rad\":", angles.elevation, decimals: 6)
      row.append(",\"decision\":\"")
      row.append(word: result.decision.rawValue)
      row.append("\"}\n")
    }
  }

  /// Appends the rows of `columns` to a text of distances.
  ///
  /// - Parameters:
  ///   - columns: the distances.
  ///   - timeDecimals: decimals of their times.
  ///   - text: the buffer to append to.
  static func append(_ columns: DistanceColumns, timeDecimals: Int, to text: inout TextBuffer) {
    var times = TimeColumn(decimals: timeDecimals)
    for index in columns.time.indices {
      append(
        time: columns.time[index], tag: field(columns.tag[index]),
        anchor: field(columns.anchor[index]), distance: columns.distance[index],
        columns.result(at: index), angles: (columns.azimuth[index], columns.elevation[index]),
        &times, to: &text)
    }
  }

  /// Maximum length of a row without its names, bytes: at most sixteen numbers, keys and words.
  private static let mostBytes = 19 * FixedDecimal.mostBytes + 400
}

extension TextCursor {
  /// Writes a key and its number; `null` for NaN and infinities.
  @inline(__always)
  fileprivate mutating func append(_ key: StaticString, _ value: Double, decimals: Int) {
    append(key)
    if value.isFinite { append(value, decimals: decimals) } else { append("null") }
  }
}
