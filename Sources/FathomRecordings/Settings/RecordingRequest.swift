/// The request for processing a recording: everything that determines its results, except its files
/// and the version of Fathom.
public struct RecordingRequest: Sendable, Equatable, Codable {
  /// Settings before the recording's own values are filled in.
  public var settings: ProcessingSettings
  /// Options for reading the recording.
  public var reading: RecordingOptions
  /// Whether a row that would be rejected is an error.
  public var isStrict: Bool
  /// Formats of the results, distinct and in the order of ``ResultFormat``; nil for CSV only, as in
  /// summaries of older versions.
  public var results: [ResultFormat]?

  /// Creates a request.
  public init(
    settings: ProcessingSettings, reading: RecordingOptions, isStrict: Bool,
    formats: Set<ResultFormat> = [.csv]
  ) {
    self.settings = settings
    self.reading = reading
    self.isStrict = isStrict
    results = formats == [.csv] ? nil : ResultFormat.allCases.filter(formats.contains)
  }

  private enum CodingKeys: String, CodingKey {
    case settings, reading, results
    case isStrict = "strict"
  }
}

/// A format of positions and distances.
///
/// Rejected rows and the summary have one format only.
public enum ResultFormat: String, Sendable, Hashable, CaseIterable, Codable {
  /// Comma-separated values with a header: `NAME.positions.csv`, `NAME.distances.csv`.
  case csv
  /// One JSON object per row: `NAME.positions.jsonl`, `NAME.distances.jsonl`.
  case jsonl
  /// Trajectories in the format of the TUM RGB-D benchmark, positions only: `NAME.positions.tum`,
  /// or `NAME.positions.TAG.tum` for each of several tags.
  case tum
}
