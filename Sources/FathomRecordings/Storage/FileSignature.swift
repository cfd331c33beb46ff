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
