import Fathom

/// A fix with the names of its anchors, ready to be shown.
struct LocatedPosition {
  let names: [String]
  let fix: PositionFix<3>
  /// When, in seconds, and of which tag; nil for measurements given by hand.
  var epoch: (time: Double, tag: String)?
  /// What stands still and was located from a way; nil for a tag.
  var accessory: String?
  /// What all ranges have in common; nil where they have nothing.
  var offset: LocatedOffset?
  /// What became of the arrival at each anchor; nil where there are no time differences.
  var arrivals: [(name: String, share: RangeContribution?)]?
  /// Which differences no position causes.
  var impossible: [Int] = []
  /// What became of azimuths and elevations, parallel to ``names``; nil where there are none.
  var bearings: (azimuths: [AngleContribution?], elevations: [AngleContribution?])?

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
    if let alternative = fix.alternative {
      lines.append("or           \(metres(alternative)) m")
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

  /// What became of each measurement; of a way, which has many, only of those discounted.
  private var measurementLines: [String] {
    var lines: [String] = []
    func residual(_ name: String, _ text: String, _ weight: Double) {
      let isLost = weight < 0.5
      if accessory != nil, !isLost { return }
      let lost = isLost ? ", discounted: weight \(weight.text(decimals: 3))" : ""
      lines.append("residual     \(text) at \(name)\(lost)")
    }
    for (index, name) in names.enumerated() {
      if let share = fix.contributions[index] {
        residual(name, "\(share.residual.text(decimals: 3)) m", share.weight)
      }
      for (angle, shares) in [("azimuth", bearings?.azimuths), ("elevation", bearings?.elevations)]
      {
        guard let share = shares?[index] else { continue }
        residual(name, "\(share.residual.degrees.text(decimals: 2))° of \(angle)", share.weight)
      }
    }
    for (name, share) in arrivals ?? [] {
      guard let share, share.weight < 0.5 else { continue }
      lines.append(
        "arrival      \(share.residual.text(decimals: 3)) m late at \(name), discounted:"
          + " weight \(share.weight.text(decimals: 3))")
    }
    for index in impossible {
      lines.append("impossible   \(names[index]): more than the distance between the anchors")
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

  /// What the verdict means, where its word does not say it.
  private var explanation: String {
    switch fix.verdict {
    case .unique: ""
    case .two: ": the \(measurements) fit both positions"
    case .continuum: ": the \(measurements) fit a whole circle, sphere or line of positions"
    case .inconsistent: ": no position fits the \(measurements) within their errors"
    case .tooFew: ": fewer \(measurements) than unknowns"
    }
  }

  /// What the position comes from, in a word.
  private var measurements: String {
    if arrivals != nil { return "differences" }
    return bearings == nil ? "ranges" : "measurements"
  }

  private func metres(_ vector: Vector<3>) -> String {
    vector.array.map { $0.text(decimals: 3) }.joined(separator: "  ")
  }
}

/// What all ranges have in common, metres.
struct LocatedOffset {
  var value: Double?
  var sigma: Double?
  var alternative: Double?
}
