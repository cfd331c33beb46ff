/// Positions from anchors that measure angles, ranges, or both.
///
/// One anchor that measures a range and both angles is enough; angles alone need two. All that every
/// anchor measured goes into one likelihood of normal errors, with angles compared by the shorter way
/// round. Starts are the positions that single anchors see, the point closest to all planes of sight,
/// and what ``Trilateration`` makes of the ranges; ``LevenbergMarquardt`` refines them.
public enum RangesAndAngles {
  /// What is known besides the measurements.
  public struct Options: Sendable, Equatable {
    /// The known height, metres.
    public var height: Double?

    /// The defaults.
    public init() {}
  }

  /// Solves for the position that makes all measurements most likely.
  ///
  /// An anchor whose position is uncertain has residuals that are correlated; their covariance is that
  /// of the measurements plus G Σ Gᵀ, where G has the derivatives by the anchor's position. It is
  /// taken at the solution, in three passes.
  ///
  /// - Parameters:
  ///   - sightings: what every anchor measured, in any number; those without a usable measurement are
  ///     listed in ``PositionFix/discounted``.
  ///   - options: a known height.
  /// - Returns: The fix, with the residuals of ranges and of angles.
  /// - Throws: ``TrilaterationError``: `anchorNotFinite` also for an orientation or a covariance that
  ///   is not finite, `sigmaNotPositive` for a standard deviation of a measurement that is there.
  ///
  /// ## Edge cases
  /// - A range that is NaN, infinite, zero or negative and an angle that is not finite count as not
  ///   measured.
  /// - Fewer measurements than unknowns: `too_few`. As many or more that leave a direction open, such as
  ///   a range and an azimuth alone in space: `continuum`.
  /// - Straight above or below an anchor its azimuth says nothing, and pulls nowhere.
  /// - Without any angle use ``Trilateration``, which is faster and knows the flats of anchors.
  ///
  /// ## Cost
  /// Some hundreds of microseconds for a few anchors; allocates.
  public static func solve(
    _ sightings: [Sighting], options: Options = Options()
  ) throws(TrilaterationError) -> SightingFix {
    if let height = options.height, !height.isFinite { throw .heightNotFinite }
    var rays: [SightingRows] = []
    var usable: [Int] = []
    for (index, sighting) in sightings.enumerated() {
      guard sighting.anchor.isFinite, sighting.orientation.isFinite,
        sighting.anchorCovariance?.isFinite ?? true
      else { throw .anchorNotFinite(index: index) }
      let rows = SightingRows(sighting)
      guard rows.sigmas.allSatisfy({ $0 > 0 && $0.isFinite }) else {
        throw .sigmaNotPositive(index: index)
      }
      guard !rows.kinds.isEmpty else { continue }
      rays.append(rows)
      usable.append(index)
    }
    let free = options.height == nil ? 3 : 2
    var result = SightingFix(count: sightings.count, unknowns: free)
    result.fix.discounted = sightings.indices.filter { !usable.contains($0) }
    let count = rays.reduce(0) { $0 + $1.kinds.count }
    guard count >= free, let origin = rays.first?.sighting.anchor else { return result }

    let scale = rays.reduce(0.0) {
      max($0, $1.sighting.range ?? 0, ($1.sighting.anchor - origin).length)
    }
    let starts = SightingStarts(rays, scale: scale > 0 ? scale : 1, height: options.height)
    func position(_ unknowns: [Double]) -> Vector<3> {
      var position = origin
      for axis in 0..<free { position[axis] += unknowns[axis] }
      if let height = options.height { position[2] = height }
      return position
    }
    var candidates = starts.positions.map { start in
      (0..<free).map { start[$0] - origin[$0] }
    }
    var solutions: [PositionEquations.Solution] = []
    let hasUncertainAnchor = rays.contains { $0.sighting.anchorCovariance != nil }
    for pass in 0..<(hasUncertainAnchor ? 3 : 1) {
      if pass > 0 {
        guard let best = solutions.first else { break }
        for index in rays.indices { rays[index].correlate(at: position(best.unknowns)) }
        candidates = solutions.map(\.unknowns)
      }
      let rows = rays
      let equations = PositionEquations(
        free: free, nuisances: 0, count: count, scale: starts.scale, isFlat: false,
        residuals: { unknowns in
          let at = position(unknowns)
          return rows.flatMap { $0.whitened(at: at).residuals }
        },
        jacobian: { unknowns in
          let at = position(unknowns)
          return DenseMatrix(
            rows.flatMap { $0.whitened(at: at).slopes.map { Array($0.prefix(free)) } })
        })
      solutions = equations.solutions(from: candidates, refining: 8)
      result.fix.describe(
        solutions, of: equations, position: position,
        residuals: { _ in [Double?](repeating: nil, count: sightings.count) })
    }
    if let best = solutions.first {
      result.describe(rays, usable, at: position(best.unknowns))
    }
    return result
  }
}
