import Fathom
import FathomRecordings
import TestSupport
import Testing

/// The recordings of other people, against the counts that their authors' files have.
@Suite struct DatasetTests {
  /// Rows and anchors: lines of the files without their headers, counted with `wc -l`.
  @Test(
    .needsReference("datasets/labyrinth"),
    arguments: [
      ("labyrinth", 233, 4), ("plaza2", 1_816, 4), ("hanyang_los_a2", 8_219, 4),
      ("hanyang_los_b3", 6_645, 4), ("hanyang_nlos_b3", 6_297, 4), ("mrclam9", 5_618, 15),
      ("phone_pair_aoa", 129, 0), ("hanyang_static", 16_401, 413),
      ("lias_trolley_fast", 107_994, 8),
    ])
  func everyRowIsAccountedFor(_ name: String, _ rows: Int, _ anchors: Int) throws {
    let recording = try RecordingReader.read(
      Reference.url("datasets/\(name)").path(percentEncoded: false))
    #expect(recording.name == name)
    #expect(recording.rowsRead == rows)
    #expect(recording.ranges.count + recording.events.count + recording.rejected.count == rows)
    #expect(recording.anchors.count == anchors)
    for place in recording.ranges.anchor where Int(place) >= recording.anchorNames.count {
      Issue.record("anchor \(place) of \(recording.anchorNames.count)")
    }
    for distance in recording.ranges.distance {
      #expect(MeasuredDistance.absence(of: distance) == nil)
    }
  }
}
