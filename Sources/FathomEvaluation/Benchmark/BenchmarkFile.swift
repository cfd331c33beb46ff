import FathomRecordings
import Foundation

/// Results of a benchmark as a JSON file: an array with one object per recording and method.
public enum BenchmarkFile {
  /// The content of the file for `results`.
  ///
  /// Every object has the keys `recording`, `method`, `n`, `coverage`, `rmse_m`, `median_m`, `p95_m`,
  /// `max_m`, `nees` and `ns_per_range`, null where not known; other keys are left out where not known.
  public static func bytes(of results: [BenchmarkResult]) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Every figure is finite; should one not be, it must not cost the others.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    let data = (try? encoder.encode(results)) ?? Data("[]".utf8)
    return Array(data) + [UInt8(ascii: "\n")]
  }

  /// Reads the file at `path`.
  ///
  /// - Returns: the results in the order of the file.
  /// - Throws: ``RecordingError`` where it cannot be read, or is no array of results.
  public static func read(_ path: String) throws(RecordingError) -> [BenchmarkResult] {
    let source = try ByteSource(path: path)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      return try decoder.decode([BenchmarkResult].self, from: Data(source.bytes))
    } catch let DecodingError.keyNotFound(key, context) {
      throw .badData(
        path: path, line: nil,
        reason: "result \(context.codingPath.first?.intValue ?? 0) lacks \(key.stringValue)")
    } catch {
      throw .badData(
        path: path, line: nil, reason: "is no JSON array of results of fathom benchmark")
    }
  }
}

extension BenchmarkResult {
  /// Writes the result; the keys that every reader may count on are there even where null.
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
