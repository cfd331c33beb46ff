import CVectors
import FathomEvaluation
import Testing

@testable import Fathom

/// The kernels with the widest vectors of this processor give bitwise the same results as with the
/// vectors of every processor.
@Suite struct VectorWidthTests {
  /// The numbers of a state estimate: panels, mean and gain.
  private struct Numbers: Equatable {
    var panels: [Double]
    var mean: [Double]
    var gain: [Double]

    /// Random numbers for `count` pairs of rows; mirrored elements in a panel are equal.
    init(pairs count: Int, _ generator: inout SeededGenerator) {
      func random(_ count: Int) -> [Double] {
        (0..<count).map { _ in generator.uniform(in: -3...3) }
      }
      panels = random(4 * count * (count + 1))
      mean = random(4 * count)
      gain = random(4 * count)
      for index in 0..<count {
        let start = 4 * index * (index + 1) + 8 * index
        for mode in 0..<2 { panels[start + 4 + mode] = panels[start + 2 + mode] }
      }
    }

    /// Bit patterns of all numbers, so that NaNs compare as well.
    var bits: [UInt64] { (panels + mean + gain).map(\.bitPattern) }
  }

  private func pair(_ generator: inout SeededGenerator) -> SIMD2<Double> {
    SIMD2(generator.uniform(in: -2...2), generator.uniform(in: -2...2))
  }

  @Test func conditioningIsEqualInAllWidths() {
    var generator = SeededGenerator(seed: 7301)
    for round in 0..<400 {
      let count = 1 + round % 12
      var wide = Numbers(pairs: count, &generator)
      var plain = wide
      let (step, root) = (pair(&generator), pair(&generator))
      cvectors_condition(&wide.panels, &wide.mean, &wide.gain, count, step, root)
      cvectors_condition_plainly(&plain.panels, &plain.mean, &plain.gain, count, step, root)
      #expect(wide.bits == plain.bits)
    }
  }

  @Test func mixingIsEqualInAllWidths() {
    var generator = SeededGenerator(seed: 7302)
    for round in 0..<400 {
      let count = 1 + round % 12
      var wide = Numbers(pairs: count, &generator)
      var plain = wide
      let (shares, spreads) = (pair(&generator), pair(&generator))
      cvectors_mix(&wide.panels, &wide.mean, &wide.gain, count, shares, spreads)
      cvectors_mix_plainly(&plain.panels, &plain.mean, &plain.gain, count, shares, spreads)
      #expect(wide.bits == plain.bits)
    }
  }

  @Test func predictionIsEqualInAllWidths() {
    var generator = SeededGenerator(seed: 7303)
    for round in 0..<400 {
      let axes = 2 + round % 2
      let count = axes + round % 9
      var wide = Numbers(pairs: count, &generator)
      var plain = wide
      var processNoise = cvectors_drift(horizontal: pair(&generator), vertical: pair(&generator))
      let seconds = generator.uniform()
      cvectors_advance(&wide.panels, &wide.mean, &processNoise, seconds, axes, count)
      cvectors_advance_plainly(&plain.panels, &plain.mean, &processNoise, seconds, axes, count)
      #expect(wide.bits == plain.bits)
    }
  }

  /// States of both sizes, with numbers of common unknowns that fill vectors wholly and partly.
  @Test func eliminationIsEqualInAllWidths() {
    var generator = SeededGenerator(seed: 7304)
    for round in 0..<60 {
      let order = round % 2 == 0 ? 4 : 6
      let (count, stride) = (1 + round % 5, 2 * (round % 7))
      func random(_ count: Int) -> [Double] {
        (0..<count).map { _ in generator.uniform(in: -1...1) }
      }
      var diagonal = random(order * order * count)
      // Positive definite: the diagonal dominates.
      for index in 0..<count {
        for row in 0..<order { diagonal[order * order * index + (order + 1) * row] += 20 }
      }
      let upper = random(order * order * count)
      let right = random(order * count)
      let border = random(order * stride * count)
      func eliminated(by kernel: (UnsafePointer<cvectors_chain>) -> Int32) -> [UInt64] {
        var (d, u, r, b) = (diagonal, upper, right, border)
        var corner = [Double](repeating: 0, count: stride * stride)
        var common = [Double](repeating: 0, count: stride)
        d.withUnsafeMutableBufferPointer { d in
          u.withUnsafeMutableBufferPointer { u in
            r.withUnsafeMutableBufferPointer { r in
              b.withUnsafeMutableBufferPointer { b in
                corner.withUnsafeMutableBufferPointer { corner in
                  common.withUnsafeMutableBufferPointer { common in
                    guard let d = d.baseAddress, let u = u.baseAddress, let r = r.baseAddress,
                      let b = b.baseAddress, let corner = corner.baseAddress,
                      let common = common.baseAddress
                    else { return }
                    var chain = cvectors_chain(
                      order: order, count: count, is_followed: 0, stride: stride, diagonal: d,
                      upper: u, right: r, border: b, corner: corner, common: common)
                    #expect(kernel(&chain) == 1)
                  }
                }
              }
            }
          }
        }
        return (d + u + r + b + corner + common).map(\.bitPattern)
      }
      #expect(
        eliminated(by: cvectors_eliminate) == eliminated(by: cvectors_eliminate_plainly),
        "\(order) numbers, \(count) states, \(stride) columns")
    }
  }

  /// With and without a common bias and a link error, in space and in the plane, and at the anchor.
  @Test func expectationIsEqualInAllWidths() {
    var generator = SeededGenerator(seed: 7304)
    for round in 0..<800 {
      let axes = 2 + round % 2
      let bias = round / 2 % 2 == 0 ? 2 * axes : -1
      let first = 2 * axes + (bias < 0 ? 0 : 2)
      let links = round / 4 % 10
      let link = links > 0 ? first + round % links : -1
      let count = (first + links + 1) / 2
      var wide = Numbers(pairs: count, &generator)
      var anchor = (0.0, 0.0, 0.0)
      if round % 7 == 0 {
        for number in 0..<6 { wide.mean[number] = 0 }
      } else {
        anchor = (generator.uniform(), generator.uniform(), generator.uniform())
      }
      var plain = wide
      var range = cvectors_range(
        distance: generator.uniform(in: 0...9), anchor: anchor, height: 0,
        scale: generator.uniform(), axes: axes, panels: count, bias: bias, link: link)
      var found = (cvectors_expectation(), cvectors_expectation())
      cvectors_expect(&wide.panels, &wide.mean, &wide.gain, &range, &found.0)
      cvectors_expect_plainly(&plain.panels, &plain.mean, &plain.gain, &range, &found.1)
      #expect(wide.bits == plain.bits)
      #expect(found.0.residual == found.1.residual)
      #expect(found.0.spread == found.1.spread)
      #expect(found.0.terms == found.1.terms)
    }
  }
}
