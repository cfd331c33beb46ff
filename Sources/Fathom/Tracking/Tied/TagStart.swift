/// Collects the first ranges of a tag to anchors and to other tags, until they determine a position.
///
/// A tag whose track is known is an anchor that moves: at its place of the moment, with the variance of its
/// position.
struct TagStart: Sendable {
  private var initiation: TrackInitiation
  /// The anchors, then the other tags where they were last.
  private var sites: [Anchor]
  private let anchorCount: Int
  /// Whether there was a range to another tag.
  private(set) var hasTags = false

  init(anchors: [Anchor], tagCount: Int) {
    anchorCount = anchors.count
    // Distances are corrected already.
    sites = anchors.map {
      var site = Anchor(position: $0.position)
      site.positionSigma = $0.positionSigma
      return site
    }
    sites += Array(repeating: Anchor(position: .zero), count: tagCount)
    initiation = TrackInitiation(anchorCount: sites.count)
  }

  /// Adds a range with a corrected distance to an anchor; returns the initial state once the ranges
  /// determine it.
  mutating func add(
    _ range: RangeMeasurement, configuration: TrackerConfiguration
  ) -> TrackInitiation.Found? {
    let found = initiation.add(
      range, anchors: sites, configuration: configuration.withoutBounds)
    return hasTags ? found : nil
  }

  /// Adds a range to another tag with the estimate `other`.
  mutating func add(
    _ distance: Double, sigma: Double, to tag: Int, at other: TrackEstimate,
    configuration: TrackerConfiguration
  ) -> TrackInitiation.Found? {
    hasTags = true
    sites[anchorCount + tag] = Anchor(position: other.position)
    let variance = sigma * sigma + max(0, other.covariance.trace) / 3
    return initiation.add(
      RangeMeasurement(
        time: other.time, anchor: anchorCount + tag, distance: distance,
        sigma: variance.squareRoot()), anchors: sites,
      configuration: configuration.withoutBounds)
  }
}

extension TrackerConfiguration {
  /// The same without a box: it decides between two places only once one is clearly outside, see
  /// ``TrackHypotheses/Hypothesis/outside``.
  fileprivate var withoutBounds: Self {
    var result = self
    result.bounds = nil
    return result
  }
}
