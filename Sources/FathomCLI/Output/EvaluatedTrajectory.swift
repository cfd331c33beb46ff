import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation

/// An evaluation with its two input files, as text or JSON.
struct EvaluatedTrajectory {
  let trajectory: RecordedTrajectory
  let reference: ReferenceTrajectory
  let evaluation: TrajectoryEvaluation

  /// Notes about the input files and their rejected rows.
  var messages: [String] {
    reference.notes + trajectory.notes.map { "\(trajectory.path): note: \($0)" } + zeros + units
      + rejections(trajectory.path, trajectory.rejected)
      + rejections(reference.path, reference.truth.rejected)
  }

  /// A note on positions that are exactly zero, which loggers write for no position.
  private var zeros: [String] {
    var (count, total) = (0, 0)
    for track in trajectory.tracks.values {
      total += track.count
      count += track.positions.count { position in
        (0..<3).allSatisfy { position[$0] == 0 || position[$0].isNaN } && position[0] == 0
          && position[1] == 0
      }
    }
    guard count > 1, count < total else { return [] }
    let share = 100 * Double(count) / Double(total)
    return [
      "\(trajectory.path): warning: \(count) of \(total) positions"
        + " (\(share.text(decimals: 0)) %) are exactly 0,0,0; if they stand for no position, write"
        + " nan instead"
    ]
  }

  /// A warning about a unit or axes in which truth and estimate would agree.
  private var units: [String] {
    let poses = evaluation.matched.poses
    guard evaluation.alignment == nil else { return [] }
    let isHorizontal = evaluation.settings.isHorizontal
    if let hint = UnitHint(
      poses.map(\.estimate), truth: poses.map(\.truth), isHorizontal: isHorizontal)
    {
      return ["\(reference.path): warning: \(hint.text)"]
    }
    guard let hint = FrameHint(poses, isHorizontal: isHorizontal) else { return [] }
    return [
      "\(reference.path): warning: \(words(of: hint.alignment)), the estimate would have an RMSE of"
        + " \(hint.aligned.text(decimals: 2)) m instead of \(hint.plain.text(decimals: 2)) m: are both in"
        + " the same frame? --align compares the shapes alone"
    ]
  }

  private func rejections(_ path: String, _ rows: RejectedRows) -> [String] {
    guard let first = rows.first else { return [] }
    return [
      "\(path):\(first.line): \(rows.total.counted("row")) rejected, the first: \(first.reason)"
    ]
  }

  /// The reasons why poses were not compared, most frequent first; empty if all were.
  var reason: String {
    let reasons = unmatched.sorted { $0.count > $1.count }.map { "\($0.count) \($0.words)" }
    return reasons.isEmpty ? "" : ": " + reasons.joined(separator: ", ")
  }

  /// The times of both files, if they do not overlap; otherwise empty.
  var spans: String {
    let counts = evaluation.counts
    guard counts.matched == 0, counts.beforeTruth + counts.afterTruth > 0 else { return "" }
    let estimated = trajectory.tracks.values.flatMap(\.times)
    let known = reference.truth.tracks.values.flatMap(\.times)
    guard let first = estimated.min(), let last = estimated.max(), let begin = known.min(),
      let end = known.max()
    else { return "" }
    return
      "; the estimate is from \(first.seconds) to \(last.seconds) s, truth from \(begin.seconds) to"
      + " \(end.seconds) s (--time-offset is added to truth)"
  }

  private var unmatched: [(count: Int, words: String)] {
    let counts = evaluation.counts
    let coordinates =
      evaluation.settings.isHorizontal
      ? "x or y" : "x, y or z (use --horizontal to compare without z)"
    return [
      (counts.undetermined, "without \(coordinates)"),
      (counts.withoutTruth, "of tags without truth"),
      (counts.beforeTruth, "before truth begins"),
      (counts.afterTruth, "after truth ends"),
      (counts.inGapOfTruth, "in gaps of truth"),
      (counts.skipped, "skipped at the beginning"),
    ].filter { $0.count > 0 }
  }

  /// Returns the evaluation as text.
  func text() -> String {
    let counts = evaluation.counts
    var lines = [
      "estimate   \(trajectory.path): \(trajectory.format.rawValue),"
        + " \(trajectory.tracks.count.counted("tag"))",
      "truth      \(reference.path): \(reference.truth.tracks.count.counted("track"))",
      "matched    \(counts.matched) of \(counts.total.counted("pose"))\(reason)",
    ]
    if let alignment = evaluation.alignment {
      lines.append("aligned    \(words(of: alignment))")
    }
    if evaluation.accuracy != nil { lines += ["", errorTable] }
    lines += ["", figures]
    if !evaluation.relative.isEmpty { lines += ["", driftTable] }
    return lines.joined(separator: "\n")
  }

