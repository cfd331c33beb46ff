import Foundation
import TestSupport
import Testing

/// Commands and outputs shown in documents and help texts agree with the tool.
///
/// With `FATHOM_RECORD_SHOWN=1` the tests rewrite the documents with the printed output.
@Suite struct ShownOutputTests {
  private static let articles = "Sources/Fathom/Fathom.docc/Articles"
  private static let documents = [
    "README.md", "\(articles)/GettingStarted.md", "\(articles)/CommandLine.md",
  ]
  /// The kinds of blocks: `console` and `sh` are run here, `swift` is compiled by other tests, the
  /// others have contents of files and printed lines.
  private static let kinds: Set = [
    "console", "sh", "swift", "python", "text", "csv", "json", "yaml",
  ]
  private static let hasGnuplot = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
    .split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/gnuplot")
    }

  // MARK: Documents

  @Test(arguments: documents) func everyBlockStatesItsKind(_ path: String) throws {
    let document = try ShownDocument(path)
    for block in document.blocks {
      #expect(Self.kinds.contains(block.info), "\(path):\(block.range.lowerBound): \(block.info)")
      guard block.info == "console" else { continue }
      #expect(
        ShownCommand.commands(in: block.lines) != nil,
        "\(path):\(block.range.lowerBound): a console block begins with `$ ` and a command")
    }
    #expect(document.indentedBlocks == [], "\(path): use fenced blocks with a kind")
  }

  @Test(.releaseOnly, arguments: documents)
  func commandsPrintShownOutput(_ path: String) throws {
    let blocks = try ShownDocument(path).blocks
    let shown: [Block] = blocks.enumerated().compactMap { number, block in
      switch block.info {
      case "console":
        ShownCommand.commands(in: block.lines).map {
          Block(number: number, line: block.range.lowerBound, commands: $0, hasOutput: true)
        }
      case "sh":
        Block(
          number: number, line: block.range.lowerBound,
          commands: Self.shellCommands(in: block.lines), hasOutput: false)
      default: nil
      }
    }
    try #require(!shown.isEmpty)
    let commands = shown.flatMap(\.commands)
    let folder = try DemonstratedFolder.copy()
    var results = try ShellSession.run(commands.map(\.command), in: folder.url)[...]
    for block in shown {
      let mine = Array(results.prefix(block.commands.count))
      results = results.dropFirst(block.commands.count)
      let place = "\(path):\(block.line)"
      var recorded = block.commands
      for (index, (command, result)) in zip(block.commands, mine).enumerated() {
        Self.expectSuccess(
          of: command, result, before: block.commands.dropFirst(index + 1).first, at: place)
        guard block.hasOutput, result.exitCode != Self.programIsMissing || Self.hasGnuplot else {
          continue
        }
        let output = ShownOutput(printed: result.output)
        if ShownDocument.isRecording {
          recorded[index].output = output.recorded(over: command.output)
        } else {
          for difference in output.differences(from: command.output) {
            Issue.record("\(place): \(command.command)\n\(difference)")
          }
        }
      }
      if ShownDocument.isRecording, block.hasOutput {
        try ShownDocument.record(
          ShownCommand.lines(of: recorded), asBlock: block.number, of: path)
      }
    }
  }

  /// A block of commands in a document.
  private struct Block {
    var number: Int
    var line: Int
    var commands: [ShownCommand]
    var hasOutput: Bool
  }

  /// The exit code of the tool if gnuplot is missing.
  private static let programIsMissing: Int32 = 69

  /// Expects success of a command unless the next command shows its exit code.
  private static func expectSuccess(
    of command: ShownCommand, _ result: ShellSession.Result, before next: ShownCommand?,
    at place: String
  ) {
    if next?.command == "echo $?" || result.exitCode == programIsMissing && !hasGnuplot { return }
    #expect(
      result.exitCode == 0,
      "\(place): \(command.command)\nexit code \(result.exitCode)\n\(result.output)")
  }

  /// Returns the commands in the lines of an `sh` block: one per line; backslashes continue a line.
  private static func shellCommands(in lines: [String]) -> [ShownCommand] {
    var commands: [ShownCommand] = []
    var isContinued = false
    for line in lines where isContinued || !line.isEmpty && !line.hasPrefix("#") {
      if isContinued {
        commands[commands.count - 1].lines.append(line)
      } else {
        commands.append(ShownCommand(lines: ["$ " + line]))
      }
      isContinued = line.hasSuffix("\\")
    }
    return commands
  }

  // MARK: Help texts

  /// The subcommands that `fathom help` lists, and an empty name for the help of the tool itself.
  private static let subcommands: [String] =
    (try? FathomTool.run("help", in: Folder())).map { help in
      let list = help.lines.drop { $0 != "SUBCOMMANDS:" }.dropFirst()
      let names = list.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.contains("'") }
      return [""] + names.map { String($0.split(separator: " ")[0]) }
    } ?? []

  @Test func findsSubcommands() {
    #expect(Self.subcommands.contains("process") && Self.subcommands.count >= 9)
  }

  /// Runs every example on files with the names that it uses.
  @Test(.releaseOnly, arguments: subcommands)
  func helpExamplesSucceed(_ subcommand: String) throws {
    let examples = try Self.examples(of: subcommand)
    try #require(!examples.isEmpty)
    let folder = try DemonstratedFolder.copy()
    let files = try #require(try ShellSession.run([Self.exampleFiles], in: folder.url).first)
    try #require(files.exitCode == 0, "\(files.output)")
    let results = try ShellSession.run(examples.map(Self.runnable), in: folder.url)
    for (example, result) in zip(examples, results) {
      if result.exitCode == Self.programIsMissing, !Self.hasGnuplot { continue }
      #expect(result.exitCode == 0, "\(example)\nexit code \(result.exitCode)\n\(result.output)")
    }
  }

  /// Returns the lines of the help that begin with the name of the tool, without their remarks.
  private static func examples(of subcommand: String) throws -> [String] {
    // So wide that no example is wrapped.
    let help = try ShellSession.run(
      ["COLUMNS=1000 fathom help \(subcommand)"], in: FileManager.default.temporaryDirectory)
    let output = try #require(help.first).output
    let description = output.components(separatedBy: "USAGE:")[0]
    return description.components(separatedBy: "\n").filter { $0.hasPrefix("  fathom ") }
      .map { $0.dropFirst(2).components(separatedBy: "   ")[0] }
  }

  /// Returns the example with its outputs removed beforehand and its paths inside the folder.
  ///
  /// Benchmarks run once, because their times are not checked.
  private static func runnable(_ example: String) -> String {
    var command = example.replacing("/path/to/", with: "made/")
    if command.hasPrefix("fathom benchmark ") { command += " --repeat 1" }
    // A stream from the network has no end.
    if command.hasPrefix("fathom stream udp:") {
      command = "timeout --preserve-status -s INT 1 \(command) || [ $? = 130 ]"
    }
    let words = command.split(separator: " ")
    let outputs = zip(words, words.dropFirst()).filter {
      ["-o", "--output", "--json", "--record"].contains($0.0)
    }
    .map(\.1).filter { $0 != "-" && !$0.hasPrefix("--") }
    return (outputs.map { "rm -rf \($0)" } + [command]).joined(separator: "\n")
  }

  /// The commands that make the files of the examples.
  private static let exampleFiles = """
    set -e
    printf 'from: A Range: 2.35 m RX power: -78.20 dBm\n' > capture.log
    robot=Datasets/robot-2d
    mkdir walk
    cp $robot/anchors.csv $robot/truth.csv $robot/recording.json walk
    sed '1s/distance_m/Dist[m]/' $robot/ranges.csv > walk/ranges.csv
    cp $robot/anchors.csv anchors.csv
    cp $robot/ranges.csv ranges.csv
    cp $robot/ranges.csv drive.csv
    cp $robot/truth.csv poses.csv
    mkdir campaign
    cp -r walk campaign/walk
    fathom process walk --output results
    fathom process walk --output trajectories --results tum
    cp trajectories/walk.positions.tum estimate.tum
    awk -F, 'NR > 1 { print $1, $2, $3, $4, 0, 0, 0, 1 }' $robot/truth.csv > groundtruth.tum
    fathom benchmark walk --methods fix --repeat 1 --json bench.json
    set +e
    """

  // MARK: Options

  /// The article lists exactly the options of each subcommand, with the defaults of the help.
  @Test(arguments: subcommands.filter { !$0.isEmpty })
  func articleListsOptionsOfHelp(_ subcommand: String) throws {
    let sections = try Self.sections(of: "\(Self.articles)/CommandLine.md")
    let section = try #require(sections[subcommand], "no section \(subcommand)")
    let reading = Self.options(in: Self.rows(of: try #require(sections["How files are read"])))
    let help = try Self.helpOptions(of: subcommand)
    let named = Self.options(in: section)
    for option in help.keys.sorted() where !["--help", "--version"].contains(option) {
      #expect(named.contains(option) || reading.contains(option), "\(option) is missing")
    }
    for option in Self.options(in: Self.rows(of: section)).sorted() {
      #expect(help[option] != nil, "\(option) does not exist")
    }
    guard section.contains(where: { $0.hasPrefix("|") && $0.contains("| default |") }) else {
      return
    }
    for row in Self.rows(of: section) {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let options = Self.options(in: [cells[0]])
      let defaults = cells.last?.filter { $0 != "`" }.components(separatedBy: ", ") ?? []
      for option in options {
        guard let expected = help[option] ?? nil, !expected.isEmpty else { continue }
        #expect(
          defaults.contains {
            $0 == expected || Double($0) != nil && Double($0) == Double(expected)
          }
            || cells.last?.filter { $0 != "`" } == expected,
          "\(option): the help says \(expected), the article \(defaults)")
      }
    }
  }

  /// Returns the options of a subcommand from its help, with the default if the help has one.
  private static func helpOptions(of subcommand: String) throws -> [String: String?] {
    let help = try ShellSession.run(
      ["COLUMNS=1000 fathom help \(subcommand)"], in: FileManager.default.temporaryDirectory)
    let lines = try #require(help.first).output.components(separatedBy: "\n")
    var options: [String: String?] = [:]
    for (index, line) in lines.enumerated() where line.hasPrefix("  -") {
      guard let option = line.firstMatch(of: /--[a-z][a-z-]*/) else { continue }
      // After a long name the text is on the next line.
      let next = lines.dropFirst(index + 1).first.map { $0.hasPrefix("   ") ? $0 : "" } ?? ""
      let text = line + next
      let value = text.firstMatch(of: /default: ([^)]+)\)/).map { String($0.output.1) }
      options.updateValue(value, forKey: String(option.output))
    }
    return options
  }

  /// Returns the lines of the second-level sections by their headings.
  private static func sections(of path: String) throws -> [String: [String]] {
    var sections: [String: [String]] = [:]
    var heading = ""
    for line in try ShownDocument(path).lines {
      if line.hasPrefix("## ") { heading = String(line.dropFirst(3)) }
      sections[heading, default: []].append(line)
    }
    return sections
  }

  /// Returns the rows of tables of options.
  private static func rows(of section: [String]) -> [String] {
    section.filter { $0.hasPrefix("| `-") }.map { row in
      // Escaped bars do not separate cells.
      row.replacing("\\|", with: "/")
    }
  }

  /// Returns the long options in `lines`; for rows of a table those in the first cell.
  private static func options(in lines: [String]) -> Set<String> {
    Set(
      lines.flatMap { line in
        let text = line.hasPrefix("|") ? line.split(separator: "|")[0] : line[...]
        return text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }
      })
  }
}

