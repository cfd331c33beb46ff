import Fathom

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
