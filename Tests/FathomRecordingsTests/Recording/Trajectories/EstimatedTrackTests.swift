import Fathom
import Testing

@testable import FathomRecordings

@Suite struct EstimatedTrackTests {
  @Test func sortsRowsByTime() throws {
    let track = EstimatedTrack(
      times: [2, 1, 1].map { Timestamp(nanoseconds: $0) },
      positions: [Vector<3>([2, 0, 0]), Vector<3>([1, 0, 0]), Vector<3>([1, 1, 0])],
      covariances: [2, 1, 3].map { Double($0) * Matrix<3, 3>.identity })
    #expect(track.times.map(\.nanoseconds) == [1, 1, 2])
    #expect(track.positions.map { $0[0] } == [1, 1, 2])
    #expect(track.positions.map { $0[1] } == [0, 1, 0])
    #expect(try #require(track.covariances).map { $0[0, 0] } == [1, 3, 2])
  }

  @Test func separatesTags() {
    var columns = PositionColumns()
    for (index, tag) in ["a", "b", "a"].enumerated() {
      columns.append(
        Timestamp(nanoseconds: Int64(index)), tag, Vector<3>(repeating: Double(index)),
        .undetermined, used: 0, rejected: 0, status: .fix)
    }
    let tracks = EstimatedTrack.tracks(of: columns)
    #expect(tracks.keys.sorted() == ["a", "b"])
    #expect(tracks["a"]?.times.map(\.nanoseconds) == [0, 2])
    #expect(tracks["b"]?.positions.map { $0[2] } == [1])
    #expect(tracks["b"]?.covariances?.first?.isFinite == false)
  }
}
