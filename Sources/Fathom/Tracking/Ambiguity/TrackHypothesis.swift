/// A track in the mirror image of another, which takes in the same ranges and directions.
///
/// What both make of directions, and what ranges say thereafter, tells which is the right one: each
/// has found its own errors of headings and links, so that the ratio of their likelihoods holds all
/// that lasts.
struct TrackHypothesis: Sendable {
  /// What is believed if the tag is on this side.
  var mixture: TrackMixture
  /// When the last measurement was taken in.
  private(set) var time: Timestamp
  /// Directions in a row after which both tracks were in the same place.
  private(set) var meetings = 0

  /// After so many there are no longer two tracks.
  private static let mostMeetings = 20

  /// The image of a track in a mirror.
  ///
  /// - Parameters:
  ///   - mixture: the track's state estimate.
  ///   - time: when it was so.
  ///   - mirror: the mirror.
  init(of mixture: TrackMixture, at time: Timestamp, in mirror: MirrorAmbiguity) {
    self.mixture = mixture
    self.time = time
    self.mixture.reflect(in: mirror.centre, normal: mirror.normal)
    self.mixture.forgetHeading()
  }

  /// Moves on to `time` by `step`.
  mutating func advance(to time: Timestamp, by step: TrackMixture.Step) {
    mixture.advance(by: step)
    self.time = time
  }

  /// Whether both tracks have long been in the same place, after one more direction.
  ///
  /// - Parameters:
  ///   - other: the other track.
  ///   - mirror: between them.
  /// - Returns: Whether they have.
  mutating func meets(_ other: TrackMixture, in mirror: MirrorAmbiguity) -> Bool {
    let (own, others) = (mixture.place(along: mirror.normal), other.place(along: mirror.normal))
    let distance = own.value - others.value
    let isMeeting = distance * distance < own.variance + others.variance
    meetings = isMeeting ? meetings + 1 : 0
    return meetings >= Self.mostMeetings
  }
}
