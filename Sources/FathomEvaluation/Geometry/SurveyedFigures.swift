import Fathom
import FathomRecordings

/// The figures of a survey for JSON, as `fathom geometry --json` prints them.
package struct SurveyedFigures: Encodable {
  private let name: String
  private let measure: String
  private let survey: GeometrySurvey

  /// Creates the figures of `survey`; `measure` is what every anchor measures, in a word.
  package init(_ survey: GeometrySurvey, name: String, measure: String) {
    self.survey = survey
    self.name = name
    self.measure = measure
  }

  package func encode(to encoder: any Encoder) throws {
    let (grid, situation) = (survey.grid, survey.situation)
    let measuring = situation.measuring
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(name, forKey: "name")
    try container.encode(survey.names, forKey: "anchors")
    try container.encode(measure, forKey: "measure")
    try container.encode(measuring.rangeSigma, forKey: "noise_m")
    try container.encode(measuring.rangeSigmaPerMetre, forKey: "noise_per_metre")
    try container.encode(measuring.azimuthSigma.degrees, forKey: "angle_noise_deg")
    try container.encode(measuring.maximumRange, forKey: "max_range_m")
    try container.encode(
      [grid.area.x.lowerBound, grid.area.y.lowerBound, grid.area.x.upperBound]
        + [grid.area.y.upperBound], forKey: "area_m")
    try container.encode([grid.columns, grid.rows], forKey: "cells")
    try container.encode(situation.height, forKey: "height_m")
    try container.encode(situation.isHeightKnown, forKey: "height_known")
    try container.encode(situation.side, forKey: "side")
    try container.encode(situation.newAnchorHeight, forKey: "new_anchor_height_m")
    try container.encode(Spread(survey.horizontal), forKey: "horizontal")
    try container.encode(survey.vertical.map { Spread($0) }, forKey: "vertical")
    try container.encode(Spread(survey.median), forKey: "cep")
    try container.encode(Spread(survey.radius95), forKey: "radius_95")
    try container.encode(survey.unchecked, forKey: "unchecked")
    try container.encode(survey.hasMirrorImages, forKey: "mirrored")
    try container.encode(survey.undetermined.map { [$0.x, $0.y] }, forKey: "undetermined_at_m")
    try container.encode(survey.worst.map { Worst($0, of: survey.errors) }, forKey: "worst")
    try container.encode(
      zip(survey.names, survey.losses).map { Change($0, nil, $1.horizontal) }, forKey: "losses")
    try container.encode(
      survey.additions.map { Change(nil, $0.position.array, $0.horizontal, $0.isOnBorder) },
      forKey: "additions")
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

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: AnyKey.self)
      try container.encode(median, forKey: "median_m")
      try container.encode(p95, forKey: "p95_m")
      try container.encode(worst, forKey: "worst_m")
      try container.encode(rms, forKey: "rms_m")
      try container.encode(undetermined, forKey: "undetermined")
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
