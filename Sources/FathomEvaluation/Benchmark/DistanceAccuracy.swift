import Fathom

/// The accuracy of distances between pairs of devices.
package struct DistanceAccuracy: Sendable, Equatable {
  /// Time of each scored distance, in the order of time.
  package private(set) var times: [Timestamp] = []
  /// Distance minus true distance, metres, parallel to ``times``.
  package private(set) var errors: [Double] = []
  /// Mean of the squared errors divided by their stated variances.
  ///
  /// 1 when the stated standard deviations are right; nil when none is stated.
  package private(set) var normalizedSquare: Double?
  /// Delay of the distances behind the true ones, seconds; nil when the true rates are too small.
  ///
  /// A distance delayed by τ has an error of -τ times the rate. The lag is therefore the negative
  /// slope of the regression line of errors on true rates. Means are subtracted for each link,
  /// because ranges are biased.
  package private(set) var lag: Double?
  /// Standard deviation of the error between successive distances, metres.
  ///
  /// The root mean square change of the error between successive ranges of a link, divided by √2.
  /// This is the standard deviation of errors that are white noise.
  package private(set) var jitter: Double?

  /// Minimum root mean square rate, m/s.
  ///
  /// Smaller rates reveal no lag among errors of centimetres.
  private static let leastRate = 0.05
  /// Maximum time between successive ranges, seconds.
  private static let longestStep = 2.0

  /// Computes the accuracy of `distances`, one per range of `subject`.
  ///
  /// Entries without distance or truth are ignored.
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
    // Sorted, so that sums are reproducible bit by bit.
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
