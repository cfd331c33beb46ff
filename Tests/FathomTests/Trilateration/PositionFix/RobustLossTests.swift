import RealModule
import TestSupport
import Testing

@testable import Fathom

@Suite struct RobustLossTests {
  private static let all = RobustLoss.Shape.allCases.flatMap { shape in
    [RobustLoss(shape), RobustLoss(shape, tuning: 0.7), RobustLoss(shape).lateOnly]
  }

  /// w = ρ′/2z and κ = ρ″/2 by central differences, away from the kinks of Huber and Tukey.
  @Test(arguments: all) func weightsAndCurvaturesAreDerivatives(_ loss: RobustLoss) {
    for step in -80...80 {
      let z = 0.1 * Double(step) + 0.013
      guard (z.magnitude - loss.tuning).magnitude > 1e-3 else { continue }
      let h = 1e-4
      let (below, here, above) = (loss.cost(of: z - h), loss.cost(of: z), loss.cost(of: z + h))
      let slope = (above - below) / (2 * h)
      let curvature = (above - 2 * here + below) / (h * h)
      #expect(isClose(loss.weight(of: z), slope / (2 * z), within: 1e-6), "\(loss) at \(z)")
      #expect(isClose(loss.terms(of: z).curvature, curvature / 2, within: 1e-5), "\(loss) at \(z)")
    }
  }

  @Test(arguments: all) func smallResidualsCostTheirSquare(_ loss: RobustLoss) {
    // The next term is of the order z⁴/k², 2e-12 for k = 0.7.
    for z in [0, 1e-3, -1e-3] {
      #expect(isClose(loss.cost(of: z), z * z, within: 1e-11))
      #expect(isClose(loss.weight(of: z), 1, within: 1e-5))
    }
  }

  @Test func costsAndWeightsOfLargeResiduals() {
    // k (2|z| - k) = 1.345 * (20 - 1.345) = 25.090975; weight 0.1345.
    #expect(isClose(RobustLoss.huber.cost(of: -10), 25.090_975, within: 1e-9))
    #expect(isClose(RobustLoss.huber.weight(of: -10), 0.1345, within: 1e-15))
    // At z = k: k² ln 2, and a weight of one half.
    #expect(isClose(RobustLoss.cauchy.cost(of: 2.385), 2.385 * 2.385 * .log(2), within: 1e-12))
    #expect(isClose(RobustLoss.cauchy.weight(of: 2.385), 0.5, within: 1e-15))
    #expect(isClose(RobustLoss.gemanMcClure.weight(of: 3.787), 0.25, within: 1e-15))
    #expect(RobustLoss.tukey.weight(of: 4.7) == 0)
    #expect(isClose(RobustLoss.tukey.cost(of: 1e9), 4.685 * 4.685 / 3, within: 1e-12))
  }

  @Test func lateOnlyLossKeepsWeightOfEarlyRanges() {
    for shape in RobustLoss.Shape.allCases where shape != .squared {
      let loss = RobustLoss(shape).lateOnly
      #expect(loss.weight(of: -30) == 1 && loss.cost(of: -30) == 900)
      #expect(loss.weight(of: 30) < 0.1 && loss.cost(of: 30) < 100)
      #expect(loss.cost(of: 30) == RobustLoss(shape).cost(of: 30))
    }
  }

  /// Efficiency E[κ]²/E[ψ²] over normal errors, by a finer sum than in the source.
  @Test func defaultTuningIs95PercentEfficient() {
    for shape in RobustLoss.Shape.allCases where shape != .squared {
      let loss = RobustLoss(shape)
      var (total, curvatures, squares, weights) = (0.0, 0.0, 0.0, 0.0)
      for step in -9000...9000 {
        let z = 1e-3 * Double(step)
        let density = Double.exp(-0.5 * z * z)
        let terms = loss.terms(of: z)
        total += density
        weights += density * terms.weight
        curvatures += density * terms.curvature
        squares += density * terms.weight * terms.weight * z * z
      }
      let efficiency = curvatures * curvatures / (squares * total)
      #expect(isClose(efficiency, 0.95, within: 5e-4), "\(shape): \(efficiency)")
      let consistency = curvatures * curvatures / (squares * weights)
      #expect(isClose(loss.consistency, consistency, within: 0.01), "\(shape)")
    }
    #expect(RobustLoss.squared.consistency == 1)
  }

  @Test func invalidTuningGivesDefault() {
    for tuning in [0, -1, .nan, .infinity] {
      #expect(RobustLoss(.cauchy, tuning: tuning) == .cauchy)
    }
  }

  @Test(arguments: all) func valuesAreValidForResidualsOfAnySize(_ loss: RobustLoss) {
    for z in [1e3, 1e154, 1e200, .greatestFiniteMagnitude] {
      for z in [z, -z] {
        #expect(!loss.cost(of: z).isNaN && loss.cost(of: z) >= 0, "\(loss) at \(z)")
        #expect(!loss.weight(of: z).isNaN && loss.weight(of: z) >= 0, "\(loss) at \(z)")
        #expect(!loss.terms(of: z).curvature.isNaN, "\(loss) at \(z)")
      }
    }
  }
}
