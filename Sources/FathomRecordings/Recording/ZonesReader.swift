/// A reader of zones on the floor plan from JSON; see ``ZoneSettings``.
public enum ZonesReader {
  /// Reads the file at `path`.
  ///
  /// - Parameter path: path of a zones file, or of a `recording.json` with a key `zones`.
  /// - Returns: The zones.
  /// - Throws: ``RecordingError/noInput(path:reason:)`` when the file cannot be read;
  ///   ``RecordingError/badData(path:line:reason:)`` when it is invalid.
  public static func read(_ path: String) throws(RecordingError) -> ZoneSettings {
    try read(ByteSource(path: path, mostBytes: RecordingLimits.longestSettings))
  }

  static func read(_ source: ByteSource) throws(RecordingError) -> ZoneSettings {
    let part = try SettingsText.decoded(Part.self, from: source).zones
    let zones: ZoneSettings
    if let part {
      zones = part
    } else {
      zones = try SettingsText.decoded(ZoneSettings.self, from: source)
    }
    if let problem = zones.problem {
      throw .badData(path: source.path, line: nil, reason: "zones: \(problem)")
    }
    return zones
  }

  private struct Part: Decodable {
    var zones: ZoneSettings?
  }
}
