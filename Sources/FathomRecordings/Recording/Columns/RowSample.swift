import Fathom

/// The first rows of a file with columns, from which open questions of its layout are decided.
struct RowSample: Sendable {
  /// Delimiter of the fields.
  let delimiter: Delimiter
  /// Names of the columns given by number; nil if the file has a header.
  let names: [String]?
  /// Cells of the first row, which may be a header.
  let firstCells: [String]
  /// Units in the row below the header, which is no row of data; nil without such a row.
  let units: [String]?
  /// Note on the lines before the header that are titles; nil without such lines.
  let titleNote: String?
  private let bytes: [UInt8]
  private let rows: [[CSVField]]

  /// Bytes at the beginning of a file that are looked at.
  static let headCount = 1 << 16
  /// Number of rows that are looked at.
  private static let mostRows = 200

  /// Looks at the rows at the beginning of a file, `head`.
  ///
  /// `delimiter` is nil to detect it. If the keys of `columns`, the names given by the caller, are
  /// numbers, there is no header. `headerless` returns the names of the columns of a file whose
  /// first row, with the given cells, is no header; nil if it is one.
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
    var headerLine = 1
    while rows.count < Self.mostRows, scanner.next() {
      if rows.isEmpty { headerLine = scanner.line }
      if scanner.fault == nil { rows.append(scanner.fields) }
    }
    let first = (rows.first ?? []).map { String(decoding: scanner.content($0), as: UTF8.self) }
    firstCells = first
    var units: [String]?
    if isNumbered {
      names = first.indices.map { columns["\($0 + 1)"] ?? "column \($0 + 1)" }
    } else if let given = headerless(first) {
      names = given
    } else {
      names = nil
      rows = Array(rows.dropFirst())
      units = rows.first.flatMap { row in
        ColumnName.units(
          inRow: row.map { String(decoding: scanner.content($0), as: UTF8.self) })
      }
      if units != nil { rows.removeFirst() }
    }
    (self.rows, self.units) = (rows, units)
    titleNote =
      scanner.hasTitle && !isNumbered
      ? "the header is in line \(headerLine): the lines before it are not read" : nil
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
  /// Numbers that look grouped are beyond doubt if a column `beside` them has a decimal comma, or if they are
  /// lengths in metres: a group would be a kilometre.
  func decimalSeparator(
    _ fields: [Int], beside others: [Int] = [], areMetres: Bool = false,
    stated: DecimalSeparator = .point
  ) -> DecimalSeparator {
    let isCommaBeside = delimiter != .comma && others.contains(where: hasDecimalComma)
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
      if !isGroup || isCommaBeside || areMetres && delimiter != .comma { isSeen = true }
    }
    if stated == .comma { return points > 0 ? .point : .comma }
    return isSeen && points == 0 ? .comma : .point
  }

  /// Whether the column `field` has numbers with a decimal comma that is no sign of a group, and none with a point.
  private func hasDecimalComma(_ field: Int) -> Bool {
    let cells = cells(field)
    if cells.contains(where: { $0.contains(UInt8(ascii: ".")) }) { return false }
    return cells.contains { cell in
      guard let comma = cell.firstIndex(of: UInt8(ascii: ",")),
        DecimalNumber(bytes, cell.indices, decimalSeparator: UInt8(ascii: ",")) != nil
      else { return false }
      return cell.endIndex - comma != 4 || bytes[cell.startIndex] == UInt8(ascii: "0")
    }
  }

  /// Returns the same for the rows of ranges: a stated comma holds, unless commas are the delimiter.
  ///
  /// Between commas, a number with a decimal comma is a mistake of one row.
  func decimalSeparator(
    ofRanges fields: [Int], beside others: [Int] = [], areMetres: Bool = false,
    stated: DecimalSeparator
  ) -> DecimalSeparator {
    if stated == .point, delimiter == .comma { return .point }
    if stated == .comma, delimiter != .comma { return .comma }
    return decimalSeparator(fields, beside: others, areMetres: areMetres, stated: stated)
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
    if Self.days.contains(first), areDays(numbers.map { $0.value(in: bytes) }) {
      return (.days, nil)
    }
    let unit = TimeUnit.ofInstant(first)
    if unit == .seconds, !Self.unixSeconds.contains(first), isWhole(field) {
      return (.number, deviceUnit(medianStep(field, separator: separator) ?? 0, first: first))
    }
    return (.number, unit == .seconds ? nil : unit)
  }

  /// Whether `numbers` are days since 1900, as spreadsheets write dates.
  ///
  /// Their intervals would be less than 20 µs if they were seconds, faster than any radio measures.
  private func areDays(_ numbers: [Double]) -> Bool {
    guard numbers.count >= Self.leastDays, let first = numbers.first, let last = numbers.last,
      numbers.allSatisfy(Self.days.contains), last > first,
      numbers.contains(where: { $0 != $0.rounded() })
    else { return false }
    return last - first < 2e-5 * Double(numbers.count)
  }

  /// Days since 1900 from 1954 to 2119.
  private static let days = 20_000.0...80_000
  /// Rows by which days are distinguished from seconds.
  private static let leastDays = 8

  /// Whether the column `field` has whole numbers that can only be counts of nanoseconds or of ticks: as
  /// milliseconds since 1970 they would be minutes apart.
  func isCounter(_ field: Int) -> Bool {
    guard isWhole(field) else { return false }
    let numbers = numbers(field)
    guard let most = numbers.max(), (1e11..<Self.ticksEnd).contains(most) else { return false }
    return (medianStep(field, separator: .point) ?? 0) > Self.longestMilliseconds
  }

  /// Whether the numbers in the column `field`, a counter, begin again like one of 40 bits.
  func wraps(_ field: Int) -> Bool {
    let numbers = numbers(field)
    return zip(numbers, numbers.dropFirst()).contains { $0 - $1 > Self.ticksEnd / 2 }
  }

  /// 2⁴⁰, at which the ticks of a DW1000 begin again.
  private static let ticksEnd = 1_099_511_627_776.0
  /// An interval of rows, 100 s, beyond which times are not in milliseconds.
  private static let longestMilliseconds = 1e5

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
  /// Whole seconds, beside nanoseconds in the column with this index.
  case divided(Int)
  /// A number of days since the end of 1899, as spreadsheets write dates.
  case days
  /// Not at all.
  case none
}
