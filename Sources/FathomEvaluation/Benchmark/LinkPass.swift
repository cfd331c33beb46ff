import Fathom
import FathomRecordings

/// What works on the ranges of one pair of devices, one after the other.
protocol LinkMethod: Sendable {
  associatedtype Output: Sendable

  /// Takes the range measured at `time`.
  mutating func update(_ distance: Double, at time: Timestamp) -> Output

  /// Forgets everything seen: the session was interrupted.
  mutating func reset()
}

/// A run of one method per pair of devices; segments of sessions begin anew, as in `fathom process`.
struct LinkPass<Method: LinkMethod>: MethodPass {
  private let steps: [Step]
  private var links: [Link]
  private var outputs: [Method.Output?]
  private let wrap: @Sendable ([Method.Output?]) -> MethodOutput

  private struct Link: Sendable {
    var method: Method
    var session = RangingSession()
    var segment = 0
  }

  private enum Step: Sendable {
    case range(link: Int, index: Int, time: Timestamp, distance: Double)
    case event(SessionEvent, links: [Int])
  }

  /// A pass over `recording` with one method from `make` per pair of devices; `wrap` says what the
  /// outputs, one per range, are.
  init(
    _ recording: Recording, make: () -> Method,
    wrap: @escaping @Sendable ([Method.Output?]) -> MethodOutput
  ) {
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
        return .range(
          link: link, index: index, time: ranges.time[index], distance: ranges.distance[index])
      case .event(let index):
        let event = recording.events[index]
        let concerned = places.filter { place in
          event.anchor.map { place.key == key(event.tag, $0) }
            ?? (place.key / anchorCount == Int(event.tag))
        }
        return .event(event.event, links: concerned.map(\.value))
      }
    }
    links = (0..<places.count).map { _ in Link(method: make()) }
    outputs = Array(repeating: nil, count: ranges.count)
    self.wrap = wrap
  }

  var count: Int { steps.count }

  mutating func run(_ places: Range<Int>) {
    for place in places {
      switch steps[place] {
      case .range(let link, let index, let time, let distance):
        let segment = links[link].session.recordMeasurement()
        if segment != links[link].segment {
          links[link].method.reset()
          links[link].segment = segment
        }
        outputs[index] = links[link].method.update(distance, at: time)
      case .event(let event, let concerned):
        for link in concerned { links[link].session.apply(event) }
      }
    }
  }

  mutating func output() -> MethodOutput { wrap(outputs) }
}

/// A smoother as a method of a link.
struct SmoothedLink<Smoother: DistanceSmoother>: LinkMethod {
  var smoother: Smoother

  mutating func update(_ distance: Double, at time: Timestamp) -> SmoothedDistance? {
    smoother.update(distance, at: time)
  }

  mutating func reset() { smoother.reset() }
}

/// The distances as they were measured: what every smoother has to beat.
struct RawLink: LinkMethod {
  mutating func update(_ distance: Double, at time: Timestamp) -> SmoothedDistance? {
    SmoothedDistance(distance: distance, lag: 0, time: time)
  }

  mutating func reset() {}
}

/// The quality estimator as a method of a link.
struct JudgedLink: LinkMethod {
  var estimator = MeasurementQualityEstimator(configuration: .extendedDistance)

  mutating func update(_ distance: Double, at time: Timestamp) -> MeasurementQuality {
    estimator.update(distance: Float(distance), at: time)
  }

  // A session's interruption is no reason to forget what is still fresh.
  mutating func reset() {}
}

/// The statistical link quality as a method of a link: recorded at every range, asked for once a window.
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
