import CVectors

/// The elimination of the states of a chain.
///
/// States that are tied to those of other chains are kept. They divide a chain into parts, whose states are
/// coupled to the common unknowns and to the kept states before and after them, and to nothing else. A chain
/// without ties is one part. The states of a part are eliminated from the first to the last, and the
/// border is processed as further right-hand sides [Golub & Van Loan 2013, Sec. 4.5.1]. The cost is linear in
/// the number of states.
extension ChainEquations {
  /// Successive states that are eliminated, and whether a kept state is next to them on each side.
  struct Part {
    var states: Range<Int>
    var isAfterKept = false
    var isBeforeKept = false

    /// The number of columns of the border that are in use.
    fileprivate func columns(_ shared: Int) -> Int { shared + (isAfterKept ? N : 0) }
    /// The number of unknowns on which the states depend: the common ones, and the kept states.
    func outer(_ shared: Int) -> Int { columns(shared) + (isBeforeKept ? N : 0) }
  }

  /// Eliminates the states of a part: what they say about kept states and common unknowns is added to the
  /// equations of these.
  ///
  /// The kept state after a part is then coupled to the one before it in the last columns of its
  /// border. Returns whether the equations are positive definite; they are, unless a number
  /// overflows.
  mutating func eliminate(_ part: Part, _ sums: inout [Double]) -> Bool {
    precondition((4...8).contains(N) || N == 10, "N must be 4 to 8, or 10")
    let first = part.states.lowerBound
    if part.isAfterKept, first < count {
      for row in 0..<N {
        for column in 0..<N {
          border[stride * (N * first + column) + shared + row] +=
            upper[N * N * (first - 1) + N * row + column]
        }
      }
    }
    guard !part.states.isEmpty else { return true }
    let size = stride * (stride + 1)
    if sums.count != size { sums = Array(repeating: 0, count: size) }
    for index in sums.indices { sums[index] = 0 }
    guard eliminate(part.states, isFollowed: part.isBeforeKept, &sums) else { return false }
    for row in 0..<shared {
      for column in 0...row {
        corner[shared * row + column] += sums[stride * row + column]
        corner[shared * column + row] = corner[shared * row + column]
      }
      common[row] += sums[stride * stride + row]
    }
    guard part.isAfterKept else { return true }
    for row in 0..<N {
      let line = stride * (shared + row)
      let place = N * (first - 1) + row
      for column in 0..<shared { border[stride * place + column] += sums[line + column] }
      for column in 0...row {
        let value = sums[line + shared + column]
        diagonal[N * place + column] += value
        if column < row { diagonal[N * (place - row + column) + row] += value }
      }
      right[place] += sums[stride * stride + shared + row]
    }
    return true
  }

  /// Runs the kernel over some states; `sums` receives what it subtracts from other unknowns.
  private mutating func eliminate(
    _ states: Range<Int>, isFollowed: Bool, _ sums: inout [Double]
  ) -> Bool {
    let (first, stride) = (states.lowerBound, stride)
    var isDefinite = false
    sums.withUnsafeMutableBufferPointer { sums in
      diagonal.withUnsafeMutableBufferPointer { diagonal in
        upper.withUnsafeMutableBufferPointer { upper in
          right.withUnsafeMutableBufferPointer { right in
            border.withUnsafeMutableBufferPointer { border in
              guard let diagonal = diagonal.baseAddress, let upper = upper.baseAddress,
                let right = right.baseAddress, let border = border.baseAddress,
                let sums = sums.baseAddress
              else { return }
              var chain = cvectors_chain(
                order: N, count: states.count, is_followed: isFollowed ? 1 : 0, stride: stride,
                diagonal: diagonal + N * N * first, upper: upper + N * N * first,
                right: right + N * first, border: border + N * stride * first, corner: sums,
                common: sums + stride * stride)
              isDefinite = cvectors_eliminate(&chain) == 1
            }
          }
        }
      }
    }
    return isDefinite
  }

