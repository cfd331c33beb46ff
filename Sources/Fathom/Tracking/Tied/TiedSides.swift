import RealModule

/// On which side of the mirror between its few sources each tag of a tied smoother was, and when.
///
/// A tag that hears one anchor and one tag has two places at any time, mirror images of each other. The tracks
/// of both are smooth; where they meet, at the mirror, the tag may change from one to the other. The stretches
/// between such meetings make a chain: each has one of two sides, and the equations of the part between the
/// middles of neighbouring stretches, solved from each of the four starts, give the cost of their sides
/// together. The most likely sides, and the probability of the other side of every stretch, are those of that
/// chain [Rabiner 1989].
struct TiedSides<let N: Int> {
  /// The tracks of least cost on the most likely sides.
  private(set) var minimum: TiedRun<N>.Minimum
  private let problem: TiedProblem
  private let known: [Int]
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
  init(_ problem: TiedProblem, _ known: [Int], of minimum: TiedRun<N>.Minimum) {
    self.problem = problem
    self.known = known
    self.minimum = minimum
    for search in 1...Self.mostSearches {
      var hasChanged = false
      (views, stretches) = ([], [])
      for place in known.indices {
        views.append(self.minimum.run.views(of: place))
        stretches.append(stretches(of: place))
      }
      for place in known.indices where stretches[place].contains(where: \.isOpen) {
        let flips = likeliestSides(of: place)
        guard search < Self.mostSearches, flips.contains(true),
          let better = flipped(place, flips), better.cost < self.minimum.cost
        else { continue }
        self.minimum = better
        hasChanged = true
      }
      if !hasChanged { break }
    }
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
    let own = stretches[place]
    let costs = (0...own.count).map { pairCosts(of: place, before: $0) }
    // Messages of a chain of two states: from before and from after each stretch.
    var (forward, backward) = ([[Double]](), [[Double]]())
    var message = [0.0, 0.0]
    var decisions: [[Int]] = []
    var least = [0.0, 0.0]
    for (index, pair) in costs.enumerated() {
      let firsts = index == 0 ? [0] : [0, 1]
      message = (0...1).map { second in
        -Self.logSum(firsts.map { -message[$0] - pair[$0][second] })
      }
      decisions.append(
        (0...1).map { second in
          firsts.min { least[$0] + pair[$0][second] < least[$1] + pair[$1][second] } ?? 0
        })
      least = (0...1).map { second in
        let first = decisions[index][second]
        return least[first] + pair[first][second]
      }
      forward.append(message)
    }
    message = [0.0, 0.0]
    for pair in costs.reversed() {
      backward.insert(message, at: 0)
      message = (0...1).map { first in -Self.logSum((0...1).map { -message[$0] - pair[first][$0] })
      }
    }
    var sides = [Int](repeating: 0, count: own.count + 1)
    // The last piece ends after the last stretch, where the second side has no meaning.
    for index in stride(from: own.count, to: 0, by: -1) {
      sides[index - 1] = decisions[index][sides[index]]
    }
    for index in own.indices {
      let (one, other) = (
        forward[index][0] + backward[index][0], forward[index][1] + backward[index][1]
      )
      let odds = sides[index] == 0 ? other - one : one - other
      stretches[place][index].otherSide = 1 / (1 + .exp(min(700, max(-700, odds))))
    }
    return sides.dropLast().map { $0 == 1 }
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
    let part = problem.part(from: times[begin], until: end < times.count ? times[end] : nil)
    let change = border == 0 ? begin : border == own.count ? end : own[border].begin
    for first in firsts {
      for second in seconds {
        let flips = (begin..<end).map { $0 < change ? first == 1 : second == 1 }
        let profiles = profiles(of: place, at: begin..<end, flips)
        let run: TiedRun<N> = part.run(
          of: known, from: profiles, at: Array(times[begin..<end]))
        // The present sides need no proof, and always have a cost.
        let isPresent = first + second == 0
        guard let found = run.minimised(),
          isPresent || keepsSides(found.run, of: place, begin..<end, border, first, second)
        else {
          costs[first][second] = isPresent ? 0 : .infinity
          continue
        }
        costs[first][second] = found.cost + excess(of: found.run, place)
      }
    }
    return costs
  }

  /// Whether a solution of a part still has the intended sides in the middles of its two stretches.
  private func keepsSides(
    _ run: TiedRun<N>, of place: Int, _ range: Range<Int>, _ border: Int, _ first: Int,
    _ second: Int
  ) -> Bool {
    func isKept(_ index: Int, _ side: Int) -> Bool {
      guard let mirror = views[place][index].mirror else { return true }
      let before = mirror.distance(of: minimum.run.position(of: place, at: index))
      let after = mirror.distance(of: run.position(of: place, at: index - range.lowerBound))
      return (before * after > 0) == (side == 0)
    }
    return (border == 0 || isKept(range.lowerBound, first))
      && (border == stretches[place].count || isKept(range.upperBound - 1, second))
  }

  /// Returns minus the logarithm of the density of the farthest position outside of the box of a tag.
  private func excess(of run: TiedRun<N>, _ place: Int) -> Double {
    let configuration = run.runs[place].configuration
    guard let box = configuration.bounds else { return 0 }
    var farthest = 0.0
    for index in run.times.indices {
      let position = run.position(of: place, at: index)
      for axis in 0..<SmootherRun<N>.axes {
        farthest = max(farthest, box.lower[axis] - position[axis], position[axis] - box.upper[axis])
      }
    }
    let sigmas = farthest / configuration.errors.sigma
    return min(0.5 * sigmas * sigmas, 2 * RivalTracks.finalOdds)
  }

