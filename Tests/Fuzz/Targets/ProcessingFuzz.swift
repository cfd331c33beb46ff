import Fathom
@testable import FathomRecordings

/// From files to results: every method processes any recording, and every range is counted in the
/// results.
///
/// The input is an anchors file and a ranges file, separated by a line of three equals signs.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProcessing(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let (bytes, choice) = FuzzInput.bytesAndChoice(start, count) else { return 0 }
  let files = bytes.split(separator: Array("===\n".utf8), maxSplits: 1)
  guard let recording = try? recording(files.map(Array.init)) else { return 0 }
  // Larger recordings only take longer.
  guard recording.rowsRead < 200, recording.anchors.count < 40 else { return 0 }

  var settings = ProcessingSettings()
  settings.method = PositionMethod.allCases[Int(choice) % PositionMethod.allCases.count]
  settings.smoothing = SmoothingMethod.allCases[Int(choice >> 2) % SmoothingMethod.allCases.count]
  if choice & 128 != 0 { settings.heightM = 1 }
  let processed = recording.processed(with: settings)

  FuzzInput.expect(processed.distances.time.count == recording.ranges.count, "ranges are lost")
  let counted = processed.summary.decisions.values.reduce(0, +)
  FuzzInput.expect(counted == recording.ranges.count, "decisions on \(counted) ranges")
  for position in processed.positions.position {
    for axis in 0..<3 { FuzzInput.expect(!position[axis].isInfinite, "\(position)") }
  }
  let written = ResultWriter.files(of: processed, in: "f")
  do throws(RecordingError) {
    let positions = try ResultReader.positions(ByteSource(path: "f", stored: written[0].bytes))
    FuzzInput.expect(positions.count == processed.positions.count, "positions written")
    let distances = try ResultReader.distances(ByteSource(path: "f", stored: written[1].bytes))
    FuzzInput.expect(distances.time.count == recording.ranges.count, "distances written")
  } catch {
    fatalError("the results cannot be read: \(error)")
  }
  return 0
}

/// Returns the recording of an anchors and a ranges file, or of a ranges file only.
private func recording(_ files: [[UInt8]]) throws(RecordingError) -> Recording {
  var recording = Recording(name: "f")
  var declared = DeclaredAnchors()
  if files.count > 1 {
    declared = try AnchorsReader.read(
      ByteSource(path: "f", stored: files[0]), options: RecordingOptions())
  }
  let file = try RangesReader.read(
    StoredInput(path: "f", bytes: files.last ?? []), options: RecordingOptions(),
    declared: declared.names)
  recording.anchors = declared.anchors
  recording.anchorNames = file.anchorNames
  recording.tagNames = file.tagNames
  recording.ranges = file.ranges
  recording.events = file.events
  recording.rejected = file.rejected
  recording.rowsRead = file.rowsRead
  return recording
}
