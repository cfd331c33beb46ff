import Fathom

/// The results of a recording as columns of numbers, for callers in other languages.
///
/// Names are indices into ``tagNames``, ``anchorNames`` and ``locatedNames``; words are indices into
/// the cases of their types. NaN marks an undetermined number. The numbers are those that the result
/// files have, before rounding.
package struct ResultColumns: Sendable {
  /// The rows of `NAME.positions.csv`.
  package let positions: Positions
  /// The rows of `NAME.distances.csv`.
  package let distances: Distances
  /// The rows of `NAME.zones.csv`.
  package let zones: ZoneColumns
  /// The rejected rows that are kept; see ``RecordingLimits/mostKeptRejected``.
  package let rejected: RejectedRows
  /// Counts, rates, consistency, diagnoses and warnings.
  package let summary: RecordingSummary
  /// The names of the tags.
  package let tagNames: [String]
  /// The names of the anchors or accessories.
  package let anchorNames: [String]
  /// The names of the located objects: the tags or, without anchors, the accessories.
  package let locatedNames: [String]
  /// What the text of the results depends on besides the columns.
  let outline: RecordingOutline
  let settings: ProcessingSettings

  /// Positions, one row each.
  package struct Positions: Sendable {
    /// Nanoseconds.
    package let time: FixedColumn<Int64>
    /// Index in ``ResultColumns/locatedNames``.
    package let name: FixedColumn<Int32>
    /// x, y, z; metres.
    package let position: [FixedColumn<Double>]
    /// xx, xy, xz, yy, yz, zz; m².
    package let covariance: [FixedColumn<Double>]
    package let used: FixedColumn<Int32>
    package let rejected: FixedColumn<Int32>
    /// Index in the cases of ``PositionColumns/Status``.
    package let status: FixedColumn<UInt8>
    /// x, y and z of the other position; metres.
    package let alternative: [FixedColumn<Double>]

    /// The number of positions.
    package var count: Int { time.count }
  }

  /// Distances, one row per usable range.
  package struct Distances: Sendable {
    /// Nanoseconds.
    package let time: FixedColumn<Int64>
    package let tag: FixedColumn<Int32>
    package let anchor: FixedColumn<Int32>
    package let distance: FixedColumn<Double>
    package let smoothed: FixedColumn<Double>
    package let sigma: FixedColumn<Double>
    /// Index in the cases of `MeasurementQuality`.
    package let quality: FixedColumn<UInt8>
    /// Index in the cases of ``DistanceColumns/Zone``.
    package let zone: FixedColumn<UInt8>
    package let azimuth: FixedColumn<Double>
    package let elevation: FixedColumn<Double>
    /// Index in the cases of ``DistanceColumns/Decision``.
    package let decision: FixedColumn<UInt8>

    /// The number of ranges.
    package var count: Int { time.count }
  }

  /// Creates the results of the recording with `outline`.
  init(
    _ positions: Positions, _ distances: Distances, _ zones: ZoneColumns,
    rejected: RejectedRows, summary: RecordingSummary, of outline: RecordingOutline,
    _ settings: ProcessingSettings
  ) {
    self.positions = positions
    self.distances = distances
    self.zones = zones
    self.rejected = rejected
    self.summary = summary
    self.outline = outline
    self.settings = settings
    tagNames = outline.tagNames
    anchorNames = outline.anchorNames
    locatedNames = TargetNames(outline).names
  }
}

