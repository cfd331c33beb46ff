/// The epochs of a recording in columns, each with the weight of its evidence.
struct WeighedEpochs {
  /// The first range of each epoch; one more element than epochs.
  private(set) var starts = [0]
  /// The anchor of each range.
  private(set) var anchors: [Int] = []
  /// The measured distances, metres.
  private(set) var distances: [Double] = []
  /// The number of independent measurements that each epoch counts for.
  private(set) var weights: [Double]
  /// The number of independent measurements of all epochs.
  private(set) var places: Int

  /// The largest number of places of anchors that share epochs, which bounds the cost of finding them.
  static let mostPlaces = 24

  /// Creates columns of epochs that count as one independent measurement each.
  init(_ epochs: [RangeEpoch]) {
    places = epochs.count
    weights = Array(repeating: 1, count: epochs.count)
    for epoch in epochs {
      anchors += epoch.anchors
      distances += epoch.distances
      starts.append(anchors.count)
    }
  }

  /// Creates columns of epochs of which all in one place together count as one independent measurement,
  /// because range errors persist.
  ///
  /// `reach` is the distance, in metres, below which two ranges are alike.
  init(_ epochs: [RangeEpoch], anchorCount: Int, reach: Double) {
    self.init(epochs)
    findPlaces(anchorCount, reach)
  }

  /// The number of epochs.
  var count: Int { starts.count - 1 }

  /// The ranges of an epoch.
  @inline(__always)
  func ranges(of epoch: Int) -> Range<Int> { starts[epoch]..<starts[epoch + 1] }

  /// The epochs at every `stride`-th index, with as many independent measurements.
  func every(_ stride: Int) -> WeighedEpochs {
    let chosen = Array(Swift.stride(from: 0, to: count, by: stride))
    var result = WeighedEpochs(
      chosen.map {
        RangeEpoch(
          anchors: Array(anchors[ranges(of: $0)]), distances: Array(distances[ranges(of: $0)]))
      })
    let sum = chosen.reduce(0) { $0 + weights[$1] }
    result.places = places
    result.weights = chosen.map { weights[$0] * Double(places) / max(sum, 1e-300) }
    return result
  }

  /// Groups the epochs by their ranges: an epoch belongs to the first place from which the median of
  /// its ranges differs by less than a tenth of the usual distance.
  ///
  /// Ranges are compared, because positions depend on what is in doubt. A tenth of the distance
  /// changes directions by 0.1 rad. With too many places, the radius grows until some of them join.
  /// Epochs without a common anchor never do, so where even these are too many, all places remain.
  private mutating func findPlaces(_ anchorCount: Int, _ reach: Double) {
    guard count > 0 else { return }
    let sorted = distances.sorted()
    var radius = max(0.1 * sorted[sorted.count / 2], reach)
    while true {
      let found = places(within: radius, most: Self.mostPlaces, anchorCount)
      guard found.count > Self.mostPlaces, found.nextChange.isFinite, radius > 0 else { break }
      repeat { radius *= 1.5 } while radius <= found.nextChange
    }
    let (members, found, _) = places(within: radius, most: count, anchorCount)
    places = found
    var sizes = [Int](repeating: 0, count: places)
    for place in members { sizes[place] += 1 }
    weights = members.map { 1 / Double(sizes[$0]) }
  }

  /// Returns the place of each epoch, their number, and the least change of ranges that parts two
  /// places, in metres, infinite if places have no common anchors; ends with more than `most` places.
  private func places(
    within radius: Double, most: Int, _ anchorCount: Int
  ) -> (members: [Int], count: Int, nextChange: Double) {
    // The epochs that found a place, and the distances of the one at hand by anchor.
    var leaders: [Int] = []
    var members: [Int] = []
    var own = [Double](repeating: .nan, count: anchorCount)
    var changes: [Double] = []
    var nextChange = Double.infinity
    for epoch in 0..<count where leaders.count <= most {
      for index in ranges(of: epoch) { own[anchors[index]] = distances[index] }
      let place = leaders.firstIndex { leader in
        changes.removeAll(keepingCapacity: true)
        for index in ranges(of: leader) where !own[anchors[index]].isNaN {
          changes.append((distances[index] - own[anchors[index]]).magnitude)
        }
        guard !changes.isEmpty else { return false }
        changes.sort()
        let change = changes[changes.count / 2]
        if change >= radius, change < nextChange { nextChange = change }
        return change < radius
      }
      for index in ranges(of: epoch) { own[anchors[index]] = .nan }
      members.append(place ?? leaders.count)
      if place == nil { leaders.append(epoch) }
    }
    return (members, leaders.count, nextChange)
  }
}
