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
      Console.message("fathom: \(shortage)")
      end(ProcessResources.exitCode)
    }
    // A closed pipe is an error of the write, not the end of the program: files must be completed.
    signal(SIGPIPE, SIG_IGN)
    if let name = CommandLine.arguments.dropFirst().first, let message = unknown(name) {
      Console.message(message)
      end(ExitCode.validationFailure.rawValue)
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
      // A message about an option quotes it.
      if !text.isEmpty { code.isSuccess ? Console.print(text) : Console.message(text) }
      end(code.rawValue)
    }
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