/// The conventions for the comparison of shown output.
@Suite struct ShownOutputConventionTests {
  private let table = ShownOutput(
    printed: """
      method     n  rmse m     ns/range  name
      fix     2156   0.244  *    6674.4  a
      filter  2157   0.073       231.25  b

      total 3

      """)

  @Test func equalOutputAgreesAndOtherNumbersDiffer() {
    #expect(table.differences(from: table.printed).isEmpty)
    var other = table.printed
    other[2] = "filter  2157   0.074       231.25  b"
    #expect(table.differences(from: other).count == 1)
    #expect(table.differences(from: Array(other.dropLast())).count == 1)
  }

  @Test func measuredColumnsAcceptAnyNumber() {
    let shown = [
      "method     n  rmse m     ns/range  name", "fix     2156   0.244  *  1  a",
      "filter  2157   0.073       98765.4  b", "", "total 3",
    ]
    #expect(table.differences(from: shown).isEmpty)
    #expect(table.differences(from: shown.map { $0.replacing("98765.4", with: "fast") }).count == 1)
    #expect(table.differences(from: shown.map { $0.replacing("0.244", with: "0.245") }).count == 1)
    // Recording keeps the shown numbers of such columns.
    #expect(table.recorded(over: shown) == shown)
  }

  @Test func acceptsCutLines() {
    let shown = ["method     n ...", "fix     2156 ...", "...", "total 3"]
    #expect(table.differences(from: shown).isEmpty)
    #expect(
      table.differences(from: ["method     n ...", "fix     2157 ...", "...", "total 3"]).count == 1
    )
    #expect(table.differences(from: ["method     n ...", "..."]).isEmpty)
    #expect(table.differences(from: ["...", "total 4"]).count == 1)
  }

  @Test func recordingKeepsCuts() {
    #expect(
      table.recorded(over: ["method     n ...", "fix     2157 ...", "...", "total 2"])
        == ["method     n ...", "fix     2156 ...", "...", "total 3"])
    #expect(ShownOutput(printed: "a\nb\n").recorded(over: []) == ["a", "b"])
  }

  @Test func separatesCommandsAndOutputs() throws {
    let lines = ["$ one \\", "  --more", "1", "", "2", "", "$ two", "3"]
    let commands = try #require(ShownCommand.commands(in: lines))
    #expect(commands.map(\.command) == ["one \\\n  --more", "two"])
    #expect(commands.map(\.output) == [["1", "", "2"], ["3"]])
    #expect(ShownCommand.lines(of: commands) == lines)
    #expect(ShownCommand.commands(in: ["one", "$ two"]) == nil)
    #expect(ShownCommand.commands(in: []) == nil)
  }
}
