/// Assigns the epochs of a batch to the lanes of the solver and collects their positions.
struct EpochScheduler {
  var result: BatchPositions
  let epochs: EpochColumns
  let anchors: BatchAnchors
  let options: LikelihoodBatch.Options
  let centre: Vector<3>
  /// The anchors relative to the centre, every coordinate twice.
  let offsets: [LanePair]
  let inverseVariances: [Double]
  private var starts: LinearRangeSolutionCache
  /// The linear solution for all ranges: three coefficients per anchor and the constant; see
  /// ``LinearRangeSolution``.
  let wholeCoefficients: [Double]
  let wholeConstant: SIMD3<Double>
  /// Whether epochs with all ranges start from that solution.
  let hasSimpleStart: Bool

  /// The loss of the scalar solver.
  let loss: RobustLoss
  /// The sum of squares above which a position is doubtful, by number of ranges.
  let mostSquares: [Double]
  /// The doubtful epochs.
  var doubtful: [Int] = []

  /// The queue of epochs, and how many of them have been taken from it.
  var waiting: [Int] = []
  private var taken = 0
  /// The epoch in each lane, -1 for an empty lane.
  var inLane = SIMD4<Int>(repeating: -1)
  /// The number of ranges in each lane.
  var present = SIMD4<Int>.zero
  /// Per anchor the ranges in the four lanes and their four inverse variances, zero if absent.
  var ranges: [Double]
  /// Intermediate results of ``LinearisedPair`` between its two passes.
  private var scratch: [LanePair]

  init(
    _ epochs: EpochColumns, _ anchors: BatchAnchors, _ options: LikelihoodBatch.Options,
    _ loss: RobustLoss
  ) {
    self.epochs = epochs
    self.anchors = anchors
    self.options = options
    self.loss = loss
    mostSquares = (0...anchors.count).map { present in
      let limit = chiSquareLimit(degreesOfFreedom: max(1, present - anchors.free))
      // Least squares reach a different minimum only for residuals far beyond the limit; robust
      // losses search for outliers from the limit on.
      return loss.shape == .squared ? 10 * limit : limit
    }
    centre = anchors.centre
    var offsets: [LanePair] = []
    for anchor in anchors.anchors {
      for axis in 0..<3 { offsets.append(LanePair(repeating: anchor[axis] - centre[axis])) }
    }
    self.offsets = offsets
    inverseVariances = anchors.sigmas.map { 1 / ($0 * $0) }
    starts = LinearRangeSolutionCache(anchors)
    let whole = LinearRangeSolution(anchors, present: [Bool](repeating: true, count: anchors.count))
    hasSimpleStart = whole.map { $0.normal == nil } ?? false && options.start == .linear
    wholeCoefficients =
      whole?.coefficients ?? [Double](repeating: 0, count: 3 * anchors.count)
    wholeConstant =
      whole.map { SIMD3($0.constant[0], $0.constant[1], $0.constant[2]) } ?? SIMD3()
    ranges = [Double](repeating: 0, count: 2 * EpochColumns.lanes * anchors.count)
    scratch = [LanePair](
      repeating: .zero, count: LikelihoodLanes.Data.scratchPerRange * anchors.count)
    result = BatchPositions(count: epochs.count)
    result.hasMirror = anchors.span.rank < anchors.free
    result.iterations = [Int32](repeating: 0, count: epochs.count)
    if options.hasCovariance {
      result.covariances = [Double](repeating: 0, count: 6 * epochs.count)
    }
    if options.hasMisfit { result.misfits = [Double](repeating: 0, count: epochs.count) }
  }

  /// Whether any lane holds an epoch.
  var isActive: Bool { inLane != SIMD4(repeating: -1) }

  /// Calls `body` with the data of the lanes.
  @inline(__always) mutating func withData<Value>(
    _ body: (LikelihoodLanes.Data) -> Value
  ) -> Value {
    offsets.withUnsafeBufferPointer { offsets in
      ranges.withUnsafeBytes { ranges in
        scratch.withUnsafeMutableBufferPointer { scratch in
          guard let anchors = offsets.baseAddress, let range = ranges.baseAddress,
            let base = scratch.baseAddress
          else { preconditionFailure("a lane with an epoch must have ranges") }
          return body(
            LikelihoodLanes.Data(
              anchors: anchors, ranges: range, scratch: base, count: offsets.count / 3))
        }
      }
    }
  }

