@testable import FathomRecordings

/// The CSV scanner, with any bytes and any delimiter.
///
/// Rows are in order and cover everything except blank lines and comments. Their lines are counted
/// independently. Fields lie within their row, between its delimiters.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCSVScanner(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let (bytes, first) = FuzzInput.bytesAndChoice(start, count) else { return 0 }
  let delimiter = Delimiter.allCases[Int(first) % Delimiter.allCases.count]
  _ = CSVScanner.detectedDelimiter(of: bytes)

  var scanner = CSVScanner(bytes, delimiter: delimiter)
  var end = 0
  var line = 1
  var comments = 0
  // Comments before the first row of values are the lead-in; one of them can be the header.
  var isLeadIn = true
  while scanner.next() {
    let row = scanner.row
    FuzzInput.expect(row.lowerBound >= end && row.upperBound <= bytes.count, "row \(row)")
    // Only text made from JSON has such rows; bytes in a file that look like one are a fault, too.
    var before = bytes[end..<row.lowerBound]
    if case .notJSON = scanner.fault { before = before.dropLast(CSVFault.markerCount) }
    if end == 0, scanner.hasTitle {
      comments += filledLines(in: before, delimiter)
    } else {
      comments += expectNothing(in: before, delimiter, isLeadIn: isLeadIn)
    }
    isLeadIn = end == 0 && !endsLine(bytes[..<row.lowerBound])
    line += lineEnds(in: bytes[end..<row.lowerBound])
    FuzzInput.expect(scanner.line == line, "line \(scanner.line), not \(line)")
    line += lineEnds(in: bytes[row])
    FuzzInput.expect(scanner.lineAfter == line + 1, "next line \(scanner.lineAfter), not \(line)")
    checkFields(of: scanner, delimiter)
    end = row.upperBound
  }
  comments += expectNothing(in: bytes[end...], delimiter)
  FuzzInput.expect(scanner.commentLines == comments, "comments \(scanner.commentLines)")
  expectSameInBlocks(bytes, delimiter, size: 1 + Int(first) / 3)
  return 0
}

/// A row, for comparing two scans.
private struct ScannedRow: Equatable {
  var line: Int
  var content: [UInt8]
  var fields: [[UInt8]]
  var fault: CSVFault?

  init(_ scanner: CSVScanner) {
    line = scanner.line
    content = Array(scanner.bytes[scanner.row])
    fields = scanner.fields.map { scanner.content($0) }
    fault = scanner.fault
  }
}

/// Expects the same rows of `bytes` when at most `size` more bytes are available at a time, and all in which
/// a title is looked for where a part of them looks like one.
private func expectSameInBlocks(_ bytes: [UInt8], _ delimiter: Delimiter, size: Int) {
  var whole = CSVScanner(bytes, delimiter: delimiter)
  var expected: [ScannedRow] = []
  while whole.next() { expected.append(ScannedRow(whole)) }
  let larger = max(size, CSVLeadIn.mostTitleBytes)
  if whole.hasTitle, size < larger { return expectSameInBlocks(bytes, delimiter, size: larger) }

  var rows: [ScannedRow] = []
  var comments = 0
  var begin = 0
  var end = 0
  var line = 1
  while true {
    end = min(bytes.count, end + size)
    let isLast = end == bytes.count
    var scanner = CSVScanner(
      Array(bytes[begin..<end]), delimiter: delimiter, line: line, isLast: isLast)
    if scanner.hasTitle, size < larger {
      return expectSameInBlocks(bytes, delimiter, size: larger)
    }
    while scanner.next() { rows.append(ScannedRow(scanner)) }
    comments += scanner.commentLines
    begin += scanner.position
    line = scanner.lineAfter
    if isLast { break }
  }
  FuzzInput.expect(rows == expected, "different rows in blocks of \(size)")
  FuzzInput.expect(comments == whole.commentLines, "different comments in blocks of \(size)")
}

