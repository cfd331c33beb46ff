import Benchmark
import FathomRecordings
import Foundation

/// Reading a recording, formatting numbers, and all of `fathom process` but the disk.
func benchmarkRecordings() {
  // The recording that the repository carries, so that nothing has to be made or fetched.
  let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Datasets/robot-2d").standardizedFileURL.path(percentEncoded: false)
  guard let recording = try? RecordingReader.read(folder) else { return }
  let rows = recording.rowsRead

  Benchmark("fixed decimal, four digits") { _ in
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8000)
    for index in 0..<1000 {
      FixedDecimal.append(0.1234 * Double(index), decimals: 4, to: &bytes)
    }
    blackHole(bytes)
  }
  // One iteration is the whole recording of `rows` rows: divide by them for the cost of a row.
  let whole = Benchmark.Configuration(
    metrics: [.wallClock, .throughput], warmupIterations: 3, scalingFactor: .one,
    maxDuration: .milliseconds(500))
  Benchmark("read robot-2d, \(rows) rows", configuration: whole) { _ in
    blackHole(try? RecordingReader.read(folder))
  }
  for method in PositionMethod.allCases {
    Benchmark("process robot-2d, \(rows) rows, \(method.rawValue)", configuration: whole) { _ in
      var settings = ProcessingSettings()
      settings.method = method
      let processed = recording.processed(with: settings)
      blackHole(ResultWriter.files(of: processed, in: "results"))
    }
  }
}
