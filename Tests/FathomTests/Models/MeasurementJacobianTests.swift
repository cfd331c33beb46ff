import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

/// The derivative of every measurement model against central differences.
///
/// A new model adds its case to ``cases``, nothing else.
@Suite struct MeasurementJacobianTests {
  /// A measurement model with one number, as a function of six.
  private struct Case {
    var name: String
    /// The expected measurement and its derivative.
    var expectation: (Vector<6>) -> (value: Double, derivative: Matrix<1, 6>)
    /// Distance from where the derivative does not exist, in the units of the state.
    var clearance: (Vector<6>) -> Double
  }

  private let cases: [Case] = [
    Case(
      name: "RangeModel",
      expectation: {
        let (distance, derivative) = RangeModel(anchor: Vector([1, -2, 3])).expectation(at: $0)
        return (distance, derivative)
      },
      clearance: { (Vector<3>([$0[0], $0[1], $0[2]]) - Vector([1, -2, 3])).length })
  ]

  @Test func derivativesAgreeWithCentralDifferences() {
    var generator = SeededGenerator(seed: 221)
    // Third derivatives of a distance are below 3/d², so that 1e-5 leaves 2e-10 of truncation half a
    // metre away, and rounding 2e-16 · 50 / 1e-5 = 1e-9.
    let step = 1e-5
    for one in cases {
      var compared = 0
      while compared < 500 {
        let state = 10 * Vector<6>.random(using: &generator)
        guard one.clearance(state) > 0.5 else { continue }
        compared += 1
        let (_, derivative) = one.expectation(state)
        for axis in 0..<6 {
          var (ahead, behind) = (state, state)
          ahead[axis] += step
          behind[axis] -= step
          let slope =
            (one.expectation(ahead).value - one.expectation(behind).value)
            / (ahead[axis] - behind[axis])
          #expect(
            isClose(derivative[0, axis], slope, within: 5e-9),
            "\(one.name), seed 221, axis \(axis) at \(state)")
        }
      }
    }
  }
}
