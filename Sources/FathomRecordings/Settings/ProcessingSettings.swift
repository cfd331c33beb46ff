import Fathom

/// Settings for processing a recording; the defaults need no tuning.
@dynamicMemberLookup
public struct ProcessingSettings: Sendable, Equatable {
  /// Method for computing positions.
  public var method = PositionMethod.filter
  /// Output rate of positions at fixed intervals, in hertz; nil for one position per instant with
  /// ranges.
  ///
  /// Ignored without anchors.
  public var rateHz: Double?
  /// For ``PositionMethod/fix``: time for which a range belongs to an epoch, in seconds; nil to
  /// derive it from the recording, see `EpochWindow`.
  public var epochWindowS: Double?
  /// What is known of the tags, which replaces what the recording states.
  ///
  /// `settings.heightM` is `settings.facts.heightM`, and so on.
  public var facts = TagFacts()
  /// Method for smoothing distances.
  public var smoothing = SmoothingMethod.kalmanVelocity
  /// Standard deviation of ranges without one of their own, in metres.
  ///
  /// ``PositionMethod/fix`` estimates it from the recording unless it is set, see
  /// ``rangeSigmaIsGiven``.
  public var rangeSigmaM = RangingDefaults.rangeSigma { didSet { rangeSigmaIsGiven = true } }
  /// Whether ``rangeSigmaM`` was set, so that it is used as it is; nil for the default value.
  public private(set) var rangeSigmaIsGiven: Bool?
  /// For ``PositionMethod/fix``: known bias of all ranges, in metres, in addition to the anchors'
  /// own; nil to correct a bias or scale if the recording proves one.
  public var rangeBiasM: Double?
  /// Names of anchors whose ranges are used even if they are wrong all the time; nil for none.
  ///
  /// See `RangeDiagnosis`.
  public var keptAnchors: [String]?
  /// Standard deviation of measured azimuths and elevations, in radians.
  public var angleSigmaRad = 5 * Double.pi / 180
  /// Acceleration noise density of the tags, in (m/s²)/√Hz.
  public var accelerationDensity = RangingDefaults.accelerationDensity
  /// Columns that positions have in addition to the usual ones; nil for none.
  public var extraColumns: [ExtraColumns]?

  /// Creates the default settings.
  public init() {}

  /// A fact of the tags.
  public subscript<Value>(dynamicMember fact: WritableKeyPath<TagFacts, Value>) -> Value {
    get { facts[keyPath: fact] }
    set { facts[keyPath: fact] = newValue }
  }

  /// Returns the tracker configuration for tags at `height`, or in three dimensions when it is nil.
  package func tracker(height: Double?) -> Tracker.Configuration {
    var configuration = Tracker.Configuration()
    configuration.modes.motion = ConstantVelocity(
      horizontalDensity: accelerationDensity, verticalDensity: accelerationDensity)
    configuration.errors.sigma = rangeSigmaM
    configuration.height = height
    configuration.heightSigma = height == nil ? nil : facts.heightSigmaM
    configuration.side = facts.side
    configuration.bounds = facts.boundsM.flatMap(TagBounds.box)
    return configuration
  }
}

extension ProcessingSettings: TabulatedSettings {
  /// All settings, in the order of a command.
  package static let table: [Setting<ProcessingSettings>] = [
    .word("method", "method") { $0.method },
    .number("rate_hz", "rate", RecordingOptions.rates) { $0.rateHz },
    .number("epoch_window_s", "epoch-window", 0...1e6) { $0.epochWindowS },
    .number("height_m", "height", RecordingLimits.coordinates) { $0.facts.heightM },
    .number("height_sigma_m", "height-sigma", 1e-6...RecordingLimits.farthest) {
      $0.facts.heightSigmaM
    },
    .word("side", "side") { $0.facts.side },
    .structured("bounds_m", "bounds", limits: RecordingLimits.coordinates) {
      .numbers($0.facts.boundsM.map { Array($0.joined()) } ?? [])
    } problem: {
      guard let corners = $0.facts.boundsM, TagBounds.box(corners) == nil else { return nil }
      return " must be the least x,y,z, then the greatest x,y,z in metres (or x,y,x,y)"
    },
    .number("range_sigma_m", "range-sigma", RecordingLimits.sigmas) { $0.rangeSigmaM },
    .number("range_bias_m", "range-bias", -1e6...1e6) { $0.rangeBiasM },
    .texts("kept_anchors", "keep") { $0.keptAnchors ?? [] },
    .number("angle_sigma_rad", "angle-sigma", RecordingLimits.angleSigmas, isAngle: true) {
      $0.angleSigmaRad
    },
    .number("heading_sigma_rad", "heading-sigma", 1e-6 ... .pi, isAngle: true) {
      $0.facts.headingSigmaRad
    },
    .number("acceleration_density", "acceleration", 0...1e6) { $0.accelerationDensity },
    .word("smoothing", "smoothing") { $0.smoothing },
    .word("device_frame", "device-frame") { $0.facts.deviceFrame },
    .structured("zones", "zones") { _ in
      .words([])
    } problem: {
      $0.facts.zones?.problem.map { ": \($0)" }
    },
    .texts("extra_columns", "with") { settings in
      let names = (settings.extraColumns ?? []).map(\.rawValue)
      return names.isEmpty ? [] : [names.joined(separator: ",")]
    },
  ]
}