  /// Puts the next epoch that determines a position into a lane, or leaves the lane empty.
  mutating func load(_ lane: Int, of lanes: inout LikelihoodLanes) {
    inLane[lane] = -1
    lanes.evaluations[lane] = 0
    while taken < waiting.count {
      let epoch = waiting[taken]
      taken += 1
      guard let (start, longest) = take(epoch, into: lane) else {
        result.refuse(epoch, .undetermined)
        continue
      }
      inLane[lane] = epoch
      let scale = max(anchors.span.spread, longest)
      lanes.scale[lane] = scale
      lanes.newtonLength[lane] = 0.2 * scale
      lanes.lastSquare[lane] = 0
      lanes.newton[lane] = 0
      lanes.mayTakeChord[lane] = false
      lanes.damping[lane] = 0
      lanes.there.loss[lane] = .infinity
      (lanes.x[lane], lanes.y[lane], lanes.z[lane]) = (start[0], start[1], start[2])
      (lanes.stepX[lane], lanes.stepY[lane], lanes.stepZ[lane]) = (0, 0, 0)
      return
    }
    for index in 0..<anchors.count { ranges[8 * index + 4 + lane] = 0 }
  }

  /// Copies the ranges of an epoch into a lane.
  ///
  /// - Returns: The starting point, relative to the centre, and the longest range, or nil if the
  ///   epoch does not determine a position.
  mutating func take(_ epoch: Int, into lane: Int) -> (SIMD3<Double>, Double)? {
    let stride = epochs.stride
    var present = 0
    var longest = 0.0
    var (x, y, z) = (wholeConstant.x, wholeConstant.y, wholeConstant.z)
    let count = inverseVariances.count
    ranges.withUnsafeMutableBufferPointer { lanes in
      epochs.ranges.withUnsafeBufferPointer { columns in
        inverseVariances.withUnsafeBufferPointer { weights in
          wholeCoefficients.withUnsafeBufferPointer { coefficients in
            for index in 0..<count {
              let range = columns[epoch + stride * index]
              let isPresent = range == range
              present += isPresent ? 1 : 0
              longest = isPresent && range > longest ? range : longest
              lanes[8 * index + lane] = isPresent ? range : 0
              lanes[8 * index + 4 + lane] = isPresent ? weights[index] : 0
              // Accumulates the linear solution as well, which is valid if all ranges are present.
              let square = range * range
              x -= coefficients[3 * index] * square
              y -= coefficients[3 * index + 1] * square
              z -= coefficients[3 * index + 2] * square
            }
          }
        }
      }
    }
    self.present[lane] = present
    if present == count, hasSimpleStart {
      let start = SIMD3(x, y, z)
      // x - x is not zero for a number that is not finite.
      let rest = start - start
      return rest.x + rest.y + rest.z == 0 ? (start, longest) : nil
    }
    let solution: LinearRangeSolution?
    if present == count {
      solution = starts.solution { _ in true }
    } else {
      let ranges = self.ranges
      solution = starts.solution { ranges[8 * $0 + 4 + lane] > 0 }
    }
    guard let solution else { return nil }
    guard options.start == .linear || solution.normal != nil else { return (.zero, longest) }
    let place = ranges.withUnsafeBufferPointer { lanes in
      solution.position(
        squaredRange: { lanes[8 * $0 + lane] * lanes[8 * $0 + lane] }, present: present,
        least: 0.01 * max(anchors.span.spread, longest))
    }
    return place.isFinite ? (SIMD3(place[0], place[1], place[2]), longest) : nil
  }

