@testable import Fathom

/// Lays out an epoch and lends it to `body`; nil where it is not plain.
func withPlainEpoch<let D: Int, Value>(
  _ ranges: [Double], _ anchors: [Vector<D>], sigmas: [Double]? = nil,
  options: Trilateration.Options = Trilateration.Options(), _ body: (PlainEpoch) throws -> Value?
) rethrows -> Value? {
  try withUnsafeTemporaryAllocation(
    of: PlainEpoch.Pair.self, capacity: PlainEpoch.room(for: ranges.count)
  ) { room in
    var absent = 0
    guard let base = room.baseAddress,
      let epoch = PlainEpoch.laidOut(
        ranges, anchors, sigmas, options, pairs: base, absent: &absent)
    else { return nil }
    return try body(epoch)
  }
}

extension PlainEpoch {
  /// A position relative to the anchors' coordinates.
  func place(_ offset: SIMD3<Double>) -> Vector<3> {
    Vector([origin.x + offset.x, origin.y + offset.y, origin.z + offset.z])
  }
}

extension PlainCauchy {
  /// That of the default options.
  static var usual: Self {
    let tuning = RobustLoss.cauchy.tuning
    return Self(inverseSquare: 1 / (tuning * tuning))
  }
}
