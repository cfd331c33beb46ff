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

extension Diagnosis {
  /// Returns the diagnoses of the bias and the scale of all ranges, as far as they are corrected.
  public static func commonErrors(of errors: RangeErrorEstimate) -> [Diagnosis] {
    var found: [Diagnosis] = []
    if let bias = errors.bias, bias.isCorrected {
      found.append(Diagnosis(rangeBias: bias.mean, sigma: bias.sigma))
    }
    if let scale = errors.scale, scale.isCorrected {
      found.append(Diagnosis(rangeScale: scale.mean, sigma: scale.sigma))
    }
    return found
  }

  /// Creates the diagnosis of a bias, in metres.
  package init(rangeBias value: Double, sigma: Double) {
    let direction = value > 0 ? "much" : "little"
    self.init(
      .rangeBias,
      "ranges read \(value.magnitude.hundredths) ± \(sigma.hundredths) m too \(direction)",
      evidence: ["bias_m": value, "bias_sigma_m": sigma],
      suggestion: "calibrate the antenna delays")
  }

  /// Creates the diagnosis of a scale, minus 1.
  package init(rangeScale value: Double, sigma: Double) {
    let direction = value > 0 ? "much" : "little"
    let (size, spread) = (100 * value.magnitude, 100 * sigma)
    self.init(
      .rangeScale, "ranges read \(size.hundredths) ± \(spread.hundredths) % too \(direction)",
      evidence: ["scale": value, "scale_sigma": sigma],
      suggestion: "check the unit of the ranges and the clocks of the radios")
  }
}

extension [Diagnosis] {
  /// The diagnoses in the order of their codes.
  package var inOrder: Self {
    let order = Diagnosis.Code.allCases
    return enumerated().sorted { one, other in
      let first = order.firstIndex(of: one.element.code) ?? 0
      let second = order.firstIndex(of: other.element.code) ?? 0
      return (first, one.offset) < (second, other.offset)
    }.map(\.element)
  }
}

extension Double {
  /// The number with two decimals.
  var hundredths: String {
    let hundredths = (100 * magnitude).rounded()
    guard hundredths < 1e15 else { return "\(self)" }
    let whole = Int(hundredths)
    let rest = whole % 100
    return (self < 0 && whole > 0 ? "-" : "") + "\(whole / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
