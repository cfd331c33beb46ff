@testable import FathomRecordings

/// `anchors.csv`: any bytes give anchors with finite values, or bad data with a reason.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAnchorsReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(RecordingError) {
    let source = try ByteSource(path: "f", stored: FuzzInput.bytes(start, count))
    let declared = try AnchorsReader.read(source, options: RecordingOptions())
    FuzzInput.expect(declared.names.count == declared.anchors.count, "not parallel")
    FuzzInput.expect(Set(declared.names).count == declared.names.count, "duplicate name")
    for (name, anchor) in zip(declared.names, declared.anchors) {
      FuzzInput.expect((1...255).contains(name.utf8.count), "name of \(name.utf8.count) bytes")
      FuzzInput.expect(anchor.position.isFinite && anchor.bias.isFinite, "\(anchor)")
      FuzzInput.expect(anchor.scale > 0 && anchor.scale.isFinite, "\(anchor)")
    }
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}
