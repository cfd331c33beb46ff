import Fathom

/// The ranges of a recording that no method uses for positions, because its diagnosis rules them out.
struct ExcludedRanges: Sendable, Equatable {
  /// Indices of the anchors whose ranges are wrong all the time.
  var anchors: Set<Int> = []
  /// The distance beyond which ranges cannot be, metres.
  var reach = Double.infinity
  /// The number of repetitions of the value of a link from which on its ranges are no measurements; nil if
  /// repetitions are usual.
  var mostRepeats: Int?

  /// Whether all ranges are used.
  var isEmpty: Bool { anchors.isEmpty && reach == .infinity && mostRepeats == nil }

  /// Whether a range to the anchor at an index is left out whatever the ranges before.
  func contains(_ distance: Double, to anchor: Int) -> Bool {
    distance > reach || !anchors.isEmpty && anchors.contains(anchor)
  }
}

/// Decides which ranges of one tag are used, in order of time.
struct RangeFilter: Sendable {
  let excluded: ExcludedRanges
  /// The last value of each anchor, and how often it was repeated.
  private var last: [Int: (distance: Double, repeats: Int)] = [:]

  init(_ excluded: ExcludedRanges) { self.excluded = excluded }

  /// Returns whether the next range of the tag is used; call for every one.
  mutating func admits(_ distance: Double, to anchor: Int) -> Bool {
    if excluded.contains(distance, to: anchor) { return false }
    guard let most = excluded.mostRepeats else { return true }
    guard let before = last[anchor], before.distance == distance else {
      last[anchor] = (distance, 0)
      return true
    }
    last[anchor] = (distance, before.repeats + 1)
    return before.repeats + 1 < most
  }
}

/// The first ranges of each tag, from which its tracker is calibrated: those that are used, thinned.
struct CalibrationRanges: Sendable {
  private let excluded: ExcludedRanges
  private var tags: [(filter: RangeFilter, thinned: ThinnedRanges)] = []

  /// Creates an empty collection of ranges that are not excluded.
  init(_ excluded: ExcludedRanges = ExcludedRanges()) { self.excluded = excluded }

  /// The ranges of the tag at an index in order of time; empty if it has none.
  subscript(tag: Int) -> [RangeMeasurement] {
    tags.indices.contains(tag) ? tags[tag].thinned.ranges : []
  }

  /// Whether nothing is added any more to the first `count` tags.
  func isFull(tags count: Int) -> Bool {
    tags.count == count && tags.allSatisfy(\.thinned.isFull)
  }

  /// Adds the next ranges, in order of time, to anchors of which `anchorCount` are known.
  mutating func add(_ ranges: RangeColumns, anchorCount: Int) {
    for index in 0..<ranges.count {
      let tag = Int(ranges.tag[index])
      while tags.count <= tag {
        let thinned = ThinnedRanges(
          anchorCount: anchorCount, limit: TrackerCalibration.greatestCorrectionCount)
        tags.append((RangeFilter(excluded), thinned))
      }
      guard !tags[tag].thinned.isFull else { continue }
      let range = ranges.measurement(at: index)
      guard excluded.isEmpty || tags[tag].filter.admits(range.distance, to: range.anchor) else {
        continue
      }
      tags[tag].thinned.add(range)
    }
  }
}

extension RecordingOutline {
  /// Returns those of the ranges of a tag that are not excluded.
  func usable(_ ranges: [RangeMeasurement]) -> [RangeMeasurement] {
    if excluded.isEmpty { return ranges }
    var filter = RangeFilter(excluded)
    return ranges.filter { filter.admits($0.distance, to: $0.anchor) }
  }

  /// The times at which positions are wrong by a diagnosis; nil for none.
  var wrongTimes: ClosedRange<Timestamp>? {
    var found: ClosedRange<Timestamp>?
    for diagnosis in diagnoses where diagnosis.code.invalidatesPositions {
      let from = diagnosis.evidence["from_s"].flatMap { Timestamp(seconds: $0) }
      let until = diagnosis.evidence["until_s"].flatMap { Timestamp(seconds: $0) }
      let times =
        (from ?? Timestamp(nanoseconds: .min))...(until ?? Timestamp(nanoseconds: .max))
      found =
        found.map {
          min($0.lowerBound, times.lowerBound)...max($0.upperBound, times.upperBound)
        } ?? times
    }
    return found
  }
}
