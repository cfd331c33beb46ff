import Fathom

/// The first rows of a file with columns, from which open questions of its layout are decided.
struct RowSample: Sendable {
  /// Delimiter of the fields.
  let delimiter: Delimiter
  /// Names of the columns given by number; nil if the file has a header.
  let names: [String]?
  /// Cells of the first row, which may be a header.
  let firstCells: [String]
  private let bytes: [UInt8]
  private let rows: [[CSVField]]

  /// Bytes at the beginning of a file that are looked at.
  static let headCount = 1 << 16
  /// Number of rows that are looked at.
  private static let mostRows = 200

  /// Looks at the rows at the beginning of a file.
  ///
  /// - Parameters:
  ///   - head: bytes at the beginning of the file.
  ///   - delimiter: delimiter of the fields; nil to detect it.
  ///   - columns: names of columns given by the caller; if their keys are numbers, there is no header.
  ///   - headerless: returns the names of the columns of a file whose first row, with the given cells, is
  ///     no header; nil if it is one.
  init(
    _ head: [UInt8], delimiter: Delimiter?, columns: [String: String],
    headerless: ([String]) -> [String]? = { _ in nil }
  ) {
    let hasMark = head.starts(with: [0xEF, 0xBB, 0xBF])
    bytes = hasMark ? Array(head.dropFirst(3)) : head
    self.delimiter = delimiter ?? CSVScanner.detectedDelimiter(of: bytes)
    var scanner = CSVScanner(bytes, delimiter: self.delimiter, isLast: head.count < Self.headCount)
    let isNumbered =
      !columns.isEmpty && columns.keys.allSatisfy { Int($0).map { $0 > 0 } ?? false }
    if isNumbered { scanner.resume(at: 0, line: 1) }
    var rows: [[CSVField]] = []
    while rows.count < Self.mostRows, scanner.next() {
      if scanner.fault == nil { rows.append(scanner.fields) }
    }
    let first = (rows.first ?? []).map { String(decoding: scanner.content($0), as: UTF8.self) }
    firstCells = first
    if isNumbered {
      names = first.indices.map { columns["\($0 + 1)"] ?? "column \($0 + 1)" }
    } else if let given = headerless(first) {
      names = given
    } else {
      names = nil
      rows = Array(rows.dropFirst())
    }
    self.rows = rows
  }

  /// Number of rows below the header.
  var rowCount: Int { rows.count }

  /// Returns the cells of a column that are not empty.
  func cells(_ field: Int) -> [ArraySlice<UInt8>] {
    rows.compactMap {
      $0.indices.contains(field) && !$0[field].isEmpty ? bytes[$0[field].range] : nil
    }
  }

  /// Returns the cells of two columns in the rows in which neither is empty.
  func pairs(_ first: Int, _ second: Int) -> [(ArraySlice<UInt8>, ArraySlice<UInt8>)] {
    rows.compactMap { row in
      guard row.indices.contains(first), row.indices.contains(second), !row[first].isEmpty,
        !row[second].isEmpty
      else { return nil }
      return (bytes[row[first].range], bytes[row[second].range])
    }
  }

  /// Returns the decimal separator of the numbers in `fields`: a comma if it is beyond doubt.
  ///
  /// It is beyond doubt if no number has a point, and one is not grouped in thousands. A stated comma
  /// does not hold for numbers that all have points: the tables of a recording can differ.
  func decimalSeparator(_ fields: [Int], stated: DecimalSeparator = .point) -> DecimalSeparator {
    var isSeen = false
    var points = 0
    for cell in fields.flatMap(cells) {
      if cell.contains(UInt8(ascii: ".")) {
        points += 1
        continue
      }
      guard let comma = cell.firstIndex(of: UInt8(ascii: ",")) else { continue }
      if stated == .comma { return .comma }
      guard DecimalNumber(bytes, cell.indices, decimalSeparator: UInt8(ascii: ",")) != nil else {
        return .point
      }
      let isGroup = cell.endIndex - comma == 4 && bytes[cell.startIndex] != UInt8(ascii: "0")
      if !isGroup { isSeen = true }
    }
    if stated == .comma { return points > 0 ? .point : .comma }
    return isSeen && points == 0 ? .comma : .point
  }

