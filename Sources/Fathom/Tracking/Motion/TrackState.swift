/// What a tracker believes in both modes of motion: where the tag is, and how wrong the ranges are.
///
/// The state is one column of numbers,
///
///     position (m), velocity (m/s), bias (m) and scale of all ranges where they are unknown,
///     by how much the headings of directions are wrong (rad) where that is unknown,
///     one correlated error per link (m), at the place that ``LinkSlots`` gave it,
///
/// and a range to anchor a is expected to read (1 + s) |p - a| + b + e(link). Positions and
/// velocities have three numbers each, or two where the height is known; nothing is stored, or
/// worked on, of what is not estimated.
///
/// Both modes go through the same motions with other numbers. They lie side by side, a ``Pair`` for
/// every number of the state, so that all arithmetic is on pairs; see ``TrackElements`` for their
/// places.
///
/// The errors of links decay all alike. Their numbers are kept as they were some time ago, and
/// ``linkScale`` is what is left of them: a prediction changes one number instead of a column per
/// link.
struct TrackState: Sendable {
  /// A number as it is in the low-noise mode, and in the high-noise one.
  typealias Pair = SIMD2<Double>

  /// How many links have an error of their own at most.
  static let linkCapacity = 16

  /// Numbers of a position: 3, or 2 where the height is known.
  let axes: Int
  /// Whether bias and scale of all ranges are unknown.
  let hasCommon: Bool
  /// Whether the headings under which directions are measured have an unknown error.
  let hasHeading: Bool
  /// Index of the first link's error.
  let firstLink: Int
  /// The height where it is known, metres.
  let height: Double
  /// Links that have an error in the state.
  private(set) var linkCount = 0
  /// What a stored error of a link has to be multiplied by, above 0.
  private(set) var linkScale = 1.0
  private var elements: [SIMD4<Double>]

  /// A state estimate about position and velocity, the same in both modes.
  ///
  /// - Parameters:
  ///   - kinematics: position and velocity.
  ///   - isLevel: whether the height is known: then its mean stands, and nothing else of it is
  ///     looked at.
  ///   - hasCommon: whether ranges have a bias and a scale in common, known to be zero so far.
  ///   - hasHeading: whether headings have an error, known to be zero so far.
  init(
    _ kinematics: Gaussian<6>, isLevel: Bool = false, hasCommon: Bool = false,
    hasHeading: Bool = false
  ) {
    axes = isLevel ? 2 : 3
    self.hasCommon = hasCommon
    self.hasHeading = hasHeading
    firstLink = 2 * axes + (hasCommon ? 2 : 0) + (hasHeading ? 1 : 0)
    height = kinematics.mean[2]
    elements = Array(repeating: .zero, count: TrackElements.count)
    let axes = axes
    withMutableElements { elements in
      for row in 0..<2 * axes {
        let source = row < axes ? row : row - axes + 3
        elements.mean[row] = Pair(repeating: kinematics.mean[source])
        for column in 0...row {
          let other = column < axes ? column : column - axes + 3
          elements[row, column] = Pair(repeating: kinematics.covariance[source, other])
        }
      }
    }
  }

  /// Index of the common bias, which the common scale follows.
  var bias: Int { 2 * axes }
  /// Index of the error of headings; there has to be one.
  var heading: Int { firstLink - 1 }
  /// Numbers in use.
  var size: Int { firstLink + linkCount }
  /// Pairs of rows in use.
  var panelCount: Int { (size + 1) / 2 }

  // MARK: Reading

  /// Number `index` of the state.
  func mean(_ index: Int) -> Pair {
    withElements { (index < firstLink ? 1 : linkScale) * $0.mean[index] }
  }

  /// The covariance of numbers `row` and `column` of the state.
  func covariance(_ row: Int, _ column: Int) -> Pair {
    var scale = row < firstLink ? 1 : linkScale
    if column >= firstLink { scale *= linkScale }
    return withElements { scale * $0[max(row, column), min(row, column)] }
  }

  /// Whether every coordinate of the position is less than `limit` metres from the origin.
  @inline(__always)
  func isWithin(_ limit: Double) -> Bool {
    withElements { elements in
      func isWithin(_ axis: Int) -> Bool {
        let place = elements.mean[axis]
        return place[0].magnitude < limit && place[1].magnitude < limit
      }
      return isWithin(0) && isWithin(1) && (axes == 2 || isWithin(2))
    }
  }

  // MARK: Unknowns

  /// Makes the error of the link at `place` an unknown around zero, independent of all others.
  ///
  /// - Parameters:
  ///   - place: of the link, 0 to 15; not beyond the first that is free.
  ///   - variance: of its error, m².
  mutating func introduceLink(_ place: Int, variance: Double) {
    linkCount = max(linkCount, place + 1)
    introduce(firstLink + place, value: 0, variance: variance / (linkScale * linkScale))
  }

