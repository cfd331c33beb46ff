import Fathom
import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

/// Results must not depend on how a recording is read: as a whole or in slices of any size, from
/// memory or twice from the file, on one thread or several.
@Suite struct RecordingStreamTests {
  /// Collects the output in memory.
  private final class Text: ResultOutput {
    var bytes: [ResultTable: [UInt8]] = [:]

    func append(
      _ bytes: UnsafeRawBufferPointer, to table: ResultTable
    ) throws(RecordingError) {
      self.bytes[table, default: []] += bytes
    }

    /// The tables in CSV and JSON Lines, then the tracks.
    var all: [[UInt8]] {
      let tables: [ResultTable] = [
        .positions(.csv), .distances(.csv), .positions(.jsonl), .distances(.jsonl), .zones,
      ]
      return (tables + (0..<3).map { .track($0) }).map { bytes[$0] ?? [] }
    }
  }

  /// A configuration for streaming a recording.
  private struct Configuration: CustomStringConvertible {
    var width: Int
    var blockSize: Int
    var mostKept: Int

    var description: String { "\(width) wide, blocks of \(blockSize), \(mostKept) kept" }
  }

  private let configurations = [
    Configuration(width: 1, blockSize: 64, mostKept: 0),
    Configuration(width: 2, blockSize: 700, mostKept: 0),
    Configuration(width: 3, blockSize: 4000, mostKept: 1 << 18),
    Configuration(width: 2, blockSize: TextBlocks.usualSize, mostKept: 0),
  ]

  private func metadata(
    _ text: String, anchors: [(name: String, anchor: Anchor)]
  ) -> RecordingMetadata {
    var metadata = RecordingMetadata(text, name: "walk", declared: anchors.map(\.name))
    metadata.recording.anchors = anchors.map(\.anchor)
    return metadata
  }

  /// Returns the results of the recording read and processed as a whole: positions, distances,
  /// summary.
  private func whole(
    _ metadata: RecordingMetadata, _ settings: ProcessingSettings
  ) throws -> [[UInt8]] {
    let options = RecordingOptions()
    let file = try RangesReader.read(
      metadata.ranges, options: options, declared: metadata.declared)
    var recording = metadata.recording
    recording.sources = file.source.map { [$0] } ?? []
    (recording.tagNames, recording.anchorNames) = (file.tagNames, file.anchorNames)
    (recording.ranges, recording.events) = (file.ranges, file.events)
    (recording.rejected, recording.rowsRead) = (file.rejected, file.rowsRead)
    var counts = RowCounts()
    counts.count(file)
    recording.notes += counts.notes(file.layout, declared: metadata.declared)
    let processed = recording.processed(with: settings)
    if !recording.anchors.isEmpty, settings.rateHz == nil, recording.ranges.count > 0 {
      // A benchmark gives the same positions.
      var pass = PositionPass(recording, settings: settings)
      pass.run(0..<pass.count)
      // As text, since positions that are not known are NaN.
      #expect("\(pass.finished().position)" == "\(processed.positions.position)")
    }
    let files = ResultWriter.files(of: processed, in: "out")
    let text = Text()
    let words = ResultWriter.text(
      of: processed, formats: Set(ResultFormat.allCases),
      tags: TargetNames(RecordingOutline(recording)).names)
    try words.write(to: text)
    #expect(text.all[..<2] == files[..<2].map(\.bytes)[...])
    return text.all
      + [files[2].bytes, Array(ResultWriter.line(of: processed.summary).utf8)]
      + [Array("\(words.tracks.omitted)".utf8)]
  }

