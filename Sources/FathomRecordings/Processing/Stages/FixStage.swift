import Fathom

/// Positions of one tag, every epoch by itself.
///
/// An epoch holds the newest range of each anchor that is not older than the window. It is solved at
/// every instant that brings a range, or on the grid that was asked for. Where the tag measured
/// directions and its attitude is known, they count as well.
struct FixStage {
  private let anchors: [Anchor]
  private let options: Trilateration.Options
  private let bounds: PositionBounds<3>?
  private let window: Double
  private let sigma: Double
  private let isLinear: Bool
  private var newest: [FixSample?]
  /// The directions that the tag measured; nil where nobody knows how it was held.
  private(set) var directions: TagDirections?
  /// The positions written down since they were last taken, in order of time.
  private(set) var positions: [PositionRow] = []
  /// Epochs whose ranges leave a continuum or are too few.
  private(set) var undetermined = 0
  /// What was made of the ranges so far, in the order of their coming.
  private(set) var decisions: [DistanceColumns.Decision] = []

  init(
    anchors: [Anchor], height: Double?, heightSigma: Double? = nil,
    bounds: PositionBounds<3>? = nil, window: Double, sigma: Double,
    isLinear: Bool = false, loss: RobustLoss = .cauchy
  ) {
    self.anchors = anchors
    self.window = window
    self.sigma = sigma
    self.isLinear = isLinear
    newest = [FixSample?](repeating: nil, count: anchors.count)
    var options = Trilateration.Options()
    options.height = height
    options.heightSigma = height == nil ? nil : heightSigma
    self.bounds = bounds
    options.rangeSigma = sigma
    options.loss = loss
    self.options = options
  }

  /// The same with the directions that the tag measured under `attitudes`.
  ///
  /// - Parameters:
  ///   - attitudes: how the tag was held.
  ///   - settings: what its directions mean and how large their errors are.
  /// - Returns: The stage.
  func withDirections(_ attitudes: AttitudeTrack, _ settings: ProcessingSettings) -> FixStage {
    var stage = self
    stage.directions = TagDirections(attitudes, settings, positions: options)
    return stage
  }

  /// The positions written down since they were last asked for, in order of time.
  mutating func takePositions() -> [PositionRow] { positions.taken() }

  /// Takes in a range.
  mutating func add(distance: Double, sigma: Double?, anchor: Int, at time: Timestamp) {
    let surveyed = anchors[anchor].positionSigma ?? 0
    let own = sigma ?? self.sigma
    newest[anchor] = FixSample(
      time: time, anchor: anchors[anchor].position,
      distance: anchors[anchor].corrected(distance),
      sigma: (own * own + surveyed * surveyed).squareRoot(), surveySigma: surveyed,
      index: decisions.count)
    decisions.append(.unused)
  }

  /// Adds the direction that row `index` of `ranges` measured to the range that was just taken in.
  mutating func addDirection(at index: Int, of ranges: RangeColumns) {
    newest[Int(ranges.anchor[index])]?.observation = directions?.observation(at: index, of: ranges)
  }

  /// Solves the epoch that ends at `time`.
  mutating func solve(at time: Timestamp) {
    var samples: [FixSample] = []
    for anchor in newest.indices {
      // Of anchors long gone nothing but the time is looked at; a window of zero still holds ranges of
      // the very instant.
      guard let last = newest[anchor]?.time, time.seconds(since: last) <= window,
        let sample = newest[anchor]
      else { continue }
      samples.append(sample)
    }
    guard !samples.isEmpty else { return }
    if isLinear {
      solveLinear(samples, at: time)
      return
    }
    let found: (fix: PositionFix<3>, unused: [Int])?
    if let directions, samples.contains(where: { $0.observation != nil }) {
      found = directions.fix(samples, within: bounds)
    } else {
      let fix = try? Trilateration.solve(
        ranges: samples.map(\.distance), anchors: samples.map(\.anchor),
        sigmas: samples.map(\.sigma), within: bounds, options: options)
      found = fix.map { ($0, $0.discounted) }
    }
    guard let (fix, unused) = found, var position = fix.position else {
      undetermined += 1
      return
    }
    var covariance = fix.covariance ?? .undetermined
    var status: PositionColumns.Status = fix.verdict == .inconsistent ? .inconsistent : .fix
    if let alternative = fix.alternative {
      status = .ambiguous
      let same = (0..<3).map { (position[$0] - alternative[$0]).magnitude <= Self.sameCoordinate }
      // Above or below a level plane of anchors the horizontal position is still determined.
      for axis in 0..<3 where !same[axis] || !(same[0] && same[1]) {
        position[axis] = .nan
        for other in 0..<3 {
          covariance[axis, other] = .nan
          covariance[other, axis] = .nan
        }
      }
    }
    for place in samples.indices where !unused.contains(place) {
      decisions[samples[place].index] = .used
    }
    positions.append(
      PositionRow(
        time: time, position: position, covariance: covariance,
        used: samples.count - unused.count, rejected: unused.count, status: status))
  }

  /// Solves the linearised equations of one epoch; they give no covariance.
  private mutating func solveLinear(_ samples: [FixSample], at time: Timestamp) {
    let (ranges, sigmas) = (samples.map(\.distance), samples.map(\.sigma))
    let places = samples.map(\.anchor)
    var position: Vector<3>?
    if let height = options.height, options.heightSigma == nil {
      // Slant ranges become horizontal ones; one that does not reach the tag's height ends right above.
      let horizontal = zip(ranges, places).map { range, place in
        let rise = place[2] - height
        return max(0, range * range - rise * rise).squareRoot()
      }
      let flat: [Vector<2>] = places.map { Vector([$0[0], $0[1]]) }
      if let found = try? Trilateration.linearLeastSquares(
        ranges: horizontal, anchors: flat, sigmas: sigmas)
      {
        position = Vector([found[0], found[1], height])
      }
    } else {
      position = try? Trilateration.linearLeastSquares(
        ranges: ranges, anchors: places, sigmas: sigmas)
    }
    guard let position else {
      undetermined += 1
      return
    }
    for sample in samples { decisions[sample.index] = .used }
    positions.append(
      PositionRow(
        time: time, position: position, covariance: .undetermined, used: samples.count,
        rejected: 0, status: .fix))
  }

  /// Mirror images agree in a coordinate that they have to the millimetre in common.
  private static let sameCoordinate = 1e-3
}
