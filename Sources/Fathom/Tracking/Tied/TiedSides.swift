import RealModule

/// On which side of the mirror between its few sources each tag of a tied smoother was, and when.
///
/// A tag that hears one anchor and one tag has two places at any time, mirror images of each other. The tracks
/// of both are smooth; where they meet, at the mirror, the tag may change from one to the other. The stretches
/// between such meetings make a chain: each has one of two sides, and the equations of the part between the
/// middles of neighbouring stretches, solved from each of the four starts with the other tags where they are,
/// give the cost of their sides together. The most likely sides, and the probability of the other side of every
/// stretch, are those of that chain; see ``SideChain``.
struct TiedSides<let N: Int> {
  /// The tracks of least cost on the most likely sides.
  private(set) var minimum: SmootherSolution<N>
  private let problem: TiedProblem
  private let known: [Int]
  /// The tracks of tags that never lack sources, without the ranges to other tags.
  ///
  /// In the joint solution they have adapted to the present sides of the others, which would favour those.
  private var alone: [JointRun<N>?] = []
  /// The stretches of each of the known tags.
  private var stretches: [[Stretch]] = []
  /// What the sources of each known tag leave open at every instant.
  private var views: [[SourceView]] = []

  /// A stretch between two meetings.
  private struct Stretch {
    /// The first instant, and that after the last one.
    var begin: Int
    var end: Int
    /// Whether the image explains the ranges alike.
    var isOpen: Bool
    /// The probability of the other side.
    var otherSide = 0.0

    /// The instant farthest from the mirror.
    var middle: Int
  }

  /// The number of searches for better sides.
  private static var mostSearches: Int { 3 }

  /// Finds the sides for the tracks of the tags at the indices `known`.
  init(_ problem: TiedProblem, _ known: [Int], of minimum: SmootherSolution<N>) {
    self.problem = problem
    self.known = known
    self.minimum = minimum
    for search in 1...Self.mostSearches {
      (views, stretches) = ([], [])
      for place in known.indices {
        views.append(self.minimum.run.views(of: place))
        stretches.append(stretches(of: place))
      }
      if search == 1 { alone = known.indices.map { trackAlone(of: $0) } }
      let flips = known.indices.map { place in
        stretches[place].contains(where: \.isOpen) ? likeliestSides(of: place) : []
      }
      guard search < Self.mostSearches, self.minimum.isConverged,
        flips.contains(where: { $0.contains(true) }),
        let better = flipped(flips), better.cost < self.minimum.cost
      else { break }
      self.minimum = better
    }
  }

  /// Returns the track of a tag that never lacks sources, without the ranges to other tags; nil for others.
  private func trackAlone(of place: Int) -> JointRun<N>? {
    guard !stretches[place].contains(where: \.isOpen), known.count > 1 else { return nil }
    let times = minimum.run.times
    var profiles = problem.tags.map { _ in ManoeuvreProfile() }
    profiles[known[place]] = profile(
      of: place, at: times.indices, Array(repeating: false, count: times.count))
    let run: JointRun<N> = problem.run(of: [known[place]], from: profiles, at: times)
    return run.solved()?.run
  }

  /// Returns the stretches of a tag.
  private func stretches(of place: Int) -> [Stretch] {
    let count = minimum.run.times.count
    var result: [Stretch] = []
    var (lastSide, meeting, farthest) = (Side.meeting, 0, 0.0)
    for index in 0..<count {
      let side = minimum.run.side(of: place, at: index, views[place][index])
      if side == .meeting { continue }
      if side != lastSide || index > meeting + 1 {
        // The middle of the meeting belongs to both.
        let border = result.isEmpty ? 0 : (meeting + 1 + index) / 2
        if !result.isEmpty { result[result.count - 1].end = border }
        result.append(
          Stretch(begin: border, end: count, isOpen: side != .only, middle: index))
        farthest = 0
      }
      let distance =
        views[place][index].mirror?.distance(of: minimum.run.position(of: place, at: index)) ?? 0
      if distance.magnitude > farthest {
        farthest = distance.magnitude
        result[result.count - 1].middle = index
      }
      (lastSide, meeting) = (side, index)
    }
    return result
  }

  /// Returns which stretches of a tag are more likely on the other side, and records the probability of the
  /// side that is not likeliest of each.
  private mutating func likeliestSides(of place: Int) -> [Bool] {
    let count = stretches[place].count
    let chain = SideChain(costs: (0...count).map { pairCosts(of: place, before: $0) })
    for index in 0..<count { stretches[place][index].otherSide = chain.otherSides[index] }
    return chain.flips
  }