  private func streamed(
    _ metadata: RecordingMetadata, _ settings: ProcessingSettings, _ configuration: Configuration
  ) async throws -> [[UInt8]] {
    var rejected = CSVBuffer(header: ResultWriter.rejectedHeader, rows: 0)
    let prescan = try RecordingPrescan(
      metadata, options: RecordingOptions(), blockSize: configuration.blockSize,
      mostKept: configuration.mostKept
    ) { rows throws(RecordingError) in
      for row in rows { ResultWriter.append(row, to: &rejected) }
    }
    let text = Text()
    let (summary, omitted) = try await RecordingStream(
      prescan, settings: settings, width: configuration.width, formats: Set(ResultFormat.allCases),
      blockSize: configuration.blockSize
    ).run(into: text)
    return text.all
      + [rejected.bytes, Array(ResultWriter.line(of: summary).utf8), Array("\(omitted)".utf8)]
  }

  private func agree(
    _ text: String, anchors: [(name: String, anchor: Anchor)] = roomAnchors,
    _ change: (inout ProcessingSettings) -> Void = { _ in }, comment: Comment
  ) async throws {
    var settings = ProcessingSettings()
    change(&settings)
    let metadata = metadata(text, anchors: anchors)
    let expected = try whole(metadata, settings)
    for configuration in configurations {
      let found = try await streamed(metadata, settings, configuration)
      for (left, right) in zip(expected, found) where left != right {
        let lines = zip(left.split(separator: 10), right.split(separator: 10))
        let difference = lines.first { $0 != $1 }
        Issue.record(
          """
          \(configuration), \(comment): \(left.count) against \(right.count) bytes
          \(String(decoding: difference?.0 ?? [], as: UTF8.self))
          \(String(decoding: difference?.1 ?? [], as: UTF8.self))
          """)
      }
    }
  }

  /// Returns ranges of three tags, delayed by up to `lateness` rows.
  ///
  /// The third tag has a gap and ends at another time.
  private func text(seed: UInt64, rounds: Int, lateness: Int, hasEvents: Bool) -> String {
    var generator = SeededGenerator(seed: seed)
    var rows: [(place: Int, text: String)] = []
    for step in 0..<rounds * 4 {
      for (number, tag) in ["T", "U", "\"V, w\""].enumerated() {
        if number == 2, (60..<100).contains(step) || step > 3 * rounds { continue }
        if number == 1, step % 3 > 0 { continue }
        let (name, anchor) = roomAnchors[step % 4]
        let seconds = Double(step) * (number == 2 && step >= 100 ? 0.2 : 0.05)
        let position = Vector<3>([3 + Double(number), 2 + 0.1 * seconds, 1])
        let distance = (anchor.position - position).length + 0.05 * generator.normal()
        let place = rows.count + Int.random(in: 0...lateness, using: &generator)
        rows.append((place, "\(seconds),\(tag),\(name),\(distance),"))
        if generator.next() % 40 == 0 { rows.append((place, "\(seconds),\(tag),\(name),zero,")) }
        if hasEvents, generator.next() % 30 == 0 {
          let anchor = generator.next() % 2 == 0 ? name : ""
          let event = ["suspended", "started", "removed"][Int(generator.next() % 3)]
          rows.append((place, "\(seconds + 0.01),\(tag),\(anchor),,\(event)"))
        }
      }
    }
    let sorted = rows.enumerated().sorted {
      ($0.element.place, $0.offset) < ($1.element.place, $1.offset)
    }
    return "time_s,tag,anchor,distance_m,event\n"
      + sorted.map { $0.element.text + "\n" }.joined()
  }

  @Test func leavesOutAnAnchorThatErrs() async throws {
    var lines = ["time_s,tag,anchor,distance_m"]
    for step in 0..<80 {
      for (anchor, name) in roomAnchors.map(\.name).enumerated() {
        let noise = 0.05 * sin(Double(7 * step + 3 * anchor))
        let range = roomDistance(to: anchor, step: step) + noise + (anchor == 3 ? 20 : 0)
        lines.append("\(Double(step) / 10),T,\(name),\(range)")
      }
    }
    try await agree(lines.joined(separator: "\n"), { $0.heightM = roomTag[2] }, comment: "in order")
    // A late row, so that the file is read once more in order of time.
    lines.swapAt(40, 160)
    try await agree(lines.joined(separator: "\n"), { $0.heightM = roomTag[2] }, comment: "late")
  }

