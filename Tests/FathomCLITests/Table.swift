import Foundation
import Testing

/// A CSV file without quotation marks, read independently of Fathom's reader.
struct Table {
  let header: [String]
  let rows: [[String: String]]

  init(_ text: String) throws {
    let lines = text.split(separator: "\n").map(String.init)
    let split = lines.map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let names = try #require(split.first)
    header = names
    rows = try split.dropFirst().map { fields in
      try #require(fields.count == names.count, "\(fields)")
      return Dictionary(uniqueKeysWithValues: zip(names, fields))
    }
  }

  init(contentsOf path: String) throws {
    try self.init(String(contentsOf: URL(filePath: path), encoding: .utf8))
  }
}

/// The error and the coverage of positions against a recording's truth.
///
/// The definitions are those of common practice. Truth is interpolated linearly to the time of each
/// position, over gaps of at most 1.5 s. Coverage is the share of truth's whole seconds, from the
/// first row of positions on, that have a position within one second.
struct Score {
  var count = 0
  var rootMeanSquare = Double.nan
  var coverage = 0.0

  /// Scores the first `axes` coordinates of `positions` against the truth in the folder
  /// `recording`; rows without one of them do not count.
  init(_ positions: Table, recording: String, axes: Int) throws {
    let truth = try Table(contentsOf: "\(recording)/truth.csv").rows.map { row in
      (
        time: try Self.number(row["time_s"]),
        at: try ["x", "y", "z"].map { try Self.number(row[$0]) }
      )
    }
    let begin = try #require(positions.rows.first.map { try Self.number($0["time_s"]) })
    var wanted: Set<Int> = []
    for (from, to) in zip(truth, truth.dropFirst()) where to.time - from.time <= Self.longestGap {
      let first = Int(max(from.time, begin).rounded(.down))
      let last = Int(to.time.rounded(.down))
      if first <= last { wanted.formUnion(first...last) }
    }
    var covered: Set<Int> = []
    var sum = 0.0
    var place = 0
    let names = ["x_m", "y_m", "z_m"].prefix(axes)
    for row in positions.rows where names.allSatisfy({ row[$0] != "" }) {
      let time = try Self.number(row["time_s"])
      while place + 2 < truth.count, truth[place + 1].time <= time { place += 1 }
      let (from, to) = (truth[place], truth[place + 1])
      guard from.time <= time, time <= to.time, to.time - from.time <= Self.longestGap else {
        continue
      }
      let share = to.time > from.time ? (time - from.time) / (to.time - from.time) : 0
      for (axis, name) in names.enumerated() {
        let expected = from.at[axis] + share * (to.at[axis] - from.at[axis])
        let error = try Self.number(row[name]) - expected
        sum += error * error
      }
      count += 1
      let second = Int(time.rounded(.down))
      covered.formUnion([second - 1, second, second + 1])
    }
    rootMeanSquare = (sum / Double(count)).squareRoot()
    coverage = Double(covered.intersection(wanted).count) / Double(wanted.count)
  }

  private static let longestGap = 1.5

  private static func number(_ text: String?) throws -> Double {
    try #require(Double(text ?? ""), "\(text ?? "no column") is no number")
  }
}
