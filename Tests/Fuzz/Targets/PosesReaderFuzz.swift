import Fathom

@testable import FathomRecordings

/// `poses.csv`: each row is a unit attitude or rejected; every instant has at most one attitude.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPosesReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(RecordingError) {
    let source = try ByteSource(path: "f", stored: FuzzInput.bytes(start, count))
    let poses = try PosesReader.read(source)
    for row in poses.rejected { FuzzInput.expectMessage(row.reason) }
    let ends = [Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max)]
    for time in poses.track.times.prefix(100) + ends {
      guard let attitude = poses.track.attitude(at: time) else { continue }
      let axes = attitude.axes
      FuzzInput.expect(axes.isFinite, "\(attitude)")
      let x = Vector<3>([axes[0, 0], axes[1, 0], axes[2, 0]])
      FuzzInput.expect((x.length - 1).magnitude < 1e-9, "\(attitude)")
    }
    for time in poses.track.times {
      FuzzInput.expect(poses.track.attitude(at: time) != nil, "\(time) has no attitude")
    }
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}
