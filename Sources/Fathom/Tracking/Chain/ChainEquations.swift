import RealModule

/// The normal equations of the track of one tag: a chain of states and a few common unknowns.
///
/// The motion model links each state to the next. T is block-tridiagonal in the states, B is the
/// border to the common unknowns, and C is their own block: the system [T B; Bᵀ C]. ``JointEquations``
/// solves it, alone or with the chains of other tags.
///
/// A state has `N` numbers, the coordinates and then their velocities: 4 in the plane, 6 in space. With
/// odometry it has one more, the heading of its frame; with inertial data 8 or 10.
/// Blocks are stored in row-major order.
struct ChainEquations<let N: Int>: Sendable {
  /// Number of states.
  let count: Int
  /// Number of common unknowns.
  let shared: Int
  /// Row length of ``border``: the number of its columns rounded up to an even number.
  let stride: Int
  /// T's diagonal blocks; their lower factors L after elimination.
  var diagonal: [Double]
  /// T's blocks above the diagonal, from each state to the next; L⁻¹ times them after elimination.
  var upper: [Double]
  /// Right-hand sides of the states; L⁻¹ times them after elimination.
  var right: [Double]
  /// B: for each state, a row of ``stride`` columns per number, with one column per common unknown, and
  /// in a chain with kept states one per number of the kept state before it; L⁻¹ times it after
  /// elimination.
  var border: [Double]
  /// C, `shared` x `shared`; its Schur complement after elimination.
  var corner: [Double]
  /// Right-hand side of the common unknowns; what elimination leaves of it afterwards.
  var common: [Double]

  /// Number of coordinates of a state.
  static var axes: Int { N == 8 ? 2 : min(3, N / 2) }

  /// Creates the equations of `count` states and `shared` common unknowns, all zero; with `keepsStates` if
  /// some states are tied to those of other chains.
  init(count: Int, shared: Int, keepsStates: Bool = false) {
    self.count = count
    self.shared = shared
    stride = (shared + (keepsStates ? N : 0) + 1) / 2 * 2
    diagonal = LargePages.array(of: 0, count: N * N * count)
    upper = LargePages.array(of: 0, count: N * N * max(0, count - 1))
    right = LargePages.array(of: 0, count: N * count)
    border = LargePages.array(of: 0, count: N * stride * count)
    corner = Array(repeating: 0, count: shared * shared)
    common = Array(repeating: 0, count: shared)
  }

  /// Sets all numbers to zero for another linearisation.
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

  /// The sparse derivative of a measurement with respect to the common unknowns.
  struct SharedDerivative {
    /// The indices of the unknowns, in the first ``count`` elements.
    var columns: InlineArray<9, Int> = InlineArray(repeating: 0)
    /// The derivatives with respect to them.
    var values: InlineArray<9, Double> = InlineArray(repeating: 0)
    /// The number of unknowns.
    var count = 0

    /// Appends the derivative with respect to unknown `column`.
    mutating func append(_ column: Int, _ value: Double) {
      columns[count] = column
      values[count] = value
      count += 1
    }
  }

  /// Adds a measurement of state `index`.
  ///
  /// `derivative` is by the state, `others` by the common unknowns; `residual` is measured minus
  /// expected value, `weight` the inverse of the variance.
  @inline(__always)
  mutating func add(
    _ index: Int, derivative: InlineArray<N, Double>, common others: SharedDerivative,
    residual: Double, weight: Double
  ) {
    precondition(index >= 0 && index < count, "index must be below the number of states")
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
        precondition(column >= 0 && column < stride, "column must be below the number of unknowns")
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

extension ChainEquations {
  /// Links coordinate `axis` of state `index` and of the next one, `seconds` later, by nearly
  /// constant velocity.
  ///
  /// `information` is the inverse covariance of the process noise: of the position, the cross term,
  /// of the velocity. `miss` is the next position minus the predicted one, `change` that of the
  /// velocity.
  mutating func tie(
    _ index: Int, axis: Int, seconds: Double, information: (Double, Double, Double), miss: Double,
    change: Double
  ) {
    let (a, b, c) = information
    let (p, v) = (axis, Self.axes + axis)
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

  /// Links coordinate `axis` of state `index` and of the next one over a gap: the position may have
  /// changed, and the velocity is independent.
  mutating func separate(
    _ index: Int, axis: Int, information: (Double, Double), miss: Double, velocity: Double
  ) {
    let (p, v) = (axis, Self.axes + axis)
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
