import RealModule

/// The competing tracks of a tag, while its measurements leave more than one.
///
/// Each is a complete tracker that processes the same measurements. The differences of their
/// log-likelihoods are the evidence between them; the likeliest leads. Unlike a ``MirrorAmbiguity``, it
/// may be any set of tracks: the mirror between an anchor and a tag that moves turns, so that the images
/// are no images of each other for long.
struct RivalTracks: Sendable {
  /// A track that competes with the leading one.
  struct Rival: Sendable {
    var tracker: Tracker
    /// The evidence for the leading track against this one.
    var evidence = 0.0
    /// How far the track has been outside of the box, as minus the logarithm of a probability.
    var outside = 0.0
    /// The number of the track, and that of the one from which it branched.
    var identity: Int
    var origin: Int
  }

  /// The competing tracks.
  var others: [Rival] = []
  /// How far the leading track has been outside of the box.
  var outside = 0.0
  /// The number of the leading track, and that of the one from which it branched; -1 for none.
  private(set) var identity = 0
  private(set) var origin = -1
  private var next = 1
  /// The tags with recent ranges.
  var neighbours: [Neighbour] = []

  /// Whether there is only one track.
  var isEmpty: Bool { others.isEmpty }

  /// The share of the differences of log-likelihoods that counts: the errors of ranges last, so that the next
  /// range repeats half of what the last one said.
  static let evidenceShare = 0.5
  /// The largest difference of one range, so that a single outlier cannot decide.
  static let mostEvidence = 2.0
  /// The evidence against a rival at which it is no longer reported; 400 to 1.
  static let decisiveOdds = MirrorAmbiguity.decisiveOdds
  /// The evidence at which it is given up: twice as much, since the errors of ranges last.
  static let finalOdds = 2 * MirrorAmbiguity.decisiveOdds
  /// The largest number of competing tracks.
  static let mostTracks = 3

  /// Returns the logarithm of the odds of the leading track against a competing one.
  func odds(_ rival: Rival) -> Double { rival.evidence + rival.outside - outside }

  /// Returns all tracks, of which `leader` is the leading one.
  func all(behind leader: Tracker) -> [Rival] {
    var first = leader
    first.rivals = RivalTracks()
    return [Rival(tracker: first, outside: outside, identity: identity, origin: origin)] + others
  }

  /// Adds a track that branched from the one with the number `origin`.
  mutating func add(_ tracker: Tracker, evidence: Double, outside: Double, from origin: Int) {
    others.append(
      Rival(
        tracker: tracker, evidence: evidence, outside: outside, identity: next, origin: origin))
    next += 1
    guard others.count > Self.mostTracks else { return }
    if let last = others.indices.max(by: { odds(others[$0]) < odds(others[$1]) }) {
      others.remove(at: last)
    }
  }

  /// Begins again, with a new leading track.
  mutating func restart() {
    others = []
    outside = 0
    (identity, origin) = (next, identity)
    next += 1
  }

  /// Makes the track at `index` the leading one in place of `leader`, which competes with it.
  mutating func lead(_ index: Int, _ leader: inout Tracker) {
    var rival = others[index]
    let lead = rival.evidence
    swap(&leader, &rival.tracker)
    swap(&outside, &rival.outside)
    (identity, rival.identity) = (rival.identity, identity)
    (origin, rival.origin) = (rival.origin, origin)
    for other in others.indices { others[other].evidence -= lead }
    rival.evidence = -lead
    others[index] = rival
  }
}

extension Tracker {
  /// Processes a measurement, which the leading track has processed, with the competing ones.
  ///
  /// - Parameters:
  ///   - isEvidence: Whether ``reading`` is that of this measurement, and compared.
  ///   - body: Updates a track.
  @inline(never)
  mutating func updateRivals(isEvidence: Bool = false, _ body: (inout Tracker) -> Void) {
    for index in rivals.others.indices {
      body(&rivals.others[index].tracker)
      guard isEvidence, let reading, let other = rivals.others[index].tracker.reading else {
        continue
      }
      let advantage = reading.logLikelihood - other.logLikelihood
      guard advantage.isFinite else { continue }
      let most = RivalTracks.mostEvidence
      rivals.others[index].evidence +=
        RivalTracks.evidenceShare * min(most, max(-most, advantage))
    }
    settleRivals()
  }

