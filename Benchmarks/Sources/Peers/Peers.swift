import Fathom

/// Runs the tasks of `Benchmarks/peers` (see `peers/README.md`) with Fathom's public API.
///
/// Answers each line `TASK ITEMS FILE` on standard input with the processor time as JSON, and
/// writes the results to the file as doubles.
@main
struct Peers {
  typealias Task = @Sendable (Workload, Int) throws -> [Double]

  static let tasks: [String: Task] = [
    "trilateration": { try solveByLikelihood($0.ranges, $0, .squared, epochs: $1) },
    "robust": { try solveByLikelihood($0.ranges, $0, .cauchy, epochs: $1) },
    "robust-clean": { try solveByLikelihood($0.clean, $0, .cauchy, epochs: $1) },
    "linear-qr": { try solveLinearQR($0, .qr, epochs: $1) },
    "linear-pivoted-qr": { try solveLinearQR($0, .pivotedQR, epochs: $1) },
    "linear-qr-batch": solveLinearQRInOneCall,
    "linear-weighted": solveLinearWeighted,
    "kf2": filterTwoStates,
    "ekf6": filterSixStates,
    "tracker": track,
    "smoother": { try smooth($0.ranges, each: 8, $0, ranges: $1) },
    "smoother-apart": { try smooth($0.walk, each: 1, $0, ranges: $1) },
    "bank": filterBank,
    "bank-lanes": filterLanes,
  ]

  /// Tasks that read a file, by number of threads.
  ///
  /// As for the other readers, the sums for comparison are not measured.
  static let readers = ["csv": 1, "csv-two-wall": 2]

  /// A task whose input is prepared before, and whose result is converted after the measurement.
  typealias Batch = @Sendable (Workload) throws -> (EpochColumns) -> BatchPositions

  static let batches: [String: Batch] = [
    "linear-batch": solveLinearBatch,
    "likelihood-batch": { try solveLikelihoodBatch($0, .squared) },
    "likelihood-batch-cauchy": { try solveLikelihoodBatch($0, .cauchy) },
  ]

  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: Peers FOLDER")
      return
    }
    let workload = try Workload(folder: CommandLine.arguments[1])
    while let line = readLine() {
      let fields = line.split(separator: " ").map(String.init)
      guard fields.count == 3, let items = Int(fields[1]) else {
        answer("{\"error\": \"no such task\"}")
        continue
      }
      do {
        let seconds: Double
        let result: [Double]
        if let batch = batches[fields[0]] {
          let epochs = workload.columns(epochs: items)
          let start = processorSeconds()
          let positions = try batch(workload)(epochs)
          seconds = processorSeconds() - start
          result = rows(of: positions)
        } else if let threads = readers[fields[0]] {
          // Processor time does not show the gain from several threads.
          let now = fields[0].hasSuffix("-wall") ? wallSeconds : processorSeconds
          let start = now()
          let recording = try readRows(workload, rows: items, threads: threads)
          seconds = now() - start
          result = sums(of: recording)
        } else if let task = tasks[fields[0]] {
          let start = processorSeconds()
          result = try task(workload, items)
          seconds = processorSeconds() - start
        } else {
          answer("{\"error\": \"no such task\"}")
          continue
        }
        try write(result, to: fields[2])
        answer("{\"seconds\": \(seconds)}")
      } catch {
        answer("{\"error\": \"\(error)\"}")
      }
    }
  }
}
