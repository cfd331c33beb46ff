extension JointRun {
  /// Returns the tracks of this run from the factored equations of its last linearisation.
  ///
  /// The covariance of the states for known common unknowns scales with the errors of ranges, that of the
  /// common unknowns in part. What comes from priors and from the unobservable common-mode error does not scale.
  /// The factor on the errors of ranges is the largest of the tags, because a track also has the errors of
  /// those that it is tied to.
  func tracks(
    _ equations: JointEquations<N>, iterations: Int, isConverged: Bool
  ) -> [SmoothedTrack] {
    var corner = equations.corner
    let errors = runs.indices.map { tag in
      runs[tag].residualErrorModel(equations.block(of: corner, tag))
    }
    let factor = errors.map(\.factor).max() ?? 1
    if factor < 1 { corner = rescaled(corner, by: factor) }
    var shared = corner
    // The common-mode error is not estimated; its variance is added [Schmidt 1966]. The track
    // responds to it as to a bias.
    for (tag, run) in runs.enumerated() where run.configuration.errors.hasTransientCommonMode {
      guard let bias = run.layout.bias else { continue }
      shared[(equations.shared + 1) * (equations.first[tag] + bias)] +=
        run.configuration.errors.commonVariance
    }
    var covariances = runs.map { _ in
      LargePages.array(of: Matrix<N, N>.zero, count: times.count)
    }
    equations.withCovariances(corner: shared) { tag, index, own, ofCommon in
      let kept = runs[tag].bandwidthFactor(errors[tag], own, ofCommon)
      covariances[tag][index] = (kept * factor) * own + ofCommon
    }
    return runs.indices.map { tag in
      let instants = links.filter { $0.first == tag || $0.second == tag }.map {
        ($0.time, $0.state)
      }
      return runs[tag].track(
        covariances[tag], corner: equations.block(of: corner, tag), errors: errors[tag],
        at: instants, iterations: iterations, isConverged: isConverged)
    }
  }

  /// Returns the covariance V of the common unknowns of the same estimate from ranges with f times the
  /// assumed variance.
  ///
  /// The errors of the ranges contribute f (V - V P V), where P is the prior information. The prior
  /// pulls an unknown x towards zero by V P x. The magnitude of x is assumed to be its prior
  /// standard deviation, with the variance 1/P, or as its estimate if that is larger. `before` is
  /// V; matrices are row by row.
  private func rescaled(_ before: [Double], by factor: Double) -> [Double] {
    let priors = runs.flatMap { run in run.common.indices.map { run.priorInformation(ofCommon: $0) }
    }
    let found = runs.flatMap(\.common)
    let count = priors.count
    var result = before
    for row in 0..<count {
      for column in 0..<count {
        var sum = factor * before[count * row + column]
        for (index, prior) in priors.enumerated() {
          let drawn = prior * max(1, prior * found[index] * found[index])
          sum +=
            before[count * row + index] * (drawn - factor * prior)
            * before[count * index + column]
        }
        result[count * row + column] = sum
      }
    }
    return result
  }
}
