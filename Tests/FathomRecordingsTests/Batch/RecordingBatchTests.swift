import Fathom
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct RecordingBatchTests {
  /// Writes a ranges file of a tag in the room, and its anchors file.
  private func write(_ name: String, in folder: String, rounds: Int, extra: String = "") throws {
    var text = "time_s,tag,anchor,distance_m\n"
    for range in polledRanges(from: Vector([3, 2, 1]), rounds: rounds) {
      text += "\(range.seconds),\(range.tag),\(range.anchor),\(range.distance)\n"
    }
    try Data((text + extra).utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    var anchors = "id,x,y,z\n"
    for (name, anchor) in roomAnchors {
      let position = anchor.position
      anchors += "\(name),\(position[0]),\(position[1]),\(position[2])\n"
    }
    try Data(anchors.utf8).write(to: URL(filePath: "\(folder)/anchors.csv"))
  }

  private func batch(_ folder: String, _ output: String) -> RecordingBatch {
    RecordingBatch(anchors: "\(folder)/anchors.csv", output: "\(folder)/\(output)")
  }

  private func contents(_ folder: String) -> [String: Data] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, FileManager.default.contents(atPath: "\(folder)/\($0)") ?? Data())
      })
  }

  @Test func resultsDoNotDependOnNumberOfJobs() async throws {
    try await withTemporaryFolder { folder in
      let paths = try (1...5).map { index in
        try write("walk\(index).csv", in: folder, rounds: 5 * index)
        return "\(folder)/walk\(index).csv"
      }
      let counted = Locked([Int]())
      for (jobs, output) in [(1, "one"), (2, "two"), (9, "nine")] {
        let results = await batch(folder, output).run(paths, jobs: jobs) { progress in
          counted.withLock { $0.append(progress.rows) }
        }
        #expect(results.map { $0.summary?.rows.read } == [20, 40, 60, 80, 100])
      }
      #expect(counted.withLock { $0.reduce(0, +) } == 3 * 300)
      let one = contents("\(folder)/one")
      #expect(one.count == 20)
      for other in [contents("\(folder)/two"), contents("\(folder)/nine")] {
        #expect(Set(other.keys) == Set(one.keys))
        for (name, data) in one { #expect(other[name] == data, "\(name)") }
      }
    }
  }

  /// A file with ranges between tags is scanned twice; its rejected rows, more than a block of them, are
  /// written once.
  @Test func writesRejectedRowsBesideRangesBetweenTags() async throws {
    try await withTemporaryFolder { folder in
      let anchor = try #require(roomAnchors.first?.name)
      let between = "0,T1,\(anchor),2\n0,T2,\(anchor),2\n0,T1,T2,1.5\n0.1,T2,T1,1.5\n"
      let wrong = String(repeating: "1,T1,T2,a distance that is not a number\n", count: 4000)
      try write("walk.csv", in: folder, rounds: 5, extra: between + wrong)
      let summary = try #require(
        await batch(folder, "out").run(["\(folder)/walk.csv"], jobs: 1)[0].summary)
      #expect(summary.rows.rejected == 4000 && summary.rows.read == 20 + 4 + 4000)
      let rejected = try #require(contents("\(folder)/out")["walk.rejected.csv"])
      #expect(rejected.count > TextBlocks.usualSize)
      #expect(rejected.count { $0 == UInt8(ascii: "\n") } == 1 + 4000)
    }
  }

  @Test func failureDoesNotAffectOtherRecordings() async throws {
    try await withTemporaryFolder { folder in
      for name in ["a.csv", "c.csv"] { try write(name, in: folder, rounds: 5) }
      try Data("nothing".utf8).write(to: URL(filePath: "\(folder)/b.csv"))
      let results = await batch(folder, "out").run(
        ["a.csv", "b.csv", "missing.csv", "c.csv"].map { "\(folder)/\($0)" }, jobs: 2)
      #expect(results.map { $0.failure?.exitCode } == [nil, 65, 66, nil])
      #expect(
        Set(contents("\(folder)/out").keys)
          == Set(
            ["a", "c"].flatMap { name in
              ["positions.csv", "distances.csv", "rejected.csv", "summary.json"].map {
                "\(name).\($0)"
              }
            }))
    }
  }

  @Test func strictModeFailsOnRejectedRows() async throws {
    try await withTemporaryFolder { folder in
      try write("walk.csv", in: folder, rounds: 5, extra: "1,T,A,-1\n2,T,A,x\n3,T,A\n")
      let path = "\(folder)/walk.csv"
      var batch = batch(folder, "out")
      batch.isStrict = true
      await #expect(
        throws: RecordingError.badData(
          path: path, line: 22,
          reason: "distance_m is negative: -1 (and 2 more rows would be rejected)")
      ) { try await batch.process(path) }
      #expect(contents("\(folder)/out").isEmpty)
      batch.isStrict = false
      let summary = try #require(try await batch.process(path).summary)
      #expect(summary.rows.read == 23 && summary.rows.used == 20 && summary.rows.rejected == 3)
      #expect(
        summary.rows.reasons == [
          "distance_m is negative": 1, "distance_m is not a number": 1,
          "row has 3 fields, the header has 4": 1,
        ])
    }
  }

  @Test func messageDistinguishesOneRowFromSeveral() async throws {
    try await withTemporaryFolder { folder in
      try write("one.csv", in: folder, rounds: 1, extra: "1,T,A,-1\n")
      try write("two.csv", in: folder, rounds: 1, extra: "1,T,A,-1\n1,T,A,-2\n")
      var batch = batch(folder, "out")
      batch.isStrict = true
      let results = await batch.run(["\(folder)/one.csv", "\(folder)/two.csv"], jobs: 1)
      #expect(
        results.compactMap { $0.failure?.description } == [
          "\(folder)/one.csv:6: distance_m is negative: -1",
          "\(folder)/two.csv:6: distance_m is negative: -1 (and 1 more row would be rejected)",
        ])
    }
  }

  @Test func rejectsRecordingWithoutRows() async throws {
    try await withTemporaryFolder { folder in
      try Data("time_s,tag,anchor,distance_m\n# nothing\n\n".utf8)
        .write(to: URL(filePath: "\(folder)/walk.csv"))
      let path = "\(folder)/walk.csv"
      await #expect(
        throws: RecordingError.badData(path: path, line: nil, reason: "there are no rows of data")
      ) { try await RecordingBatch(output: "\(folder)/out").process(path) }
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/out"))
    }
  }

  @Test func replacesResultsOnlyOnRequest() async throws {
    try await withTemporaryFolder { folder in
      try write("walk.csv", in: folder, rounds: 5)
      let path = "\(folder)/walk.csv"
      var batch = batch(folder, "out")
      try FileManager.default.createDirectory(
        atPath: batch.output, withIntermediateDirectories: true)
      let old = "\(batch.output)/walk.rejected.csv"
      try Data("old".utf8).write(to: URL(filePath: old))
      await #expect(
        throws: RecordingError.cannotWrite(
          path: old,
          reason: "already exists (use --force to replace it, or --resume to continue)")
      ) { try await batch.process(path) }
      #expect(contents(batch.output) == ["walk.rejected.csv": Data("old".utf8)])
      batch.overwrites = true
      _ = try await batch.process(path)
      #expect(contents(batch.output).count == 4)
      #expect(
        contents(batch.output)["walk.rejected.csv"] == Data("line,column,reason,text\n".utf8))
    }
  }

  @Test func recordingsOfTheSameNameClash() async throws {
    #expect(RecordingBatch.clash(among: ["a.csv", "b.csv", "c/d.csv"]) == nil)
    let clash = try #require(RecordingBatch.clash(among: ["b.csv", "x/a.csv", "y/a.csv.gz"]))
    #expect(clash == ("x/a.csv", "y/a.csv.gz", "a"))
    #expect(RecordingBatch.clash(among: ["-", "-"]) != nil)
    #expect(RecordingBatch.clash(among: ["-", "stdin.csv"]) != nil)
  }

  // MARK: Resuming

  @Test func resumedBatchProcessesIncompleteRecordings() async throws {
    try await withTemporaryFolder { folder in
      let names = ["a", "b", "c", "d"]
      for (index, name) in names.enumerated() {
        try write("\(name).csv", in: folder, rounds: 3 + index)
      }
      let paths = names.map { "\(folder)/\($0).csv" }
      await batch(folder, "whole").run(paths)
      var batch = batch(folder, "out")
      batch.resumes = true
      await batch.run(Array(paths.prefix(3)))
      // One recording is damaged; one lacks its summary, as after a kill between two renames.
      try Data("x".utf8).write(to: URL(filePath: "\(folder)/out/b.distances.csv"))
      try FileManager.default.removeItem(atPath: "\(folder)/out/c.summary.json")
      let untouched =
        try FileManager.default.attributesOfItem(
          atPath: "\(folder)/out/a.summary.json")[.systemFileNumber] as? Int

      let outcomes = await batch.run(paths, jobs: 2)
      let reasons = outcomes.map { outcome in
        switch outcome {
        case .skipped: "skipped"
        case .done(_, _, let reason): reason ?? "new"
        case .failed(let error): "\(error)"
        case .notReached: "not reached"
        }
      }
      #expect(
        reasons == [
          "skipped", "\(folder)/out/b.distances.csv differs from what was written",
          "its summary was missing", "new",
        ])
      #expect(outcomes.map { $0.summary?.rows.read } == [12, 16, 20, 24])
      #expect(contents("\(folder)/out") == contents("\(folder)/whole"))
      let now =
        try FileManager.default.attributesOfItem(
          atPath: "\(folder)/out/a.summary.json")[.systemFileNumber] as? Int
      #expect(now == untouched && now != nil)
    }
  }

  /// Unfinished files of a killed run are removed.
  @Test func removesAbandonedFiles() async throws {
    try await withTemporaryFolder { folder in
      try write("a.csv", in: folder, rounds: 3)
      let batch = batch(folder, "out")
      try FileManager.default.createDirectory(
        atPath: batch.output, withIntermediateDirectories: true)
      // A file of an earlier process with the same process identifier.
      try Data("x".utf8).write(
        to: URL(filePath: "\(batch.output)/z.positions.csv.part-\(getpid())"))
      await batch.run(["\(folder)/a.csv"])
      #expect(
        Set(contents(batch.output).keys)
          == Set(
            ["positions.csv", "distances.csv", "rejected.csv", "summary.json"].map { "a.\($0)" }))
    }
  }

  // MARK: Faults

  /// If the output folder disappears, the remaining recordings fail; they do not create a new
  /// folder.
  @Test func removedOutputFolderIsNotRecreated() async throws {
    try await withTemporaryFolder { folder in
      for name in ["a.csv", "b.csv", "c.csv"] { try write(name, in: folder, rounds: 3) }
      let output = "\(folder)/out"
      let outcomes = await batch(folder, "out").run(
        ["a.csv", "b.csv", "c.csv"].map { "\(folder)/\($0)" }, jobs: 1
      ) { progress in
        if progress.recordings > 0 { try? FileManager.default.removeItem(atPath: output) }
      }
      let gone = RecordingError.cannotWrite(
        path: output, reason: "the output folder no longer exists")
      #expect(outcomes.map(\.failure) == [nil, gone, gone])
      #expect(!FileManager.default.fileExists(atPath: output))
    }
  }

  @Test func unreachedRecordingsAreNotFailures() async throws {
    try await withTemporaryFolder { folder in
      for name in ["a.csv", "b.csv", "c.csv"] { try write(name, in: folder, rounds: 3) }
      let batch = batch(folder, "out")
      let outcomes = await batch.run(
        ["a.csv", "b.csv", "c.csv"].map { "\(folder)/\($0)" }, jobs: 1
      ) { progress in
        if progress.recordings > 0 { batch.writer.close() }
      }
      #expect(outcomes.map { $0.summary?.recording } == ["a", nil, nil])
      #expect(outcomes.dropFirst() == [.notReached, .notReached])
      #expect(contents("\(folder)/out").count == 4)
    }
  }

  /// A closed writer writes nothing.
  @Test func closedWriterWritesNothing() async throws {
    try withTemporaryFolder { folder in
      let writer = AtomicFileWriter()
      let file = OutputFile(path: "\(folder)/b", bytes: [1])
      try writer.write([OutputFile(path: "\(folder)/a", bytes: [1])])
      #expect(contents(folder) == ["a": Data([1])])
      writer.close()
      #expect(throws: RecordingError.cannotWrite(path: file.path, reason: "interrupted")) {
        try writer.write([file])
      }
      #expect(contents(folder) == ["a": Data([1])])
    }
  }
}
