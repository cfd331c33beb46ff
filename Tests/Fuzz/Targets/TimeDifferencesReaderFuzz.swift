@testable import FathomRecordings

/// A file of distance differences, as `locate` reads it: each row is used or rejected.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTimeDifferencesReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let (bytes, choice) = FuzzInput.bytesAndChoice(start, count) else { return 0 }
  var options = RecordingOptions()
  options.decimalSeparator = choice & 1 == 0 ? .point : .comma
  let declared = choice & 2 == 0 ? [] : ["A1", "A2"]
  do throws(RecordingError) {
    let file = try TimeDifferencesReader.read(
      ByteSource(path: "f", stored: bytes), declared: declared, options: options)
    FuzzInput.expect(file.rows.count + file.rejected.total == file.rowsRead, "rows are lost")
    FuzzInput.expect(file.anchorNames.starts(with: declared), "declared")
    for row in file.rows {
      FuzzInput.expect(row.difference.isFinite && row.first != row.second, "\(row)")
      FuzzInput.expect(file.tagNames.indices.contains(row.tag), "\(row)")
      FuzzInput.expect(
        file.anchorNames.indices.contains(row.first)
          && file.anchorNames.indices.contains(row.second), "\(row)")
    }
    for row in file.rejected { FuzzInput.expectMessage(row.reason) }
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}
