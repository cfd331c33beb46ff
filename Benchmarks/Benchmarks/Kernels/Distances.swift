import Benchmark
import Fathom
import FathomEvaluation

/// What each range of a link goes through: smoothers, zones, quality; and conversions of angles.
func benchmarkDistances() {
  let distances = noisyDistances()

  func measure<Smoother: DistanceSmoother>(_ name: String, _ make: @escaping () -> Smoother) {
    Benchmark("smoother \(name)") { _ in
      var smoother = make()
      var time = Timestamp(nanoseconds: 0)
      for distance in distances {
        time.nanoseconds += 100_000_000
        blackHole(smoother.update(distance, at: time))
      }
    }
  }
  measure("exponential") { ExponentialSmoother() }
  measure("moving median") { MovingMedian() }
  measure("median average") { MedianAverageFilter() }
  measure("Hampel") { HampelFilter() }
  measure("alpha-beta") { AlphaBetaSmoother() }
  measure("one euro") { OneEuroFilter() }
  measure("Kalman, constant velocity") { ScalarKalmanSmoother() }

  Benchmark("quality estimator") { _ in
    var estimator = MeasurementQualityEstimator()
    for (index, distance) in distances.enumerated() {
      blackHole(estimator.update(distance: Float(distance), at: 0.1 * Double(index)))
    }
  }
  Benchmark("proximity zones") { _ in
    var zones = ProximityZones()
    for (index, distance) in distances.enumerated() {
      blackHole(
        zones.update(distance: distance, at: Timestamp(nanoseconds: 100_000_000 * Int64(index)))
          .count)
    }
  }
  Benchmark("angles, direction to full sphere") { _ in
    for distance in distances {
      let direction: Vector<3> = Vector([distance, 1, -2])
      blackHole(FullSphere(direction)?.azimuth.radians)
    }
  }
}

/// A thousand ranges of a link whose ends move apart and together, with 5 cm of noise.
private func noisyDistances() -> [Double] {
  var generator = SeededGenerator(seed: 1)
  return (0..<1000).map { 5 + 0.004 * Double($0 % 500) + 0.05 * generator.normal() }
}
