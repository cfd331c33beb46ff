import Fathom
import FathomEvaluation
import FathomRecordings
import Foundation

/// The output of a method on a recording as a short table of rounded numbers.
struct GoldenTrace {
  /// The header and the rows, cells separated by commas.
  let lines: [String]

  /// Maximum number of rows, evenly spaced.
  ///
  /// An early change in a recording also affects later states.
  private static let mostRows = 200
  /// Tolerance: half a unit more than the effect of rounding to four decimals.
  private static let tolerance = 1.5e-4

  /// Creates the trace of `output` on `recording`.
  init(_ output: MethodOutput, of recording: Recording) {
    let ranges = recording.ranges
    func link(_ index: Int) -> String {
      let tag = recording.tagNames[Int(ranges.tag[index])]
      let anchor = recording.anchorNames[Int(ranges.anchor[index])]
      return "\(Self.text(ranges.time[index].seconds, decimals: 6)),\(tag),\(anchor)"
    }
    switch output {
    case .positions(let positions, _, _):
      let rows = (0..<positions.count).map { index in
        let sigmas = (0..<3).map { positions.covariance[index][$0, $0].squareRoot() }
        let numbers = (positions.position[index].array + sigmas).map { Self.text($0) }
        return
          "\(Self.text(positions.time[index].seconds, decimals: 6)),\(positions.tag[index]),"
          + "\(numbers.joined(separator: ",")),\(positions.status[index].word)"
      }
      lines = ["time_s,tag,x_m,y_m,z_m,sigma_x_m,sigma_y_m,sigma_z_m,status"] + Self.thinned(rows)
    case .distances(let distances):
      let rows = distances.indices.map { index in
        let numbers = [distances[index]?.distance, distances[index]?.sigma, distances[index]?.rate]
        return "\(link(index)),\(numbers.map { Self.text($0 ?? .nan) }.joined(separator: ","))"
      }
      lines = ["time_s,tag,anchor,distance_m,sigma_m,rate_mps"] + Self.thinned(rows)
    case .verdicts(let verdicts):
      let rows = verdicts.indices.map { "\(link($0)),\(verdicts[$0].word)" }
      lines = ["time_s,tag,anchor,quality"] + Self.thinned(rows)
    case .scores(let scores):
      let rows = scores.indices.map { "\(link($0)),\(Self.text(scores[$0] ?? .nan))" }
      lines = ["time_s,tag,anchor,score"] + Self.thinned(rows)
    }
  }

  /// Describes the first difference from the trace in `text`; nil without differences.
  func difference(from text: String) -> String? {
    let committed = text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    guard committed.count == lines.count else {
      return "\(lines.count) lines instead of \(committed.count)"
    }
    for (number, (before, now)) in zip(committed, lines).enumerated() {
      let old = before.split(separator: ",", omittingEmptySubsequences: false)
      let new = now.split(separator: ",", omittingEmptySubsequences: false)
      let isSame =
        old.count == new.count
        && zip(old, new).allSatisfy { old, new in
          if old == new { return true }
          guard let old = Double(old), let new = Double(new) else { return false }
          return (old - new).magnitude <= Self.tolerance
        }
      if !isSame { return "line \(number + 1): \(now) instead of \(before)" }
    }
    return nil
  }

  private static func thinned(_ rows: [String]) -> [String] {
    var step = max(1, (rows.count + mostRows - 1) / mostRows)
    // A prime step covers all anchors of a scan in turn.
    while (2..<max(2, step)).contains(where: { step % $0 == 0 }) { step += 1 }
    return stride(from: step - 1, to: rows.count, by: step).map { rows[$0] }
  }

  private static func text(_ value: Double, decimals: Int = 4) -> String {
    var bytes: [UInt8] = []
    FixedDecimal.append(value, decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
