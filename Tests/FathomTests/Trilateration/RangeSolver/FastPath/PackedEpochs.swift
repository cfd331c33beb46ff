@testable import Fathom

/// Calls `body` with a packed epoch; returns nil if the fast path does not apply.
func withPackedEpoch<let D: Int, Value>(
  _ ranges: [Double], _ anchors: [Vector<D>], sigmas: [Double]? = nil,
  options: Trilateration.Options = Trilateration.Options(), _ body: (PackedEpoch) throws -> Value?
) rethrows -> Value? {
  try withUnsafeTemporaryAllocation(
    of: PackedEpoch.Pair.self, capacity: PackedEpoch.capacity(for: ranges.count)
  ) { pairs in
    var absent = 0
    guard let base = pairs.baseAddress,
      let epoch = PackedEpoch.laidOut(
        ranges, anchors, sigmas, options, pairs: base, absent: &absent)
    else { return nil }
    return try body(epoch)
  }
}

extension PackedEpoch {
  /// Returns a position in the coordinates of the anchors.
  func place(_ offset: SIMD3<Double>) -> Vector<3> {
    Vector([origin.x + offset.x, origin.y + offset.y, origin.z + offset.z])
  }
}

extension PackedCauchyLoss {
  /// The loss of the default options.
  static var usual: Self {
    let tuning = RobustLoss.cauchy.tuning
    return Self(inverseSquare: 1 / (tuning * tuning))
  }
}
