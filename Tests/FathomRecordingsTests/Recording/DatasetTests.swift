import Fathom
import FathomRecordings
import Foundation
import TestSupport
import Testing

/// Public recordings, compared with the row counts of their files.
@Suite struct DatasetTests {
  /// Numbers of rows and anchors: lines of the files without headers, counted with `wc -l`.
  @Test(
    .needsReference("datasets/labyrinth"),
    arguments: [
      ("labyrinth", 233, 4), ("plaza2", 1_816, 4), ("hanyang_los_a2", 8_219, 4),
      ("hanyang_los_b3", 6_645, 4), ("hanyang_nlos_b3", 6_297, 4), ("mrclam9", 5_618, 15),
      ("phone_pair_aoa", 129, 0), ("hanyang_static", 16_401, 413),
      ("lias_trolley_fast", 107_994, 8),
    ])
  func readsEveryRow(_ name: String, _ rows: Int, _ anchors: Int) throws {
    let recording = try RecordingReader.read(
      Reference.url("datasets/\(name)").path(percentEncoded: false))
    #expect(recording.name == name)
    #expect(recording.rowsRead == rows)
    #expect(recording.ranges.count + recording.events.count + recording.rejected.count == rows)
    #expect(recording.anchors.count == anchors)
    #expect(recording.rejected.isEmpty)
    for place in recording.ranges.anchor where Int(place) >= recording.anchorNames.count {
      Issue.record("anchor \(place) of \(recording.anchorNames.count)")
    }
    for distance in recording.ranges.distance {
      #expect(MeasuredDistance.absence(of: distance) == nil)
    }
  }

  /// The same files, split and converted by the standard library.
  @Test(
    .needsReference("datasets/labyrinth"),
    arguments: ["labyrinth", "plaza2", "hanyang_los_b3", "mrclam9", "phone_pair_aoa"])
  func columnsMatchStandardLibrary(_ name: String) throws {
    let folder = Reference.url("datasets/\(name)")
    let recording = try RecordingReader.read(folder.path(percentEncoded: false))
    let text = try String(contentsOf: folder.appending(path: "ranges.csv"), encoding: .utf8)
    let rows = text.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
    let header = try #require(rows.first)
    let ranges = recording.ranges
    #expect(ranges.count == rows.count - 1)
    for (index, row) in rows.dropFirst().enumerated() {
      let cells = Dictionary(uniqueKeysWithValues: zip(header, row))
      let seconds = try #require(Double(cells["time_s"] ?? ""))
      #expect(ranges.time[index] == Timestamp(seconds: seconds))
      #expect(ranges.distance[index] == Double(cells["distance_m"] ?? ""))
      #expect(recording.tagNames[Int(ranges.tag[index])] == cells["tag"])
      #expect(recording.anchorNames[Int(ranges.anchor[index])] == cells["anchor"])
      #expect(ranges[.azimuth]?[index] == cells["azimuth_rad"].flatMap { Double($0) })
      #expect(ranges[.elevation]?[index] == cells["elevation_rad"].flatMap { Double($0) })
      #expect(ranges[.rssi]?[index] == cells["rssi_dbm"].flatMap { Double($0) })
      #expect(
        ranges[.firstPathRSSI]?[index] == cells["rssi_first_path_dbm"].flatMap { Double($0) })
    }
  }
}
