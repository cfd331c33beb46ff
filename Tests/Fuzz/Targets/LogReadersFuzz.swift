import Fathom

@testable import FathomRecordings

/// A device log: every row is used or rejected, whatever the format and the blocks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLogReaders(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let (bytes, choice) = FuzzInput.bytesAndChoice(start, count) else { return 0 }
  var options = RecordingOptions()
  let formats = LogFormat.allCases
  // The remaining values leave the format to its recognition.
  let index = Int(choice & 31)
  if index < formats.count { options.format = formats[index] }
  options.zeroIsDistance = choice & 32 != 0
  if choice & 64 != 0 { options.epochRate = 10 }
  let declared = choice & 128 != 0 ? ["022E", "0x0001"] : []
  let input = StoredInput(path: "f", bytes: bytes)
  do throws(RecordingError) {
    let file = try RangesReader.read(input, options: options, declared: declared)
    check(file)
    for blockSize in [16, 61, 300] {
      let other = try RangesReader.read(
        input, options: options, declared: declared, blockSize: blockSize)
      FuzzInput.expect(
        other.ranges.time == file.ranges.time && other.ranges.line == file.ranges.line
          && other.ranges.distance == file.ranges.distance
          && other.rejected.total == file.rejected.total,
        "different rows in blocks of \(blockSize)")
    }
    if let format = options.format {
      _ = try LogAnchors(input, format, options: options)
    }
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}

private func check(_ file: ParsedRanges) {
  let ranges = file.ranges
  FuzzInput.expect(
    file.rowsRead == ranges.count + file.events.count + file.rejected.total, "rows are lost")
  for count in [ranges.time.count, ranges.tag.count, ranges.anchor.count, ranges.line.count] {
    FuzzInput.expect(count == ranges.count, "columns of different length")
  }
  FuzzInput.expect(ranges.distance.allSatisfy { $0.isFinite && $0 >= 0 }, "distances")
  FuzzInput.expect(ranges.tag.allSatisfy { file.tagNames.indices.contains(Int($0)) }, "tags")
  FuzzInput.expect(
    ranges.anchor.allSatisfy { file.anchorNames.indices.contains(Int($0)) }, "anchors")
  for row in file.rejected {
    FuzzInput.expectMessage(row.reason)
    FuzzInput.expect(row.text.utf8.count < 2000, "text of \(row.text.utf8.count) bytes")
  }
}