/// Expects the fields to be in order within the row, one more than its delimiters when it has no
/// quotes.
private func checkFields(of scanner: CSVScanner, _ delimiter: Delimiter) {
  let bytes = scanner.bytes
  FuzzInput.expect(scanner.fields.isEmpty == (scanner.fault != nil), "fields despite a fault")
  var end = scanner.row.lowerBound
  for field in scanner.fields {
    FuzzInput.expect(
      field.range.lowerBound >= end && field.range.upperBound <= scanner.row.upperBound,
      "field \(field.range) of row \(scanner.row)")
    end = field.range.upperBound
    let content = scanner.content(field)
    FuzzInput.expect(content.count <= field.range.count, "content longer than its field")
    if !field.hasDoubledQuotes {
      FuzzInput.expect(content == Array(bytes[field.range]), "content is not the field")
    }
    let trimmed = scanner.trimmed(field)
    FuzzInput.expect(
      trimmed.range.isEmpty || trimmed.range.clamped(to: field.range) == trimmed.range, "trimmed")
  }
  // The quotes of such a row precede it.
  if case .notJSON = scanner.fault { return }
  let row = bytes[scanner.row]
  if !row.contains(UInt8(ascii: "\"")) {
    // Any number of blanks and tabs is one delimiter; those at the ends of a row separate nothing.
    let count =
      delimiter == .blank
      ? row.split { $0 == delimiter.byte || $0 == UInt8(ascii: "\t") }.count
      : row.count { $0 == delimiter.byte } + 1
    FuzzInput.expect(scanner.fault == nil, "a fault without a quote")
    FuzzInput.expect(scanner.fields.count == count, "\(scanner.fields.count) of \(count)")
    FuzzInput.expect(lineEnds(in: row) == 0, "a line ends in a row without quotes")
  }
}

/// Expects every line of `bytes` to be blank or a comment; returns the number of comments.
///
/// Before the first row, other comments are skipped, and what precedes a header on the line of a comment.
private func expectNothing(
  in bytes: ArraySlice<UInt8>, _ delimiter: Delimiter, isLeadIn: Bool = false
) -> Int {
  var lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
  var comments = 0
  if isLeadIn {
    if !endsLine(bytes) { lines.removeLast() }
    let marked = lines.count
    lines.removeAll { line in
      let text = line.drop {
        $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") && delimiter != .tab
      }
      return text.starts(with: "//".utf8) || text.starts(with: "sep=".utf8)
        || text.first == UInt8(ascii: "%")
        || text.startIndex > line.startIndex && text.first == UInt8(ascii: "#")
    }
    comments = marked - lines.count
  }
  for line in lines {
    if line.first == UInt8(ascii: "#") {
      comments += 1
      continue
    }
    FuzzInput.expect(isBlank(line, delimiter), "skipped: \(Array(line))")
  }
  return comments
}

/// Returns the number of lines of a title, which count as comments.
private func filledLines(in bytes: ArraySlice<UInt8>, _ delimiter: Delimiter) -> Int {
  bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    .count { !isBlank($0, delimiter) }
}

private func isBlank(_ line: ArraySlice<UInt8>, _ delimiter: Delimiter) -> Bool {
  line.allSatisfy {
    $0 == UInt8(ascii: " ") || ($0 == UInt8(ascii: "\t") && delimiter != .tab)
  }
}

/// Whether nothing precedes the end of `bytes` on its line.
private func endsLine(_ bytes: ArraySlice<UInt8>) -> Bool {
  guard let last = bytes.last else { return true }
  return last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r")
}

/// Returns the number of line ends in `bytes`: LF, CR or CRLF.
private func lineEnds(in bytes: ArraySlice<UInt8>) -> Int {
  var ends = 0
  var previous: UInt8 = 0
  for byte in bytes {
    if byte == UInt8(ascii: "\r") || (byte == UInt8(ascii: "\n") && previous != UInt8(ascii: "\r"))
    {
      ends += 1
    }
    previous = byte
  }
  return ends
}
