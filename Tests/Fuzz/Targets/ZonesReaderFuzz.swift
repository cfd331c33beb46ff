@testable import FathomRecordings

/// A file of zones: any bytes are zones that positions can be judged by, or bad data with a reason,
/// and what is written into a summary is read back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZonesReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(RecordingError) {
    let source = try ByteSource(path: "f", stored: FuzzInput.bytes(start, count))
    let zones = try ZonesReader.read(source)
    FuzzInput.expect(zones.positionZones != nil, "no zones of the engine")
    FuzzInput.expect(Set(zones.areas.map(\.name)).count == zones.areas.count, "one name twice")
    for number in zones.areas.flatMap({ $0.cornersM.joined() + ($0.heightsM ?? []) }) {
      FuzzInput.expect(number.isFinite, "\(number)")
    }
    let written = Array(ResultWriter.json(zones, formatting: []).utf8)
    let again = try ZonesReader.read(ByteSource(path: "f", stored: written))
    FuzzInput.expect(again == zones, "other zones once written")
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}