  /// Lets the likeliest track lead, and gives up those that have ended or are out of the question.
  mutating func settleRivals() {
    rivals.others.removeAll { !$0.tracker.isTracking }
    if let best = rivals.others.indices.min(by: {
      rivals.odds(rivals.others[$0]) < rivals.odds(rivals.others[$1])
    }), !isTracking || rivals.odds(rivals.others[best]) < 0 {
      // Moved out, because a track has no rivals of its own while it competes.
      var tracks = rivals
      rivals = RivalTracks()
      tracks.lead(best, &self)
      rivals = tracks
      rivals.others.removeAll { !$0.tracker.isTracking }
    }
    rivals.others.removeAll { [rivals] in rivals.odds($0) > RivalTracks.finalOdds }
  }

  /// Whether there is a track, supported by measurements.
  package var isTracking: Bool { hasStarted && !needsRestart && !mixture.hasDiverged }

  /// Adds the competing tracks to an estimate: the distance to each by its probability to the covariance,
  /// and the likeliest as the alternative while it is not out of the question.
  ///
  /// The covariance is that of the error of the position, whichever track is right.
  @inline(never)
  mutating func addRivals(to estimate: inout TrackEstimate, at time: Timestamp) {
    var shares: [(odds: Double, estimate: TrackEstimate)] = []
    for index in rivals.others.indices {
      let odds = rivals.odds(rivals.others[index])
      shares.append((odds, rivals.others[index].tracker.estimateInPlace(at: time)))
    }
    estimate.add(shares, isSupported: estimate.status != .coasting)
  }
}

extension TrackEstimate {
  /// Adds competing estimates of the same instant.
  ///
  /// - Parameters:
  ///   - others: The estimates, each with the logarithm of the odds of this one against it.
  ///   - isSupported: Whether the status becomes ``Status/ambiguous`` for an estimate that is elsewhere and not
  ///     out of the question.
  mutating func add(_ others: [(odds: Double, estimate: TrackEstimate)], isSupported: Bool) {
    let total = others.reduce(1) { $0 + Double.exp(-max(-50, $1.odds)) }
    let own = covariance
    var likeliest = RivalTracks.decisiveOdds
    for (odds, other) in others {
      let offset = other.position - position
      let share = Double.exp(-max(-50, odds)) / total
      covariance.addOuterProduct(of: offset, times: share)
      guard odds < likeliest, offset.isElsewhere(own, other.covariance) else { continue }
      likeliest = odds
      alternative = other.position
      if isSupported { status = .ambiguous }
    }
  }
}

extension Vector<3> {
  /// How many standard deviations apart two estimates are of different places.
  private static var apart: Double { 3 }

  /// Whether an offset between two estimates with the given covariances is more than their errors.
  func isElsewhere(_ first: Matrix<3, 3>, _ second: Matrix<3, 3>) -> Bool {
    let square = dot(self)
    guard square > 0 else { return false }
    // The variance along the offset.
    let variance = (dot(first * self) + dot(second * self)) / square
    return square > Self.apart * Self.apart * variance
  }
}

/// Another tag with a known track, at the time of a range to it: an anchor that moves.
struct Neighbour: Sendable {
  /// The index of the tag.
  var tag: Int
  var time: Timestamp
  var position: Vector<3>
  var velocity: Vector<3>
  /// The covariance of the position, in m².
  var covariance: Matrix<3, 3>
  /// The number of tags that its track depends on, one behind the other.
  var hops: Int

  /// The age of a range up to which its sender is a source of the present, in seconds: ten rounds at 10 Hz.
  static let recently = 1.0

  init(_ tag: Int, _ estimate: TrackEstimate, hops: Int) {
    (self.tag, self.hops) = (tag, hops)
    time = estimate.time
    (position, velocity) = (estimate.position, estimate.velocity)
    covariance = estimate.covariance
  }

  /// Returns where the tag is `seconds` after `now`, if it keeps its velocity.
  func place(_ seconds: Double, after now: Timestamp) -> Vector<3> {
    position + (now.seconds(since: time) + seconds) * velocity
  }
}
