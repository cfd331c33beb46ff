import Fathom

/// What one pair of devices goes through: smoothing, quality, zones, statistics.
///
/// Generic over the smoother, so that the loop over a recording's ranges calls it directly.
struct LinkStage<Smoother: DistanceSmoother> {
  private var smoother: Smoother
  private var quality = MeasurementQualityEstimator(configuration: .extendedDistance)
  /// The outer zone and the inner one, in this order.
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
  /// The zones entered and left by the last range that changed any.
  private(set) var lastEvents: ProximityEvents?

  init(smoother: Smoother) {
    self.smoother = smoother
  }

  /// The results for one range.
  struct Result {
    /// Smoothed distance, metres; NaN where there is none.
    var smoothed: Double
    /// Its standard deviation, metres; NaN where there is none.
    var sigma: Double
    var quality: MeasurementQuality
    var zone: DistanceColumns.Zone
    /// Whether the range changed zones: ``LinkStage/lastEvents`` are its own.
    ///
    /// They are not part of the result: what is mostly empty would be copied at every range.
    var hasEvents = false
  }

  /// Takes in a range.
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
    if nextCheck.map({ time >= $0 }) ?? true { judge(at: time) }
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

  /// Takes in an event of the session.
  mutating func apply(_ event: SessionEvent) { session.apply(event) }

  /// Mean rate over the whole link, 1/s; nil with fewer than two instants.
  var rate: Double? {
    guard let first, let last, last > first else { return nil }
    return Double(count - 1) / last.seconds(since: first)
  }

  /// Judges the window that is over, if there is one, and begins another: judgements are averaged.
  @inline(never)
  private mutating func judge(at time: Timestamp) {
    if let nextCheck { averages.add(statistics.quality(at: nextCheck)) }
    nextCheck = time.advanced(bySeconds: statistics.window)
  }

  /// Judges what came since the last window; call once, at the end.
  mutating func finish() {
    if let last { averages.add(statistics.quality(at: last)) }
  }
}

/// Means of the statistics of a link over its windows; nil where no window had any.
struct LinkAverages: Sendable {
  private(set) var loss = Mean()
  private(set) var spread = Mean()
  private(set) var hold = Mean()
  private(set) var score = Mean()

  /// The mean of the numbers that were there.
  struct Mean: Sendable {
    private var sum = 0.0
    private var count = 0

    /// The mean, or nil where nothing was added.
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

/// The link stages of one tag, one per anchor, made when a pair is first seen.
struct LinkTable<Smoother: DistanceSmoother>: Sendable {
  private let makeSmoother: @Sendable () -> Smoother
  /// Position in ``stages`` by anchor, -1 where the pair was not seen.
  private var places: [Int]
  private var stages: [LinkStage<Smoother>] = []
  private var anchors: [Int] = []
  /// The entry of the recording at which each of ``stages`` was first seen.
  private var ordinals: [Int] = []

  init(anchorCount: Int, makeSmoother: @escaping @Sendable () -> Smoother) {
    self.makeSmoother = makeSmoother
    places = [Int](repeating: -1, count: anchorCount)
  }

  /// Takes in a range, the entry `ordinal` of the recording.
  mutating func update(
    anchor: Int, distance: Double, at time: Timestamp, ordinal: Int
  ) -> LinkStage<Smoother>.Result {
    stages[place(anchor, ordinal)].update(distance, at: time)
  }

  /// The zones entered and left by the last range to `anchor` that changed any.
  func lastEvents(of anchor: Int) -> ProximityEvents? { stages[places[anchor]].lastEvents }

  /// Takes in an event of a pair, or of all pairs of the tag.
  mutating func apply(_ event: RecordedEvent, ordinal: Int) {
    if let anchor = event.anchor {
      stages[place(Int(anchor), ordinal)].apply(event.event)
    } else {
      for index in stages.indices { stages[index].apply(event.event) }
    }
  }

  /// The summaries of all pairs with ranges, each with the entry at which it was first seen.
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
    if places[anchor] < 0 { addStage(anchor, ordinal) }
    return places[anchor]
  }

  private mutating func addStage(_ anchor: Int, _ ordinal: Int) {
    places[anchor] = stages.count
    stages.append(LinkStage(smoother: makeSmoother()))
    anchors.append(anchor)
    ordinals.append(ordinal)
  }
}
