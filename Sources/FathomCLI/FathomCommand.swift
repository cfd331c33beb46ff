import ArgumentParser
import CStorage
import Fathom
import FathomRecordings
import Foundation

/// The root command of the tool `fathom`.
@main
struct FathomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fathom",
    abstract:
      "Compute positions and smoothed distances with uncertainties from ultra-wideband ranges.",
    discussion: """
      Examples:
        fathom process walk/ -o results    positions, distances, summary
        fathom stream walk/ --speed 100    positions as ranges arrive
        fathom inspect ranges.csv          contents of a file
        fathom convert capture.log -o capture    a recording from a device log
        fathom locate --anchors Datasets/robot-2d --range A=5 --range B=7 --height 1
        fathom evaluate results/walk.positions.csv walk    errors against truth
        fathom report results -o report.html    figures and tables on one page

      Exit codes: 0 success, 1 a requested check failed, 64 usage, 65 bad data, 66 no input, \
      69 a required program is missing, 70 internal error or too few resources, 73 and 74 output, 130 interrupted, \
      143 terminated.
      """,
    version: FathomVersion.current,
    subcommands: [
      ProcessCommand.self, StreamCommand.self, Inspect.self, Convert.self, Locate.self,
      Evaluate.self, Benchmark.self,
      Simulate.self,
      ReportCommand.self, Geometry.self, Calibrate.self,
    ])

  static func main() async {
    // The tool runs its own threads; threads inside BLAS would compete with them for the cores.
    limitBLASToOneThread()
    // Threads allocate blocks of a recording again and again; without this call the allocator would
    // return the memory to the system in between.
    fathom_keep_memory()
    ProcessResources.occupyClosedStreams()
    if let shortage = ProcessResources.shortage() {
      FailureReport("fathom: \(shortage)", exitCode: ProcessResources.exitCode).print()
      end(ProcessResources.exitCode)
    }
    // A closed pipe is an error of the write, not the end of the program: files must be completed.
    signal(SIGPIPE, SIG_IGN)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.isEmpty {
      Console.print(FirstCommands(in: ".").text)
      end(0)
    }
    // `help NAME` shows the help of a subcommand.
    let named = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
    if let name = named, let message = unknown(name) {
      end(FailureReport(message, exitCode: ExitCode.validationFailure.rawValue).print().rawValue)
    }
    do {
      var command = try await asyncParseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      end(0)
    } catch {
      let (text, code) = (fullMessage(for: error), exitCode(for: error))
      if text == FathomVersion.current {
        Console.print(BuildDescription.text)
      } else if code.isSuccess {
        // The help; nothing for an exit code alone.
        if !text.isEmpty { Console.print(text) }
      } else if !text.isEmpty {
        fail(text, error, code, arguments)
      }
      end(code.rawValue)
    }
  }

  /// Prints the message of an error that no command has printed: mostly one of usage.
  private static func fail(
    _ text: String, _ error: any Error, _ code: ExitCode, _ arguments: [String]
  ) {
    var (whole, short) = (text, message(for: error))
    if code == .validationFailure, let name = arguments.first,
      let command = configuration.subcommands.first(where: { $0._commandName == name })
    {
      let others = configuration.subcommands.filter { $0._commandName != name }
      let usage = UsageError(
        help: helpMessage(for: command, columns: 1000),
        others: others.map { ($0._commandName, helpMessage(for: $0, columns: 1000)) })
      let given = Array(arguments.dropFirst())
      whole = usage.completing(text, given)
      short = usage.completing(short, given)
    }
    FailureReport(FailureReport.isJSON ? short : whole, exitCode: code.rawValue).print()
  }

  /// Returns a message about the first argument if it is neither a subcommand nor an option; nil
  /// otherwise.
  static func unknown(_ name: String) -> String? {
    let names = configuration.subcommands.map { $0._commandName } + ["help"]
    if name.hasPrefix("-") || names.contains(name) { return nil }
    let near = names.map { ($0, Excerpt.distance($0, name.lowercased())) }.min { $0.1 < $1.1 }
    // Two typing errors; in a short name one.
    let hint = near.flatMap { $0.1 <= max(1, min(2, name.utf8.count / 3)) ? $0.0 : nil }
    let prefix = name.utf8.count < 2 ? nil : names.first { $0.hasPrefix(name.lowercased()) }
    return "fathom: there is no subcommand \(Excerpt.quoted(name))"
      + ((hint ?? prefix).map { "; did you mean \($0)?" } ?? "")
      + " (fathom --help lists them)"
  }

  /// Ends the program with `exitCode`, or with that of lost output if nothing else failed.
  ///
  /// No library is unloaded, because a calibration of a stream may still use OpenBLAS on another thread.
  private static func end(_ exitCode: Int32) -> Never {
    let code = exitCode != 0 ? exitCode : Console.outputFailure() ?? 0
    fflush(nil)
    _exit(code)
  }
}
