/// What ranges read too much by how strong their signals came in.
///
/// A receiver sees the beginning of a strong signal earlier than that of a weak one. For one
/// family of radios the maker tells of 11 cm too little at -61 dBm to 8 cm too much at -93 dBm
/// [Decawave APS011]. Devices take off more or less of it, and so each has a curve of its own
/// [Sidorenko et al. 2019].
/// ``TrackerCalibration/withRSSIBiasCurve(on:anchors:from:)`` finds it.
///
/// Between its levels the curve is straight, beyond them it stays what it is at the ends. On top
/// comes a part that grows with what a signal has beyond its first path.
public struct RSSIBiasCurve: Sendable, Equatable {
  /// Levels of the whole signal, dBm, in ascending order.
  public let levels: [Double]
  /// What ranges at each of them read too much, metres.
  public internal(set) var biases: [Double]
  /// What a range reads too much for every dB that its signal has beyond its first path more than
  /// usual, metres; 0 where first paths are not known.
  public internal(set) var slope = 0.0
  /// What signals usually have beyond their first path, dB; nil where that is not known.
  public let usualExcess: Double?

  /// So many pieces follow what is known of such curves.
  private static let levelCount = 9
  /// Levels closer to each other say the same, dB.
  private static let leastStep = 0.5
  /// With fewer ranges of known level there is no curve to be found.
  private static let leastCount = 200
  /// An excess further from the usual one counts no more, dB.
  private static let greatestExcess = 8.0
  /// Zero stands for a level that was not measured, and so does what is below any receiver, dBm.
  private static let knownLevels = -127.0..<0

  /// What such a curve is known to be before any range, metres: over levels 16 dB apart, those of
  /// a walk, the maker's values scatter by so much.
  static let biasSigma = 0.03
  /// The same for ``slope``, metres.
  static let slopeSigma = 0.03

  /// The flat curve over the levels of `ranges`, as many of them between any two; nil where too
  /// few levels are known, or are all the same.
  init?(over ranges: [RangeMeasurement]) {
    let known = ranges.compactMap { Self.level($0.rssi) }.sorted()
    guard known.count >= Self.leastCount else { return nil }
    // A fiftieth of them lies beyond either end.
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

  /// What `range` reads too much, metres; 0 where its level is not known.
  public func bias(of range: RangeMeasurement) -> Double {
    var sum = 0.0
    forEachContribution(of: range) { place, share in
      sum += share * (place < biases.count ? biases[place] : slope)
    }
    return sum
  }

  /// `range` without what it reads too much; as it is where nothing of it would be left.
  public func corrected(_ range: RangeMeasurement) -> RangeMeasurement {
    var corrected = range
    corrected.distance -= bias(of: range)
    return corrected.distance > 0 ? corrected : range
  }
}

/// A curve as the unknowns of a smoothed track: ``RSSIBiasCurve/biases``, then ``RSSIBiasCurve/slope``
/// where there is one.
extension RSSIBiasCurve {
  var unknownCount: Int { levels.count + (usualExcess == nil ? 0 : 1) }

  /// What is known of an unknown before any range, metres.
  func priorSigma(of unknown: Int) -> Double {
    unknown < levels.count ? Self.biasSigma : Self.slopeSigma
  }

  /// The same curve with other values.
  func with(unknowns: some Collection<Double>) -> Self {
    var result = self
    result.biases = Array(unknowns.prefix(levels.count))
    result.slope = unknowns.dropFirst(levels.count).first ?? 0
    return result
  }

  /// Calls `body` with each unknown, three at most, that has a share in what `range` reads too
  /// much, and its share.
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
