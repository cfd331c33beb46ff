import Testing

@testable import FathomReports

@Suite struct DrawingTests {
  /// Output of gnuplot 5.4 with two signs of one kind and one of another.
  private let written = """
    <?xml version="1.0" encoding="utf-8"  standalone="no"?>
    <svg viewBox="0 0 560 300" xmlns:xlink="http://www.w3.org/1999/xlink">
    <title>Gnuplot</title>
    <g id="gnuplot_canvas">
    <defs>
    \t<circle id='gpDot' r='0.5'/>
    </defs>
    <g fill="none" color="white" stroke="currentColor" stroke-width="1.00">
    </g>
    \t<g id="gnuplot_plot_1" ><title>gnuplot_plot_1</title>
    <g fill="none" color="black" stroke="currentColor" stroke-width="1.00">
    \t<path stroke='rgb(  0, 114, 178)' class="gridline"  d='M1,2 L3,4  '/>\t<g transform="translate(5,6)" stroke="none" fill="rgb(27,31,36)" font-family="sans-serif">
    \t\t<text>a &lt;b> id="x"</text>
    \t</g>
    \t<use xlink:href='#gpPt6' transform='translate(10.00,20.00) scale(1.50)' color='rgb(  0, 114, 178)'/>
    \t<use xlink:href='#gpPt6' transform='translate(11.00,21.50) scale(1.50)' color='rgb(  0, 114, 178)'/>
    \t<use xlink:href='#gpPt1' transform='translate(30.00,40.00) scale(2.00)' color='rgb(213,  94,   0)'/>
    </g>
    \t</g>
    </g>
    </svg>
    """

  @Test func joinsEqualSignsIntoOnePath() throws {
    let body = Drawing(gnuplot: written, width: 560, height: 300).body
    // Discs are points of a round pen with the diameter of the disc: 2 x 1.5.
    #expect(
      body.contains(
        "<path stroke=\"#0072b2\" stroke-width=\"3\" stroke-linecap=\"round\" fill=\"none\""
          + " d=\"M10,20h0M11,21.5h0\"/>"))
    // A cross of half-width 2 about (30, 40).
    #expect(body.contains("d=\"M28,38l4,4M28,42l4,-4\"/>"))
    #expect(!body.contains("<use") && !body.contains("xlink"))
  }

  @Test func removesClashingIdentifiers() throws {
    let drawing = Drawing(gnuplot: written, width: 560, height: 300)
    let element = try XML(
      drawing.element(identifier: "f", title: "A & <b>", description: "\"d\" \u{2}"))
    #expect(element.values(of: "id") == ["f-title", "f-description"])
    #expect(element.elements[0].attributes["viewBox"] == "0 0 560 300")
    #expect(element.text.contains("A & <b>") && element.text.contains("a <b> id="))
    #expect(!element.text.contains("gnuplot"))
    #expect(element.values(of: "class").isEmpty && element.values(of: "color").isEmpty)
    #expect(Set(element.values(of: "stroke")) == ["currentColor", "none", "#0072b2", "#d55e00"])
    let file = try XML(drawing.file(title: "A & <b>", description: "d"))
    #expect(file.values(of: "id").isEmpty)
    #expect(file.elements[0].attributes["width"] == "560")
  }

  @Test func removesEmptyGroups() throws {
    let drawing = try XML(
      "<svg>\(Drawing(gnuplot: written, width: 560, height: 300).body)</svg>")
    #expect(drawing.elements.count { $0.name == "g" } == 3)
  }
}
