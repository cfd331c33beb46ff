import Fathom
import Testing

@testable import FathomRecordings

@Suite struct PositionLinesReaderTests {
  private func read(_ lines: String...) throws -> RecordedTrajectory {
    try TrajectoryReader.read(
      ByteSource(path: "walk.jsonl", stored: Array(lines.joined(separator: "\n").utf8)))
  }

  @Test func readsKeysOfColumns() throws {
    let file = try read(
      #"{"time_s":1305031098.665900001,"tag":"T","x_m":1.5,"y_m":-2,"z_m":0.25,"sxx":0.1,"#
        + #""sxy":1e-2,"sxz":0.02,"syy":0.2,"syz":0.03,"szz":0.3,"status":"tracking"}"#, "",
      #"{"y_m":null,"x_m":null,"time_s":-2.5,"odd":[1,{"time_s":3}],"tag":"a \"b\", c"}"#)
    #expect(file.format == .jsonl && file.rowsRead == 2 && file.rejected.isEmpty)
    let track = try #require(file.tracks["T"])
    // To the nanosecond, which a Double cannot represent for seconds since 1970.
    #expect(track.times.map(\.nanoseconds) == [1_305_031_098_665_900_001])
    #expect(track.positions[0].array == [1.5, -2, 0.25])
    #expect(
      track.covariances?[0].array == [[0.1, 0.01, 0.02], [0.01, 0.2, 0.03], [0.02, 0.03, 0.3]])
    let other = try #require(file.tracks["a \"b\", c"])
    #expect(other.times[0].nanoseconds == -2_500_000_000 && other.positions[0][0].isNaN)
    #expect(other.covariances?[0][0, 0].isNaN == true)
  }

  /// Results written in both formats read the same.
  @Test func linesMatchCSVRows() throws {
    let ranges = polledRanges(from: Vector([3, 2, 1]), rounds: 20)
    let processed = Recording.made(anchors: roomAnchors, ranges: ranges).processed()
    let text = ResultWriter.text(of: processed, formats: [.csv, .jsonl], tags: ["T"])
    let rows = try TrajectoryReader.read(ByteSource(path: "r", stored: text.positions.bytes))
    let lines = try TrajectoryReader.read(ByteSource(path: "r", stored: text.positionLines.bytes))
    #expect(rows.format == .csv && lines.format == .jsonl)
    #expect(lines.rowsRead == rows.rowsRead && lines.rowsRead > 20 && lines.rejected.isEmpty)
    let (left, right) = (try #require(rows.tracks["T"]), try #require(lines.tracks["T"]))
    #expect(left.times == right.times)
    func bits(_ track: EstimatedTrack) -> [[UInt64]] {
      track.positions.indices.map { index in
        let covariance = track.covariances?[index].array.flatMap { $0 } ?? []
        return (track.positions[index].array + covariance).map { $0.isNaN ? 0 : $0.bitPattern }
      }
    }
    #expect(bits(left) == bits(right))
  }

  @Test func readsLinesWithoutCovariance() throws {
    let file = try read(#"{"time_s":1,"x_m":1,"y_m":2}"#)
    #expect(file.tracks[""]?.covariances == nil && file.tracks[""]?.positions[0][2].isNaN == true)
  }

  @Test(arguments: [
    (#"{"time_s":1,"x_m":2}"#, "y_m is missing"), (#"{"x_m":1,"y_m":2}"#, "time_s is missing"),
    (#"{"time_s":null,"x_m":1,"y_m":2}"#, "time_s is not a number"),
    (#"{"time_s":"1","x_m":1,"y_m":2}"#, "time_s is not a number"),
    (#"{"time_s":1e30,"x_m":1,"y_m":2}"#, "time_s exceeds 292 years"),
    (#"{"time_s":1,"x_m":true,"y_m":2}"#, "x_m is not a number"),
    (#"{"time_s":1,"x_m":1,"y_m":1e999}"#, "row is not JSON"),
    (#"{"time_s":1,"tag":3,"x_m":1,"y_m":2}"#, "tag is not a string"),
    (#"{"time_s":1,"x_m":1,"y_m":2"#, "row is not JSON"), ("[1, 2]", "row is not a JSON object"),
    ("time_s,x_m,y_m", "row is not JSON"), (#"{"time_s":1,"x_m":NaN,"y_m":2}"#, "row is not JSON"),
  ])
  func rejectsInvalidLines(_ line: String, _ reason: String) throws {
    let good = #"{"time_s":1,"x_m":1,"y_m":2}"#
    let file = try read(good, line, good)
    #expect(file.rowsRead == 3 && file.tracks[""]?.count == 2)
    #expect(file.rejected.map(\.line) == [2] && file.rejected.map(\.reason) == [reason])
    let alone = #expect(throws: RecordingError.self) {
      try TrajectoryReader.read(
        ByteSource(path: "walk.jsonl", stored: Array(line.utf8)), format: .jsonl)
    }
    #expect(
      alone?.description == "walk.jsonl:1: no row is usable as jsonl; first reason: \(reason)")
  }
}