extension ResultColumns.Positions {
  /// Creates the columns of the positions of all tags, in order of time.
  init(_ positions: PositionsByTag, names: TargetNames) {
    let count = positions.count
    time = FixedColumn(capacity: count)
    name = FixedColumn(capacity: count)
    position = (0..<3).map { _ in FixedColumn(capacity: count) }
    covariance = (0..<6).map { _ in FixedColumn(capacity: count) }
    alternative = (0..<3).map { _ in FixedColumn(capacity: count) }
    used = FixedColumn(capacity: count)
    rejected = FixedColumn(capacity: count)
    status = FixedColumn(capacity: count)
    positions.forEachInOrder { tag, row in
      time.append(row.time.nanoseconds)
      name.append(Int32(names.place(of: row, tag: tag)))
      let other = row.alternative ?? .undetermined
      for axis in 0..<3 {
        position[axis].append(row.position[axis])
        alternative[axis].append(other[axis])
      }
      var element = 0
      for first in 0..<3 {
        for second in first..<3 {
          covariance[element].append(row.covariance[first, second])
          element += 1
        }
      }
      used.append(Int32(clamping: row.used))
      rejected.append(Int32(clamping: row.rejected))
      status.append(row.status.code)
    }
  }

  /// Returns the position at `index`.
  func row(at index: Int) -> PositionRow {
    var covariance = Matrix<3, 3>.zero
    var element = 0
    for first in 0..<3 {
      for second in first..<3 {
        covariance[first, second] = self.covariance[element][index]
        covariance[second, first] = self.covariance[element][index]
        element += 1
      }
    }
    let other = Vector([alternative[0][index], alternative[1][index], alternative[2][index]])
    return PositionRow(
      time: Timestamp(nanoseconds: time[index]),
      position: Vector([position[0][index], position[1][index], position[2][index]]),
      covariance: covariance,
      used: Int(used[index]), rejected: Int(rejected[index]),
      alternative: other[0].isNaN ? nil : other,
      status: PositionColumns.Status.allCases[Int(status[index])])
  }
}

extension ResultColumns.Distances {
  /// Creates the columns of the ranges of `slice`, whose results are grouped by tag.
  init(_ slice: RecordingSlice, _ results: [[RangeResult]], in frame: DeviceFrame) {
    let ranges = slice.ranges
    let count = ranges.count
    time = FixedColumn(capacity: count)
    tag = FixedColumn(capacity: count)
    anchor = FixedColumn(capacity: count)
    distance = FixedColumn(capacity: count)
    smoothed = FixedColumn(capacity: count)
    sigma = FixedColumn(capacity: count)
    quality = FixedColumn(capacity: count)
    zone = FixedColumn(capacity: count)
    azimuth = FixedColumn(capacity: count)
    elevation = FixedColumn(capacity: count)
    decision = FixedColumn(capacity: count)
    let hasAngles = ranges.hasAngles
    var next = [Int](repeating: 0, count: results.count)
    for case .range(let index) in slice.entries {
      let place = Int(ranges.tag[index])
      let result = results[place][next[place]]
      next[place] += 1
      time.append(ranges.time[index].nanoseconds)
      tag.append(ranges.tag[index])
      anchor.append(ranges.anchor[index])
      distance.append(ranges.distance[index])
      smoothed.append(result.smoothed)
      sigma.append(result.sigma)
      quality.append(result.quality.code)
      zone.append(result.zone.code)
      let angles =
        hasAngles ? ranges.reportedAngles(at: index, in: frame) : (azimuth: .nan, elevation: .nan)
      azimuth.append(angles.azimuth)
      elevation.append(angles.elevation)
      decision.append(result.decision.code)
    }
  }

  /// Returns the result for the range at `index`.
  func result(at index: Int) -> RangeResult {
    RangeResult(
      smoothed: smoothed[index], sigma: sigma[index],
      quality: MeasurementQuality.allCases[Int(quality[index])],
      zone: DistanceColumns.Zone.allCases[Int(zone[index])],
      decision: DistanceColumns.Decision.allCases[Int(decision[index])])
  }
}

extension CaseIterable where Self: Equatable {
  /// The index of the case among all.
  @inline(__always)
  fileprivate var code: UInt8 {
    var code: UInt8 = 0
    for other in Self.allCases {
      if other == self { return code }
      code += 1
    }
    return code
  }
}
