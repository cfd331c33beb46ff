/// Ranges behind another table in the same file.
struct SecondTable {
  /// Kind of the first table; nil if it is not known.
  private let first: TableKind?
  /// Lines of the headers, from 1.
  private let firstLine: Int
  private let line: Int

  /// Lines that are compared with the names of columns, each of which costs 0.2 ms.
  private static let mostComparisons = 64

  /// Finds the header of ranges below the first table at the beginning of a file, `head`; nil without one.
  init?(_ head: [UInt8], options: RecordingOptions) {
    var begin = 0
    var number = 0
    var comparisons = 0
    var found: (kind: TableKind?, line: Int)?
    while begin < head.count, comparisons < Self.mostComparisons {
      let end = head[begin...].firstIndex(of: UInt8(ascii: "\n")) ?? head.count
      let line = Array(head[begin..<end])
      number += 1
      begin = end + 1
      // A header begins with a letter; rows of data mostly have a number.
      guard let letter = line.first(where: { $0 > 0x22 }), letter != UInt8(ascii: "#"),
        letter == UInt8(ascii: "%") || letter | 0x20 &- UInt8(ascii: "a") < 26
      else { continue }
      if let found {
        comparisons += 1
        guard RangesLayout.namesColumns(line, options: options, declared: []) else { continue }
        (first, firstLine, self.line) = (found.kind, found.line, number)
        return
      }
      let sample = RowSample(line, delimiter: options.delimiter, columns: [:])
      found = (TableKind.of(keys: sample.firstCells, renames: [:]), number)
    }
    return nil
  }

  /// Why the file at `path` cannot be read, and how it is divided.
  func error(_ path: String) -> RecordingError {
    let name = first.map(\.fileName) ?? "first.csv"
    return .badData(
      path: path, line: line,
      reason: "the file has two tables: \(first.map { "\($0.rawValue) from" } ?? "one from") line"
        + " \(firstLine), and ranges from line \(line); write each into a file of its own, as in"
        + " head -n \(line - 1) FILE > \(name) and tail -n +\(line) FILE > ranges.csv")
  }
}
