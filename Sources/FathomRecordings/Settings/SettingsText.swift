import Foundation

/// Reads settings that are given as JSON: an object with the keys of a summary's `settings`, each of
/// which replaces a default.
package enum SettingsText {
  /// Returns processing settings with the values in `text`; an empty text gives the defaults.
  ///
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` for an unknown key, and for a value that
  ///   is invalid or out of its bounds.
  package static func processing(_ text: [UInt8]) throws(RecordingError) -> ProcessingSettings {
    var object = try object(text)
    if let sigma = object["range_sigma_m"], !(sigma is NSNull) {
      object["range_sigma_is_given"] = true
    }
    let settings = try merged(object, into: ProcessingSettings())
    if let name = settings.invalid { throw fault("\(name) is out of range") }
    return settings
  }

  /// Returns reading options with the values in `text`; an empty text gives the defaults.
  ///
  /// - Throws: as ``processing(_:)``.
  package static func reading(_ text: [UInt8]) throws(RecordingError) -> RecordingOptions {
    let options = try merged(try object(text), into: RecordingOptions())
    if let rate = options.epochRate, !ProcessingSettings.Bounds.rateHz.contains(rate) {
      throw fault("epoch_rate is out of range")
    }
    if let duration = options.blockDuration, !(1e-6...1e6).contains(duration) {
      throw fault("block_duration is out of range")
    }
    return options
  }

  /// Returns `defaults` with the values in `text`.
  ///
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` for an unknown key or a value of another
  ///   type; bounds are not checked.
  package static func merged<Settings: Codable>(
    _ text: [UInt8], into defaults: Settings
  ) throws(RecordingError) -> Settings {
    try merged(try object(text), into: defaults)
  }

  private static func fault(_ reason: String) -> RecordingError {
    .badData(path: "settings", line: nil, reason: reason)
  }

  private static func object(_ text: [UInt8]) throws(RecordingError) -> [String: Any] {
    if text.isEmpty { return [:] }
    guard text.count <= RecordingLimits.longestSettings else {
      throw RecordingLimits.tooLong("settings", RecordingLimits.longestSettings)
    }
    guard
      let object = try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
    else { throw fault("is not a JSON object") }
    return object
  }

  private static func merged<Settings: Codable>(
    _ object: [String: Any], into defaults: Settings
  ) throws(RecordingError) -> Settings {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    do {
      func dictionary(_ settings: Settings) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: encoder.encode(settings)) as? [String: Any] ?? [:]
      }
      let given = object.filter { !($0.value is NSNull) }
      let all = try dictionary(defaults).merging(given) { $1 }
      let settings = try decoder.decode(
        Settings.self, from: JSONSerialization.data(withJSONObject: all))
      // A key that the settings do not know is lost.
      let known = try dictionary(settings)
      if let unknown = given.keys.sorted().first(where: { known[$0] == nil }) {
        throw fault("\(Excerpt.quoted(unknown)) is not a known key")
      }
      return settings
    } catch let error as DecodingError {
      throw fault(reason(error))
    } catch let error as RecordingError {
      throw error
    } catch {
      throw fault("cannot be read")
    }
  }

  private static func reason(_ error: DecodingError) -> String {
    switch error {
    case .dataCorrupted(let context):
      path(context)
        + (unknownWord(context).map { " is unknown: \($0)" }
          ?? ": \(Excerpt.plain(context.debugDescription, limit: 200))")
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "\(path(context)) is of another type"
    case .keyNotFound(let key, let context):
      "\(path(context)): \(snakeCase(key.stringValue)) is missing"
    @unknown default: "cannot be read"
    }
  }

  /// Returns the word that is no case of an enumeration; nil for another error.
  private static func unknownWord(_ context: DecodingError.Context) -> String? {
    let (text, mark) = (context.debugDescription, "from invalid String value ")
    return text.range(of: mark).map { Excerpt.plain(String(text[$0.upperBound...])) }
  }

  private static func path(_ context: DecodingError.Context) -> String {
    Excerpt.plain(
      context.codingPath.map { $0.intValue.map { "\($0)" } ?? snakeCase($0.stringValue) }
        .joined(separator: "."))
  }

  private static func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
  }
}
