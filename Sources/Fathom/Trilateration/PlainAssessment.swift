/// What the ranges of a plain epoch say at a position.
struct PlainAssessment: ~Copyable {
  /// Σ w u uᵀ/σ², and Σ u uᵀ.
  var information = PairMatrix()
  /// Sum of squares of all residuals in standard deviations.
  var allSquares = 0.0
  /// The same without those that have lost more than half of their weight.
  var squares = 0.0
  /// How many have.
  var lost = 0
  /// Σ w r², m².
  var weightedSquares = 0.0
  /// Σ w.
  var weights = 0.0

  /// Whether so many ranges agree with each other that no search can find a position for more of
  /// them.
  func isConfirmed(count: Int, free: Int) -> Bool {
    lost <= 1 && count - lost >= free + 4
      && squares <= chiSquareLimit(degreesOfFreedom: count - lost - free)
  }
}

extension PlainEpoch {
  /// Leaves residuals, weights and informations in the blocks and their sums in `place`: there they
  /// stay, a copy right after they were written would wait for them.
  func assess<Loss: PlainLoss>(
    _ here: SIMD3<Double>, _ loss: Loss, into place: inout PlainAssessment
  ) {
    var (information, unit) = (PairMatrix(), PairMatrix())
    var (all, kept, lost) = (Pair.zero, Pair.zero, Pair.zero)
    var (weights, weighted) = (Pair.zero, Pair.zero)
    let (one, half) = (Pair(repeating: 1), Pair(repeating: 0.5))
    // In two passes, as the expansion.
    var block = pairs
    for _ in 0..<blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      let square = dx * dx + dy * dy + dz * dz + 1e-200
      let sharpness = block[Self.sharpness]
      let residual = block[Self.range] - square.squareRoot()
      let squares = residual * residual
      let scaled = sharpness * squares
      let growth = 1 + loss.inverseSquare * scaled
      let both = 1 / (square * growth)
      let weight = both * square
      // The directions are d / |d|: one reciprocal of the square serves their products.
      let inverse = both * growth
      block[Self.residual] = residual
      block[Self.weight] = weight
      // Nothing for the partner of an odd range.
      let isRange = sharpness .> 0
      let isLost = weight .< half
      let share = weight.replacing(with: 0, where: .!isRange)
      all += scaled
      weights += share
      weighted += share * squares
      lost += Pair.zero.replacing(with: one, where: isLost)
      kept += scaled.replacing(with: 0, where: isLost)
      block[Self.stiffness] = inverse.replacing(with: 0, where: .!isRange)
      block[Self.information] = inverse * (weight * sharpness)
      block += Self.blockLength
    }
    block = pairs
    for _ in 0..<blocks {
      let (dx, dy, dz) = (here.x - block[0], here.y - block[1], here.z - block[2])
      unit.add(dx, dy, dz, weight: block[Self.stiffness])
      information.add(dx, dy, dz, weight: block[Self.information])
      block += Self.blockLength
    }
    place.information = .totals(information, unit)
    (place.allSquares, place.squares) = (all.both, kept.both)
    place.lost = Int(lost.both)
    (place.weightedSquares, place.weights) = (weighted.both, weights.both)
  }
}
