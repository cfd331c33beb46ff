/// Four neighbours among the epochs of a batch, on their way side by side.
struct EpochGroup {
  typealias Mask = SIMDMask<SIMD4<Int64>>

  /// How many evaluations a group gets: nearly all epochs come to rest in three or four.
  static var mostEvaluations: Int { 6 }

  /// What the epochs have in common.
  struct Source {
    /// Ranges, the columns of the anchors `stride` apart.
    let columns: UnsafePointer<Double>
    let stride: Int
    /// The linear solution, see ``EpochQueue/wholeCoefficients``: three numbers per anchor.
    let coefficients: UnsafePointer<Double>
    let constant: SIMD3<Double>
    /// Number of anchors.
    let count: Int
    let spread: Double
  }

  /// Where epochs have come to rest.
  struct Settled {
    var x = Lanes.zero
    var y = Lanes.zero
    var z = Lanes.zero
    /// See ``LikelihoodLanes/Linearisation/squares``.
    var squares = Lanes.zero
    var evaluations = SIMD4<Int64>.zero

    init() {}

    /// Where the lanes are.
    init(_ lanes: LikelihoodLanes) {
      (x, y, z) = (lanes.x, lanes.y, lanes.z)
      (squares, evaluations) = (lanes.there.squares, lanes.evaluations)
    }
  }

  /// The first of the epochs.
  private(set) var first = 0
  private var lanes = LikelihoodLanes()
  /// The epochs that are on their way.
  private(set) var isOpen = Mask(repeating: false)
  /// The epochs that have come to rest, and where.
  private(set) var isSettled = Mask(repeating: false)
  private(set) var settled = Settled()

  /// Copies the ranges of four epochs to every other of `numbers` and sets out from their linear
  /// solutions; an epoch that lacks a range does not.
  ///
  /// `numbers` has room for two per anchor, and the columns have four numbers from `first`.
  @inline(__always)
  mutating func begin(
    at first: Int, of source: Source, into numbers: UnsafeMutablePointer<Lanes>
  ) {
    self.first = first
    var longest = Lanes.zero
    var x = Lanes(repeating: source.constant.x)
    var y = Lanes(repeating: source.constant.y)
    var z = Lanes(repeating: source.constant.z)
    for index in 0..<source.count {
      let range = UnsafeRawPointer(source.columns + (first + source.stride * index))
        .loadUnaligned(as: Lanes.self)
      numbers[2 * index] = range
      longest.replace(with: range, where: range .> longest)
      let square = range * range
      x -= source.coefficients[3 * index] * square
      y -= source.coefficients[3 * index + 1] * square
      z -= source.coefficients[3 * index + 2] * square
    }
    let spread = Lanes(repeating: source.spread)
    lanes.begin(at: x, y, z, scale: longest.replacing(with: spread, where: longest .< spread))
    // The difference of a number that is not finite from itself is not zero.
    let sum = x + y + z
    isOpen = sum - sum .== 0
    isSettled = Mask(repeating: false)
  }

  /// Goes uphill until all have come to rest that can soon.
  @inline(__always)
  mutating func advance<Loss: BatchLoss, Shape: BatchShape>(
    _ data: LikelihoodLanes.Data, _ losses: Loss, _ shape: Shape.Type
  ) {
    for _ in 0..<Self.mostEvaluations {
      let allTakeChords = Loss.isSquared && all(lanes.mayTakeChord .| .!isOpen)
      settle(
        allTakeChords
          ? lanes.advanceAlongChords(data, shape) : lanes.advance(data, losses, shape))
      if !any(isOpen) { return }
    }
  }

  /// Keeps where epochs have come to rest, and lets them stay there.
  @inline(__always)
  private mutating func settle(_ isAtRest: Mask) {
    let isNew = isAtRest .& isOpen
    settled.x.replace(with: lanes.x, where: isNew)
    settled.y.replace(with: lanes.y, where: isNew)
    settled.z.replace(with: lanes.z, where: isNew)
    settled.squares.replace(with: lanes.there.squares, where: isNew)
    settled.evaluations.replace(with: lanes.evaluations, where: isNew)
    lanes.stepX.replace(with: 0, where: isAtRest)
    lanes.stepY.replace(with: 0, where: isAtRest)
    lanes.stepZ.replace(with: 0, where: isAtRest)
    isSettled = isSettled .| isNew
    isOpen = isOpen .& .!isAtRest
  }
}
