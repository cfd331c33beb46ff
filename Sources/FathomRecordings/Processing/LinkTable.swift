import Fathom

/// The link stages of a recording, one per pair of devices, made when a pair is first seen.
struct LinkTable<Smoother: DistanceSmoother> {
  private let makeSmoother: () -> Smoother
  private let anchorCount: Int
  /// Position in ``stages`` by tag and anchor, -1 where the pair was not seen.
  private var places: [Int]
  private var stages: [LinkStage<Smoother>] = []
  private var pairs: [(tag: Int, anchor: Int)] = []

  init(tagCount: Int, anchorCount: Int, makeSmoother: @escaping () -> Smoother) {
    self.makeSmoother = makeSmoother
    self.anchorCount = anchorCount
    places = [Int](repeating: -1, count: tagCount * anchorCount)
  }

  /// Takes in a range of the given pair.
  mutating func update(
    tag: Int, anchor: Int, distance: Double, at time: Timestamp
  ) -> LinkStage<Smoother>.Result {
    stages[place(tag, anchor)].update(distance, at: time)
  }

  /// Takes in an event of a pair, or of all pairs of the tag.
  mutating func apply(_ event: RecordedEvent) {
    if let anchor = event.anchor {
      stages[place(Int(event.tag), Int(anchor))].apply(event.event)
    } else {
      for index in stages.indices where pairs[index].tag == Int(event.tag) {
        stages[index].apply(event.event)
      }
    }
  }

  /// The summaries of all pairs with ranges.
  mutating func links(of recording: Recording) -> [RecordingSummary.Link] {
    stages.indices.compactMap { index in
      stages[index].finish()
      let stage = stages[index]
      guard stage.count > 0 else { return nil }
      return RecordingSummary.Link(
        tag: recording.tagNames[pairs[index].tag],
        anchor: recording.anchorNames[pairs[index].anchor],
        ranges: stage.count, segments: stage.segments, rateHz: stage.rate,
        loss: stage.averages.loss.value, spreadM: stage.averages.spread.value,
        hold: stage.averages.hold.value, score: stage.averages.score.value)
    }
  }

  private mutating func place(_ tag: Int, _ anchor: Int) -> Int {
    let key = tag * anchorCount + anchor
    if places[key] < 0 {
      places[key] = stages.count
      stages.append(LinkStage(smoother: makeSmoother()))
      pairs.append((tag, anchor))
    }
    return places[key]
  }
}
