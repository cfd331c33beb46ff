@testable import FathomRecordings

/// Summaries as `report` and `--resume` read them back: any bytes give a summary that the engine and
/// the figures can work with, or bad data with a reason.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSummary(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(RecordingError) {
    let summary = try ResultReader.summary(in: FuzzInput.bytes(start, count), of: "f")
    FuzzInput.expect(
      (summary.consistency?.timeline ?? []).allSatisfy { $0.startS < $0.endS && $0.count > 0 },
      "timeline")
    let again = ResultWriter.summary(summary)
    FuzzInput.expect(try ResultReader.summary(in: again, of: "f") == summary, "round trip")
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}
