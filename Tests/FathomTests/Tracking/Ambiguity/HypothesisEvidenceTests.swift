import Testing

@testable import Fathom

@Suite struct HypothesisEvidenceTests {
  private let here: Vector<3> = Vector([4, 2, 1])

  /// The ranges of an anchor from one place count once, however many they are; those from another
  /// place count again.
  @Test func rangesFromOnePlaceCountOnce() {
    var evidence = HypothesisEvidence()
    for _ in 0..<1000 {
      for anchor in 0..<2 { evidence.record(1.9, source: .anchor(anchor), offset: here) }
    }
    #expect((evidence.total - 3.8).magnitude < 1e-9 && !evidence.isDecided)
    // Four places of sources with 1.9 each exceed the decisive 6.
    let away: Vector<3> = Vector([6, 2, 1])
    evidence.record(1.9, source: .anchor(0), offset: away)
    #expect(!evidence.isDecided)
    evidence.record(1.9, source: .anchor(1), offset: away)
    #expect((evidence.total - 7.6).magnitude < 1e-9 && evidence.isDecided)
    // Their mean counts: the contrary takes back what the same place said.
    for _ in 0..<3 { evidence.record(-1.9, source: .anchor(1), offset: away) }
    #expect((evidence.total - (5.7 - 0.95)).magnitude < 1e-9 && !evidence.isDecided)
  }

  /// A persistent error of 0.1 m imitates ranges that differ by 0.1 m: half a nat, from all places together.
  @Test func persistentErrorsBoundTheEvidence() {
    var evidence = HypothesisEvidence()
    for step in 0..<100 {
      evidence.record(
        1.5, source: .anchor(0), offset: Double(2 * step) * Vector([1, 0, 0]), difference: 0.1,
        persistent: 0.01)
    }
    #expect((evidence.total - 0.5).magnitude < 1e-9)
    for step in 0..<100 {
      evidence.record(
        1.5, source: .anchor(1), offset: Double(2 * step) * Vector([1, 0, 0]), difference: 0.6,
        persistent: 0.01)
    }
    #expect((evidence.total - 18.5).magnitude < 1e-9)
  }

  /// What does not persist adds up; a single outlier counts two nats, and no number nothing.
  @Test func measurementsAddUpWithinBounds() {
    var evidence = HypothesisEvidence()
    for advantage in [5.0, .nan, -0.5] { evidence.record(advantage, source: nil, offset: here) }
    #expect(evidence.total == 1.5)
    evidence.decide(40)
    #expect(evidence.total == 41.5 && evidence.isDecided)
  }

  /// A hypothesis with prior evidence against it is given up after as much evidence again.
  @Test func decisionsCountFromTheBeginning() {
    var evidence = HypothesisEvidence(prior: HypothesisEvidence.decisiveOdds)
    #expect(!evidence.isDecided)
    for _ in 0..<3 { evidence.record(2, source: nil, offset: here) }
    #expect(evidence.isDecided && evidence.total == 12)
  }

  @Test func reversedEvidenceIsForTheOther() {
    var evidence = HypothesisEvidence(prior: 6)
    for _ in 0..<4 { evidence.record(-2, source: .tag(1), offset: here) }
    // One place: its mean.
    #expect(evidence.total == 4)
    for step in 0..<4 {
      evidence.record(-2, source: .tag(2), offset: here + Double(2 * step) * Vector([1, 0, 0]))
    }
    var reversed = evidence.reversed
    #expect(evidence.total == -4 && reversed.total == 4 && !reversed.isDecided)
    // The same place takes back its part of the other sign.
    for _ in 0..<4 { reversed.record(-2, source: .tag(1), offset: here) }
    #expect((reversed.total - 2).magnitude < 1e-9)
    #expect(HypothesisEvidence(prior: 3).after(evidence).total == 7)
  }
}