  /// Stores the position of a lane.
  mutating func store<Loss: BatchLoss>(
    _ lane: Int, of lanes: EpochGroup.Settled, settled: Bool, _ losses: Loss
  ) {
    let epoch = inLane[lane]
    guard epoch >= 0 else { return }
    result.iterations[epoch] = Int32(truncatingIfNeeded: lanes.evaluations[lane])
    let position = Vector([lanes.x[lane], lanes.y[lane], lanes.z[lane]])
    if options.reconsidersDoubtful {
      // Twelve steps are twice the number that a clear maximum takes.
      let isClear =
        settled && position.isFinite && lanes.evaluations[lane] <= 12
        && lanes.squares[lane] <= mostSquares[present[lane]]
      if !isClear, options.maximumIterations > 12 { doubtful.append(epoch) }
    }
    guard settled, position.isFinite else {
      result.refuse(epoch, .unconverged)
      return
    }
    result.x[epoch] = centre[0] + position[0]
    result.y[epoch] = centre[1] + position[1]
    result.z[epoch] = anchors.free == 3 ? centre[2] + position[2] : anchors.height
    if options.hasCovariance || options.hasMisfit { describe(lane, epoch, position, losses) }
  }
}

extension EpochScheduler {
  /// Solves the doubtful epochs again, one by one.
  mutating func reconsider<Loss: BatchLoss>(_ losses: Loss) {
    guard !doubtful.isEmpty else { return }
    var scalar = PositionOptions()
    scalar.loss = loss
    scalar.zeroIsDistance = true
    if anchors.free == 2 { scalar.height = anchors.height }
    for epoch in doubtful {
      let ranges = (0..<anchors.count).map { epochs.ranges[epoch + epochs.stride * $0] }
      guard
        let fix = try? RangeSolver.solve(
          ranges, anchors.anchors, anchors.sigmas, nil, nil, scalar),
        let place = fix.position
      else { continue }
      result.reconsidered += 1
      result.verdicts[epoch] = .solved
      (result.x[epoch], result.y[epoch], result.z[epoch]) = (place[0], place[1], place[2])
      guard options.hasCovariance || options.hasMisfit, take(epoch, into: 0) != nil else {
        continue
      }
      describe(0, epoch, place - centre, losses)
    }
  }

  /// Computes the covariance and the misfit of the position of a lane, as far as requested.
  mutating func describe<Loss: BatchLoss>(
    _ lane: Int, _ epoch: Int, _ position: Vector<3>, _ losses: Loss
  ) {
    var information = Matrix<3, 3>.zero
    var (squares, present) = (0.0, 0.0)
    var kept = 0
    for index in 0..<anchors.count where ranges[8 * index + 4 + lane] > 0 {
      var offset = position
      for axis in 0..<3 { offset[axis] -= offsets[3 * index + axis][0] }
      let distance = offset.length
      let residual = ranges[8 * index + lane] - distance
      squares += residual * residual
      present += 1
      guard distance > 0 else { continue }
      let inverseVariance = ranges[8 * index + 4 + lane]
      let square = LanePair(repeating: inverseVariance * residual * residual)
      let share = losses.weigh(square).weight[0]
      if share >= 0.5 { kept += 1 }
      let weight = inverseVariance * share
      for row in 0..<anchors.free {
        for column in 0..<anchors.free {
          information[row, column] +=
            weight * (offset[row] / distance) * (offset[column] / distance)
        }
      }
    }
    if options.hasMisfit { result.misfits[epoch] = (squares / present).squareRoot() }
    guard options.hasCovariance else { return }
    // Corrects for the weight that the loss takes from good ranges, as for a single fix.
    if kept > 0 {
      information = loss.consistency(ranges: kept, unknowns: anchors.free) * information
    }
    let typical = information.trace / Double(anchors.free)
    if anchors.free == 2 { information[2, 2] = typical }
    // A pivot of rounding size is a direction that the ranges do not determine.
    guard let root = Cholesky(information) else { return }
    let factor = root.factor
    for axis in 0..<3 where factor[axis, axis] * factor[axis, axis] <= 1e-13 * typical { return }
    var covariance = root.inverse()
    if anchors.free == 2 { covariance[2, 2] = 0 }
    guard covariance.isFinite else { return }
    var element = 6 * epoch
    for row in 0..<3 {
      for column in row..<3 {
        result.covariances[element] = covariance[row, column]
        element += 1
      }
    }
  }
}
