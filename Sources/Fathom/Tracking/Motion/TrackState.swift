/// The state estimate of a tracker in both modes of motion.
///
/// The state vector contains
///
///     position (m), velocity (m/s), bias (m) and scale of all ranges if unknown,
///     the heading error of directions (rad) if unknown,
///     the offset of height measurements (m) if there are any,
///     the error of an arrival (m) with time differences,
///     five unknowns of odometry if there is any, see ``odometry``,
///     one correlated error per link (m), in the slot that ``LinkSlots`` assigned to it,
///
/// and the expected range to anchor a is (1 + s) |p - a| + b + e(link). Positions and velocities
/// have three elements each, or two if the height is known. Known quantities are neither stored nor
/// processed.
///
/// Both modes use the same operations on different numbers. Their numbers are stored side by side,
/// as a ``Pair`` per element of the state, so that all arithmetic works on pairs. ``TrackElements``
/// describes the layout.
///
/// The errors of all links decay at the same rate. Their elements are stored at an earlier scale,
/// and ``linkScale`` is the decay since then. A prediction therefore changes one number instead of
/// a column per link.
struct TrackState: Sendable {
  /// An element in the low-noise mode and in the high-noise mode.
  typealias Pair = SIMD2<Double>

  /// The maximum number of links with an error in the state.
  static let linkCapacity = 16
  /// The number of unknowns of odometry, and of inertial data; a state has one of both.
  static let odometryCount = 5

  /// Number of coordinates of a position: 3, or 2 if the height is known.
  let axes: Int
  /// Whether bias and scale of all ranges are unknown.
  let hasCommon: Bool
  /// Whether the headings of directions have an unknown error.
  let hasHeading: Bool
  /// Whether height measurements have an unknown offset.
  let hasHeightOffset: Bool
  /// Whether the state has the error of the arrival that time differences have in common.
  let hasArrival: Bool
  /// Whether the state has the unknowns of odometry.
  let hasOdometry: Bool
  /// Whether the state has the unknowns of inertial data.
  let hasInertial: Bool
  /// Index of the first link's error.
  let firstLink: Int
  /// The height in metres, if it is known.
  let height: Double
  /// Number of links with an error in the state.
  private(set) var linkCount = 0
  /// Factor on the stored error of a link, above 0.
  private(set) var linkScale = 1.0
  /// The greatest number of links with an error in the state.
  private let mostLinks: Int
  private var elements: [SIMD4<Double>]

