import ArgumentParser
import CStorage
import Fathom
import FathomRecordings

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
        fathom locate --anchors anchors.csv --range A=3.2 --range B=4.1 --height 1
        fathom evaluate results/walk.positions.csv walk    errors against truth
        fathom report results -o report.html    figures and tables on one page

      Exit codes: 0 success, 1 a requested check failed, 64 usage, 65 bad data, 66 no input, \
      69 a required program is missing, 70 internal error, 73 and 74 output, 130 interrupted, \
      143 terminated.
      """,
    version: FathomVersion.current,
    subcommands: [
      ProcessCommand.self, Inspect.self, Locate.self, Evaluate.self, Benchmark.self, Simulate.self,
      ReportCommand.self, Geometry.self, Calibrate.self,
    ])

  static func main() async {
    // The tool runs its own threads; threads inside BLAS would compete with them for the cores.
    limitBLASToOneThread()
    // Threads allocate blocks of a recording again and again; without this call the allocator would
    // return the memory to the system in between.
    fathom_keep_memory()
    await main(nil)
  }
}
