import Testing

/// `value` unwrapped; a test without it ends here, as with `#require`.
///
/// For the results of mutating methods, which the macro cannot call.
public func required<Value>(
  _ value: Value?, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
  try #require(value, sourceLocation: sourceLocation)
}
