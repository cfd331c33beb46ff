import FathomRecordings
import Foundation

/// Results as JSON, with keys in alphabetical order.
enum JSONOutput {
  /// Returns `value` as JSON, on one line or indented.
  static func text(
    of value: some Encodable, isPretty: Bool = false,
    keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = keys
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

extension OutputFile {
  /// Throws if one of `paths` already exists.
  static func requireNew(_ paths: [String]) throws(RecordingError) {
    guard let path = conflict(among: paths) else { return }
    throw .cannotWrite(path: path, reason: "already exists (use --force to replace it)")
  }
}
