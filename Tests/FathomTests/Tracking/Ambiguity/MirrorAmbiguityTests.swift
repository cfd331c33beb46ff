import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct MirrorAmbiguityTests {
  private func ambiguity() throws -> MirrorAmbiguity {
    // Half way between z = 1 and z = 5: the mirror is the plane z = 3.
    try #require(MirrorAmbiguity(between: Vector([4, 2, 1]), and: Vector([4, 2, 5])))
  }

  @Test func imagesAreReflections() throws {
    let ambiguity = try ambiguity()
    #expect((ambiguity.image(of: Vector<3>([7, -1, 2.5])) - Vector([7, -1, 3.5])).length < 1e-12)
    var state = Gaussian(mean: Vector<6>([7, -1, 2.5, 0.1, 0.2, 0.3]), covariance: .identity)
    state.covariance[0, 2] = 0.5
    state.covariance[2, 0] = 0.5
    var trackState = TrackState(state)
    trackState.reflect(in: ambiguity.centre, normal: ambiguity.normal)
    for (index, expected) in [7, -1, 3.5, 0.1, 0.2, -0.3].enumerated() {
      #expect(isClose(trackState.mean(index)[0], expected, within: 1e-12))
    }
    // The covariance with z changes its sign; variances stay.
    #expect(isClose(trackState.covariance(0, 2)[0], -0.5, within: 1e-12))
    #expect(isClose(trackState.covariance(2, 2)[0], 1, within: 1e-12))
    trackState.reflect(in: ambiguity.centre, normal: ambiguity.normal)
    for index in 0..<6 {
      #expect(isClose(trackState.mean(index)[0], state.mean[index], within: 1e-12))
    }
  }

  /// The ranges of an anchor from one place count once, however many they are; those from another
  /// place count again.
  @Test func rangesFromOnePlaceAreOneWitness() throws {
    var ambiguity = try #require(
      MirrorAmbiguity(between: Vector([4, 2, 1]), and: Vector([4, 2, 5]), anchorCount: 2))
    for _ in 0..<1000 {
      for anchor in 0..<2 {
        #expect(
          ambiguity.record(advantage: 1.9, anchor: anchor, position: Vector([4, 2, 1]))
            == .undecided)
      }
    }
    // 1.9 for each of four witnesses exceeds the decisive 6.
    let away: Vector<3> = Vector([6, 2, 1])
    #expect(ambiguity.record(advantage: 1.9, anchor: 0, position: away) == .undecided)
    #expect(ambiguity.record(advantage: 1.9, anchor: 1, position: away) == .track)
    // Their mean counts: the contrary takes back what the same place said.
    for _ in 0..<3 {
      _ = ambiguity.record(advantage: -1.9, anchor: 1, position: away)
    }
    #expect(ambiguity.record(advantage: 1.9, anchor: 0, position: away) == .undecided)
  }

  @Test func anchorOnTheMirrorGivesNoEvidence() throws {
    var ambiguity = try ambiguity()
    let position: Vector<3> = Vector([4, 2, 1])
    let anchor: Vector<3> = Vector([0, 0, 3])
    for _ in 0..<1000 {
      let verdict = ambiguity.record(
        (position - anchor).length, variance: 0.01, anchor: (0, anchor), position: position)
      #expect(verdict == .undecided)
    }
  }

  @Test func anchorOffTheMirrorSelectsTheTrueSide() throws {
    let below: Vector<3> = Vector([4, 2, 1])
    let above: Vector<3> = Vector([4, 2, 5])
    let anchor: Vector<3> = Vector([0, 0, 0.5])
    for (tag, expected) in [(below, MirrorAmbiguity.Verdict.track), (above, .image)] {
      var generator = SeededGenerator(seed: 21)
      var ambiguity = try ambiguity()
      var verdict = MirrorAmbiguity.Verdict.undecided
      var ranges = 0
      while verdict == .undecided, ranges < 100 {
        ranges += 1
        verdict = ambiguity.record(
          (tag - anchor).length + 0.1 * generator.normal(), variance: 0.01, anchor: (0, anchor),
          position: below)
      }
      // One range contributes at most 2 of the 6 that decide.
      #expect(verdict == expected && ranges == 3, "seed 21")
    }
  }

  /// The mirrors of anchors: three in a row for a tag in the plane, four under a ceiling.
  @Test func anchorsDefineMirrors() throws {
    let row: [Vector<3>] = [Vector([0, -1, 1]), Vector([4, -1, 3]), Vector([9, -1, 2])]
    let ceiling: [Vector<3>] = [
      Vector([0, 0, 3]), Vector([9, 0, 3]), Vector([9, 5, 3]), Vector([0, 5, 3]),
    ]
    let upright = try #require(MirrorAmbiguity(behind: row, isLevel: true))
    #expect((upright.image(of: Vector([2, 3, 1])) - Vector([2, -5, 1])).length < 1e-12)
    let level = try #require(MirrorAmbiguity(behind: ceiling, isLevel: false))
    #expect((level.image(of: Vector([2, 3, 1])) - Vector([2, 3, 5])).length < 1e-12)
    // A line defines none in space, one anchor none even in the plane.
    let line: [Vector<3>] = [Vector([0, 1, 2]), Vector([3, 1, 2]), Vector([5, 1, 2])]
    #expect(MirrorAmbiguity(behind: line, isLevel: false) == nil)
    #expect(MirrorAmbiguity(behind: [Vector([0, 1, 2])], isLevel: true) == nil)
  }

  /// For a track that has long been on its side, the decision needs twice the evidence.
  @Test func testOfTheOtherSideNeedsMoreEvidence() throws {
    let row: [Vector<3>] = [Vector([0, -1, 1]), Vector([4, -1, 3])]
    for (mirror, decisive) in [
      (try ambiguity(), 3), (try #require(MirrorAmbiguity(behind: row, isLevel: true)), 6),
    ] {
      var mirror = mirror
      for count in 1...decisive {
        let verdict = mirror.record(advantage: -5)
        #expect(verdict == (count == decisive ? .image : .undecided))
      }
      #expect(mirror.favoursImage)
      mirror.changeSides()
      #expect(!mirror.favoursImage && mirror.record(advantage: .nan) == .track)
    }
  }

  @Test func rejectsEqualPositions() {
    #expect(MirrorAmbiguity(between: Vector([1, 2, 3]), and: Vector([1, 2, 3])) == nil)
    #expect(MirrorAmbiguity(between: Vector([1, 2, 3]), and: Vector([1, .infinity, 3])) == nil)
  }
}
