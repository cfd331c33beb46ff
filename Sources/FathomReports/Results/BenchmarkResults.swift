import FathomEvaluation
import FathomRecordings

/// A file of benchmark results.
struct BenchmarkResults: Sendable, Equatable {
  /// Path of the file.
  var path: String
  /// The entries in the order of the file.
  var entries: [BenchmarkResult]

  /// Reads the file at `path`; see `BenchmarkFile`.
  init(path: String) throws(RecordingError) {
    try self.init(path: path, bytes: ByteSource(path: path).bytes)
  }

  init(path: String, bytes: [UInt8]) throws(RecordingError) {
    self.path = path
    entries = try BenchmarkFile.results(in: bytes, of: path)
    guard !entries.isEmpty else {
      throw .badData(path: path, line: nil, reason: "there are no benchmark results in this file")
    }
  }

  /// The methods of one kind on one recording.
  struct Ranking: Sendable, Equatable {
    var recording: String
    /// The estimated quantity.
    var kind: BenchmarkMethod.Kind
    /// Entries sorted by root mean square error, those without one last.
    var entries: [BenchmarkResult]
  }

  /// The entries by recording and kind, in the order of the file.
  var rankings: [Ranking] {
    var rankings: [Ranking] = []
    var places: [String: [BenchmarkMethod.Kind: Int]] = [:]
    for entry in entries {
      let kind = entry.kind
      if let place = places[entry.recording]?[kind] {
        rankings[place].entries.append(entry)
      } else {
        places[entry.recording, default: [:]][kind] = rankings.count
        rankings.append(Ranking(recording: entry.recording, kind: kind, entries: [entry]))
      }
    }
    for place in rankings.indices {
      let order = rankings[place].entries.enumerated().sorted { left, right in
        let errors = [left, right].map { $0.element.rmseM ?? .infinity }
        return errors[0] == errors[1] ? left.offset < right.offset : errors[0] < errors[1]
      }
      rankings[place].entries = order.map(\.element)
    }
    return rankings
  }

  /// The kinds of methods compared on several recordings, in the order of the file.
  var comparedKinds: [BenchmarkMethod.Kind] {
    var counts: [(kind: BenchmarkMethod.Kind, count: Int)] = []
    for ranking in rankings where ranking.entries.contains(where: { $0.rmseM != nil }) {
      if let place = counts.firstIndex(where: { $0.kind == ranking.kind }) {
        counts[place].count += 1
      } else {
        counts.append((ranking.kind, 1))
      }
    }
    return counts.filter { $0.count > 1 }.map(\.kind)
  }

  /// Returns the methods of `kind` with their mean rank over the recordings, best first.
  ///
  /// Methods with equal errors share the mean of their ranks. Only methods with an error on every
  /// recording that has errors are compared.
  func meanRanks(of kind: BenchmarkMethod.Kind) -> [(method: String, rank: Double)] {
    let tables = rankings.filter { $0.kind == kind }
      .map { $0.entries.filter { $0.rmseM != nil } }.filter { !$0.isEmpty }
    var ranks: [String: [Double]] = [:]
    for table in tables {
      for entry in table {
        let error = entry.rmseM ?? .infinity
        let better = table.count { ($0.rmseM ?? .infinity) < error }
        let same = table.count { $0.rmseM == entry.rmseM }
        ranks[entry.method, default: []].append(Double(better) + Double(same + 1) / 2)
      }
    }
    return ranks.filter { $0.value.count == tables.count }
      .map { ($0.key, $0.value.reduce(0, +) / Double(tables.count)) }
      .sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 < $1.1 }
  }
}
