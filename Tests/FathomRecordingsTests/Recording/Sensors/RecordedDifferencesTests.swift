import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// Recordings of time differences without ranges.
@Suite struct RecordedDifferencesTests {
  private static let anchors = """
    id,x,y
    A,0,0
    B,10,0
    C,10,8
    D,0,8
    E,5,9

    """

  /// A tag that walks along a line; the differences to `reference`, in either order.
  private static func text(isTurned: Bool = false, extra: String = "") -> String {
    let places: [(String, Double, Double)] = [
      ("A", 0, 0), ("B", 10, 0), ("C", 10, 8), ("D", 0, 8), ("E", 5, 9),
    ]
    var text = "time_s,tag,anchor_a,anchor_b,difference_m\n"
    for step in 0..<60 {
      let (x, y) = (2 + 0.1 * Double(step), 3 + 0.03 * Double(step))
      let lengths = places.enumerated().map { index, place in
        hypot(x - place.1, y - place.2) + 0.02 * sin(Double(7 * step + 3 * index))
      }
      for index in 1..<places.count {
        let difference = lengths[0] - lengths[index]
        let time = String(format: "%.1f", 0.2 * Double(step))
        text +=
          isTurned
          ? "\(time),t,\(places[index].0),A,\(-difference)\n"
          : "\(time),t,A,\(places[index].0),\(difference)\n"
      }
    }
    return text + extra
  }

  /// Calls `body` with the folder of a recording.
  private static func withRecording<Result>(
    _ text: String, _ body: (String) throws -> Result
  ) throws -> Result {
    var result: Result?
    try withTemporaryFolder { folder in
      let url = URL(filePath: folder)
      try Data(anchors.utf8).write(to: url.appending(path: "anchors.csv"))
      try Data(text.utf8).write(to: url.appending(path: "tdoa.csv"))
      result = try body(folder)
    }
    return try #require(result)
  }

  private static func processed(
    _ text: String, _ method: PositionMethod
  ) throws -> (recording: Recording, results: ProcessedRecording) {
    try withRecording(text) { folder in
      let recording = try RecordingReader.read(folder)
      var settings = ProcessingSettings()
      settings.method = method
      return (recording, recording.processed(with: settings))
    }
  }

  @Test(arguments: PositionMethod.allCases)
  func everyMethodLocatesTheTag(_ method: PositionMethod) throws {
    let (recording, results) = try Self.processed(Self.text(), method)
    #expect(recording.ranges.count == 0 && recording.tagNames == ["t"])
    let positions = results.positions
    #expect(positions.count == 60)
    for index in 10..<positions.count {
      let step = (positions.time[index].seconds / 0.2).rounded()
      let error = hypot(
        positions.position[index][0] - (2 + 0.1 * step),
        positions.position[index][1] - (3 + 0.03 * step))
      #expect(error < 0.2, "\(method) \(index)")
      #expect(positions.used[index] == 4)
    }
    #expect(results.summary.rows.used == 240 && results.summary.rows.read == 240)
    #expect((results.summary.consistency != nil) == (method == .filter))
  }

  /// Rows that name the reference second give the same positions.
  @Test(arguments: PositionMethod.allCases)
  func referenceMayComeSecond(_ method: PositionMethod) throws {
    let one = try Self.processed(Self.text(), method).results.positions
    let other = try Self.processed(Self.text(isTurned: true), method).results.positions
    #expect(one.count == other.count)
    for index in 0..<min(one.count, other.count) {
      #expect((one.position[index] - other.position[index]).length < 1e-6)
    }
  }

  @Test func rejectedRowsAreAccountedFor() throws {
    let (recording, results) = try Self.processed(
      Self.text(extra: "99,t,A,A,1\n99,t,A,Z,1\nx,t,A,B,1\n"), .filter)
    #expect(recording.rejected.total == 3)
    #expect(recording.rowsRead == 243)
    #expect(results.summary.rows.rejected == 3 && results.summary.rows.used == 240)
  }

  @Test func nothingUsableIsAnError() throws {
    try Self.withRecording("time_s,tag,anchor_a,anchor_b,difference_m\nx,t,A,B,1\n") { path in
      let metadata = try RecordingMetadata(path, anchors: nil, options: RecordingOptions())
      let prescan = try RecordingPrescan(metadata, options: RecordingOptions())
      #expect(throws: RecordingError.self) {
        try prescan.outline.requireRows(ProcessingSettings(), isStrict: false)
      }
    }
  }

  @Test func inspectionNamesTheColumns() throws {
    let found = try Self.withRecording(Self.text()) { try RecordingInspection(path: $0) }
    #expect(found.differences == 240 && found.ranges == 0)
    #expect(
      found.columns.map(\.meaning) == ["time_s", "tag", "anchor_a", "anchor_b", "difference_m"])
    #expect(found.columns.map(\.unit) == ["s", nil, nil, nil, "m"])
    #expect(found.path.hasSuffix("tdoa.csv"))
  }

  @Test func datesConvert() {
    #expect(Timestamp(Date(timeIntervalSince1970: 1.5)).nanoseconds == 1_500_000_000)
    #expect(Timestamp(Date(timeIntervalSince1970: 1e12)).nanoseconds == .max)
    #expect(Timestamp(Date(timeIntervalSince1970: -1e12)).nanoseconds == .min)
    #expect(Timestamp(nanoseconds: -2_500_000_000).date.timeIntervalSince1970 == -2.5)
  }
}