  private var errorTable: String {
    var table = TextTable([
      "error, m", "poses#", "rmse#", "mean#", "median#", "68 %#", "95 %#", "99 %#", "max#",
    ])
    func append(_ name: String, _ accuracy: PositionAccuracy?) {
      guard let a = accuracy else { return }
      table.append(
        [name, "\(a.n)"]
          + [a.rmseM, a.meanM, a.medianM, a.p68M, a.p95M, a.p99M, a.maxM].map {
            $0.text(decimals: 4)
          })
    }
    append("horizontal", evaluation.horizontal)
    append("vertical", evaluation.vertical)
    append("3-D", evaluation.spatial)
    if evaluation.accuracyByTag.count > 1 {
      for (tag, accuracy) in evaluation.accuracyByTag.sorted(by: { $0.key < $1.key }) {
        append("tag \(tag)", accuracy)
      }
    }
    return table.text
  }

  private var figures: String {
    let availability = evaluation.availability
    func percent(_ share: Double?) -> String { ((share ?? .nan) * 100).text(decimals: 1) + " %" }
    func seconds(_ span: Double?) -> String { (span ?? .nan).text(decimals: 2) + " s" }
    // Truth may begin after the estimate.
    let delay = availability.timeToFirstFixS ?? .nan
    let start = delay < 0 ? "\(seconds(-delay)) before truth begins" : "after \(seconds(delay))"
    var lines = [
      "coverage   \(percent(availability.coverage)) of truth's seconds",
      "available  \(percent(availability.availability)) of truth's time, by a position at most"
        + " \(evaluation.settings.maximumAge.plainText) s old",
      "first fix  \(start); longest outage"
        + " \(seconds(availability.longestOutageS))",
    ]
    if let latency = evaluation.latency {
      lines.append(
        "latency    \(latency.delayS.text(decimals: 3)) s, sigma"
          + " \(latency.sigmaS.text(decimals: 3)) s")
    } else {
      lines.append("latency    not determined by the motion")
    }
    if let consistency = evaluation.consistency {
      func range(_ bounds: ClosedRange<Double>) -> String {
        "\(bounds.lowerBound.text(decimals: 3)) to \(bounds.upperBound.text(decimals: 3))"
      }
      lines.append(
        "NEES       \(consistency.meanPerDof.text(decimals: 3)) per degree of freedom, of"
          + " \(consistency.count.counted("pose")); 99 % bounds \(range(consistency.bounds99));"
          + " \(percent(consistency.shareInside95)) inside their 95 % region")
    }
    return lines.joined(separator: "\n")
  }

  private var driftTable: String {
    let rows = evaluation.relative.map { relative in
      let name = relative.distanceM.map { "over \($0.plainText) m" }
      let time = relative.timeS.map { "over \($0.plainText) s" }
      let drift = relative.drift
      let errors = [drift?.rmseM, drift?.medianM, drift?.p95M, drift?.maxM]
      return [name ?? time ?? "", "\(drift?.n ?? 0)"]
        + errors.map { ($0 ?? .nan).text(decimals: 4) }
        + [relative.meanShare.map { ($0 * 100).text(decimals: 2) + " %" } ?? "-"]
    }
    return TextTable(
      ["drift, m", "segments#", "rmse#", "median#", "95 %#", "max#", "mean#"], rows: rows
    ).text
  }

  private func words(of alignment: RigidAlignment) -> String {
    let angle = alignment.rotationAngle.degrees
    let moved = alignment.translation.array.map { $0.text(decimals: 3) }.joined(separator: "  ")
    return "rotated by \(angle.text(decimals: 2)) degrees, moved by \(moved) m, scaled by"
      + " \(alignment.scale.text(decimals: 5))"
  }
}

extension EvaluatedTrajectory {
  /// Returns the evaluation as one line of JSON; undetermined values are null.
  func json() throws -> String {
    try Console.json(self, keys: .convertToSnakeCase)
  }
}

extension EvaluatedTrajectory: Encodable {
  private struct RejectedCounts: Encodable {
    var estimate: Int
    var truth: Int
  }

  func encode(to encoder: any Encoder) throws {
    try EvaluatedFigures(evaluation).encode(to: encoder)
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(trajectory.path, forKey: "estimate")
    try container.encode(reference.path, forKey: "truth")
    try container.encode(trajectory.format, forKey: "format")
    try container.encode(
      RejectedCounts(
        estimate: trajectory.rejected.total, truth: reference.truth.rejected.total),
      forKey: "setAside")
  }
}
