import RealModule

/// The kernels that spread the copies of a resampled cloud: one for every mode.
///
/// A cloud is divided where a projection of it has a gap that is too wide and too empty for one
/// mode. The parts are divided again. A cloud without such a gap has one kernel, with the
/// covariance of the whole cloud.
@frozen @usableFromInline
struct CloudKernels<let N: Int>: Sendable {
  /// The mode of each copy.
  @usableFromInline var modes: [Int]
  /// The standard deviation of each kernel relative to that of its mode.
  ///
  /// That for the number of all copies: were it larger for modes of fewer copies, they would score a
  /// lower likelihood after spreading, and die out.
  @usableFromInline var width: Double
  /// A root of the covariance of each mode.
  @usableFromInline var roots: [Matrix<N, N>] = []

  /// Divides the copies in `drawn`, a resampled cloud in which copies of one particle are equal.
  ///
  /// `copies` has, for each element of `drawn`, how many copies of its particle there are. `state`
  /// has the moments of the cloud before resampling.
  @inlinable
  init(of drawn: [Vector<N>], copies: [Int], state: Gaussian<N>) {
    modes = [Int](repeating: 0, count: drawn.count)
    // The optimal bandwidth for a normal distribution [Musso, Oudjane & Le Gland 2001, Eq. 12.2.7].
    let order = Double(N)
    width = .pow(4 / ((order + 2) * Double(drawn.count)), 1 / (order + 4))
    var open = [(members: Array(drawn.indices), state: state)]
    while let (members, state) = open.popLast() {
      if let cut = CloudCut(of: members, in: drawn, copies: copies, state: state) {
        for isRight in [true, false] {
          let part = members.filter { cut.isRight(drawn[$0]) == isRight }
          open.append((part, ParticleFilter(particles: part.map { drawn[$0] }).state))
        }
      } else {
        for index in members { modes[index] = roots.count }
        roots.append(state.covariance.semidefiniteRoot())
      }
    }
  }
}

/// The division of a group of particles at the widest gap of its projections on the axes of the
/// state and on the principal axes.
@frozen @usableFromInline
struct CloudCut<let N: Int>: Sendable {
  @usableFromInline var mean: Vector<N>
  /// The direction of the projection, in bins per unit of the state.
  @usableFromInline var direction = Vector<N>.zero
  /// The first bin on the right.
  @usableFromInline var firstRight = 0
  /// The width of the gap in bins.
  @usableFromInline var width = 0

  /// The number of bins, over four standard deviations on both sides of the mean.
  ///
  /// The outer bins also hold what is beyond: by Chebyshev's inequality at most a sixteenth.
  @usableFromInline static var binCount: Int { 64 }
  /// The number of bins per standard deviation.
  @usableFromInline static var binsPerDeviation: Double { 8 }
  /// The narrowest gap in bins: half a standard deviation of the group.
  ///
  /// Four equal modes at equal distances on a line are 0.9 standard deviations apart, two are two.
  @usableFromInline static var leastWidth: Int { 4 }
  /// The least product of the width of the gap in standard deviations and the effective number of
  /// particles on its lesser side.
  ///
  /// Beyond the k-th of many normal numbers the distance to the next has an exponential
  /// distribution, with a mean of at most 1 / (0.8 k) standard deviations, and of 1 / (1.7 k) if at
  /// most a tenth is beyond. A given gap is this wide by chance with a probability of at most
  /// exp(−0.8 × 12), below 10⁻⁴, and exp(−1.7 × 12), about 10⁻⁹.
  @usableFromInline static var leastEvidence: Double { 12 }

  /// Searches for the widest gap, or returns nil if no gap divides the group.
  @inlinable
  init?(of members: [Int], in drawn: [Vector<N>], copies: [Int], state: Gaussian<N>) {
    mean = state.mean
    guard mean.isFinite, state.covariance.isFinite else { return nil }
    let principal = PrincipalAxes(of: state.covariance)
    for axis in 0..<(2 * N) {
      let isPrincipal = axis >= N
      let along = isPrincipal ? principal.axes.row(axis - N) : Matrix<N, N>.identity.row(axis)
      let variance = isPrincipal ? principal.values[axis - N] : state.covariance[axis, axis]
      // Less is rounding of the states.
      guard variance > .leastNormalMagnitude,
        variance.squareRoot() > 16 * .ulpOfOne * mean.length
      else { continue }
      var gap = self
      gap.direction = (Self.binsPerDeviation / variance.squareRoot()) * along
      gap.place(in: members, of: drawn, copies: copies)
      if gap.width > width { self = gap }
    }
    if width == 0 { return nil }
  }

  /// Places the cut at the widest gap along `direction`, if one is wider than `width`.
  @inlinable
  mutating func place(in members: [Int], of drawn: [Vector<N>], copies: [Int]) {
    // The numbers of copies, and the sums of the squares of the numbers for each particle.
    var counts = [Int](repeating: 0, count: Self.binCount)
    var squares = counts
    var place = 0
    while place < members.count {
      // Copies of one particle are adjacent.
      let same = copies[members[place]]
      let bin = bin(of: drawn[members[place]])
      counts[bin] += same
      squares[bin] += same * same
      place += same
    }
    let squareSum = squares.reduce(0, +)
    var (count, square, last) = (0, 0, 0)
    for bin in counts.indices where counts[bin] > 0 {
      let empty = bin - last - 1
      if count > 0, empty >= Self.leastWidth, empty > width {
        let rest = members.count - count
        let left = Double(count * count) / Double(square)
        let right = Double(rest * rest) / Double(squareSum - square)
        let lesser = min(left, right)
        // Fewer particles than 2 N do not tell a covariance.
        if lesser >= 2 * Double(N),
          lesser * Double(empty) >= Self.leastEvidence * Self.binsPerDeviation
        {
          (width, firstRight) = (empty, bin)
        }
      }
      count += counts[bin]
      square += squares[bin]
      last = bin
    }
  }

  /// Returns the bin of a particle's projection.
  @inlinable
  func bin(of particle: Vector<N>) -> Int {
    let place = direction.dot(particle - mean) + Double(Self.binCount / 2)
    return Int(min(max(0, place), Double(Self.binCount - 1)))
  }

  @inlinable
  func isRight(_ particle: Vector<N>) -> Bool { bin(of: particle) >= firstRight }
}
