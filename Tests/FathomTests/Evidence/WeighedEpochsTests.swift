import Testing

@testable import Fathom

/// The places of epochs, each of which is one independent measurement.
@Suite struct WeighedEpochsTests {
  /// Returns epochs of groups of four anchors, without anchors in common.
  private static func groups(_ count: Int, epochs: Int) -> [RangeEpoch] {
    (0..<count * epochs).map { index in
      let first = 4 * (index % count)
      return RangeEpoch(anchors: Array(first..<first + 4), distances: [3, 4, 5, 6])
    }
  }

  @Test(arguments: [1, 24, 25, 96])
  func groupsWithoutACommonAnchorStayPlaces(_ count: Int) {
    let epochs = WeighedEpochs(
      Self.groups(count, epochs: 3), anchorCount: 4 * count, reach: 0.4)
    #expect(epochs.places == count)
    #expect(epochs.weights.allSatisfy { $0 == 1.0 / 3 })
  }

  /// Forty places of the same anchors, 2 m apart: with a larger radius they are at most 24.
  @Test func placesOfTheSameAnchorsJoin() {
    let epochs = (0..<40).map { index in
      RangeEpoch(anchors: [0, 1, 2], distances: [3, 4, 5].map { $0 + 2 * Double(index) })
    }
    let joined = WeighedEpochs(epochs, anchorCount: 3, reach: 0.4)
    #expect(joined.places > 1 && joined.places <= WeighedEpochs.mostPlaces)
    // Each place is one measurement.
    #expect(abs(joined.weights.reduce(0, +) - Double(joined.places)) < 1e-9)
  }

  @Test func infiniteAndEqualRangesEnd() {
    let epochs = (0..<60).map { index in
      RangeEpoch(
        anchors: [index % 50, 50], distances: [index.isMultiple(of: 2) ? 0 : 1e308, 1e308])
    }
    #expect(WeighedEpochs(epochs, anchorCount: 51, reach: 0).places >= 1)
  }

  @Test func everySecondEpochCountsForAsMany() {
    let epochs = WeighedEpochs(Self.groups(3, epochs: 8), anchorCount: 12, reach: 0.4)
    let half = epochs.every(2)
    #expect(half.count == 12 && half.places == 3)
    #expect(abs(half.weights.reduce(0, +) - 3) < 1e-9)
  }

  /// A tag passes 100 anchors in a row, of which it hears four at a time, and 2,000 around one place.
  @Test(arguments: [100, 2000]) func aDiagnosisOfManyAnchorsEnds(_ count: Int) {
    var sample = RangeSample()
    var anchors: [Anchor] = []
    for anchor in 0..<count {
      let side = Double(anchor % 2)
      anchors.append(Anchor(position: Vector([2.5 * Double(anchor), 6 * side, 2 + 0.5 * side])))
    }
    for step in 0..<count {
      let place = Vector<3>([2.5 * Double(step), 3, 1])
      for anchor in max(0, step - 2)..<min(count, step + 2) {
        sample.add(
          (place - anchors[anchor].position).length, tag: 0, anchor: anchor,
          at: Timestamp(nanoseconds: Int64(step) * 100_000_000))
      }
    }
    var options = RangeDiagnosis.Options()
    options.height = 1
    let found = RangeDiagnosis(
      of: sample, anchors: anchors, names: anchors.indices.map { "A\($0)" }, tagNames: ["T"],
      options: options)
    #expect(found.unusableAnchors.isEmpty && !found.isLayoutWrong, "\(found.diagnoses)")
  }
}