  /// Returns the costs of the part between the middles of the stretches before and after a border, for both
  /// sides of the first and of the second; infinite for sides that do not exist.
  private func pairCosts(of place: Int, before border: Int) -> [[Double]] {
    let (own, times) = (stretches[place], minimum.run.times)
    let begin = border == 0 ? 0 : own[border - 1].middle
    let end = border == own.count ? times.count : own[border].middle
    var costs = [[0.0, Double.infinity], [Double.infinity, .infinity]]
    let firsts = border > 0 && own[border - 1].isOpen ? [0, 1] : [0]
    // Without a second stretch its side has no meaning.
    let seconds = border < own.count && own[border].isOpen ? [0, 1] : [0]
    guard firsts.count + seconds.count > 2 else { return costs }
    guard end > begin else {
      for first in firsts {
        for second in seconds { costs[first][second] = 0 }
      }
      return costs
    }
    let tag = known[place]
    let part = problem.part(
      of: tag, from: times[begin], until: end < times.count ? times[end] : nil)
    let change = border == 0 ? begin : border == own.count ? end : own[border].begin
    for first in firsts {
      for second in seconds {
        let flips = (begin..<end).map { $0 < change ? first == 1 : second == 1 }
        var profiles = problem.tags.map { _ in ManoeuvreProfile() }
        profiles[tag] = profile(of: place, at: begin..<end, flips)
        let run: JointRun<N> = part.run(
          of: [tag], from: profiles, at: Array(times[begin..<end]), among: place(of:at:))
        // The present sides need no proof, and always have a cost.
        let isPresent = first + second == 0
        guard let found = run.solved(),
          isPresent || keepsSides(found.run, place, begin..<end, border, (first, second))
        else {
          costs[first][second] = isPresent ? 0 : .infinity
          continue
        }
        costs[first][second] = found.cost + excess(of: found.run)
      }
    }
    return costs
  }

  /// Returns where a tag was: by its own ranges if they suffice, otherwise by the present tracks.
  private func place(of tag: Int, at time: Timestamp) -> Vector<3>? {
    guard let place = known.firstIndex(of: tag) else { return nil }
    return alone[place]?.position(of: 0, at: time) ?? minimum.run.position(of: place, at: time)
  }

  /// Whether the solution of a part still has the intended sides in the middles of its two stretches.
  private func keepsSides(
    _ run: JointRun<N>, _ place: Int, _ range: Range<Int>, _ border: Int, _ sides: (Int, Int)
  ) -> Bool {
    func isKept(_ index: Int, _ side: Int) -> Bool {
      guard let mirror = views[place][index].mirror else { return true }
      let before = mirror.distance(of: minimum.run.position(of: place, at: index))
      let after = mirror.distance(of: run.position(of: 0, at: index - range.lowerBound))
      return (before * after > 0) == (side == 0)
    }
    return (border == 0 || isKept(range.lowerBound, sides.0))
      && (border == stretches[place].count || isKept(range.upperBound - 1, sides.1))
  }

  /// Returns minus the logarithm of the density of the farthest position outside of the box of a tag.
  private func excess(of run: JointRun<N>) -> Double {
    let configuration = run.runs[0].configuration
    guard let box = configuration.bounds else { return 0 }
    var farthest = 0.0
    for index in run.times.indices {
      let position = run.position(of: 0, at: index)
      for axis in 0..<SmootherRun<N>.axes {
        farthest = max(farthest, box.lower[axis] - position[axis], position[axis] - box.upper[axis])
      }
    }
    let sigmas = farthest / configuration.errors.sigma
    return min(0.5 * sigmas * sigmas, 2 * TrackHypotheses.finalOdds)
  }

  /// Returns the profile of a tag from its present track at some instants, with its images where `flips` says
  /// so.
  private func profile(
    of place: Int, at range: Range<Int>, _ flips: [Bool]
  ) -> ManoeuvreProfile {
    let run = minimum.run.runs[place]
    var profile = ManoeuvreProfile()
    profile.covarianceFactor = run.inflation
    if run.hasBias { (profile.bias, profile.scale) = (run.bias, run.scale) }
    for (number, index) in range.enumerated() {
      var position = minimum.run.position(of: place, at: index)
      var velocity = minimum.run.velocity(of: place, at: index)
      if flips[number], let mirror = views[place][index].mirror {
        (position, velocity) = mirror.image(position, velocity)
      }
      profile.points.append(
        ManoeuvreProfile.Point(
          time: minimum.run.times[index], position: position, velocity: velocity,
          processNoiseRatio: index > 0 ? run.steps[index - 1].processNoiseRatio ?? 1 : 1))
    }
    return profile
  }

  /// Returns the tracks of least cost with some stretches of each tag on the other side.
  private func flipped(_ flips: [[Bool]]) -> SmootherSolution<N>? {
    let times = minimum.run.times
    var profiles = problem.tags.map { _ in ManoeuvreProfile() }
    for place in known.indices {
      var isFlipped = [Bool](repeating: false, count: times.count)
      for (stretch, flip) in zip(stretches[place], flips[place]) where flip {
        for index in stretch.begin..<stretch.end { isFlipped[index] = true }
      }
      profiles[known[place]] = profile(of: place, at: times.indices, isFlipped)
    }
    let run: JointRun<N> = problem.run(of: known, from: profiles, at: times)
    return run.solved()
  }

  /// Returns a track with what the other sides of its stretches say, by their probabilities.
  func adding(to track: SmoothedTrack, of place: Int) -> SmoothedTrack {
    var track = track
    let times = minimum.run.times
    var (state, stretch) = (0, 0)
    for index in track.estimates.indices {
      let estimate = track.estimates[index]
      while state + 1 < times.count, times[state + 1] <= estimate.time { state += 1 }
      while stretch + 1 < stretches[place].count, stretches[place][stretch].end <= state {
        stretch += 1
      }
      guard stretch < stretches[place].count, let mirror = views[place][state].mirror else {
        continue
      }
      let share = stretches[place][stretch].otherSide
      guard share > 0 else { continue }
      var image = estimate
      image.position = mirror.image(of: estimate.position)
      track.estimates[index].add(
        [(odds: Double.log((1 - share) / share), estimate: image)],
        isSupported: estimate.status == .tracking)
    }
    return track
  }
}
