import Fathom

/// How well distances of pairs of devices agree with the true ones.
package struct DistanceAccuracy: Sendable, Equatable {
  /// When each scored distance was given, in the order of the recording.
  package private(set) var times: [Timestamp] = []
  /// Distance minus true distance, metres, parallel to ``times``.
  package private(set) var errors: [Double] = []
  /// Mean of the errors over their stated variances, squared; 1 where the stated sigmas are right; nil
  /// where none was stated.
  package private(set) var normalizedSquare: Double?
  /// Seconds by which the distances trail the true ones; nil where these change too little to tell.
  ///
  /// A distance that trails by τ is wrong by -τ times the rate. So the lag is the slope of the line
  /// through the errors over minus the true rates, with the mean error of each link taken off:
  /// ranges are biased.
  package private(set) var lag: Double?
  /// Scatter from one distance to the next, metres.
  ///
  /// The root mean square of the change of the error between successive ranges of a link, over √2:
  /// the standard deviation where the errors are white noise.
  package private(set) var jitter: Double?

  /// Rates below this, m/s (root mean square), do not show a lag among errors of centimetres.
  private static let leastRate = 0.05
  /// Ranges further apart than this, seconds, are not successive.
  private static let longestStep = 2.0

  /// The accuracy of `distances` of the ranges of `subject`; entries without distance or truth do not
  /// count.
  package init(of distances: [SmoothedDistance?], on subject: BenchmarkCase) {
    let ranges = subject.recording.ranges
    let anchorCount = subject.recording.anchorNames.count
    var normalized = (sum: 0.0, count: 0)
    var links: [Int: [Sample]] = [:]
    for index in ranges.orderByTime() ?? Array(ranges.time.indices) {
      let truth = subject.trueDistances[index]
      guard let distance = distances[index], truth.isFinite else { continue }
      let error = distance.distance - truth
      times.append(ranges.time[index])
      errors.append(error)
      if let sigma = distance.sigma, sigma > 0 {
        normalized.sum += error * error / (sigma * sigma)
        normalized.count += 1
      }
      let link = Int(ranges.tag[index]) * anchorCount + Int(ranges.anchor[index])
      links[link, default: []].append(
        Sample(time: ranges.time[index], error: error, truth: truth))
    }
    if normalized.count > 0 { normalizedSquare = normalized.sum / Double(normalized.count) }
    // Sorted, so that sums come out the same to the bit.
    let ordered = links.sorted { $0.key < $1.key }.map(\.value)
    lag = Self.lag(ordered)
    jitter = Self.jitter(ordered)
  }

  private struct Sample {
    var time: Timestamp
    var error: Double
    var truth: Double
  }

  private static func lag(_ links: [[Sample]]) -> Double? {
    var (product, square, count) = (0.0, 0.0, 0)
    for samples in links {
      var pairs: [(rate: Double, error: Double)] = []
      for index in samples.indices.dropFirst().dropLast() {
        let span = samples[index + 1].time.seconds(since: samples[index - 1].time)
        guard span > 0, span <= longestStep else { continue }
        let rate = (samples[index + 1].truth - samples[index - 1].truth) / span
        pairs.append((rate, samples[index].error))
      }
      guard pairs.count > 2 else { continue }
      let meanRate = pairs.map(\.rate).reduce(0, +) / Double(pairs.count)
      let meanError = pairs.map(\.error).reduce(0, +) / Double(pairs.count)
      for pair in pairs {
        product += (pair.rate - meanRate) * (pair.error - meanError)
        square += (pair.rate - meanRate) * (pair.rate - meanRate)
      }
      count += pairs.count
    }
    guard count > 0, square > leastRate * leastRate * Double(count) else { return nil }
    return -product / square
  }

  private static func jitter(_ links: [[Sample]]) -> Double? {
    var (sum, count) = (0.0, 0)
    for samples in links {
      for (before, after) in zip(samples, samples.dropFirst())
      where after.time.seconds(since: before.time) <= longestStep {
        let change = after.error - before.error
        sum += change * change
        count += 1
      }
    }
    return count > 0 ? (sum / Double(count) / 2).squareRoot() : nil
  }
}
