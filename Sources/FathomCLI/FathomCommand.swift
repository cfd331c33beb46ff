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
        fathom inspect ranges.csv          contents of a file
        fathom convert capture.log -o capture    a recording from a device log
        fathom locate --anchors anchors.csv --range A=3.2 --range B=4.1 --height 1
        fathom evaluate results/walk.positions.csv walk    errors against truth
        fathom report results -o report.html    figures and tables on one page

      Exit codes: 0 success, 1 a requested check failed, 64 usage, 65 bad data, 66 no input, \
      69 a required program is missing, 70 internal error or too few resources, 73 and 74 output, 130 interrupted, \
      143 terminated.
      """,
    version: FathomVersion.current,
    subcommands: [
      ProcessCommand.self, Inspect.self, Convert.self, Locate.self, Evaluate.self, Benchmark.self,
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

  /// Ends the program with `exitCode`, or with that of lost output if nothing else failed.
  private static func end(_ exitCode: Int32) -> Never {
    Foundation.exit(exitCode != 0 ? exitCode : Console.outputFailure() ?? 0)
  }
}
