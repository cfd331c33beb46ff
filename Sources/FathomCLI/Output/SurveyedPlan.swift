import Fathom
import FathomEvaluation
import Foundation

/// A survey of a floor plan, as text or JSON.
struct SurveyedPlan {
  /// The name of the layout.
  let name: String
  let measure: Measure
  let survey: GeometrySurvey

  /// Returns the survey as text with tables.
  func text() -> String {
    let (grid, situation) = (survey.grid, survey.situation)
    let area = grid.area
    var lines = [
      "\(name): \(survey.anchors.count.counted("anchor")), \(noise)",
      "area         x \(area.x.lowerBound.text(decimals: 2)) to"
        + " \(area.x.upperBound.text(decimals: 2)), y \(area.y.lowerBound.text(decimals: 2)) to"
        + " \(area.y.upperBound.text(decimals: 2)) m, in \(grid.columns) x \(grid.rows) cells",
      "height       \(situation.height.text(decimals: 2)) m, "
        + (situation.isHeightKnown ? "known" : "estimated as well"),
    ]
    if survey.horizontal.undetermined > 0 {
      var line = "undetermined \(percent(survey.horizontal.undetermined)) of the plan"
      if let place = survey.undetermined {
        line += ", as at \(place.x.text(decimals: 2)), \(place.y.text(decimals: 2))"
      }
      lines.append(line)
    }
    if survey.unchecked > 0 {
      lines.append(
        "unchecked    \(percent(survey.unchecked)) of the plan: no redundant measurement, two"
          + " positions may fit")
    }
    if survey.hasMirrorImages {
      lines.append(
        "mirrored     the anchors lie in a \(situation.isHeightKnown ? "line" : "plane"): positions"
          + " on both sides of it are indistinguishable")
      if let side = survey.helpfulSide {
        lines.append("             give --side \(side.rawValue) or a height")
      }
    }
    var tables = [spreads, worst, losses]
    if !survey.additions.isEmpty { tables.append(additions) }
    return ([lines.joined(separator: "\n")] + tables.map(\.text)).joined(separator: "\n\n")
  }

  private var noise: String {
    let measuring = survey.situation.measuring
    var parts: [String] = []
    if !measuring.kinds.intersection([.range, .arrival]).isEmpty {
      parts.append("\(measuring.rangeSigma.plainText) m")
      if measuring.rangeSigmaPerMetre > 0 {
        parts.append("\(measuring.rangeSigmaPerMetre.plainText) m per metre")
      }
    }
    if !measuring.kinds.intersection(.angles).isEmpty {
      parts.append("\(measuring.azimuthSigma.degrees.text(decimals: 2)) degrees")
    }
    var text = "\(measure.rawValue) with errors of \(parts.joined(separator: " and "))"
    if let reach = measuring.maximumRange { text += ", received within \(reach.plainText) m" }
    return text
  }

  private var spreads: TextTable {
    var table = TextTable(["expected error, m", "median#", "95 %#", "worst#"])
    var rows = [
      ("horizontal, root mean square", survey.horizontal),
      ("horizontal, 50 % within", survey.median),
      ("horizontal, 95 % within", survey.radius95),
    ]
    if let vertical = survey.vertical { rows.append(("height, standard deviation", vertical)) }
    for (name, spread) in rows {
      table.append([name, metres(spread.median), metres(spread.p95), metres(spread.worst)])
    }
    return table
  }

  private var worst: TextTable {
    let hasHeight = survey.vertical != nil
    var table = TextTable(
      ["worst places", "x m#", "y m#", "error m#", "95 % within m#"]
        + (hasHeight ? ["height m#"] : []) + ["measured#"])
    for (place, number) in zip(survey.worst, 1...) {
      var row = [
        "\(number)", place.x.text(decimals: 2), place.y.text(decimals: 2),
        metres(survey.errors.horizontal[place.cell]), metres(survey.errors.radius95[place.cell]),
      ]
      if hasHeight { row.append(metres(survey.errors.vertical[place.cell])) }
      table.append(row + ["\(survey.errors.measurements[place.cell])"])
    }
    return table
  }

  private var losses: TextTable {
    var table = TextTable(["without", "95 % of the plan m#", "change m#", "undetermined#"])
    for (name, loss) in zip(survey.names, survey.losses) {
      table.append([name] + changes(loss.horizontal))
    }
    return table
  }

  private var additions: TextTable {
    var table = TextTable([
      "new anchor", "x m#", "y m#", "z m#", "95 % of the plan m#", "change m#", "undetermined#",
      "",
    ])
    for (addition, letter) in zip(survey.additions, "abcdefgh") {
      table.append(
        [String(letter)] + addition.position.array.map { $0.text(decimals: 2) }
          + changes(addition.horizontal) + [addition.isOnBorder ? "on the border" : "inside"])
    }
    return table
  }

  /// Returns the error that 95 % of the plan stay below, its change, and the undetermined share.
  private func changes(_ spread: ErrorSpread) -> [String] {
    var change = "-"
    if let p95 = spread.p95, let now = survey.horizontal.p95 {
      change = (p95 < now ? "" : "+") + metres(p95 - now)
    }
    return [metres(spread.p95), change, percent(spread.undetermined)]
  }

  private func metres(_ value: Double?) -> String { (value ?? .nan).text(decimals: 3) }
  private func percent(_ share: Double) -> String { (100 * share).text(decimals: 1) + " %" }

  /// Returns the survey as one JSON object; undetermined values are null.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

extension SurveyedPlan: Encodable {
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

  func encode(to encoder: any Encoder) throws {
    let (grid, situation) = (survey.grid, survey.situation)
    let measuring = situation.measuring
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encode(survey.names, forKey: .anchors)
    try container.encode(measure.rawValue, forKey: .measure)
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
