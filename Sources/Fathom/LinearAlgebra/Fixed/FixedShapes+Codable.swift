/// A vector is encoded as the array of its elements.
extension Vector: Codable {
  /// Decodes a vector.
  ///
  /// - Throws: `DecodingError` if the number of elements is not `Count`.
  public init(from decoder: any Decoder) throws {
    let elements = try decoder.singleValueContainer().decode([Double].self)
    guard let vector = Self(array: elements) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "there must be \(Count) numbers"))
    }
    self = vector
  }

  /// Encodes the elements.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(array)
  }
}

/// A matrix is encoded as the array of its rows.
extension Matrix: Codable {
  /// Decodes a matrix.
  ///
  /// - Throws: `DecodingError` if the shape is another.
  public init(from decoder: any Decoder) throws {
    let rows = try decoder.singleValueContainer().decode([[Double]].self)
    guard let matrix = Self(array: rows) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "there must be \(Rows) rows of \(Columns) numbers"))
    }
    self = matrix
  }

  /// Encodes the rows.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(array)
  }
}
