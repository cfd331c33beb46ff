extension EpochQueue {
  /// Solves the doubtful epochs again, one by one.
  mutating func reconsider<Loss: BatchLoss>(_ losses: Loss) {
    guard !doubtful.isEmpty else { return }
    var scalar = Trilateration.Options()
    scalar.loss = loss
    scalar.zeroIsDistance = true
    if anchors.free == 2 { scalar.height = anchors.height }
    for epoch in doubtful {
      let ranges = (0..<anchors.count).map { epochs.ranges[epoch + epochs.stride * $0] }
      guard
        let fix = try? Trilateration.solve(
          ranges: ranges, anchors: anchors.anchors, sigmas: anchors.sigmas, options: scalar),
        var place = fix.position
      else { continue }
      result.reconsidered += 1
      // Of mirror images the one above, as everywhere in a batch.
      if result.hasMirror, let other = fix.alternative, anchors.isAbove(other, place) {
        place = other
      }
      result.verdicts[epoch] = .solved
      (result.x[epoch], result.y[epoch], result.z[epoch]) = (place[0], place[1], place[2])
      guard options.hasCovariance || options.hasMisfit, take(epoch, into: 0) != nil else {
        continue
      }
      describe(0, epoch, place - centre, losses)
    }
  }

  /// Fills in the covariance and the misfit of the position of a lane, as far as they are asked
  /// for.
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
    // What the loss takes from good ranges, as for a single fix.
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
