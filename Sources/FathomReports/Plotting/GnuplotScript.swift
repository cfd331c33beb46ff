/// A plot as a script for gnuplot 5.
///
/// A script contains no foreign data except numbers and quoted texts, in which gnuplot neither
/// runs commands nor expands anything. All positions are computed here, in units of the
/// drawing. The panel's height makes the scales of a plan equal.
struct GnuplotScript {
  /// The script.
  private(set) var text = ""
  private let plot: Plot
  /// Height of the drawing.
  let height: Double

  private static let left = 66.0
  private static let right = 14.0
  private static let line = 21.0

  /// Returns the length of the horizontal axis in a drawing of the given width.
  static func panelWidth(in width: Double) -> Double { width - left - right }

  /// Where the axes are: left, top, width, height in units of the drawing, the ends of both axes, and 1
  /// for a logarithmic vertical axis.
  private(set) var panels: [[Double]] = []

  /// Creates the script that draws `plot` in the given format.
  init(_ plot: Plot, format: FigureFormat = .svg) {
    self.plot = plot
    let key = Key(plot)
    let keyHeight = key.entries.isEmpty ? 0 : Double(key.rows) * Self.line + 10
    height = plot.panels.reduce(keyHeight + 4) {
      $0 + Self.space(above: $1) + $1.height + Self.space(below: $1)
    }
    add("set terminal \(terminal(format))")
    add("set encoding utf8")
    add("set multiplot")
    var top = 0.0
    for (index, panel) in plot.panels.enumerated() {
      top += Self.space(above: panel)
      draw(panel, top: top, key: index == 0 ? key : nil, number: index)
      top += panel.height + Self.space(below: panel)
    }
    add("unset multiplot")
  }

  private func terminal(_ format: FigureFormat) -> String {
    switch format {
    case .svg:
      return "svg size \(Self.number(plot.width)),\(Self.number(height)) dynamic noenhanced font"
        + " 'sans-serif,14'"
    case .png:
      let size = [plot.width, height].map { Self.number((2 * $0).rounded()) }
      return "pngcairo size \(size.joined(separator: ",")) noenhanced font 'sans-serif,10.5'"
        + " fontscale 2 linewidth 2 pointscale 2 background rgb 'white'"
    case .pdf:
      // A unit of the drawing is 0.9 points in a width of 7 inches.
      let inches = [plot.width, height].map { (7 / plot.width * $0).text(decimals: 2) }
      return "pdfcairo size \(inches.joined(separator: ",")) noenhanced font 'sans-serif,12.6'"
        + " linewidth 1.5"
    }
  }

  private static func space(above panel: Plot.Panel) -> Double { panel.heading == nil ? 10 : 26 }
  private static func space(below panel: Plot.Panel) -> Double { panel.xLabel == nil ? 6 : 50 }

  private mutating func draw(_ panel: Plot.Panel, top: Double, key: Key?, number: Int) {
    let height = height
    let screen = { (value: Double) in Self.number(1 - value / height) }
    panels.append([
      Self.left, top, Self.panelWidth(in: plot.width), panel.height, panel.x.lowerBound,
      panel.x.upperBound, panel.y.lowerBound, panel.y.upperBound, panel.isLogarithmic ? 1 : 0,
    ])
    add("reset")
    add("set lmargin at screen \(Self.number(Self.left / plot.width))")
    add("set rmargin at screen \(Self.number(1 - Self.right / plot.width))")
    add("set tmargin at screen \(screen(top))")
    add("set bmargin at screen \(screen(top + panel.height))")
    add("set border 3 lc rgb '\(Palette.muted.light)' lw 1")
    add("set grid lt 1 lw 1 lc rgb '\(Palette.grid.light)'")
    add("set xrange [\(Self.number(panel.x.lowerBound)):\(Self.number(panel.x.upperBound))]")
    add("set yrange [\(Self.number(panel.y.lowerBound)):\(Self.number(panel.y.upperBound))]")
    addAxes(of: panel)
    if let heading = panel.heading {
      add(
        "set label \(quoted(heading)) at graph 0, screen \(screen(top - 9)) left textcolor rgb '\(Palette.ink.light)'"
      )
    }
    let sides = LabelPlacement.sides(of: panel, width: Self.panelWidth(in: plot.width))
    for (label, side) in zip(panel.labels, sides) {
      add(
        "set label \(quoted(label.text)) at \(Self.number(label.x)),\(Self.number(label.y)) \(side.rawValue) front textcolor rgb '\(label.colour.light)'"
      )
    }
    if let key, !key.entries.isEmpty {
      add(
        "set key at screen 0.5, screen \(Self.number(4 / height)) center bottom horizontal maxcols \(key.columns) Left reverse samplen 2 textcolor rgb '\(Palette.ink.light)'"
      )
    } else {
      add("unset key")
    }
    addLayers(of: panel, key: key, number: number)
  }

