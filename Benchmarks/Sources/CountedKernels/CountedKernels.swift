import CallgrindRequests
import Foundation
import KernelCatalogue

/// Runs every kernel twice, once to warm up and once to be counted; `Benchmarks/count` starts it
/// under Callgrind.
///
/// Every kernel runs in a copy of the process, so its counts do not depend on the kernels before
/// it: the heap and the runtime's type caches are in their initial state. Prints `index items
/// stability name` per kernel; Callgrind's dump of that kernel has the index as its name. Arguments
/// select the kernels whose names contain one of them.
@main
struct CountedKernels {
  static let kernels = kernelCatalogue()

  static func main() {
    guard callgrind_is_running() != 0 else {
      print(
        "CountedKernels must run under Valgrind and be built with its header: use Benchmarks/count")
      return
    }
    let patterns = CommandLine.arguments.dropFirst()
    for (index, kernel) in kernels.enumerated()
    where patterns.isEmpty || patterns.contains(where: { kernel.name.contains($0) }) {
      guard run_in_copy({ CountedKernels.count($0) }, index) == 0 else {
        print("\(kernel.name) did not finish")
        exit(70)
      }
    }
  }

  private static func count(_ index: Int) {
    let kernel = kernels[index]
    let expected = kernel.run()
    // Callgrind's request that resets the counters leaves some of them unchanged (Valgrind 3.19).
    callgrind_dump("before")
    let checksum = kernel.run()
    callgrind_dump("\(index)")
    let isRepeatable = checksum == expected
    print(index, kernel.items, isRepeatable ? "repeatable" : "unstable", kernel.name)
  }
}
