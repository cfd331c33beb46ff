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
    /// Anchors stand in each other's place: two, or more in a ring.
    case anchorsExchanged = "anchors_exchanged"
    /// An anchor stands elsewhere.
    case anchorMisplaced = "anchor_misplaced"
    /// The ranges fit another height than the known one.
    case heightContradicted = "height_contradicted"
    /// Ranges and anchors are in different units.
    case unitSuspect = "unit_suspect"
    /// Time differences fit with the opposite sign only: their anchors are exchanged.
    case signsReversed = "signs_reversed"
    /// All ranges are too long or too short by the same length.
    case rangeBias = "range_bias"
    /// All ranges are too long or too short by the same share.
    case rangeScale = "range_scale"
    /// Ranges are far longer than the layout and the other ranges allow.
    case rangeImpossible = "range_impossible"
    /// The ranges of several tags have one name.
    case tagsMixed = "tags_mixed"
    /// Links repeat their values for long.
    case linkStuck = "link_stuck"
    /// An anchor never answers, or a link ends before the others.
    case linkSilent = "link_silent"
    /// The clock steps back.
    case clockStep = "clock_step"
    /// Ranges of one link share an instant, or repeat one of a moment before.
    case timesRepeat = "times_repeat"
    /// The layout of the anchors leaves something open.
    case geometryWeak = "geometry_weak"

    /// Whether positions are wrong: names or places of anchors, a height, a unit or signs are, or tags are
    /// mixed.
    public var invalidatesPositions: Bool {
      switch self {
      case .anchorsExchanged, .anchorMisplaced, .heightContradicted, .unitSuspect, .signsReversed,
        .tagsMixed:
        true
      default: false
      }
    }
  }
}

extension Diagnosis {
  /// Returns the diagnosis of the bias or the scale of all ranges; empty without one.
  ///
  /// One is named if the ranges are corrected for it and it exceeds three of its standard deviations,
  /// or else four. They include what persistent errors of single anchors can imitate.
  public static func commonErrors(of errors: RangeErrorEstimate) -> [Diagnosis] {
    commonErrors(
      bias: errors.bias.map { ($0.value, $0.sigma, $0.decision) },
      scale: errors.scale.map { ($0.value, $0.sigma, $0.decision) })
  }

  /// Returns the same for a value with its standard deviation and the decision about it.
  package static func commonErrors(
    bias: (value: Double, sigma: Double, decision: RangeErrorEstimate.Decision)?,
    scale: (value: Double, sigma: Double, decision: RangeErrorEstimate.Decision)?
  ) -> [Diagnosis] {
    func evidence(
      _ found: (value: Double, sigma: Double, decision: RangeErrorEstimate.Decision)?
    ) -> Double {
      guard let found, found.sigma > 0 else { return 0 }
      let ratio = (found.value / found.sigma).magnitude
      switch found.decision {
      case .corrected: return ratio < 3 ? 0 : .infinity
      case .superseded: return 0
      case .insignificant, .standing, .unpredictive: return ratio < 4 ? 0 : ratio
      }
    }
    // A bias and a scale imitate each other in a room.
    if let bias, evidence(bias) > 0, evidence(bias) >= evidence(scale) {
      return [Diagnosis(rangeBias: bias.value, sigma: bias.sigma)]
    }
    if let scale, evidence(scale) > 0 {
      return [Diagnosis(rangeScale: scale.value, sigma: scale.sigma)]
    }
    return []
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
