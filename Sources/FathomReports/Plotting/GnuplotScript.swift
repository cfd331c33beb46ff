/// Writes a plot as a script for gnuplot 5.
///
/// Nothing in a script comes from outside but numbers and texts in single quotes, in which gnuplot
/// neither runs commands nor expands anything. All places are computed here, in units of the drawing:
/// a metre is as long on both axes of a plan because the panel's height says so.
struct GnuplotScript {
  /// The script.
  private(set) var text = ""
  private let plot: Plot
  /// Height of the drawing.
  let height: Double

  private static let left = 66.0
  private static let right = 14.0
  private static let line = 21.0

  /// Width between the ends of the horizontal axis in a drawing `width` wide.
  static func panelWidth(in width: Double) -> Double { width - left - right }

  /// The script that draws `plot`.
  init(_ plot: Plot) {
    self.plot = plot
    let key = Key(plot)
    let keyHeight = key.entries.isEmpty ? 0 : Double(key.rows) * Self.line + 10
    height = plot.panels.reduce(keyHeight + 4) {
      $0 + Self.space(above: $1) + $1.height + Self.space(below: $1)
    }
    add(
      "set terminal svg size \(Self.number(plot.width)),\(Self.number(height)) dynamic noenhanced font 'sans-serif,14'"
    )
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

  private static func space(above panel: Plot.Panel) -> Double { panel.heading == nil ? 10 : 26 }
  private static func space(below panel: Plot.Panel) -> Double { panel.xLabel == nil ? 6 : 50 }

  private mutating func draw(_ panel: Plot.Panel, top: Double, key: Key?, number: Int) {
    let height = height
    let screen = { (value: Double) in Self.number(1 - value / height) }
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
    for label in panel.labels {
      add(
        "set label \(quoted(label.text)) at \(Self.number(label.x)),\(Self.number(label.y)) left offset char 0.7,0.5 front textcolor rgb '\(label.colour.light)'"
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
      // gnuplot's own place depends on the numbers beside it, and may lie outside of the drawing.
      let place = Self.number(12 / plot.width)
      add("set label \(quoted(label)) at screen \(place), graph 0.5 center rotate \(ink)")
    }
    if !panel.names.isEmpty {
      let names = panel.names.map { "\(quoted($0.text)) \(Self.number($0.at))" }
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
    // gnuplot draws no axes without something to draw.
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

  /// What stands for a layer's data in its line of the key: nothing that shows.
  private static func sample(_ layer: Plot.Layer) -> String {
    switch layer.mark {
    case .line, .dashes, .sign: "NaN"
    case .band: "'+' using (NaN):(NaN):(NaN)"
    case .boxes: "'+' using (NaN):(NaN):(NaN):(NaN):(NaN):(NaN)"
    }
  }

  /// The number as gnuplot reads it; all that are not finite are NaN, which it leaves out.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "NaN" }
    return value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
  }

  private mutating func add(_ line: String) { text += line + "\n" }

  /// `name` as a text of the script: in single quotes, these doubled, without control characters and
  /// not too long for the drawing.
  private func quoted(_ name: String) -> String { Self.quoted(name) }

  static func quoted(_ name: String) -> String {
    var clean = String(
      name.unicodeScalars.filter { $0.properties.generalCategory != .control }.map(Character.init))
    if clean.count > 48 { clean = clean.prefix(46) + "…" }
    return "'" + clean.replacing("'", with: "''") + "'"
  }

  /// The key: one entry per name, in the order of first appearance.
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
        // Small signs are large enough to be seen here.
        if case .sign(let sign, let size) = entry.mark { entry.mark = .sign(sign, max(size, 0.7)) }
        entries.append(entry)
      }
      // No wider than gnuplot reckons, which puts as many side by side as the panel is wide.
      let widest = Double(entries.map { $0.name?.count ?? 0 }.max() ?? 0) * 8.6 + 60
      columns = max(1, Int(GnuplotScript.panelWidth(in: plot.width) / widest))
      rows = max(1, (entries.count + columns - 1) / columns)
    }
  }
}
