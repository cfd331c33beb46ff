import Fathom

/// A column of the table of distances, `NAME.distances.csv`.
package enum DistanceField: Hashable, Sendable {
  case time, tag, anchor, distance, smoothed, sigma, quality, zone, azimuth, elevation, decision
}

/// A row of the table of distances; NaN marks an undetermined number.
package struct DistanceRow: Sendable {
  /// The instant at which the range was measured.
  var time: Timestamp
  /// Indices of the names.
  var tag: Int32
  var anchor: Int32
  /// The measured distance, metres.
  var distance: Double
  var result: RangeResult
  /// The direction, radians.
  var azimuth = Double.nan
  var elevation = Double.nan
}

extension DistanceRow {
  /// Creates the row of the range at `index` with its result.
  ///
  /// `frame` is that of the device; nil for ranges without angles.
  @inline(__always)
  init(at index: Int, of ranges: RangeColumns, _ result: RangeResult, in frame: DeviceFrame?) {
    self.init(
      time: ranges.time[index], tag: ranges.tag[index], anchor: ranges.anchor[index],
      distance: ranges.distance[index], result: result)
    if let frame { (azimuth, elevation) = ranges.reportedAngles(at: index, in: frame) }
  }
}

/// The results for ranges in one list, grouped by tag; each tag's results are used in their order.
struct ResultsByTag: Sendable {
  private var results: [RangeResult] = []
  /// The index of the next result of each tag.
  private var next: [Int] = []

  /// Joins the lists of all tags.
  init(_ tags: [[RangeResult]]) {
    results.reserveCapacity(tags.reduce(0) { $0 + $1.count })
    for tag in tags {
      next.append(results.count)
      results += tag
    }
  }

  /// Calls `body` with the rows of the next `entries` of `ranges`.
  ///
  /// `frame` is that of the device.
  @inline(__always)
  mutating func forEachRow(
    of entries: ArraySlice<Timeline.Entry>, in ranges: RangeColumns, _ frame: DeviceFrame,
    _ body: (DistanceRow) -> Void
  ) {
    let frame = ranges.hasAngles ? frame : nil
    for case .range(let index) in entries {
      let tag = Int(ranges.tag[index])
      body(DistanceRow(at: index, of: ranges, results[next[tag]], in: frame))
      next[tag] += 1
    }
  }
}

extension DistanceField: ResultField {
  package static var emptyRow: DistanceRow {
    DistanceRow(
      time: Timestamp(nanoseconds: 0), tag: 0, anchor: 0, distance: .nan,
      result: RangeResult(
        smoothed: .nan, sigma: .nan, quality: .unknown, zone: .outside, decision: .unused))
  }

  package var column: ResultColumn {
    switch self {
    case .time: .init(name: "time_s", content: .time)
    case .tag: .init(name: "tag", content: .name(.tag))
    case .anchor: .init(name: "anchor", content: .name(.anchor))
    case .distance: .init(name: "distance_m", content: .number(decimals: 4))
    case .smoothed: .init(name: "smoothed_m", content: .number(decimals: 4))
    case .sigma: .init(name: "sigma_m", content: .number(decimals: 4))
    case .quality: .init(name: "quality", content: .word, words: MeasurementQuality.words)
    case .zone: .init(name: "zone", content: .word, words: DistanceColumns.Zone.words)
    case .azimuth: .init(name: "azimuth_rad", content: .number(decimals: 6))
    case .elevation: .init(name: "elevation_rad", content: .number(decimals: 6))
    case .decision: .init(name: "decision", content: .word, words: DistanceColumns.Decision.words)
    }
  }

  @inline(__always)
  package func value(in row: DistanceRow) -> ResultValue {
    switch self {
    case .time: .time(row.time)
    case .tag: .name(row.tag)
    case .anchor: .name(row.anchor)
    case .distance: .number(row.distance)
    case .smoothed: .number(row.result.smoothed)
    case .sigma: .number(row.result.sigma)
    case .quality: .word(row.result.quality.rawValue)
    case .zone: .word(row.result.zone.rawValue)
    case .azimuth: .number(row.azimuth)
    case .elevation: .number(row.elevation)
    case .decision: .word(row.result.decision.rawValue)
    }
  }

  package func set(_ value: ResultValue, in row: inout DistanceRow) {
    switch (self, value) {
    case (.time, .time(let time)): row.time = time
    case (.tag, .name(let name)): row.tag = name
    case (.anchor, .name(let name)): row.anchor = name
    case (.distance, .number(let number)): row.distance = number
    case (.smoothed, .number(let number)): row.result.smoothed = number
    case (.sigma, .number(let number)): row.result.sigma = number
    case (.azimuth, .number(let number)): row.azimuth = number
    case (.elevation, .number(let number)): row.elevation = number
    case (.quality, .word(let code)):
      row.result.quality = MeasurementQuality(rawValue: code) ?? row.result.quality
    case (.zone, .word(let code)):
      row.result.zone = DistanceColumns.Zone(rawValue: code) ?? row.result.zone
    case (.decision, .word(let code)):
      row.result.decision = DistanceColumns.Decision(rawValue: code) ?? row.result.decision
    default: break
    }
  }
}
