import Fathom
import Testing

@testable import FathomRecordings

@Suite struct RangeEpochsTests {
  /// Returns a recording of ranges with the given times, tags and anchors.
  private func recording(_ rows: [(time: Double, tag: Int32, anchor: Int32)]) -> Recording {
    var recording = Recording(name: "rounds")
    recording.tagNames = ["a", "b"]
    recording.anchorNames = ["0", "1", "2"]
    for row in rows {
      recording.ranges.time.append(Timestamp(nanoseconds: Int64(row.time * 1e9)))
      recording.ranges.tag.append(row.tag)
      recording.ranges.anchor.append(row.anchor)
      recording.ranges.distance.append(1)
      recording.ranges.line.append(0)
    }
    return recording
  }

  private func groups(_ rows: [(Double, Int32, Int32)], window: Double = 1) -> [[Int]] {
    RowEpoch.epochs(of: recording(rows.map { ($0.0, $0.1, $0.2) }), window: window)
      .map(\.rows)
  }

  @Test func repeatedAnchorBeginsEpoch() {
    #expect(
      groups([(0, 0, 0), (0.1, 0, 1), (0.2, 0, 2), (0.3, 0, 0), (0.4, 0, 2)]) == [
        [0, 1, 2], [3, 4],
      ])
  }

  @Test func windowLimitsEpoch() {
    let rows: [(Double, Int32, Int32)] = [(0, 0, 0), (0.5, 0, 1), (1.25, 0, 2)]
    #expect(groups(rows) == [[0, 1], [2]])
    #expect(groups(rows, window: 1.25) == [[0, 1, 2]])
  }

  @Test func separatesTagsAndOrdersEpochsByEnd() {
    let rows: [(Double, Int32, Int32)] = [(0, 0, 0), (0.1, 1, 0), (0.2, 0, 1)]
    let epochs = RowEpoch.epochs(of: recording(rows.map { ($0.0, $0.1, $0.2) }), window: 1)
    #expect(epochs.map(\.tag) == [1, 0])
    #expect(epochs.map(\.rows) == [[1], [0, 2]])
    #expect(epochs.map(\.time.seconds) == [0.1, 0.2])
  }

  @Test func sortsRangesByTime() {
    #expect(groups([(0.2, 0, 2), (0, 0, 0), (0.1, 0, 1)]) == [[1, 2, 0]])
    #expect(groups([]) == [])
  }
}
