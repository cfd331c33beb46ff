import Fathom

/// A column of the table of distances, `NAME.distances.csv`; raw values are the names.
package enum DistanceField: String, Sendable {
  case time = "time_s"
  case tag, anchor
  case distance = "distance_m"
  case smoothed = "smoothed_m"
  case sigma = "sigma_m"
  case quality, zone
  case azimuth = "azimuth_rad"
  case elevation = "elevation_rad"
  case decision
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

extension RecordingSlice {
  /// Calls `body` with the rows of its ranges; `results` are grouped by tag.
  @inline(__always)
  func forEachDistance(
    _ results: [[RangeResult]], in frame: DeviceFrame, _ body: (DistanceRow) -> Void
  ) {
    let frame = ranges.hasAngles ? frame : nil
    var next = [Int](repeating: 0, count: results.count)
    for case .range(let index) in entries {
      let tag = Int(ranges.tag[index])
      body(DistanceRow(at: index, of: ranges, results[tag][next[tag]], in: frame))
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

  package var name: String { rawValue }
  package var extra: ExtraColumns? { nil }

  package var content: ResultContent {
    switch self {
    case .time: .time
    case .tag: .name(.tag)
    case .anchor: .name(.anchor)
    case .distance, .smoothed, .sigma: .number(decimals: 4)
    case .azimuth, .elevation: .number(decimals: 6)
    case .quality, .zone, .decision: .word
    }
  }

  package var words: [String] {
    switch self {
    case .quality: MeasurementQuality.words
    case .zone: DistanceColumns.Zone.words
    case .decision: DistanceColumns.Decision.words
    default: []
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
    case .quality: .word(row.result.quality.code)
    case .zone: .word(row.result.zone.code)
    case .azimuth: .number(row.azimuth)
    case .elevation: .number(row.elevation)
    case .decision: .word(row.result.decision.code)
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
      row.result.quality = MeasurementQuality(code: code) ?? row.result.quality
    case (.zone, .word(let code)):
      row.result.zone = DistanceColumns.Zone(code: code) ?? row.result.zone
    case (.decision, .word(let code)):
      row.result.decision = DistanceColumns.Decision(code: code) ?? row.result.decision
    default: break
    }
  }
}
