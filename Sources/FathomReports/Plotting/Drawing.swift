import Foundation

/// An SVG drawing, made of what gnuplot wrote so that many of them fit into one page.
///
/// What gnuplot's terminal adds and nobody sees is taken out; signs become outlines of one path
/// instead of references to shared definitions, so that a drawing has no identifiers that could clash;
/// colours are written `#rrggbb`, by which style sheets find them.
struct Drawing: Sendable, Equatable {
  /// Width and height in units of the drawing.
  var width: Double
  var height: Double
  /// The elements inside of the `svg` element.
  var body: String

  /// The drawing of `plot` by `gnuplot`.
  ///
  /// - Parameters:
  ///   - plot: what to draw.
  ///   - figure: the figure's name, for messages.
  ///   - gnuplot: what draws it.
  /// - Throws: ``ReportError/gnuplotFailed(figure:reason:)``.
  init(_ plot: Plot, figure: String, by gnuplot: Gnuplot) throws(ReportError) {
    let script = GnuplotScript(plot)
    let output = try gnuplot.output(of: script.text, for: figure)
    guard output.contains("</svg>") else {
      throw .gnuplotFailed(figure: figure, reason: "it wrote no complete drawing")
    }
    self.init(gnuplot: output, width: plot.width, height: script.height)
  }

  /// The drawing in `text`, an SVG file as gnuplot writes it.
  init(gnuplot text: String, width: Double, height: Double) {
    self.width = width
    self.height = height
    var lines: [String] = []
    var signs = SignRun()
    var isInside = false
    let cleaner = Cleaner()
    for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
      // Before the end of the definitions there is nothing to be seen.
      if line == "</defs>" {
        isInside = true
        continue
      }
      guard isInside, !line.isEmpty, line != "</svg>" else { continue }
      if line.hasPrefix("<use ") {
        if !signs.add(line), let path = signs.path {
          lines.append(path)
          signs = SignRun()
          _ = signs.add(line)
        }
        continue
      }
      if let path = signs.path {
        lines.append(path)
        signs = SignRun()
      }
      lines.append(cleaner.cleaned(line))
    }
    body = Self.withoutEmptyGroups(lines).joined(separator: "\n")
  }

  /// Takes out of elements what could clash, and writes colours in one spelling.
  private struct Cleaner {
    // Made once per drawing: a regular expression is costly to make.
    private let titles = #/<title>[^<]*</title>/#
    private let names = #/ (?:id|class)="[^"]*"/#
    private let colours = #/["']rgb\( *(\d+), *(\d+), *(\d+)\)["']/#

    func cleaned(_ line: String) -> String {
      // Most lines are the middle of a path; texts have lines of their own and stay as they are.
      guard line.utf8.contains(UInt8(ascii: "<")), !line.hasPrefix("<text") else { return line }
      var line = line
      // gnuplot names its plots for scripts that are not here.
      line.replace(titles, with: "")
      line.replace(names, with: "")
      line.replace(" shape-rendering='crispEdges'", with: "")
      line.replace("color=\"black\" ", with: "")
      line.replace("color=\"white\" ", with: "")
      line.replace(colours) { match in
        "\"" + colour(match.1, match.2, match.3) + "\""
      }
      line.replace(" font-family=\"sans-serif\"", with: "")
      return line
    }
  }

  static func colour(_ red: Substring, _ green: Substring, _ blue: Substring) -> String {
    "#"
      + [red, green, blue].map { text in
        let digits = String(Int(text) ?? 0, radix: 16)
        return digits.count < 2 ? "0" + digits : digits
      }.joined()
  }

  /// `lines` without groups that hold nothing, and without the group around all of them.
  private static func withoutEmptyGroups(_ lines: [String]) -> [String] {
    var result: [String] = []
    for line in lines where !line.isEmpty {
      if line == "</g>", let last = result.last, last.hasPrefix("<g"), last.hasSuffix(">"),
        last.firstIndex(of: ">") == last.index(before: last.endIndex)
      {
        result.removeLast()
      } else {
        result.append(line)
      }
    }
    // The group of the canvas was opened before the definitions.
    if result.last == "</g>" { result.removeLast() }
    return result
  }
}

/// Consecutive signs of one kind, size and colour, to be drawn as one path.
private struct SignRun {
  private var kind = ""
  private var size = 0.0
  private var colour = ""
  private var outline = ""

