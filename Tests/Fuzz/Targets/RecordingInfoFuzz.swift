@testable import FathomRecordings

/// `recording.json`: any bytes give metadata with finite numbers, or bad data with a reason.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecordingInfo(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(RecordingError) {
    let source = try ByteSource(path: "f", stored: FuzzInput.bytes(start, count))
    let info = try RecordingInfo(source)
    FuzzInput.expect(info.facts.heightM?.isFinite ?? true, "height")
    FuzzInput.expect(info.facts.heightSigmaM.map { $0 > 0 && $0.isFinite } ?? true, "height sigma")
    FuzzInput.expect(info.facts.boundsM.map { TagBounds.box($0) != nil } ?? true, "bounds")
    FuzzInput.expect(info.facts.zones.map { $0.positionZones != nil } ?? true, "zones")
    FuzzInput.expect(info.truthTimeOffset.isFinite, "time offset")
    FuzzInput.expect(
      info.truthOffset.count == 3 && info.truthOffset.allSatisfy(\.isFinite), "offset")
    FuzzInput.expect(
      info.floorPlan.map { $0.metresPerPixel > 0 && $0.originM.count == 2 } ?? true, "floor plan")
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}
