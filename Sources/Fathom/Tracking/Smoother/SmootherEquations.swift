import RealModule

/// The normal equations of a smoothed track, and their solution: a chain of states, each tied to
/// the next by the motion, and a few unknowns that all have in common.
///
/// With T block-tridiagonal in the states, B the border to the common unknowns and C their own
/// block, the system [T B; Bᵀ C] is factored by elimination from the first state to the last, and
/// the border goes along as further right-hand sides [Golub & Van Loan 2013, Sec. 4.5.1]. The
/// covariance of every state comes back from the same factor: linear in the number of states,
/// whatever they have in common.
///
/// A state has `N` numbers, the coordinates and then their velocities: 4 in the plane, 6 in space.
/// Blocks are written down row after row.
struct SmootherEquations<let N: Int>: Sendable {
  /// Number of states.
  let count: Int
  /// Number of common unknowns.
  private(set) var shared: Int
  /// Numbers in a row of ``border``: ``shared``, or one more, so that there is a whole number of pairs.
  private(set) var stride: Int
  /// T's blocks on the diagonal; lower factors after ``factor()``.
  var diagonal: [Double]
  /// T's blocks above the diagonal, from each state to the next; L⁻¹ times them after ``factor()``.
  var upper: [Double]
  /// Right-hand sides of the states; L⁻¹ times them after ``factor()``.
  var right: [Double]
  /// B: for each state a row per number, in it ``stride`` columns, one per common unknown; L⁻¹ times
  /// it after ``factor()``.
  var border: [Double]
  /// C, `shared` x `shared`; its complement's inverse after ``factor()``.
  var corner: [Double]
  /// Right-hand side of the common unknowns; their solution after ``factor()``.
  var common: [Double]
  /// Logarithm of the determinant of the whole matrix; after ``factor()``.
  var logarithmOfDeterminant = 0.0

  init(count: Int, shared: Int) {
    self.count = count
    self.shared = shared
    stride = (shared + 1) / 2 * 2
    diagonal = LargePages.array(of: 0, count: N * N * count)
    upper = LargePages.array(of: 0, count: N * N * max(0, count - 1))
    right = LargePages.array(of: 0, count: N * count)
    border = LargePages.array(of: 0, count: N * stride * count)
    corner = Array(repeating: 0, count: shared * shared)
    common = Array(repeating: 0, count: shared)
  }

  /// Sets everything to zero for equations with so many common unknowns.
  mutating func clear(shared: Int) {
    if shared != self.shared {
      // Given back before more is taken.
      border = []
      self.shared = shared
      stride = (shared + 1) / 2 * 2
      border = LargePages.array(of: 0, count: N * stride * count)
      corner = Array(repeating: 0, count: shared * shared)
      common = Array(repeating: 0, count: shared)
    }
    clear()
  }

  /// Sets everything to zero for another linearisation.
  mutating func clear() {
    func zero(_ array: inout [Double]) {
      array.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    }
    zero(&diagonal)
    zero(&upper)
    zero(&right)
    zero(&border)
    zero(&corner)
    zero(&common)
  }

  /// The derivative of a measurement by the common unknowns: few of them matter to any one.
  struct SharedDerivative {
    /// Which unknowns, in the first ``count`` places.
    var columns: InlineArray<9, Int> = InlineArray(repeating: 0)
    /// The derivatives by them.
    var values: InlineArray<9, Double> = InlineArray(repeating: 0)
    /// How many there are.
    var count = 0

    /// Adds the derivative by unknown `column`.
    mutating func append(_ column: Int, _ value: Double) {
      columns[count] = column
      values[count] = value
      count += 1
    }
  }

