import Fathom

/// Processes the ranges of one pair of devices: smoothing, quality, zones and statistics.
///
/// Generic over the smoother, so that calls in the loop over ranges are direct.
struct LinkStage<Smoother: DistanceSmoother> {
  private var smoother: Smoother
  private var quality = MeasurementQualityEstimator(configuration: .extendedDistance)
  /// The outer zone and the inner zone, in this order.
  private var zones = ProximityZones()
  private var session = RangingSession()
  private var segment = 0
  private var statistics = LinkQualityEstimator()
  private var nextCheck: Timestamp?
  private var first: Timestamp?
  private var last: Timestamp?
  private(set) var count = 0
  private(set) var segments = 0
  private(set) var averages = LinkAverages()
  /// The events of the last range that changed a zone.
  private(set) var lastEvents: ProximityEvents?

  init(smoother: Smoother) {
    self.smoother = smoother
  }

  /// The results for one range.
  struct Result {
    /// Smoothed distance, metres; NaN if undetermined.
    var smoothed: Double
    /// Standard deviation of the smoothed distance, metres; NaN if undetermined.
    var sigma: Double
    var quality: MeasurementQuality
    var zone: DistanceColumns.Zone
    /// Whether the range changed a zone; its events are then in ``LinkStage/lastEvents``.
    ///
    /// The events are not part of the result, because an array that is usually empty would be
    /// copied for every range.
    var hasEvents = false
  }

  /// Processes a range.
  mutating func update(_ distance: Double, at time: Timestamp) -> Result {
    let segment = session.recordMeasurement()
    if segment != self.segment {
      smoother.reset()
      self.segment = segment
    }
    segments = segment + 1
    count += 1
    if first == nil { first = time }
    last = time
    if nextCheck.map({ time >= $0 }) ?? true { recordWindow(at: time) }
    statistics.record(distance, at: time)

    let smoothed = smoother.update(distance, at: time)
    var hasEvents = false
    if let events = zones.changes(smoothed: smoothed?.distance, at: time) {
      lastEvents = events
      hasEvents = true
    }
    let zone: DistanceColumns.Zone = zones.depth > 1 ? .inner : zones.depth > 0 ? .outer : .outside
    return Result(
      smoothed: smoothed?.distance ?? .nan, sigma: smoothed?.sigma ?? .nan,
      quality: quality.update(distance: Float(distance), at: time), zone: zone,
      hasEvents: hasEvents)
  }

  /// Processes an event of the session.
  mutating func apply(_ event: SessionEvent) { session.apply(event) }

  /// Mean rate over the whole link, 1/s; nil with fewer than two instants.
  var rate: Double? {
    guard let first, let last, last > first else { return nil }
    return Double(count - 1) / last.seconds(since: first)
  }

  /// Records the statistics of the window that has ended, if any, and begins the next window.
  @inline(never)
  private mutating func recordWindow(at time: Timestamp) {
    if let nextCheck { averages.add(statistics.quality(at: nextCheck)) }
    nextCheck = time.advanced(bySeconds: statistics.window)
  }

  /// Records the statistics of the last window; call once, at the end.
  mutating func finish() {
    if let last { averages.add(statistics.quality(at: last)) }
  }
}

/// Means of the statistics of a link over its windows; nil if no window has a value.
struct LinkAverages: Sendable {
  private(set) var loss = Mean()
  private(set) var spread = Mean()
  private(set) var hold = Mean()
  private(set) var score = Mean()

  /// The mean of the values that are not nil.
  struct Mean: Sendable {
    private var sum = 0.0
    private var count = 0

    /// The mean, or nil if no value was added.
    var value: Double? { count > 0 ? sum / Double(count) : nil }

    mutating func add(_ number: Double?) {
      guard let number else { return }
      sum += number
      count += 1
    }
  }

  mutating func add(_ quality: LinkQuality) {
    loss.add(quality.loss)
    spread.add(quality.spread)
    hold.add(quality.hold)
    score.add(quality.score)
  }
}

/// The link stages of one tag, one per anchor, each created at the first entry of its pair.
struct LinkTable<Smoother: DistanceSmoother>: Sendable {
  private let makeSmoother: @Sendable () -> Smoother
  /// Index in ``stages`` by anchor, up to the greatest with an entry; -1 for pairs without entries.
  private var places: [Int32] = []
  private var stages: [LinkStage<Smoother>] = []
  private var anchors: [Int] = []
  /// The index of the recording's entry that created each of ``stages``.
  private var ordinals: [Int] = []

  init(makeSmoother: @escaping @Sendable () -> Smoother) {
    self.makeSmoother = makeSmoother
  }

  /// Processes a range, which is the entry `ordinal` of the recording.
  mutating func update(
    anchor: Int, distance: Double, at time: Timestamp, ordinal: Int
  ) -> LinkStage<Smoother>.Result {
    stages[place(anchor, ordinal)].update(distance, at: time)
  }

  /// Returns the events of the last range to `anchor` that changed a zone.
  func lastEvents(of anchor: Int) -> ProximityEvents? { stages[Int(places[anchor])].lastEvents }

  /// Processes an event of one pair, or of all pairs of the tag.
  mutating func apply(_ event: RecordedEvent, ordinal: Int) {
    if let anchor = event.anchor {
      stages[place(Int(anchor), ordinal)].apply(event.event)
    } else {
      for index in stages.indices { stages[index].apply(event.event) }
    }
  }

  /// Returns the summaries of all pairs with ranges, each with the index of its first entry.
  mutating func links(
    tag: String, anchorNames: [String]
  ) -> [(ordinal: Int, link: RecordingSummary.Link)] {
    stages.indices.compactMap { index in
      stages[index].finish()
      let stage = stages[index]
      guard stage.count > 0 else { return nil }
      let link = RecordingSummary.Link(
        tag: tag, anchor: anchorNames[anchors[index]],
        ranges: stage.count, segments: stage.segments, rateHz: stage.rate,
        loss: stage.averages.loss.value, spreadM: stage.averages.spread.value,
        hold: stage.averages.hold.value, score: stage.averages.score.value)
      return (ordinals[index], link)
    }
  }

  @inline(__always)
  private mutating func place(_ anchor: Int, _ ordinal: Int) -> Int {
    if anchor >= places.count || places[anchor] < 0 { addStage(anchor, ordinal) }
    return Int(places[anchor])
  }

  private mutating func addStage(_ anchor: Int, _ ordinal: Int) {
    while places.count <= anchor { places.append(-1) }
    places[anchor] = Int32(stages.count)
    stages.append(LinkStage(smoother: makeSmoother()))
    anchors.append(anchor)
    ordinals.append(ordinal)
  }
}