  /// A range that is excluded does not displace the next ones from those for the calibration.
  @Test(arguments: [UInt64(1), 2])
  func leavesOutRangesBeforeTheyAreThinned(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var lines = ["time_s,tag,anchor,distance_m"]
    for step in 0..<1500 {
      let seconds = Double(step) / 50
      let position = roomTag + Vector([1.2 * sin(seconds / 2), 0.8 * cos(seconds / 3), 0])
      for (index, (name, anchor)) in roomAnchors.enumerated() {
        var range = (anchor.position - position).length + 0.05 * generator.normal()
        // A link that repeats one value for six seconds, and single values that cannot be.
        if index == 1, (500..<800).contains(step) {
          range = 3.25
        } else if generator.next() % 300 == 0 {
          range = 338_218.47
        }
        lines.append("\(seconds),T,\(name),\(range)")
      }
    }
    let text = lines.joined(separator: "\n")
    let metadata = metadata(text, anchors: roomAnchors)
    let prescan = try RecordingPrescan(metadata, options: RecordingOptions())
    let excluded = prescan.outline.diagnosed(prescan.sample, ProcessingSettings()).excluded
    #expect(excluded.mostRepeats != nil && excluded.reach.isFinite)
    try await agree(text, comment: "seed \(seed)")
  }

  @Test(arguments: [UInt64(1), 2])
  func tracksAreIdenticalForAllConfigurations(seed: UInt64) async throws {
    for lateness in [0, 5, 10_000] {
      let text = text(seed: seed, rounds: 60, lateness: lateness, hasEvents: lateness < 10)
      try await agree(text, comment: "seed \(seed), lateness \(lateness)")
    }
  }

  @Test func gridsAreIdenticalForAllConfigurations() async throws {
    let text = text(seed: 3, rounds: 50, lateness: 3, hasEvents: true)
    try await agree(text, { $0.rateHz = 8 }, comment: "grid")
  }

  /// A fix is known before it is known how its ranges were used.
  @Test(arguments: [nil, 0, 0.3, 1e6])
  func fixesAreIdenticalForAllConfigurations(window: Double?) async throws {
    for lateness in [0, 5] {
      let text = text(seed: 6, rounds: 60, lateness: lateness, hasEvents: lateness > 0)
      for rate in [nil, 8.0] {
        try await agree(
          text, { ($0.method, $0.epochWindowS, $0.rateHz) = (.fix, window, rate) },
          comment: "window \(window ?? -1), rate \(rate ?? 0), lateness \(lateness)")
      }
    }
  }

  /// Tags come and go; each has a pipeline only while it is there.
  @Test func manyTagsAreIdenticalForAllConfigurations() async throws {
    let rows = (0..<1200).map { step in
      let (tag, anchor) = (step / 12, roomAnchors[step % 4])
      let distance = (anchor.anchor.position - Vector<3>([3, 2, 1])).length
      return "\(Double(step) * 0.1),T\(tag),\(anchor.name),\(distance + 0.01 * Double(step % 3))\n"
    }
    let text = "time_s,tag,anchor,distance_m\n" + rows.joined()
    for method in [PositionMethod.filter, .fix] {
      try await agree(text, { $0.method = method }, comment: "\(method)")
      try await agree(text, { ($0.method, $0.rateHz) = (method, 3) }, comment: "\(method), grid")
    }
    try await agree(text, anchors: [], comment: "no anchors")
  }

