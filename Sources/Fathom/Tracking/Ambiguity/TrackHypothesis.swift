/// A competing track in the mirror image of another; it processes the same ranges and directions.
///
/// The likelihoods of directions and later ranges decide between the two. Each track estimates its
/// own heading and link errors, so that the likelihood ratio accounts for correlated errors.
struct TrackHypothesis: Sendable {
  /// The state estimates for a tag on this side.
  var mixture: TrackMixture
  /// The time of the last processed measurement.
  private(set) var time: Timestamp
  /// The number of consecutive directions after which both tracks had the same position.
  private(set) var meetings = 0

  /// The number of meetings after which the tracks are merged.
  private static let mostMeetings = 20

  /// Creates the image of a track in a mirror.
  ///
  /// - Parameters:
  ///   - mixture: The state estimates of the track.
  ///   - time: The time of these estimates.
  ///   - mirror: The mirror.
  init(of mixture: TrackMixture, at time: Timestamp, in mirror: MirrorAmbiguity) {
    self.mixture = mixture
    self.time = time
    self.mixture.reflect(in: mirror.centre, normal: mirror.normal)
    self.mixture.forgetHeading()
  }

  /// Predicts to `time` by `step`.
  mutating func advance(to time: Timestamp, by step: TrackMixture.Step) {
    mixture.advance(by: step)
    self.time = time
  }

  /// Counts one more direction and returns whether both tracks have merged.
  ///
  /// - Parameters:
  ///   - other: The other track.
  ///   - mirror: The mirror between the tracks.
  /// - Returns: Whether both have had the same position for long enough.
  mutating func meets(_ other: TrackMixture, in mirror: MirrorAmbiguity) -> Bool {
    let (own, others) = (mixture.place(along: mirror.normal), other.place(along: mirror.normal))
    let distance = own.value - others.value
    let isMeeting = distance * distance < own.variance + others.variance
    meetings = isMeeting ? meetings + 1 : 0
    return meetings >= Self.mostMeetings
  }
}
