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

  /// Before it decides, evidence less by this shows on which side the tag is more likely to be.
  private static let doubt = 5.0

  /// What the evidence says.
  enum Verdict {
    case undecided
    case track
    case image
  }

  /// The evidence that decides: odds of 400 to 1 at the start; twice as much, in logarithms, where a
  /// track has long been on its side.
  private let decisive: Double
  /// The most that one range counts: an outlier must not decide.
  private static let most = 2.0

  /// The ambiguity between two positions; nil where they are the same.
  init?(between first: Vector<3>, and second: Vector<3>) {
    let across = second - first
    let length = across.length
    guard length > 0, length.isFinite else { return nil }
    centre = first + 0.5 * across
    normal = (1 / length) * across
    decisive = 6
  }

  /// The ambiguity about the side of the plane that fits `anchors` best, or of the upright one for a
  /// tag in the plane; nil where they span less.
  init?(behind anchors: [Vector<3>], isLevel: Bool) {
    let free = isLevel ? 2 : 3
    let flat = AnchorSpan(of: anchors, free: free)
    guard flat.rank >= free - 1 else { return nil }
    centre = flat.centre
    normal = flat.axes.row(free - 1)
    decisive = 12
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
    return record(advantage: 0.5 * (others * others - own * own) / variance)
  }

  /// Takes in by how much the track explains a measurement better than its image does.
  ///
  /// - Parameter difference: of the log-likelihoods; one that is not finite counts for nothing.
  /// - Returns: Which side the evidence speaks for by now.
  mutating func record(advantage difference: Double) -> Verdict {
    if difference.isFinite { evidence += min(Self.most, max(-Self.most, difference)) }
    if evidence >= decisive { return .track }
    return evidence <= -decisive ? .image : .undecided
  }

  /// Whether the image has explained measurements clearly better so far.
  var favoursImage: Bool { evidence < Self.doubt - decisive }

  /// Takes the image for the track from here on.
  mutating func changeSides() { evidence = -evidence }

  /// The mirror image of a velocity.
  func image(ofVelocity velocity: Vector<3>) -> Vector<3> {
    velocity + (-2 * velocity.dot(normal)) * normal
  }

  /// The mirror image of a position.
  func image(of position: Vector<3>) -> Vector<3> {
    position + (-2 * (position - centre).dot(normal)) * normal
  }
}
