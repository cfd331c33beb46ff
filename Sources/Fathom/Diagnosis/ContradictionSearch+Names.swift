/// Anchors whose names were mixed up: two of them, a ring, or all.
extension ContradictionSearch {
  /// The most anchors that are searched for any mix-up of their names.
  static let mostRenamed = 8
  /// The most mix-ups that are fitted to the ranges of all anchors.
  static let mostRenamings = 12
  /// The fewest epochs with ranges of the same few anchors.
  static let fewestCommon = 6

  /// Returns the sites from which the ranges of every anchor may come instead of its own, the likeliest
  /// mix-ups first.
  ///
  /// A few anchors, one more than determine a position, are tried at all sites. Where their ranges agree, the
  /// positions give every other anchor the site that its ranges fit best. So any mix-up is found, also one
  /// of all anchors, without a step that must improve on the one before.
  ///
  /// ## Cost
  /// Three times 336 fits of three anchors in 16 epochs for eight anchors at a known height, twice 1,680 of
  /// four without.
  func renamings(from plain: HypothesisFit) -> [[Int]] {
    let few = plain.hypothesis.height == nil ? 4 : 3
    guard (few...Self.mostRenamed).contains(ranged.count),
      plain.hypothesis.isUsed.allSatisfy({ $0 })
    else { return [] }
    var result: [[Int]] = []
    for chosen in choices(of: few, in: plain.epochs) {
      for renaming in renamings(by: chosen, from: plain) where !result.contains(renaming) {
        result.append(renaming)
      }
    }
    return result
  }

  /// Returns the mix-ups for which the ranges of the `chosen` anchors agree best.
  private func renamings(by chosen: [Int], from plain: HypothesisFit) -> [[Int]] {
    let sites = plain.hypothesis.sites
    let common = commonEpochs(of: chosen, in: plain.epochs)
    guard common.count >= Self.fewestCommon else { return [] }
    let ranges = WeighedEpochs(
      common.map { epoch in
        RangeEpoch(
          anchors: Array(chosen.indices),
          distances: chosen.map { distance(of: $0, in: epoch, plain.epochs) })
      })
    var found: [(misfit: Double, places: [Int], positions: [SIMD3<Double>])] = []
    forEachArrangement(of: chosen.count, among: ranged.count) { places in
      var hypothesis = RangeHypothesis(
        sites: places.map { sites[$0] }, height: plain.hypothesis.height,
        heightSigma: plain.hypothesis.heightSigma)
      hypothesis.prefersLower = plain.hypothesis.prefersLower
      (hypothesis.gain, hypothesis.bias) = (plain.hypothesis.gain, plain.hypothesis.bias)
      // A limit of zero leaves it at the least squares.
      let fit = HypothesisFit(
        ranges, hypothesis, givenSigma: givenSigma, extent: extent, ifBelow: 0)
      let misfit = fit.usualMisfit
      if found.count == Self.mostRenamings {
        guard misfit < found[found.count - 1].misfit else { return }
        found.removeLast()
      }
      let place = found.firstIndex { misfit < $0.misfit } ?? found.count
      found.insert((misfit, places, fit.positions), at: place)
    }
    return found.map { completed($0.places, of: chosen, at: $0.positions, in: common, plain) }
      .filter { $0 != ranged }
  }

  /// Returns the logarithm of the number of mix-ups of as many names.
  func renamingPrice(_ renaming: [Int]) -> Double {
    let moved = renaming.indices.filter { renaming[$0] != $0 }.count
    // The number of arrangements of the moved that leave none in its place is the integer nearest to n!/e.
    var count = 1.0
    for index in 0..<moved {
      count *= Double(renaming.count - index) / Double(index + 1)
    }
    var factorial = 1.0
    for index in 1...max(1, moved) { factorial *= Double(index) }
    return .log(max(1, count * (factorial / 2.718281828459045).rounded()))
  }

  /// Returns up to three choices of `count` anchors, those with the most ranges first: where the sites of
  /// one are on a line, it leaves two positions.
  private func choices(of count: Int, in epochs: WeighedEpochs) -> [[Int]] {
    var counts = [Int](repeating: 0, count: ranged.count)
    for anchor in epochs.anchors { counts[anchor] += 1 }
    let ranked = ranged.sorted { (counts[$0], $1) > (counts[$1], $0) }
    return stride(from: 0, to: ranked.count, by: count).prefix(3).map { start in
      (start..<(start + count)).map { ranked[$0 % ranked.count] }.sorted()
    }
  }

  /// Returns the epochs with ranges of all the `anchors`.
  private func commonEpochs(of anchors: [Int], in epochs: WeighedEpochs) -> [Int] {
    (0..<epochs.count).filter { epoch in
      anchors.allSatisfy { epochs.anchors[epochs.ranges(of: epoch)].contains($0) }
    }
  }

  private func distance(of anchor: Int, in epoch: Int, _ epochs: WeighedEpochs) -> Double {
    let range = epochs.ranges(of: epoch).first { epochs.anchors[$0] == anchor }
    return range.map { epochs.distances[$0] } ?? .nan
  }

  /// Calls `body` with every ordered choice of `count` of `whole` sites.
  private func forEachArrangement(
    of count: Int, among whole: Int, _ body: ([Int]) -> Void
  ) {
    func extend(_ places: [Int]) {
      guard places.count < count else { return body(places) }
      for next in 0..<whole where !places.contains(next) { extend(places + [next]) }
    }
    extend([])
  }

  /// Returns the sites of all anchors, where the `chosen` ones are at `places` and the tags at `positions`
  /// in the `common` epochs: the arrangement of the others with the least sum of their usual errors.
  private func completed(
    _ places: [Int], of chosen: [Int], at positions: [SIMD3<Double>], in common: [Int],
    _ plain: HypothesisFit
  ) -> [Int] {
    let others = ranged.filter { !chosen.contains($0) }
    let free = ranged.filter { !places.contains($0) }
    let hypothesis = plain.hypothesis
    let errors = others.map { anchor in
      free.map { site in
        var sizes: [Double] = []
        for (index, epoch) in common.enumerated() {
          let offset = positions[index] - hypothesis.sites[site]
          let expected = hypothesis.bias + hypothesis.gain * (offset * offset).sum().squareRoot()
          let error = distance(of: anchor, in: epoch, plain.epochs) - expected
          if !error.isNaN { sizes.append(error.magnitude) }
        }
        sizes.sort()
        // An anchor without ranges in these epochs fits any site.
        return sizes.isEmpty ? 0 : sizes[sizes.count / 2]
      }
    }
    var (best, least) = ([Int](), Double.infinity)
    forEachArrangement(of: others.count, among: free.count) { order in
      let sum = order.indices.reduce(0) { $0 + errors[$1][order[$1]] }
      if sum < least { (best, least) = (order, sum) }
    }
    var result = ranged
    for (anchor, site) in zip(chosen, places) { result[anchor] = site }
    for (index, anchor) in others.enumerated() where index < best.count {
      result[anchor] = free[best[index]]
    }
    return result
  }
}
