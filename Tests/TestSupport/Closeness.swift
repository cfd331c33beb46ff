/// Whether `value` is within `tolerance` of `expected`; NaN is close only to NaN.
public func isClose(_ value: Double, _ expected: Double, within tolerance: Double) -> Bool {
  if value == expected || (value.isNaN && expected.isNaN) { return true }
  return (value - expected).magnitude <= tolerance
}
