import CallgrindRequests
import KernelCatalogue

/// Runs every kernel once to warm up and once to be counted; started under Callgrind by
/// `Benchmarks/count`.
///
/// Prints `index items name` per kernel; Callgrind's dump of that kernel has the index as its name.
/// Arguments select the kernels whose names contain one of them.
@main
struct CountedKernels {
  static func main() {
    guard callgrind_is_running() != 0 else {
      print("CountedKernels runs under Valgrind and needs its header: Benchmarks/count starts it")
      return
    }
    let patterns = CommandLine.arguments.dropFirst()
    for (index, kernel) in kernelCatalogue().enumerated()
    where patterns.isEmpty || patterns.contains(where: { kernel.name.contains($0) }) {
      let expected = kernel.run()
      callgrind_zero()
      let checksum = kernel.run()
      callgrind_dump("\(index)")
      let isRepeatable = checksum == expected
      print(index, kernel.items, isRepeatable ? "repeatable" : "unstable", kernel.name)
    }
  }
}
