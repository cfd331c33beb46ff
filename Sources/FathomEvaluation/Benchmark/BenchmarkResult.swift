import Fathom

/// What the benchmark of one method on one recording gave; nil where it is not known or does not apply.
///
/// Errors are those of positions (horizontal where the height is known) or of distances, metres.
public struct BenchmarkResult: Sendable, Equatable, Codable {
  /// Name of the recording.
  public var recording: String
  /// Name of the method.
  public var method: String
  /// What the method estimates.
  public var kind: BenchmarkMethod.Kind

  /// Estimates that could be compared with truth.
  public var n = 0
  /// For how much of the recording there is an answer.
  ///
  /// Positions: share of the truth's whole seconds with an estimate within 1 s. Distances and scores:
  /// share of the ranges that have one. Verdicts: share of the ranges that are not unknown.
  public var coverage: Double?
  /// Positions: share of the time with a position no older than a second.
  public var availability: Double?
  /// Positions: seconds from the first range to the first position.
  public var timeToFirstFixS: Double?
  /// Positions: seconds by which they trail the true ones; see ``Latency``.
  public var latencyS: Double?
  /// Positions: longest time without one, seconds.
  public var longestOutageS: Double?
  /// Root mean square error.
  public var rmseM: Double?
  /// Mean error.
  public var meanM: Double?
  /// Median error.
  public var medianM: Double?
  /// Error that 68 % stay below.
  public var p68M: Double?
  /// Error that 95 % stay below.
  public var p95M: Double?
  /// Error that 99 % stay below.
  public var p99M: Double?
  /// Largest error.
  public var maxM: Double?
  /// Mean normalised error squared per degree of freedom; 1 where the stated covariances are right.
  public var nees: Double?
  /// Mean normalised innovation squared; 1 for a consistent filter.
  public var nis: Double?
  /// Whether the noise of the recording leaves open if the best method of its kind is better.
  public var tiesWithBest: Bool?

  /// Distances: seconds by which they trail the true ones.
  public var lagS: Double?
  /// Distances: scatter from one to the next.
  public var jitterM: Double?
  /// Verdicts and decisions on ranges labelled `line_of_sight` or `obstructed`.
  public var confusion: ConfusionTable?
  /// Verdicts: root mean square error of the ranges that met each.
  public var rmseByVerdictM: [String: Double]?
  /// Scores: probability that a range in line of sight has the higher score than an obstructed one.
  public var separation: Double?
  /// Scores: rank correlation with the size of the error of the range.
  public var errorCorrelation: Double?

  /// Ranges in the recording.
  public var ranges = 0
  /// Wall-clock time per range, the least over the repeats, nanoseconds.
  public var nsPerRange: Double?
  /// The same, the median over the repeats.
  public var nsPerRangeMedian: Double?
  /// Ranges per second in the fastest repeat.
  public var rangesPerSecond: Double?
  /// Repeats after warming up.
  public var repeats = 0
  /// Requests for memory per range in the second half of the recording.
  public var allocationsPerRange: Double?
  /// Whether the method claims to make none.
  public var claimsNoAllocation = false

  /// Whether what was counted contradicts that claim; the start of a track is not part of it.
  public var breaksItsClaim = false

  enum CodingKeys: String, CodingKey {
    case recording, method, kind, n, coverage, rmseM, meanM, medianM, p68M, p95M, p99M, maxM, nees
    case nis, tiesWithBest, lagS, jitterM, confusion, rmseByVerdictM, separation, errorCorrelation
    case ranges, nsPerRange, nsPerRangeMedian, rangesPerSecond, repeats, allocationsPerRange
    case claimsNoAllocation, breaksItsClaim, availability, timeToFirstFixS, longestOutageS
    case latencyS
  }

  init(recording: String, method: BenchmarkMethod) {
    self.recording = recording
    self.method = method.name
    kind = method.kind
    claimsNoAllocation = method.claimsNoAllocation
  }
}
