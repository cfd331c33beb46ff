/// The start of a tied smoother: the approximate path of every tag, from tied trackers that process the whole
/// recording forwards and backwards.
struct TiedProfile {
  /// The profile of each tag; without points for a tag that never had a track.
  private(set) var profiles: [ManoeuvreProfile]

  init(_ problem: TiedProblem) {
    let entries = Self.entries(problem)
    let forward = TiedPass(problem, entries, isReversed: false)
    let backward = TiedPass(problem, entries, isReversed: true)
    profiles = problem.tags.indices.map { tag in
      let ratio = problem.tags[tag].configuration.modes.processNoiseRatio
      let noise = zip(forward.odds[tag], backward.odds[tag]).map { early, late in
        let product = early * late
        let highNoise = product.isFinite ? product / (1 + product) : 1
        return ((1 - highNoise) / (ratio * ratio) + highNoise * ratio * ratio).squareRoot()
      }
      return Self.profile(
        forward.path(of: tag), else: backward.path(of: tag), entries, noise,
        forward.trackers.trackers[tag])
    }
  }

  /// Returns the profile of a tag from its path in one direction, and that in the other where the first has
  /// not begun.
  private static func profile(
    _ path: [TrackPaths.Point?], else other: [TrackPaths.Point?], _ entries: [TiedPass.Entry],
    _ noise: [Double], _ tracker: Tracker
  ) -> ManoeuvreProfile {
    var profile = ManoeuvreProfile()
    for (number, entry) in entries.enumerated() {
      let points = [path, other].compactMap { number < $0.count ? $0[number] : nil }
      guard let point = points.first else { continue }
      profile.points.append(
        ManoeuvreProfile.Point(
          time: entry.time, position: point.position, velocity: point.velocity,
          processNoiseRatio: noise[number]))
    }
    let factor = tracker.leading.rangeFactor
    profile.covarianceFactor =
      tracker.leading.errors.anchorSurveyVariance > 0 ? max(1, factor) : factor
    profile.bias = tracker.bias?.value ?? 0
    profile.scale = tracker.scale?.value ?? 0
    return profile
  }

  /// All measurements in order of time; of one instant, ranges to anchors first.
  private static func entries(_ problem: TiedProblem) -> [TiedPass.Entry] {
    var entries: [TiedPass.Entry] = []
    for (tag, one) in problem.tags.enumerated() {
      for index in one.ranges.indices {
        entries.append(
          TiedPass.Entry(
            time: one.ranges[index].time, tag: tag, index: index, isTagRange: false))
      }
    }
    for index in problem.between.indices {
      let range = problem.between[index]
      entries.append(
        TiedPass.Entry(time: range.time, tag: range.first, index: index, isTagRange: true))
    }
    entries.sort {
      ($0.time, $0.isTagRange ? 1 : 0, $0.tag, $0.index)
        < ($1.time, $1.isTagRange ? 1 : 0, $1.tag, $1.index)
    }
    return entries
  }
}

/// One pass of tied trackers over all measurements, with the paths of all their tracks.
struct TiedPass {
  /// A measurement: its time, its tag, and its place among those of its kind.
  struct Entry {
    var time: Timestamp
    var tag: Int
    var index: Int
    var isTagRange: Bool
  }

  private(set) var trackers: TiedTrackers
  /// The odds of the high-noise mode of every tag after each measurement; 1 before the start.
  private(set) var odds: [[Double]]
  private var paths: [TrackPaths]
  private let count: Int

  /// Processes the measurements of `entries`, in order of time, from the last one if `isReversed`.
  init(_ problem: TiedProblem, _ entries: [Entry], isReversed: Bool) {
    trackers = TiedTrackers(
      problem.tags.map { tag in
        var configuration = tag.configuration
        // They widen covariances only, which the profile does not have.
        configuration.errors.persistentSigma = 0
        configuration.errors.remainingBiasSigma = 0
        return Tracker(among: tag.anchors, validated: configuration)
      })
    count = entries.count
    odds = problem.tags.map { _ in Array(repeating: 1, count: entries.count) }
    paths = problem.tags.map { _ in TrackPaths() }
    var interruptions = problem.tags.map {
      isReversed ? $0.interruptions.reversed() : $0.interruptions
    }
    func axis(_ time: Timestamp) -> Timestamp { isReversed ? time.reversed : time }
    for number in isReversed ? Array(entries.indices.reversed()) : Array(entries.indices) {
      let entry = entries[number]
      let time = axis(entry.time)
      let isUsed = !entry.isTagRange || problem.isUsed[entry.index]
      let tags =
        entry.isTagRange && isUsed ? [entry.tag, problem.between[entry.index].second] : [entry.tag]
      for tag in tags {
        while let next = interruptions[tag].first, axis(next) <= time {
          trackers.interrupt(tag)
          interruptions[tag].removeFirst()
        }
      }
      guard isUsed else { continue }
      if entry.isTagRange {
        var range = problem.between[entry.index]
        range.time = time
        trackers.update(range)
      } else {
        var range = problem.tags[entry.tag].ranges[entry.index]
        range.time = time
        trackers.update(range, of: entry.tag)
      }
      for tag in tags { record(tag, number, at: time, isReversed: isReversed) }
    }
  }

  /// Records all tracks of a tag after a measurement.
  private mutating func record(_ tag: Int, _ number: Int, at time: Timestamp, isReversed: Bool) {
    var tracker = trackers.trackers[tag]
    guard tracker.isTracking, time >= tracker.time else { return }
    if let lowNoise = tracker.lowNoiseProbability, lowNoise < 1 {
      odds[tag][number] = (1 - lowNoise) / lowNoise
    }
    let estimate = tracker.leading.estimate(at: time)
    paths[tag].add(&tracker, estimate, number: number, at: time, sign: isReversed ? -1 : 1)
  }

  /// The path of the likeliest track of a tag in the end, with a point or nil for every measurement.
  func path(of tag: Int) -> [TrackPaths.Point?] {
    paths[tag].path(of: trackers.trackers[tag].hypotheses.likeliest, count: count)
  }
}
