import Fathom
import Foundation
import Testing

@testable import FathomRecordings

/// Summaries are read back, and anybody can have changed them.
@Suite struct SummaryCheckTests {
  private func summary() -> RecordingSummary {
    var settings = ProcessingSettings()
    settings.heightM = 1
    return Recording.made(
      anchors: roomAnchors, ranges: polledRanges(from: Vector([3, 2, 1]), rounds: 30)
    ).processed(with: settings).summary
  }

  /// Returns the reason why the summary with `change` is refused; nil if it is read.
  private func refusal(_ change: (inout RecordingSummary) -> Void) -> String? {
    var summary = summary()
    change(&summary)
    do throws(RecordingError) {
      _ = try ResultReader.summary(in: ResultWriter.summary(summary), of: "s")
      return nil
    } catch {
      guard case .badData("s", nil, let reason) = error else { return "another error" }
      return String(reason.dropFirst("not a summary written by fathom process: ".count))
    }
  }

  @Test func acceptsWhatProcessWrites() throws {
    #expect(refusal { _ in } == nil)
    #expect(summary().consistency?.timeline?.isEmpty == false)
  }

  /// With such a value the engine stops at a precondition.
  @Test(arguments: [0, -1, 1e308])
  func rejectsImpossibleSettings(_ value: Double) {
    #expect(
      refusal { $0.settings.rangeSigmaM = value } == "range_sigma_m must be from 1e-06 to 1000000")
    #expect(
      refusal { $0.settings.angleSigmaRad = value }
        == "angle_sigma_rad must be from 1e-08 to 3.14159")
  }

  @Test func rejectsNumbersThatAreNotFinite() {
    for value in [Double.nan, .infinity] {
      #expect(refusal { $0.settings.rangeSigmaM = value } != nil)
      #expect(refusal { $0.consistency?.timeline?[0].endS = value } != nil)
      #expect(refusal { $0.links[0].rateHz = value } != nil)
    }
  }

  @Test func rejectsImpossibleTimelinesAndCounts() {
    #expect(refusal { $0.consistency?.timeline?[0].count = 1 << 40 } != nil)
    #expect(refusal { $0.consistency?.timeline?[0].count = 0 } != nil)
    #expect(refusal { $0.consistency?.timeline?[0].startS = 1e9 } != nil)
    #expect(refusal { $0.consistency?.timeline?[0].meanNormalizedSquare = -1 } != nil)
    #expect(refusal { $0.rows.read = -1 } == "rows is out of range")
    #expect(refusal { $0.links[0].ranges = .max } == "links.ranges is out of range")
    let box = refusal { $0.settings.boundsM = [[1, 2], [0, 0]] }
    #expect(box?.hasPrefix("bounds_m must be the least") == true)
  }

  @Test func rejectsRowsOutOfOrder() {
    let header = ResultWriter.positionsHeader
    let rows = "2,T,1,1,1,,,,,,,1,0,fix\n1,T,1,1,1,,,,,,,1,0,fix\n"
    #expect(
      throws: RecordingError.badData(
        path: "p", line: 3, reason: "time_s is earlier than in the row before")
    ) {
      try ResultReader.positions(ByteSource(path: "p", stored: Array("\(header)\n\(rows)".utf8)))
    }
  }
}
