@testable import FathomEvaluation
import FathomRecordings

/// Files of benchmark results as `report` and `--baseline` read them back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBenchmarkFile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(RecordingError) {
    let results = try BenchmarkFile.results(in: FuzzInput.bytes(start, count), of: "f")
    let baseline = BenchmarkBaseline(results)
    FuzzInput.expect(
      baseline.regressions(in: results).compared <= results.count, "compared results")
    _ = BenchmarkFile.bytes(of: results)
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}
