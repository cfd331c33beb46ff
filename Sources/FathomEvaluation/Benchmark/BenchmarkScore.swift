import Fathom
import FathomRecordings

extension BenchmarkResult {
  /// Squared errors, m², and their times.
  typealias SquaredErrors = [(time: Timestamp, square: Double)]

  /// Fills in the accuracy of `output` on `subject`; returns the errors, on which the ranking is
  /// based.
  mutating func score(_ output: MethodOutput, on subject: BenchmarkCase) -> SquaredErrors {
    switch output {
    case .positions(let positions, let decisions, let consistency):
      nis = consistency?.meanNormalizedSquare
      // Without a position, no decision was made about the ranges.
      if positions.status.contains(where: { $0 != .starting }) {
        confusion = ConfusionTable(decisions.map(\.word), on: subject)
      }
      return score(positions, on: subject)
    case .distances(let distances):
      return score(distances, on: subject)
    case .verdicts(let verdicts):
      coverage = share(of: verdicts) { $0 != .unknown }
      confusion = ConfusionTable(verdicts.map(\.word), on: subject)
      rmseByVerdictM = errors(by: verdicts, on: subject)
    case .scores(let scores):
      coverage = share(of: scores) { $0 != nil }
      score(scores, on: subject)
    }
    return []
  }

  private mutating func score(
    _ positions: PositionColumns, on subject: BenchmarkCase
  ) -> SquaredErrors {
    guard let truth = subject.truth else { return [] }
    var settings = EvaluationSettings()
    settings.longestGap = subject.longestGap
    let facts = subject.recording.facts
    settings.isHorizontal = facts.heightM != nil && facts.heightSigmaM == nil
    let evaluation = TrajectoryEvaluation(
      EstimatedTrack.tracks(of: positions), truth: truth, settings: settings,
      start: subject.recording.ranges.time.min())
    n = evaluation.counts.matched
    coverage = evaluation.availability.coverage
    availability = evaluation.availability.availability
    timeToFirstFixS = evaluation.availability.timeToFirstFixS
    longestOutageS = evaluation.availability.longestOutageS
    latencyS = evaluation.latency?.delayS
    fill(evaluation.accuracy)
    nees = evaluation.consistency?.meanPerDof
    return evaluation.matched.poses.map { pose in
      let error = settings.magnitude(pose.error)
      return (pose.time, error * error)
    }
  }

  private mutating func score(
    _ distances: [SmoothedDistance?], on subject: BenchmarkCase
  ) -> SquaredErrors {
    coverage = share(of: distances) { $0 != nil }
    let accuracy = DistanceAccuracy(of: distances, on: subject)
    n = accuracy.errors.count
    fill(PositionAccuracy(errors: accuracy.errors.map(\.magnitude)))
    nees = accuracy.normalizedSquare
    lagS = accuracy.lag
    jitterM = accuracy.jitter
    return zip(accuracy.times, accuracy.errors).map { ($0, $1 * $1) }
  }

  private mutating func score(_ scores: [Double?], on subject: BenchmarkCase) {
    let ranges = subject.recording.ranges
    var byLabel: [Bool: [Double]] = [:]
    var pairs: (scores: [Double], errors: [Double]) = ([], [])
    for (index, score) in scores.enumerated() {
      guard let score else { continue }
      if let label = ranges[.nonLineOfSight]?[index], !label.isNaN {
        byLabel[label >= 0.5, default: []].append(score)
      }
      let error = (ranges.distance[index] - subject.trueDistances[index]).magnitude
      if error.isFinite {
        pairs.scores.append(score)
        pairs.errors.append(error)
      }
    }
    n = pairs.scores.count
    separation = Separation.area(
      clear: byLabel[false] ?? [], obstructed: byLabel[true] ?? [])
    errorCorrelation = Separation.rankCorrelation(pairs.scores, pairs.errors)
  }

  private mutating func fill(_ accuracy: PositionAccuracy?) {
    rmseM = accuracy?.rmseM
    meanM = accuracy?.meanM
    medianM = accuracy?.medianM
    p68M = accuracy?.p68M
    p95M = accuracy?.p95M
    p99M = accuracy?.p99M
    maxM = accuracy?.maxM
  }

  /// Returns the share of `outputs` that satisfy `predicate`; nil when `outputs` is empty.
  private func share<Output>(
    of outputs: [Output], where predicate: (Output) -> Bool
  ) -> Double? {
    outputs.isEmpty ? nil : Double(outputs.count(where: predicate)) / Double(outputs.count)
  }

  /// Returns the root mean square error of the ranges with each verdict, metres; nil without truth.
  private mutating func errors(
    by verdicts: [MeasurementQuality], on subject: BenchmarkCase
  ) -> [String: Double]? {
    var sums: [String: (square: Double, count: Int)] = [:]
    for (index, verdict) in verdicts.enumerated() {
      let error = subject.recording.ranges.distance[index] - subject.trueDistances[index]
      guard error.isFinite else { continue }
      sums[verdict.word, default: (0, 0)].square += error * error
      sums[verdict.word, default: (0, 0)].count += 1
    }
    n = sums.values.map(\.count).reduce(0, +)
    if sums.isEmpty { return nil }
    return sums.mapValues { ($0.square / Double($0.count)).squareRoot() }
  }
}

extension ConfusionTable {
  /// Labels of ranges with and without line of sight.
  public static let labels = (clear: "line_of_sight", obstructed: "obstructed")

  /// Counts `verdicts`, one per range, by the labels of `subject`; nil without labels.
  init?(_ verdicts: [String], on subject: BenchmarkCase) {
    guard let marks = subject.recording.ranges[.nonLineOfSight] else { return nil }
    self.init()
    for (verdict, mark) in zip(verdicts, marks) where !mark.isNaN {
      count(verdict, label: mark >= 0.5 ? Self.labels.obstructed : Self.labels.clear)
    }
    if total == 0 { return nil }
  }
}
