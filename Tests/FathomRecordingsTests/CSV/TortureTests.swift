import Fathom
import FathomRecordings
import Foundation
import TestSupport
import Testing

/// Damaged and unusual recordings, each with the outcome in the manifest.
@Suite(.needsReference("oracles/csv/torture")) struct TortureTests {
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    var file: String
    var outcome: String
    var lines: [Int]
    var rows: [Row]?

    var testDescription: String { file }
  }

  /// A row of the manifest: `[timestamp, anchor, distance]`.
  struct Row: Decodable, Sendable, Equatable {
    var time: Double
    var anchor: String
    var distance: Double

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      time = try values.decode(Double.self)
      anchor = try values.decode(String.self)
      distance = try values.decode(Double.self)
    }

    init(_ recording: Recording, _ index: Int) {
      time = recording.ranges.time[index].seconds
      anchor = recording.anchorNames[Int(recording.ranges.anchor[index])]
      distance = recording.ranges.distance[index]
    }
  }

  static let cases: [Case] =
    (try? oracle(at: Reference.url("oracles/csv/manifest.json"))) ?? []

  /// Fathom's results where the manifest leaves the outcome open: the rejected lines and the
  /// distances.
  static let documented: [String: (lines: [Int], distances: [Double])] = [
    // The name is kept unchanged, including quotes.
    "quote_mid_field.csv": ([], [2.5]),
    "tab_separated.csv": ([], [2.5, 3.5, 2.75]),
    "num__2b2_2e5.csv": ([], [2.5, 3]),
    "num_5_2e.csv": ([], [5, 3]),
    "num_empty.csv": ([2], [3]),
    "num_NA.csv": ([2], [3]),
    // Rounds to zero, which is not a distance.
    "num_1e_2d400.csv": ([2], [3]),
    // Distances have no plausibility limit.
    "num_9007199254740993.csv": ([], [9_007_199_254_740_992, 3]),
    "nul_byte.csv": ([2], [3.5]),
    "long_field_1MB.csv": ([2], []),
    // Kept in the order of the file; the engine sorts by time.
    "ts_backward.csv": ([], [2.5, 2.6, 2.7, 2.8]),
    "ts_iso8601.csv": ([], [2.5]),
    "dist_zero.csv": ([2, 3], []),
    "gz_compressed.csv.gz": ([], [2.5, 3.5, 2.75]),
  ]

  @Test func manifestIsComplete() { #expect(Self.cases.count >= 55) }

  @Test(arguments: cases) func outcome(_ item: Case) throws {
    let path = Reference.url("oracles/csv/torture/\(item.file)").path(percentEncoded: false)
    if item.outcome == "error" {
      do throws(RecordingError) {
        _ = try RecordingReader.read(path)
        Issue.record("read")
      } catch {
        #expect(error.exitCode == 65)
        #expect("\(error)".utf8.count < path.utf8.count + 500)
      }
      return
    }
    let recording = try RecordingReader.read(path)
    #expect(recording.rowsRead == recording.ranges.count + recording.rejected.count)
    for row in recording.rejected {
      #expect(row.reason.utf8.count < 200 && row.text.utf8.count < 210)
    }
    switch item.outcome {
    case "accept": #expect(recording.rejected.isEmpty)
    case "set_aside": #expect(recording.rejected.map(\.line) == item.lines)
    default:
      let answer = try #require(Self.documented[item.file])
      #expect(recording.rejected.map(\.line) == answer.lines)
      #expect(recording.ranges.distance == answer.distances)
    }
    if let rows = item.rows {
      #expect(recording.ranges.distance.indices.map { Row(recording, $0) } == rows)
    }
    if recording.ranges.count == 0 {
      #expect(recording.notes.contains { $0.contains("no usable range") || $0.contains("no rows") })
    }
  }
}
