import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// A tag on an ellipse in the room of ``roomAnchors``, whose ranges a test writes in the layout of a
/// device and reads back to positions.
struct SimulatedWalk {
  /// A range of the walk.
  struct Range {
    /// Number of the round in which every anchor is ranged, from 0.
    var round: Int
    var seconds: Double
    /// Index in ``roomAnchors``.
    var anchor: Int
    var distance: Double

    /// Name of the anchor.
    var name: String { roomAnchors[anchor].name }
    var millimetres: Int { Int((1000 * distance).rounded()) }
    var centimetres: Int { Int((100 * distance).rounded()) }
    var milliseconds: Int { Int((1000 * seconds).rounded()) }
    /// The seconds of a clock that is at a full minute at the begin, `05.123`.
    var clockSeconds: String {
      let (whole, rest) = (milliseconds / 1000, milliseconds % 1000)
      return "\(whole < 10 ? "0" : "")\(whole).\(String(1000 + rest).dropFirst())"
    }
  }

  /// Number of rounds, 10 a second.
  var rounds = 150

  /// Names of the anchors in the anchors file, in the order of ``roomAnchors``.
  var names = roomAnchors.map(\.name)

  /// Returns the position `seconds` after the begin of the walk.
  static func position(at seconds: Double) -> Vector<3> {
    let phase = 0.25 * seconds
    return Vector([4 + 2.5 * Foundation.cos(phase), 3 + 1.5 * Foundation.sin(phase), 1])
  }

  /// All ranges in order of time.
  var ranges: [Range] { (0..<rounds).flatMap { round($0) } }

  /// Returns the ranges of a round, which are simultaneous.
  func round(_ round: Int) -> [Range] {
    let seconds = Double(round) / 10
    return roomAnchors.indices.map { anchor in
      Range(
        round: round, seconds: seconds, anchor: anchor,
        distance: roomDistance(to: anchor, from: Self.position(at: seconds)))
    }
  }

  /// Returns a line per range.
  func lines(_ line: (Range) -> String) -> String { ranges.map { line($0) + "\n" }.joined() }

  /// Returns a line per round.
  func roundLines(_ line: ([Range]) -> String) -> String {
    (0..<rounds).map { line(round($0)) + "\n" }.joined()
  }

  /// The anchors file.
  var anchors: String {
    "id,x,y,z\n"
      + zip(names, roomAnchors).map { name, room in
        let place = room.anchor.position
        return "\(name),\(place[0]),\(place[1]),\(place[2])\n"
      }.joined()
  }

  /// Reads `bytes`, a file called `file` beside the anchors, and expects all ranges and the positions
  /// of the walk; then writes the recording and expects the same ranges from the written files.
  ///
  /// - Returns: The recording, for further expectations.
  @discardableResult
  func expectPositions(
    _ bytes: [UInt8], file: String = "walk.log", options: RecordingOptions = RecordingOptions(),
    _ format: LogFormat? = nil, rejected: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Recording? {
    var result: Recording?
    try withTemporaryFolder { folder in
      try Data(bytes).write(to: URL(filePath: "\(folder)/\(file)"))
      try Data(anchors.utf8).write(to: URL(filePath: "\(folder)/anchors.csv"))
      let (recording, layout) = try RecordingReader.readWithLayout(
        "\(folder)/\(file)", anchors: nil, options: options)
      result = recording
      if let format { #expect(layout.format == format, sourceLocation: sourceLocation) }
      expectPositions(of: recording, rejected: rejected, sourceLocation)
      let copy = "\(folder)/copy"
      try OutputFile.write(
        RecordingWriter.files(of: recording).map {
          OutputFile(path: "\(copy)/\($0.name)", bytes: $0.bytes)
        })
      let again = try RecordingReader.read(copy)
      #expect(again.ranges.distance == recording.ranges.distance, sourceLocation: sourceLocation)
      #expect(again.ranges.time == recording.ranges.time, sourceLocation: sourceLocation)
      #expect(again.ranges.anchor == recording.ranges.anchor, sourceLocation: sourceLocation)
    }
    return result
  }

  /// The same for a text.
  @discardableResult
  func expectPositions(
    _ text: String, file: String = "walk.log", options: RecordingOptions = RecordingOptions(),
    _ format: LogFormat? = nil, rejected: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Recording? {
    try expectPositions(
      Array(text.utf8), file: file, options: options, format, rejected: rejected,
      sourceLocation: sourceLocation)
  }

  /// Expects that `recording` has all ranges, and that `fix` finds the positions of the walk.
  func expectPositions(
    of recording: Recording, rejected: Int = 0, _ sourceLocation: SourceLocation
  ) {
    #expect(recording.ranges.count == 4 * rounds, sourceLocation: sourceLocation)
    #expect(
      recording.rejected.total == rejected, "\(recording.rejected.reasons)",
      sourceLocation: sourceLocation)
    #expect(
      recording.rowsRead == recording.ranges.count + rejected, sourceLocation: sourceLocation)
    var settings = ProcessingSettings()
    settings.method = .fix
    // At a known height no mirror image explains the ranges as well.
    var recording = recording
    recording.facts.heightM = 1
    let positions = recording.processed(with: settings).positions
    #expect(positions.count >= rounds - 2, sourceLocation: sourceLocation)
    guard let start = recording.ranges.time.first, positions.count > 0 else { return }
    var sum = 0.0
    for (time, position) in zip(positions.time, positions.position) {
      let error = position - Self.position(at: time.seconds(since: start))
      sum += error[0] * error[0] + error[1] * error[1]
    }
    // Distances in whole centimetres are 3 mm off on average.
    let rmse = (sum / Double(positions.count)).squareRoot()
    #expect(rmse < 0.05, "RMSE \(rmse) m", sourceLocation: sourceLocation)
  }
}
