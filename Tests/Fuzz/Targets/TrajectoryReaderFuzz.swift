import Fathom

@testable import FathomRecordings

/// A trajectory file in any layout: each row is a pose or rejected with its line and a reason.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTrajectoryReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = FuzzInput.bytes(start, count)
  guard let source = try? ByteSource(path: "f", stored: bytes) else { return 0 }
  for format in [nil] + TrajectoryFormat.allCases.map(Optional.some) {
    do throws(RecordingError) {
      check(try TrajectoryReader.read(source, format: format))
    } catch {
      FuzzInput.expectBadData(error)
    }
  }
  return 0
}

private func check(_ file: RecordedTrajectory) {
  var poses = 0
  for track in file.tracks.values {
    poses += track.count
    FuzzInput.expect(track.positions.count == track.count, "positions")
    FuzzInput.expect(track.covariances.map { $0.count == track.count } ?? true, "covariances")
    for position in track.positions {
      for axis in 0..<3 { FuzzInput.expect(!position[axis].isInfinite, "\(position)") }
    }
  }
  FuzzInput.expect(poses > 0 && poses + file.rejected.total == file.rowsRead, "rows are lost")
  FuzzInput.expect(
    Set(file.rejected.map(\.line)).count == file.rejected.count, "two rows on one line")
  for row in file.rejected { FuzzInput.expectMessage(row.reason) }
  let known = file.truth.tracks.values.reduce(0) { $0 + $1.count }
  FuzzInput.expect(known <= poses, "truth without a row")
}
