import Benchmark

/// Every kernel by itself, one thousand items per measured iteration: with the scaling factor of
/// one thousand, what is printed is the cost of one item.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .throughput], warmupIterations: 3, scalingFactor: .kilo,
    maxDuration: .milliseconds(500))
  benchmarkDistances()
  benchmarkPositions()
  benchmarkRecordings()
}
