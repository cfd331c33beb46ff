import Foundation

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
    if let part = try zones(in: source) { return part }
    let zones: ZoneSettings
    do {
      zones = try decoder.decode(ZoneSettings.self, from: Data(source.bytes))
    } catch {
      throw .badData(path: source.path, line: nil, reason: reason(error))
    }
    return try checked(zones, source)
  }

  /// Returns the zones under the key `zones` of the `recording.json` in `source`; nil when it lacks
  /// the key.
  ///
  /// - Parameter source: JSON.
  /// - Returns: The zones.
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` when they are invalid.
  static func zones(in source: ByteSource) throws(RecordingError) -> ZoneSettings? {
    let part: Part
    do {
      part = try decoder.decode(Part.self, from: Data(source.bytes))
    } catch let error as DecodingError {
      throw .badData(path: source.path, line: nil, reason: reason(error))
    } catch {
      throw .badData(path: source.path, line: nil, reason: "the file is not JSON")
    }
    guard let zones = part.zones else { return nil }
    return try checked(zones, source)
  }

  private struct Part: Decodable {
    var zones: ZoneSettings?
  }

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }

  private static func checked(
    _ zones: ZoneSettings, _ source: ByteSource
  ) throws(RecordingError) -> ZoneSettings {
    if let problem = zones.problem {
      throw .badData(path: source.path, line: nil, reason: "zones: \(problem)")
    }
    return zones
  }

  /// Describes a decoding error in a few words.
  private static func reason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "the file is not JSON" }
    switch error {
    case .keyNotFound(let key, let context):
      return "\(place(context.codingPath + [key])) is missing"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      if context.codingPath.isEmpty { return "the file is not a JSON object" }
      return "\(place(context.codingPath)) is not \(kind(type))"
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      return "\(place(context.codingPath)) \(context.debugDescription)"
    default: return "the file is not JSON"
    }
  }

  /// Returns the JSON name of `type`.
  private static func kind(_ type: any Any.Type) -> String {
    if type == Double.self { return "a number" }
    if type == String.self { return "a string" }
    return type is [String: Any].Type ? "an object" : "a list"
  }

  /// Returns the location in the file, such as `zones.areas[2].corners_m`.
  ///
  /// The decoder has converted the keys from snake case.
  private static func place(_ path: [any CodingKey]) -> String {
    var place = ""
    for key in path {
      if let index = key.intValue {
        place += "[\(index)]"
        continue
      }
      if !place.isEmpty { place += "." }
      for scalar in key.stringValue.unicodeScalars {
        if scalar.properties.isUppercase {
          place += "_\(scalar.properties.lowercaseMapping)"
        } else {
          place.unicodeScalars.append(scalar)
        }
      }
    }
    return Excerpt.plain(place)
  }
}
