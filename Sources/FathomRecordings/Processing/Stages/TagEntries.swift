import Fathom

/// What every method does with the entries of a tag: it leaves out excluded ranges, corrects the others, and outputs positions when they are due.
///
/// Functions are generic over the method, so that a loop over many entries has direct calls.
struct TagEntries: Sendable {
  /// When positions are output.
  private var schedule: OutputSchedule
  /// Decides which ranges are used.
  private var filter: RangeFilter
  /// The RSSI-dependent range bias that is subtracted from each range; nil for no correction.
  private let rssiBiasCurve: RSSIBiasCurve?
  /// Whether rows can have heights, and the time of the last one that was used.
  private let hasHeights: Bool
  private var lastHeight: Timestamp?
  /// The number of ranges so far, and which of them were left out, for ``woven(_:)``.
  private var arrived = 0
  private var leftOut: [Int] = []
  /// The number of ranges whose decisions were returned.
  private var decided = 0

  /// Creates the entries of a tag.
  ///
  /// Ranges in `excluded` are not used. `rssiBiasCurve` is the bias that is subtracted from each
  /// range, nil for none. With `hasHeights`, heights in rows of ranges are used.
  init(
    _ schedule: OutputSchedule, excluded: ExcludedRanges, rssiBiasCurve: RSSIBiasCurve? = nil,
    hasHeights: Bool
  ) {
    self.schedule = schedule
    filter = RangeFilter(excluded)
    self.rssiBiasCurve = rssiBiasCurve
    self.hasHeights = hasHeights
  }

  // MARK: Ranges

  /// Processes the entries of `slice` at `places`, and stores in `results` how each range was used.
  @specialized(where Method == FilterStage)
  @specialized(where Method == FixStage)
  @specialized(where Method == SmoothStage)
  mutating func process<Method: PositionStage>(
    _ slice: RecordingSlice, at places: [Int32], by method: inout Method,
    deciding results: inout [RangeResult]
  ) {
    method.reserveCapacity(places.count)
    let takesDirections = method.takesDirections
    let ranges = slice.ranges
    var next = 0
    for place in places {
      switch slice.entries[Int(place)] {
      case .range(let index):
        results[next].decision = add(at: index, of: ranges, to: &method)
        next += 1
        if takesDirections { addDirection(at: index, of: ranges, to: &method) }
      case .event(let index):
        apply(slice.events[index], to: &method)
      }
    }
    emit(before: slice.watermark, by: &method)
  }

  /// Processes the range in row `index` of `ranges`, and returns how it was used as far as this is
  /// known.
  @specialized(where Method == FilterStage)
  mutating func add<Method: PositionStage>(
    at index: Int, of ranges: RangeColumns, to method: inout Method
  ) -> DistanceColumns.Decision {
    if hasHeights, let height = ranges[.height]?[index], !height.isNaN {
      add(height: height, at: ranges.time[index], to: &method)
    }
    let sigma = ranges[.sigma]?[index] ?? .nan
    let distance = ranges.distance[index]
    return add(
      distance, corrected: rssiBiasCurve?.corrected(ranges.measurement(at: index)).distance,
      sigma: sigma.isNaN ? nil : sigma, anchor: Int(ranges.anchor[index]),
      at: ranges.time[index], to: &method)
  }

  /// Processes a range as ``add(at:of:to:)`` does.
  mutating func add<Method: PositionStage>(
    _ range: RangeMeasurement, to method: inout Method
  ) -> DistanceColumns.Decision {
    add(
      range.distance, corrected: rssiBiasCurve?.corrected(range).distance, sigma: range.sigma,
      anchor: range.anchor, at: range.time, to: &method)
  }

  private mutating func add<Method: PositionStage>(
    _ distance: Double, corrected: Double?, sigma: Double?, anchor: Int, at time: Timestamp,
    to method: inout Method
  ) -> DistanceColumns.Decision {
    arrived += 1
    if !filter.admits(distance, to: anchor) {
      leftOut.append(arrived - 1)
      return .unused
    }
    expect(time, by: &method)
    return method.add(
      distance: corrected ?? distance, sigma: sigma, anchor: anchor, at: time)
  }

  /// Returns the range as the method gets it; nil for one that it does not get.
  func usable(_ range: RangeMeasurement) -> RangeMeasurement? {
    filter.excluded.contains(range.distance, to: range.anchor)
      ? nil : rssiBiasCurve?.corrected(range) ?? range
  }

  // MARK: Other entries

  /// Processes the height in a row of ranges, once for all rows of an instant.
  mutating func add<Method: PositionStage>(
    height: Double, at time: Timestamp, to method: inout Method
  ) {
    guard lastHeight.map({ $0 < time }) ?? true else { return }
    // Positions before come first.
    emit(before: time, by: &method)
    lastHeight = time
    method.add(HeightMeasurement(time: time, height: height))
  }

  /// Processes the direction in row `index` of `ranges`, whose range was processed last.
  func addDirection<Method: PositionStage>(
    at index: Int, of ranges: RangeColumns, to method: inout Method
  ) {
    let anchor = Int(ranges.anchor[index])
    if filter.excluded.contains(ranges.distance[index], to: anchor) { return }
    method.addDirection(at: index, of: ranges)
  }

  /// Processes an event: an interruption of all links of the tag starts a new segment of its track.
  mutating func apply<Method: PositionStage>(_ event: RecordedEvent, to method: inout Method) {
    emit(before: event.time, by: &method)
    guard event.event.isInterruption, event.anchor == nil else { return }
    // The motion of the tag during the interruption is unknown, so no positions are output.
    schedule.interrupt()
    method.interrupt(at: event.time)
  }

  // MARK: Output

  /// Outputs the positions due before `time`; all later ranges are at `time` or after.
  mutating func emit<Method: PositionStage>(before time: Timestamp, by method: inout Method) {
    while let instant = schedule.next(before: time) { method.emit(at: instant) }
  }

  /// Outputs the positions before `time`, and expects one at `time`.
  mutating func expect<Method: PositionStage>(_ time: Timestamp, by method: inout Method) {
    emit(before: time, by: &method)
    schedule.expect(time)
  }

  /// Outputs the last position if it is due.
  mutating func emitLast<Method: PositionStage>(by method: inout Method) {
    if let instant = schedule.last() { method.emit(at: instant) }
  }

  /// Returns the decisions `used` of the method in the order of arrival with those of ranges that were
  /// left out among them, as far as all ranges before have theirs.
  mutating func woven(_ used: [DistanceColumns.Decision]) -> [DistanceColumns.Decision] {
    if filter.excluded.isEmpty { return used }
    var result: [DistanceColumns.Decision] = []
    result.reserveCapacity(used.count)
    var next = used[...]
    var left = leftOut[...]
    defer { leftOut = Array(left) }
    while decided < arrived {
      if left.first == decided {
        left.removeFirst()
        result.append(.unused)
      } else if let decision = next.popFirst() {
        result.append(decision)
      } else {
        break
      }
      decided += 1
    }
    return result
  }
}

extension SessionEvent {
  /// Whether the tag may have moved unobserved before the next range.
  var isInterruption: Bool {
    switch self {
    case .suspended, .stopped, .removed, .invalidated: true
    case .started, .resumed: false
    }
  }
}
