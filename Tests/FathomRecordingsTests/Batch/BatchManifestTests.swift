import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct BatchManifestTests {
  private func write(_ path: String, rows: Int) throws {
    let text = "time_s,tag,anchor,distance_m\n" + (0..<rows).map { "\($0),T,A,2\n" }.joined()
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  private func manifest(
    _ batch: RecordingBatch, _ ledger: BatchLedger, interruption: Int32? = nil
  ) -> BatchManifest {
    BatchManifest(
      of: batch, ledger, jobs: 2, start: 1_000_000_000, seconds: 2, interruption: interruption)
  }

  @Test func manifestListsEveryRecording() async throws {
    try await withTemporaryFolder { folder in
      try write("\(folder)/a.csv", rows: 3)
      try write("\(folder)/b.csv", rows: 5)
      try write("\(folder)/empty.csv", rows: 0)
      var batch = RecordingBatch(output: "\(folder)/out")
      batch.resumes = true
      try await batch.process("\(folder)/a.csv")
      try FileManager.default.createDirectory(
        atPath: "\(folder)/out/b.positions.csv", withIntermediateDirectories: true)
      let paths = ["a.csv", "lost.csv", "b.csv", "empty.csv"].map { "\(folder)/\($0)" }
      var ledger = BatchLedger(paths)
      let before = self.manifest(batch, ledger, interruption: 130)
      #expect(before.recordings.map(\.status) == Array(repeating: .notReached, count: 4))
      #expect(before.end == .interrupted && before.exitCode == 130)
      await batch.run(paths, ledger: ledger)
      var manifest = self.manifest(batch, ledger)
      #expect(manifest.recordings.map(\.status) == [.skipped, .failed, .failed, .failed])
      #expect(manifest.recordings.map(\.failure?.exitCode) == [nil, 66, 73, 65])
      // The first failure in the order given, whatever the order in time.
      #expect(manifest.end == .failed && manifest.exitCode == 66)
      #expect(manifest.totals.recordings == 4 && manifest.totals.failed == 3)

      try FileManager.default.removeItem(atPath: "\(folder)/out/b.positions.csv")
      ledger = BatchLedger([paths[0], paths[2]])
      await batch.run(ledger.paths, ledger: ledger)
      manifest = self.manifest(batch, ledger)
      #expect(manifest.recordings.map(\.status) == [.skipped, .done])
      #expect(manifest.recordings.map(\.name) == ["a", "b"])
      #expect(manifest.recordings.map(\.rows?.read) == [3, 5])
      #expect(manifest.recordings[0].timing == nil && manifest.recordings[1].timing != nil)
      #expect(manifest.recordings[1].results?.last == "b.summary.json")
      #expect(manifest.end == .done && manifest.exitCode == 0)
      #expect(manifest.totals.rows == 5 && manifest.totals.rowsPerSecond == 2.5)
      #expect(manifest.totals.bytes == FileIdentity.size(of: paths[2]))
      #expect(manifest.started == "2001-09-09T01:46:40Z")
    }
  }

  @Test func fileRoundTrips() async throws {
    try await withTemporaryFolder { folder in
      try write("\(folder)/a.csv", rows: 3)
      var batch = RecordingBatch(output: "\(folder)/out")
      batch.options.columns = ["distance_m": "distance_m"]
      let ledger = BatchLedger(["\(folder)/a.csv", "\(folder)/b.csv"])
      await batch.run(ledger.paths, ledger: ledger)
      let manifest = self.manifest(batch, ledger)
      let file = manifest.file(in: batch.output)
      #expect(file.path == "\(folder)/out/batch.json")
      try OutputFile.write([file])
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      #expect(try decoder.decode(BatchManifest.self, from: Data(file.bytes)) == manifest)
      #expect(BatchManifest.isManifest(file.path))
      for text in ["", "{}", "[]", #"{"version": "1", "recordings": [1]}"#] {
        try Data(text.utf8).write(to: URL(filePath: file.path))
        #expect(!BatchManifest.isManifest(file.path), "\(text)")
      }
      #expect(!BatchManifest.isManifest("\(folder)/nowhere"))
    }
  }
}
