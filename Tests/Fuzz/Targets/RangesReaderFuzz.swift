import Fathom

@testable import FathomRecordings

/// A ranges file: every row is used or rejected with its line and a reason.
///
/// The result is the same in blocks of any size, on one thread or two, and with or without the fast
/// parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRangesReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let (bytes, choice) = FuzzInput.bytesAndChoice(start, count) else { return 0 }
  var options = RecordingOptions()
  options.decimalSeparator = choice & 1 == 0 ? .point : .comma
  options.zeroIsDistance = choice & 2 != 0
  options.format = .csv
  if choice & 4 != 0 { options.timeUnit = .milliseconds }
  if choice & 8 != 0 { options.distanceUnit = .millimetres }
  let declared = choice & 16 != 0 ? ["A1", "A2"] : []
  do throws(RecordingError) {
    let input = StoredInput(path: "f", bytes: bytes)
    let file = try RangesReader.read(input, options: options, declared: declared)
    let source = try ByteSource(path: "f", stored: bytes)
    // With one row per epoch each distance counts as a row.
    if file.layout.anchorColumns.isEmpty {
      check(file, declared)
      // Units can stand below the header.
      let above = file.layout.header.units.isEmpty ? 1 : 2
      FuzzInput.expect(file.rowsRead == rows(in: source, file.layout.delimiter) - above, "rows")
    }
    let variants = [
      (1 << 19, false, 1), (16, true, 1), (61, true, 1), (16, false, 1), (16, true, 2),
      (150, true, 2),
    ]
    for (blockSize, usesFastParser, width) in variants {
      let other = try read(input, options, declared, blockSize, usesFastParser, width)
      FuzzInput.expect(
        same(file, other),
        "different rows: blocks of \(blockSize), fast parser \(usesFastParser), threads \(width)"
      )
    }
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}

/// Reads the file in `input` in blocks of the given size.
private func read(
  _ input: StoredInput, _ options: RecordingOptions, _ declared: [String], _ blockSize: Int,
  _ usesFastParser: Bool, _ width: Int
) throws(RecordingError) -> ParsedRanges {
  var reader = try RangesReader(
    input, options: options, declared: declared, blockSize: blockSize,
    usesFastParser: usesFastParser, width: width)
  var file = ParsedRanges(layout: reader.layout)
  while let next = try reader.next() { file.append([next], width: 1) }
  try reader.checkAnchors(ranges: file.ranges.count + file.tagRanges.count)
  return file
}

/// Whether two tables are bit-identical, including NaN.
private func same(_ left: ParsedRanges, _ right: ParsedRanges) -> Bool {
  func bits(_ column: [Double]?) -> [UInt64]? { column?.map(\.bitPattern) }
  func numbers(_ ranges: RangeColumns) -> [[UInt64]?] {
    RangeQuantity.allCases.map { bits(ranges[$0]) }
  }
  return left.ranges.time == right.ranges.time && left.ranges.tag == right.ranges.tag
    && left.ranges.anchor == right.ranges.anchor && left.ranges.line == right.ranges.line
    && bits(left.ranges.distance) == bits(right.ranges.distance)
    && numbers(left.ranges) == numbers(right.ranges)
    && left.events == right.events && left.rejected == right.rejected
    && left.rowsRead == right.rowsRead && left.commentLines == right.commentLines
    && left.tagNames == right.tagNames && left.anchorNames == right.anchorNames
}

/// Returns the number of rows of `source`, including the header.
private func rows(in source: ByteSource, _ delimiter: Delimiter) -> Int {
  var scanner = CSVScanner(source.bytes, delimiter: delimiter)
  var rows = 0
  while scanner.next() {
    rows += 1
    // As in the reader, a quote does not hide the rows below that have as many fields as the header.
    if scanner.fieldCount == nil { scanner.fieldCount = scanner.fields.count }
  }
  return rows
}

private func check(_ file: ParsedRanges, _ declared: [String]) {
  let ranges = file.ranges
  FuzzInput.expect(
    file.rowsRead == ranges.count + file.events.count + file.rejected.total, "rows are lost")
  for count in [ranges.time.count, ranges.tag.count, ranges.anchor.count, ranges.line.count] {
    FuzzInput.expect(count == ranges.count, "columns of different length")
  }
  for quantity in RangeQuantity.allCases {
    FuzzInput.expect(
      ranges[quantity].map { $0.count == ranges.count } ?? true, "optional column")
  }
  FuzzInput.expect(ranges.distance.allSatisfy { $0.isFinite && $0 >= 0 }, "distances")
  FuzzInput.expect(ranges.tag.allSatisfy { file.tagNames.indices.contains(Int($0)) }, "tags")
  FuzzInput.expect(
    ranges.anchor.allSatisfy { file.anchorNames.indices.contains(Int($0)) }, "anchors")
  FuzzInput.expect(file.anchorNames.prefix(declared.count).elementsEqual(declared), "declared")
  let lines = ranges.line + file.events.map(\.line) + file.rejected.map(\.line)
  FuzzInput.expect(Set(lines).count == lines.count, "two rows on one line")
  for row in file.rejected {
    FuzzInput.expectMessage(row.reason)
    FuzzInput.expect(row.text.utf8.count < 2000, "text of \(row.text.utf8.count) bytes")
  }
}
