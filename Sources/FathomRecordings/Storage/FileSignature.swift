import Foundation

/// Kinds of files that are no text, recognised by their first bytes.
enum FileSignature {
  private static let known: [(bytes: [UInt8], reason: String)] = [
    (
      [0x50, 0x4B, 0x03, 0x04],
      "this is a zip archive: unpack it; if it is a spreadsheet, save it as CSV"
    ),
    ([0x50, 0x4B, 0x05, 0x06], "this is an empty zip archive"),
    (
      Array("SQLite format 3".utf8),
      "this is an SQLite database: export a table as CSV, as in sqlite3 -header -csv FILE 'select *"
        + " from TABLE'"
    ),
    (
      Array("#ROSBAG V".utf8),
      "this is a ROS bag: write its topic as CSV, as in rostopic echo -b FILE -p TOPIC > ranges.csv"
    ),
    (
      [0x89] + Array("MCAP".utf8),
      "this is an MCAP file: write its topic as CSV, as in ros2 topic echo --csv TOPIC > ranges.csv"
    ),
    (Array("PAR1".utf8), "this is a Parquet file: write it as CSV, as in DuckDB or pandas"),
    ([0x89] + Array("HDF".utf8), "this is an HDF5 or MATLAB file: write its table as CSV"),
    (Array("MATLAB 5.0 MAT-file".utf8), "this is a MATLAB file: write its table with writetable"),
    ([0x93] + Array("NUMPY".utf8), "this is a NumPy file: write it with numpy.savetxt"),
    (Array("%PDF".utf8), "this is a PDF"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "this is compressed with xz: unpack it"),
    ([0x42, 0x5A, 0x68], "this is compressed with bzip2: unpack it"),
    ([0x28, 0xB5, 0x2F, 0xFD], "this is compressed with zstd: unpack it"),
    ([0xD0, 0xCF, 0x11, 0xE0], "this is a document of Microsoft Office: save it as CSV"),
    ([0x0A, 0x0D, 0x0D, 0x0A], "this is a capture of packets, not a log of ranges"),
  ]

  /// Returns why a file that begins with `bytes` cannot be read; nil if its kind is not known.
  static func reason(_ bytes: [UInt8]) -> String? {
    known.first { bytes.starts(with: $0.bytes) }?.reason
  }
}

/// Text in UTF-16 with a byte order mark, as spreadsheets and terminal programs of Windows save it.
enum UTF16Text {
  /// Bytes of the longest text that is converted; it is held in memory.
  private static let mostBytes = 1 << 26

  /// Returns the text of the file `descriptor` in UTF-8; nil if it is not UTF-16, or too long.
  static func content(
    of descriptor: Int32, _ size: Int, _ path: String
  ) throws(RecordingError) -> [UInt8]? {
    var mark: [UInt8] = [0, 0]
    guard size <= mostBytes, pread(descriptor, &mark, 2, 0) == 2, isMark(mark) else { return nil }
    var bytes: [UInt8] = []
    guard try SystemCall.append(upTo: mostBytes + 1, of: descriptor, path, to: &bytes) else {
      return nil
    }
    return utf8(bytes)
  }

  /// Returns the text `bytes` in UTF-8; nil if it is not UTF-16 with a byte order mark.
  ///
  /// Half of the bytes of a text with numbers are zeros, which binary data rarely are.
  static func utf8(_ bytes: [UInt8]) -> [UInt8]? {
    guard isMark(bytes), bytes.count > 2, bytes.count % 2 == 0, bytes.count <= mostBytes else {
      return nil
    }
    let high = bytes[0] == 0xFE ? 0 : 1
    let head = stride(from: 2, to: min(bytes.count, 1 << 12), by: 2)
    guard 2 * head.count(where: { bytes[$0 + high] == 0 }) > head.underestimatedCount else {
      return nil
    }
    let units = (1..<bytes.count / 2).map { unit in
      UInt16(bytes[2 * unit + high]) << 8 | UInt16(bytes[2 * unit + 1 - high])
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static func isMark(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
  }
}