  /// Returns profiles of all tags from the present tracks at some instants, with those of a tag replaced by
  /// their images where `flips` says so.
  private func profiles(
    of place: Int, at range: Range<Int>, _ flips: [Bool]
  ) -> [ManoeuvreProfile] {
    var result = problem.tags.map { _ in ManoeuvreProfile() }
    for (other, tag) in known.enumerated() {
      let run = minimum.run.runs[other]
      result[tag].covarianceFactor = run.inflation
      if run.hasBias { result[tag].bias = run.common[0] }
      for (number, index) in range.enumerated() {
        var position = minimum.run.position(of: other, at: index)
        var velocity = minimum.run.velocity(of: other, at: index)
        if other == place, flips[number], let mirror = views[place][index].mirror {
          (position, velocity) = mirror.image(position, velocity)
        }
        result[tag].points.append(
          ManoeuvreProfile.Point(
            time: minimum.run.times[index], position: position, velocity: velocity,
            processNoiseRatio: index > 0 ? run.steps[index - 1].processNoiseRatio ?? 1 : 1))
      }
    }
    return result
  }

  /// Returns the tracks of least cost with some stretches of a tag on the other side.
  private func flipped(_ place: Int, _ flips: [Bool]) -> TiedRun<N>.Minimum? {
    let times = minimum.run.times
    var isFlipped = [Bool](repeating: false, count: times.count)
    for (stretch, flip) in zip(stretches[place], flips) where flip {
      for index in stretch.begin..<stretch.end { isFlipped[index] = true }
    }
    let profiles = profiles(of: place, at: times.indices, isFlipped)
    let run: TiedRun<N> = problem.run(of: known, from: profiles, at: times)
    return run.minimised()
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

  /// The logarithm of a sum of exponentials.
  private static func logSum(_ terms: [Double]) -> Double {
    let most = terms.max() ?? -.infinity
    guard most > -.infinity else { return -.infinity }
    return most + Double.log(terms.reduce(0) { $0 + Double.exp($1 - most) })
  }
}

/// What the sources of the ranges of a tag leave open.
private enum SourceView {
  /// A continuum of places.
  case continuum
  /// Two places, images in a mirror.
  case images(SourceMirror)
  /// One place.
  case place

  var mirror: SourceMirror? {
    if case .images(let mirror) = self { mirror } else { nil }
  }
}

/// Where a track is, seen from the mirror of its sources.
private enum Side {
  case left, right
  /// So near that the ranges do not tell the sides, or without enough ranges.
  case meeting
  /// The ranges leave only one place.
  case only
}

extension TiedRun {
  /// The position of a tag at an instant.
  fileprivate func position(of place: Int, at index: Int) -> Vector<3> {
    var position = Vector<3>.zero
    for axis in 0..<SmootherRun<N>.axes { position[axis] = runs[place].states[N * index + axis] }
    if SmootherRun<N>.axes == 2 { position[2] = runs[place].configuration.height ?? 0 }
    return position
  }

  fileprivate func velocity(of place: Int, at index: Int) -> Vector<3> {
    let axes = SmootherRun<N>.axes
    var velocity = Vector<3>.zero
    for axis in 0..<axes { velocity[axis] = runs[place].states[N * index + axes + axis] }
    return velocity
  }

  /// The sources of a tag with ranges of at most a second before each instant: anchors, and tags.
  private func sources(of place: Int) -> [(anchors: [Int], tags: [Int])] {
    var events: [(state: Int, anchor: Int?, tag: Int?)] = []
    for (index, state) in runs[place].knots.states.enumerated() where state >= 0 {
      events.append((Int(state), runs[place].ranges[index].anchor, nil))
    }
    for link in links where link.first == place || link.second == place {
      events.append((link.state, nil, link.first == place ? link.second : link.first))
    }
    events.sort { $0.state < $1.state }
    var (anchors, tags): ([Int: Int], [Int: Int]) = ([:], [:])
    var next = 0
    return times.indices.map { index in
      while next < events.count, events[next].state <= index {
        if let anchor = events[next].anchor { anchors[anchor] = index }
        if let tag = events[next].tag { tags[tag] = index }
        next += 1
      }
      func isRecent(_ last: Int) -> Bool {
        times[index].seconds(since: times[last]) <= Neighbour.recently
      }
      return (
        anchors.filter { isRecent($0.value) }.keys.sorted(),
        tags.filter { isRecent($0.value) }.keys.sorted()
      )
    }
  }

  /// What the sources of a tag leave open at every instant.
  ///
  /// Tags that depend on others are no sources: with the tag, they may be elsewhere together.
  fileprivate func views(of place: Int) -> [SourceView] {
    let axes = SmootherRun<N>.axes
    let all = runs.indices.map { sources(of: $0) }
    return times.indices.map { index in
      let fixed = all[place][index].anchors.map { runs[place].anchors[$0].position }
      let tags = all[place][index].tags.filter { all[$0][index].anchors.count >= axes }
      guard fixed.count + tags.count >= axes else { return .continuum }
      let mirror = SourceMirror(isLevel: axes == 2) { seconds in
        fixed
          + tags.map { tag in
            position(of: tag, at: index) + seconds * velocity(of: tag, at: index)
          }
      }
      return mirror.map { .images($0) } ?? .place
    }
  }

  /// Where a tag is at an instant.
  fileprivate func side(of place: Int, at index: Int, _ view: SourceView) -> Side {
    guard case .images(let mirror) = view else {
      if case .place = view { return .only }
      return .meeting
    }
    let position = position(of: place, at: index)
    let distance = mirror.distance(of: position)
    let sigma = runs[place].configuration.errors.sigma
    if distance * distance < mirror.reach(of: position, sigma: sigma) { return .meeting }
    return distance < 0 ? .left : .right
  }
}
