import Fathom
import Foundation

/// A fix with the names of its anchors, ready to be shown.
struct LocatedPosition {
  let names: [String]
  let fix: PositionFix<3>

  /// The fix in words, one fact a line.
  func text() -> String {
    var lines: [String] = []
    if let position = fix.position {
      lines.append("position     \(metres(position)) m")
    }
    if let covariance = fix.covariance {
      let sigmas = Vector<3>(InlineArray { covariance[$0, $0].squareRoot() })
      lines.append("sigma        \(metres(sigmas)) m")
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
    for (name, residual) in zip(names, fix.residuals) {
      if let residual { lines.append("residual     \(residual.text(decimals: 3)) m at \(name)") }
    }
    for index in fix.discounted { lines.append("not used     \(names[index]): no distance") }
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
    case discounted
    case dilution
    case iterations
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
    let undetermined = [[Double?]](repeating: [nil, nil, nil], count: 3)
    let covariance = fix.covariance?.array.map { row in row.map { $0.isFinite ? $0 : nil } }
    try container.encode(covariance ?? undetermined, forKey: .covariance)
    try container.encode(fix.verdict.rawValue, forKey: .verdict)
    try container.encode(fix.misfit, forKey: .misfit)
    let residuals = zip(names, fix.residuals).map { ($0, $1) }
    try container.encode(Dictionary(uniqueKeysWithValues: residuals), forKey: .residuals)
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
}
