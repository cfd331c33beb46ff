import Fathom
import FathomRecordings
import Testing

@Suite struct TruthTests {
  private let track = PositionTrack(
    times: [0, 1, 3, 8].map { Timestamp(nanoseconds: $0 * 1_000_000_000) },
    positions: [Vector([0, 0, 0]), Vector([1, 2, 0]), Vector([3, 2, 4]), Vector([13, 2, 4])])

  private func position(at seconds: Double, longestGap: Double = 2) -> [Double]? {
    let time = Timestamp(nanoseconds: Int64(seconds * 1e9))
    return track.position(at: time, longestGap: longestGap)?.array
  }

  @Test func interpolatesBetweenNeighbours() {
    #expect(position(at: 0) == [0, 0, 0])
    #expect(position(at: 0.25) == [0.25, 0.5, 0])
    #expect(position(at: 2) == [2, 2, 2])
    #expect(position(at: 1) == [1, 2, 0])
  }

  @Test func isNilOutsideAndInGaps() {
    #expect(position(at: -0.001) == nil)
    #expect(position(at: 8.001) == nil)
    #expect(position(at: 4) == nil)
    // The position after 3 s follows 5 s later; the one before 8 s is 5 s earlier.
    #expect(position(at: 3) == nil)
    #expect(position(at: 8) == nil)
    #expect(position(at: 5.5, longestGap: 5) == [8, 2, 4])
    #expect(position(at: 8, longestGap: 5) == [13, 2, 4])
  }

  @Test func sortsItsEntries() {
    let shuffled = PositionTrack(
      times: [track.times[2], track.times[0], track.times[3], track.times[1]],
      positions: [
        track.positions[2], track.positions[0], track.positions[3], track.positions[1],
      ])
    #expect(shuffled == track)
  }

  @Test func returnsSinglePositionAtItsTimeOnly() {
    let single = PositionTrack(
      times: [Timestamp(nanoseconds: 5)], positions: [Vector([1, 2, 3])])
    #expect(single.position(at: Timestamp(nanoseconds: 5), longestGap: 1)?.array == [1, 2, 3])
    #expect(single.position(at: Timestamp(nanoseconds: 6), longestGap: 1) == nil)
    #expect(PositionTrack().position(at: Timestamp(nanoseconds: 0), longestGap: 1) == nil)
  }

  @Test func lastSimultaneousPositionCounts() {
    let instant = Timestamp(nanoseconds: 1_000_000_000)
    let repeated = PositionTrack(
      times: [Timestamp(nanoseconds: 0), instant, instant],
      positions: [Vector([0, 0, 0]), Vector([1, 0, 0]), Vector([2, 0, 0])])
    #expect(repeated.position(at: instant, longestGap: 1)?.array == [2, 0, 0])
    let before = Timestamp(nanoseconds: 500_000_000)
    #expect(repeated.position(at: before, longestGap: 1)?.array == [0.5, 0, 0])
  }

  @Test func findsTrackOfTag() {
    let named = Truth(tracks: ["a": track])
    #expect(named.track(of: "a") == track)
    #expect(named.track(of: "b") == nil)
    #expect(Truth(tracks: ["": track]).track(of: "b") == track)
  }
}