  /// Takes in the sign of `line` where it is of the run's kind, or the first.
  ///
  /// The line reads `<use xlink:href='#gpPt6' transform='translate(1.0,2.0) scale(1.5)'
  /// color='rgb( 0, 114, 178)'/>`; by hand, for there are many thousands of them.
  mutating func add(_ line: String) -> Bool {
    let parts = line.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    guard parts.count == 7, parts[1].hasPrefix("#gpPt") else { return outline.isEmpty }
    let numbers = parts[3].utf8.split { !"0123456789.-".utf8.contains($0) }
      .compactMap { Double(Substring($0)) }
    let levels = parts[5].utf8.split { !"0123456789".utf8.contains($0) }.map { Substring($0) }
    guard numbers.count == 3, levels.count == 3 else { return outline.isEmpty }
    let (x, y, size) = (numbers[0], numbers[1], numbers[2])
    let kind = String(parts[1].dropFirst(5))
    let colour = Drawing.colour(levels[0], levels[1], levels[2])
    if outline.isEmpty {
      (self.kind, self.size, self.colour) = (kind, size, colour)
    } else if kind != self.kind || size != self.size || colour != self.colour {
      return false
    }
    let at = { (x: Double, y: Double) in "\(Self.text(x)),\(Self.text(y))" }
    switch kind {
    case "0":
      outline +=
        "M\(at(x - size, y))h\(Self.text(2 * size))M\(at(x, y - size))v\(Self.text(2 * size))"
    case "1":
      let side = Self.text(2 * size)
      outline +=
        "M\(at(x - size, y - size))l\(side),\(side)M\(at(x - size, y + size))l\(side),-\(side)"
    case "4":
      let side = Self.text(2 * size)
      outline += "M\(at(x - size, y - size))h\(side)v\(side)h-\(side)z"
    case "8":
      let (wide, high) = (Self.text(2.66 * size), Self.text(2 * size))
      outline +=
        "M\(at(x - 1.33 * size, y + 0.67 * size))h\(wide)l-\(Self.text(1.33 * size)),-\(high)z"
    default:
      // A line of no length with round ends is a disc.
      outline += "M\(at(x, y))h0"
    }
    return true
  }

  /// The run as one element; nil where there is none.
  var path: String? {
    guard !outline.isEmpty else { return nil }
    switch kind {
    case "0", "1":
      return "<path stroke=\"\(colour)\" stroke-width=\"1.4\" fill=\"none\" d=\"\(outline)\"/>"
    case "4", "8":
      return "<path stroke=\"none\" fill=\"\(colour)\" d=\"\(outline)\"/>"
    default:
      return
        "<path stroke=\"\(colour)\" stroke-width=\"\(Self.text(2 * size))\" stroke-linecap=\"round\""
        + " fill=\"none\" d=\"\(outline)\"/>"
    }
  }

  private static func text(_ value: Double) -> String {
    let rounded = (value * 100).rounded() / 100
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}

extension Drawing {
  /// The drawing as an element of a page.
  ///
  /// - Parameters:
  ///   - identifier: unique in the page; names of title and description begin with it.
  ///   - title: what it is.
  ///   - description: what it shows, for those who do not see it.
  /// - Returns: the text of the element.
  func element(identifier: String, title: String, description: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" role="img" \
    aria-labelledby="\(identifier)-title \(identifier)-description">
    <title id="\(identifier)-title">\(Self.escaped(title))</title>
    <desc id="\(identifier)-description">\(Self.escaped(description))</desc>
    \(body)
    </svg>
    """
  }

  /// The drawing as a file of its own, on no background, readable on light and dark pages.
  func file(title: String, description: String) -> String {
    """
    <?xml version="1.0" encoding="utf-8"?>
    <svg xmlns="http://www.w3.org/2000/svg" width="\(GnuplotScript.number(width))" \
    height="\(GnuplotScript.number(height.rounded(.up)))" viewBox="0 0 \(size)">
    <title>\(Self.escaped(title))</title>
    <desc>\(Self.escaped(description))</desc>
    <style>
    text{font-family:system-ui,sans-serif}
    \(Palette.styleSheet(scope: "svg"))
    </style>
    \(body)
    </svg>

    """
  }

  private var size: String {
    "\(GnuplotScript.number(width)) \(GnuplotScript.number(height.rounded(.up)))"
  }

  /// `text` for the content of an element or an attribute in double quotes.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      // No control character is allowed in XML, whatever it stands for.
      case _
      where scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t":
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
