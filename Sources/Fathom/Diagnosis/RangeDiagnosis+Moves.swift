/// Anchors that stand elsewhere for a part of the recording.
extension RangeDiagnosis {
  /// Looks for anchors that were moved: one half of the recording puts them elsewhere, and the other where
  /// they are said to be.
  ///
  /// `usual` is the standard deviation of ranges without their own in metres; `search` returns the
  /// contradictions in some epochs.
  func movedAnchors(
    _ sample: RangeSample, _ sites: [SIMD3<Double>], usual: Double,
    _ search: ([RangeEpoch]) -> ContradictionSearch?
  ) -> [Diagnosis] {
    guard let halves = sample.halves(),
      let first = search(halves.first.epochs(usual: usual).epochs),
      let second = search(halves.second.epochs(usual: usual).epochs)
    else { return [] }
    let time = "\(metres(halves.middle.seconds)) s"
    return moved(
      second, not: first, sites, "from about \(time) on", ["from_s": halves.middle.seconds])
      + moved(first, not: second, sites, "until about \(time)", ["until_s": halves.middle.seconds])
  }

  private func moved(
    _ search: ContradictionSearch, not other: ContradictionSearch, _ sites: [SIMD3<Double>],
    _ when: String, _ evidence: [String: Double]
  ) -> [Diagnosis] {
    search.findings.compactMap { finding in
      guard case .misplaced(let anchor, let place, let sigma, let distance) = finding,
        !other.findings.contains(where: { $0.concerns(anchor) })
      else { return nil }
      var found = misplaced(
        anchor, place, sigma: sigma, distance: distance, isFlat: sites[anchor].z == place.z)
      found.message = "\(when), \(found.message)"
      found.suggestion = "check whether it was moved, and divide the recording there"
      found.evidence.merge(evidence) { $1 }
      return found
    }
  }
}

extension ContradictionSearch.Finding {
  /// Whether it blames the anchor.
  fileprivate func concerns(_ anchor: Int) -> Bool {
    switch self {
    case .offset(let other, _, _, _), .misplaced(let other, _, _, _): other == anchor
    case .renamed(let anchors, _, _, _, _): anchors.contains(anchor)
    case .height, .unit: true
    }
  }
}
