/// What the sources of the ranges of a tag leave open.
enum SourceView {
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
enum Side {
  case left, right
  /// So near that the ranges do not tell the sides, or without enough ranges.
  case meeting
  /// The ranges leave only one place.
  case only
}

extension JointRun {
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
  func views(of place: Int) -> [SourceView] {
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
  func side(of place: Int, at index: Int, _ view: SourceView) -> Side {
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
