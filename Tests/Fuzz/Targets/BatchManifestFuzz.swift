@testable import FathomRecordings
import Foundation

/// A file called `batch.json`: any bytes are a manifest or not.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBatchManifest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  _ = BatchManifest.isManifest(Data(FuzzInput.bytes(start, count)))
  return 0
}
