import Fathom

/// Positions of one tag, every epoch by itself.
///
/// An epoch holds the newest range of each anchor that is not older than the window. It is solved at
/// every instant that brings a range, or on the grid that was asked for.
struct FixStage {
  private let anchors: [Anchor]
  private let options: Trilateration.Options
  private let bounds: PositionBounds<3>?
  private let window: Double
  private let sigma: Double
  private let isLinear: Bool
  private var newest: [Sample?]
  /// The positions written down since they were last taken, in order of time.
  private(set) var positions: [PositionRow] = []
  /// Epochs whose ranges leave a continuum or are too few.
  private(set) var undetermined = 0
  /// What was made of the ranges so far, in the order of their coming.
  private(set) var decisions: [DistanceColumns.Decision] = []

  private struct Sample {
    var time: Timestamp
    var distance: Double
    var sigma: Double
    var index: Int
  }

  init(
    anchors: [Anchor], height: Double?, heightSigma: Double? = nil,
    bounds: PositionBounds<3>? = nil, window: Double, sigma: Double,
    isLinear: Bool = false, loss: RobustLoss = .cauchy
  ) {
    self.anchors = anchors
    self.window = window
    self.sigma = sigma
    self.isLinear = isLinear
    newest = [Sample?](repeating: nil, count: anchors.count)
    var options = Trilateration.Options()
    options.height = height
    options.heightSigma = height == nil ? nil : heightSigma
    self.bounds = bounds
    options.rangeSigma = sigma
    options.loss = loss
    self.options = options
  }

  /// The positions written down since they were last asked for, in order of time.
  mutating func takePositions() -> [PositionRow] { positions.taken() }

  /// Takes in a range.
  mutating func add(distance: Double, sigma: Double?, anchor: Int, at time: Timestamp) {
    let surveyed = anchors[anchor].positionSigma ?? 0
    let own = sigma ?? self.sigma
    newest[anchor] = Sample(
      time: time, distance: anchors[anchor].corrected(distance),
      sigma: (own * own + surveyed * surveyed).squareRoot(), index: decisions.count)
    decisions.append(.unused)
  }

  /// Solves the epoch that ends at `time`.
  mutating func solve(at time: Timestamp) {
    var indices: [Int] = []
    var ranges: [Double] = []
    var sigmas: [Double] = []
    var places: [Vector<3>] = []
    for (anchor, sample) in newest.enumerated() {
      // A window of zero still holds ranges of the very instant.
      guard let sample, time.seconds(since: sample.time) <= window else { continue }
      indices.append(sample.index)
      ranges.append(sample.distance)
      sigmas.append(sample.sigma)
      places.append(anchors[anchor].position)
    }
    guard !indices.isEmpty else { return }
    if isLinear {
      solveLinear(indices, ranges, sigmas, places, at: time)
      return
    }
    let fix = try? Trilateration.solve(
      ranges: ranges, anchors: places, sigmas: sigmas, within: bounds, options: options)
    guard let fix, var position = fix.position else {
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
    for place in indices.indices where !fix.discounted.contains(place) {
      decisions[indices[place]] = .used
    }
    positions.append(
      PositionRow(
        time: time, position: position, covariance: covariance,
        used: indices.count - fix.discounted.count, rejected: fix.discounted.count,
        status: status))
  }

  /// Solves the linearised equations of one epoch; they give no covariance.
  private mutating func solveLinear(
    _ indices: [Int], _ ranges: [Double], _ sigmas: [Double], _ places: [Vector<3>],
    at time: Timestamp
  ) {
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
    for index in indices { decisions[index] = .used }
    positions.append(
      PositionRow(
        time: time, position: position, covariance: .undetermined, used: indices.count,
        rejected: 0, status: .fix))
  }

  /// Mirror images agree in a coordinate that they have to the millimetre in common.
  private static let sameCoordinate = 1e-3
}
