/// The places of the common unknowns of a smoothed track in one list of numbers.
struct CommonLayout: Sendable {
  /// A quantity that measurements of many states depend on.
  enum Unknown: Sendable {
    /// The bias of all ranges in metres, and their scale error.
    case bias, scale
    /// The survey error of a coordinate of an anchor, in metres.
    case survey(anchor: Int, axis: Int)
    /// The scale error of odometry, and its drift in rad/s.
    case odometryScale, odometryDrift
    /// The offset of heights at one of several instants, in metres.
    case heightOffset(Int)
    /// A value of the RSSI-dependent bias, in metres.
    case signal(Int)
    /// The offset of the ranges of an anchor, in metres.
    case anchorOffset(Int)
  }

  /// The unknowns in order.
  private(set) var unknowns: [Unknown] = []
  /// The place of the bias, which the scale follows; nil without them.
  private(set) var bias: Int?
  /// The place of the first of three coordinates of each anchor with a survey error; nil for the others.
  private(set) var surveys: [Int?]
  /// The place of the scale error of odometry, which its drift follows; nil without odometry.
  private(set) var odometry: Int?
  /// The places of the offsets of heights; empty without heights.
  private(set) var heights = 0..<0
  /// The places of the values of the RSSI-dependent bias; empty without it.
  private(set) var signals = 0..<0
  /// The place of the offset of the first anchor; nil without offsets.
  private(set) var offsets: Int?

  /// The number of unknowns.
  var count: Int { unknowns.count }

  /// Maximum number of anchors with estimated positions; with more, the survey variance is added to
  /// each range.
  private static var mostSurveyed: Int { 16 }

  /// Creates the layout of bias and scale, if `hasBias`, and of the survey errors of `anchors`.
  ///
  /// The position error of an anchor is constant over a recording. Its effect on a range depends on the
  /// direction of the tag, so it needs three coordinates instead of a range offset.
  init(hasBias: Bool, anchors: [Anchor]) {
    surveys = Array(repeating: nil, count: anchors.count)
    if hasBias {
      bias = 0
      unknowns = [.bias, .scale]
    }
    let uncertain = anchors.indices.filter { (anchors[$0].positionSigma ?? 0) > 0 }
    guard uncertain.count <= Self.mostSurveyed else { return }
    for anchor in uncertain {
      surveys[anchor] = count
      unknowns += (0..<3).map { .survey(anchor: anchor, axis: $0) }
    }
  }

  /// Appends scale error and drift of odometry.
  mutating func addOdometry() {
    odometry = count
    unknowns += [.odometryScale, .odometryDrift]
  }

  /// Appends a number of offsets of heights.
  mutating func addHeights(_ offsets: Int) {
    heights = count..<count + offsets
    unknowns += (0..<offsets).map { .heightOffset($0) }
  }

  /// Appends a number of values of the RSSI-dependent bias.
  mutating func addSignals(_ values: Int) {
    signals = count..<count + values
    unknowns += (0..<values).map { .signal($0) }
  }

  /// Appends the offsets of a number of anchors.
  mutating func addOffsets(_ anchors: Int) {
    offsets = count
    unknowns += (0..<anchors).map { .anchorOffset($0) }
  }
}
