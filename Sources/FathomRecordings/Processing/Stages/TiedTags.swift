import Fathom

/// Computes the positions of tags that are tied by ranges between them, together and in order of time.
struct TiedTags {
  /// The tags, in order.
  let members: [Int]
  /// The stages of the tags.
  var stages: [TagStage]
  private let method: PositionMethod
  private var ties: TagTies
  /// The ranges between the tags in order of time, with indices of ``members``.
  private let between: [TagRange]
  private var next = 0
  /// How the ranges between tags were used.
  private(set) var counts = TagRangeCounts()

  /// Creates the group of the tags at the indices `members` with their stages.
  init(
    _ members: [Int], stages: [TagStage], of outline: RecordingOutline, method: PositionMethod
  ) {
    self.members = members
    self.stages = stages
    self.method = method
    ties = TagTies(count: members.count)
    let places = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1, $0) })
    between = outline.tagRanges.ordered.compactMap { _, range in
      guard let first = places[range.first], let second = places[range.second] else { return nil }
      var range = range
      (range.first, range.second) = (first, second)
      return range
    }
  }

  /// Processes an entry of the timeline of the recording; returns how a range was used, nil for events and
  /// tags that are no members.
  mutating func add(
    _ entry: Timeline.Entry, _ ranges: RangeColumns, _ events: [RecordedEvent]
  ) -> (tag: Int, decision: DistanceColumns.Decision)? {
    switch entry {
    case .event(let index):
      advance(to: events[index].time)
      if let place = members.firstIndex(of: Int(events[index].tag)) {
        stages[place].apply(events[index])
      }
      return nil
    case .range(let index):
      advance(to: ranges.time[index])
      let tag = Int(ranges.tag[index])
      guard let place = members.firstIndex(of: tag) else { return nil }
      let decision = stages[place].add(at: index, of: ranges, tied: &ties, as: place)
      return (tag, decision)
    }
  }

  /// Processes the ranges between tags before `time`.
  private mutating func advance(to time: Timestamp?) {
    while next < between.count, time.map({ between[next].time < $0 }) ?? true {
      let range = between[next]
      next += 1
      // Moved out, because two elements of an array cannot be changed at a time.
      var (first, second) = (stages[range.first], stages[range.second])
      let outcome = first.add(range, to: &second, &ties)
      (stages[range.first], stages[range.second]) = (first, second)
      if let outcome { counts.decisions[DistanceColumns.Decision(outcome)] += 1 }
    }
  }

  /// Processes the remaining ranges and outputs the remaining positions; call once, at the end.
  mutating func finish() {
    advance(to: nil)
    if method == .smooth { smooth() }
    for index in stages.indices { stages[index].finish() }
  }

  /// Computes the joint tracks.
  private mutating func smooth() {
    let tags = stages.compactMap(\.smootherInput)
    guard tags.count == stages.count, let found = TiedSmoother.smoothed(tags, between: between)
    else {
      counts.isTooLarge = true
      counts.decisions[.unused] += between.count
      return
    }
    for verdict in found.verdicts { counts.add(verdict) }
    for (place, track) in found.tracks.enumerated() {
      let own = between.indices.filter { between[$0].first == place || between[$0].second == place }
      stages[place].setTrack(track, with: own.map { (between[$0].time, found.verdicts[$0]) })
    }
  }
}

// MARK: - Stages

extension TagStage {
  /// Processes the range in row `index` of `ranges` of a tied tag, the `place`-th of its group.
  mutating func add(
    at index: Int, of ranges: RangeColumns, tied ties: inout TagTies, as place: Int
  ) -> DistanceColumns.Decision {
    let decision = add(at: index, of: ranges)
    guard let usable = usable(ranges.measurement(at: index)) else { return decision }
    withTracker { ties.note(usable, of: place, &$0) }
    return decision
  }

  /// Processes a range to another tag, and returns how it was used; nil for a method that decides at the end.
  mutating func add(
    _ range: TagRange, to other: inout TagStage, _ ties: inout TagTies
  ) -> TrackUpdate.Outcome? {
    expect(at: range.time)
    other.expect(at: range.time)
    let outcome = withTracker { first in
      other.withTracker { second in ties.update(range, &first, &second) }
    }
    guard let outcome, let outcome else { return nil }
    let square = ties.normalizedSquare
    count(outcome, square: square, at: range.time)
    other.count(outcome, square: nil, at: range.time)
    return outcome
  }
}

/// The results of a tied tag, whose group has located it, in place of a method.
struct LocatedStage: PositionStage {
  private var positions: [PositionRow]
  let lateDecisions: [DistanceColumns.Decision]?
  private let found: StageFindings

  /// Moves the results out of `stage`, which has processed everything.
  ///
  /// `decisions` are how it used the ranges, if it does not know better at the end.
  init(
    _ stage: inout TagStage, decisions: [DistanceColumns.Decision], anchorNames: [String]
  ) {
    positions = stage.removePositions()
    lateDecisions = stage.decisions ?? decisions
    found = stage.findings(anchorNames: anchorNames)
  }

  mutating func add(
    distance: Double, sigma: Double?, anchor: Int, at time: Timestamp
  ) -> DistanceColumns.Decision { .used }

  mutating func add(_ height: HeightMeasurement) {}
  mutating func emit(at time: Timestamp) {}
  mutating func removePositions() -> [PositionRow] { positions.removed() }
  func findings(of tag: String, anchorNames: [String]) -> StageFindings { found }
}
