import RealModule

/// What a tracker does with all its hypotheses.
extension Tracker {
  /// Updates all hypotheses by `body`, without evidence between them.
  mutating func update(_ body: (inout TrackFilter) -> Void) {
    body(&leading)
    for index in hypotheses.others.indices { body(&hypotheses.others[index].filter) }
  }

  /// Updates the competing hypotheses by `body` with a measurement that the leading one has processed, and
  /// compares their readings.
  ///
  /// `source` is nil if the errors of the measurement do not persist; `place` is where it is, in
  /// metres.
  @inline(never)
  mutating func compare(
    _ source: HypothesisEvidence.Source?, at place: Vector<3> = .zero,
    _ body: (inout TrackFilter) -> Void
  ) {
    let position = leading.mixture.position
    let offset = position - place
    let persistent = configuration.errors.comparedPersistentVariance
    for index in hypotheses.others.indices {
      body(&hypotheses.others[index].filter)
      guard let own = leading.reading, let other = hypotheses.others[index].filter.reading else {
        continue
      }
      // Of an image, what the places say differently: its filter may also differ from the image for a while.
      let apart = hypotheses.others[index].mirror.map {
        offset.length - ($0.image(of: position) - place).length
      }
      hypotheses.others[index].evidence.record(
        own, against: other, source: source, offset: offset,
        difference: apart ?? own.residual - other.residual, persistent: persistent)
    }
    hypotheses.settle(&leading)
    if hypotheses.merge(leading, at: time) { crossing = PlaneCrossing() }
  }

  /// Adds the image of the leading track in a mirror as a hypothesis.
  mutating func add(in mirror: Mirror, evidence: HypothesisEvidence) {
    var image = leading
    image.reflect(in: mirror)
    hypotheses.add(image, evidence: evidence, mirror: mirror, from: hypotheses.identity)
  }

  // MARK: Crossing the plane of the anchors

  /// Begins to follow the image of a track that has come close to the plane of its anchors.
  ///
  /// Within two standard deviations of the plane, a track that crosses it and one that turns back
  /// explain the ranges alike. It is not asked again before the track has been three away.
  @inline(never)
  mutating func watchCrossing() {
    guard let openPlane, crossing.begins(leading.mixture, at: openPlane, time: time) else {
      return
    }
    let isLevel = configuration.exactHeight != nil
    let places = anchors.indices.filter { latest[$0] != nil }.map { anchors[$0].position }
    guard let mirror = SourceMirror(isLevel: isLevel, { _ in places }) else { return }
    let count = hypotheses.others.count
    branch(in: mirror, of: openPlane.mirror)
    if hypotheses.others.count > count { crossing.hasBegun() }
  }

  // MARK: Branches

  /// Begins to follow the image of every track in a mirror, where it may already be; in `plane` if that is at
  /// rest.
  mutating func branch(in mirror: SourceMirror, of plane: Mirror? = nil) {
    for track in tracks { split(track, at: mirror, of: plane) }
    for track in tracks { branch(from: track, in: mirror, of: plane) }
  }

  /// All hypotheses, the leading one first.
  private var tracks: [TrackHypotheses.Hypothesis] {
    [
      TrackHypotheses.Hypothesis(
        filter: leading, evidence: HypothesisEvidence(), outside: hypotheses.outside,
        identity: hypotheses.identity, origin: hypotheses.origin)
    ] + hypotheses.others
  }

  /// Splits a track on the mirror that is wider than ranges can be linearised.
  ///
  /// There they have no gradient across it, so that the filter would stay on the mirror while the tag leaves.
  private mutating func split(
    _ track: TrackHypotheses.Hypothesis, at mirror: SourceMirror, of plane: Mirror?
  ) {
    let mixture = track.filter.mixture
    let (distance, variance) = mirror.distance(of: mixture)
    let sigma = track.filter.noiseFactor.squareRoot() * leading.errors.sigma
    guard distance * distance < variance,
      variance > mirror.reach(of: mixture.position, sigma: sigma)
    else { return }
    let halves = mirror.split(mixture)
    let (own, other) = distance < 0 ? (halves.1, halves.0) : halves
    if track.identity == hypotheses.identity {
      leading.mixture = own
    } else if let index = hypotheses.others.firstIndex(where: { $0.identity == track.identity }) {
      hypotheses.others[index].filter.mixture = own
    }
    var filter = track.filter
    filter.mixture = other
    guard hypotheses.isDistinct(filter, from: leading) else { return }
    // The odds of the halves of the distribution.
    let beyond = Double.erfc((0.5 * distance * distance / variance).squareRoot())
    let prior = track.evidence.total + Double.log((2 - beyond) / beyond)
    hypotheses.add(
      filter, evidence: HypothesisEvidence(prior: prior), mirror: plane, outside: track.outside,
      from: track.identity)
  }

  /// Begins to follow the image of a track near the mirror.
  ///
  /// A track that comes close to the mirror may leave it on either side. Its distribution then contains the
  /// image, with a density that is smaller by the Mahalanobis distance between both.
  private mutating func branch(
    from track: TrackHypotheses.Hypothesis, in mirror: SourceMirror, of plane: Mirror?
  ) {
    var image = track.filter
    mirror.reflect(&image.mixture)
    image.mixture.forgetHeading()
    let position = image.mixture.position
    if let region = leading.region,
      region.isOnWrongSide(position) || region.mirror(for: position) != nil
    {
      return
    }
    let state = track.filter.mixture.kinematics
    let square = image.mixture.kinematics.mahalanobis(from: state, state.covariance)
    guard let square, square < Self.farthestBranch else { return }
    let prior = track.evidence.total + 0.5 * min(square, Self.mostBranchSquare)
    guard prior + track.outside - hypotheses.outside < TrackHypotheses.finalOdds,
      hypotheses.isDistinct(image, from: leading)
    else { return }
    hypotheses.add(
      image, evidence: HypothesisEvidence(prior: prior), mirror: plane, outside: track.outside,
      from: track.identity)
  }

  /// The squared Mahalanobis distance between a track and its image up to which the track may be there.
  private static let farthestBranch = 24.0
  /// The largest part of the squared Mahalanobis distance between a track and its image that counts against
  /// the image: the ranges that made the track precise say the same of both.
  private static let mostBranchSquare = 4.0
}

/// Whether a track has come to the plane of its anchors since it was last away from it.
struct PlaneCrossing: Sendable {
  private var isAway = true
  /// The time from which a track on the plane, whose image is no other track yet, is asked again.
  private var due = Timestamp(nanoseconds: .min)

  /// The time between two questions, in seconds: less than a fast tag takes to leave the plane.
  private static let interval = 0.1
  /// The distances from the plane within which a track is close, and beyond which it is away, in standard
  /// deviations.
  private static let (close, away) = (2.0, 3.0)

  /// Returns whether a track comes close to a plane.
  mutating func begins(_ track: TrackMixture, at plane: AnchorPlane, time: Timestamp) -> Bool {
    let place = track.place(along: plane.normal)
    let distance = place.value - plane.centre.dot(plane.normal)
    let square = distance * distance
    if square > Self.away * Self.away * place.variance { isAway = true }
    guard isAway, square < Self.close * Self.close * place.variance, time >= due else {
      return false
    }
    due = time.advanced(bySeconds: Self.interval)
    return true
  }

  /// Notes that the image of the track is followed.
  mutating func hasBegun() { isAway = false }
}
