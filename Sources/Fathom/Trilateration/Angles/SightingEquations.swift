import RealModule

/// The measurement equations of sightings.
///
/// The unknowns are the position relative to the first anchor, the common heading rotation if it is
/// estimated, and the displacements of the anchors with uncertain positions.
struct SightingEquations {
  private let rays: [SightingResiduals]
  private let assumptions: PositionAssumptions<3>
  private let origin: Vector<3>
  private let scale: Double
  /// Standard deviation of the common rotation, radians, which is the unit of its unknown; nil if
  /// it is not estimated.
  private let turnSigma: Double?

  /// Creates the equations of at least one sighting.
  init(
    _ rays: [SightingResiduals], _ assumptions: PositionAssumptions<3>, turnSigma: Angle? = nil
  ) {
    self.rays = rays
    self.turnSigma = turnSigma?.radians
    self.assumptions = assumptions
    let origin = rays.first?.sighting.anchor ?? .zero
    self.origin = origin
    let scale = rays.reduce(0.0) {
      max($0, $1.sighting.range ?? 0, ($1.sighting.anchor - origin).length)
    }
    self.scale = scale > 0 && scale.isFinite ? scale : 1
  }

  /// The number of unknowns that are anchor displacements.
  private var displacements: Int { rays.reduce(0) { $0 + $1.displacements.count } }

  /// The index of the first displacement among the unknowns.
  private var firstDisplacement: Int { assumptions.free + (turnSigma == nil ? 0 : 1) }

  /// Returns the common rotation that the unknowns represent, or nil if it is not estimated.
  func turn(_ unknowns: [Double]) -> Angle? {
    turnSigma.map { Angle(radians: $0 * unknowns[assumptions.free]) }
  }

  /// Returns the standard deviation of the common rotation, from the covariance of the unknowns.
  func turnSigma(_ covariance: DenseMatrix) -> Angle? {
    turnSigma.map {
      let place = assumptions.free
      return Angle(radians: $0 * max(0, covariance[place, place]).squareRoot())
    }
  }

  /// Returns the position that the unknowns represent.
  func position(_ unknowns: [Double]) -> Vector<3> {
    var position = origin
    for axis in 0..<assumptions.free { position[axis] += unknowns[axis] }
    if let height = assumptions.hardHeight { position[2] = height }
    return position
  }

  /// Returns the position minus the displacement of an anchor: the position relative to the
  /// anchor's nominal place.
  private func position(
    _ unknowns: [Double], from rows: SightingResiduals, _ first: Int
  ) -> Vector<3> {
    var position = position(unknowns)
    for (place, displacement) in rows.displacements.enumerated() {
      position += -unknowns[first + place] * displacement
    }
    return position
  }

  /// Returns the position with displacement and rotation undone: as the sighting measures it in the
  /// given frame.
  private func seenPosition(
    _ unknowns: [Double], from rows: SightingResiduals, _ first: Int, _ turn: HeadingRotation?
  ) -> Vector<3> {
    let position = position(unknowns, from: rows, first)
    return turn?.undone(position, about: rows.sighting.anchor) ?? position
  }

  /// Returns the rows of the measurements, sighting by sighting, of the rotation and the
  /// displacements, and of the priors.
  func equations() -> PositionEquations {
    let priors = assumptions.priorRows(around: origin)
    let free = assumptions.free
    let rays = rays
    let unknowns = firstDisplacement + displacements
    let measured = rays.reduce(0) { $0 + $1.kinds.count }
    let rows = measured + unknowns - free + priors.count
    return PositionEquations(
      free: free, unknowns: unknowns,
      kinds: rays.flatMap { $0.kinds.map { $0 == .range ? .path : .measurement } }
        + (free..<unknowns).map { _ in .nuisance } + priors.map { _ in .prior },
      scale: scale, isSpanDeficient: false, loss: assumptions.loss,
      residuals: { at in
        var residuals: [Double] = []
        residuals.reserveCapacity(rows)
        let turn = turn(at).map(HeadingRotation.init)
        var first = firstDisplacement
        for ray in rays {
          let seen = ray.view(of: seenPosition(at, from: ray, first, turn))
          for (residual, sigma) in zip(ray.residuals(seen), ray.sigmas) {
            residuals.append(residual / sigma)
          }
          first += ray.displacements.count
        }
        for index in free..<max(free, unknowns) { residuals.append(-at[index]) }
        return residuals + priors.map { $0.residual(at) }
      },
      slopes: { at in
        var slopes = DenseMatrix(rows: rows, columns: unknowns)
        let turn = turn(at).map(HeadingRotation.init)
        var (row, first) = (0, firstDisplacement)
        for ray in rays {
          let position = seenPosition(at, from: ray, first, turn)
          let motion = HeadingRotation.motion(of: position, about: ray.sighting.anchor)
          for (turned, sigma) in zip(ray.slopes(ray.view(of: position)), ray.sigmas) {
            let slope = turn?.applied(to: turned) ?? turned
            for axis in 0..<free { slopes[row, axis] = slope[axis] / sigma }
            if let turnSigma { slopes[row, free] = turned.dot(motion) * turnSigma / sigma }
            for (place, displacement) in ray.displacements.enumerated() {
              slopes[row, first + place] = -slope.dot(displacement) / sigma
            }
            row += 1
          }
          first += ray.displacements.count
        }
        for index in free..<max(free, unknowns) { slopes[measured + index - free, index] = 1 }
        for (place, prior) in priors.enumerated() {
          for axis in 0..<free {
            slopes[rows - priors.count + place, axis] = prior.slopes[axis]
          }
        }
        return slopes
      })
  }

