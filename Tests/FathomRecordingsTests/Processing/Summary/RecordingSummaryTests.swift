import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct RecordingSummaryTests {
  /// Returns a summary with every optional part.
  private func full() throws -> RecordingSummary {
    // Changes of centimetres give the links a spread.
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

  @Test func keysAreSnakeCaseWithUnits() throws {
    let object = try object(try full())
    func keys(_ name: String) -> Set<String> {
      let value = (object[name] as? [Any])?.first ?? object[name]
      return Set((value as? [String: Any])?.keys.map { $0 } ?? [])
    }
    #expect(
      Set(object.keys) == [
        "recording", "version", "sources", "settings", "rows", "time", "links", "decisions",
        "positions", "undetermined_epochs", "consistency", "calibration", "zone_events", "notes",
        "warnings", "request", "results", "diagnoses",
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
        "tag", "anchor", "ranges", "segments", "rate_hz", "loss", "spread_m", "hold",
        "consistent", "score",
      ])
    #expect(
      keys("consistency") == [
        "mean_normalized_square", "median_normalized_square", "sigma_scale", "innovations",
        "timeline",
      ])
    #expect(keys("zone_events") == ["time_s", "tag", "anchor", "radius_m", "kind"])
  }

  @Test func numbersMatchTheRecording() throws {
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
    // The ranges are nearly exact, and their standard deviation is found from them.
    #expect(consistency.meanNormalizedSquare < 2 && consistency.innovations > 100)
  }

  @Test func lineAndFileHaveTheSameContent() throws {
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
    // One range gives no rate, no statistics and no consistency.
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

  @Test func goodRecordingHasNoWarnings() {
    let recording = Recording.made(
      anchors: roomAnchors, ranges: polledRanges(from: Vector([3, 2, 1]), rounds: 10))
    #expect(warnings(recording).isEmpty)
  }

  @Test func warnsAboutSorting() {
    let ranges = polledRanges(from: Vector([3, 2, 1]), rounds: 10)
    let late = Array(ranges[1...]) + [ranges[0]]
    #expect(
      warnings(.made(anchors: roomAnchors, ranges: late)) == [
        "the file is not in order of time; 1 range was sorted"
      ])
    #expect(
      warnings(.made(anchors: roomAnchors, ranges: ranges.reversed())).first
        == "the file is not in order of time; 39 ranges were sorted")
  }

  @Test func warnsAboutMirrorImages() throws {
    let coplanar = roomAnchors.map { name, anchor in
      (name, Anchor(position: Vector<3>([anchor.position[0], anchor.position[1], 2])))
    }
    let tag = Vector<3>([3, 2, 1])
    let ranges = (0..<10).flatMap { step in
      coplanar.map { name, anchor in
        MadeRange(
          seconds: Double(step), anchor: name, distance: (anchor.position - tag).length)
      }
    }
    let warning = try #require(
      warnings(.made(anchors: coplanar, ranges: ranges)) { $0.method = .fix }.last)
    #expect(warning.hasPrefix("10 positions have another that explains the ranges equally well"))
    #expect(warning.contains("a mirror image or the position with another range wrong"))
    #expect(warning.contains("--height") && warning.contains("--side above or --side below"))
    #expect(
      warnings(.made(anchors: coplanar, ranges: ranges)) {
        $0.method = .fix
        $0.heightM = 1
      }.isEmpty)
    #expect(
      warnings(.made(anchors: coplanar, ranges: ranges)) {
        $0.method = .fix
        $0.side = .below
      }.isEmpty)
  }

  /// With a given height the warning asks for more anchors instead: two anchors leave a mirror
  /// image in the plane.
  @Test func warnsAboutMirrorImagesInThePlane() throws {
    let two = roomAnchors.prefix(2).map { name, anchor in
      MadeRange(
        seconds: 1, anchor: name, distance: (anchor.position - Vector<3>([3, 2, 1])).length)
    }
    let warning = try #require(
      warnings(.made(anchors: roomAnchors, ranges: two)) {
        $0.method = .fix
        $0.heightM = 1
      }.last)
    #expect(warning.hasPrefix("1 position has another that explains the ranges equally well"))
    #expect(!warning.contains("--height") && warning.contains("anchors"))
  }

  @Test(arguments: PositionMethod.allCases)
  func warnsAboutMissingPositions(_ method: PositionMethod) {
    let ranges = (0..<20).map { MadeRange(seconds: Double($0), anchor: "A", distance: 3) }
    let warning = warnings(.made(anchors: roomAnchors, ranges: ranges)) { $0.method = method }
    #expect(warning.last == "no position was determined")
    #expect(warning.contains { $0.hasPrefix("at most 1 anchor is in range at a time") })
    let few = warnings(.made(anchors: roomAnchors, ranges: Array(ranges.prefix(5)))) {
      $0.method = method
    }
    #expect(few.last == "no position was determined; check that there are enough anchors")
  }

  @Test func warnsIfMostInstantsHaveNoPosition() {
    // One anchor answers for forty of fifty instants; then four do.
    let ranges = (0..<50).flatMap { step in
      roomAnchors.indices.prefix(step < 40 ? 1 : 4).map { anchor in
        MadeRange(
          seconds: Double(step), anchor: roomAnchors[anchor].name,
          distance: roomDistance(to: anchor, step: step))
      }
    }
    let found = warnings(.made(anchors: roomAnchors, ranges: ranges)) { $0.method = .filter }
    #expect(found.contains { $0.contains(" of 50 instants have no position") })
  }

  @Test func warnsAboutOutliers() throws {
    let ranges = polledRanges(from: Vector([3, 2, 1]), rounds: 60).enumerated().map { step, range in
      MadeRange(
        seconds: range.seconds, anchor: range.anchor,
        distance: range.distance + (step / 4 % 2 == 0 ? 0.5 : -0.5))
    }
    let warning = try #require(warnings(.made(anchors: roomAnchors, ranges: ranges)).last)
    // The calibration accounts for the larger noise, but not for the jumps of the errors.
    #expect(warning.hasPrefix("some ranges are outliers and were down-weighted"))
    #expect(
      warnings(.made(anchors: roomAnchors, ranges: ranges)) { $0.rangeSigmaM = 0.5 }.isEmpty)
  }

  /// Directions cannot be extrapolated to the instants of a grid.
  @Test func warnsAboutGridWithoutAnchors() {
    let recording = Recording.made(ranges: [MadeRange(seconds: 1, anchor: "A", distance: 2)])
    let noAnchors =
      "there are no positions, because there are no anchors: add anchors.csv (id,x,y,z) beside the"
      + " ranges, or give --anchors FILE"
    #expect(warnings(recording) == [noAnchors])
    #expect(
      warnings(recording) { $0.rateHz = 10 } == [
        noAnchors,
        "the output rate is ignored without anchors: relative positions keep the instants of"
          + " their ranges",
      ])
  }
}
