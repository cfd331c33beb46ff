import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// The minima of the squared ranges in polynomial form, against the eigenvector form of
/// ``SquaredRanges``.
@Suite struct PackedStartsTests {
  @Test func startsAreMinimaOfSquaredRanges() throws {
    var generator = SeededGenerator(seed: 1113)
    var (pairs, packed) = (0, 0)
    for _ in 0..<500 {
      let (problem, ranges, anchors) = epoch(using: &generator)
      let minima = try #require(SquaredRanges(problem)).minima()
      let found = withPackedEpoch(ranges, anchors) {
        epoch -> (Vector<3>, Vector<3>?)? in
        let starts = PackedStarts(of: epoch)
        guard let global = starts.global else { return nil }
        if case .position(let other) = starts.other(belowSquareOf: .infinity) {
          return (epoch.place(global), epoch.place(other))
        }
        return (epoch.place(global), nil)
      }
      guard let (global, other) = found else { continue }
      packed += 1
      let centre = problem.span.centre
      #expect((global - centre - minima.global).length < 1e-3, "seed 1113")
      if let other, let expected = minima.other {
        pairs += 1
        #expect((other - centre - expected).length < 1e-2, "seed 1113")
      }
    }
    #expect(packed > 400, "seed 1113: \(packed)")
    #expect(pairs > 50, "seed 1113: \(pairs)")
  }

  @Test func simpleCriterionExcludesOtherMinimum() throws {
    var generator = SeededGenerator(seed: 1115)
    var alone = 0
    for _ in 0..<1000 {
      let (_, ranges, anchors) = epoch(using: &generator)
      let found = withPackedEpoch(ranges, anchors) { epoch -> Bool? in
        let starts = PackedStarts(of: epoch)
        guard starts.global != nil, starts.isAlone else { return nil }
        if case .none = starts.other(belowSquareOf: .infinity) { return true }
        return false
      }
      guard let isNone = found else { continue }
      alone += 1
      #expect(isNone, "seed 1115")
    }
    #expect(alone > 50, "seed 1115: \(alone)")
  }

  /// Excluded minima cost more than the limit, in squared ranges summed here.
  @Test func excludedMinimaCostMore() throws {
    var generator = SeededGenerator(seed: 1114)
    var (excluded, kept) = (0, 0)
    for _ in 0..<1000 {
      let (problem, ranges, anchors) = epoch(using: &generator)
      guard let other = try #require(SquaredRanges(problem)).minima().other else { continue }
      let smallest = 0.1 * ranges.reduce(0, +) / 6
      var cost = 0.0
      for index in ranges.indices {
        let offset = other - problem.anchors[index]
        let error = offset.dot(offset) - ranges[index] * ranges[index]
        let range = max(smallest, ranges[index])
        cost += 100 * error * error / (range * range)
      }
      for part in [1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.99, 1.01, 2] {
        let found = withPackedEpoch(ranges, anchors) { epoch -> Bool? in
          if case .none = PackedStarts(of: epoch).other(belowSquareOf: part * cost) { return true }
          return false
        }
        guard let isExcluded = found else { continue }
        if isExcluded { excluded += 1 } else { kept += 1 }
        #expect(!isExcluded || part < 1, "seed 1114: \(part)")
      }
    }
    // The bound is lower than the cost itself, but often close enough.
    #expect(excluded > 20 && kept > 100, "seed 1114: \(excluded), \(kept)")
  }

  private func epoch(
    using generator: inout SeededGenerator
  ) -> (RangeProblem<3>, ranges: [Double], anchors: [Vector<3>]) {
    let anchors = (0..<6).map { _ in 8 * Vector<3>.random(using: &generator) }
    let tag = 8 * Vector<3>.random(using: &generator)
    let ranges = anchors.map { (($0 - tag).length + 0.1 * generator.normal()).magnitude }
    let problem = RangeProblem(
      distances: ranges, anchors: anchors, sigmas: [Double](repeating: 0.1, count: 6), free: 3,
      known: .zero)
    return (problem, ranges, anchors)
  }
}
