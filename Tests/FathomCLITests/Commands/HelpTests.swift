import FathomRecordings
import Foundation
import Testing

@testable import FathomCLI

@Suite struct HelpTests {
  private static let commands = [
    "process", "inspect", "convert", "locate", "evaluate", "benchmark", "report", "simulate",
    "geometry", "stream",
  ]

  @Test func helpListsSubcommands() throws {
    let help = try FathomTool.run("--help", in: try Folder())
    #expect(help.exitCode == 0 && help.errors.isEmpty)
    #expect(help.output.contains("USAGE: fathom <subcommand>"))
    for command in Self.commands {
      #expect(help.output.contains("\n  \(command) "))
    }
  }

  @Test(arguments: Self.commands)
  func helpHasExampleAndFitsTerminal(_ command: String) throws {
    let outcome = try FathomTool.run(command, "--help", in: try Folder())
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    #expect(
      ["Example", "Examples"].contains { outcome.output.contains("\($0):\n  fathom \(command) ") })
    // The parser wraps longer lines of the description, which loses their layout.
    let description = try #require(outcome.output.components(separatedBy: "USAGE:").first)
    for line in description.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    #expect(try FathomTool.run("help", command, in: try Folder()).output == outcome.output)
  }

  @Test func printsPackageVersion() throws {
    let outcome = try FathomTool.run("--version", in: try Folder())
    #expect(outcome.exitCode == 0)
    // Scripts read the first line.
    #expect(outcome.lines.first == FathomVersion.current)
    #expect(outcome.output.contains("zlib ") && outcome.output.contains("Swift 6."))
    // `make` states the commit for the build and for the tests.
    if let commit = ProcessInfo.processInfo.environment["FATHOM_COMMIT"], !commit.isEmpty {
      #expect(outcome.output.contains("build of commit \(commit.prefix { $0 != "-" })"))
    }
    let own = try FathomTool.run("process", "--version", in: try Folder())
    #expect(own.output == outcome.output)
  }

  @Test func rejectsUnknownSubcommandAsUsage() throws {
    let outcome = try FathomTool.run("proces", in: try Folder())
    #expect(outcome.exitCode == 64 && outcome.output.isEmpty)
    #expect(
      outcome.errors
        == "fathom: there is no subcommand \"proces\"; did you mean process? (fathom --help lists them)\n"
    )
  }

  @Test func helpRejectsUnknownSubcommand() throws {
    let outcome = try FathomTool.run("help", "proces", in: try Folder())
    #expect(outcome.exitCode == 64 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("did you mean process?"))
  }

  @Test(
    arguments: [
      ("Process", "process"), ("lcoate", "locate"), ("bench", "benchmark"),
      ("geometrie", "geometry"),
      ("evalute", "evaluate"), ("walk.csv", nil), ("x", nil), ("", nil),
    ] as [(String, String?)])
  func suggestsSubcommand(_ name: String, _ expected: String?) throws {
    let message = try #require(FathomCommand.unknown(name))
    #expect(message.contains("did you mean \(expected ?? "")") == (expected != nil), "\(message)")
  }
}