  /// Makes bias and scale of all ranges unknowns, independent of all others; nothing where they are
  /// known.
  mutating func introduceCommon(
    bias: (value: Double, variance: Double), scale: (value: Double, variance: Double)
  ) {
    guard hasCommon else { return }
    introduce(self.bias, value: bias.value, variance: bias.variance)
    introduce(self.bias + 1, value: scale.value, variance: scale.variance)
  }

  /// Lets the common bias fall to `memory` of itself, 0 to 1, and become unknown again up to
  /// `variance`, m²; there has to be one.
  mutating func fadeBias(to memory: Double, variance: Double) {
    fade(bias, to: memory, variance: variance)
  }

  /// Makes the error of headings an unknown around zero, independent of all others; there has to be
  /// one.
  mutating func introduceHeading(variance: Double) {
    introduce(heading, value: 0, variance: variance)
  }

  /// Lets the error of headings fall to `memory` of itself, 0 to 1, and become unknown again up to
  /// `variance`, rad²; there has to be one.
  mutating func fadeHeading(to memory: Double, variance: Double) {
    fade(heading, to: memory, variance: variance)
  }

  @inline(__always)
  private mutating func fade(_ index: Int, to memory: Double, variance: Double) {
    let size = size
    withMutableElements { elements in
      elements.mean[index] *= memory
      for other in 0..<size { elements[max(index, other), min(index, other)] *= memory }
      // Its own variance once more.
      let own = memory * elements[index, index]
      elements[index, index] = own + (1 - memory * memory) * variance
    }
  }

  private mutating func introduce(_ index: Int, value: Double, variance: Double) {
    let size = size
    withMutableElements { elements in
      for other in 0..<size { elements[max(index, other), min(index, other)] = .zero }
      elements.mean[index] = Pair(repeating: value)
      elements[index, index] = Pair(repeating: variance)
    }
  }

  /// Lets the errors of links fall to `memory` of themselves, 0 to 1.
  mutating func fadeLinks(to memory: Double) {
    linkScale *= memory
    guard linkScale < Self.leastLinkScale else { return }
    // Once in some correlation times: before numbers become too large, or nothing is left.
    let (first, size, scale) = (firstLink, size, linkScale)
    linkScale = 1
    withMutableElements { elements in
      for row in first..<size {
        elements.mean[row] *= scale
        for column in 0...row {
          elements[row, column] *= column < first ? scale : scale * scale
        }
      }
    }
  }

  private static let leastLinkScale = 1e-3

  // MARK: Elements

  /// Runs `body` over the elements for writing, unchecked: indices below ``size``.
  @inline(__always)
  mutating func withMutableElements<Result>(_ body: (TrackElements) -> Result) -> Result {
    elements.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else {
        preconditionFailure("a state has elements from the beginning")
      }
      return body(TrackElements(start))
    }
  }

  /// Runs `body` over the elements for reading, unchecked: indices below ``size``.
  @inline(__always)
  func withElements<Result>(_ body: (TrackElements) -> Result) -> Result {
    elements.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else {
        preconditionFailure("a state has elements from the beginning")
      }
      return body(TrackElements(UnsafeMutableRawPointer(mutating: start)))
    }
  }
}

/// Which links have an error of their own in the state of a tracker, and where.
///
/// There are fewer places than a site may have anchors. A link that has not been heard of for long
/// has an error that tells nothing any more, so the place of the one silent for longest is the one
/// to give away: leaving its error out of the state is exact, see
/// ``TrackState/introduceLink(_:variance:)``.
struct LinkSlots: Sendable {
  /// The place of each anchor, -1 for none.
  private var places: [Int8]
  /// The anchor at each place, nil while free.
  private var anchors: InlineArray<16, Int32?> = InlineArray(repeating: nil)
  /// When the anchor at each place was last heard of.
  private var heard: InlineArray<16, Timestamp> = InlineArray(
    repeating: Timestamp(nanoseconds: .min))

  init(anchorCount: Int) {
    places = Array(repeating: -1, count: anchorCount)
  }

  /// The place of `anchor`'s link, and whether it is new there.
  mutating func place(of anchor: Int, at time: Timestamp) -> (index: Int, isNew: Bool) {
    let known = Int(places[anchor])
    if known >= 0 {
      heard[known] = time
      return (known, false)
    }
    var oldest = 0
    for place in 0..<TrackState.linkCapacity {
      if anchors[place] == nil {
        oldest = place
        break
      }
      if heard[place] < heard[oldest] { oldest = place }
    }
    if let former = anchors[oldest] { places[Int(former)] = -1 }
    anchors[oldest] = Int32(anchor)
    heard[oldest] = time
    places[anchor] = Int8(oldest)
    return (oldest, true)
  }
}
