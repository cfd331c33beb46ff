import Fathom

/// A pass over a recording that computes only positions, without smoothed distances, quality and
/// text.
///
/// The positions are those of ``Recording/processed(with:)`` with the same settings.
package struct PositionPass: Sendable {
  private let recording: Recording
  private let timeline: Timeline
  private var tags: [TagStage]
  private let names: TargetNames
  private let takesDirections: Bool
  private var isSolved = false
  /// How each range of the recording was used; valid for `fix` and `smooth` once the pass is
  /// finished.
  package private(set) var decisions: [DistanceColumns.Decision]

  /// Creates a pass over `recording`, which must have anchors, by the method of `settings`.
  package init(_ recording: Recording, settings: ProcessingSettings) {
    self.init(recording, settings) { timeline, outline, settings in
      let errors = recording.rangeErrors(settings, timeline: timeline, of: outline)
      let rangesByTag = recording.rangesByTag().map(outline.usable)
      let common =
        settings.method == .fix
        ? nil : outline.commonCalibration(settings, tags: rangesByTag.count) { rangesByTag[$0] }
      return rangesByTag.enumerated().map { tag, ranges in
        TagStage(
          tag: tag, of: outline, calibrationRanges: ranges, settings, errors: errors,
          common: common)
      }
    }
  }

  /// Creates a pass over `recording`, which must have anchors, by a stage of the caller.
  ///
  /// The method of `settings` tells when positions are output. The stage of a tag gets its ranges
  /// and their directions.
  package init(
    _ recording: Recording, settings: ProcessingSettings,
    makeStage: (StageContext) -> any PositionStage
  ) {
    self.init(recording, settings) { _, outline, settings in
      let context = StageContext(outline, settings)
      return recording.tagNames.indices.map { tag in
        let schedule = OutputSchedule(
          end: outline.ends[tag], rateHz: settings.rateHz,
          continuesInGaps: settings.method != .fix)
        return TagStage(
          makeStage(context),
          TagEntries(schedule, excluded: outline.excluded, hasHeights: false))
      }
    }
  }

  private init(
    _ recording: Recording, _ settings: ProcessingSettings,
    makeStages: (Timeline, RecordingOutline, ProcessingSettings) -> [TagStage]
  ) {
    self.recording = recording
    timeline = Timeline(recording)
    let settings = settings.completed(for: recording, timeline: timeline)
    var outline = RecordingOutline(recording)
    outline.diagnose(recording.rangeSample(timeline), settings)
    names = TargetNames(outline)
    tags = makeStages(timeline, outline, settings)
    for (tag, ranges) in recording.rangesByTag().enumerated() {
      tags[tag].reserveCapacity(ranges.count)
    }
    takesDirections = tags.contains(where: \.takesDirections)
    decisions = Array(repeating: .used, count: recording.ranges.count)
  }

  /// The number of ranges and events.
  package var count: Int { timeline.entries.count }

  /// Processes the ranges and events at `places`, in order of time.
  package mutating func run(_ places: Range<Int>) {
    for place in places {
      switch timeline.entries[place] {
      case .event(let index):
        let event = recording.events[index]
        tags[Int(event.tag)].apply(event)
      case .range(let index):
        let tag = Int(recording.ranges.tag[index])
        decisions[index] = tags[tag].add(at: index, of: recording.ranges)
        if takesDirections { tags[tag].addDirection(at: index, of: recording.ranges) }
      }
    }
    if places.upperBound == count { solve() }
  }

  private mutating func solve() {
    if isSolved { return }
    isSolved = true
    for index in tags.indices { tags[index].finish() }
  }

  /// Outputs the remaining positions, and returns all positions in order of time; call once, at the
  /// end.
  package mutating func finished() -> PositionColumns {
    solve()
    let late = tags.map(\.decisions)
    var next = [Int](repeating: 0, count: tags.count)
    for case .range(let index) in timeline.entries {
      let tag = Int(recording.ranges.tag[index])
      guard let decision = late[tag]?[next[tag]] else { continue }
      decisions[index] = decision
      next[tag] += 1
    }
    let positions = PositionsByTag(tags.indices.map { tags[$0].removePositions() })
    return PositionColumns(positions, names: names)
  }

  /// Whether no range in the second half of the recording has the decision `starting`.
  package var isSettled: Bool {
    !timeline.entries[(count / 2)...].contains { entry in
      if case .range(let index) = entry { decisions[index] == .starting } else { false }
    }
  }

  /// The consistency of a filter's innovations.
  package var consistency: RecordingSummary.FilterConsistency? {
    RecordingSummary.FilterConsistency(tags.compactMap(\.innovations))
  }
}
