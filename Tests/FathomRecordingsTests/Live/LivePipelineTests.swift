import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct LivePipelineTests {
  /// The recordings of the package, whose results are compared with those of `process`.
  private static func dataset(_ name: String) -> String {
    Reference.packageRoot.appending(path: "Datasets/\(name)").path(percentEncoded: false)
  }

  private static func options(
    _ path: String, calibratedBy reference: String? = nil
  ) throws -> LivePipeline.Options {
    var options = LivePipeline.Options()
    options.tables = [.positions, .distances]
    options.calibration =
      try reference.map {
        .recording(
          try ReferenceCalibration(
            $0, anchors: nil, options: RecordingOptions(), settings: ProcessingSettings()))
      } ?? .none
    return options
  }

  /// Returns the rows of the results of `process`.
  private static func processed(_ path: String) throws -> (positions: [String], distances: [String])
  {
    let recording = try RecordingReader.read(path)
    let files = ResultWriter.files(
      of: recording.processed(with: ProcessingSettings()), in: "")
    return (rows(files[0].bytes), rows(files[1].bytes))
  }

  static func rows(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().map(String.init)
  }

  /// Runs a replay and returns its rows.
  private static func replayed(
    _ path: String, step: Double?, _ options: LivePipeline.Options
  ) throws -> (positions: [String], distances: [String]) {
    var replay = try LiveReplay(path, anchors: nil, options: RecordingOptions())
    var pipeline = try LivePipeline(at: replay.site, options)
    replay.prepare(&pipeline)
    var (positions, distances) = (pipeline.headers.positions, pipeline.headers.distances)
    func add(_ results: LiveResults) {
      positions += results.text.positions
      distances += results.text.distances
    }
    while let next = try replay.nextTime() {
      let limit = step.map { next.advanced(bySeconds: $0) }
      guard let batch = try replay.next(before: limit) else { break }
      add(pipeline.process(batch))
    }
    add(pipeline.finish())
    return (rows(positions), rows(distances))
  }

  @Test(arguments: ["robot-2d", "drone-3d", "phone-accessory"])
  func replayEqualsProcess(_ name: String) throws {
    let path = Self.dataset(name)
    let expected = try Self.processed(path)
    for step in [nil, 0.37, 0.001] {
      let found = try Self.replayed(path, step: step, try Self.options(path, calibratedBy: path))
      #expect(found.positions == expected.positions, "\(name) \(step ?? -1)")
      #expect(found.distances == expected.distances, "\(name) \(step ?? -1)")
    }
  }

  /// With a lag every row comes once and in order, with the counts of the filter, and other positions.
  @Test(arguments: ["robot-2d", "drone-3d"])
  func rowsWaitForLaterRanges(_ name: String) throws {
    let path = Self.dataset(name)
    var options = try Self.options(path, calibratedBy: path)
    let plain = try Self.replayed(path, step: 0.1, options).positions
    options.lag = 1
    let lagged = try Self.replayed(path, step: 0.1, options).positions
    #expect(lagged.count == plain.count)
    func key(_ row: String) -> [Substring] {
      let cells = row.split(separator: ",", omittingEmptySubsequences: false)
      return [cells[0], cells[1], cells[11], cells[12]]
    }
    #expect(lagged.map(key) == plain.map(key))
    let changed = zip(lagged, plain).count { $0 != $1 }
    #expect(changed > plain.count / 2)
  }

  /// The text of a file in pieces of any size gives the rows of the whole.
  @Test(arguments: [1 << 20, 4096, 97])
  func piecesOfAFileGiveTheRowsOfTheWhole(_ size: Int) throws {
    let path = Self.dataset("robot-2d")
    let expected = try Self.processed(path)
    let site = try LiveSite(path, name: "stream")
    var pipeline = try LivePipeline(at: site, try Self.options(path, calibratedBy: path))
    let text = try Array(Data(contentsOf: URL(filePath: path + "/ranges.csv")))
    var positions: [String] = []
    for begin in stride(from: 0, to: text.count, by: size) {
      let end = min(begin + size, text.count)
      positions += Self.lines(
        try pipeline.process(Array(text[begin..<end]), isLast: end == text.count).text.positions)
    }
    positions += Self.lines(pipeline.finish().text.positions)
    // Decimals of times grow with what was heard: the numbers are the same.
    #expect(
      positions.map(Self.withoutTrailingZeros) == expected.positions.map(Self.withoutTrailingZeros))
  }

  static func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Removes zeros at the end of the time in front of a row.
  static func withoutTrailingZeros(_ row: String) -> String {
    guard let comma = row.firstIndex(of: ",") else { return row }
    var time = row[..<comma]
    if time.contains(".") {
      while time.last == "0" { time.removeLast() }
      if time.last == "." { time.removeLast() }
    }
    return String(time + row[comma...])
  }

  // MARK: Order

  private static let anchors = "id,x,y,z\nA,0,0,0\nB,8,0,0.2\nC,8,6,2\nD,0,6,1\n"

  /// Rows of a tag that walks among four anchors, ten instants a second.
  private static func walk(_ count: Int) -> [String] {
    let places: [(String, Vector<3>)] = [
      ("A", Vector([0, 0, 0])), ("B", Vector([8, 0, 0.2])), ("C", Vector([8, 6, 2])),
      ("D", Vector([0, 6, 1])),
    ]
    return (0..<count).map { index in
      let time = Double(index) / 40
      let (name, anchor) = places[index % 4]
      let tag = Vector<3>([2 + 0.4 * time, 3 + sin(time), 1.3])
      let noise = 0.03 * sin(Double(31 * index))
      return "\((time * 1000).rounded() / 1000),tag,\(name),\((tag - anchor).length + noise)"
    }
  }

  private func withPipeline(
    horizon: Double = 0.5, calibration: LiveCalibration = .none,
    _ body: (inout LivePipeline) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      let path = folder + "/anchors.csv"
      try Self.anchors.write(toFile: path, atomically: true, encoding: .utf8)
      var options = LivePipeline.Options()
      options.calibration = calibration
      options.horizon = horizon
      var pipeline = try LivePipeline(at: LiveSite(path, name: "stream"), options)
      try body(&pipeline)
    }
  }

  private static let header = "time_s,tag,anchor,distance_m\n"

  private static func run(_ rows: [String], _ pipeline: inout LivePipeline) throws -> [String] {
    var found = lines(try pipeline.process(Array(header.utf8)).text.positions)
    for row in rows {
      found += lines(try pipeline.process(Array((row + "\n").utf8)).text.positions)
    }
    found += lines(try pipeline.process([], isLast: true).text.positions)
    return found + lines(pipeline.finish().text.positions)
  }

  @Test func lateRangesAreSortedIn() throws {
    let rows = Self.walk(400)
    var shuffled = rows
    // Every tenth range comes eight ranges late, which is 0.2 s.
    for index in stride(from: 40, to: 360, by: 10) {
      let row = shuffled.remove(at: index)
      shuffled.insert(row, at: index + 8)
    }
    var (inOrder, late): ([String], [String]) = ([], [])
    try withPipeline { inOrder = try Self.run(rows, &$0) }
    try withPipeline {
      late = try Self.run(shuffled, &$0)
      #expect($0.summary[0].contains("32 sorted in"), "\($0.summary)")
    }
    // From one horizon after the last late range on, nothing tells that ranges were late.
    #expect(Array(late.suffix(20)) == Array(inOrder.suffix(20)))
    try withPipeline(horizon: 0) {
      _ = try Self.run(shuffled, &$0)
      #expect($0.summary[0].contains("32 late"), "\($0.summary)")
    }
  }

  /// A row of another tag, with a time of the future, changes nothing of the tags of the stream.
  @Test(arguments: [9.0, 100, 7_258_118_400])
  func aForeignTimeChangesNoOtherTag(_ offset: Double) throws {
    let rows = Self.walk(400)
    var spoofed = rows
    for index in stride(from: 350, to: 50, by: -100) {
      spoofed.insert("\(Double(index) / 40 + offset),foreign,A,4.0", at: index)
    }
    var (alone, among): ([String], [String]) = ([], [])
    try withPipeline { alone = try Self.run(rows, &$0) }
    try withPipeline { among = try Self.run(spoofed, &$0) }
    // Decimals of times do not differ: those of the foreign times are fewer.
    #expect(among.filter { $0.contains(",tag,") } == alone)
    #expect(!among.contains { $0.contains("coasting") })
  }

  // MARK: Forgetting

  /// A tag that was silent for long starts anew, under the index of its own or of another.
  @Test func silentTagsAreForgotten() throws {
    let rows = Self.walk(200)
    func named(_ name: String) -> [UInt8] {
      Array(
        rows.map { $0.replacingOccurrences(of: ",tag,", with: ",\(name),") + "\n" }.joined().utf8)
    }
    try withPipeline { pipeline in
      _ = try pipeline.process(Array(Self.header.utf8) + named("first"))
      pipeline.arrivalTime = 100
      let kept = try pipeline.process(named("second"))
      #expect(kept.forgotten.isEmpty)
      pipeline.arrivalTime = 3650
      let found = try pipeline.process(named("second"))
      #expect(found.forgotten == ["first"])
      #expect(pipeline.tagNames == ["", "second"])
      let third = try pipeline.process(named("third"))
      #expect(pipeline.tagNames == ["third", "second"])
      let names = Self.lines(third.text.positions).map { $0.split(separator: ",")[1] }
      #expect(names.contains("third") && !names.contains("first"))
      // The positions of a tag do not depend on which index it has.
      var alone: [String] = []
      try withPipeline {
        _ = try $0.process(Array(Self.header.utf8))
        alone = Self.lines(try $0.process(named("third")).text.positions)
      }
      #expect(Self.lines(third.text.positions).filter { $0.contains(",third,") } == alone)
      _ = try pipeline.process(named("first"))
      #expect(pipeline.tagNames == ["third", "second", "first"])
      #expect(pipeline.summary[0].contains("ranges of 4 tags"), "\(pipeline.summary)")
      #expect(pipeline.summary.contains("tags forgotten after silence: 1"))
    }
  }

  /// A flood of names costs the memory of the most tags, and no tag of the stream its track.
  @Test func namesAreBounded() throws {
    let rows = Self.walk(400)
    var options = LivePipeline.Options()
    options.calibration = .none
    options.mostTags = 64
    var alone: [String] = []
    try withPipeline { alone = try Self.run(rows, &$0) }
    try withTemporaryFolder { folder in
      let path = folder + "/anchors.csv"
      try Self.anchors.write(toFile: path, atomically: true, encoding: .utf8)
      var pipeline = try LivePipeline(at: LiveSite(path, name: "stream"), options)
      var found = Self.lines(try pipeline.process(Array(Self.header.utf8)).text.positions)
      var warnings = 0
      for (index, row) in rows.enumerated() {
        let time = row.prefix { $0 != "," }
        let flood = index < 20 ? "" : (0..<20).map { "\(time),n\(index)-\($0),A,4\n" }.joined()
        let results = try pipeline.process(Array((row + "\n" + flood).utf8))
        found += Self.lines(results.text.positions)
        warnings += results.messages.count { $0.contains("more than 64 tags") }
        #expect(pipeline.tagNames.count < 128)
      }
      found += Self.lines(pipeline.finish().text.positions)
      #expect(warnings == 1)
      #expect(found.filter { $0.contains(",tag,") } == alone)
      #expect(pipeline.summary[0].contains("ranges of 7601 tags"), "\(pipeline.summary)")
    }
  }

  @Test func duplicatesAreNotUsedTwice() throws {
    let rows = Self.walk(200)
    var (once, twice): ([String], [String]) = ([], [])
    try withPipeline { once = try Self.run(rows, &$0) }
    try withPipeline {
      twice = try Self.run(rows.flatMap { [$0, $0] }, &$0)
      #expect($0.summary[0].contains("200 duplicate"), "\($0.summary)")
    }
    func positions(_ rows: [String]) -> [String] {
      rows.map {
        $0.split(separator: ",", omittingEmptySubsequences: false)[..<11].joined(separator: ",")
      }
    }
    #expect(positions(once) == positions(twice))
  }

  @Test func aClockThatIsSetBackStartsTheTrackAgain() throws {
    let rows = Self.walk(600)
    try withPipeline {
      let found = try Self.run(rows + rows, &$0)
      #expect($0.summary.contains("steps of the clock: 1"), "\($0.summary)")
      // Three ranges confirm the step; the last is the first of the new track.
      #expect(found.count == 2 * 600 - 2)
      #expect(
        found.last?.split(separator: ",").prefix(2) == found[599].split(separator: ",").prefix(2))
    }
  }

  @Test func theRepeatedHeaderAndACutLineAreNoRows() throws {
    let rows = Self.walk(100)
    try withPipeline { pipeline in
      _ = try pipeline.process(Array((Self.header + rows[..<50].joined(separator: "\n")).utf8))
      pipeline.cut(losesLine: false)
      _ = try pipeline.process(
        Array((Self.header + rows[50...].joined(separator: "\n") + "\n").utf8))
      #expect(pipeline.summary[0].hasPrefix("ranges: 99 ranges of 1 tags"), "\(pipeline.summary)")
      #expect(pipeline.summary.contains("lines cut off: 1"))
      #expect(!pipeline.summary.contains { $0.hasPrefix("rejected") })
    }
  }

  @Test func positionsComeBeforeTheNextInstant() throws {
    // All four ranges of an instant have one time.
    let places = [("A", 3.5), ("B", 6.9), ("C", 6.8), ("D", 3.6)]
    try withPipeline { pipeline in
      _ = try pipeline.process(Array(Self.header.utf8))
      for step in 0..<20 {
        for (index, (anchor, distance)) in places.enumerated() {
          let row = "\(Double(step) / 10),tag,\(anchor),\(distance + 0.001 * Double(step))\n"
          _ = try pipeline.process(Array(row.utf8))
          let found = Self.lines(pipeline.settle(isQuiet: false).text.positions)
          if step < 2 { continue }
          #expect(found.count == (index == 3 ? 1 : 0))
        }
      }
      // An instant with fewer ranges is complete when nothing follows.
      _ = try pipeline.process(Array("2.0,tag,A,3.5\n2.0,tag,B,6.9\n".utf8))
      #expect(pipeline.isOpen)
      let early = pipeline.settle(isQuiet: false)
      #expect(early.text.positions.isEmpty)
      let quiet = pipeline.settle(isQuiet: true)
      #expect(Self.lines(quiet.text.positions).count == 1)
      // A range that belongs to it replaces the row, with all ranges of the instant.
      _ = try pipeline.process(Array("2.0,tag,C,6.8\n".utf8))
      let row = Self.lines(pipeline.settle(isQuiet: true).text.positions)
      #expect(row.count == 1 && row[0].contains(",3,0,"), "\(row)")
    }
  }

  @Test func aRunningCalibrationConvergesToThatOfProcess() throws {
    let path = Self.dataset("robot-2d")
    var options = LivePipeline.Options()
    options.calibration = .running
    let found = try Self.replayed(path, step: 0.1, options)
    let expected = try Self.processed(path)
    #expect(found.positions.count == expected.positions.count)
    // At the end both have been calibrated on minutes of ranges.
    func place(_ row: String) -> [Double] {
      row.split(separator: ",")[2..<4].compactMap { Double($0) }
    }
    for (one, other) in zip(found.positions.suffix(100), expected.positions.suffix(100)) {
      for (a, b) in zip(place(one), place(other)) { #expect(abs(a - b) < 0.15) }
    }
  }

  /// A calibration within a large batch loses no position.
  @Test func largeBatchesGiveARowForEveryInstant() throws {
    let path = Self.dataset("robot-2d")
    var options = LivePipeline.Options()
    options.calibration = .running
    let found = try Self.replayed(path, step: nil, options)
    #expect(found.positions.count == (try Self.processed(path)).positions.count)
  }

  /// Several tags are calibrated together, at numbers of ranges that do not depend on the batches.
  @Test func resultsDoNotDependOnTheBatches() throws {
    let one = Self.walk(1500).map { $0.replacing(",tag,", with: ",one,") }
    let two = Self.walk(1540).dropFirst(40).map { row in
      let time = (Double(row.prefix { $0 != "," }) ?? 0) - 0.99
      return "\((time * 1000).rounded() / 1000),two" + row.drop { $0 != "," }.dropFirst(4)
    }
    let rows = zip(one, two).flatMap { [$0, $1] }
    var found: [[String]] = []
    for size in [1, 37, 3000] {
      try withPipeline(calibration: .running) { pipeline in
        var positions = Self.lines(try pipeline.process(Array(Self.header.utf8)).text.positions)
        for begin in stride(from: 0, to: rows.count, by: size) {
          let batch = rows[begin..<min(begin + size, rows.count)].map { $0 + "\n" }.joined()
          positions += Self.lines(try pipeline.process(Array(batch.utf8)).text.positions)
        }
        positions += Self.lines(pipeline.finish().text.positions)
        #expect(pipeline.common != nil)
        found.append(positions.filter { !$0.hasPrefix("time") }.map(Self.withoutTrailingZeros))
      }
    }
    #expect(found[0].count > 2900)
    #expect(found[0].sorted() == found[1].sorted())
    #expect(found[0].sorted() == found[2].sorted())
  }

  /// Objects in pieces of any size, with topics before them and other kinds among them, are their rows.
  @Test(arguments: [1, 50, 1 << 16])
  func objectsAreTheRowsThatTheyStandFor(_ size: Int) throws {
    let rows = Self.walk(400)
    var expected: [String] = []
    try withPipeline { expected = try Self.run(rows, &$0) }
    var text = ""
    for (index, row) in rows.enumerated() {
      let cells = row.split(separator: ",")
      let sigma = index % 50 == 10 ? #", "sigma_m": 0.1"# : ""
      text +=
        #"uwb/tag {"time": \#(cells[0]), "tag": "tag", "anchor": "\#(cells[2])", "#
        + #""distance_m": \#(cells[3])\#(sigma)}"# + "\n"
      if index == 100 { text += "{\"time_s\": 2.5, \"height_m\": 1.3}\n{\"colour\": 3}\n{broken\n" }
    }
    let bytes = Array(text.utf8)
    var found: [String] = []
    try withPipeline { pipeline in
      for begin in stride(from: 0, to: bytes.count, by: size) {
        let end = min(begin + size, bytes.count)
        let results = try pipeline.process(Array(bytes[begin..<end]), isLast: end == bytes.count)
        found += Self.lines(results.text.positions)
      }
      found += Self.lines(pipeline.finish().text.positions)
      let summary = pipeline.summary
      #expect(summary[0].hasPrefix("ranges: 400 ranges of 1 tags"), "\(summary)")
      #expect(summary.contains { $0.hasPrefix("rejected rows: 2; line") }, "\(summary)")
      #expect(summary.contains("other measurements: 1 of heights"), "\(summary)")
    }
    #expect(found.count == expected.count)
    // The standard deviation of some ranges is given: later positions differ.
    #expect(
      found.prefix(10).map(Self.withoutTrailingZeros)
        == expected.prefix(10).map(Self.withoutTrailingZeros))
  }

  @Test func theRecordingOfAStreamGivesItsPositions() throws {
    try withTemporaryFolder { folder in
      let source = Self.dataset("robot-2d")
      var options = try Self.options(source, calibratedBy: source)
      options.tables = [.positions]
      var pipeline = try LivePipeline(at: LiveSite(source, name: "stream"), options)
      pipeline.record(to: try LiveRecorder(folder + "/kept", overwrites: false))
      let text = try Array(Data(contentsOf: URL(filePath: source + "/ranges.csv")))
      _ = try pipeline.process(text, isLast: true)
      #expect(pipeline.recordingError == nil)
      let (kept, original) = (
        try RecordingReader.read(folder + "/kept"), try RecordingReader.read(source)
      )
      #expect(kept.ranges.time == original.ranges.time)
      #expect(kept.ranges.distance == original.ranges.distance)
      #expect(kept.anchors == original.anchors && kept.anchorNames == original.anchorNames)
      #expect(kept.facts == original.facts)
      #expect(throws: RecordingError.self) { try LiveRecorder(folder + "/kept", overwrites: false) }
    }
  }
}
