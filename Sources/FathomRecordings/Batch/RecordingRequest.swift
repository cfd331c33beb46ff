/// What was asked of a recording: all that its results depend on besides its files and the version.
public struct RecordingRequest: Sendable, Equatable, Codable {
  /// How it is processed, before the recording fills in what was not given.
  public var settings: ProcessingSettings
  /// How it is read.
  public var reading: RecordingOptions
  /// Whether a row that would be set aside makes the recording fail.
  public var isStrict: Bool

  /// What was asked of a recording.
  public init(settings: ProcessingSettings, reading: RecordingOptions, isStrict: Bool) {
    self.settings = settings
    self.reading = reading
    self.isStrict = isStrict
  }

  private enum CodingKeys: String, CodingKey {
    case settings, reading
    case isStrict = "strict"
  }
}