  /// Returns the starting points; the displacements start at zero.
  func starts() -> PositionEquations.Starts {
    var positions: [Vector<3>] = []
    // Beyond half a radian, starts that use the given orientation are too far from the solution.
    let isWide = (turnSigma ?? 0) > SightingStarts.wideTurn
    let steps = isWide ? 8 : 1
    for step in 0..<steps {
      let turn = HeadingRotation(Angle(radians: 2 * .pi * Double(step) / Double(steps)))
      let turned = isWide ? rays.map { $0.turned(turn) } : rays
      positions += SightingStarts(turned, scale: scale, height: assumptions.hardHeight).positions
    }
    if let prior = assumptions.prior { positions.append(prior.position) }
    let still = [Double](repeating: 0, count: displacements)
    let starts = positions.map { start in
      let turn = turnSigma.map { [isWide ? likelyTurn(at: start) / $0 : 0] } ?? []
      return (0..<assumptions.free).map { start[$0] - origin[$0] } + turn + still
    }
    var found = PositionEquations.Starts(first: starts, most: 8)
    found.weighted = { _ in starts }
    return found
  }

  /// Returns the rotation that the azimuths support at `position`, radians: the direction of the
  /// sum of their residuals as unit vectors.
  private func likelyTurn(at position: Vector<3>) -> Double {
    var (sine, cosine) = (0.0, 0.0)
    for ray in rays {
      let seen = ray.view(of: position)
      for (kind, residual) in zip(ray.kinds, ray.residuals(seen)) where kind == .azimuth {
        // A device rotated to the left measures all azimuths farther to the right.
        sine += .sin(residual)
        cosine += .cos(residual)
      }
    }
    return sine == 0 && cosine == 0 ? 0 : .atan2(y: sine, x: cosine)
  }
}

/// Starting points of the search for a position from sightings.
struct SightingStarts {
  /// Positions in the world frame, metres.
  private(set) var positions: [Vector<3>] = []
  /// A typical length of the problem, metres.
  let scale: Double

  /// Limit of the standard deviation of the common rotation, radians; beyond it, starts cover the
  /// full circle.
  static let wideTurn = 0.5

  init(_ rays: [SightingResiduals], scale: Double, height: Double?) {
    self.scale = scale
    // Positions measured by single anchors.
    for rows in rays where rows.kinds.contains(where: { $0 != .range }) {
      let anchor = rows.sighting.anchor
      let direction = rows.direction
      for distance in rows.sighting.range.map({ [$0] }) ?? [0.3 * scale, scale, 3 * scale] {
        positions.append(anchor + distance * direction)
        if rows.kinds.contains(.azimuth) && rows.kinds.contains(.elevation) { continue }
        // One angle leaves an arc: one start on either side.
        for side in [-0.5, 0.5] {
          let axis = rows.sighting.orientation * Vector([0, side * distance, 0])
          positions.append(anchor + 0.87 * distance * direction + axis)
        }
      }
    }
    if let crossing = Self.crossing(rays) { positions.append(crossing) }
    for members in minimalSubsets(of: 2, among: rays.count, limit: 28) where rays.count > 2 {
      if let crossing = Self.crossing(members.map { rays[$0] }) { positions.append(crossing) }
    }
    let ranges = rays.filter { $0.kinds.contains(.range) }
    var options = PositionOptions()
    options.height = height
    let fix = try? RangeSolver.solve(
      ranges.map { $0.sighting.range ?? 0 }, ranges.map(\.sighting.anchor),
      ranges.map(\.sighting.rangeSigma), nil, nil, options)
    positions += [fix?.position, fix?.alternative].compactMap { $0 }
  }

  /// Returns the point closest to all planes of sight, or nil with fewer than three planes.
  ///
  /// The plane of an azimuth contains the vertical axis of the device, the plane of an elevation
  /// the horizontal line across the sight.
  private static func crossing(_ rays: [SightingResiduals]) -> Vector<3>? {
    guard let origin = rays.first?.sighting.anchor else { return nil }
    var normals: [[Double]] = []
    var sides: [Double] = []
    for rows in rays {
      let sight = rows.direction
      let up = rows.sighting.orientation * Vector([0, 1, 0])
      let across = sight.cross(up)
      let lift = up - sight.dot(up) * sight
      for (kind, normal) in [(SightingResiduals.Kind.azimuth, across), (.elevation, lift)]
      where rows.kinds.contains(kind) {
        normals.append(normal.array)
        sides.append(normal.dot(rows.sighting.anchor - origin))
      }
    }
    guard normals.count >= 3,
      let solution = try? leastSquares(
        DenseMatrix(normals), DenseMatrix(column: sides),
        rank: .minimumNorm(relativeCutoff: 1e-6)),
      let offset = Vector<3>(array: solution.coefficients.column(0))
    else { return nil }
    return origin + offset
  }
}
