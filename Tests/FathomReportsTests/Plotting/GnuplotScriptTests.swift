import Testing

@testable import FathomReports

@Suite struct GnuplotScriptTests {
  private let panel = Plot.Panel(
    height: 100, xLabel: "time, s", yLabel: "m", x: 0...10, y: -1...1,
    layers: [
      Plot.Layer(
        name: "track", colour: .track, mark: .line(2),
        points: [
          Plot.Point(x: 0, y: 0.5), Plot.Point(x: 1, y: 0.25),
          Plot.Point(x: 5, y: .nan, beginsAnew: true),
        ]),
      Plot.Layer(
        name: "band", colour: .anchors, mark: .band,
        points: [Plot.Point(x: 0, y: 1, upper: 2)]),
      Plot.Layer(
        name: nil, colour: .close, mark: .boxes,
        points: [Plot.Point(x: 1, y: 2, upper: 6, right: 5)]),
    ],
    labels: [Plot.Label(x: 3, y: 4, text: "A")])

  private func lines(_ panels: [Plot.Panel]) -> [String] {
    GnuplotScript(Plot(panels: panels)).text.split(
      separator: "\n", omittingEmptySubsequences: false
    )
    .map(String.init)
  }

  @Test func computesPanelPositions() {
    // 10 above the panel, 50 below it for the axis, 21 + 10 for one line of the key, and 4: 195
    // with the panel's 100. Its top is at 1 - 10/195, its bottom at 1 - 110/195.
    let script = GnuplotScript(Plot(panels: [panel]))
    #expect(script.height == 195)
    let lines = lines([panel])
    #expect(lines[0].hasPrefix("set terminal svg size 560,195 dynamic noenhanced"))
    #expect(lines.contains("set tmargin at screen \(1 - 10.0 / 195)"))
    #expect(lines.contains("set bmargin at screen \(1 - 110.0 / 195)"))
    #expect(lines.contains("set lmargin at screen \(66.0 / 560)"))
    #expect(lines.contains("set rmargin at screen \(1 - 14.0 / 560)"))
    #expect(lines.contains("set xrange [0:10]") && lines.contains("set yrange [-1:1]"))
    #expect(GnuplotScript.panelWidth(in: 560) == 480)
  }

  @Test func writesDataInline() throws {
    let lines = lines([panel])
    let first = try #require(lines.firstIndex(of: "$d0_0 << EOD"))
    // The break before the third point is an empty line; non-finite numbers are NaN.
    #expect(lines[(first + 1)...(first + 5)] == ["0 0.5", "1 0.25", "", "5 NaN", "EOD"])
    let band = try #require(lines.firstIndex(of: "$d0_1 << EOD"))
    #expect(lines[band + 1] == "0 1 2")
    // A box: centre, left and right, lower and upper.
    let box = try #require(lines.firstIndex(of: "$d0_2 << EOD"))
    #expect(lines[box + 1] == "3 4 1 5 2 6")
  }

  @Test func namesAppearOnceInTheKey() {
    let text = GnuplotScript(Plot(panels: [panel, panel])).text
    #expect(text.matches(of: #/title 'track'/#).count == 1)
    #expect(text.matches(of: #/title 'band'/#).count == 1)
    #expect(text.matches(of: #/notitle/#).count == 6)
    #expect(text.matches(of: #/unset key/#).count == 1)
  }

  @Test func textsCannotEscapeTheirQuotes() {
    #expect(GnuplotScript.quoted("it is") == "'it is'")
    #expect(GnuplotScript.quoted("it's") == #""it\047s""#)
    #expect(GnuplotScript.quoted("'`rm`@x\"\\é") == #""\047\140rm\140\100x\042\134\303\251""#)
    #expect(GnuplotScript.quoted("a\nplot 1\u{0}") == "'aplot 1'")
    #expect(GnuplotScript.quoted(String(repeating: "x", count: 60)).count == 49)
    var hostile = panel
    hostile.heading = hostileName
    hostile.yLabel = hostileName
    hostile.names = [Plot.Name(at: 0, text: hostileName)]
    hostile.labels = [Plot.Label(x: 0, y: 0, text: hostileName)]
    hostile.layers[0].name = hostileName
    let text = GnuplotScript(Plot(panels: [hostile])).text
    // After removing everything in quotes, nothing of the name remains. In double quotes are only
    // letters, digits, spaces and codes.
    let rest = text.replacing(#/"(?:[A-Za-z0-9 ]|\\[0-7]{3})*"/#, with: "")
      .replacing(#/'[^'"\n]*'/#, with: "")
    #expect(!rest.contains("system") && !rest.contains("`") && !rest.contains("rm x"))
    #expect(!rest.contains("'") && !rest.contains("\"") && !text.contains("\u{1}"))
  }

  @Test(arguments: [
    (0.0, "0"), (-3, "-3"), (0.1, "0.1"), (1e300, "1e+300"), (.nan, "NaN"), (.infinity, "NaN"),
  ])
  func numbersAreReadable(_ value: Double, _ text: String) {
    #expect(GnuplotScript.number(value) == text)
  }

  @Test func emptyPanelHasAxes() {
    #expect(
      lines([Plot.Panel(x: 0...1, y: 0...1, layers: [])]).contains("plot NaN notitle"))
  }
}
