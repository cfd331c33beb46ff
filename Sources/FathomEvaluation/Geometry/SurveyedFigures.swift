import Fathom
import FathomRecordings

/// The figures of a survey for JSON, as `fathom geometry --json` prints them.
package struct SurveyedFigures: Encodable {
  private let name: String
  private let measure: String
  private let survey: GeometrySurvey

  /// Creates the figures of `survey`.
  ///
  /// - Parameters:
  ///   - survey: the survey.
  ///   - name: the name of the layout.
  ///   - measure: what every anchor measures, in a word.
  package init(_ survey: GeometrySurvey, name: String, measure: String) {
    self.survey = survey
    self.name = name
    self.measure = measure
  }

  private enum Key: String, CodingKey {
    case name
    case anchors
    case measure
    case noise = "noise_m"
    case noisePerMetre = "noise_per_metre"
    case angleNoise = "angle_noise_deg"
    case maxRange = "max_range_m"
    case area = "area_m"
    case cells
    case height = "height_m"
    case isHeightKnown = "height_known"
    case side
    case newAnchorHeight = "new_anchor_height_m"
    case horizontal
    case vertical
    case median = "cep"
    case radius95 = "radius_95"
    case unchecked
    case hasMirrorImages = "mirrored"
    case undetermined = "undetermined_at_m"
    case worst
    case losses
    case additions
  }

  package func encode(to encoder: any Encoder) throws {
    let (grid, situation) = (survey.grid, survey.situation)
    let measuring = situation.measuring
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encode(survey.names, forKey: .anchors)
    try container.encode(measure, forKey: .measure)
    try container.encode(measuring.rangeSigma, forKey: .noise)
    try container.encode(measuring.rangeSigmaPerMetre, forKey: .noisePerMetre)
    try container.encode(measuring.azimuthSigma.degrees, forKey: .angleNoise)
    try container.encode(measuring.maximumRange, forKey: .maxRange)
    try container.encode(
      [grid.area.x.lowerBound, grid.area.y.lowerBound, grid.area.x.upperBound]
        + [grid.area.y.upperBound], forKey: .area)
    try container.encode([grid.columns, grid.rows], forKey: .cells)
    try container.encode(situation.height, forKey: .height)
    try container.encode(situation.isHeightKnown, forKey: .isHeightKnown)
    try container.encode(situation.side, forKey: .side)
    try container.encode(situation.newAnchorHeight, forKey: .newAnchorHeight)
    try container.encode(Spread(survey.horizontal), forKey: .horizontal)
    try container.encode(survey.vertical.map { Spread($0) }, forKey: .vertical)
    try container.encode(Spread(survey.median), forKey: .median)
    try container.encode(Spread(survey.radius95), forKey: .radius95)
    try container.encode(survey.unchecked, forKey: .unchecked)
    try container.encode(survey.hasMirrorImages, forKey: .hasMirrorImages)
    try container.encode(survey.undetermined.map { [$0.x, $0.y] }, forKey: .undetermined)
    try container.encode(survey.worst.map { Worst($0, of: survey.errors) }, forKey: .worst)
    try container.encode(
      zip(survey.names, survey.losses).map { Change($0, nil, $1.horizontal) }, forKey: .losses)
    try container.encode(
      survey.additions.map { Change(nil, $0.position.array, $0.horizontal, $0.isOnBorder) },
      forKey: .additions)
  }

  /// The statistics of an expected error over the plan.
  private struct Spread: Encodable {
    var median: Double?
    var p95: Double?
    var worst: Double?
    var rms: Double?
    var undetermined: Double

    init(_ spread: ErrorSpread) {
      median = spread.median
      p95 = spread.p95
      worst = spread.worst
      rms = spread.rms
      undetermined = spread.undetermined
    }

    enum CodingKeys: String, CodingKey {
      case median = "median_m"
      case p95 = "p95_m"
      case worst = "worst_m"
      case rms = "rms_m"
      case undetermined
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(median, forKey: .median)
      try container.encode(p95, forKey: .p95)
      try container.encode(worst, forKey: .worst)
      try container.encode(rms, forKey: .rms)
      try container.encode(undetermined, forKey: .undetermined)
    }
  }

  /// One of the worst places and its expected errors.
  private struct Worst: Encodable {
    var x: Double
    var y: Double
    var horizontal: Double
    var radius95: Double
    var measurements: Int

    init(_ place: GeometrySurvey.Place, of errors: BoundColumns.Errors) {
      x = place.x
      y = place.y
      horizontal = errors.horizontal[place.cell]
      radius95 = errors.radius95[place.cell]
      measurements = errors.measurements[place.cell]
    }

    enum CodingKeys: String, CodingKey {
      case x = "x_m"
      case y = "y_m"
      case horizontal = "horizontal_m"
      case radius95 = "radius_95_m"
      case measurements
    }
  }

  /// The plan without an anchor, or with one more.
  private struct Change: Encodable {
    var anchor: String?
    var position: [Double]?
    var isOnBorder: Bool?
    var horizontal: Spread

    init(
      _ anchor: String?, _ position: [Double]?, _ horizontal: ErrorSpread,
      _ isOnBorder: Bool? = nil
    ) {
      self.anchor = anchor
      self.position = position
      self.horizontal = Spread(horizontal)
      self.isOnBorder = isOnBorder
    }

    enum CodingKeys: String, CodingKey {
      case anchor
      case position = "position_m"
      case isOnBorder = "on_border"
      case horizontal
    }
  }
}
