extension EpochQueue {
  /// Solves groups of four neighbours; epochs that lack a range, and those that take longer than
  /// most, are left waiting.
  ///
  /// Columns are read and written four numbers at a time, and nothing is moved between lanes: worth
  /// it where epochs take about as many steps as their neighbours, as least squares do.
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
    var numbers = [Lanes](repeating: .zero, count: 2 * count)
    for index in 0..<count { numbers[2 * index + 1] = Lanes(repeating: inverseVariances[index]) }
    var room = [LanePair](repeating: .zero, count: LikelihoodLanes.Data.roomPerRange * count)
    precondition(columns.count >= stride * count && coefficients.count == 3 * count)
    columns.withUnsafeBufferPointer { columns in
      coefficients.withUnsafeBufferPointer { coefficients in
        offsets.withUnsafeBufferPointer { offsets in
          numbers.withUnsafeMutableBufferPointer { numbers in
            room.withUnsafeMutableBufferPointer { room in
              guard let columns = columns.baseAddress, let factors = coefficients.baseAddress,
                let anchors = offsets.baseAddress, let lanes = numbers.baseAddress,
                let room = room.baseAddress
              else { return }
              let data = LikelihoodLanes.Data(
                anchors: anchors, ranges: lanes, room: room, count: count)
              let source = EpochGroup.Source(
                columns: columns, stride: stride, coefficients: factors, constant: wholeConstant,
                count: count, spread: self.anchors.flat.spread)
              // One for all: a new one would be copied from where it is made.
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

  /// Takes the positions of a group, and has wait what it has not settled.
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

  /// Takes the positions of four epochs, where there is nothing else to do for any of them; whether
  /// that is so.
  private mutating func accept(_ group: EpochGroup) -> Bool {
    let (first, lanes) = (group.first, group.settled)
    if options.hasCovariance || options.hasMisfit || first + 4 > epochs.count { return false }
    if options.reconsidersDoubtful {
      guard all(lanes.squares .<= mostSquares[inverseVariances.count]) else { return false }
    }
    let x = centre[0] + lanes.x
    let y = centre[1] + lanes.y
    let z = anchors.free == 3 ? centre[2] + lanes.z : Lanes(repeating: anchors.height)
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
  fileprivate mutating func put(_ lanes: Lanes, at first: Int) {
    precondition(first >= 0 && first + 4 <= count)
    withUnsafeMutableBytes { $0.storeBytes(of: lanes, toByteOffset: 8 * first, as: Lanes.self) }
  }
}
