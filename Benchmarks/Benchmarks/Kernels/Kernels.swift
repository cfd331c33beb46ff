import Benchmark
import KernelCatalogue

/// Times every kernel of the catalogue over whole runs.
///
/// Divide by the number of items in its name for the cost of one item.
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
