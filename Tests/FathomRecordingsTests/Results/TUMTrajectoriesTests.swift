import Fathom
import FathomEvaluation
import Foundation
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct TUMTrajectoriesTests {
  private func columns(_ rows: [(seconds: Double, tag: String, x: Double, z: Double)])
    -> PositionColumns
  {
    var columns = PositionColumns()
    for row in rows {
      columns.append(
        at(row.seconds), row.tag, Vector([row.x, 2, row.z]), .undetermined,
        used: 1, rejected: 0, status: .fix)
    }
    return columns
  }

  @Test func writesOneRowPerCompletePosition() {
    let texts = TUMTrajectories(
      columns([
        (0.5, "b", 1, 3), (0.5, "a", -1.00006, 3), (0.75, "b", .nan, 3), (1, "c", 0, .nan),
        (1.25, "b", 1.5, 0), (2, "unknown", 1, 1),
      ]), places: ["a": 0, "b": 1, "c": 2], timeDecimals: 3)
    #expect(texts.omitted == 2)
    #expect(texts.tracks.map(\.place) == [1, 0])
    #expect(
      texts.tracks.map { String(decoding: $0.text.bytes, as: UTF8.self) } == [
        "0.500 1.0000 2.0000 3.0000 0 0 0 1\n1.250 1.5000 2.0000 0.0000 0 0 0 1\n",
        "0.500 -1.0001 2.0000 3.0000 0 0 0 1\n",
      ])
  }

  /// The trajectory reader detects the format from the content and restores every digit.
  @Test func trajectoryReaderReadsThem() throws {
    var generator = SeededGenerator(seed: 12)
    var rows: [(seconds: Double, tag: String, x: Double, z: Double)] = []
    for step in 0..<300 {
      let x = Double(Int64(truncatingIfNeeded: generator.next() >> 30)) / 1e4
      rows.append((Double(1_600_000 + step) / 8, "T", x, Double(step) / 1e3))
    }
    let texts = TUMTrajectories(columns(rows), places: ["T": 0], timeDecimals: 3)
    let bytes = try #require(texts.tracks.first).text.bytes
    let found = try TrajectoryReader.read(ByteSource(path: "t.tum", stored: bytes))
    #expect(found.format == .tum && found.rejected.isEmpty)
    let track = try #require(found.tracks[""])
    #expect(track.times == rows.map { at($0.seconds) })
    for (position, row) in zip(track.positions, rows) {
      #expect(position == Vector([row.x, 2, row.z]), "seed 12")
    }
  }

  @Test func escapesFileNames() {
    func names(_ tags: String...) -> [String] { ResultWriter.trackNames(of: "w", tags: tags) }
    #expect(names("../x") == ["w.positions.tum"])
    #expect(
      names("tag-1", "../x", "a b", "é", "%", "a.b") == [
        "w.positions.tag-1.tum", "w.positions.%2E%2E%2Fx.tum", "w.positions.a%20b.tum",
        "w.positions.%C3%A9.tum", "w.positions.%25.tum", "w.positions.a%2Eb.tum",
      ])
    // Names that differ only in case, and the name reserved for a recording `w.positions`.
    #expect(
      names("a", "A", "Positions") == [
        "w.positions.a.tum", "w.positions.A~2.tum", "w.positions.Positions~3.tum",
      ])
  }

  @Test func fileNamesDiffer() {
    var generator = SeededGenerator(seed: 3)
    var tags: Set<String> = []
    let letters = Array("aAbB~%2E./é\u{1}")
    for count in [1, 2, 3, 40, 120, 255] {
      for _ in 0..<60 {
        tags.insert(
          String((0..<count).map { _ in letters[Int(generator.next() % UInt64(letters.count))] }))
      }
    }
    let names = ResultWriter.trackNames(of: "w", tags: tags.sorted())
    #expect(Set(names.map { $0.lowercased() }).count == tags.count, "seed 3")
    for name in names {
      #expect(name.utf8.count <= 130 && !name.contains("/") && !name.contains(".."))
      #expect(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
  }
}
