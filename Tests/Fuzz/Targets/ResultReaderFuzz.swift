@testable import FathomRecordings

/// Results tables as `report` reads them: any bytes give columns of equal length, or bad data with
/// a reason.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzResultReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let source = try? ByteSource(path: "f", stored: FuzzInput.bytes(start, count)) else {
    return 0
  }
  do throws(RecordingError) {
    let columns = try ResultReader.positions(source)
    FuzzInput.expect(
      columns.position.count == columns.count && columns.status.count == columns.count, "columns")
  } catch {
    FuzzInput.expectBadData(error)
  }
  do throws(RecordingError) {
    let columns = try ResultReader.distances(source)
    FuzzInput.expect(
      columns.decision.count == columns.time.count && columns.tag.count == columns.time.count,
      "columns")
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}
