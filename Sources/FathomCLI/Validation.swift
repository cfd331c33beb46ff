import ArgumentParser

/// Fails, as a mistake in usage, where `value` is given and not in `range`; NaN is in none.
func require(
  _ value: Double?, _ name: String, in range: ClosedRange<Double>
) throws {
  if let value, !range.contains(value) {
    throw ValidationError(
      "\(name) wants a number from \(range.lowerBound.plainText)"
        + " to \(range.upperBound.plainText)")
  }
}
