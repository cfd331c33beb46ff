/// Earlier benchmark results, with which later results are compared.
package struct BenchmarkBaseline: Sendable, Equatable {
  /// The largest deterioration of each figure that does not count as a regression.
  package struct Tolerance: Sendable, Equatable {
    /// Maximum relative increase of errors.
    package var error = 0.02
    /// Maximum absolute decrease of the coverage.
    package var coverage = 0.01
    /// Maximum relative increase of the inconsistency: the mean normalised square or its inverse,
    /// whichever is greater.
    package var consistency = 0.10
    /// Maximum relative increase of the time per range; nil to ignore times, which depend on the
    /// machine and its load.
    package var time: Double?

    /// Creates the default tolerances.
    package init() {}
  }

  /// A figure that is worse than in the baseline.
  package struct Regression: Sendable, Equatable {
    /// Name of the recording.
    package let recording: String
    /// Name of the method.
    package let method: String
    /// Name of the figure, as in the JSON.
    package let figure: String
    /// Value in the baseline; nil when undetermined.
    package let before: Double?
    /// Present value; nil when it is no longer determined.
    package let now: Double?
  }

  /// The earlier results.
  package let results: [BenchmarkResult]

  /// Creates the baseline of `results`.
  package init(_ results: [BenchmarkResult]) { self.results = results }

  /// Returns the figures that are worse in `later` than in the baseline by more than `tolerance`,
  /// in the order of `later`, with the number of compared results.
  ///
  /// Only results of the same recording and method are compared. Error increases below a micrometre
  /// are ignored.
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
