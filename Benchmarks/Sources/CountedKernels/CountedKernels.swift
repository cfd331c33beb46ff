import CallgrindRequests
import Foundation
import KernelCatalogue

/// Runs every kernel once to warm up and once to be counted; started under Callgrind by
/// `Benchmarks/count`.
///
/// Every kernel runs in a copy of the process, so that its counts do not depend on which ran before:
/// the heap and the runtime's caches of types are as they were. Prints `index items stability name`
/// per kernel; Callgrind's dump of that kernel has the index as its name. Arguments select the kernels
/// whose names contain one of them.
@main
struct CountedKernels {
  static let kernels = kernelCatalogue()

  static func main() {
    guard callgrind_is_running() != 0 else {
      print("CountedKernels runs under Valgrind and needs its header: Benchmarks/count starts it")
      return
    }
    let patterns = CommandLine.arguments.dropFirst()
    for (index, kernel) in kernels.enumerated()
    where patterns.isEmpty || patterns.contains(where: { kernel.name.contains($0) }) {
      guard run_in_copy({ CountedKernels.count($0) }, index) == 0 else {
        print("\(kernel.name) ended early")
        exit(70)
      }
    }
  }

  private static func count(_ index: Int) {
    let kernel = kernels[index]
    let expected = kernel.run()
    // Not the request that sets the counters to zero: it leaves some of them (Valgrind 3.19).
    callgrind_dump("before")
    let checksum = kernel.run()
    callgrind_dump("\(index)")
    let isRepeatable = checksum == expected
    print(index, kernel.items, isRepeatable ? "repeatable" : "unstable", kernel.name)
  }
}
