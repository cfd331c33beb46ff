import ArgumentParser
import CStorage
import Fathom
import FathomRecordings

/// The command `fathom`.
@main
struct FathomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fathom",
    abstract:
      "Positions and smoothed distances from ultra-wideband ranges, with their uncertainty.",
    discussion: """
      Examples:
        fathom process walk/ -o results    positions, distances, summary
        fathom inspect ranges.csv          what is in a file
        fathom locate --anchors anchors.csv --range A=3.2 --range B=4.1 --height 1
        fathom evaluate results/walk.positions.csv walk    how far from truth
        fathom report results -o report.html    figures and tables on one page

      Exit codes: 0 done, 1 a check asked for did not hold, 64 usage, 65 bad data, \
      66 no input, 69 a program is missing, 70 internal, 73 and 74 output, 130 interrupted, \
      143 terminated.
      """,
    version: FathomVersion.current,
    subcommands: [
      Process.self, Inspect.self, Locate.self, Evaluate.self, Benchmark.self, Simulate.self,
      ReportCommand.self, Geometry.self, Calibrate.self,
    ])

  static func main() async {
    // The work is divided among recordings; threads inside BLAS would only compete with it.
    limitBLASToOneThread()
    // Threads pass blocks of a recording on to each other and would return their memory in between.
    fathom_keep_memory()
    await main(nil)
  }
}
