import Fathom
import FathomRecordings

/// Statistics of the range errors of one link, relative to truth.
///
/// A residual is the range, corrected by the declared bias and scale of the anchor, minus the true
/// distance. It is positive for a range that is too long.
public struct LinkResiduals: Sendable, Equatable, Codable {
  /// Name of the tag.
  public var tag: String
  /// Name of the anchor.
  public var anchor: String
  /// Number of ranges with known truth.
  public var count: Int
  /// Median residual, metres.
  public var biasM: Double
  /// Robust standard deviation, metres.
  ///
  /// This is 1.4826 times the median absolute deviation from the bias, which equals the standard
  /// deviation of normal residuals [Rousseeuw & Croux 1993].
  public var sigmaM: Double
  /// Share of residuals more than three ``sigmaM`` from the bias; 0.0027 for normal residuals.
  public var tailShare: Double
  /// Share of ranges that repeat the previous value of the link exactly; nil for a single range.
  public var holdShare: Double?
  /// Change of the residual with the true distance, dimensionless: 0.01 is 1 cm per metre.
  ///
  /// Ranges are sorted by distance, and each is paired with the one half the list further on. The
  /// result is the median of the slopes of the pairs [Theil 1950, incomplete method]. Nil for fewer
  /// than 10 ranges or 5 pairs of different distances.
  public var scaleError: Double?
  /// Standard deviation of ``scaleError``, from the scatter of the slopes.
  public var scaleErrorSigma: Double?

  /// Returns the statistics of all links with at least one range of known truth.
  ///
  /// Entries are sorted by tag and anchor, in the order of their name tables. The result is empty
  /// for a recording without anchors. A tag height declared by the recording replaces z of truth,
  /// as in every method that is given this height.
  ///
  /// - Parameters:
  ///   - recording: the ranges and anchors.
  ///   - truth: the true positions of the tags.
  ///   - settings: the longest gap of truth, its time offset, and the tag.
  /// - Returns: one entry per link.
  public static func links(
    of recording: Recording, truth: Truth, settings: EvaluationSettings = EvaluationSettings()
  ) -> [LinkResiduals] {
    guard !recording.anchors.isEmpty else { return [] }
    let ranges = recording.ranges
    let anchorCount = recording.anchors.count
    var samples: [Int: [Sample]] = [:]
    for index in ranges.orderByTime() ?? Array(0..<ranges.count) {
      let tag = Int(ranges.tag[index])
      let anchor = Int(ranges.anchor[index])
      let name = recording.tagNames[tag]
      guard anchor < anchorCount, settings.tag == nil || settings.tag == name,
        let track = truth.track(of: name),
        var place = track.position(
          at: ranges.time[index].advanced(bySeconds: -settings.timeOffset),
          longestGap: settings.longestGap)
      else { continue }
      if let height = recording.facts.heightM { place[2] = height }
      let declared = recording.anchors[anchor]
      let distance = (place - declared.position).length
      samples[tag * anchorCount + anchor, default: []].append(
        Sample(
          measured: ranges.distance[index], distance: distance,
          residual: declared.corrected(ranges.distance[index]) - distance))
    }
    return samples.sorted { $0.key < $1.key }.compactMap { link, samples in
      LinkResiduals(
        tag: recording.tagNames[link / anchorCount],
        anchor: recording.anchorNames[link % anchorCount], samples)
    }
  }

  /// One range of a link.
  private struct Sample {
    var measured: Double
    var distance: Double
    var residual: Double
  }

  private init?(tag: String, anchor: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return nil }
    self.tag = tag
    self.anchor = anchor
    count = samples.count
    let residuals = samples.map(\.residual)
    let (bias, sigma) = Self.middle(of: residuals)
    (biasM, sigmaM) = (bias, sigma)
    let far = residuals.count { ($0 - bias).magnitude > 3 * sigma }
    tailShare = Double(far) / Double(samples.count)
    if samples.count > 1 {
      let held = zip(samples, samples.dropFirst()).count { $0.measured == $1.measured }
      holdShare = Double(held) / Double(samples.count - 1)
    }
    guard samples.count >= 10 else { return }
    let sorted = samples.indices.sorted {
      (samples[$0].distance, $0) < (samples[$1].distance, $1)
    }
    let half = (samples.count + 1) / 2
    let slopes: [Double] = zip(sorted, sorted.dropFirst(half)).compactMap { low, high in
      let span = samples[high].distance - samples[low].distance
      return span > 0 ? (samples[high].residual - samples[low].residual) / span : nil
    }
    guard slopes.count >= 5 else { return }
    let (slope, scatter) = Self.middle(of: slopes)
    scaleError = slope
    // The median of n normal values has √(π / 2n) times the standard deviation of one value.
    scaleErrorSigma = scatter * (Double.pi / 2 / Double(slopes.count)).squareRoot()
  }

  /// Returns the median and 1.4826 times the median absolute deviation of `values`, which must not
  /// be empty.
  private static func middle(of values: [Double]) -> (median: Double, sigma: Double) {
    let median = ErrorStatistics.quantile(0.5, ofSorted: values.sorted())
    let distances = values.map { ($0 - median).magnitude }.sorted()
    return (median, 1.4826 * ErrorStatistics.quantile(0.5, ofSorted: distances))
  }
}
