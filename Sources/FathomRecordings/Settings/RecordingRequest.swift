/// What was asked of a recording: all that its results depend on besides its files and the version.
public struct RecordingRequest: Sendable, Equatable, Codable {
  /// How it is processed, before the recording fills in what was not given.
  public var settings: ProcessingSettings
  /// How it is read.
  public var reading: RecordingOptions
  /// Whether a row that would be set aside makes the recording fail.
  public var isStrict: Bool
  /// In which forms the results are written, without repeats, in the order of ``ResultFormat``; nil for
  /// CSV alone, as in a summary of an older version.
  public var results: [ResultFormat]?

  /// What was asked of a recording.
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

/// In which form positions and distances are written.
///
/// Rows set aside and the summary have one form only.
public enum ResultFormat: String, Sendable, Hashable, CaseIterable, Codable {
  /// Comma-separated values with a header: `NAME.positions.csv`, `NAME.distances.csv`.
  case csv
  /// One JSON object per row: `NAME.positions.jsonl`, `NAME.distances.jsonl`.
  case jsonl
  /// Trajectories as in the TUM RGB-D benchmark, positions only: `NAME.positions.tum`, or
  /// `NAME.positions.TAG.tum` per tag where there are several.
  case tum
}
