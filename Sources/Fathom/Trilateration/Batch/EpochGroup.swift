/// Four adjacent epochs of a batch, iterated side by side.
struct EpochGroup {
  typealias Mask = SIMDMask<SIMD4<Int64>>

  /// The maximum number of evaluations per group: nearly all epochs converge within three or four.
  static var mostEvaluations: Int { 6 }

  /// The common data of the epochs.
  struct Source {
    /// Ranges, the columns of the anchors `stride` apart.
    let columns: UnsafePointer<Double>
    let stride: Int
    /// The linear solution, see ``EpochScheduler/wholeCoefficients``: three numbers per anchor.
    let coefficients: UnsafePointer<Double>
    let constant: SIMD3<Double>
    /// Number of anchors.
    let count: Int
    let spread: Double
  }

  /// The converged positions.
  struct Settled {
    var x = LaneQuad.zero
    var y = LaneQuad.zero
    var z = LaneQuad.zero
    /// See ``LikelihoodLanes/Linearisation/squares``.
    var squares = LaneQuad.zero
    var evaluations = SIMD4<Int64>.zero

    init() {}

    /// Copies the positions of the lanes.
    init(_ lanes: LikelihoodLanes) {
      (x, y, z) = (lanes.x, lanes.y, lanes.z)
      (squares, evaluations) = (lanes.there.squares, lanes.evaluations)
    }
  }

  /// The index of the first epoch.
  private(set) var first = 0
  private var lanes = LikelihoodLanes()
  /// The epochs that are still iterating.
  private(set) var isOpen = Mask(repeating: false)
  /// The epochs that have converged, and their positions.
  private(set) var isSettled = Mask(repeating: false)
  private(set) var settled = Settled()

  /// Copies the ranges of four epochs to every second element of `numbers` and starts from their
  /// linear solutions.
  ///
  /// An epoch with an absent range does not start. `numbers` holds two elements per anchor, and the
  /// columns have at least four numbers from `first`.
  @inline(__always)
  mutating func begin(
    at first: Int, of source: Source, into numbers: UnsafeMutablePointer<LaneQuad>
  ) {
    self.first = first
    var longest = LaneQuad.zero
    var x = LaneQuad(repeating: source.constant.x)
    var y = LaneQuad(repeating: source.constant.y)
    var z = LaneQuad(repeating: source.constant.z)
    for index in 0..<source.count {
      let range = UnsafeRawPointer(source.columns + (first + source.stride * index))
        .loadUnaligned(as: LaneQuad.self)
      numbers[2 * index] = range
      longest.replace(with: range, where: range .> longest)
      let square = range * range
      x -= source.coefficients[3 * index] * square
      y -= source.coefficients[3 * index + 1] * square
      z -= source.coefficients[3 * index + 2] * square
    }
    let spread = LaneQuad(repeating: source.spread)
    lanes.begin(at: x, y, z, scale: longest.replacing(with: spread, where: longest .< spread))
    // x - x is not zero for a number that is not finite.
    let sum = x + y + z
    isOpen = sum - sum .== 0
    isSettled = Mask(repeating: false)
  }

  /// Iterates until all epochs have converged or the evaluations are used up.
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

  /// Stores the positions of epochs that have converged, and stops their steps.
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

extension EpochScheduler {
  /// Solves groups of four adjacent epochs; puts epochs with an absent range or slow convergence
  /// into the queue.
  ///
  /// Columns are read and written four numbers at a time, without exchanges between lanes. This
  /// pays if adjacent epochs need about the same number of steps, as for least squares.
  mutating func solveGroups<Loss: BatchLoss, Shape: BatchShape>(
    _ losses: Loss, _ shape: Shape.Type
  ) {
    let count = inverseVariances.count
    guard Loss.isSquared, hasSimpleStart, count > 0,
      options.maximumIterations >= 2 * EpochGroup.mostEvaluations
    else {
      waiting = Array(0..<epochs.count)
      return
    }
    let (columns, stride) = (epochs.ranges, epochs.stride)
    let (offsets, coefficients) = (offsets, wholeCoefficients)
    var numbers = [LaneQuad](repeating: .zero, count: 2 * count)
    for index in 0..<count { numbers[2 * index + 1] = LaneQuad(repeating: inverseVariances[index]) }
    var scratch = [LanePair](repeating: .zero, count: LikelihoodLanes.Data.scratchPerRange * count)
    precondition(columns.count >= stride * count && coefficients.count == 3 * count)
    columns.withUnsafeBufferPointer { columns in
      coefficients.withUnsafeBufferPointer { coefficients in
        offsets.withUnsafeBufferPointer { offsets in
          numbers.withUnsafeMutableBufferPointer { numbers in
            scratch.withUnsafeMutableBufferPointer { scratch in
              guard let columns = columns.baseAddress, let factors = coefficients.baseAddress,
                let anchors = offsets.baseAddress, let lanes = numbers.baseAddress,
                let scratch = scratch.baseAddress
              else { return }
              let data = LikelihoodLanes.Data(
                anchors: anchors, ranges: lanes, scratch: scratch, count: count)
              let source = EpochGroup.Source(
                columns: columns, stride: stride, coefficients: factors, constant: wholeConstant,
                count: count, spread: self.anchors.span.spread)
              // One group for all: a new one would be copied on every iteration.
              var group = EpochGroup()
              for first in Swift.stride(from: 0, to: stride, by: 4) {
                group.begin(at: first, of: source, into: lanes)
                if any(group.isOpen) { group.advance(data, losses, shape) }
                take(group, losses)
              }
            }
          }
        }
      }
    }
  }

  /// Stores the positions of a group; puts epochs that have not converged into the queue.
  private mutating func take<Loss: BatchLoss>(_ group: EpochGroup, _ losses: Loss) {
    if all(group.isSettled), accept(group) { return }
    for lane in 0..<max(0, min(4, epochs.count - group.first)) {
      let epoch = group.first + lane
      guard group.isSettled[lane], take(epoch, into: lane) != nil else {
        waiting.append(epoch)
        continue
      }
      inLane[lane] = epoch
      store(lane, of: group.settled, settled: true, losses)
      inLane[lane] = -1
    }
  }

  /// Stores the positions of four epochs at once if none of them needs further work; returns
  /// whether it did.
  private mutating func accept(_ group: EpochGroup) -> Bool {
    let (first, lanes) = (group.first, group.settled)
    if options.hasCovariance || options.hasMisfit || first + 4 > epochs.count { return false }
    if options.reconsidersDoubtful {
      guard all(lanes.squares .<= mostSquares[inverseVariances.count]) else { return false }
    }
    let x = centre[0] + lanes.x
    let y = centre[1] + lanes.y
    let z = anchors.free == 3 ? centre[2] + lanes.z : LaneQuad(repeating: anchors.height)
    let sum = x + y + z
    guard all(sum - sum .== 0) else { return false }
    result.x.put(x, at: first)
    result.y.put(y, at: first)
    result.z.put(z, at: first)
    for lane in 0..<4 {
      result.iterations[first + lane] = Int32(truncatingIfNeeded: lanes.evaluations[lane])
    }
    return true
  }
}

extension [Double] {
  /// Replaces four elements.
  fileprivate mutating func put(_ lanes: LaneQuad, at first: Int) {
    precondition(first >= 0 && first + 4 <= count)
    withUnsafeMutableBytes { $0.storeBytes(of: lanes, toByteOffset: 8 * first, as: LaneQuad.self) }
  }
}
