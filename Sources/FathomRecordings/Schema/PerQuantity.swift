/// A value for each ``RangeQuantity``.
package struct PerQuantity<Value> {
  private var values: InlineArray<13, Value>

  /// Creates a table with the same value for each quantity.
  package init(repeating value: Value) { values = InlineArray(repeating: value) }

  /// The value for `quantity`.
  package subscript(quantity: RangeQuantity) -> Value {
    @inline(__always) get { values[quantity.rawValue] }
    @inline(__always) _modify { yield &values[quantity.rawValue] }
  }
}

extension PerQuantity: Sendable where Value: Sendable {}

extension PerQuantity: Equatable where Value: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    RangeQuantity.allCases.allSatisfy { left[$0] == right[$0] }
  }
}