  /// The last position of a tag on a grid precedes later positions of other tags.
  @Test func positionsOnAGridAreInOrderOfTime() throws {
    let rows = (0..<300).map { step in
      let anchor = roomAnchors[step % 4]
      let distance = (anchor.anchor.position - Vector<3>([3, 2, 1])).length
      let tag = step <= 100 && step % 2 == 0 ? "Q" : "P"
      return "\(Double(step) * 0.1),\(tag),\(anchor.name),\(distance)\n"
    }
    var settings = ProcessingSettings()
    settings.rateHz = 1
    let metadata = metadata(
      "time_s,tag,anchor,distance_m\n" + rows.joined(), anchors: roomAnchors)
    let results = try whole(metadata, settings)
    let times = String(decoding: results[0], as: UTF8.self).split(separator: "\n").dropFirst()
      .compactMap { Double($0.prefix { $0 != "," }) }
    #expect(times.count > 30 && times == times.sorted())
  }

  @Test func zonesAreIdenticalForAllConfigurations() async throws {
    let text = text(seed: 5, rounds: 60, lateness: 3, hasEvents: true)
    var zones = ZoneSettings(areas: [
      ZoneSettings.Area(name: "start", cornersM: [[2, 1], [4, 1], [4, 2.6], [2, 2.6]]),
      ZoneSettings.Area(name: "b, c", cornersM: [[2, 2.3], [6, 2.3], [6, 5]]),
    ])
    (zones.marginM, zones.confidence) = (0.02, 0.5)
    try await agree(text, { $0.zones = zones }, comment: "zones")
    try await agree(text, { ($0.zones, $0.rateHz) = (zones, 5) }, comment: "zones, grid")
  }

  @Test func distancesAreIdenticalForAllConfigurations() async throws {
    let text = text(seed: 4, rounds: 50, lateness: 3, hasEvents: true)
    try await agree(text, anchors: [], comment: "no anchors")
    try await agree(text, anchors: [], { $0.smoothing = .hampel }, comment: "Hampel")
  }

  @Test func directionsAreIdenticalForAllConfigurations() async throws {
    let rows = (0..<300).map { step in
      "\(Double(step) * 0.1),P\(step % 2),lamp,\(1 + Double(step) * 0.01),0.\(step % 10),0.1\n"
    }
    let text = "time_s,tag,anchor,distance_m,azimuth_rad,elevation_rad\n" + rows.joined()
    try await agree(text, anchors: [], comment: "directions")
  }

  @Test(.releaseOnly) func signalLevelsAreIdenticalForAllConfigurations() async throws {
    let text = FadingWalk.ranges(seed: 7)
    try await agree(text, comment: "signal levels")
    for method in [PositionMethod.filter, .smooth] {
      var settings = ProcessingSettings()
      settings.method = method
      let results = try whole(metadata(text, anchors: roomAnchors), settings)
      let summary = String(decoding: results[results.count - 2], as: UTF8.self)
      #expect(summary.contains(#""signals":{"bias_m":["#), "\(method): \(summary)")
    }
  }

  @Test func recordingWithoutRangesIsIdenticalForAllConfigurations() async throws {
    try await agree(
      "time_s,tag,anchor,distance_m,event\n1,T,A,,started\n2,T,A,0,\n", comment: "no ranges")
  }

  /// The file changes between the two passes: a new tag, a new anchor or another distance.
  @Test(arguments: ["2,U,A,3\n", "2,T,B,3\n", "2,T,A,4\n"])
  func rejectsFileThatChangesBetweenPasses(row: String) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "fathom-\(UUID()).csv")
      .path(percentEncoded: false)
    defer { unlink(path) }
    func write(_ last: String) throws {
      try Data("time_s,tag,anchor,distance_m\n1,T,A,3\n\(last)".utf8).write(to: URL(filePath: path))
    }
    try write("2,T,A,3\n")
    let metadata = try RecordingMetadata(path, anchors: nil, options: RecordingOptions())
    let prescan = try RecordingPrescan(metadata, options: RecordingOptions(), mostKept: 0)
    try write(row)
    await #expect(
      throws: RecordingError.noInput(path: path, reason: "changed while it was read")
    ) {
      try await RecordingStream(prescan, settings: ProcessingSettings(), width: 1)
        .run(into: Text())
    }
  }
}
