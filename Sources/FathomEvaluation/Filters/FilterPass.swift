import Fathom
import FathomRecordings

/// A run of one filter per tag over a recording.
///
/// A filter starts when the ranges of one second determine a unique position. After two seconds it
/// also starts at an ambiguous solution of `Trilateration.solve`. The initial velocity is zero with
/// a standard deviation of 2 m/s per axis. A known height is fixed with a standard deviation of 1
/// mm. Ranges are corrected for the known bias and scale of their anchors.
struct FilterPass<Filter: TrackingFilter> {
  private let recording: Recording
  private let timeline: Timeline
  private let rangeSigma: Double
  private let motion: ConstantVelocity
  private var tags: [Track]
  /// How each range of the recording was used.
  private(set) var decisions: [DistanceColumns.Decision]

  /// The state of one tag.
  private struct Track {
    var filter: Filter?
    /// Time of the estimate.
    var time = Timestamp(nanoseconds: 0)
    /// Before the start: the last range to each anchor and its time.
    var lastRanges: [Int32: (distance: Double, sigma: Double, time: Timestamp)] = [:]
    /// Time of the first range.
    var first: Timestamp?
    /// One entry per measurement time since the start.
    var instants: [Instant] = []
  }

  /// The estimate and the range counts at one time.
  private struct Instant {
    var time: Timestamp
    var estimate: Gaussian<6>?
    var used = 0
    var rejected = 0
  }

  /// Creates a pass over `recording`, which must have anchors.
  ///
  /// `rangeSigma` is for ranges without a standard deviation of their own, metres; `density` is the
  /// root of the spectral density of the acceleration, (m/s²)/√Hz.
  init(_ recording: Recording, rangeSigma: Double, density: Double) {
    self.recording = recording
    self.rangeSigma = rangeSigma
    timeline = Timeline(recording)
    motion = ConstantVelocity(
      horizontalDensity: density, verticalDensity: recording.facts.heightM == nil ? density : 0)
    tags = recording.tagNames.map { _ in Track() }
    decisions = Array(repeating: .unused, count: recording.ranges.count)
  }

  /// Number of ranges and events.
  var count: Int { timeline.entries.count }

  /// Processes the ranges at `places`, indices into the timeline.
  mutating func run(_ places: Range<Int>) {
    for place in places {
      guard case .range(let index) = timeline.entries[place] else { continue }
      decisions[index] = process(index)
    }
  }

  private mutating func process(_ index: Int) -> DistanceColumns.Decision {
    let ranges = recording.ranges
    let (tag, anchor) = (Int(ranges.tag[index]), recording.anchors[Int(ranges.anchor[index])])
    let time = ranges.time[index]
    let distance = anchor.corrected(ranges.distance[index])
    guard distance > 0, distance.isFinite else { return .unused }
    var sigma = rangeSigma
    if let own = ranges[.sigma]?[index], own > 0 { sigma = own }
    guard tags[tag].filter != nil else {
      tags[tag].lastRanges[ranges.anchor[index]] = (distance, sigma, time)
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

  /// Stores the present estimate of a tag and counts the last range.
  private mutating func note(_ tag: Int, used: Int, rejected: Int) {
    let last = tags[tag].instants.count - 1
    tags[tag].instants[last].estimate = tags[tag].filter?.estimate
    tags[tag].instants[last].used += used
    tags[tag].instants[last].rejected += rejected
  }

  /// Starts a filter when the ranges of the last second determine a position.
  private mutating func start(_ tag: Int, at time: Timestamp) {
    let first = tags[tag].first ?? time
    tags[tag].first = first
    let fresh = tags[tag].lastRanges.filter { time.seconds(since: $1.time) <= 1 }
      .sorted { $0.key < $1.key }
    var options = Trilateration.Options()
    options.height = recording.facts.heightM
    options.side = recording.facts.side
    // Like the filter, the start assumes normal errors.
    options.outliers = .none
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
    if let height = recording.facts.heightM {
      mean[2] = height
      for axis in 0..<3 { (spread[axis, 2], spread[2, axis]) = (0, 0) }
      (spread[2, 2], spread[5, 5]) = (1e-6, 1e-6)
    }
    let estimate = Gaussian(mean: mean, covariance: spread)
    guard estimate.isFinite else { return }
    tags[tag].filter = Filter(start: estimate, motion: motion)
    tags[tag].time = time
    tags[tag].instants = [Instant(time: time, estimate: estimate, used: fresh.count)]
    tags[tag].lastRanges = [:]
  }

  /// Returns all positions sorted by time.
  ///
  /// Call it once, at the end.
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

  /// Returns the position block of the covariance.
  private func position(of covariance: Matrix<6, 6>) -> Matrix<3, 3> {
    var result = Matrix<3, 3>.zero
    for row in 0..<3 { for column in 0..<3 { result[row, column] = covariance[row, column] } }
    return result
  }

  /// Whether no range in the second half of the recording was used to start a track.
  var isSettled: Bool {
    !timeline.entries[(count / 2)...].contains { entry in
      if case .range(let index) = entry { decisions[index] == .starting } else { false }
    }
  }
}
