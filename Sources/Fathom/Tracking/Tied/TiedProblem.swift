/// The input of a tied smoother.
struct TiedProblem {
  var tags: [SmootherProblem]
  var between: [TagRange]
  /// Whether each of the ranges between tags is usable, and no repeated reading.
  private(set) var isUsed: [Bool] = []
  private(set) var isRepeated: [Bool] = []
  /// The variance of an independent error with the same effect, of each range between tags, in m².
  private(set) var effective: [Double] = []

  init(_ tags: [TiedSmoother.Tag], between: [TagRange]) {
    self.tags = tags.map { tag in
      var sensors = tag.sensors
      (sensors.odometry, sensors.inertial) = ([], [])
      var configuration = tag.smoother.configuration
      (configuration.odometry, configuration.inertial) = (nil, nil)
      return SmootherProblem(
        tag.ranges, sensors: sensors, interruptions: tag.interruptions,
        anchors: tag.smoother.anchors, configuration: configuration)
    }
    self.between = between
    var pairs = TagPairHistory(count: tags.count)
    var intervals: [Int: [Double]] = [:]
    func key(_ range: TagRange) -> Int {
      min(range.first, range.second) * tags.count + max(range.first, range.second)
    }
    for range in between {
      let isUsable = range.isUsable(among: tags.count)
      let interval =
        isUsable
        ? pairs.interval(of: range, tags[range.first].smoother.configuration.errors) : nil
      isUsed.append(interval != nil)
      isRepeated.append(isUsable && interval == nil)
      if let interval, interval.isFinite { intervals[key(range), default: []].append(interval) }
    }
    let medians = intervals.mapValues { $0.sorted()[$0.count / 2] }
    for (index, range) in between.enumerated() {
      guard isUsed[index] else {
        effective.append(1)
        continue
      }
      effective.append(
        tags[range.first].smoother.configuration.errors.variance(
          ofTagRange: range.sigma, interval: medians[key(range)] ?? 10))
    }
  }

  /// Returns the tracks; nil if the equations are too large.
  func tracks<let N: Int>(_ kind: SmootherRun<N>.Type) -> TiedSmoother.Tracks? {
    let profiles = TiedProfile(self).profiles
    let known = tags.indices.filter { !profiles[$0].points.isEmpty }
    var result = TiedSmoother.Tracks(
      tracks: tags.map { _ in nil },
      verdicts: isRepeated.map { $0 ? .duplicate : .invalid })
    guard !known.isEmpty else { return result }
    let run: JointRun<N> = run(of: known, from: profiles, at: times(of: known))
    guard run.storage <= TiedSmoother.mostStorage else { return nil }
    guard let first = run.solved() else { return result }
    let sides = TiedSides(self, known, of: first)
    let solution = sides.minimum
    var equations = solution.run.emptyEquations
    for (place, track) in solution.tracks(in: &equations).enumerated() {
      result.tracks[known[place]] = sides.adding(to: track, of: place)
    }
    for link in run.links { result.verdicts[link.index] = solution.run.verdict(link) }
    return result
  }

  /// Returns a run over the instants `times`.
  ///
  /// `known` are the indices of its tags, `profiles` the starts of all tags. `places` returns where
  /// other tags were, by index and time; nil without such tags.
  func run<let N: Int>(
    of known: [Int], from profiles: [ManoeuvreProfile], at times: [Timestamp],
    among places: (Int, Timestamp) -> Vector<3>? = { _, _ in nil }
  ) -> JointRun<N> {
    let runs = known.map { tag in
      SmootherRun<N>(
        tags[tag].ranges, sensors: tags[tag].sensors, interruptions: tags[tag].interruptions,
        anchors: tags[tag].anchors, configuration: tags[tag].configuration,
        profile: profiles[tag], instants: times
      ).withOffsets
    }
    // The more tags, the longer a step takes, and the sooner data that contradict each other are left.
    return JointRun(
      runs: runs, links: links(of: known, at: times, among: places),
      longestSearch: max(20, 200 / max(1, runs.count)))
  }

  /// Returns the part of the problem from one instant until before another, with the measurements of one tag.
  func part(of own: Int, from begin: Timestamp, until end: Timestamp?) -> Self {
    func contains(_ time: Timestamp) -> Bool { time >= begin && end.map { time < $0 } ?? true }
    var part = self
    var sensors = tags[own].sensors
    sensors.heights.removeAll { !contains($0.time) }
    sensors.differences.removeAll { !contains($0.time) }
    part.tags[own] = SmootherProblem(
      tags[own].ranges.filter { contains($0.time) }, sensors: sensors,
      interruptions: tags[own].interruptions.filter(contains), anchors: tags[own].anchors,
      configuration: tags[own].configuration)
    let kept = between.indices.filter {
      contains(between[$0].time) && (between[$0].first == own || between[$0].second == own)
    }
    part.between = kept.map { between[$0] }
    part.isUsed = kept.map { isUsed[$0] }
    part.isRepeated = kept.map { isRepeated[$0] }
    part.effective = kept.map { effective[$0] }
    return part
  }

  /// Returns the usable ranges of the tags at the indices `known` to each other, and to tags at given places.
  private func links<let N: Int>(
    of known: [Int], at times: [Timestamp], among places: (Int, Timestamp) -> Vector<3>?
  ) -> [JointRun<N>.Link] {
    var links: [JointRun<N>.Link] = []
    var next = 0
    for (index, range) in between.enumerated() where isUsed[index] {
      var ends = (known.firstIndex(of: range.first), known.firstIndex(of: range.second))
      var place: Vector<3>?
      if ends.0 == nil || ends.1 == nil {
        place = places(ends.0 == nil ? range.first : range.second, range.time)
        if place == nil { continue }
      }
      if ends.0 == nil { swap(&ends.0, &ends.1) }
      guard let first = ends.0 else { continue }
      while next + 1 < times.count, times[next + 1] <= range.time { next += 1 }
      let sigma = range.sigma ?? tags[range.first].configuration.errors.sigma
      links.append(
        JointRun<N>.Link(
          index: index, state: next, first: first, second: ends.1, place: place ?? .zero,
          time: range.time, distance: range.distance, single: sigma * sigma,
          effective: effective[index]))
    }
    return links
  }

  /// The instants of the joint states: those of the ranges, time differences and ranges between tags of the
  /// tags at the indices `known`, apart by more than 20 ms.
  private func times(of known: [Int]) -> [Timestamp] {
    var all: [Timestamp] = []
    for tag in known {
      let anchors = tags[tag].anchors
      for range in tags[tag].ranges where anchors.indices.contains(range.anchor) && range.isUsable {
        all.append(range.time)
      }
      all += tags[tag].sensors.differences.map(\.time)
    }
    for index in between.indices where isUsed[index] { all.append(between[index].time) }
    all.sort()
    var times: [Timestamp] = []
    for time in all
    where times.last.map({ time.seconds(since: $0) > SmootherKnots.spacing }) ?? true {
      times.append(time)
    }
    return times
  }
}
