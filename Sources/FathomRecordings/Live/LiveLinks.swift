import Fathom

/// The state of the links of a live stream, for a table of them.
package struct LiveLinks: Sendable {
  /// The state of one link.
  package struct Link: Sendable {
    /// Index of the tag and of the anchor.
    package var tag: Int
    package var anchor: Int
    /// Time of the last range.
    package var time: Timestamp
    /// The last range, measured and smoothed, in metres; NaN if unknown.
    package var distance = Double.nan
    package var smoothed = Double.nan
    /// Levels of the signal and of its first path, in dBm; NaN if unknown.
    package var rssi = Double.nan
    package var firstPathRSSI = Double.nan
    /// The verdict on the link.
    package var quality = MeasurementQuality.unknown
    /// How the last range was used; nil if it was late.
    package var decision: DistanceColumns.Decision?
    /// Number of ranges.
    package var count = 0
    var estimator = LinkQualityEstimator(capacity: 128)
    var consistency = RecentConsistency()
  }

  /// The links, in the order of their first range.
  package private(set) var all: [Link] = []
  private var places: [UInt64: Int] = [:]

  /// Links beyond this number are left out: a table of more cannot be read.
  private static let most = 4096

  /// Adds the ranges of a batch with their results by tag, nil for a range that came too late.
  mutating func add(
    _ ranges: RangeColumns, _ found: [[RangeResult?]], _ excluded: ExcludedRanges
  ) {
    var next = [Int](repeating: 0, count: found.count)
    for index in 0..<ranges.count {
      let (tag, anchor) = (ranges.tag[index], ranges.anchor[index])
      let result = found[Int(tag)][next[Int(tag)]]
      next[Int(tag)] += 1
      let pair = Self.pair(Int(tag), Int(anchor))
      let time = ranges.time[index]
      guard let place = place(of: pair, Int(tag), Int(anchor), at: time) else { continue }
      all[place].time = time
      all[place].distance = ranges.distance[index]
      all[place].rssi = ranges[.rssi]?[index] ?? .nan
      all[place].firstPathRSSI = ranges[.firstPathRSSI]?[index] ?? .nan
      all[place].count += 1
      all[place].decision = result?.decision
      all[place].estimator.record(ranges.distance[index], at: time)
      guard let result else { continue }
      all[place].smoothed = result.smoothed
      all[place].quality = result.quality
      all[place].consistency.add(
        LinkConsistency.agrees(
          result.decision, isExcluded: excluded.contains(ranges.distance[index], to: Int(anchor))))
    }
  }

  /// Forgets the links of the tags at the indices `tags`.
  mutating func forget(tags: Set<Int>) {
    all.removeAll { tags.contains($0.tag) }
    places.removeAll(keepingCapacity: true)
    for (place, link) in all.enumerated() { places[Self.pair(link.tag, link.anchor)] = place }
  }

  private static func pair(_ tag: Int, _ anchor: Int) -> UInt64 {
    UInt64(UInt32(truncatingIfNeeded: tag)) << 32 | UInt64(UInt32(truncatingIfNeeded: anchor))
  }

  private mutating func place(
    of pair: UInt64, _ tag: Int, _ anchor: Int, at time: Timestamp
  ) -> Int? {
    if let place = places[pair] { return place }
    guard all.count < Self.most else { return nil }
    places[pair] = all.count
    all.append(Link(tag: tag, anchor: anchor, time: time))
    return all.count - 1
  }

  /// Returns the statistics of the link at `place` over the last seconds before `time`.
  ///
  /// The score is at most the share of the last ranges that agree with the track.
  package mutating func quality(of place: Int, at time: Timestamp) -> LinkQuality {
    var quality = all[place].estimator.quality(at: max(time, all[place].time))
    quality.score = LinkQuality.score(quality.score, consistent: all[place].consistency.share)
    return quality
  }
}

extension LivePipeline {
  /// Returns the statistics of a link over the last seconds of the stream.
  package mutating func quality(ofLink place: Int) -> LinkQuality {
    links.quality(of: place, at: now ?? Timestamp(nanoseconds: 0))
  }

  /// The time of the stream; nil before the first range.
  package var now: Timestamp? { clock.shown }

  /// The names of the anchors so far.
  package var anchorNames: [String] { outline.anchorNames }
}