  /// Creates a state estimate of position and velocity, the same in both modes.
  ///
  /// - Parameters:
  ///   - kinematics: Position and velocity.
  ///   - isLevel: Whether the height is known. If so, only the mean of the height is used.
  ///   - hasCommon: Whether ranges have a common bias and scale; both start at zero without
  ///     variance.
  ///   - hasHeading: Whether headings have an error; it starts at zero without variance.
  ///   - hasHeightOffset: Whether heights have an offset; it starts at zero without variance. No
  ///     effect if the height is known.
  ///   - hasOdometry: Whether the state has the unknowns of odometry; they start at zero without
  ///     variance.
  ///   - hasArrival: Whether the state has the error of an arrival; it starts at zero without
  ///     variance.
  ///   - hasInertial: Whether the state has the unknowns of inertial data, which start at zero
  ///     without variance. No effect with odometry.
  ///   - mostLinks: The greatest number of links with an error, at most ``linkCapacity``.
  init(
    _ kinematics: Gaussian<6>, isLevel: Bool = false, hasCommon: Bool = false,
    hasHeading: Bool = false, hasHeightOffset: Bool = false, hasOdometry: Bool = false,
    hasArrival: Bool = false, hasInertial: Bool = false,
    mostLinks: Int = Self.linkCapacity
  ) {
    axes = isLevel ? 2 : 3
    self.hasCommon = hasCommon
    self.hasHeading = hasHeading
    self.hasHeightOffset = hasHeightOffset && !isLevel
    self.hasOdometry = hasOdometry
    self.hasArrival = hasArrival
    self.hasInertial = hasInertial && !hasOdometry
    firstLink =
      2 * axes + (hasCommon ? 2 : 0) + (hasHeading ? 1 : 0) + (self.hasHeightOffset ? 1 : 0)
      + (hasArrival ? 1 : 0) + (hasOdometry || hasInertial ? Self.odometryCount : 0)
    height = kinematics.mean[2]
    self.mostLinks = mostLinks
    elements = Array(repeating: .zero, count: TrackElements.count(of: firstLink + mostLinks))
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

  /// Index of the common bias; the common scale follows it.
  var bias: Int { 2 * axes }
  /// Index of the heading error; requires ``hasHeading``.
  var heading: Int { 2 * axes + (hasCommon ? 2 : 0) }
  /// Index of the offset of heights; requires ``hasHeightOffset``.
  var heightOffset: Int { heading + (hasHeading ? 1 : 0) }
  /// Index of the error of an arrival; requires ``hasArrival``.
  var arrival: Int { heightOffset + (hasHeightOffset ? 1 : 0) }
  /// Index of the unknowns of odometry; requires ``hasOdometry``.
  ///
  /// They are the position x, y at the last increment, the first column c, s of the matrix that
  /// turns and scales increments into the world frame, and the drift of the heading in rad/s.
  var odometry: Int { firstLink - Self.odometryCount }
  /// Index of the unknowns of inertial data; requires ``hasInertial``.
  ///
  /// They are the cosine and the sine of the heading of the sensor's level frame, and the slow error
  /// of the acceleration in the world frame.
  var inertial: Int { firstLink - Self.odometryCount }
  /// Number of elements in use.
  var size: Int { firstLink + linkCount }
  /// Number of pairs of rows in use.
  var panelCount: Int { (size + 1) / 2 }

  // MARK: Reading

  /// Returns element `index` of the state.
  func mean(_ index: Int) -> Pair {
    withElements { (index < firstLink ? 1 : linkScale) * $0.mean[index] }
  }

  /// Returns the covariance of elements `row` and `column` of the state.
  func covariance(_ row: Int, _ column: Int) -> Pair {
    var scale = row < firstLink ? 1 : linkScale
    if column >= firstLink { scale *= linkScale }
    return withElements { scale * $0[max(row, column), min(row, column)] }
  }

  /// Returns whether the magnitude of every coordinate of the position is less than `limit` metres.
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

  /// Initialises the error of the link at `place` to zero, independent of all other elements.
  ///
  /// `place` is below the greatest number of links, at most the first free slot; `variance` is in
  /// m².
  mutating func introduceLink(_ place: Int, variance: Double) {
    precondition(place < mostLinks, "the state has no slot for this link")
    linkCount = max(linkCount, place + 1)
    introduce(firstLink + place, value: 0, variance: variance / (linkScale * linkScale))
  }

  /// Initialises bias and scale of all ranges, independent of all other elements; no effect if they
  /// are known.
  mutating func introduceCommon(
    bias: (value: Double, variance: Double), scale: (value: Double, variance: Double)
  ) {
    guard hasCommon else { return }
    introduce(self.bias, value: bias.value, variance: bias.variance)
    introduce(self.bias + 1, value: scale.value, variance: scale.variance)
  }

  /// Predicts the common bias as a first-order Gauss-Markov process with the autocorrelation
  /// `memory`, 0 to 1, and the stationary variance `variance` in m²; requires ``hasCommon``.
  mutating func fadeBias(to memory: Double, variance: Double) {
    fade(bias, to: memory, variance: variance)
  }

  /// Initialises the heading error to zero, independent of all other elements; requires
  /// ``hasHeading``.
  mutating func introduceHeading(variance: Double) {
    introduce(heading, value: 0, variance: variance)
  }

  /// Predicts the heading error as a first-order Gauss-Markov process with the autocorrelation
  /// `memory`, 0 to 1, and the stationary variance `variance` in rad²; requires ``hasHeading``.
  mutating func fadeHeading(to memory: Double, variance: Double) {
    fade(heading, to: memory, variance: variance)
  }

  /// Predicts element `index`, which is not the error of a link, as a first-order Gauss-Markov process
  /// with the autocorrelation `memory`, 0 to 1, and a stationary variance.
  @inline(__always)
  mutating func fade(_ index: Int, to memory: Double, variance: Double) {
    let size = size
    withMutableElements { elements in
      elements.mean[index] *= memory
      for other in 0..<size { elements[max(index, other), min(index, other)] *= memory }
      // The loop has scaled the element's own variance once; it needs the factor twice.
      let own = memory * elements[index, index]
      elements[index, index] = own + (1 - memory * memory) * variance
    }
  }

  /// Initialises element `index`, independent of all other elements.
  mutating func introduce(_ index: Int, value: Double, variance: Double) {
    let size = size
    withMutableElements { elements in
      for other in 0..<size { elements[max(index, other), min(index, other)] = .zero }
      elements.mean[index] = Pair(repeating: value)
      elements[index, index] = Pair(repeating: variance)
    }
  }

  /// Adds `variance` to that of element `index`, which is not the error of a link.
  mutating func addVariance(_ variance: Double, to index: Int) {
    withMutableElements { $0[index, index] += Pair(repeating: variance) }
  }

  /// Multiplies the errors of links by `memory`, 0 to 1.
  mutating func fadeLinks(to memory: Double) {
    linkScale *= memory
    guard linkScale < Self.leastLinkScale else { return }
    // Once in several correlation times: before the stored numbers overflow or underflow.
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

  /// Calls `body` with write access to the elements, unchecked: indices must be below ``size``.
  @inline(__always)
  mutating func withMutableElements<Result>(_ body: (TrackElements) -> Result) -> Result {
    elements.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else {
        preconditionFailure("the storage of a state must not be empty")
      }
      return body(TrackElements(start))
    }
  }

  /// Calls `body` with read access to the elements, unchecked: indices must be below ``size``.
  @inline(__always)
  func withElements<Result>(_ body: (TrackElements) -> Result) -> Result {
    elements.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else {
        preconditionFailure("the storage of a state must not be empty")
      }
      return body(TrackElements(UnsafeMutableRawPointer(mutating: start)))
    }
  }
}

