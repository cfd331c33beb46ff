import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct RecordingSummaryTests {
  /// A summary with every part that there can be.
  private func full() throws -> RecordingSummary {
    // Centimetres that change, so that the links have a spread.
    let ranges = polledRanges(from: Vector([1, 1, 1]), rounds: 40).enumerated().map { step, range in
      MadeRange(
        seconds: range.seconds, anchor: range.anchor,
        distance: range.distance + 0.01 * Double(step % 7))
    }
    var recording = Recording.made(
      anchors: roomAnchors, ranges: ranges,
      events: [MadeEvent(seconds: 1, event: .suspended)])
    recording.sources = [SourceFile(path: "walk/ranges.csv", bytes: 12, xxh3: "0f")]
    recording.notes = ["ignored columns: \"run\""]
    recording.rejected = [
      RejectedRow(line: 7, column: "time_s", reason: "time_s is not a number: \"x\"", text: "x,1")
    ]
    recording.rowsRead += 1
    var summary = recording.processed().summary
    summary.request = RecordingRequest(
      settings: ProcessingSettings(), reading: RecordingOptions(), isStrict: false)
    summary.results = [
      RecordingSummary.ResultFile(name: "walk.positions.csv", bytes: 7, xxh3: "00")
    ]
    summary.undeterminedEpochs = 0
    summary.settings.rateHz = 10
    summary.settings.epochWindowS = 0.1
    summary.settings.heightM = 1
    return summary
  }

  private func object(_ summary: RecordingSummary) throws -> [String: Any] {
    let data = Data(ResultWriter.line(of: summary).utf8)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func keysAreInSnakeCaseWithUnits() throws {
    let object = try object(try full())
    func keys(_ name: String) -> Set<String> {
      let value = (object[name] as? [Any])?.first ?? object[name]
      return Set((value as? [String: Any])?.keys.map { $0 } ?? [])
    }
    #expect(
      Set(object.keys) == [
        "recording", "version", "sources", "settings", "rows", "time", "links", "decisions",
        "positions", "undetermined_epochs", "consistency", "calibration", "zone_events", "notes",
        "warnings", "request", "results",
      ])
    #expect(keys("sources") == ["path", "bytes", "xxh3"])
    #expect(keys("results") == ["name", "bytes", "xxh3"])
    #expect(keys("request") == ["settings", "reading", "strict"])
    #expect(
      keys("settings") == [
        "method", "rate_hz", "epoch_window_s", "height_m", "smoothing", "range_sigma_m",
        "angle_sigma_rad", "acceleration_density",
      ])
    #expect(keys("rows") == ["read", "used", "events", "set_aside", "reasons"])
    #expect(keys("time") == ["start_s", "end_s", "out_of_order"])
    #expect(
      keys("links") == [
        "tag", "anchor", "ranges", "segments", "rate_hz", "loss", "spread_m", "hold", "score",
      ])
    #expect(
      keys("consistency") == [
        "mean_normalized_square", "sigma_scale", "innovations", "timeline",
      ])
    #expect(keys("zone_events") == ["time_s", "tag", "anchor", "radius_m", "kind"])
  }

  @Test func numbersAreTheOnesOfTheRecording() throws {
    let summary = try full()
    #expect(summary.rows.read == 162 && summary.rows.used == 161 && summary.rows.events == 1)
    #expect(summary.rows.reasons == ["time_s is not a number": 1])
    #expect(summary.time == RecordingSummary.Time(startS: 0, endS: 3.975, outOfOrder: 0))
    #expect(summary.notes == ["ignored columns: \"run\""])
    #expect(summary.warnings.isEmpty)
    #expect(summary.links.map(\.segments) == [2, 2, 2, 2])
    #expect(
      summary.sources == [
        RecordingSummary.Source(path: "walk/ranges.csv", bytes: 12, xxh3: "0f")
      ])
    #expect(summary.version == FathomVersion.current)
    let consistency = try #require(summary.consistency)
    // Nearly exact ranges: the innovations are far below what was expected.
    #expect(consistency.meanNormalizedSquare < 0.5 && consistency.innovations > 100)
  }

  @Test func aLineIsOneLineAndTheFileIsTheSame() throws {
    let summary = try full()
    #expect(!ResultWriter.line(of: summary).contains("\n"))
    let processed = ProcessedRecording(
      name: "walk", distances: DistanceColumns(), positions: PositionColumns(), rejected: [],
      summary: summary)
    let file = try #require(ResultWriter.files(of: processed, in: "out").last)
    #expect(file.path == "out/walk.summary.json")
    #expect(file.bytes.last == UInt8(ascii: "\n"))
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    #expect(try decoder.decode(RecordingSummary.self, from: Data(file.bytes)) == summary)
  }

  @Test func numbersAreFinite() throws {
    // One range: no rate, no statistics, no consistency.
    let recording = Recording.made(
      anchors: roomAnchors, ranges: [MadeRange(seconds: 1, anchor: "A", distance: 2)])
    for recording in [recording, Recording.made(ranges: [])] {
      let text = ResultWriter.line(of: recording.processed().summary)
      #expect(!text.contains("NaN") && !text.contains("Infinity"))
    }
    let link = try #require(recording.processed().summary.links.first)
    #expect(link.rateHz == nil && link.loss == nil && link.score == nil)
  }

  // MARK: Warnings

  private func warnings(
    _ recording: Recording, _ change: (inout ProcessingSettings) -> Void = { _ in }
  ) -> [String] {
    var settings = ProcessingSettings()
    change(&settings)
    return recording.processed(with: settings).summary.warnings
  }

  @Test func aGoodRecordingHasNone() {
    let recording = Recording.made(
      anchors: roomAnchors, ranges: polledRanges(from: Vector([3, 2, 1]), rounds: 10))
    #expect(warnings(recording).isEmpty)
  }

  @Test func sortingIsTold() {
    let ranges = polledRanges(from: Vector([3, 2, 1]), rounds: 10)
    let late = Array(ranges[1...]) + [ranges[0]]
    #expect(
      warnings(.made(anchors: roomAnchors, ranges: late)) == [
        "the file is not in order of time; sorted: 1 range"
      ])
    #expect(
      warnings(.made(anchors: roomAnchors, ranges: ranges.reversed())).first
        == "the file is not in order of time; sorted: 39 ranges")
  }

  @Test func mirrorImagesAreTold() throws {
    let flat = roomAnchors.map { name, anchor in
      (name, Anchor(position: Vector<3>([anchor.position[0], anchor.position[1], 2])))
    }
    let tag = Vector<3>([3, 2, 1])
    let ranges = (0..<10).flatMap { step in
      flat.map { name, anchor in
        MadeRange(
          seconds: Double(step), anchor: name, distance: (anchor.position - tag).length)
      }
    }
    let told = try #require(
      warnings(.made(anchors: flat, ranges: ranges)) { $0.method = .fix }.first)
    #expect(told.hasPrefix("10 positions have a mirror image"))
    #expect(told.contains("--height"))
    #expect(
      warnings(.made(anchors: flat, ranges: ranges)) {
        $0.method = .fix
        $0.heightM = 1
      }.isEmpty)
  }

  /// Who has given the height is not told to give it: two anchors leave a mirror image in the
  /// plane.
  @Test func mirrorImagesInThePlaneWantAnchors() throws {
    let two = roomAnchors.prefix(2).map { name, anchor in
      MadeRange(
        seconds: 1, anchor: name, distance: (anchor.position - Vector<3>([3, 2, 1])).length)
    }
    let told = try #require(
      warnings(.made(anchors: roomAnchors, ranges: two)) {
        $0.method = .fix
        $0.heightM = 1
      }.first)
    #expect(told.hasPrefix("1 position has a mirror image"))
    #expect(!told.contains("--height") && told.contains("anchors"))
  }

  @Test(arguments: PositionMethod.allCases)
  func noPositionAtAllIsTold(_ method: PositionMethod) {
    let ranges = (0..<20).map { MadeRange(seconds: Double($0), anchor: "A", distance: 3) }
    let told = warnings(.made(anchors: roomAnchors, ranges: ranges)) { $0.method = method }
    #expect(
      told == ["no position: the ranges never determine one; are there enough anchors?"])
  }

  @Test func scatterBeyondTheAssumedIsTold() throws {
    let ranges = polledRanges(from: Vector([3, 2, 1]), rounds: 60).enumerated().map { step, range in
      MadeRange(
        seconds: range.seconds, anchor: range.anchor,
        distance: range.distance + (step / 4 % 2 == 0 ? 0.5 : -0.5))
    }
    let told = try #require(warnings(.made(anchors: roomAnchors, ranges: ranges)).last)
    // That ranges are noisier than assumed was found and taken into account; that errors jump was
    // not.
    #expect(told.hasPrefix("some ranges lie far off and count less"))
    #expect(
      warnings(.made(anchors: roomAnchors, ranges: ranges)) { $0.rangeSigmaM = 0.5 }.isEmpty)
  }

  /// Directions cannot be carried on to the instants of a grid.
  @Test func aGridWithoutAnchorsIsTold() {
    let recording = Recording.made(ranges: [MadeRange(seconds: 1, anchor: "A", distance: 2)])
    #expect(warnings(recording).isEmpty)
    #expect(
      warnings(recording) { $0.rateHz = 10 } == [
        "no grid without anchors: relative positions keep the instants of their ranges"
      ])
  }
}
