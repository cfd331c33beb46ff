import FathomEvaluation
import TestSupport
import Testing

@testable import Fathom

@Suite struct KalmanFilterBankTests {
  /// 11 filters, so that the last vector is not full, with randomly missing measurements.
  @Test func lanesMatchSingleFilter() throws {
    var generator = SeededGenerator(seed: 341)
    let motion = WhiteNoiseAcceleration(density: 0.5)
    let start = Gaussian(
      mean: Vector<2>([1, -1]), covariance: Matrix<2, 2>([[10, 0.5], [0.5, 4]]))
    var bank = KalmanFilterBank(count: 11, state: start, motion: motion, variance: 0.04)
    var single = [KalmanFilter<2, 1>](
      repeating: KalmanFilter(
        state: start, observation: Matrix([[1, 0]]), noise: Matrix([[0.04]])), count: 11)
    for _ in 0..<200 {
      let seconds = generator.uniform(in: 0...0.3)
      let measured = (0..<11).map { _ in
        generator.uniform() < 0.2 ? Double.nan : 5 * generator.normal()
      }
      bank.step(over: seconds, measurements: measured.span)
      for index in 0..<11 {
        single[index].predict(
          transition: motion.transition(over: seconds), processNoise: motion.noise(over: seconds))
        if !measured[index].isNaN { try single[index].update(Vector([measured[index]])) }
        let (lane, expected) = (bank[index], single[index].state)
        for row in 0..<2 {
          #expect(
            isClose(
              lane.mean[row], expected.mean[row],
              within: 1e-12 * max(1, expected.mean[row].magnitude)), "seed 341")
          for column in 0..<2 {
            let value = expected.covariance[row, column]
            #expect(
              isClose(lane.covariance[row, column], value, within: 1e-12 * max(1, value.magnitude)),
              "seed 341")
          }
        }
      }
    }
  }

  @Test func estimatesCanBeSetIndividually() {
    let start = Gaussian(mean: Vector<2>.zero, covariance: .identity)
    var bank = KalmanFilterBank(
      count: 6, state: start, motion: WhiteNoiseAcceleration(density: 1), variance: 1)
    let other = Gaussian(mean: Vector<2>([3, 4]), covariance: Matrix<2, 2>([[5, 1], [1, 6]]))
    bank[4] = other
    #expect(bank[4] == other && bank[3] == start && bank[5] == start)
  }

  @Test func variancesAreNeverNegative() {
    let start = Gaussian(mean: Vector<2>.zero, covariance: 1e12 * Matrix<2, 2>.identity)
    var bank = KalmanFilterBank(
      count: 1, state: start, motion: WhiteNoiseAcceleration(density: 0), variance: 1e-12)
    for step in 0..<50 {
      bank.step(over: 0.1, measurements: [0.01 * Double(step)].span)
      let covariance = bank[0].covariance
      #expect(covariance[0, 0] >= 0 && covariance[1, 1] >= 0)
    }
  }
}
