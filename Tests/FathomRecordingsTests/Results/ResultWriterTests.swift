import Fathom
import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct ResultWriterTests {
  private func processed(
    _ change: (inout ProcessedRecording) -> Void = { _ in }
  ) -> ProcessedRecording {
    let empty = Recording.made(ranges: [])
    var processed = empty.processed()
    processed.name = "walk"
    change(&processed)
    return processed
  }

  private func texts(_ processed: ProcessedRecording) -> [String] {
    ResultWriter.files(of: processed, in: "out").map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test func namesFilesAfterRecording() {
    #expect(
      ResultWriter.files(of: processed(), in: "out").map(\.path) == [
        "out/walk.positions.csv", "out/walk.distances.csv", "out/walk.rejected.csv",
        "out/walk.summary.json",
      ])
    // The folder stays as given: relative, and without escaping.
    #expect(
      ResultWriter.paths(of: "a b%20#", in: "../x y/").first == "../x y/a b%20#.positions.csv")
    #expect(ResultWriter.paths(of: "w", in: "/").first == "/w.positions.csv")
    #expect(ResultWriter.paths(of: "w", in: ".").first == "./w.positions.csv")
    #expect(ResultWriter.paths(of: "w", in: "").first == "w.positions.csv")
  }

  /// The headers are a stable interface.
  @Test func writesStableHeaders() {
    #expect(
      Array(texts(processed()).prefix(3)) == [
        "time_s,tag,x_m,y_m,z_m,sxx,sxy,sxz,syy,syz,szz,ranges_used,ranges_rejected,status\n",
        "time_s,tag,anchor,distance_m,smoothed_m,sigma_m,quality,zone,azimuth_rad,elevation_rad,"
          + "decision\n",
        "line,column,reason,text\n",
      ])
  }

  @Test func writesPositionRow() {
    let text = texts(
      processed {
        $0.positions.append(
          at(1.5), "T", Vector([1, -2, 0.00004]), Matrix([[1, 2, 3], [2, 4, 5], [3, 5, 6]]),
          used: 4, rejected: 1, status: .tracking)
        $0.positions.append(
          at(2.25), "a,b", .undetermined, .undetermined, used: 0, rejected: 2, status: .starting)
      })[0]
    #expect(
      text.split(separator: "\n").dropFirst() == [
        "1.50,T,1.0000,-2.0000,0.0000,1.00000000,2.00000000,3.00000000,4.00000000,5.00000000,"
          + "6.00000000,4,1,tracking",
        "2.25,\"a,b\",,,,,,,,,,0,2,starting",
      ])
  }

  @Test func writesDistanceRow() {
    let text = texts(
      processed {
        $0.distances.time = [at(0), at(0.125)]
        $0.distances.tag = ["T", "T"]
        $0.distances.anchor = ["A", "B"]
        $0.distances.distance = [2.31, 3]
        $0.distances.smoothed = [2.3, .nan]
        $0.distances.sigma = [0.1, .nan]
        $0.distances.quality = [.close, .unknown]
        $0.distances.zone = [.outer, .outside]
        $0.distances.azimuth = [-0.5, .nan]
        $0.distances.elevation = [.nan, .nan]
        $0.distances.decision = [.used, .duplicate]
      })[1]
    #expect(
      text.split(separator: "\n").dropFirst() == [
        "0.000,T,A,2.3100,2.3000,0.1000,close,outer,-0.500000,,used",
        "0.125,T,B,3.0000,,,unknown,outside,,,duplicate",
      ])
  }

  @Test func writesRejectedRow() {
    let text = texts(
      processed {
        $0.rejected = [
          RejectedRow(line: 2, column: "distance_m", reason: "is \"odd\"", text: "1,T,A,\"2,31\"")
        ]
      })[2]
    #expect(
      text == "line,column,reason,text\n"
        + "2,distance_m,\"is \"\"odd\"\"\",\"1,T,A,\"\"2,31\"\"\"\n")
  }

  /// Writing and reading restore any instant, including present Unix times with nine decimals.
  @Test func timesRoundTripToTheNanosecond() throws {
    var generator = SeededGenerator(seed: 31)
    for digits in 0...9 {
      var unit: Int64 = 1
      for _ in digits..<9 { unit *= 10 }
      let times = (0..<200).map { _ in
        Timestamp(
          nanoseconds: (1_790_000_000_000_000_000
            + Int64(truncatingIfNeeded: generator.next() >> 8) % 1_000_000_000_000_000_000)
            / unit * unit)
      }
      let ranges = times.map { _ in MadeRange(seconds: 0, anchor: "A", distance: 2) }
      var recording = Recording.made(ranges: ranges)
      recording.ranges.time = times
      let bytes = ResultWriter.files(of: recording.processed(), in: "out")[1].bytes
      let file = try RangesReader.read(
        StoredInput(path: "distances.csv", bytes: bytes), options: RecordingOptions(),
        declared: [])
      #expect(file.ranges.time == times.sorted(), "seed 31, \(digits) decimals")
    }
  }
}