extension ProcessingSettings: Codable {
  private enum CodingKeys: String, CodingKey {
    case method, rateHz, epochWindowS, smoothing, rangeSigmaM, rangeSigmaIsGiven, rangeBiasM
    case keptAnchors, angleSigmaRad, accelerationDensity, extraColumns
  }

  /// Decodes settings; facts are among the other keys.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    facts = try TagFacts(from: decoder)
    method = try container.decode(PositionMethod.self, forKey: .method)
    rateHz = try container.decodeIfPresent(Double.self, forKey: .rateHz)
    epochWindowS = try container.decodeIfPresent(Double.self, forKey: .epochWindowS)
    smoothing = try container.decode(SmoothingMethod.self, forKey: .smoothing)
    rangeSigmaM = try container.decode(Double.self, forKey: .rangeSigmaM)
    rangeSigmaIsGiven = try container.decodeIfPresent(Bool.self, forKey: .rangeSigmaIsGiven)
    rangeBiasM = try container.decodeIfPresent(Double.self, forKey: .rangeBiasM)
    keptAnchors = try container.decodeIfPresent([String].self, forKey: .keptAnchors)
    angleSigmaRad = try container.decode(Double.self, forKey: .angleSigmaRad)
    accelerationDensity = try container.decode(Double.self, forKey: .accelerationDensity)
    extraColumns = try container.decodeIfPresent([ExtraColumns].self, forKey: .extraColumns)
  }

  /// Encodes settings; facts are among the other keys.
  public func encode(to encoder: any Encoder) throws {
    try facts.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(method, forKey: .method)
    try container.encodeIfPresent(rateHz, forKey: .rateHz)
    try container.encodeIfPresent(epochWindowS, forKey: .epochWindowS)
    try container.encode(smoothing, forKey: .smoothing)
    try container.encode(rangeSigmaM, forKey: .rangeSigmaM)
    try container.encodeIfPresent(rangeSigmaIsGiven, forKey: .rangeSigmaIsGiven)
    try container.encodeIfPresent(rangeBiasM, forKey: .rangeBiasM)
    try container.encodeIfPresent(keptAnchors, forKey: .keptAnchors)
    try container.encode(angleSigmaRad, forKey: .angleSigmaRad)
    try container.encode(accelerationDensity, forKey: .accelerationDensity)
    try container.encodeIfPresent(extraColumns, forKey: .extraColumns)
  }
}

/// Columns of positions beyond the usual ones; raw values are the names on the command line.
public enum ExtraColumns: String, Sendable, Hashable, CaseIterable, Codable {
  /// Latitude and longitude on WGS84 in degrees, and altitude in metres, for anchors given so.
  case geodetic
  /// The other position of an ambiguous one, in metres.
  case alternative
}

/// A method for computing positions from ranges.
public enum PositionMethod: String, Sendable, Hashable, CaseIterable, Codable {
  /// Independent fixes: trilateration of the newest range of each anchor in every epoch.
  case fix
  /// Filtering: one update of a `Tracker` per range.
  case filter
  /// Smoothing: a `TrackSmoother` over the whole recording.
  case smooth
}

/// A method for smoothing distances; raw values are the names on the command line.
public enum SmoothingMethod: String, Sendable, Hashable, CaseIterable, Codable {
  /// `ScalarKalmanSmoother` with constant velocity: the default, with standard deviations and
  /// little lag.
  case kalmanVelocity = "kalman-velocity"
  /// `ScalarKalmanSmoother` with constant position.
  case kalmanPosition = "kalman-position"
  /// `ExponentialSmoother`.
  case exponential
  /// `MovingMedian`.
  case median
  /// `MedianAverageFilter`.
  case medianAverage = "median-average"
  /// `HampelFilter`.
  case hampel
  /// `AlphaBetaSmoother`.
  case alphaBeta = "alpha-beta"
  /// `OneEuroFilter`.
  case oneEuro = "one-euro"
}
