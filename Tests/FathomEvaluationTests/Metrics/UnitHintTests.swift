import Fathom
import FathomEvaluation
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
    #expect(exchanged?.text == "truth fits with its x, z, y as x, y, z: are axes exchanged?")
    #expect(hint { Vector([1000 * $0[1], 1000 * $0[0], 1000 * $0[2]]) }?.axes == [1, 0, 2])
  }

  @Test func isSilentOtherwise() {
    #expect(hint { $0 } == nil)
    #expect(hint { $0 + Vector([3, 2, 0]) } == nil)
  }
}
