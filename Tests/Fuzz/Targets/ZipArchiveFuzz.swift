@testable import FathomRecordings

/// A zip archive: any bytes give files or a reason, whether they are kept in memory or not.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZipArchive(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = FuzzInput.bytes(start, count)
  do throws(RecordingError) {
    let archive = try ZipArchive(StoredInput(path: "f", bytes: bytes))
    for member in archive.members.prefix(16) {
      do throws(RecordingError) {
        guard case .memory(let stored) = try archive.content(of: member) else { continue }
        _ = try ByteSource(path: "f", stored: stored)
      } catch {
        FuzzInput.expectBadData(error)
      }
    }
  } catch {
    FuzzInput.expectBadData(error)
  }
  return 0
}
