import Fathom
import FathomRecordings

/// The ranges of one link, and by how much each differs from a distance between positions.
struct LinkResidualSeries: Sendable, Equatable {
  var tag: String
  var anchor: String
  /// Rows of the distances that belong to the link.
  var rows: [Int] = []
  /// Measured distance minus distance to the anchor, metres, parallel to ``rows``; NaN where the
  /// position is not known.
  var values: [Double] = []

  /// The values that are known.
  var known: [Double] { values.filter { !$0.isNaN } }

  /// Median of the known values, metres: what the link's ranges are too long by.
  var median: Double? { Ticks.quantile(0.5, of: values) }

  /// 1.4826 times the median distance from the median, metres: the standard deviation of normal values,
  /// not moved by outliers [Rousseeuw & Croux 1993].
  var robustSigma: Double? {
    guard let median else { return nil }
    return Ticks.quantile(0.5, of: values.map { ($0 - median).magnitude }).map { 1.4826 * $0 }
  }
}

extension RecordedResults {
  /// The residuals of every link with anchor and ranges, in the order of the summary.
  ///
  /// - Parameters:
  ///   - tracks: where each tag is.
  ///   - longestGap: the longest span over which positions are interpolated, seconds.
  /// - Returns: one entry per link.
  func residuals(
    from tracks: [String: PositionTrack], longestGap: Double
  ) -> [LinkResidualSeries] {
    var links: [LinkResidualSeries] = []
    var places: [String: [String: Int]] = [:]
    for link in summary.links {
      places[link.tag, default: [:]][link.anchor] = links.count
      links.append(LinkResidualSeries(tag: link.tag, anchor: link.anchor))
    }
    for row in distances.time.indices {
      guard let place = places[distances.tag[row]]?[distances.anchor[row]],
        let anchor = anchors[distances.anchor[row]]
      else { continue }
      let position = tracks[distances.tag[row]]?.position(
        at: distances.time[row], longestGap: longestGap)
      links[place].rows.append(row)
      links[place].values.append(
        position.map { anchor.corrected(distances.distance[row]) - ($0 - anchor.position).length }
          ?? .nan)
    }
    return links.filter { !$0.rows.isEmpty }
  }

  /// Residuals after the fit: against the positions estimated.
  var fitResiduals: [LinkResidualSeries] {
    var tracks: [String: PositionTrack] = [:]
    for tag in positions.tags {
      let rows = positions.rows(of: tag, determined: [0, 1, 2])
      tracks[tag] = PositionTrack(
        times: rows.map { positions.time[$0] }, positions: rows.map { positions.position[$0] })
    }
    return residuals(from: tracks, longestGap: 1.5)
  }

  /// Errors of the ranges: against truth; empty where there is none.
  var rangeErrors: [LinkResidualSeries] {
    guard let truth else { return [] }
    var tracks: [String: PositionTrack] = [:]
    for link in summary.links { tracks[link.tag] = truth.track(of: link.tag) }
    return residuals(from: tracks, longestGap: 1.5)
  }
}
