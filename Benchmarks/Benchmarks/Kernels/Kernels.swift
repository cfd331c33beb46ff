import Benchmark
import KernelCatalogue

/// Every kernel of the catalogue by itself, timed over whole runs: divide by the number of items in its
/// name for the cost of one.
let benchmarks: @Sendable () -> Void = {
  for kernel in kernelCatalogue() {
    Benchmark(
      "\(kernel.name) (\(kernel.items) items)",
      configuration: .init(
        metrics: [.wallClock], warmupIterations: 3, scalingFactor: .one,
        maxDuration: .milliseconds(300))
    ) { _ in
      blackHole(kernel.run())
    }
  }
}
