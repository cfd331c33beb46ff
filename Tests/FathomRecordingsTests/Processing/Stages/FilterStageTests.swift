import Fathom
import TestSupport
import Testing

@testable import FathomRecordings

@Suite struct FilterStageTests {
  private func stage() -> FilterStage {
    FilterStage(
      anchors: roomAnchors.map(\.anchor),
      calibration: TrackerCalibration(configuration: Tracker.Configuration()))
  }

  @Test func trackStartsAndFollowsTag() throws {
    var filter = stage()
    var decisions: [DistanceColumns.Decision] = []
    for step in 0..<200 {
      let time = at(Double(step) * 0.05)
      decisions.append(
        filter.add(
          distance: roomDistance(to: step % 4, step: step), sigma: nil, anchor: step % 4, at: time)
      )
      filter.emit(at: time)
    }
    #expect(decisions.first == .starting)
    #expect(decisions.last == .used)
    // No status returns to starting.
    let begin = try #require(decisions.firstIndex(of: .used))
    #expect(decisions[..<begin].allSatisfy { $0 == .starting })
    #expect(decisions[begin...].allSatisfy { $0 == .used })

    let positions = filter.positions
    #expect(positions.count == 200)
    for index in 0..<begin - 1 {
      #expect(positions[index].status == .starting)
      #expect(positions[index].position.array.allSatisfy { $0.isNaN })
      #expect(positions[index].covariance.array.joined().allSatisfy { $0.isNaN })
    }
    #expect(positions.last?.status == .tracking)
    #expect((try #require(positions.last).position - roomTag).length < 1e-3)
    #expect(positions.allSatisfy { $0.used == 1 && $0.rejected == 0 })
    #expect(filter.innovations.count == 200 - begin)
    #expect(filter.innovations.normalizedSquares >= 0)
    #expect(filter.innovations.noiseFactors >= Double(200 - begin))
    // The track starts within the first of the ten seconds.
    let timeline = filter.innovations.timeline.summary
    #expect(timeline.map(\.startS) == (0..<10).map(Double.init))
    #expect(timeline.map(\.count).reduce(0, +) == 200 - begin)
    #expect(timeline[1...].allSatisfy { $0.count == 20 })
  }

  @Test func repeatedRangeIsDuplicate() {
    var filter = stage()
    for anchor in 0..<4 {
      _ = filter.add(distance: roomDistance(to: anchor), sigma: nil, anchor: anchor, at: at(0))
    }
    #expect(
      filter.add(distance: roomDistance(to: 3), sigma: nil, anchor: 3, at: at(0)) == .duplicate)
    // A different distance at the same instant is a separate measurement.
    #expect(
      filter.add(distance: roomDistance(to: 3) + 0.01, sigma: nil, anchor: 3, at: at(0))
        != .duplicate)
    filter.emit(at: at(0))
    #expect(filter.positions.map(\.used) == [5])
    #expect(filter.positions.map(\.rejected) == [1])
    // The counts cover the ranges since the last position.
    filter.emit(at: at(0.1))
    #expect(filter.positions.last?.used == 0 && filter.positions.last?.rejected == 0)
  }

  @Test func outlierIsDiscounted() {
    var filter = stage()
    for step in 0..<200 {
      _ = filter.add(
        distance: roomDistance(to: step % 4, step: step), sigma: nil, anchor: step % 4,
        at: at(Double(step) * 0.05))
    }
    #expect(
      filter.add(distance: roomDistance(to: 0) + 9, sigma: nil, anchor: 0, at: at(10))
        == .discounted)
    // With a large standard deviation of its own, the same range is consistent.
    #expect(filter.add(distance: roomDistance(to: 1) + 9, sigma: 9, anchor: 1, at: at(10)) == .used)
  }

  @Test func coastsWithoutRanges() {
    var filter = stage()
    for step in 0..<200 {
      _ = filter.add(
        distance: roomDistance(to: step % 4, step: step), sigma: nil, anchor: step % 4,
        at: at(Double(step) * 0.05))
    }
    filter.emit(at: at(9.95))
    filter.emit(at: at(11))
    filter.interrupt(at: at(0))
    filter.emit(at: at(12))
    let positions = filter.positions
    #expect(positions.map(\.status) == [.tracking, .coasting, .coasting])
    let variances = positions.map { $0.covariance[0, 0] }
    #expect(variances[0] < variances[1] && variances[1] < variances[2])
  }
}
