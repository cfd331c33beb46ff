@testable import FathomRecordings

/// A zones file: any bytes give valid zones or bad data with a reason.
///
/// Zones in a summary can be read back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZonesReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(RecordingError) {
    let source = try ByteSource(path: "f", stored: FuzzInput.bytes(start, count))
    let zones = try ZonesReader.read(source)
    FuzzInput.expect(zones.positionZones != nil, "not valid for the engine")
    FuzzInput.expect(Set(zones.areas.map(\.name)).count == zones.areas.count, "duplicate name")
    for number in zones.areas.flatMap({ $0.cornersM.joined() + ($0.heightsM ?? []) }) {
      FuzzInput.expect(number.isFinite, "\(number)")
    }
    let written = Array(ResultWriter.json(zones, formatting: []).utf8)
    let again = try ZonesReader.read(ByteSource(path: "f", stored: written))
    FuzzInput.expect(again == zones, "different zones after writing")
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}
