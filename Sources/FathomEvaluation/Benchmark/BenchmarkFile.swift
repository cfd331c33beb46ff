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
  ///
  /// - Returns: the results in the order of the file.
  /// - Throws: `RecordingError` when the file cannot be read or is not an array of results.
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
    coverage = try value(.coverage)
    rmseM = try value(.rmseM)
    meanM = try value(.meanM)
    medianM = try value(.medianM)
    p68M = try value(.p68M)
    p95M = try value(.p95M)
    p99M = try value(.p99M)
    maxM = try value(.maxM)
    nees = try value(.nees)
    nis = try value(.nis)
    availability = try value(.availability)
    timeToFirstFixS = try value(.timeToFirstFixS)
    longestOutageS = try value(.longestOutageS)
    latencyS = try value(.latencyS)
    tiesWithBest = try value(.tiesWithBest)
    lagS = try value(.lagS)
    jitterM = try value(.jitterM)
    confusion = try value(.confusion)
    rmseByVerdictM = try value(.rmseByVerdictM)
    separation = try value(.separation)
    errorCorrelation = try value(.errorCorrelation)
    ranges = try value(.ranges) ?? 0
    nsPerRange = try value(.nsPerRange)
    nsPerRangeMedian = try value(.nsPerRangeMedian)
    rangesPerSecond = try value(.rangesPerSecond)
    repeats = try value(.repeats) ?? 0
    allocationsPerRange = try value(.allocationsPerRange)
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
    try container.encode(coverage, forKey: .coverage)
    try container.encode(rmseM, forKey: .rmseM)
    try container.encode(medianM, forKey: .medianM)
    try container.encode(p95M, forKey: .p95M)
    try container.encode(maxM, forKey: .maxM)
    try container.encode(nees, forKey: .nees)
    try container.encode(nsPerRange, forKey: .nsPerRange)
    try container.encodeIfPresent(meanM, forKey: .meanM)
    try container.encodeIfPresent(p68M, forKey: .p68M)
    try container.encodeIfPresent(p99M, forKey: .p99M)
    try container.encodeIfPresent(nis, forKey: .nis)
    try container.encodeIfPresent(tiesWithBest, forKey: .tiesWithBest)
    try container.encodeIfPresent(lagS, forKey: .lagS)
    try container.encodeIfPresent(jitterM, forKey: .jitterM)
    try container.encodeIfPresent(confusion, forKey: .confusion)
    try container.encodeIfPresent(rmseByVerdictM, forKey: .rmseByVerdictM)
    try container.encodeIfPresent(separation, forKey: .separation)
    try container.encodeIfPresent(errorCorrelation, forKey: .errorCorrelation)
    try container.encode(ranges, forKey: .ranges)
    try container.encodeIfPresent(nsPerRangeMedian, forKey: .nsPerRangeMedian)
    try container.encodeIfPresent(rangesPerSecond, forKey: .rangesPerSecond)
    try container.encode(repeats, forKey: .repeats)
    try container.encodeIfPresent(allocationsPerRange, forKey: .allocationsPerRange)
    try container.encode(claimsNoAllocation, forKey: .claimsNoAllocation)
    try container.encode(breaksItsClaim, forKey: .breaksItsClaim)
    try container.encodeIfPresent(availability, forKey: .availability)
    try container.encodeIfPresent(timeToFirstFixS, forKey: .timeToFirstFixS)
    try container.encodeIfPresent(longestOutageS, forKey: .longestOutageS)
    try container.encodeIfPresent(latencyS, forKey: .latencyS)
  }
}
