/// The memory layout of a ``TrackState``: pointers into its array, for kernels.
///
/// The state and its covariance with the last expected distance come first. The covariance follows, so that
/// a state of few elements has a short array. Only the lower triangle of it is stored, in panels of two
/// rows. Panel k contains the rows 2k and 2k + 1, up to and including column 2k + 1. It is stored column by
/// column, both rows in both modes. Each column therefore has four numbers: low-noise and high-noise of one
/// row, then of the next:
///
///     panel 0   00 01
///               10 11
///     panel 1   20 21 22 23
///               30 31 32 33
///
/// The pairs above the diagonal in the panels are kept equal to their mirrors, so that kernels can
/// process whole panels. A row beyond the last is zero.
///
/// Indices are unchecked. They must be below ``capacity``, so that no product of them overflows.
struct TrackElements {
  /// The maximum number of elements of a state.
  static let capacity = 32
  /// Number of vectors of four in a column of one pair per element.
  private static let column = capacity / 2

  /// Returns the number of vectors of four of a state of `size` elements, at most ``capacity``.
  static func count(of size: Int) -> Int {
    let panels = (size + 1) / 2
    return 2 * column + panels * (panels + 1)
  }

  private let start: UnsafeMutableRawPointer

  @inline(__always)
  init(_ start: UnsafeMutableRawPointer) { self.start = start }

  /// The state.
  @inline(__always)
  var mean: Column { Column(start) }

  /// The covariance of the state with the last expected distance.
  @inline(__always)
  var gain: Column { Column(start + 32 * Self.column) }

  /// All numbers of the covariance, panel by panel.
  @inline(__always)
  var panels: UnsafeMutablePointer<Double> {
    (start + Self.offset(0, 0)).assumingMemoryBound(to: Double.self)
  }

  /// The first four of panel `index` of the covariance.
  @inline(__always)
  func panel(_ index: Int) -> UnsafeMutablePointer<SIMD4<Double>> {
    (start + Self.offset(2 &* index, 0)).assumingMemoryBound(to: SIMD4<Double>.self)
  }

  /// The covariance of elements `row` and `column`, which must not be above the diagonal.
  @inline(__always)
  subscript(row: Int, column: Int) -> SIMD2<Double> {
    get { start.load(fromByteOffset: Self.offset(row, column), as: SIMD2<Double>.self) }
    nonmutating set {
      start.storeBytes(
        of: newValue, toByteOffset: Self.offset(row, column), as: SIMD2<Double>.self)
      // Its mirror, if the panel contains it.
      if row != column, row / 2 == column / 2 {
        start.storeBytes(
          of: newValue, toByteOffset: Self.offset(column, row), as: SIMD2<Double>.self)
      }
    }
  }

  @inline(__always)
  private static func offset(_ row: Int, _ column: Int) -> Int {
    let panel = row &>> 1
    return 32 &* (2 &* Self.column &+ panel &* (panel &+ 1) &+ column) &+ 16 &* (row & 1)
  }

  /// A column with one pair per element of the state.
  struct Column {
    private let start: UnsafeMutableRawPointer

    @inline(__always)
    fileprivate init(_ start: UnsafeMutableRawPointer) { self.start = start }

    /// All numbers, low-noise and high-noise alternating.
    @inline(__always)
    var numbers: UnsafeMutablePointer<Double> { start.assumingMemoryBound(to: Double.self) }

    /// The pair of element `index`.
    @inline(__always)
    subscript(index: Int) -> SIMD2<Double> {
      get { start.load(fromByteOffset: 16 &* index, as: SIMD2<Double>.self) }
      nonmutating set {
        start.storeBytes(of: newValue, toByteOffset: 16 &* index, as: SIMD2<Double>.self)
      }
    }

    /// The pairs of the two elements of panel `index`.
    @inline(__always)
    subscript(panel index: Int) -> SIMD4<Double> {
      get { start.load(fromByteOffset: 32 &* index, as: SIMD4<Double>.self) }
      nonmutating set {
        start.storeBytes(of: newValue, toByteOffset: 32 &* index, as: SIMD4<Double>.self)
      }
    }
  }
}