  /// Computes the eliminated states of a part, given the common unknowns and the kept states beside it.
  ///
  /// `outer` has the common unknowns, followed by the kept state before the part. `states` has `N`
  /// numbers each; the right-hand sides of the eliminated ones are replaced.
  func solve(_ part: Part, _ outer: [Double], into states: inout [Double]) {
    let columns = part.columns(shared)
    withBlocks { blocks in
      states.withUnsafeMutableBufferPointer { states in
        outer.withUnsafeBufferPointer { outer in
          guard let states = states.baseAddress, let outer = outer.baseAddress else { return }
          for index in part.states.reversed() {
            let own = states + N * index
            Self.subtract(
              blocks.edge(index), times: outer, from: own, columns: columns, stride: stride)
            if let link = blocks.link(index) {
              Self.subtract(link, times: own + N, from: own, columns: N, stride: N)
            }
            Self.backward(blocks.lower(index), own, columns: 1)
          }
        }
      }
    }
  }
}

// MARK: - Blocks

extension ChainEquations {
  /// Pointers to the blocks of the eliminated states.
  struct Blocks {
    fileprivate let diagonal: UnsafePointer<Double>
    fileprivate let upper: UnsafePointer<Double>
    fileprivate let border: UnsafePointer<Double>
    fileprivate let count: Int
    fileprivate let stride: Int

    /// The factor L of a state.
    func lower(_ index: Int) -> UnsafePointer<Double> { diagonal + N * N * index }
    /// L⁻¹ times the block from a state to the next; nil for the last.
    func link(_ index: Int) -> UnsafePointer<Double>? {
      index + 1 < count ? upper + N * N * index : nil
    }
    /// L⁻¹ times the border rows of a state.
    func edge(_ index: Int) -> UnsafePointer<Double> { border + N * stride * index }
  }

  /// Calls `body` with the blocks, which are valid during the call.
  func withBlocks(_ body: (Blocks) -> Void) {
    diagonal.withUnsafeBufferPointer { diagonal in
      upper.withUnsafeBufferPointer { upper in
        border.withUnsafeBufferPointer { border in
          guard let diagonal = diagonal.baseAddress, let upper = upper.baseAddress,
            let border = border.baseAddress
          else { return }
          body(
            Blocks(
              diagonal: diagonal, upper: upper, border: border, count: count, stride: stride))
        }
      }
    }
  }

  /// Multiplies the `columns` columns of `b` by L⁻ᵀ, in place.
  @inline(__always)
  static func backward(
    _ lower: UnsafePointer<Double>, _ b: UnsafeMutablePointer<Double>, columns: Int
  ) {
    for row in (0..<N).reversed() {
      for below in row + 1..<max(N, row + 1) {
        let factor = lower[N * below + row]
        for column in 0..<columns {
          b[columns * row + column] -= factor * b[columns * below + column]
        }
      }
      let inverse = 1 / lower[N * row + row]
      for column in 0..<columns { b[columns * row + column] *= inverse }
    }
  }

  /// Subtracts A B from `target`, where A is `N` x `N`.
  @inline(__always)
  static func subtract(
    _ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>,
    from target: UnsafeMutablePointer<Double>, columns: Int
  ) {
    for row in 0..<N {
      for inner in 0..<N {
        let factor = a[N * row + inner]
        for column in 0..<columns {
          target[columns * row + column] -= factor * b[columns * inner + column]
        }
      }
    }
  }

  /// Subtracts A x from `target`, where A is `N` x `columns` with a row stride of `stride`.
  @inline(__always)
  fileprivate static func subtract(
    _ a: UnsafePointer<Double>, times x: UnsafePointer<Double>,
    from target: UnsafeMutablePointer<Double>, columns: Int, stride: Int
  ) {
    for row in 0..<N {
      var sum = target[row]
      for column in 0..<columns { sum -= a[stride * row + column] * x[column] }
      target[row] = sum
    }
  }
}
