import Fathom
import FathomRecordings

/// Returns the kernels that format numbers and rows of results as text.
func formattingKernels() -> [Kernel] {
  [
    Kernel("format: number, four decimals", items: 1000) {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(16_000)
      for index in 0..<1000 {
        FixedDecimal.append(0.1234 * Double(index), decimals: 4, to: &bytes)
      }
      return Double(bytes.count)
    },
    Kernel("format: time stamp, six decimals", items: 1000) {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(32_000)
      for index in 0..<1000 { FixedDecimal.append(rangeTime(index), decimals: 6, to: &bytes) }
      return Double(bytes.count)
    },
  ]
}
