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

extension RecordingOutline {
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
