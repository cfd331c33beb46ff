import Fathom

/// Fathom's side of `Benchmarks/peers`: the tasks of `peers/README.md` through the public API.
///
/// Answers lines `TASK ITEMS FILE` on standard input with the processor time as JSON, and writes the
/// results to the file as doubles.
@main
struct Peers {
  typealias Task = @Sendable (Workload, Int) throws -> [Double]

  static let tasks: [String: Task] = [
    "trilateration": solveByLikelihood,
    "linear-qr": solveLinearQR,
    "linear-qr-batch": solveLinearQRInOneCall,
    "linear-weighted": solveLinearWeighted,
    "kf2": filterTwoStates,
    "ekf6": filterSixStates,
    "tracker": track,
    "bank": filterBank,
    "csv": readRows,
  ]

  /// Tasks whose input is laid out beforehand and whose result afterwards; neither is measured.
  typealias Batch = @Sendable (Workload) throws -> (EpochColumns) -> BatchPositions

  static let batches: [String: Batch] = [
    "linear-batch": solveLinearBatch,
    "likelihood-batch": { try solveLikelihoodBatch($0, .squared, .linear) },
    "likelihood-batch-centre": { try solveLikelihoodBatch($0, .squared, .centre) },
    "likelihood-batch-cauchy": { try solveLikelihoodBatch($0, .cauchy(), .linear) },
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
