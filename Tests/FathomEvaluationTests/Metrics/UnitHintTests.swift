import Fathom
import FathomEvaluation
import TestSupport
import Testing

@Suite struct UnitHintTests {
  /// A walk of 40 poses, as it is and with `change` applied to truth.
  private func hint(
    isHorizontal: Bool = false, _ change: (Vector<3>) -> Vector<3>
  ) -> UnitHint? {
    let walk: [Vector<3>] = (0..<40).map { step in
      let angle = Double(step) / 8
      return Vector([6 + 4 * angle, 4 + 0.5 * angle * angle, 1.2 + 0.1 * angle])
    }
    return UnitHint(
      walk.map { $0 + Vector([0.05, -0.04, 0.02]) }, truth: walk.map(change),
      isHorizontal: isHorizontal)
  }

  @Test func findsUnits() throws {
    let millimetres = try #require(hint { 1000 * $0 })
    #expect(millimetres.factor == 1000 && millimetres.axes == [0, 1, 2])
    #expect(millimetres.text.hasPrefix("truth is about 1000 times as large as the estimate"))
    #expect(hint(isHorizontal: true) { 100 * $0 }?.factor == 100)
    #expect(hint { 0.001 * $0 }?.text.hasPrefix("the estimate is about 1000 times") == true)
    #expect(hint { 1 / 0.3048 * $0 }?.text.contains("in feet") == true)
  }

  @Test func findsExchangedAxes() {
    let exchanged = hint { Vector([$0[0], $0[2], $0[1]]) }
    #expect(exchanged?.axes == [0, 2, 1] && exchanged?.factor == 1)
    #expect(
      exchanged?.text.hasPrefix("truth fits with its x, z, y as x, y, z: are axes exchanged?")
        == true)
    // The offsets of the estimate are 0.05, -0.04 and 0.02 m, in all 0.067 m.
    #expect(exchanged?.text.contains("the error would be 0.07 m instead of") == true)
    #expect(hint { Vector([1000 * $0[1], 1000 * $0[0], 1000 * $0[2]]) }?.axes == [1, 0, 2])
  }

  @Test func findsReversedAxes() {
    let reversed = hint { Vector([$0[0], -$0[1], $0[2]]) }
    #expect(reversed?.axes == [0, 1, 2] && reversed?.signs == [1, -1, 1])
    #expect(
      reversed?.text.hasPrefix("truth fits with its x, -y, z as x, y, z: are axes reversed?")
        == true)
    // A frame with y up: x, z, -y.
    let upright = hint { Vector([$0[0], $0[2], -$0[1]]) }
    #expect(upright?.axes == [0, 2, 1] && upright?.signs == [1, -1, 1])
    #expect(
      upright?.text.contains("its x, -z, y as x, y, z: are axes exchanged and reversed?") == true)
    let millimetres = hint(isHorizontal: true) { Vector([-1000 * $0[0], 1000 * $0[1], 0]) }
    #expect(millimetres?.factor == 1000 && millimetres?.signs == [-1, 1, 1])
  }

  @Test func findsAnotherFrame() throws {
    let walk: [Vector<3>] = (0..<40).map { step in
      let angle = Double(step) / 8
      return Vector([6 + 4 * angle, 4 + 0.5 * angle * angle, 1.2 + 0.1 * angle])
    }
    func poses(_ truth: (Vector<3>) -> Vector<3>) -> [MatchedPose] {
      walk.enumerated().map { step, position in
        MatchedPose(
          time: Timestamp(nanoseconds: Int64(step)), tag: "T", estimate: position,
          truth: truth(position))
      }
    }
    // Turned by 30° about z and moved.
    let cosine = (0.75).squareRoot()
    let moved = poses { place in
      Vector([
        cosine * place[0] - 0.5 * place[1] + 3, 0.5 * place[0] + cosine * place[1] - 7, place[2],
      ])
    }
    let hint = try #require(FrameHint(moved, isHorizontal: true))
    #expect(hint.aligned < 1e-9 && hint.plain > 1)
    #expect(isClose(hint.alignment.rotationAngle.degrees, 30, within: 1e-6))
    #expect(FrameHint(Array(moved.prefix(10)), isHorizontal: true) == nil)
    #expect(FrameHint(poses { $0 + Vector([0.1, 0, 0]) }, isHorizontal: false) == nil)
  }

  @Test func isSilentOtherwise() {
    #expect(hint { $0 } == nil)
    #expect(hint { $0 + Vector([3, 2, 0]) } == nil)
  }
}
