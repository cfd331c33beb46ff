/// The epochs of a recording in columns, each with the weight of its place.
///
/// Range errors persist: all epochs of one place count as one independent measurement.
struct DiagnosedEpochs {
  /// The first range of each epoch; one more element than epochs.
  private(set) var starts = [0]
  /// The anchor of each range.
  private(set) var anchors: [Int] = []
  /// The measured distances, metres.
  private(set) var distances: [Double] = []
  /// One divided by the number of epochs in the place of each epoch.
  private(set) var weights: [Double] = []
  /// The number of places, at most ``mostPlaces``.
  private(set) var places = 0

  /// The largest number of places, which bounds the cost of finding them.
  static let mostPlaces = 24

  /// Creates columns of epochs; `reach` is the distance, in metres, below which two ranges are alike.
  init(_ epochs: [RangeErrorEstimate.Epoch], anchorCount: Int, reach: Double) {
    for epoch in epochs {
      anchors += epoch.anchors
      distances += epoch.distances
      starts.append(anchors.count)
    }
    findPlaces(anchorCount, reach)
  }

  /// The number of epochs.
  var count: Int { starts.count - 1 }

  /// The ranges of an epoch.
  func ranges(of epoch: Int) -> Range<Int> { starts[epoch]..<starts[epoch + 1] }

  /// The epochs at every `stride`-th index, with the same places.
  func every(_ stride: Int) -> DiagnosedEpochs {
    var result = self
    result.starts = [0]
    (result.anchors, result.distances) = ([], [])
    var epochs: [RangeErrorEstimate.Epoch] = []
    for index in Swift.stride(from: 0, to: count, by: stride) {
      let ranges = ranges(of: index)
      epochs.append(.init(anchors: Array(anchors[ranges]), distances: Array(distances[ranges])))
    }
    for epoch in epochs {
      result.anchors += epoch.anchors
      result.distances += epoch.distances
      result.starts.append(result.anchors.count)
    }
    let chosen = Swift.stride(from: 0, to: count, by: stride).map { weights[$0] }
    let sum = chosen.reduce(0, +)
    // As many independent measurements as there are epochs.
    result.weights = chosen.map { $0 * Double(places) / max(sum, 1e-300) }
    return result
  }

  /// Groups the epochs by their ranges: an epoch belongs to the first place from which the median of
  /// its ranges differs by less than a tenth of the usual distance.
  ///
  /// Ranges are compared, because positions depend on what is in doubt. A tenth of the distance
  /// changes directions by 0.1 rad.
  private mutating func findPlaces(_ anchorCount: Int, _ reach: Double) {
    guard count > 0 else { return }
    let sorted = distances.sorted()
    var radius = max(0.1 * sorted[sorted.count / 2], reach)
    var members: [Int] = []
    while true {
      var leaders: [[Double]] = []
      members = []
      for epoch in 0..<count where leaders.count <= Self.mostPlaces {
        var own = [Double](repeating: .nan, count: anchorCount)
        for index in ranges(of: epoch) { own[anchors[index]] = distances[index] }
        let place = leaders.firstIndex { leader in
          var changes: [Double] = []
          for (one, other) in zip(leader, own) where !one.isNaN && !other.isNaN {
            changes.append((one - other).magnitude)
          }
          guard !changes.isEmpty else { return false }
          changes.sort()
          return changes[changes.count / 2] < radius
        }
        if let place {
          members.append(place)
        } else {
          members.append(leaders.count)
          leaders.append(own)
        }
      }
      if leaders.count <= Self.mostPlaces {
        places = leaders.count
        break
      }
      radius *= 1.5
    }
    var sizes = [Int](repeating: 0, count: places)
    for place in members { sizes[place] += 1 }
    weights = members.map { 1 / Double(sizes[$0]) }
  }
}