  /// Adds a measurement of state `index`.
  ///
  /// - Parameters:
  ///   - index: of the state.
  ///   - derivative: of the measurement by the state.
  ///   - others: of the measurement by the common unknowns.
  ///   - residual: how far it is from its expectation.
  ///   - weight: the inverse of its variance.
  @inline(__always)
  mutating func add(
    _ index: Int, derivative: InlineArray<N, Double>, common others: SharedDerivative,
    residual: Double, weight: Double
  ) {
    precondition(index >= 0 && index < count, "no such state")
    var scaled = derivative
    for row in 0..<N { scaled[row] *= weight }
    diagonal.withUnsafeMutableBufferPointer { diagonal in
      guard let block = diagonal.baseAddress.map({ $0 + N * N * index }) else { return }
      for row in 0..<N {
        for column in 0..<N { block[N * row + column] += scaled[row] * derivative[column] }
      }
    }
    right.withUnsafeMutableBufferPointer { right in
      guard let own = right.baseAddress.map({ $0 + N * index }) else { return }
      for row in 0..<N { own[row] += scaled[row] * residual }
    }
    border.withUnsafeMutableBufferPointer { border in
      guard let edge = border.baseAddress.map({ $0 + N * stride * index }) else { return }
      for place in 0..<others.count {
        let column = others.columns[place]
        precondition(column >= 0 && column < stride, "no such unknown")
        for row in 0..<N { edge[stride * row + column] += scaled[row] * others.values[place] }
      }
    }
    for place in 0..<others.count {
      let row = others.columns[place]
      let scaled = weight * others.values[place]
      for second in 0..<others.count {
        corner[shared * row + others.columns[second]] += scaled * others.values[second]
      }
      common[row] += scaled * residual
    }
  }
}

// MARK: - Motion

extension SmootherEquations {
  /// Ties coordinate `axis` of state `index` and of the next one by nearly constant velocity.
  ///
  /// - Parameters:
  ///   - index: of the earlier state.
  ///   - axis: of the coordinate.
  ///   - seconds: the time between the states.
  ///   - information: the inverse covariance of the motion's noise: of the position, its cross
  ///     term, of the velocity.
  ///   - miss: by how much the next position is off the first one carried on.
  ///   - change: by how much the velocity changes.
  mutating func tie(
    _ index: Int, axis: Int, seconds: Double, information: (Double, Double, Double), miss: Double,
    change: Double
  ) {
    let (a, b, c) = information
    let (p, v) = (axis, N / 2 + axis)
    let own = N * N * index
    let next = own + N * N
    // FᵀAF with F = [1 t; 0 1].
    diagonal[own + N * p + p] += a
    let cross = a * seconds + b
    diagonal[own + N * p + v] += cross
    diagonal[own + N * v + p] += cross
    diagonal[own + N * v + v] += a * seconds * seconds + 2 * b * seconds + c
    diagonal[next + N * p + p] += a
    diagonal[next + N * p + v] += b
    diagonal[next + N * v + p] += b
    diagonal[next + N * v + v] += c
    // -FᵀA.
    upper[own + N * p + p] -= a
    upper[own + N * p + v] -= b
    upper[own + N * v + p] -= a * seconds + b
    upper[own + N * v + v] -= b * seconds + c
    let first = a * miss + b * change
    let second = b * miss + c * change
    right[N * index + p] += first
    right[N * index + v] += seconds * first + second
    right[N * (index + 1) + p] -= first
    right[N * (index + 1) + v] -= second
  }

  /// Ties coordinate `axis` of state `index` and of the next one over a gap: the position may have
  /// changed, and the velocity starts anew.
  mutating func separate(
    _ index: Int, axis: Int, information: (Double, Double), miss: Double, velocity: Double
  ) {
    let (p, v) = (axis, N / 2 + axis)
    let own = N * N * index
    let next = own + N * N
    diagonal[own + N * p + p] += information.0
    diagonal[next + N * p + p] += information.0
    upper[own + N * p + p] -= information.0
    right[N * index + p] += information.0 * miss
    right[N * (index + 1) + p] -= information.0 * miss
    diagonal[next + N * v + v] += information.1
    right[N * (index + 1) + v] -= information.1 * velocity
  }
}