  /// Returns the same for the rows of ranges: a stated comma holds, unless commas are the delimiter.
  ///
  /// Between commas, a number with a decimal comma is a mistake of one row.
  func decimalSeparator(ofRanges fields: [Int], stated: DecimalSeparator) -> DecimalSeparator {
    if stated == .point, delimiter == .comma { return .point }
    if stated == .comma, delimiter != .comma { return .comma }
    return decimalSeparator(fields, stated: stated)
  }

  /// Returns the numbers in the column `field`; NaN for other cells.
  func numbers(_ field: Int, separator: DecimalSeparator = .point) -> [Double] {
    cells(field).map {
      DecimalNumber(bytes, $0.indices, decimalSeparator: separator.byte)?.value(in: bytes) ?? .nan
    }
  }

  /// Whether the column has whole numbers only, and at least one.
  func isWhole(_ field: Int) -> Bool {
    let cells = cells(field)
    return !cells.isEmpty && cells.allSatisfy { cell in cell.allSatisfy { $0 &- 48 < 10 } }
  }

  /// Returns the share of the cells of the column `field` that `isSo`; 0 without cells.
  func share(_ field: Int, _ isSo: (ArraySlice<UInt8>) -> Bool) -> Double {
    let cells = cells(field)
    return cells.isEmpty ? 0 : Double(cells.count(where: isSo)) / Double(cells.count)
  }

  /// Whether a cell of the column `field` `isSo`.
  func contains(_ field: Int, _ isSo: (ArraySlice<UInt8>) -> Bool) -> Bool {
    rows.contains { row in
      row.indices.contains(field) && !row[field].isEmpty && isSo(bytes[row[field].range])
    }
  }

  /// Returns the median interval between successive different numbers in the column `field`; nil
  /// below three rows.
  func medianStep(_ field: Int, separator: DecimalSeparator) -> Double? {
    let numbers = cells(field).compactMap {
      DecimalNumber(bytes, $0.indices, decimalSeparator: separator.byte)?.value(in: bytes)
    }
    let steps = zip(numbers, numbers.dropFirst()).map { ($1 - $0).magnitude }
      .filter { $0 > 0 && $0.isFinite }.sorted()
    return numbers.count < 3 || steps.isEmpty ? nil : steps[steps.count / 2]
  }

  /// Returns how the column `field` states times, and their unit if only the magnitude tells it.
  func times(_ field: Int, separator: DecimalSeparator) -> (times: RowTimes, unit: TimeUnit?) {
    let cells = cells(field)
    let numbers = cells.compactMap {
      DecimalNumber(bytes, $0.indices, decimalSeparator: separator.byte)
    }
    if 2 * numbers.count <= cells.count, !cells.isEmpty {
      let clocks = cells.count { cell in
        ClockText(bytes, from: cell.startIndex, upTo: cell.endIndex)?.end == cell.endIndex
      }
      return (2 * clocks > cells.count ? .clock : .number, nil)
    }
    if cells.count >= 2,
      cells.allSatisfy({ (8...9).contains($0.count) && ClockText(digits: bytes, $0.indices) != nil }
      )
    {
      return (.digits, nil)
    }
    let first = numbers.first?.value(in: bytes) ?? .nan
    let unit = TimeUnit.ofInstant(first)
    if unit == .seconds, !Self.unixSeconds.contains(first), isWhole(field) {
      return (.number, deviceUnit(medianStep(field, separator: separator) ?? 0, first: first))
    }
    return (.number, unit == .seconds ? nil : unit)
  }

  /// Seconds since 1970 from 2000 to 2040.
  private static let unixSeconds = 946_684_800.0...2_208_988_800

  /// Returns the unit of a counter of whole numbers, whose rows are `step` apart and which begins at
  /// `first`; nil for seconds.
  ///
  /// Rows of seconds are rarely 50 apart: milliseconds at 20 Hz have this interval. A device that
  /// counts seconds has not run for 10⁷ of them, 116 days.
  private func deviceUnit(_ step: Double, first: Double) -> TimeUnit? {
    switch step {
    case 5e7...: .nanoseconds
    case 5e4...: .microseconds
    case 50...: .milliseconds
    case 2... where first > 1e7: .milliseconds
    default: nil
    }
  }
}

/// How the rows of a file state their time.
enum RowTimes: Sendable, Equatable {
  /// A number, in the unit of the layout.
  case number
  /// ISO 8601 or a time of day.
  case clock
  /// A time of day as the number HHMMSSmmm.
  case digits
  /// Not at all.
  case none
}
