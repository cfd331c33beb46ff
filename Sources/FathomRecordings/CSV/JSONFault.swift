/// A reason why a line of a JSON file holds no row.
///
/// The reasons are a fixed list, so that a rejected line can be passed on within transcoded text as
/// one byte; see ``CSVFault/notJSON(_:)``.
package enum JSONFault: UInt8, Error, Sendable, Equatable, CaseIterable {
  case noObject = 0x41
  case unclosedObject
  case unclosedText
  case missingKey
  case missingColon
  case missingComma
  case missingValue
  case tooDeep
  case tooLong
  case textAfterObject
  case noKind

  /// The reason, as shown to the user.
  package var reason: String {
    switch self {
    case .noObject: "the line has no JSON object"
    case .unclosedObject: "the JSON object is not closed"
    case .unclosedText: "a text in the JSON object is not closed on its line"
    case .missingKey: "the JSON object lacks a key in double quotes"
    case .missingColon: "a key of the JSON object is not followed by a colon"
    case .missingComma: "the JSON object lacks a comma or a closing bracket"
    case .missingValue: "a key of the JSON object has no valid value"
    case .tooDeep:
      "the JSON object is nested more than \(RecordingLimits.mostJSONLevels) levels deep"
    case .tooLong: "the JSON object is longer than \(RecordingLimits.longestRow) bytes"
    case .textAfterObject: "text follows the JSON object on its line"
    case .noKind:
      "the keys of the JSON object are those of no measurement, such as a distance, two anchors"
        + " and a difference, or a height"
    }
  }
}
