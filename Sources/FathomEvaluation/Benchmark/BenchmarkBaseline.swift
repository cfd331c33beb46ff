/// An earlier benchmark, to compare a later one with.
package struct BenchmarkBaseline: Sendable, Equatable {
  /// How much worse a figure may be before it counts as a regression.
  package struct Tolerance: Sendable, Equatable {
    /// Share by which errors may grow.
    package var error = 0.02
    /// By how much the coverage may shrink.
    package var coverage = 0.01
    /// Share by which the consistency may move away from 1: the normalised squares or, where they are
    /// below 1, their inverse.
    package var consistency = 0.10
    /// Share by which the time per range may grow; nil: times are not compared, since they belong to a
    /// machine and a moment.
    package var time: Double?

    /// The defaults.
    package init() {}
  }

  /// A figure that is worse than it was.
  package struct Regression: Sendable, Equatable {
    /// Name of the recording.
    package let recording: String
    /// Name of the method.
    package let method: String
    /// Name of the figure, as in the JSON.
    package let figure: String
    /// What it was; nil where it was not determined.
    package let before: Double?
    /// What it is; nil where it is not determined any more.
    package let now: Double?
  }

  /// The earlier results.
  package let results: [BenchmarkResult]

  /// The baseline of `results`.
  package init(_ results: [BenchmarkResult]) { self.results = results }

  /// What is worse in `later` than here, and how many results were compared.
  ///
  /// Only results of the same recording and method are compared; errors that come with a smaller
  /// absolute change than a micrometre are the same.
  ///
  /// - Parameters:
  ///   - later: the later results.
  ///   - tolerance: how much worse a figure may be.
  /// - Returns: the regressions in the order of `later`, and the number of results compared.
  package func regressions(
    in later: [BenchmarkResult], tolerance: Tolerance = Tolerance()
  ) -> (regressions: [Regression], compared: Int) {
    var regressions: [Regression] = []
    var compared = 0
    for now in later {
      let before = results.first { $0.recording == now.recording && $0.method == now.method }
      guard let before else { continue }
      compared += 1
      func check(
        _ figure: String, _ value: (BenchmarkResult) -> Double?, _ isWorse: (Double, Double) -> Bool
      ) {
        guard let old = value(before) else { return }
        guard let new = value(now) else {
          regressions.append(
            Regression(
              recording: now.recording, method: now.method, figure: figure, before: old, now: nil))
          return
        }
        guard isWorse(old, new) else { return }
        regressions.append(
          Regression(
            recording: now.recording, method: now.method, figure: figure, before: old, now: new))
      }
      func hasGrown(_ old: Double, _ new: Double) -> Bool {
        new > old * (1 + tolerance.error) + 1e-6
      }
      check("rmse_m", \.rmseM, hasGrown)
      check("median_m", \.medianM, hasGrown)
      check("p95_m", \.p95M, hasGrown)
      check("coverage", \.coverage) { $1 < $0 - tolerance.coverage }
      check("nees", \.nees) { old, new in
        max(new, 1 / new) > max(old, 1 / old) * (1 + tolerance.consistency)
      }
      check("breaks_its_claim", { $0.breaksItsClaim ? 1 : 0 }) { $1 > $0 }
      if let time = tolerance.time {
        check("ns_per_range", \.nsPerRange) { $1 > $0 * (1 + time) }
      }
    }
    return (regressions, compared)
  }
}
