import Fathom
import Foundation

/// A fix with the names of its anchors, ready to be shown.
struct LocatedPosition {
  let names: [String]
  let fix: PositionFix<3>
  /// When, in seconds, and of which tag; nil for ranges given by hand.
  var epoch: (time: Double, tag: String)?

  init(names: [String], fix: PositionFix<3>) {
    self.names = names
    self.fix = fix
  }

  /// The fix in words, one fact a line.
  func text() -> String {
    var lines: [String] = []
    if let epoch {
      lines.append("epoch        \(epoch.time.text(decimals: 3)) s, tag \(epoch.tag)")
    }
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
    if let alternative = fix.alternative {
      lines.append("or           \(metres(alternative)) m")
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
    for (name, share) in zip(names, fix.shares) {
      guard let share else { continue }
      var line = "residual     \(share.residual.text(decimals: 3)) m at \(name)"
      if share.weight < 0.5 { line += ", discounted: weight \(share.weight.text(decimals: 3))" }
      lines.append(line)
    }
    for index in fix.discounted where fix.shares[index] == nil {
      lines.append("not used     \(names[index]): no distance")
    }
    return lines.joined(separator: "\n")
  }

  /// What the verdict means, where its word does not say it.
  private var explanation: String {
    switch fix.verdict {
    case .unique: ""
    case .two: ": the ranges fit both positions"
    case .continuum: ": the ranges fit a whole circle, sphere or line of positions"
    case .inconsistent: ": no position fits the ranges within their errors"
    case .tooFew: ": fewer ranges than unknowns"
    }
  }

  private func metres(_ vector: Vector<3>) -> String {
    vector.array.map { $0.text(decimals: 3) }.joined(separator: "  ")
  }

  /// The fix as a line of JSON; what is not determined is null.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

extension LocatedPosition: Encodable {
  private enum Key: String, CodingKey {
    case position = "position_m"
    case alternative = "alternative_m"
    case covariance = "covariance_m2"
    case verdict
    case misfit = "misfit_m"
    case residuals = "residuals_m"
    case weights
    case influences
    case alternativeCovariance = "alternative_covariance_m2"
    case ellipsoid = "ellipsoid_95"
    case condition
    case undetermined
    case time = "time_s"
    case tag
    case discounted
    case dilution
    case iterations
  }

  private enum EllipsoidKey: String, CodingKey {
    case semiAxes = "semi_axes_m"
    case directions
  }

  private enum DilutionKey: String, CodingKey {
    case geometric = "gdop"
    case position = "pdop"
    case horizontal = "hdop"
    case vertical = "vdop"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(fix.position?.array, forKey: .position)
    try container.encode(fix.alternative?.array, forKey: .alternative)
    let unknown = [[Double?]](repeating: [nil, nil, nil], count: 3)
    try container.encode(finite(fix.covariance) ?? unknown, forKey: .covariance)
    try container.encode(finite(fix.alternativeCovariance), forKey: .alternativeCovariance)
    if let epoch {
      try container.encode(epoch.time, forKey: .time)
      try container.encode(epoch.tag, forKey: .tag)
    }
    try container.encode(fix.verdict.rawValue, forKey: .verdict)
    try container.encode(fix.misfit, forKey: .misfit)
    let shares = Dictionary(zip(names, fix.shares), uniquingKeysWith: { first, _ in first })
    try container.encode(shares.mapValues { $0?.residual }, forKey: .residuals)
    try container.encode(shares.mapValues { $0?.weight }, forKey: .weights)
    try container.encode(shares.mapValues { $0?.influence }, forKey: .influences)
    try container.encode(fix.condition, forKey: .condition)
    try container.encode(fix.undetermined.map { $0.array }, forKey: .undetermined)
    if let ellipsoid = fix.confidenceEllipsoid {
      var nested = container.nestedContainer(keyedBy: EllipsoidKey.self, forKey: .ellipsoid)
      try nested.encode(ellipsoid.semiAxes.array, forKey: .semiAxes)
      try nested.encode(ellipsoid.directions.array, forKey: .directions)
    } else {
      try container.encodeNil(forKey: .ellipsoid)
    }
    try container.encode(fix.discounted.map { names[$0] }, forKey: .discounted)
    try container.encode(fix.iterations, forKey: .iterations)
    guard let dilution = fix.dilution else {
      try container.encodeNil(forKey: .dilution)
      return
    }
    var nested = container.nestedContainer(keyedBy: DilutionKey.self, forKey: .dilution)
    try nested.encode(dilution.geometric, forKey: .geometric)
    try nested.encode(dilution.position, forKey: .position)
    try nested.encode(dilution.horizontal, forKey: .horizontal)
    try nested.encode(dilution.vertical, forKey: .vertical)
  }

  /// A matrix as rows of numbers, nil for those that are none.
  private func finite(_ matrix: Matrix<3, 3>?) -> [[Double?]]? {
    matrix?.array.map { row in row.map { $0.isFinite ? $0 : nil } }
  }
}
