/// Components by name, and conversions to and from SIMD vectors.
extension Vector where Count == 2 {
  /// Creates a vector of the two components.
  @inlinable
  public init(x: Double, y: Double) { self.init([x, y]) }

  /// Creates a vector of the components of `simd`.
  @inlinable
  public init(simd: SIMD2<Double>) { self.init([simd.x, simd.y]) }

  /// Creates a vector of the components of `simd`.
  @inlinable
  public init(simd: SIMD2<Float>) { self.init(simd: SIMD2<Double>(simd)) }

  /// The vector as a SIMD vector.
  @inlinable
  public var simd: SIMD2<Double> { SIMD2(self[0], self[1]) }

  /// The first component.
  @inlinable
  public var x: Double {
    get { self[0] }
    set { self[0] = newValue }
  }

  /// The second component.
  @inlinable
  public var y: Double {
    get { self[1] }
    set { self[1] = newValue }
  }
}

extension Vector where Count == 3 {
  /// Creates a vector of the three components.
  @inlinable
  public init(x: Double, y: Double, z: Double) { self.init([x, y, z]) }

  /// Creates a vector of the components of `simd`.
  @inlinable
  public init(simd: SIMD3<Double>) { self.init([simd.x, simd.y, simd.z]) }

  /// Creates a vector of the components of `simd`.
  @inlinable
  public init(simd: SIMD3<Float>) { self.init(simd: SIMD3<Double>(simd)) }

  /// The vector as a SIMD vector.
  @inlinable
  public var simd: SIMD3<Double> { SIMD3(self[0], self[1], self[2]) }

  /// The first component.
  @inlinable
  public var x: Double {
    get { self[0] }
    set { self[0] = newValue }
  }

  /// The second component.
  @inlinable
  public var y: Double {
    get { self[1] }
    set { self[1] = newValue }
  }

  /// The third component.
  @inlinable
  public var z: Double {
    get { self[2] }
    set { self[2] = newValue }
  }
}
