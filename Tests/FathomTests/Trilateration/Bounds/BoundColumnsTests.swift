import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct BoundColumnsTests {
  /// Every point gives the same bound as computed individually, in every lane.
  @Test(arguments: [false, true])
  func columnsEqualSingleBounds(_ isHeightKnown: Bool) throws {
    var generator = SeededGenerator(seed: 791)
    for count in [0, 1, 3, 4, 9] {
      let layout = RandomLayout(5, kinds: [[.range, .azimuth]], placement: 0.1, using: &generator)
      var measured = ExpectedMeasurements([.range, .azimuth])
      measured.maximumRange = 9
      let x = (0..<count).map { _ in generator.uniform(in: 0...20) }
      let y = (0..<count).map { _ in generator.uniform(in: 0...15) }
      let columns = try BoundColumns(
        x: x, y: y, height: 1.1, anchors: Array(layout.anchors.prefix(4)), measuring: measured,
        isHeightKnown: isHeightKnown)
      var tried: [Double] = []
      try columns.horizontalErrors(with: layout.anchors[4], measuring: measured, into: &tried)
      var extended = columns
      try extended.add(layout.anchors[4], measuring: measured)
      #expect(extended.horizontalErrors == tried)
      let errors = columns.errors
      #expect(errors.horizontal.count == count && errors.radius95.count == count)
      for point in 0..<count {
        for (anchors, horizontal) in [
          (Array(layout.anchors.prefix(4)), errors.horizontal[point]),
          (layout.anchors, tried[point]),
        ] {
          let bound = try CramerRaoBound(
            at: Vector([x[point], y[point], 1.1]), anchors: anchors, measuring: measured,
            isHeightKnown: isHeightKnown)
          #expect(horizontal == bound.horizontalSigma ?? .infinity, "seed 791")
          guard anchors.count == 4 else { continue }
          #expect(errors.measurements[point] == bound.measurements)
          #expect(errors.median[point] == bound.radius(holding: 0.5) ?? .infinity)
          #expect(errors.radius95[point] == bound.radius(holding: 0.95) ?? .infinity)
          #expect(
            errors.vertical[point] == (isHeightKnown ? 0 : bound.verticalSigma ?? .infinity))
        }
      }
    }
  }

  @Test func throwsForInvalidInput() {
    let measured = ExpectedMeasurements(.range)
    #expect(throws: TrilaterationError.heightNotFinite) {
      try BoundColumns(
        x: [0], y: [0], height: .nan, anchors: [], measuring: measured, isHeightKnown: true)
    }
    #expect(throws: TrilaterationError.anchorNotFinite(index: 0)) {
      try BoundColumns(
        x: [0], y: [0], height: 0, anchors: [Anchor(position: Vector([.nan, 0, 0]))],
        measuring: measured, isHeightKnown: true)
    }
  }

  /// Additional information never increases the error, for any geometry and measurements.
  @Test func additionalAnchorNeverIncreasesError() throws {
    var generator = SeededGenerator(seed: 792)
    let kinds: [ExpectedMeasurements.Kinds] = [.range, .arrival, .angles, [.range, .azimuth]]
    for trial in 0..<40 {
      let layout = RandomLayout(
        1 + trial % 6, kinds: [.range], placement: 0.2, using: &generator)
      let measured = ExpectedMeasurements(kinds[trial % 4])
      let x = (0..<30).map { _ in generator.uniform(in: -5...25) }
      let y = (0..<30).map { _ in generator.uniform(in: -5...20) }
      let columns = try BoundColumns(
        x: x, y: y, height: 1, anchors: layout.anchors, measuring: measured,
        isHeightKnown: trial % 3 > 0)
      var with: [Double] = []
      let extra = Anchor(position: layout.tag)
      try columns.horizontalErrors(with: extra, measuring: measured, into: &with)
      for (before, after) in zip(columns.horizontalErrors, with) {
        #expect(after <= before * (1 + 1e-9), "seed 792, trial \(trial)")
      }
    }
  }
}
