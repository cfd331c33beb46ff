import Testing

/// Returns whether `value` is within `tolerance` of `expected`; NaN is close only to NaN.
public func isClose(_ value: Double, _ expected: Double, within tolerance: Double) -> Bool {
  if value == expected || (value.isNaN && expected.isNaN) { return true }
  return (value - expected).magnitude <= tolerance
}

/// Returns `value` unwrapped, and ends the test when it is nil, like `#require`.
///
/// For the results of mutating methods, which the macro cannot call.
public func required<Value>(
  _ value: Value?, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
  try #require(value, sourceLocation: sourceLocation)
}
