/// The RSSI-dependent range bias of a device.
///
/// A receiver detects the first path of a strong signal earlier than that of a weak one. For one
/// family of radios, the manufacturer specifies biases from -11 cm at -61 dBm to +8 cm at -93 dBm
/// [Decawave APS011]. Devices correct this bias to different degrees, so each has its own curve
/// [Sidorenko et al. 2019]. ``TrackerCalibration/withRSSIBiasCurve(on:anchors:from:isSigmaKnown:)``
/// estimates it.
///
/// The curve is piecewise linear between its levels and constant beyond them. A second term is
/// proportional to the excess of the total signal level over that of the first path.
public struct RSSIBiasCurve: Sendable, Equatable {
  /// Total signal levels in dBm, in ascending order.
  public let levels: [Double]
  /// Range bias at each level, in metres.
  public internal(set) var biases: [Double]
  /// Range bias per dB of excess above the usual one, in metres per dB; 0 if first-path levels are
  /// unknown.
  public internal(set) var slope = 0.0
  /// Usual excess of the total level over the first-path level in dB; nil if unknown.
  public let usualExcess: Double?

  /// Number of levels, enough for the known shapes of such curves.
  private static let levelCount = 9
  /// Minimum distance between levels in dB; closer levels are indistinguishable.
  private static let leastStep = 0.5
  /// Minimum number of ranges with a known level.
  private static let leastCount = 200
  /// Largest deviation from the usual excess that counts, in dB.
  private static let greatestExcess = 8.0
  /// Valid levels in dBm; zero marks a level that was not measured, and lower values are below the
  /// sensitivity of any receiver.
  private static let knownLevels = -127.0..<0

  /// Prior standard deviation of a bias of the curve, in metres: the scatter of the manufacturer's
  /// values over levels 16 dB apart, as in a walk.
  static let biasSigma = 0.03
  /// Prior standard deviation of ``slope``, in metres per dB.
  static let slopeSigma = 0.03

  /// Creates the zero curve with levels at equal quantiles of the levels of `ranges`; nil if too
  /// few levels are known, or if they are all the same.
  init?(over ranges: [RangeMeasurement]) {
    let known = ranges.compactMap { Self.level($0.rssi) }.sorted()
    guard known.count >= Self.leastCount else { return nil }
    // The end levels are the quantiles 0.02 and 0.98.
    var levels: [Double] = []
    for place in 0..<Self.levelCount {
      let share = 0.02 + 0.96 * Double(place) / Double(Self.levelCount - 1)
      let level = known[Int(share * Double(known.count - 1))]
      if let last = levels.last, level - last < Self.leastStep { continue }
      levels.append(level)
    }
    guard levels.count > 2 else { return nil }
    self.levels = levels
    biases = levels.map { _ in 0 }
    let excesses = ranges.compactMap(Self.excess).sorted()
    usualExcess = excesses.count >= Self.leastCount ? excesses[excesses.count / 2] : nil
  }

  private static func level(_ rssi: Double?) -> Double? {
    rssi.flatMap { knownLevels.contains($0) ? $0 : nil }
  }

  private static func excess(_ range: RangeMeasurement) -> Double? {
    guard let whole = level(range.rssi), let first = level(range.firstPathRSSI) else { return nil }
    return whole - first
  }

  /// Returns the bias of `range` in metres; 0 if its level is unknown.
  public func bias(of range: RangeMeasurement) -> Double {
    var sum = 0.0
    forEachContribution(of: range) { place, share in
      sum += share * (place < biases.count ? biases[place] : slope)
    }
    return sum
  }

  /// Returns `range` without its bias, or unchanged if the distance would become negative or zero.
  public func corrected(_ range: RangeMeasurement) -> RangeMeasurement {
    var corrected = range
    corrected.distance -= bias(of: range)
    return corrected.distance > 0 ? corrected : range
  }
}

/// The unknowns of a curve in a smoothed track: ``RSSIBiasCurve/biases``, then
/// ``RSSIBiasCurve/slope`` if there is one.
extension RSSIBiasCurve {
  var unknownCount: Int { levels.count + (usualExcess == nil ? 0 : 1) }

  /// Returns the prior standard deviation of an unknown, in metres, for the slope in metres per dB.
  func priorSigma(of unknown: Int) -> Double {
    unknown < levels.count ? Self.biasSigma : Self.slopeSigma
  }

  /// Returns the same curve with other values.
  func with(unknowns: some Collection<Double>) -> Self {
    var result = self
    result.biases = Array(unknowns.prefix(levels.count))
    result.slope = unknowns.dropFirst(levels.count).first ?? 0
    return result
  }

  /// Calls `body` with the index and the coefficient of each unknown that contributes to the bias
  /// of `range`, at most three.
  @inline(__always)
  func forEachContribution(of range: RangeMeasurement, _ body: (Int, Double) -> Void) {
    guard let level = Self.level(range.rssi) else { return }
    let behind = levels.firstIndex { $0 > level } ?? levels.count
    if behind == 0 || behind == levels.count {
      body(max(0, behind - 1), 1)
    } else {
      let share = (level - levels[behind - 1]) / (levels[behind] - levels[behind - 1])
      body(behind - 1, 1 - share)
      body(behind, share)
    }
    if let usualExcess, let excess = Self.excess(range) {
      body(levels.count, min(max(excess - usualExcess, -Self.greatestExcess), Self.greatestExcess))
    }
  }
}

extension RSSIBiasCurve: Codable {
  private enum CodingKeys: String, CodingKey {
    case levels, biases, slope, usualExcess
  }

  /// Decodes a curve; throws if its levels do not ascend, or if a number is missing or not finite.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    levels = try container.decode([Double].self, forKey: .levels)
    biases = try container.decode([Double].self, forKey: .biases)
    slope = try container.decode(Double.self, forKey: .slope)
    usualExcess = try container.decodeIfPresent(Double.self, forKey: .usualExcess)
    let numbers = levels + biases + [slope, usualExcess ?? 0]
    guard levels.count > 1, levels.count == biases.count, numbers.allSatisfy(\.isFinite),
      zip(levels, levels.dropFirst()).allSatisfy({ $0 < $1 })
    else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "a curve needs ascending levels with a bias each"))
    }
  }

  /// Encodes the curve.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(levels, forKey: .levels)
    try container.encode(biases, forKey: .biases)
    try container.encode(slope, forKey: .slope)
    try container.encodeIfPresent(usualExcess, forKey: .usualExcess)
  }
}
