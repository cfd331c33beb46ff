import Fathom

/// The first rows of a file with columns, from which open questions of its layout are decided.
struct RowSample: Sendable {
  /// Delimiter of the fields.
  let delimiter: Delimiter
  /// Names of the columns given by number; nil if the file has a header.
  let names: [String]?
  private let bytes: [UInt8]
  private let rows: [[CSVField]]

  /// Number of rows that are looked at.
  private static let mostRows = 200

  /// Looks at the rows at the beginning of a file.
  ///
  /// - Parameters:
  ///   - head: bytes at the beginning of the file.
  ///   - options: options of the caller; columns whose keys are numbers mean that there is no
  ///     header.
  init(_ head: [UInt8], options: RecordingOptions) {
    bytes = head.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(head.dropFirst(3)) : head
    delimiter = options.delimiter ?? CSVScanner.detectedDelimiter(of: bytes)
    var scanner = CSVScanner(bytes, delimiter: delimiter, isLast: head.count < 1 << 16)
    let isNumbered =
      !options.columns.isEmpty
      && options.columns.keys.allSatisfy { Int($0).map { $0 > 0 } ?? false }
    var rows: [[CSVField]] = []
    while rows.count < Self.mostRows, scanner.next() { rows.append(scanner.fields) }
    if isNumbered {
      names = (0..<(rows.first?.count ?? 0)).map {
        options.columns["\($0 + 1)"] ?? "column \($0 + 1)"
      }
    } else {
      names = nil
      rows = Array(rows.dropFirst())
    }
    self.rows = rows
  }

  /// Returns the cells of a column that are not empty.
  func cells(_ field: Int) -> [ArraySlice<UInt8>] {
    rows.compactMap {
      $0.indices.contains(field) && !$0[field].isEmpty ? bytes[$0[field].range] : nil
    }
  }

  /// Returns the decimal separator of the numbers in `fields`: a comma if it is beyond doubt.
  ///
  /// It is beyond doubt if no number has a point, and one is not grouped in thousands.
  func decimalSeparator(_ fields: [Int]) -> DecimalSeparator {
    if delimiter == .comma { return .point }
    var isSeen = false
    for cell in fields.flatMap(cells) {
      if cell.contains(UInt8(ascii: ".")) { return .point }
      guard let comma = cell.firstIndex(of: UInt8(ascii: ",")) else { continue }
      guard DecimalNumber(bytes, cell.indices, decimalSeparator: UInt8(ascii: ",")) != nil else {
        return .point
      }
      let isGroup = cell.endIndex - comma == 4 && bytes[cell.startIndex] != UInt8(ascii: "0")
      if !isGroup { isSeen = true }
    }
    return isSeen ? .comma : .point
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
    let unit = numbers.first.flatMap { TimeUnit.ofInstant($0.value(in: bytes)) }
    return (.number, unit == .seconds ? nil : unit)
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
