import Fathom
import FathomRecordings
import Foundation

/// A fix with the names of its measurements, as text or JSON.
struct LocatedPosition {
  let names: [String]
  private(set) var fix: PositionFix<3>
  /// Whether only the ranges of other epochs contradict the position.
  private var isContradicted = false
  /// The time in seconds and the tag of an epoch; nil for measurements on the command line.
  var epoch: (time: Double, tag: String)?
  /// The name of the accessory that was located from a trajectory; nil for a tag.
  var accessory: String?
  /// The common offset of the ranges; nil without `--common-offset`.
  var offset: LocatedOffset?
  /// The contribution of the arrival at each anchor; nil without time differences.
  var arrivals: [(name: String, contribution: RangeContribution?)]?
  /// The indices of differences that are larger than the distance between their anchors.
  var impossible: [Int] = []
  /// The contributions of azimuths and elevations, parallel to ``names``; nil without bearings.
  var bearings: (azimuths: [AngleContribution?], elevations: [AngleContribution?])?

  init(names: [String], fix: PositionFix<3>) {
    self.names = names
    self.fix = fix
  }

  /// Calls a position inconsistent that a diagnosis of all ranges rules out.
  mutating func contradict() {
    guard fix.position != nil, fix.verdict != .inconsistent else { return }
    fix.verdict = .inconsistent
    isContradicted = true
  }

  /// Returns the fix as text, one fact per line.
  func text() -> String {
    var lines: [String] = []
    if let epoch {
      lines.append("epoch        \(epoch.time.text(decimals: 3)) s, tag \(epoch.tag)")
    }
    if let accessory { lines.append("accessory    \(accessory)") }
    if let position = fix.position {
      lines.append("position     \(metres(position)) m")
    }
    if let covariance = fix.covariance {
      let sigmas = Vector<3>(InlineArray { covariance[$0, $0].squareRoot() })
      lines.append("sigma        \(metres(sigmas)) m")
    }
    if let ellipsoid = fix.confidenceEllipsoid {
      let axes = ellipsoid.semiAxes.array.prefix(max(1, fix.unknowns))
      lines.append(
        "95 %         \(axes.map { $0.text(decimals: 3) }.joined(separator: "  ")) m, semi-axes")
    }
    for alternative in fix.alternatives {
      lines.append("or           \(metres(alternative.position)) m")
    }
    if let common = fix.commonOffset {
      lines.append(
        "if all ranges are \(common.offset.magnitude.text(decimals: 3)) m too"
          + " \(common.offset > 0 ? "long" : "short"), which explains them better:"
          + " \(metres(common.position)) m (--common-offset)")
    }
    if let value = offset?.value, let sigma = offset?.sigma {
      var text = "\(value.text(decimals: 3)) m, sigma \(sigma.text(decimals: 3)) m"
      if let other = offset?.alternative { text += ", or \(other.text(decimals: 3)) m" }
      lines.append("offset       \(text)")
    }
    lines.append("verdict      \(fix.verdict.rawValue)\(explanation)")
    if let misfit = fix.misfit { lines.append("misfit       \(misfit.text(decimals: 3)) m") }
    if let dilution = fix.dilution {
      var text = "\(dilution.position.text(decimals: 2)), horizontal"
      text += " \(dilution.horizontal.text(decimals: 2))"
      if let vertical = dilution.vertical { text += ", vertical \(vertical.text(decimals: 2))" }
      lines.append("dilution     \(text)")
    }
    for direction in fix.undetermined {
      lines.append("undetermined along \(metres(direction))")
    }
    lines += measurementLines
    return lines.joined(separator: "\n")
  }

  /// The residual of each measurement.
  ///
  /// For an accessory, which has many ranges, only the discounted ones are listed.
  private var measurementLines: [String] {
    var lines: [String] = []
    func residual(_ name: String, _ text: String, _ weight: Double) {
      let isDiscounted = weight < 0.5
      if accessory != nil, !isDiscounted { return }
      let remark = isDiscounted ? ", discounted: weight \(weight.text(decimals: 3))" : ""
      lines.append("residual     \(text) at \(name)\(remark)")
    }
    for (index, name) in names.enumerated() {
      if let range = fix.contributions[index] {
        residual(name, "\(range.residual.text(decimals: 3)) m", range.weight)
      }
      for (kind, angles) in [("azimuth", bearings?.azimuths), ("elevation", bearings?.elevations)] {
        guard let angle = angles?[index] else { continue }
        residual(name, "\(angle.residual.degrees.text(decimals: 2))° of \(kind)", angle.weight)
      }
    }
    for (name, arrival) in arrivals ?? [] {
      guard let arrival, arrival.weight < 0.5 else { continue }
      lines.append(
        "arrival      \(arrival.residual.text(decimals: 3)) m late at \(name), discounted:"
          + " weight \(arrival.weight.text(decimals: 3))")
    }
    for index in impossible {
      lines.append("impossible   \(names[index]): larger than the distance between the anchors")
    }
    for index in fix.discounted where fix.contributions[index] == nil {
      let isSeen = bearings?.azimuths[index] != nil || bearings?.elevations[index] != nil
      if !isSeen, !impossible.contains(index) {
        lines.append(
          "not used     \(names[index]): no \(arrivals == nil ? "distance" : "difference")")
      }
    }
    return lines
  }

