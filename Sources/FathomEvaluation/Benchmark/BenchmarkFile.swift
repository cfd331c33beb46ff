import FathomRecordings
import Foundation

/// Benchmark results as a JSON file: an array with one object per recording and method.
package enum BenchmarkFile {
  /// Returns the content of the file for `results`.
  ///
  /// Every object has the keys `recording`, `method`, `n`, `coverage`, `rmse_m`, `median_m`,
  /// `p95_m`, `max_m`, `nees` and `ns_per_range`, with null for unknown values. Other keys are
  /// omitted when unknown.
  package static func bytes(of results: [BenchmarkResult]) -> [UInt8] {
    Array(ResultWriter.json(results, formatting: .prettyPrinted).utf8) + [UInt8(ascii: "\n")]
  }

  /// Reads the file at `path`.
  ///
  /// Only `recording` and `method` are required, so that other programs can write such files. Other
  /// absent keys mean unknown values; an absent `kind` means positions. Unknown keys are ignored.
  package static func read(_ path: String) throws(RecordingError) -> [BenchmarkResult] {
    try results(in: ByteSource(path: path).bytes, of: path)
  }

  /// Decodes the results in the content `bytes` of the file at `path`.
  package static func results(
    in bytes: [UInt8], of path: String
  ) throws(RecordingError) -> [BenchmarkResult] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    let results: [BenchmarkResult]
    do {
      results = try decoder.decode([BenchmarkResult].self, from: Data(bytes))
    } catch {
      throw .badData(
        path: path, line: nil,
        reason: "is not the result of fathom benchmark --json: \(ResultReader.reason(error))")
    }
    guard results.count <= mostResults else {
      throw .badData(path: path, line: nil, reason: "there are more than \(mostResults) results")
    }
    return results
  }

  /// Results of one file: their comparison takes a time that grows with the square of the number.
  private static let mostResults = 10_000
}

extension BenchmarkResult {
  /// The figures that are a number or unknown.
  private static let figures: [(CodingKeys, WritableKeyPath<Self, Double?> & Sendable)] = [
    (.coverage, \.coverage), (.rmseM, \.rmseM), (.meanM, \.meanM), (.medianM, \.medianM),
    (.p68M, \.p68M), (.p95M, \.p95M), (.p99M, \.p99M), (.maxM, \.maxM), (.nees, \.nees),
    (.nis, \.nis), (.availability, \.availability), (.timeToFirstFixS, \.timeToFirstFixS),
    (.longestOutageS, \.longestOutageS), (.latencyS, \.latencyS), (.lagS, \.lagS),
    (.jitterM, \.jitterM), (.separation, \.separation), (.errorCorrelation, \.errorCorrelation),
    (.nsPerRange, \.nsPerRange), (.nsPerRangeMedian, \.nsPerRangeMedian),
    (.rangesPerSecond, \.rangesPerSecond), (.allocationsPerRange, \.allocationsPerRange),
  ]

  /// The figures that are written even when unknown.
  private static let required: Set<CodingKeys> = [
    .coverage, .rmseM, .medianM, .p95M, .maxM, .nees, .nsPerRange,
  ]

  /// Reads a result; see `BenchmarkFile.read`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
      try container.decodeIfPresent(Value.self, forKey: key)
    }
    recording = try container.decode(String.self, forKey: .recording)
    method = try container.decode(String.self, forKey: .method)
    kind = try value(.kind) ?? .position
    n = try value(.n) ?? 0
    for (key, figure) in Self.figures { self[keyPath: figure] = try value(key) }
    tiesWithBest = try value(.tiesWithBest)
    confusion = try value(.confusion)
    rmseByVerdictM = try value(.rmseByVerdictM)
    ranges = try value(.ranges) ?? 0
    repeats = try value(.repeats) ?? 0
    claimsNoAllocation = try value(.claimsNoAllocation) ?? false
    breaksItsClaim = try value(.breaksItsClaim) ?? false
  }

  /// Writes the result.
  ///
  /// The required keys are written even when null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(recording, forKey: .recording)
    try container.encode(method, forKey: .method)
    try container.encode(kind, forKey: .kind)
    try container.encode(n, forKey: .n)
    for (key, figure) in Self.figures {
      let value = self[keyPath: figure]
      if value != nil || Self.required.contains(key) { try container.encode(value, forKey: key) }
    }
    try container.encodeIfPresent(tiesWithBest, forKey: .tiesWithBest)
    try container.encodeIfPresent(confusion, forKey: .confusion)
    try container.encodeIfPresent(rmseByVerdictM, forKey: .rmseByVerdictM)
    try container.encode(ranges, forKey: .ranges)
    try container.encode(repeats, forKey: .repeats)
    try container.encode(claimsNoAllocation, forKey: .claimsNoAllocation)
    try container.encode(breaksItsClaim, forKey: .breaksItsClaim)
  }
}