/// The assignment of links to error slots in the state of a tracker.
///
/// There are fewer slots than a site may have anchors. The error of a link that has been silent for
/// long carries no information any more, so a new link takes the slot of the one silent for
/// longest. Removing an error from the state is exact; see
/// ``TrackState/introduceLink(_:variance:)``.
struct LinkSlots: Sendable {
  /// The slot of each anchor; -1 without one.
  private var places: [Int8]
  /// The anchor in each slot; nil if free.
  private var anchors: InlineArray<16, Int32?> = InlineArray(repeating: nil)
  /// The time of the last range to the anchor in each slot.
  private var ranged: InlineArray<16, Timestamp> = InlineArray(
    repeating: Timestamp(nanoseconds: .min))

  init(anchorCount: Int) {
    places = Array(repeating: -1, count: anchorCount)
  }

  /// Returns the slot of `anchor`'s link, and whether it was newly assigned.
  mutating func place(of anchor: Int, at time: Timestamp) -> (index: Int, isNew: Bool) {
    let known = Int(places[anchor])
    if known >= 0 {
      ranged[known] = time
      return (known, false)
    }
    var oldest = 0
    for place in 0..<TrackState.linkCapacity {
      if anchors[place] == nil {
        oldest = place
        break
      }
      if ranged[place] < ranged[oldest] { oldest = place }
    }
    if let former = anchors[oldest] { places[Int(former)] = -1 }
    anchors[oldest] = Int32(anchor)
    ranged[oldest] = time
    places[anchor] = Int8(oldest)
    return (oldest, true)
  }
}