  /// The meaning of the verdict; empty if its name is clear.
  private var explanation: String {
    switch fix.verdict {
    case .unique: ""
    case .two: ": the \(measurements) fit both positions"
    case .several: ": the \(measurements) fit all these positions"
    case .continuum: ": the \(measurements) fit a whole circle, sphere or line of positions"
    case .inconsistent where isContradicted:
      ": the ranges of all epochs rule it out, see the warnings"
    case .inconsistent: ": no position fits the \(measurements) within their errors"
    case .tooFew: ": fewer \(measurements) than unknowns"
    }
  }

  /// The name of the kind of measurements.
  private var measurements: String {
    if arrivals != nil { return "differences" }
    return bearings == nil ? "ranges" : "measurements"
  }

  private func metres(_ vector: Vector<3>) -> String {
    vector.array.map { $0.text(decimals: 3) }.joined(separator: "  ")
  }
}

/// The common offset of all ranges, in metres.
struct LocatedOffset {
  var value: Double?
  var sigma: Double?
  var alternative: Double?
}

extension LocatedPosition {
  /// Returns the fix as one line of JSON; undetermined values are null.
  func json() -> String {
    // Every number is finite or null, so encoding cannot fail.
    (try? Console.json(self)) ?? "null"
  }
}

extension LocatedPosition: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(fix.position?.array, forKey: "position_m")
    try container.encode(fix.alternative?.array, forKey: "alternative_m")
    try container.encode(fix.alternatives.map { $0.position.array }, forKey: "alternatives_m")
    if let common = fix.commonOffset {
      var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "common_offset")
      try nested.encode(common.offset, forKey: "offset_m")
      try nested.encode(common.sigma, forKey: "sigma_m")
      try nested.encode(common.position.array, forKey: "position_m")
    }
    let unknown = [[Double?]](repeating: [nil, nil, nil], count: 3)
    try container.encode(finite(fix.covariance) ?? unknown, forKey: "covariance_m2")
    try container.encode(finite(fix.alternativeCovariance), forKey: "alternative_covariance_m2")
    if let epoch {
      try container.encode(epoch.time, forKey: "time_s")
      try container.encode(epoch.tag, forKey: "tag")
    }
    try container.encode(fix.verdict.rawValue, forKey: "verdict")
    try container.encode(fix.misfit, forKey: "misfit_m")
    let ranges = Dictionary(zip(names, fix.contributions), uniquingKeysWith: { first, _ in first })
    try container.encode(ranges.mapValues { $0?.residual }, forKey: "residuals_m")
    try container.encode(ranges.mapValues { $0?.weight }, forKey: "weights")
    try container.encode(ranges.mapValues { $0?.influence }, forKey: "influences")
    try container.encode(fix.condition, forKey: "condition")
    try container.encode(fix.undetermined.map { $0.array }, forKey: "undetermined")
    if let ellipsoid = fix.confidenceEllipsoid {
      var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "ellipsoid_95")
      try nested.encode(ellipsoid.semiAxes.array, forKey: "semi_axes_m")
      try nested.encode(ellipsoid.directions.array, forKey: "directions")
    } else {
      try container.encodeNil(forKey: "ellipsoid_95")
    }
    try encodeKind(to: &container)
    try container.encode(fix.discounted.map { names[$0] }, forKey: "discounted")
    try container.encode(fix.iterations, forKey: "iterations")
    guard let dilution = fix.dilution else {
      try container.encodeNil(forKey: "dilution")
      return
    }
    var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: "dilution")
    try nested.encode(dilution.geometric, forKey: "gdop")
    try nested.encode(dilution.position, forKey: "pdop")
    try nested.encode(dilution.horizontal, forKey: "hdop")
    try nested.encode(dilution.vertical, forKey: "vdop")
  }

  /// Encodes the fields that only some kinds of measurements have.
  private func encodeKind(to container: inout KeyedEncodingContainer<AnyKey>) throws {
    if let accessory { try container.encode(accessory, forKey: "accessory") }
    if let offset {
      try container.encode(offset.value, forKey: "offset_m")
      try container.encode(offset.sigma, forKey: "offset_sigma_m")
      try container.encode(offset.alternative, forKey: "alternative_offset_m")
    }
    if let arrivals {
      let contributions = Dictionary(
        arrivals.map { ($0.name, $0.contribution) }, uniquingKeysWith: { first, _ in first })
      try container.encode(contributions.mapValues { $0?.residual }, forKey: "arrivals_m")
      try container.encode(contributions.mapValues { $0?.weight }, forKey: "arrival_weights")
      try container.encode(impossible.map { names[$0] }, forKey: "impossible")
    }
    if let bearings {
      let azimuths = named(bearings.azimuths)
      let elevations = named(bearings.elevations)
      try container.encode(
        azimuths.mapValues { $0?.residual.degrees }, forKey: "azimuth_residuals_deg")
      try container.encode(azimuths.mapValues { $0?.weight }, forKey: "azimuth_weights")
      try container.encode(
        elevations.mapValues { $0?.residual.degrees }, forKey: "elevation_residuals_deg")
      try container.encode(elevations.mapValues { $0?.weight }, forKey: "elevation_weights")
    }
  }

  /// Returns values by the names of their measurements.
  private func named<Value>(_ values: [Value?]) -> [String: Value?] {
    Dictionary(zip(names, values), uniquingKeysWith: { first, _ in first })
  }

  /// Returns the rows of a matrix; a value that is not finite becomes nil.
  private func finite(_ matrix: Matrix<3, 3>?) -> [[Double?]]? {
    matrix?.array.map { row in row.map { $0.isFinite ? $0 : nil } }
  }
}
