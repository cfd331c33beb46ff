import Testing

@testable import FathomCLI

@Suite struct UsageErrorTests {
  private static let help = """
    OPTIONS:
      -o, --output <dir>      Folder for --results.
      --height <metres>       Known height.
      --rate <hz>             Rate.
      -h, --help              Show help information.
    """
  private static let usage = UsageError(
    help: help, others: [("stream", "  --lag <seconds>   Delay.\n  --rate <hz>  Rate.\n")])

  @Test(
    arguments: [
      (["--ouput", "x"], ["--ouput"]), (["--output=x", "-ox", "-o", "x"], []),
      (["--height", "-1", "--rate", "-inf", "-5,-5"], []), (["--", "--ouput"], []),
      (["-output"], ["-output"]), (["-O", "-O"], ["-O"]), (["--results"], ["--results"]),
    ] as [([String], [String])])
  func findsUnknownOptions(_ arguments: [String], _ expected: [String]) {
    #expect(Self.usage.unknown(arguments) == expected)
  }

  @Test(
    arguments: [
      ("--ouput", "--output"), ("--hieght", "--height"), ("--Height", "--height"), ("-O", "-o"),
      ("-output", "--output"), ("--heigh", "--height"), ("--colour", nil),
    ] as [(String, String?)])
  func suggestsOption(_ name: String, _ expected: String?) {
    #expect(Self.usage.suggestion(for: name) == expected)
  }

  @Test func namesBothFaults() {
    let text = Self.usage.completing(
      "Error: Missing expected argument '<input>'\nUsage: fathom convert", ["--ouput", "x"])
    #expect(
      text == """
        Error: Missing expected argument '<input>'
        Error: Unknown option '--ouput'. Did you mean '--output'?
        Usage: fathom convert
        """)
    let other = Self.usage.completing(
      "Error: Unknown option '--lag'. Did you mean '--rate'?\nUsage", ["--lag", "1"])
    #expect(other == "Error: Unknown option '--lag': it is one of fathom stream\nUsage")
  }
}
