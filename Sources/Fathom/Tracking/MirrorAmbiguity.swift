/// A track that might as well be its own mirror image, and what the ranges since say about it.
///
/// The mirror is the plane half way between the two positions that explained the first ranges. An
/// anchor on that plane cannot tell the sides apart; one off it can, and each of its ranges adds to
/// the evidence.
struct MirrorAmbiguity: Sendable {
  /// A point of the mirror.
  let centre: Vector<3>
  /// Unit vector across it.
  let normal: Vector<3>
  /// Log-likelihood of the track less that of its image.
  private var evidence = 0.0

  /// What the evidence says.
  enum Verdict {
    case undecided
    case track
    case image
  }

  /// Odds of 400 to 1 decide.
  private static let decisive = 6.0
  /// The most that one range counts: an outlier must not decide.
  private static let most = 2.0

  /// The ambiguity between two positions; nil where they are the same.
  init?(between first: Vector<3>, and second: Vector<3>) {
    let across = second - first
    let length = across.length
    guard length > 0, length.isFinite else { return nil }
    centre = first + 0.5 * across
    normal = (1 / length) * across
  }

  /// Takes in a range of `distance` metres to an anchor, as it looks from `position`.
  ///
  /// - Parameters:
  ///   - distance: the range, metres.
  ///   - variance: of the difference between range and expectation, m².
  ///   - anchor: the anchor's position.
  ///   - position: where the track is.
  /// - Returns: Which side the evidence speaks for by now.
  mutating func record(
    _ distance: Double, variance: Double, anchor: Vector<3>, position: Vector<3>
  ) -> Verdict {
    let own = distance - (position - anchor).length
    let others = distance - (image(of: position) - anchor).length
    let difference = 0.5 * (others * others - own * own) / variance
    if difference.isFinite { evidence += min(Self.most, max(-Self.most, difference)) }
    if evidence >= Self.decisive { return .track }
    return evidence <= -Self.decisive ? .image : .undecided
  }

  /// The mirror image of a velocity.
  func image(ofVelocity velocity: Vector<3>) -> Vector<3> {
    velocity + (-2 * velocity.dot(normal)) * normal
  }

  /// The mirror image of a position.
  func image(of position: Vector<3>) -> Vector<3> {
    position + (-2 * (position - centre).dot(normal)) * normal
  }
}
