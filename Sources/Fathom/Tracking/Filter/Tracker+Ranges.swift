/// The processing of ranges by a started track.
extension Tracker {
  /// Predicts the estimate to `time` and updates it with one range; returns nil, without a change
  /// of the estimate by the range, if the update cannot be computed.
  mutating func advance(
    _ distance: Double, sigma: Double, anchor: Int, at time: Timestamp
  ) -> TrackUpdate.Outcome? {
    let elapsed = time.seconds(since: self.time)
    if configuration.odometry != nil, odometry.isOver(at: time) { mixture.endOdometry() }
    if configuration.inertial != nil, level.isOver(at: time) { mixture.endInertial() }
    if isGap(until: time) {
      mixture.hold(
        over: elapsed, followed: configuration.longestGap, speed: configuration.startVelocitySigma)
    } else {
      mixture.predict(over: elapsed)
    }
    if let height, elapsed > 0 { mixture.condition(on: height, over: elapsed) }
    self.time = time
    let position = ambiguity == nil ? .zero : mixture.position

    var link: Int?
    var isNewLink = false
    if errors.linkErrorVariance > 0 {
      let (index, isNew) = links.place(of: anchor, at: time)
      let surveyed = anchors[anchor].positionSigma ?? 0
      if isNew { mixture.introduceLink(index, surveyed: surveyed * surveyed) }
      link = index
      isNewLink = isNew
    }
    let variance = noiseFactor * errors.whiteVariance(of: sigma)
    let factor = errors.linkErrorFactor(of: sigma)
    guard
      let reading = mixture.condition(
        on: distance, variance: variance, anchor: anchors[anchor].position, link: link,
        factor: factor)
    else { return nil }

    let square = reading.normalizedSquare
    noiseScale.record(square)
    if configuration.calibratesCovariance { noiseFactor = noiseScale.factor }
    consistency.record(
      reading.residual / reading.variance.squareRoot(), anchor: anchor, at: time)
    if ambiguity != nil {
      if directions.hypotheses.isEmpty {
        resolve(
          distance, reading, anchor: (anchor, anchors[anchor].position), from: position)
      } else {
        compareRange(
          distance, reading, variance: variance, anchor: anchor, from: position,
          link: link.map { ($0, isNewLink) }, factor: factor)
      }
    }
    support(reading)
    if let persistent {
      ranged.add(anchor, at: time, position: mixture.position, persistent, anchors: anchors)
    }
    return TrackUpdate.Outcome(reading)
  }

  /// Switches to the mirror image if the ranges support it.
  private mutating func resolve(
    _ distance: Double, _ reading: TrackMixture.Reading,
    anchor: (index: Int, position: Vector<3>), from position: Vector<3>
  ) {
    let verdict = ambiguity?.record(
      distance, variance: reading.variance, anchor: anchor, position: position)
    guard let verdict, verdict != .undecided else { return }
    if verdict == .image, let ambiguity {
      mixture.reflect(in: ambiguity.centre, normal: ambiguity.normal)
      sideSwitch = (ambiguity, sideSwitch.count + 1)
    }
    ambiguity = nil
  }

  /// Records the reading of a difference, which supports the track as a range does.
  mutating func record(_ reading: TrackMixture.Reading, of difference: TimedDifference) {
    let anchor = difference.second
    arrived[difference.first] = time
    arrived[anchor] = time
    noiseScale.record(reading.normalizedSquare)
    if configuration.calibratesCovariance { noiseFactor = noiseScale.factor }
    consistency.record(
      reading.residual / reading.variance.squareRoot(), anchor: anchor, at: time)
    support(reading, isRange: false)
  }

  /// Takes note of a measurement that supports the track.
  @inline(__always)
  mutating func support(_ reading: TrackMixture.Reading, isRange: Bool = true) {
    if isRange, let region { keep(in: region) }
    let square = reading.normalizedSquare
    outlierStreak = square > 16 ? outlierStreak + 1 : 0
    if outlierStreak == 10 {
      mixture.widen(by: 2)
      outlierStreak = 0
    }
    lastRange = time
    isInterrupted = false
    normalizedSquare = square
    self.reading = reading
  }

  /// Returns the slot of the error of a link, which is introduced if it is new.
  mutating func slot(of anchor: Int, at time: Timestamp) -> Int {
    let (index, isNew) = links.place(of: anchor, at: time)
    guard isNew else { return index }
    let surveyed = anchors[anchor].positionSigma ?? 0
    mixture.introduceLink(index, surveyed: surveyed * surveyed)
    if !directions.hypotheses.isEmpty {
      directions.hypotheses[0].mixture.introduceLink(index, surveyed: surveyed * surveyed)
    }
    return index
  }
}

/// What is known about the place of the tag.
extension Tracker {
  /// Counts a new anchor, and finds the region again for the anchors with ranges.
  ///
  /// With many anchors only after an eighth more, so that the cost over all anchors stays linear.
  @inline(never)
  mutating func countAnchor(_ anchor: Int) {
    rangedAnchors += 1
    guard rangedAnchors >= regionIsDue else { return }
    regionIsDue = rangedAnchors + max(1, rangedAnchors / 8)
    let measured = anchors.indices.filter { latest[$0] != nil || $0 == anchor }
    region = TagRegion(of: measured.map { anchors[$0].position }, configuration)
  }

  /// Replaces a track outside of the region by its mirror image if that is inside.
  ///
  /// Close to the plane of the anchors the ranges hardly determine the distance from it, so that a
  /// track can cross the plane and then follow the image.
  @inline(never)
  private mutating func keep(in region: TagRegion) {
    if let mirror = region.mirror(for: mixture.position) {
      mixture.reflect(in: mirror.centre, normal: mirror.normal)
    }
    if let plane = region.openPlane { watch(plane, in: region) }
  }

  /// Calls the track ambiguous once it has come close to the plane of its anchors.
  ///
  /// Within two standard deviations of the plane, a track that crosses it and one that turns back
  /// explain the ranges alike. It is not asked again before the track has been three away.
  private mutating func watch(_ plane: AnchorPlane, in region: TagRegion) {
    let place = mixture.place(along: plane.normal)
    let distance = place.value - plane.centre.dot(plane.normal)
    let square = distance * distance
    if square > 9 * place.variance { isAwayFromPlane = true }
    guard square < 4 * place.variance, isAwayFromPlane else { return }
    isAwayFromPlane = false
    if ambiguity == nil, region.contains(plane.image(of: mixture.position)) {
      ambiguity = MirrorAmbiguity(at: plane, anchorCount: anchors.count)
    }
  }
}
