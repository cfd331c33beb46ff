import Testing

@testable import FathomReports

@Suite struct GnuplotTests {
  private func failure(_ script: String, timeout: Double = 60) throws -> ReportError? {
    let standIn = try StandIn(script, timeout: timeout)
    return #expect(throws: ReportError.self) {
      try standIn.gnuplot.output(of: "plot x", for: "plan")
    }
  }

  @Test func scriptIsOnStandardInput() throws {
    let standIn = try StandIn("echo \"$@\"; cat")
    #expect(try standIn.gnuplot.output(of: "plot x\n", for: "plan") == "-d -\nplot x\n")
  }

  @Test func reportsTheErrorMessage() throws {
    let error = try failure("echo 'line 3: undefined variable: y' >&2; echo >&2; exit 1")
    #expect(
      error == .gnuplotFailed(figure: "plan", reason: "line 3: undefined variable: y"))
    #expect(error?.exitCode == 70)
    #expect(try failure("exit 3") == .gnuplotFailed(figure: "plan", reason: "it ended with code 3"))
  }

  @Test func stopsAfterTheTimeout() throws {
    let error = try failure("exec sleep 60", timeout: 0.2)
    #expect(
      error == .gnuplotFailed(figure: "plan", reason: "it took more than 0 s and was stopped"))
  }

  @Test func searchesThePath() throws {
    for path in ["/nowhere:/nowhere/else", ""] {
      let error = #expect(throws: ReportError.self) { try Gnuplot.found(in: ["PATH": path]) }
      #expect(error?.exitCode == 69)
      #expect(error?.description.contains("gnuplot-nox") == true)
    }
  }

  @Test func incompleteDrawingIsAFailure() throws {
    let standIn = try StandIn("echo '<svg>'")
    let plot = Plot(panels: [Plot.Panel(x: 0...1, y: 0...1, layers: [])])
    #expect(throws: ReportError.gnuplotFailed(figure: "f", reason: "it wrote no complete drawing"))
    {
      try Drawing(plot, figure: "f", by: standIn.gnuplot)
    }
  }
}
