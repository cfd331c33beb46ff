/// The ranges of an epoch that are distances.
struct UsableRanges<let D: Int> {
  /// Where they stand in the input.
  var indices: [Int] = []
  var distances: [Double] = []
  var anchors: [Vector<D>] = []
  var sigmas: [Double] = []
  /// Where the others stand in the input.
  var discounted: [Int] = []

  func problem(free: Int, known: Vector<D>) -> RangeProblem<D> {
    RangeProblem(
      distances: distances, anchors: anchors, sigmas: sigmas, free: free, known: known)
  }
}

extension Trilateration {
  /// The ranges that are distances, with their anchors.
  static func usableRanges<let D: Int>(
    _ ranges: [Double], _ anchors: [Vector<D>], _ sigmas: [Double]?, _ options: Options
  ) throws(TrilaterationError) -> UsableRanges<D> {
    guard ranges.count == anchors.count else {
      throw .countMismatch(ranges: ranges.count, anchors: anchors.count)
    }
    guard sigmas == nil || sigmas?.count == ranges.count else {
      throw .countMismatch(ranges: ranges.count, anchors: sigmas?.count ?? 0)
    }
    if let height = options.height, !height.isFinite { throw .heightNotFinite }
    if let sigma = options.heightSigma, !(sigma > 0 && sigma.isFinite) {
      throw .heightSigmaNotPositive
    }
    var usable = UsableRanges<D>()
    for index in ranges.indices {
      guard anchors[index].isFinite else { throw .anchorNotFinite(index: index) }
      let sigma = sigmas?[index] ?? options.rangeSigma
      guard sigma > 0, sigma.isFinite else { throw .sigmaNotPositive(index: index) }
      let absence = MeasuredDistance.absence(
        of: ranges[index], zeroIsDistance: options.zeroIsDistance)
      if absence != nil { usable.discounted.append(index) }
    }
    guard !usable.discounted.isEmpty else {
      usable.indices = Array(ranges.indices)
      usable.distances = ranges
      usable.anchors = anchors
      usable.sigmas = sigmas ?? [Double](repeating: options.rangeSigma, count: ranges.count)
      return usable
    }
    var discounted = usable.discounted[...]
    for index in ranges.indices {
      if discounted.first == index {
        discounted.removeFirst()
        continue
      }
      usable.indices.append(index)
      usable.distances.append(ranges[index])
      usable.anchors.append(anchors[index])
      usable.sigmas.append(sigmas?[index] ?? options.rangeSigma)
    }
    return usable
  }
}
