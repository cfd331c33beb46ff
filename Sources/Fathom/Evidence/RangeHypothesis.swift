/// What ranges may be explained by: places and errors of the anchors, and what is known of the tags.
///
/// A range measures gain × distance + bias + offset of its anchor.
struct RangeHypothesis {
  /// The positions of the anchors.
  var sites: [SIMD3<Double>]
  /// The offset of each anchor, metres.
  var offsets: [Double]
  /// Whether the ranges of each anchor are used.
  var isUsed: [Bool]
  /// The offset of all ranges, metres.
  var bias = 0.0
  /// The scale of all ranges.
  var gain = 1.0
  /// The height of the tags, metres; nil if it is unknown.
  var height: Double?
  /// The standard deviation of the height, metres; nil for an exact one.
  var heightSigma: Double?
  /// Whether the lower of two mirror images is taken.
  var prefersLower = true

  /// Creates the hypothesis that anchors and ranges are as given.
  ///
  /// A standard deviation without a height means nothing.
  init(sites: [SIMD3<Double>], height: Double?, heightSigma: Double?) {
    self.sites = sites
    self.height = height
    self.heightSigma = height == nil ? nil : heightSigma
    offsets = Array(repeating: 0, count: sites.count)
    isUsed = Array(repeating: true, count: sites.count)
  }

  /// The number of unknown coordinates.
  var unknowns: Int { height != nil && heightSigma == nil ? 2 : 3 }

  /// Parameters that all epochs share.
  enum Parameter: Equatable {
    case bias
    case gain
    case height
    case offset(Int)
    /// The offsets of all anchors.
    case offsets
    /// The position of an anchor, at its height or with it.
    case site(Int, isSpace: Bool)
  }

  /// Returns the number of numbers of a parameter.
  func count(of parameter: Parameter) -> Int {
    switch parameter {
    case .site(_, let isSpace): isSpace ? 3 : 2
    case .offsets: sites.count
    case .bias, .gain, .height, .offset: 1
    }
  }

  /// Returns the numbers of a parameter that the ranges of an anchor depend on: at most three.
  @inline(__always)
  func columns(of parameter: Parameter, _ anchor: Int) -> Range<Int> {
    switch parameter {
    case .bias, .gain, .height: 0..<1
    case .offset(let other): other == anchor ? 0..<1 : 0..<0
    case .offsets: anchor..<(anchor + 1)
    case .site(let other, let isSpace): other == anchor ? 0..<(isSpace ? 3 : 2) : 0..<0
    }
  }

  /// Adds a change to the numbers of a parameter.
  mutating func add(_ step: [Double], to parameter: Parameter) {
    switch parameter {
    case .bias: bias += step[0]
    case .gain: gain = max(1e-6, gain + step[0])
    case .height: height = (height ?? 0) + step[0]
    case .offset(let anchor): offsets[anchor] += step[0]
    case .offsets: for anchor in step.indices { offsets[anchor] += step[anchor] }
    case .site(let anchor, _): for axis in step.indices { sites[anchor][axis] += step[axis] }
    }
  }
}

/// The ranges that a hypothesis uses, in columns.
struct UsedRanges {
  var starts = [0]
  var anchors: [Int] = []
  var sites: [SIMD3<Double>] = []
  /// The distances without bias and offsets, metres.
  var distances: [Double] = []

  init(_ epochs: WeighedEpochs, _ hypothesis: RangeHypothesis) {
    starts.reserveCapacity(epochs.count + 1)
    anchors.reserveCapacity(epochs.anchors.count)
    sites.reserveCapacity(epochs.anchors.count)
    distances.reserveCapacity(epochs.anchors.count)
    for index in 0..<epochs.count {
      for range in epochs.ranges(of: index) {
        let anchor = epochs.anchors[range]
        guard hypothesis.isUsed[anchor] else { continue }
        anchors.append(anchor)
        sites.append(hypothesis.sites[anchor])
        distances.append(epochs.distances[range] - hypothesis.bias - hypothesis.offsets[anchor])
      }
      starts.append(anchors.count)
    }
  }

  @inline(__always)
  func ranges(of epoch: Int) -> Range<Int> { starts[epoch]..<starts[epoch + 1] }
}
