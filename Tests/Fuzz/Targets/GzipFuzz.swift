import CZlib

@testable import FathomRecordings

/// Decompression: any bytes give a text or a reason.
///
/// Compressed data are restored, truncated data are rejected, and damaged data are rejected or
/// unchanged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGzip(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var bytes = FuzzInput.bytes(start, count)
  guard let mode = bytes.popLast(), let place = bytes.popLast() else { return 0 }
  switch mode % 3 {
  case 0: _ = content(of: bytes)
  case 1: _ = content(of: [0x1F, 0x8B, 0x08] + bytes)
  default:
    let whole = compressed(bytes)
    FuzzInput.expect(content(of: whole) == bytes, "differs from the compressed text")
    FuzzInput.expect(content(of: whole + whole + [0, 0]) == bytes + bytes, "members")
    let cut = Int(place) % whole.count
    FuzzInput.expect(cut < 2 || content(of: Array(whole.prefix(cut))) == nil, "cut at \(cut)")
    // The ten bytes of the header are mostly independent of the content.
    var damaged = whole
    damaged[10 + Int(place) * 7 % (whole.count - 10)] ^= 1 << (mode / 3 % 8)
    FuzzInput.expect(content(of: damaged).map { $0 == bytes } ?? true, "damage is not detected")
  }
  return 0
}

/// Returns the decompressed content of `stored`, which must be the same in blocks; nil when it is
/// invalid.
private func content(of stored: [UInt8]) -> [UInt8]? {
  var content: [UInt8]?
  do throws(Gzip.Failure) {
    content = try Gzip.decompress(stored)
  } catch {
    FuzzInput.expectMessage(error.reason)
  }
  FuzzInput.expect(contentInBlocks(stored) == content, "different content in blocks")
  return content
}

/// Returns the decompressed content, with a few bytes of input and output at a time.
private func contentInBlocks(_ stored: [UInt8]) -> [UInt8]? {
  guard let inflater = Inflater() else { return nil }
  var output: [UInt8] = []
  var begin = 0
  do throws(Gzip.Failure) {
    while true {
      let piece = Array(stored[begin..<min(stored.count, begin + 37)])
      begin += piece.count
      var position = 0
      while true {
        let before = output.count
        try inflater.inflate(
          piece, from: &position, isEnd: piece.isEmpty, upTo: 100, into: &output)
        if position == piece.count, output.count - before < 100 { break }
      }
      if piece.isEmpty { return output }
    }
  } catch {
    FuzzInput.expectMessage(error.reason)
    return nil
  }
}

/// Returns `bytes` as a gzip file.
private func compressed(_ bytes: [UInt8]) -> [UInt8] {
  var stream = z_stream()
  let size = Int32(MemoryLayout<z_stream>.size)
  let status = deflateInit2_(
    &stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
  FuzzInput.expect(status == Z_OK, "zlib cannot start")
  defer { deflateEnd(&stream) }
  var input = bytes
  return input.withUnsafeMutableBufferPointer { input in
    [UInt8](unsafeUninitializedCapacity: input.count + 1000) { output, count in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(output.count)
      FuzzInput.expect(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib does not end")
      count = output.count - Int(stream.avail_out)
    }
  }
}
