/// The equations of sightings: the position relative to the first anchor, and after it the
/// displacements of the anchors whose positions are uncertain.
struct SightingEquations {
  private let rays: [SightingRows]
  private let assumptions: PositionAssumptions<3>
  private let origin: Vector<3>
  private let scale: Double

  /// The equations of at least one sighting.
  init(_ rays: [SightingRows], _ assumptions: PositionAssumptions<3>) {
    self.rays = rays
    self.assumptions = assumptions
    let origin = rays.first?.sighting.anchor ?? .zero
    self.origin = origin
    let scale = rays.reduce(0.0) {
      max($0, $1.sighting.range ?? 0, ($1.sighting.anchor - origin).length)
    }
    self.scale = scale > 0 && scale.isFinite ? scale : 1
  }

  /// How many unknowns are displacements of anchors.
  private var displacements: Int { rays.reduce(0) { $0 + $1.displacements.count } }

  /// The position that unknowns stand for.
  func position(_ unknowns: [Double]) -> Vector<3> {
    var position = origin
    for axis in 0..<assumptions.free { position[axis] += unknowns[axis] }
    if let height = assumptions.hardHeight { position[2] = height }
    return position
  }

  /// The position less the displacement of an anchor: what the anchor sees where it was thought to
  /// be.
  private func position(
    _ unknowns: [Double], from rows: SightingRows, _ first: Int
  ) -> Vector<3> {
    var position = position(unknowns)
    for (place, displacement) in rows.displacements.enumerated() {
      position += -unknowns[first + place] * displacement
    }
    return position
  }

  /// Rows of the measurements, sighting by sighting, of the displacements, and of the beliefs.
  func equations() -> PositionEquations {
    let beliefs = assumptions.beliefs(around: origin)
    let free = assumptions.free
    let rays = rays
    let unknowns = free + displacements
    let measured = rays.reduce(0) { $0 + $1.kinds.count }
    let rows = measured + displacements + beliefs.count
    return PositionEquations(
      free: free, unknowns: unknowns,
      kinds: rays.flatMap { $0.kinds.map { $0 == .range ? .path : .measurement } }
        + (free..<unknowns).map { _ in .nuisance } + beliefs.map { _ in .belief },
      scale: scale, isFlat: false, loss: assumptions.loss,
      residuals: { at in
        var residuals: [Double] = []
        residuals.reserveCapacity(rows)
        var first = free
        for ray in rays {
          let seen = ray.view(of: position(at, from: ray, first))
          for (residual, sigma) in zip(ray.residuals(seen), ray.sigmas) {
            residuals.append(residual / sigma)
          }
          first += ray.displacements.count
        }
        for index in free..<max(free, unknowns) { residuals.append(-at[index]) }
        return residuals + beliefs.map { $0.residual(at) }
      },
      slopes: { at in
        var slopes = DenseMatrix(rows: rows, columns: unknowns)
        var (row, first) = (0, free)
        for ray in rays {
          let seen = ray.view(of: position(at, from: ray, first))
          for (slope, sigma) in zip(ray.slopes(seen), ray.sigmas) {
            for axis in 0..<free { slopes[row, axis] = slope[axis] / sigma }
            for (place, displacement) in ray.displacements.enumerated() {
              slopes[row, first + place] = -slope.dot(displacement) / sigma
            }
            row += 1
          }
          first += ray.displacements.count
        }
        for index in free..<max(free, unknowns) { slopes[measured + index - free, index] = 1 }
        for (place, belief) in beliefs.enumerated() {
          for axis in 0..<free {
            slopes[rows - beliefs.count + place, axis] = belief.slopes[axis]
          }
        }
        return slopes
      })
  }

  /// Where to start: without displacements.
  func starts() -> PositionEquations.Starts {
    var positions = SightingStarts(rays, scale: scale, height: assumptions.hardHeight).positions
    if let prior = assumptions.prior { positions.append(prior.position) }
    let free = assumptions.free
    let still = [Double](repeating: 0, count: displacements)
    let starts = positions.map { start in
      (0..<free).map { start[$0] - origin[$0] } + still
    }
    var found = PositionEquations.Starts(first: starts, most: 8)
    found.weighted = { _ in starts }
    return found
  }
}
