import FathomRecordings
import Foundation

/// An SVG drawing made from gnuplot's output, such that many drawings fit into one page.
///
/// Invisible elements of gnuplot's terminal are removed. Signs become outlines of one path instead
/// of references to shared definitions, so a drawing has no identifiers that could clash. Colours
/// are written as `#rrggbb`, which style sheets match.
struct Drawing: Sendable, Equatable {
  /// Width and height in units of the drawing.
  var width: Double
  var height: Double
  /// The elements inside the `svg` element.
  var body: String
  /// Where the axes are, see ``GnuplotScript/panels``.
  var panels: [[Double]] = []

  /// Draws `plot` with `gnuplot`; messages name the `figure`.
  init(_ plot: Plot, figure: String, by gnuplot: Gnuplot) throws(ReportError) {
    let script = GnuplotScript(plot)
    let output = try gnuplot.output(of: script.text, for: figure)
    guard output.contains("</svg>") else {
      throw .gnuplotFailed(figure: figure, reason: "it wrote no complete drawing")
    }
    self.init(gnuplot: output, width: plot.width, height: script.height)
    panels = script.panels
  }

  /// Converts `text`, an SVG file of gnuplot.
  init(gnuplot text: String, width: Double, height: Double) {
    self.width = width
    self.height = height
    var lines: [String] = []
    var signs = SignRun()
    var isInside = false
    let cleaner = Cleaner()
    for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
      // Nothing visible precedes the end of the definitions.
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

  /// Removes identifiers and classes that could clash, and writes colours in one format.
  private struct Cleaner {
    // Compiled once per drawing, because regular expressions are costly to compile.
    private let titles = #/<title>[^<]*</title>/#
    private let names = #/ (?:id|class)="[^"]*"/#
    private let colours = #/["']rgb\( *(\d+), *(\d+), *(\d+)\)["']/#

    func cleaned(_ line: String) -> String {
      // Most lines are parts of a path. Texts have lines of their own and are unchanged.
      guard line.utf8.contains(UInt8(ascii: "<")), !line.hasPrefix("<text") else { return line }
      var line = line
      // gnuplot names its plots for scripts, which this drawing does not have.
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

  /// Returns `lines` without empty groups and without the group around all of them.
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
    // The canvas group was opened before the definitions.
    if result.last == "</g>" { result.removeLast() }
    return result
  }
}

/// Consecutive signs of one kind, size and colour, drawn as one path.
private struct SignRun {
  private var kind = ""
  private var size = 0.0
  private var colour = ""
  private var outline = ""

  /// Adds the sign of `line` if it is the first or of the run's kind, size and colour.
  ///
  /// Returns false when the line belongs to another run. Lines are parsed without regular
  /// expressions, because there are many thousands of them. An example is
  /// `<use xlink:href='#gpPt6' transform='translate(1.0,2.0) scale(1.5)' color='rgb(0,114,178)'/>`.
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
      // A line of zero length with round ends is a disc.
      outline += "M\(at(x, y))h0"
    }
    return true
  }

  /// The run as one element; nil when empty.
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
    return rounded == rounded.rounded() && rounded.magnitude < 1e15
      ? "\(Int(rounded))" : "\(rounded)"
  }
}

extension Drawing {
  /// Returns the drawing as an element of a page.
  ///
  /// `identifier` is unique in the page; the identifiers of title and description begin with it.
  /// The description is the alternative text.
  func element(identifier: String, title: String, description: String) -> String {
    let axes = panels.map { "[\($0.map(GnuplotScript.number).joined(separator: ","))]" }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" role="img" \
      data-panels="[\(axes.joined(separator: ","))]" \
      aria-labelledby="\(identifier)-title \(identifier)-description">
      <title id="\(identifier)-title">\(Self.escaped(title))</title>
      <desc id="\(identifier)-description">\(Self.escaped(description))</desc>
      \(body)
      </svg>
      """
  }

  /// Lays a picture over an area of the first panel, in metres, so faintly that the map remains readable;
  /// what is outside of the axes is cut off.
  mutating func lay(
    _ picture: FloorPlan.Picture, over shown: (x: ClosedRange<Double>, y: ClosedRange<Double>)
  ) {
    guard let panel = panels.first else { return }
    let (left, top, width, height) = (panel[0], panel[1], panel[2], panel[3])
    let (x, y) = (panel[5] - panel[4], panel[7] - panel[6])
    func text(_ value: Double) -> String { GnuplotScript.number((value * 100).rounded() / 100) }
    body += """

      <svg x="\(text(left))" y="\(text(top))" width="\(text(width))" height="\(text(height))" \
      overflow="hidden" style="width:\(text(width))px;height:\(text(height))px"><image x="\(text((shown.x.lowerBound - panel[4]) / x * width))" \
      y="\(text((panel[7] - shown.y.upperBound) / y * height))" \
      width="\(text((shown.x.upperBound - shown.x.lowerBound) / x * width))" \
      height="\(text((shown.y.upperBound - shown.y.lowerBound) / y * height))" \
      preserveAspectRatio="none" opacity="0.5" pointer-events="none" \
      href="data:\(picture.mediaType);base64,\(Data(picture.bytes).base64EncodedString())"/></svg>
      """
  }

  /// Returns the drawing as a separate file with a transparent background, readable on light and
  /// dark pages.
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

  /// Escapes `text` for the content of an element or an attribute in double quotes.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      // XML allows no control characters.
      case _
      where scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t":
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
