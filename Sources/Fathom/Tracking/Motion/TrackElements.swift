/// Where the numbers of a ``TrackState`` lie: pointers into its array, for kernels.
///
/// Of the covariance only the lower triangle is stored, in panels of two rows: panel k has the rows
/// 2k and 2k + 1, up to and with column 2k + 1, and column after column of both of them, in both
/// modes. That makes four numbers, low-noise and high-noise of one row, then of the next:
///
///     panel 0   00 01
///               10 11
///     panel 1   20 21 22 23
///               30 31 32 33
///
/// The pairs above the diagonal that the panels contain are kept equal to their mirrors, so that
/// whole panels can be worked on without a thought to it. A row beyond the last is zero.
///
/// Nothing is checked: indices are below ``capacity``, so that no product of them overflows.
struct TrackElements {
  /// Numbers that a state has at most.
  static let capacity = 26
  private static let panels = capacity / 2
  /// Elements in fours: the covariance, the state, its covariance with the distance last expected.
  static let count = panels * (panels + 1) + 2 * panels

  private let start: UnsafeMutableRawPointer

  @inline(__always)
  init(_ start: UnsafeMutableRawPointer) { self.start = start }

  /// The state.
  @inline(__always)
  var mean: Column { Column(start + 32 * Self.panels * (Self.panels + 1)) }

  /// The covariance of the state with the distance last expected.
  @inline(__always)
  var gain: Column { Column(start + 32 * Self.panels * (Self.panels + 2)) }

  /// All numbers of the covariance, panel after panel.
  @inline(__always)
  var panels: UnsafeMutablePointer<Double> { start.assumingMemoryBound(to: Double.self) }

  /// The first four of panel `index` of the covariance.
  @inline(__always)
  func panel(_ index: Int) -> UnsafeMutablePointer<SIMD4<Double>> {
    (start + 32 &* index &* (index &+ 1)).assumingMemoryBound(to: SIMD4<Double>.self)
  }

  /// The covariance of numbers `row` and `column`, which is not above the diagonal.
  @inline(__always)
  subscript(row: Int, column: Int) -> SIMD2<Double> {
    get { start.load(fromByteOffset: Self.offset(row, column), as: SIMD2<Double>.self) }
    nonmutating set {
      start.storeBytes(
        of: newValue, toByteOffset: Self.offset(row, column), as: SIMD2<Double>.self)
      // Its mirror, where the panel has it.
      if row != column, row / 2 == column / 2 {
        start.storeBytes(
          of: newValue, toByteOffset: Self.offset(column, row), as: SIMD2<Double>.self)
      }
    }
  }

  @inline(__always)
  private static func offset(_ row: Int, _ column: Int) -> Int {
    let panel = row &>> 1
    return 32 &* (panel &* (panel &+ 1) &+ column) &+ 16 &* (row & 1)
  }

  /// A pair per number of the state.
  struct Column {
    private let start: UnsafeMutableRawPointer

    @inline(__always)
    fileprivate init(_ start: UnsafeMutableRawPointer) { self.start = start }

    /// All numbers, low-noise and high-noise in turn.
    @inline(__always)
    var numbers: UnsafeMutablePointer<Double> { start.assumingMemoryBound(to: Double.self) }

    /// The pair of number `index`.
    @inline(__always)
    subscript(index: Int) -> SIMD2<Double> {
      get { start.load(fromByteOffset: 16 &* index, as: SIMD2<Double>.self) }
      nonmutating set {
        start.storeBytes(of: newValue, toByteOffset: 16 &* index, as: SIMD2<Double>.self)
      }
    }

    /// The pairs of the two numbers of panel `index`.
    @inline(__always)
    subscript(panel index: Int) -> SIMD4<Double> {
      get { start.load(fromByteOffset: 32 &* index, as: SIMD4<Double>.self) }
      nonmutating set {
        start.storeBytes(of: newValue, toByteOffset: 32 &* index, as: SIMD4<Double>.self)
      }
    }
  }
}

extension SIMD4<Double> {
  /// The pair twice.
  @inline(__always)
  init(twice pair: SIMD2<Double>) { self.init(lowHalf: pair, highHalf: pair) }
}
