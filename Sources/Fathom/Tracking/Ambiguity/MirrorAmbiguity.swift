/// The ambiguity between a track and its mirror image, and the evidence of the ranges since.
///
/// The mirror is the plane half way between the two positions that explained the first ranges. For
/// an anchor on that plane the sides are indistinguishable. Ranges to any other anchor add to the
/// evidence.
struct MirrorAmbiguity: Sendable {
  /// A point in the mirror plane.
  let centre: Vector<3>
  /// Unit normal of the mirror plane.
  let normal: Vector<3>
  /// Log-likelihood of the track less that of its image.
  private(set) var evidence = 0.0
  /// The evidence of the ranges to each anchor at the present place of the tag.
  private var byAnchor: [AnchorEvidence]

  /// Distance from decisive evidence at which one side counts as the more likely one.
  private static let preferenceMargin = 5.0

  /// The result of the comparison.
  enum Verdict {
    case undecided
    case track
    case image
  }

  /// The evidence of the ranges to one anchor from one place.
  private struct AnchorEvidence {
    var place = Vector<3>.zero
    var sum = 0.0
    var count = 0.0
    /// The part of the evidence that comes from this place.
    var mean: Double { count > 0 ? sum / count : 0 }
  }

  /// The distance beyond which the errors of an anchor differ, metres: reflections change within
  /// wavelengths of some centimetres to a metre.
  private static let placeSize = 1.0

  /// The logarithm of the odds that decide: 400 to 1.
  static let decisiveOdds = 6.0
  /// Decisive evidence: ``decisiveOdds`` at the start; twice as much for a track that has long been on
  /// its side.
  private let decisive: Double
  /// The largest contribution of one range, so that a single outlier cannot decide.
  private static let most = 2.0

  /// Creates the ambiguity between two positions; nil if they are equal.
  init?(between first: Vector<3>, and second: Vector<3>, anchorCount: Int = 0) {
    let across = second - first
    let length = across.length
    guard length > 0, length.isFinite else { return nil }
    centre = first + 0.5 * across
    normal = (1 / length) * across
    decisive = Self.decisiveOdds
    byAnchor = Array(repeating: AnchorEvidence(), count: anchorCount)
  }

  /// Creates the ambiguity of a track that has come so close to the plane of its anchors that the
  /// ranges do not tell on which side it leaves.
  init(at plane: AnchorPlane, anchorCount: Int) {
    centre = plane.centre
    normal = plane.normal
    decisive = Self.decisiveOdds
    byAnchor = Array(repeating: AnchorEvidence(), count: anchorCount)
  }

  /// Creates the ambiguity about the plane that fits `anchors` best, or about the vertical plane
  /// for a tag at a known height; nil if the anchors span less.
  init?(behind anchors: [Vector<3>], isLevel: Bool, anchorCount: Int = 0) {
    let free = isLevel ? 2 : 3
    let span = AnchorSpan(of: anchors, free: free)
    guard span.rank >= free - 1 else { return nil }
    centre = span.centre
    normal = span.axes.row(free - 1)
    decisive = 2 * Self.decisiveOdds
    byAnchor = Array(repeating: AnchorEvidence(), count: anchorCount)
  }

  /// Adds the evidence of a range to an anchor.
  ///
  /// - Parameters:
  ///   - distance: The range in metres.
  ///   - variance: The variance of the difference between range and expectation, in m².
  ///   - anchor: The index and the position of the anchor.
  ///   - position: The position of the track.
  /// - Returns: The side that the evidence supports so far.
  mutating func record(
    _ distance: Double, variance: Double, anchor: (index: Int, position: Vector<3>),
    position: Vector<3>
  ) -> Verdict {
    let own = distance - (position - anchor.position).length
    let others = distance - (image(of: position) - anchor.position).length
    // A range that neither side explains tells nothing of them.
    guard min(own.magnitude, others.magnitude) < 3 * variance.squareRoot() else { return verdict }
    return record(
      advantage: 0.5 * (others * others - own * own) / variance, anchor: anchor.index,
      position: position)
  }

  /// Adds the evidence of a range to the anchor of an index, with the tag near a position.
  mutating func record(
    advantage difference: Double, anchor index: Int, position: Vector<3>
  ) -> Verdict {
    guard byAnchor.indices.contains(index) else { return record(advantage: difference) }
    guard difference.isFinite else { return verdict }
    var found = byAnchor[index]
    if found.count > 0, !((position - found.place).length < Self.placeSize) {
      found = AnchorEvidence()
    }
    let before = found.mean
    if found.count == 0 { found.place = position }
    found.sum += min(Self.most, max(-Self.most, difference))
    found.count += 1
    evidence += found.mean - before
    byAnchor[index] = found
    return verdict
  }

  /// Adds the evidence of a measurement.
  ///
  /// - Parameter difference: The log-likelihood for the track less that for its image; ignored if
  ///   not finite.
  /// - Returns: The side that the evidence supports so far.
  mutating func record(advantage difference: Double) -> Verdict {
    if difference.isFinite { evidence += min(Self.most, max(-Self.most, difference)) }
    return verdict
  }

  private var verdict: Verdict {
    if evidence >= decisive { return .track }
    return evidence <= -decisive ? .image : .undecided
  }

  /// Whether the measurements so far clearly favour the image.
  var favoursImage: Bool { evidence < Self.preferenceMargin - decisive }

  /// Swaps track and image.
  mutating func changeSides() {
    evidence = -evidence
    for index in byAnchor.indices { byAnchor[index].sum = -byAnchor[index].sum }
  }

  /// Returns the distance of a position from the mirror plane, metres, signed along the normal.
  func distance(of position: Vector<3>) -> Double { (position - centre).dot(normal) }

  /// Returns the mirror image of a velocity.
  func image(ofVelocity velocity: Vector<3>) -> Vector<3> {
    velocity + (-2 * velocity.dot(normal)) * normal
  }

  /// Returns the mirror image of a position.
  func image(of position: Vector<3>) -> Vector<3> {
    position + (-2 * (position - centre).dot(normal)) * normal
  }
}
