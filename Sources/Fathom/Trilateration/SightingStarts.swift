/// Where to start the search for a position from sightings.
struct SightingStarts {
  /// Positions in the world frame, metres.
  private(set) var positions: [Vector<3>] = []
  /// A length typical of the problem, metres.
  let scale: Double

  /// Orientations whose common turn has a greater standard deviation, radians, are tried all round.
  static let wideTurn = 0.5

  init(_ rays: [SightingRows], scale: Double, height: Double?) {
    self.scale = scale
    // What single anchors see.
    for rows in rays where rows.kinds.contains(where: { $0 != .range }) {
      let anchor = rows.sighting.anchor
      let direction = rows.direction
      for distance in rows.sighting.range.map({ [$0] }) ?? [0.3 * scale, scale, 3 * scale] {
        positions.append(anchor + distance * direction)
        if rows.kinds.contains(.azimuth) && rows.kinds.contains(.elevation) { continue }
        // One angle leaves an arc: either side of it.
        for side in [-0.5, 0.5] {
          let axis = rows.sighting.orientation * Vector([0, side * distance, 0])
          positions.append(anchor + 0.87 * distance * direction + axis)
        }
      }
    }
    if let crossing = Self.crossing(rays) { positions.append(crossing) }
    for members in smallestSets(of: 2, among: rays.count, limit: 28) where rays.count > 2 {
      if let crossing = Self.crossing(members.map { rays[$0] }) { positions.append(crossing) }
    }
    let ranges = rays.filter { $0.kinds.contains(.range) }
    var options = Trilateration.Options()
    options.height = height
    let fix = try? Trilateration.solve(
      ranges: ranges.map { $0.sighting.range ?? 0 }, anchors: ranges.map(\.sighting.anchor),
      sigmas: ranges.map(\.sighting.rangeSigma), options: options)
    positions += [fix?.position, fix?.alternative].compactMap { $0 }
  }

  /// The point closest to all planes of sight: that of an azimuth holds the vertical axis of the
  /// device, that of an elevation the line across; nil without three planes.
  private static func crossing(_ rays: [SightingRows]) -> Vector<3>? {
    guard let origin = rays.first?.sighting.anchor else { return nil }
    var normals: [[Double]] = []
    var sides: [Double] = []
    for rows in rays {
      let sight = rows.direction
      let up = rows.sighting.orientation * Vector([0, 1, 0])
      let across = Vector<3>([
        sight[1] * up[2] - sight[2] * up[1], sight[2] * up[0] - sight[0] * up[2],
        sight[0] * up[1] - sight[1] * up[0],
      ])
      let lift = up - sight.dot(up) * sight
      for (kind, normal) in [(SightingRows.Kind.azimuth, across), (.elevation, lift)]
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
