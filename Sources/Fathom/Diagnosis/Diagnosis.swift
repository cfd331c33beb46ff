/// Something in the input that contradicts itself or leaves the result open, with the evidence for it
/// and what to do.
public struct Diagnosis: Sendable, Equatable, Codable {
  /// The cause.
  public var code: Code
  /// What was found, in one sentence.
  public var message: String
  /// The evidence: numbers by name, with the unit at the end of the name.
  public var evidence: [String: Double]
  /// What to do about it.
  public var suggestion: String
  /// Names of the anchors concerned; empty if it concerns all.
  public var anchors: [String]

  /// Creates a diagnosis.
  public init(
    _ code: Code, _ message: String, evidence: [String: Double] = [:], suggestion: String,
    anchors: [String] = []
  ) {
    self.code = code
    self.message = message
    self.evidence = evidence
    self.suggestion = suggestion
    self.anchors = anchors
  }

  /// A cause; raw values are the names in files.
  public enum Code: String, Sendable, Hashable, CaseIterable, Codable {
    /// The ranges of an anchor err by about the same all the time.
    case anchorOffset = "anchor_offset"
    /// Two anchors stand in each other's place.
    case anchorsExchanged = "anchors_exchanged"
    /// An anchor stands elsewhere.
    case anchorMisplaced = "anchor_misplaced"
    /// The ranges fit another height than the known one.
    case heightContradicted = "height_contradicted"
    /// Ranges and anchors are in different units.
    case unitSuspect = "unit_suspect"
    /// All ranges are too long or too short by the same length.
    case rangeBias = "range_bias"
    /// All ranges are too long or too short by the same share.
    case rangeScale = "range_scale"
    /// A link repeats one value for long.
    case linkStuck = "link_stuck"
    /// An anchor is never heard, or a link ends before the others.
    case linkSilent = "link_silent"
    /// The clock steps back.
    case clockStep = "clock_step"
    /// Ranges of one link share an instant.
    case timesRepeat = "times_repeat"
    /// The layout of the anchors leaves something open.
    case geometryWeak = "geometry_weak"
  }
}
