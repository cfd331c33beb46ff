extension TrackBelief {
  /// Mixes the beliefs of both modes: each becomes the moment-matched mixture of both.
  ///
  /// - Parameter shares: the weight of the gentle belief in the new gentle one, and in the new
  ///   lively one.
  mutating func mix(shares: Pair) {
    let (share, spread) = (SIMD4(twice: shares), SIMD4(twice: shares * (1 - shares)))
    let panelCount = panelCount
    withMutableElements { p in
      // The differences of the means take the place of the gain for a while.
      for index in 0..<panelCount {
        let mean = p.mean[panel: index]
        let difference = mean.gentle - mean.lively
        p.mean[panel: index] = mean.lively + share * difference
        p.gain[panel: index] = difference
      }
      for index in 0..<panelCount {
        let panel = p.panel(index)
        let own = p.gain[panel: index]
        for column in 0..<2 * index + 2 {
          let numbers = panel[column]
          let lively = numbers.lively
          // In this order of factors, so that mirrored numbers stay equal to the bit.
          let square = own * SIMD4(twice: p.gain[column])
          panel[column] = lively + share * (numbers.gentle - lively) + spread * square
        }
      }
    }
  }
}

extension SIMD4<Double> {
  /// Of two pairs, the numbers of the gentle mode, for both modes.
  @inline(__always)
  fileprivate var gentle: Self { Self(self[0], self[0], self[2], self[2]) }
  /// Of two pairs, the numbers of the lively mode, for both modes.
  @inline(__always)
  fileprivate var lively: Self { Self(self[1], self[1], self[3], self[3]) }
}
