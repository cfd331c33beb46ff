import Fathom

/// Another way to compute positions than `fathom process` takes, to compare it with.
package enum PositionVariant: Sendable, Equatable {
  /// What `process` does.
  case standard
  /// Every epoch by the linearised equations alone.
  case linear
  /// A filter with a single mode of motion and independent errors of fixed size.
  case plain
  /// A fix or a filter whose ranges all have their full weight, however far off they are.
  case gaussian
}

/// One pass over a recording that computes positions and nothing else: no smoothing, no quality, no text.
///
/// The positions are those of ``Recording/processed(with:)`` with the same settings.
package struct PositionPass: Sendable {
  private let recording: Recording
  private let timeline: Timeline
  private var tags: TagStages
  /// What was made of each range of the recording.
  package private(set) var decisions: [DistanceColumns.Decision]

  /// A pass over `recording`, which has anchors.
  package init(
    _ recording: Recording, settings: ProcessingSettings, variant: PositionVariant = .standard
  ) {
    self.recording = recording
    timeline = Timeline(recording)
    var settings = settings
    settings.heightM = settings.heightM ?? recording.height
    if settings.method == .fix, settings.epochWindowS == nil {
      settings.epochWindowS = EpochWindow.seconds(
        for: recording, timeline: timeline, isOnGrid: settings.rateHz != nil)
    }
    tags = TagStages(recording, settings, variant: variant)
    tags.reserveCapacity(recording.ranges.count)
    decisions = Array(repeating: .used, count: recording.ranges.count)
  }

  /// How many ranges and events there are.
  package var count: Int { timeline.entries.count }

  /// Takes in the ranges and events at `places` in the order of time.
  package mutating func run(_ places: Range<Int>) {
    for place in places {
      switch timeline.entries[place] {
      case .event(let index): tags.apply(recording.events[index])
      case .range(let index):
        let sigma = recording.ranges.sigma?[index] ?? .nan
        decisions[index] = tags.add(
          tag: Int(recording.ranges.tag[index]), distance: recording.ranges.distance[index],
          sigma: sigma.isNaN ? nil : sigma, anchor: Int(recording.ranges.anchor[index]),
          at: recording.ranges.time[index], index: index)
      }
    }
    if places.upperBound == count { tags.solve() }
  }

  /// Writes down what is still due, and returns all positions in order of time; call once, at the end.
  package mutating func finished() -> PositionColumns {
    let positions = tags.finished()
    for index in decisions.indices where tags.isUnused(index) { decisions[index] = .unused }
    for (index, decision) in tags.smoothedDecisions { decisions[index] = decision }
    return positions
  }

  /// Whether no range behind the middle of the recording was kept for the start of a track.
  package var isSettled: Bool {
    !timeline.entries[(count / 2)...].contains { entry in
      if case .range(let index) = entry { decisions[index] == .starting } else { false }
    }
  }

  /// What is to be said about the innovations of a filter.
  package var consistency: RecordingSummary.Consistency? {
    var summary = RecordingSummary(recording, ProcessingSettings(), timeline: timeline)
    tags.describe(in: &summary)
    return summary.consistency
  }
}
