/// What is drawn, and with it its colour: the same meaning has the same colour in every figure.
///
/// The hues are those of Okabe and Ito, which people with any of the usual kinds of colour vision tell
/// apart [Okabe & Ito 2008]; lighter or darker shades of them where the paper asks for it.
enum Palette: String, CaseIterable, Sendable {
  /// Text and frames.
  case ink
  /// Secondary text and lines.
  case muted
  /// Grid lines.
  case grid
  /// The true position.
  case truth
  /// The track, its uncertainty, and ranges that went into it.
  case track
  /// Fixes of single epochs.
  case fixes
  /// Anchors, and what is good.
  case anchors
  /// What was not used, or exceeds a limit.
  case rejected
  /// What counted with less than half its weight.
  case discounted
  /// What is close by.
  case close
  /// What is not known, and what only started something.
  case unknown
  /// Levels of a map, from the least to the greatest: areas that lines, signs and texts lie on.
  case level1, level2, level3, level4, level5, level6, level7, level8

  /// The levels of a map, from the least to the greatest.
  static let levels: [Palette] = [
    .level1, .level2, .level3, .level4, .level5, .level6, .level7, .level8,
  ]

  /// The colour on light paper, `#rrggbb`; different for every case, so that it identifies the case
  /// in a drawing.
  var light: String {
    switch self {
    case .ink: "#1b1f24"
    case .muted: "#57606a"
    case .grid: "#d8dee4"
    case .truth: "#000001"
    case .track: "#0072b2"
    case .fixes: "#c98600"
    case .anchors: "#009e73"
    case .rejected: "#d55e00"
    case .discounted: "#b4558d"
    case .close: "#56b4e9"
    case .unknown: "#8c959f"
    case .level1: "#f1eef8"
    case .level2: "#dcd6ec"
    case .level3: "#c4badf"
    case .level4: "#a99bd0"
    case .level5: "#8d7bbf"
    case .level6: "#725cab"
    case .level7: "#573d92"
    case .level8: "#3b1f73"
    }
  }

  /// The colour on dark paper, `#rrggbb`.
  var dark: String {
    switch self {
    case .ink: "#e6edf3"
    case .muted: "#9aa4af"
    case .grid: "#2d343c"
    case .truth: "#ffffff"
    case .track: "#4fa8e8"
    case .fixes: "#f0b429"
    case .anchors: "#2bc79a"
    case .rejected: "#ff8540"
    case .discounted: "#e39cc4"
    case .close: "#9ad6fb"
    case .unknown: "#7d8690"
    case .level1: "#1a1730"
    case .level2: "#272145"
    case .level3: "#372e5e"
    case .level4: "#4a3f7a"
    case .level5: "#615597"
    case .level6: "#7d70b4"
    case .level7: "#9f94cf"
    case .level8: "#c9c1e8"
    }
  }

  /// Style sheet rules by which drawings with the light colours follow the reader's preference.
  ///
  /// The colours of a drawing are attributes, so that it is right without any style sheet; the rules
  /// find them by their value.
  ///
  /// - Parameter scope: selector of the drawings, such as `svg`.
  /// - Returns: the rules.
  static func styleSheet(scope: String) -> String {
    let variables = { (colour: KeyPath<Palette, String>) in
      allCases.map { "--\($0.rawValue):\($0[keyPath: colour])" }.joined(separator: ";")
    }
    let rules = allCases.map { colour in
      ["stroke", "fill"].map {
        // Rectangles that touch show a seam where their edges are smoothed.
        let isArea = $0 == "fill" && (colour == .unknown || levels.contains(colour))
        let edges = isArea ? ";shape-rendering:crispEdges" : ""
        return "\(scope) [\($0)=\"\(colour.light)\"]{\($0):var(--\(colour.rawValue))\(edges)}"
      }.joined(separator: "\n")
    }
    return """
      :root{\(variables(\.light))}
      @media screen and (prefers-color-scheme:dark){:root{\(variables(\.dark))}}
      \(rules.joined(separator: "\n"))
      """
  }
}
