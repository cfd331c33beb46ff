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

  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: Peers FOLDER")
      return
    }
    let workload = try Workload(folder: CommandLine.arguments[1])
    while let line = readLine() {
      let fields = line.split(separator: " ").map(String.init)
      guard fields.count == 3, let task = tasks[fields[0]], let items = Int(fields[1]) else {
        answer("{\"error\": \"no such task\"}")
        continue
      }
      do {
        let start = processorSeconds()
        let result = try task(workload, items)
        let seconds = processorSeconds() - start
        try write(result, to: fields[2])
        answer("{\"seconds\": \(seconds)}")
      } catch {
        answer("{\"error\": \"\(error)\"}")
      }
    }
  }
}
