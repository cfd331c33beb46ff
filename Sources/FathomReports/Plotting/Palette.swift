/// The colours of a drawing by meaning, equal in every figure.
///
/// The hues are those of Okabe and Ito, which are distinguishable with all common kinds of colour
/// vision [Okabe & Ito 2008]. Some are lighter or darker, as the background requires.
enum Palette: String, CaseIterable, Sendable {
  /// Text and frames.
  case ink
  /// Secondary text and lines.
  case muted
  /// Grid lines.
  case grid
  /// The true position.
  case truth
  /// The track, its uncertainty, and the ranges used for it.
  case track
  /// Fixes of single epochs.
  case fixes
  /// Anchors and good links.
  case anchors
  /// Unused ranges, and values beyond a limit.
  case rejected
  /// Ranges with less than half of their weight.
  case discounted
  /// Close links.
  case close
  /// Unknown states, and ranges that only started a track.
  case unknown
  /// Further tags, or further estimates of one recording, after ``track``.
  case series2, series3, series4, series5, series6, series7, series8
  /// Levels of a map, from the lowest to the highest, as the background of lines, signs and texts.
  case level1, level2, level3, level4, level5, level6, level7, level8

  /// Returns the colour of a tag or an estimate by its number; colours repeat after eight.
  static func series(_ number: Int) -> Palette {
    let colours: [Palette] = [
      .track, .series2, .series3, .series4, .series5, .series6, .series7, .series8,
    ]
    return colours[number % colours.count]
  }

  /// The levels of a map, from the lowest to the highest.
  static let levels: [Palette] = [
    .level1, .level2, .level3, .level4, .level5, .level6, .level7, .level8,
  ]

  /// The colour on a light background, `#rrggbb`; unique, so that it identifies the case in a
  /// drawing.
  var light: String { colours.light }

  /// The colour on a dark background, `#rrggbb`.
  var dark: String { colours.dark }

  private var colours: (light: String, dark: String) {
    switch self {
    case .ink: ("#1b1f24", "#e6edf3")
    case .muted: ("#57606a", "#9aa4af")
    case .grid: ("#d8dee4", "#2d343c")
    case .truth: ("#000001", "#ffffff")
    case .track: ("#0072b2", "#4fa8e8")
    case .fixes: ("#c98600", "#f0b429")
    case .anchors: ("#009e73", "#2bc79a")
    case .rejected: ("#d55e00", "#ff8540")
    case .discounted: ("#b4558d", "#e39cc4")
    case .close: ("#56b4e9", "#9ad6fb")
    case .unknown: ("#8c959f", "#7d8690")
    case .series2: ("#c4500a", "#ff9a5c")
    case .series3: ("#7a3fa0", "#c49bf0")
    case .series4: ("#0f7a60", "#3ecfab")
    case .series5: ("#8f6b00", "#e6c34d")
    case .series6: ("#b83280", "#f58cc4")
    case .series7: ("#1f93c4", "#7fd3ff")
    case .series8: ("#6b5b4b", "#c2b09c")
    case .level1: ("#f1eef8", "#1a1730")
    case .level2: ("#dcd6ec", "#272145")
    case .level3: ("#c4badf", "#372e5e")
    case .level4: ("#a99bd0", "#4a3f7a")
    case .level5: ("#8d7bbf", "#615597")
    case .level6: ("#725cab", "#7d70b4")
    case .level7: ("#573d92", "#9f94cf")
    case .level8: ("#3b1f73", "#c9c1e8")
    }
  }

  /// Returns style sheet rules that adapt drawings in light colours to the reader's preference.
  ///
  /// The colours of a drawing are attributes, so it is correct without a style sheet. The rules
  /// select elements by the values of these attributes. `scope` is the selector of the drawings,
  /// such as `svg`.
  static func styleSheet(scope: String) -> String {
    let variables = { (colour: KeyPath<Palette, String>) in
      allCases.map { "--\($0.rawValue):\($0[keyPath: colour])" }.joined(separator: ";")
    }
    let rules = allCases.map { colour in
      ["stroke", "fill"].map {
        // Anti-aliased edges of adjacent rectangles would show a seam.
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
