import Fathom

/// Returns the kernels of the quality estimators.
///
/// One item is one range.
func qualityKernels() -> [Kernel] {
  let distances = noisyDistances()
  return [
    Kernel("quality: as Apple's sample", items: distances.count) {
      var estimator = MeasurementQualityEstimator()
      var good = 0
      for (index, distance) in distances.enumerated()
      where estimator.update(distance: Float(distance), at: rangeTime(index)) == .good {
        good += 1
      }
      return Double(good)
    },
    Kernel("quality: statistical, record", items: distances.count) {
      var estimator = LinkQualityEstimator()
      for (index, distance) in distances.enumerated() {
        estimator.record(distance, at: rangeTime(index))
      }
      return estimator.quality(at: rangeTime(distances.count)).score ?? 0
    },
    Kernel("quality: statistical, record and judge", items: distances.count) {
      var estimator = LinkQualityEstimator()
      var sum = 0.0
      for (index, distance) in distances.enumerated() {
        estimator.record(distance, at: rangeTime(index))
        sum += estimator.quality(at: rangeTime(index)).score ?? 0
      }
      return sum
    },
  ]
}
