import Fathom
import FathomRecordings

/// A method that processes the ranges of one pair of devices in sequence.
protocol LinkMethod: Sendable {
  associatedtype Output: Sendable

  /// Processes the range measured at `time`.
  mutating func update(_ distance: Double, at time: Timestamp) -> Output

  /// Discards all state after an interruption of the session.
  mutating func reset()
}

/// A run of one method per pair of devices.
///
/// Each session segment starts afresh, as in `fathom process`.
struct LinkPass<Method: LinkMethod> {
  private let steps: [Step]
  private let events: [(event: SessionEvent, links: [Int])]
  private var links: [Link]
  /// Output of the method for each range of the recording; nil before it is processed.
  private(set) var outputs: [Method.Output?]

  private struct Link {
    var method: Method
    var session = RangingSession()
    var segment = 0
    /// Whether the next range may begin a segment.
    var isDue = true

    /// Registers a range after an event, and resets the method when a new segment begins.
    mutating func begin() {
      isDue = false
      let segment = session.recordMeasurement()
      if segment != self.segment { method.reset() }
      self.segment = segment
    }
  }

  /// A range of a link, or the event with number `index` when `link` is negative.
  private struct Step {
    var link: Int
    var index: Int
    var time = Timestamp(nanoseconds: 0)
    var distance = 0.0
  }

  /// Creates a pass over `recording` with one method from `make` per pair of devices.
  init(_ recording: Recording, make: () -> Method) {
    let ranges = recording.ranges
    let anchorCount = max(1, recording.anchorNames.count)
    func key(_ tag: Int32, _ anchor: Int32) -> Int { Int(tag) * anchorCount + Int(anchor) }
    var places: [Int: Int] = [:]
    for index in ranges.time.indices {
      let key = key(ranges.tag[index], ranges.anchor[index])
      places[key] = places[key] ?? places.count
    }
    steps = Timeline(recording).entries.map { entry in
      switch entry {
      case .range(let index):
        let link = places[key(ranges.tag[index], ranges.anchor[index])] ?? 0
        return Step(
          link: link, index: index, time: ranges.time[index], distance: ranges.distance[index])
      case .event(let index): return Step(link: -1, index: index)
      }
    }
    events = recording.events.map { event in
      let concerned = places.filter { place in
        event.anchor.map { place.key == key(event.tag, $0) }
          ?? (place.key / anchorCount == Int(event.tag))
      }
      return (event.event, concerned.map(\.value))
    }
    links = (0..<places.count).map { _ in Link(method: make()) }
    outputs = Array(repeating: nil, count: ranges.count)
  }

  var count: Int { steps.count }

  mutating func run(_ places: Range<Int>) {
    for place in places {
      let step = steps[place]
      guard step.link >= 0 else {
        let (event, concerned) = events[step.index]
        for link in concerned {
          links[link].session.apply(event)
          links[link].isDue = true
        }
        continue
      }
      if links[step.link].isDue { links[step.link].begin() }
      outputs[step.index] = links[step.link].method.update(step.distance, at: step.time)
    }
  }
}

/// A smoother as a link method.
struct SmoothedLink<Smoother: DistanceSmoother>: LinkMethod {
  var smoother: Smoother

  mutating func update(_ distance: Double, at time: Timestamp) -> SmoothedDistance? {
    smoother.update(distance, at: time)
  }

  mutating func reset() { smoother.reset() }
}

/// The measured distances, the reference for every smoother.
struct RawLink: LinkMethod {
  mutating func update(_ distance: Double, at time: Timestamp) -> SmoothedDistance? {
    SmoothedDistance(distance: distance, lag: 0, time: time)
  }

  mutating func reset() {}
}

/// The quality estimator as a link method.
struct JudgedLink: LinkMethod {
  var estimator = MeasurementQualityEstimator(configuration: .extendedDistance)

  mutating func update(_ distance: Double, at time: Timestamp) -> MeasurementQuality {
    estimator.update(distance: Float(distance), at: time)
  }

  // The estimator discards old distances itself; recent ones stay valid after an interruption.
  mutating func reset() {}
}

/// The statistical link quality as a link method: updated at every range, evaluated every fifth of
/// a window.
struct ScoredLink: LinkMethod {
  var estimator = LinkQualityEstimator()
  private var score: Double?
  private var due: Timestamp?

  init() {}

  mutating func update(_ distance: Double, at time: Timestamp) -> Double? {
    if let due, time < due {
      estimator.record(distance, at: time)
      return score
    }
    if due != nil { score = estimator.quality(at: time).score }
    due = time.advanced(bySeconds: 0.2 * estimator.window)
    estimator.record(distance, at: time)
    return score
  }

  mutating func reset() {}
}
