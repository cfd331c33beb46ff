import Foundation

/// Reads settings that are given as JSON: files, and objects with the keys of a summary's `settings`,
/// each of which replaces a default.
package enum SettingsText {
  /// Returns processing settings with the values in `text`; an empty text gives the defaults.
  ///
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` for an unknown key, and for a value that
  ///   is invalid or out of its bounds.
  package static func processing(_ text: [UInt8]) throws(RecordingError) -> ProcessingSettings {
    // Decoding an empty object takes longer than smoothing a thousand distances.
    if text.isEmpty { return ProcessingSettings() }
    return try processing(try object(text))
  }

  private static func processing(
    _ object: [String: Any]
  ) throws(RecordingError) -> ProcessingSettings {
    var object = object
    if let sigma = object["range_sigma_m"], !(sigma is NSNull) {
      object["range_sigma_is_given"] = true
    }
    return try checked(try merged(object, into: ProcessingSettings()))
  }

  /// Returns the settings of a live tracker: keys of ``processing(_:)``, and `sensors`, a list of the
  /// kinds of measurements beside ranges.
  package static func tracker(
    _ text: [UInt8]
  ) throws(RecordingError) -> (settings: ProcessingSettings, sensors: Set<LiveSensor>) {
    var object = try object(text)
    let listed = object.removeValue(forKey: "sensors").flatMap { $0 is NSNull ? nil : $0 }
    guard let names = (listed ?? [String]()) as? [String] else {
      throw fault("sensors must be a list of words")
    }
    var sensors: Set<LiveSensor> = []
    for name in names {
      guard let sensor = LiveSensor(rawValue: name) else {
        throw fault(
          "sensors: \(Excerpt.quoted(name)) is not one of"
            + " \(LiveSensor.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      sensors.insert(sensor)
    }
    return (try processing(object), sensors)
  }

  /// Returns reading options with the values in `text`; an empty text gives the defaults.
  package static func reading(_ text: [UInt8]) throws(RecordingError) -> RecordingOptions {
    try checked(try merged(try object(text), into: RecordingOptions()))
  }

  private static func checked<Settings: TabulatedSettings>(
    _ settings: Settings
  ) throws(RecordingError) -> Settings {
    if let reason = settings.fault(at: .keys) { throw fault(reason) }
    return settings
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
    let decoder = decoder
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

  // MARK: Files

  /// Returns the content of a file in JSON, whose keys are in snake case.
  ///
  /// - Throws: ``RecordingError/badData(path:line:reason:)`` when it is of another form.
  static func decoded<Content: Decodable>(
    _: Content.Type, from source: ByteSource
  ) throws(RecordingError) -> Content {
    let reason: String
    do {
      return try decoder.decode(Content.self, from: Data(source.bytes))
    } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
      reason = "the file is not JSON\(place(ofFaultIn: source.bytes))"
    } catch let error as DecodingError {
      reason = self.reason(error)
    } catch {
      reason = "the file is not JSON"
    }
    throw .badData(path: source.path, line: nil, reason: reason)
  }

  /// Returns the keys of the JSON object in `source`, which was decoded before.
  static func keys(in source: ByteSource) -> Set<String> {
    struct Ignored: Decodable {
      init(from decoder: any Decoder) {}
    }
    let keys = try? JSONDecoder().decode([String: Ignored].self, from: Data(source.bytes)).keys
    return Set(keys.map(Array.init) ?? [])
  }

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }

  /// Returns where `bytes` are not JSON: the decoder does not report the location, but the older parser
  /// does.
  private static func place(ofFaultIn bytes: [UInt8]) -> String {
    do {
      _ = try JSONSerialization.jsonObject(with: Data(bytes))
      return ""
    } catch {
      let details = (error as NSError).userInfo["NSDebugDescription"] as? String
      // The parser quotes the invalid text without escaping it.
      return details.map { ": \(Excerpt.plain($0, limit: 200))" } ?? ""
    }
  }

  // MARK: Messages

  /// Describes a decoding error in a few words.
  private static func reason(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      return "\(name(context.codingPath + [key])) is missing"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      if context.codingPath.isEmpty { return "the file is not a JSON object" }
      return "\(name(context.codingPath)) is not \(kind(type))"
    case .dataCorrupted(let context):
      let (name, text) = (name(context.codingPath), context.debugDescription)
      if let mark = text.range(of: "from invalid String value ") {
        return unknown(Excerpt.plain(String(text[mark.upperBound...])), of: name)
      }
      // Sentences of the decoder are not about the key.
      let colon = text.first?.isLowercase == true ? "" : ":"
      return "\(name)\(colon) \(Excerpt.plain(text, limit: 200))"
    @unknown default: return "the file cannot be read"
    }
  }

  /// Returns the message about a word that a setting does not have.
  private static func unknown(_ word: String, of name: String) -> String {
    let words = SettingsDescription.words(of: name)
    guard let last = words.last else { return "\(name) is unknown: \(word)" }
    let others = words.dropLast().joined(separator: ", ")
    return "\(name) must be \(others) or \(last), not \"\(word)\""
  }

  /// Returns the JSON name of `type`.
  private static func kind(_ type: any Any.Type) -> String {
    if type == Double.self || type == Int.self { return "a number" }
    if type == String.self { return "a string" }
    if type == Bool.self { return "true or false" }
    return type is [String: Any].Type ? "an object" : "a list"
  }

  /// Returns the location in the file, such as `zones.areas[2].corners_m`.
  private static func name(_ path: [any CodingKey]) -> String {
    var name = ""
    for key in path {
      if let index = key.intValue {
        name += "[\(index)]"
      } else {
        name += (name.isEmpty ? "" : ".") + key.stringValue.inSnakeCase
      }
    }
    return Excerpt.plain(name)
  }
}

extension String {
  /// The key in JSON, from which the decoder has converted this key of Swift.
  var inSnakeCase: String {
    reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
  }
}