  private mutating func addAxes(of panel: Plot.Panel) {
    let ink = "textcolor rgb '\(Palette.ink.light)'"
    let width = Self.panelWidth(in: plot.width)
    // Plain numbers, where gnuplot would write 1e+06.
    add("set format '%.12g'")
    if let label = panel.xLabel {
      add("set xlabel \(quoted(label)) offset char 0,0.5 \(ink)")
      add(
        "set xtics nomirror scale 0.4 \(Self.number(Ticks.step(panel.x, in: width, apart: 70))) \(ink)"
      )
    } else {
      add(
        "set xtics nomirror scale 0.4 \(Self.number(Ticks.step(panel.x, in: width, apart: 70))) format ''"
      )
    }
    if let label = panel.yLabel {
      // gnuplot's own position depends on the numbers beside it and may be outside the drawing.
      let place = Self.number(12 / plot.width)
      add("set label \(quoted(label)) at screen \(place), graph 0.5 center rotate \(ink)")
    }
    if !panel.names.isEmpty {
      // A per cent sign in a text of an axis begins a format.
      let names = panel.names.map {
        "\(quoted($0.text.replacing("%", with: "%%"))) \(Self.number($0.at))"
      }
      add("set ytics nomirror scale 0 (\(names.joined(separator: ", "))) \(ink)")
      add("set grid noytics")
    } else if panel.isLogarithmic {
      add("set logscale y 10")
      let ticks = Ticks.logarithmic(panel.y, in: panel.height, apart: 24).map(Self.number)
      add("set ytics nomirror scale 0.4 (\(ticks.joined(separator: ", "))) \(ink)")
    } else {
      let step = Ticks.step(
        panel.y, in: panel.height, apart: Ticks.apart(in: panel.height))
      add(
        "set ytics nomirror scale 0.4 \(Self.number(step)) \(ink)"
      )
    }
  }

  private mutating func addLayers(of panel: Plot.Panel, key: Key?, number: Int) {
    var commands: [String] = []
    for (index, layer) in panel.layers.enumerated() where !layer.points.isEmpty {
      let block = "$d\(number)_\(index)"
      add("\(block) << EOD")
      for (place, point) in layer.points.enumerated() {
        if point.beginsAnew, place > 0 { add("") }
        add(Self.row(point, layer.mark))
      }
      add("EOD")
      commands.append("\(block) \(Self.style(layer)) notitle")
    }
    for entry in key?.entries ?? [] {
      commands.append(
        "\(Self.sample(entry)) \(Self.style(entry)) title \(quoted(entry.name ?? ""))")
    }
    // gnuplot draws axes only together with data.
    add("plot " + (commands.isEmpty ? "NaN notitle" : commands.joined(separator: ", \\\n  ")))
  }

  private static func row(_ point: Plot.Point, _ mark: Plot.Mark) -> String {
    switch mark {
    case .line, .dashes, .sign: "\(number(point.x)) \(number(point.y))"
    case .band: "\(number(point.x)) \(number(point.y)) \(number(point.upper))"
    case .boxes:
      "\(number((point.x + point.right) / 2)) \(number((point.y + point.upper) / 2)) "
        + "\(number(point.x)) \(number(point.right)) \(number(point.y)) \(number(point.upper))"
    }
  }

  private static func style(_ layer: Plot.Layer) -> String {
    let colour = "lc rgb '\(layer.colour.light)'"
    return switch layer.mark {
    case .line(let width): "with lines lt 1 lw \(number(width)) \(colour)"
    case .dashes: "with lines lt 1 lw 1.5 dashtype (6,5) \(colour)"
    case .band: "with filledcurves fill transparent solid 0.22 noborder \(colour)"
    case .boxes: "with boxxyerror fill solid 1 noborder \(colour)"
    case .sign(let sign, let size): "with points pt \(sign.rawValue) ps \(number(size)) \(colour)"
    }
  }

  /// Returns invisible data for a layer's entry in the key.
  private static func sample(_ layer: Plot.Layer) -> String {
    switch layer.mark {
    case .line, .dashes, .sign: "NaN"
    case .band: "'+' using (NaN):(NaN):(NaN)"
    case .boxes: "'+' using (NaN):(NaN):(NaN):(NaN):(NaN):(NaN)"
    }
  }

  /// Returns the number in gnuplot's notation.
  ///
  /// Non-finite numbers become NaN, which gnuplot omits.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "NaN" }
    return value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
  }

  private mutating func add(_ line: String) { text += line + "\n" }

  /// Returns `name` as a text of the script, without control characters and shortened to fit the
  /// drawing.
  private func quoted(_ name: String) -> String { Self.quoted(name) }

  static func quoted(_ name: String) -> String {
    var clean = String(
      name.unicodeScalars.filter { $0.properties.generalCategory != .control }.map(Character.init))
    if clean.count > 48 { clean = clean.prefix(46) + "…" }
    if !clean.contains("'") { return "'\(clean)'" }
    // gnuplot does not read a doubled quote at every place. In double quotes it would run commands
    // and expand names, so all but letters, digits and spaces is written as codes.
    var text = "\""
    for byte in clean.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 8)
        text += "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
      }
    }
    return text + "\""
  }

  /// The key: one entry per name, in order of first appearance.
  private struct Key {
    var entries: [Plot.Layer] = []
    var columns = 1
    var rows = 1

    init(_ plot: Plot) {
      var seen: Set<String> = []
      for layer in plot.panels.flatMap(\.layers) {
        guard let name = layer.name, !layer.points.isEmpty, seen.insert(name).inserted else {
          continue
        }
        var entry = layer
        entry.points = []
        // Small signs are enlarged to be visible in the key.
        if case .sign(let sign, let size) = entry.mark { entry.mark = .sign(sign, max(size, 0.7)) }
        entries.append(entry)
      }
      // Not wider than gnuplot's estimate, which fits the entries to the width of the panel.
      let widest = Double(entries.map { $0.name?.count ?? 0 }.max() ?? 0) * 8.6 + 60
      columns = max(1, Int(GnuplotScript.panelWidth(in: plot.width) / widest))
      rows = max(1, (entries.count + columns - 1) / columns)
    }
  }
}
