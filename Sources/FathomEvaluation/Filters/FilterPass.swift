import Fathom
import FathomRecordings

/// A run of one filter per tag over a recording.
///
/// The filter begins where the ranges of a second determine a position, one only or, after two
/// seconds, whichever `Trilateration.solve` gives, at rest give or take two metres a second. A
/// known height is held to a millimetre. Ranges are corrected for what is known of their anchors.
struct FilterPass<Filter: TrackingFilter> {
  private let recording: Recording
  private let timeline: Timeline
  private let rangeSigma: Double
  private let motion: ConstantVelocity
  private var tags: [Track]
  /// What was made of each range of the recording.
  private(set) var decisions: [DistanceColumns.Decision]

  /// What is known of a tag.
  private struct Track {
    var filter: Filter?
    /// The instant of the estimate.
    var time = Timestamp(nanoseconds: 0)
    /// Before the start: the last range to each anchor, and its instant.
    var heard: [Int32: (distance: Double, sigma: Double, time: Timestamp)] = [:]
    /// The instant of the first range.
    var first: Timestamp?
    /// One entry per instant since the start.
    var instants: [Instant] = []
  }

  /// What was believed at an instant.
  private struct Instant {
    var time: Timestamp
    var estimate: Gaussian<6>?
    var used = 0
    var rejected = 0
  }

  /// A pass over `recording`, which has anchors.
  ///
  /// - Parameters:
  ///   - recording: the recording.
  ///   - rangeSigma: standard deviation of ranges without their own, metres.
  ///   - density: root of the spectral density of the acceleration, (m/s²)/√Hz.
  init(_ recording: Recording, rangeSigma: Double, density: Double) {
    self.recording = recording
    self.rangeSigma = rangeSigma
    timeline = Timeline(recording)
    motion = ConstantVelocity(
      horizontalDensity: density, verticalDensity: recording.height == nil ? density : 0)
    tags = recording.tagNames.map { _ in Track() }
    decisions = Array(repeating: .unused, count: recording.ranges.count)
  }

  /// How many ranges and events there are.
  var count: Int { timeline.entries.count }

  /// Takes in the ranges at `places` in the order of time.
  mutating func run(_ places: Range<Int>) {
    for place in places {
      guard case .range(let index) = timeline.entries[place] else { continue }
      decisions[index] = take(index)
    }
  }

  private mutating func take(_ index: Int) -> DistanceColumns.Decision {
    let ranges = recording.ranges
    let (tag, anchor) = (Int(ranges.tag[index]), recording.anchors[Int(ranges.anchor[index])])
    let time = ranges.time[index]
    let distance = anchor.corrected(ranges.distance[index])
    guard distance > 0, distance.isFinite else { return .unused }
    var sigma = rangeSigma
    if let own = ranges.sigma?[index], own > 0 { sigma = own }
    guard tags[tag].filter != nil else {
      tags[tag].heard[ranges.anchor[index]] = (distance, sigma, time)
      start(tag, at: time)
      return .starting
    }
    let seconds = time.seconds(since: tags[tag].time)
    do {
      if seconds > 0 {
        try tags[tag].filter?.predict(over: seconds)
        tags[tag].time = time
        tags[tag].instants.append(Instant(time: time, estimate: nil))
      }
      let model = RangeModel(anchor: anchor.position, anchorSigma: anchor.positionSigma ?? 0)
      try tags[tag].filter?
        .update(distance, of: model, variance: model.variance(sigma: sigma))
      note(tag, used: 1, rejected: 0)
      return .used
    } catch {
      note(tag, used: 0, rejected: 1)
      return .unused
    }
  }

  /// Writes down what is believed of a tag now, and what the last range came to.
  private mutating func note(_ tag: Int, used: Int, rejected: Int) {
    let last = tags[tag].instants.count - 1
    tags[tag].instants[last].estimate = tags[tag].filter?.estimate
    tags[tag].instants[last].used += used
    tags[tag].instants[last].rejected += rejected
  }

  /// Begins where the ranges of the last second determine a position.
  private mutating func start(_ tag: Int, at time: Timestamp) {
    let first = tags[tag].first ?? time
    tags[tag].first = first
    let fresh = tags[tag].heard.filter { time.seconds(since: $1.time) <= 1 }
      .sorted { $0.key < $1.key }
    var options = Trilateration.Options()
    options.height = recording.height
    let fix = try? Trilateration.solve(
      ranges: fresh.map(\.value.distance),
      anchors: fresh.map { recording.anchors[Int($0.key)].position },
      sigmas: fresh.map(\.value.sigma), options: options)
    guard let fix, let position = fix.position, let covariance = fix.covariance,
      fix.verdict == .unique || time.seconds(since: first) > 2
    else { return }
    var mean = Vector<6>.zero
    var spread = Matrix<6, 6>.zero
    for axis in 0..<3 {
      mean[axis] = position[axis]
      spread[axis + 3, axis + 3] = 4
      for other in 0..<3 { spread[axis, other] = covariance[axis, other] }
    }
    if let height = recording.height {
      mean[2] = height
      for axis in 0..<3 { (spread[axis, 2], spread[2, axis]) = (0, 0) }
      (spread[2, 2], spread[5, 5]) = (1e-6, 1e-6)
    }
    let estimate = Gaussian(mean: mean, covariance: spread)
    guard estimate.isFinite else { return }
    tags[tag].filter = Filter(start: estimate, motion: motion)
    tags[tag].time = time
    tags[tag].instants = [Instant(time: time, estimate: estimate, used: fresh.count)]
    tags[tag].heard = [:]
  }

  /// All positions in order of time; call once, at the end.
  func finished() -> PositionColumns {
    var rows: [(tag: Int, instant: Instant)] = []
    for (tag, track) in tags.enumerated() {
      var instants = track.instants
      if let smoothed = track.filter?.smoothed() {
        for index in instants.indices where index < smoothed.count {
          instants[index].estimate = smoothed[index]
        }
      }
      rows += instants.map { (tag, $0) }
    }
    rows.sort { ($0.instant.time, $0.tag) < ($1.instant.time, $1.tag) }
    var result = PositionColumns()
    for (tag, instant) in rows {
      guard let estimate = instant.estimate, estimate.isFinite else { continue }
      result.append(
        instant.time, recording.tagNames[tag],
        Vector([estimate.mean[0], estimate.mean[1], estimate.mean[2]]),
        position(of: estimate.covariance),
        used: instant.used, rejected: instant.rejected, status: .tracking)
    }
    return result
  }

  /// The covariance of the position.
  private func position(of covariance: Matrix<6, 6>) -> Matrix<3, 3> {
    var result = Matrix<3, 3>.zero
    for row in 0..<3 { for column in 0..<3 { result[row, column] = covariance[row, column] } }
    return result
  }

  /// Whether no range behind the middle of the recording was kept for the start of a track.
  var isSettled: Bool {
    !timeline.entries[(count / 2)...].contains { entry in
      if case .range(let index) = entry { decisions[index] == .starting } else { false }
    }
  }
}
