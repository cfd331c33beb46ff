import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct MirrorTests {
  private func mirror() throws -> Mirror {
    // Half way between z = 1 and z = 5: the mirror is the plane z = 3.
    try #require(Mirror(between: Vector([4, 2, 1]), and: Vector([4, 2, 5])))
  }

  @Test func imagesAreReflections() throws {
    let mirror = try mirror()
    #expect((mirror.image(of: Vector<3>([7, -1, 2.5])) - Vector([7, -1, 3.5])).length < 1e-12)
    var state = Gaussian(mean: Vector<6>([7, -1, 2.5, 0.1, 0.2, 0.3]), covariance: .identity)
    state.covariance[0, 2] = 0.5
    state.covariance[2, 0] = 0.5
    var trackState = TrackState(state)
    trackState.reflect(in: mirror.centre, normal: mirror.normal)
    for (index, expected) in [7, -1, 3.5, 0.1, 0.2, -0.3].enumerated() {
      #expect(isClose(trackState.mean(index)[0], expected, within: 1e-12))
    }
    // The covariance with z changes its sign; variances stay.
    #expect(isClose(trackState.covariance(0, 2)[0], -0.5, within: 1e-12))
    #expect(isClose(trackState.covariance(2, 2)[0], 1, within: 1e-12))
    trackState.reflect(in: mirror.centre, normal: mirror.normal)
    for index in 0..<6 {
      #expect(isClose(trackState.mean(index)[0], state.mean[index], within: 1e-12))
    }
  }

  /// The mirrors of anchors: three in a row for a tag in the plane, four under a ceiling.
  @Test func anchorsDefineMirrors() throws {
    let row: [Vector<3>] = [Vector([0, -1, 1]), Vector([4, -1, 3]), Vector([9, -1, 2])]
    let ceiling: [Vector<3>] = [
      Vector([0, 0, 3]), Vector([9, 0, 3]), Vector([9, 5, 3]), Vector([0, 5, 3]),
    ]
    let upright = try #require(Mirror(behind: row, isLevel: true))
    #expect((upright.image(of: Vector([2, 3, 1])) - Vector([2, -5, 1])).length < 1e-12)
    let level = try #require(Mirror(behind: ceiling, isLevel: false))
    #expect((level.image(of: Vector([2, 3, 1])) - Vector([2, 3, 5])).length < 1e-12)
    // A line defines none in space, one anchor none even in the plane.
    let line: [Vector<3>] = [Vector([0, 1, 2]), Vector([3, 1, 2]), Vector([5, 1, 2])]
    #expect(Mirror(behind: line, isLevel: false) == nil)
    #expect(Mirror(behind: [Vector([0, 1, 2])], isLevel: true) == nil)
  }

  @Test func rejectsEqualPositions() {
    #expect(Mirror(between: Vector([1, 2, 3]), and: Vector([1, 2, 3])) == nil)
    #expect(Mirror(between: Vector([1, 2, 3]), and: Vector([1, .infinity, 3])) == nil)
  }
}
