import Fathom
import FathomEvaluation

/// Returns the kernels that process the distances of a link: every smoother, and zones.
///
/// One item is one range.
func distanceKernels() -> [Kernel] {
  let distances = noisyDistances()

  func smoother<Smoother: DistanceSmoother>(
    _ name: String, _ make: @escaping @Sendable () -> Smoother
  ) -> Kernel {
    Kernel("smoother: \(name)", items: distances.count) {
      var smoother = make()
      var sum = 0.0
      for (index, distance) in distances.enumerated() {
        sum += smoother.update(distance, at: rangeTime(index))?.distance ?? 0
      }
      return sum
    }
  }

  return [
    smoother("exponential") { ExponentialSmoother() },
    smoother("moving median") { MovingMedian() },
    smoother("median average") { MedianAverageFilter() },
    smoother("Hampel") { HampelFilter() },
    smoother("alpha-beta") { AlphaBetaSmoother() },
    smoother("one euro") { OneEuroFilter() },
    smoother("Kalman, constant velocity") { ScalarKalmanSmoother() },
    Kernel("smoother: circular median average", items: distances.count) {
      var filter = CircularMedianAverageFilter()
      var sum = 0.0
      for (index, distance) in distances.enumerated() {
        sum += filter.update(radians: distance, at: rangeTime(index))?.value ?? 0
      }
      return sum
    },
    Kernel("proximity zones", items: distances.count) {
      var zones = ProximityZones()
      var events = 0
      for (index, distance) in distances.enumerated() {
        events += zones.update(distance: 0.4 * distance, at: rangeTime(index)).count
      }
      return Double(events)
    },
  ]
}

/// Returns a thousand ranges of a link whose ends move apart and together, with 5 cm of noise.
func noisyDistances() -> [Double] {
  var generator = SeededGenerator(seed: 1)
  return (0..<1000).map { 5 + 0.004 * Double($0 % 500) + 0.05 * generator.normal() }
}

/// Returns the instant of the range at `index`, at a rate of 10 Hz.
func rangeTime(_ index: Int) -> Timestamp { Timestamp(nanoseconds: 100_000_000 * Int64(index)) }
